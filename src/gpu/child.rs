//! Starting a child, following it, and noticing when it dies or hangs.
use super::protocol::{Job, Reply};
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How children are started.
#[derive(Clone, Debug)]
pub struct Launcher {
    /// The program: this one.
    pub program: PathBuf,
    /// What makes it call [`super::serve`].
    pub arguments: Vec<OsString>,
    /// Variables that are set for them.
    pub environment: Vec<(&'static str, &'static str)>,
    /// The longest that a child may be silent.
    pub limit: Duration,
}

/// How a child ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It did everything.
    Done,
    /// It ended before it was done: how, as a clause.
    Died(String),
    /// It was silent for too long and was killed.
    Hung(Duration),
}

impl End {
    /// What happened, as a clause; `None` if all went well.
    pub(super) fn trouble(&self) -> Option<String> {
        match self {
            Self::Done => None,
            Self::Died(how) => Some(how.clone()),
            Self::Hung(limit) => Some(format!(
                "the process did not answer for {} s and was killed (--timeout)",
                limit.as_secs()
            )),
        }
    }
}

impl Launcher {
    /// Has a child do a job; `hear` gets its replies as they come.
    pub(super) fn run(&self, job: &Job, mut hear: impl FnMut(Reply)) -> End {
        let mut child = match self.start(job) {
            Ok(child) => child,
            Err(error) => return End::Died(format!("no process could be started: {error}")),
        };
        let replies = replies(&mut child);
        let complaint = complaint(&mut child);
        let mut done = false;
        loop {
            match replies.recv_timeout(self.limit) {
                Ok(Reply::Done) => done = true,
                Ok(reply) => hear(reply),
                Err(RecvTimeoutError::Timeout) => {
                    stop(&mut child);
                    return End::Hung(self.limit);
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        // It may hang on its way out, too: what it said holds all the same.
        let Some(status) = wait(&mut child, self.limit) else {
            stop(&mut child);
            return if done {
                End::Done
            } else {
                End::Hung(self.limit)
            };
        };
        if done {
            return End::Done;
        }
        let said = complaint
            .recv_timeout(Duration::from_secs(1))
            .unwrap_or_default();
        End::Died(how(status, &said))
    }

    fn start(&self, job: &Job) -> io::Result<Child> {
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            // The driver would keep what it compiled, and a second run would measure something else.
            .env("CUDA_CACHE_DISABLE", "1")
            .envs(self.environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        if let Some(mut to) = child.stdin.take() {
            // A child that does not listen has died: its end says so.
            let _ = to.write_all(&serde_json::to_vec(job)?);
        }
        Ok(child)
    }
}

fn replies(child: &mut Child) -> Receiver<Reply> {
    let (to, replies) = channel();
    if let Some(from) = child.stdout.take() {
        thread::spawn(move || {
            // A line that is no reply was printed by a library of the driver's.
            let lines = BufReader::new(from).split(b'\n').map_while(Result::ok);
            for reply in lines.filter_map(|line| serde_json::from_slice(&line).ok()) {
                if to.send(reply).is_err() {
                    break;
                }
            }
        });
    }
    replies
}

/// The first line that the child writes to its standard error.
fn complaint(child: &mut Child) -> Receiver<String> {
    let (to, complaint) = channel();
    if let Some(mut from) = child.stderr.take() {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = from.by_ref().take(4096).read_to_end(&mut bytes);
            let _ = io::copy(&mut from, &mut io::sink());
            let text = String::from_utf8_lossy(&bytes);
            let line = text.lines().map(str::trim).find(|line| !line.is_empty());
            // Nobody asks where the child was done.
            let _ = to.send(line.unwrap_or_default().to_owned());
        });
    }
    complaint
}

/// Its exit status, once it has ended within the limit.
fn wait(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let start = Instant::now();
    let mut pause = Duration::from_micros(200);
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if start.elapsed() > limit {
            return None;
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(1));
    }
}

/// Kills it. One that sits in the kernel module cannot be killed, and is left behind.
fn stop(child: &mut Child) {
    if child.kill().is_ok() {
        wait(child, Duration::from_secs(5));
    }
}

fn how(status: ExitStatus, said: &str) -> String {
    let mut how = match signal(status) {
        Some(signal) => format!("the process was ended by signal {signal}"),
        None => match status.code() {
            Some(code) => format!("the process ended with status {code}"),
            None => "the process ended".to_owned(),
        },
    };
    if !said.is_empty() {
        how.push_str(": ");
        how.push_str(said);
    }
    how
}

/// The signal that ended a process, with its name if it is one of the usual.
#[cfg(unix)]
pub(super) fn signal(status: ExitStatus) -> Option<String> {
    let signal = std::os::unix::process::ExitStatusExt::signal(&status)?;
    let name = match signal {
        4 => " (illegal instruction)",
        6 => " (abort)",
        7 => " (bus error)",
        8 => " (arithmetic)",
        9 => " (kill)",
        11 => " (segmentation fault)",
        15 => " (terminate)",
        _ => "",
    };
    Some(format!("{signal}{name}"))
}

/// There are no signals here.
#[cfg(not(unix))]
pub(super) fn signal(_: ExitStatus) -> Option<String> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::super::protocol::Task;
    use super::*;

    /// A child that is a line of shell.
    fn ends(script: &str) -> (Vec<Reply>, End) {
        let launcher = Launcher {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), script.into()],
            environment: vec![("FROM_US", "yes")],
            limit: Duration::from_secs(5),
        };
        let mut heard = Vec::new();
        let end = launcher.run(&Job::Version, |reply| heard.push(reply));
        (heard, end)
    }

    #[test]
    fn every_end_is_told_apart() {
        let begin = r#"echo '{"Begin":"Driver"}';"#;
        let died = |how: &str| End::Died(how.into());
        //  what the child does, what was heard, how it ended
        let table = [
            (format!("{begin} echo '\"Done\"'"), 1, End::Done),
            (
                format!("echo noise; echo '{{}}'; {begin} cat >/dev/null; echo '\"Done\"'"),
                1,
                End::Done,
            ),
            (
                format!("{begin} exit 3"),
                1,
                died("the process ended with status 3"),
            ),
            ("true".into(), 0, died("the process ended with status 0")),
            (
                format!("{begin} echo why >&2; kill -SEGV $$"),
                1,
                died("the process was ended by signal 11 (segmentation fault): why"),
            ),
            (
                format!("{begin} exec sleep 60"),
                1,
                End::Hung(Duration::from_secs(5)),
            ),
            (
                "test \"$FROM_US$CUDA_CACHE_DISABLE\" = yes1 && echo '\"Done\"'".into(),
                0,
                End::Done,
            ),
        ];
        for (script, heard, end) in table {
            let expected = vec![Reply::Begin(Task::Driver); heard];
            assert_eq!(ends(&script), (expected, end), "{script}");
        }
    }

    #[test]
    fn a_program_that_is_not_there_is_no_panic() {
        let launcher = Launcher {
            program: "/does/not/exist".into(),
            arguments: Vec::new(),
            environment: Vec::new(),
            limit: Duration::from_secs(1),
        };
        let end = launcher.run(&Job::Version, |_| ());
        assert!(
            end.trouble()
                .unwrap()
                .contains("no process could be started")
        );
    }
}
