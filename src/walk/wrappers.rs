//! Commands that run other commands: `sudo`, `env`, `time`, `bash -c`, `conda run`, ….
use super::shells::{BASH, Shell};
use crate::facts::LostWhy;
use crate::value::Value;

/// What a wrapper runs, and what it changes for it.
pub(super) struct Inner {
    /// What it runs.
    pub(super) runs: Runs,
    /// Variables it sets.
    pub(super) sets: Vec<(String, Value)>,
    /// Variables it unsets.
    pub(super) unsets: Vec<String>,
    /// It passes the environment on only in part.
    pub(super) drops: Option<LostWhy>,
    /// The names that pass all the same; `*` for all.
    pub(super) keeps: Vec<String>,
    /// A login or interactive shell.
    pub(super) login: bool,
    /// The shell that reads the text or file.
    pub(super) shell: Shell,
    /// It activates an environment of conda.
    pub(super) activates: bool,
}

/// What is run.
pub(super) enum Runs {
    /// A command.
    Words(Vec<Value>),
    /// Shell text with its positional arguments.
    Text {
        /// The text.
        text: Value,
        /// `$1` and on.
        args: Vec<Value>,
    },
    /// A shell script.
    File {
        /// Its path.
        path: String,
        /// Its arguments.
        args: Vec<Value>,
    },
    /// Nothing that matters.
    Nothing,
}

impl Inner {
    fn words(words: &[Value]) -> Self {
        Self {
            runs: Runs::Words(words.to_vec()),
            sets: Vec::new(),
            unsets: Vec::new(),
            drops: None,
            keeps: Vec::new(),
            login: false,
            shell: BASH,
            activates: false,
        }
    }
}

/// Programs that are run also where the word before them is not known.
const BEHIND_ANYTHING: [&str; 28] = [
    "apk", "apt", "apt-get", "bash", "bazel", "cargo", "cmake", "conda", "curl", "dnf", "git",
    "make", "mamba", "meson", "microdnf", "ninja", "nvcc", "pip", "pip3", "python", "python3",
    "sh", "sudo", "tar", "uv", "wget", "yum", "zypper",
];

/// The command inside `words`, if `program` is a wrapper.
pub(super) fn unwrap(program: &str, words: &[Value]) -> Option<Inner> {
    let texts: Vec<String> = words.iter().map(Value::sketch).collect();
    let text = |i: usize| texts.get(i).map_or("", String::as_str);
    match program {
        // `$SUDO make`: what is not known stands before a command, or is nothing
        "?" if BEHIND_ANYTHING.contains(&text(1)) => Some(Inner::words(&words[1..])),
        "env" => Some(env(words, &texts)),
        "sudo" | "doas" => Some(sudo(words, &texts)),
        "su" | "runuser" | "gosu" | "su-exec" => Some(su(program, words, &texts)),
        "bash" | "sh" | "dash" | "zsh" | "ash" | "ksh" => Some(shell(words, &texts)),
        "time" | "nohup" | "command" | "exec" | "builtin" | "ccache" | "sccache" | "stdbuf"
        | "unbuffer" | "catchsegv" | "nproc" | "eatmydata" | "proxychains" | "proxychains4" => {
            Some(Inner::words(after_options(
                words,
                &texts,
                &["-f", "-o", "-i", "-e"],
            )))
        }
        "nice" | "ionice" => Some(Inner::words(after_options(words, &texts, &["-n", "-c"]))),
        "timeout" => {
            let rest = after_options(words, &texts, &["-s", "-k", "--signal", "--kill-after"]);
            Some(Inner::words(rest.get(1..).unwrap_or_default()))
        }
        "xargs" | "parallel" => {
            let mut inner = Inner::words(after_options(
                words,
                &texts,
                &["-n", "-P", "-I", "-L", "-a", "-d", "-s", "-E", "-j"],
            ));
            if let Runs::Words(words) = &mut inner.runs {
                words.push(Value::hole("it comes through a pipe", None, true));
            }
            Some(inner)
        }
        "conda" | "mamba" | "micromamba" | "poetry" | "pdm" | "uv" | "pipenv" | "rye" | "hatch"
        | "pixi"
            if text(1) == "run" =>
        {
            let rest = after_options(
                &words[1..],
                &texts[1..],
                &[
                    "-n",
                    "--name",
                    "-p",
                    "--prefix",
                    "--cwd",
                    "--python",
                    "--with",
                    "--extra",
                    "--group",
                    "-e",
                    "--environment",
                    "--package",
                ],
            );
            Some(Inner {
                activates: matches!(program, "conda" | "mamba" | "micromamba"),
                ..Inner::words(rest)
            })
        }
        "scl" if text(1) == "enable" => {
            let rest = words.get(2..).unwrap_or_default();
            match rest.iter().position(|w| w.sketch() == "--") {
                Some(at) => Some(Inner::words(&rest[at + 1..])),
                None => Some(Inner {
                    runs: Runs::Text {
                        text: rest.last()?.clone(),
                        args: Vec::new(),
                    },
                    ..Inner::words(&[])
                }),
            }
        }
        "retry" | "travis_retry" | "travis_wait" | "with-retry" | "apt-retry" => {
            Some(Inner::words(skip_numbers(after_options(
                words,
                &texts,
                &["-t", "-d", "--times", "--delay"],
            ))))
        }
        "if" | "then" | "do" => None,
        _ => None,
    }
}

fn skip_numbers(words: &[Value]) -> &[Value] {
    let skip = words
        .iter()
        .take_while(|w| w.sketch().bytes().all(|b| b.is_ascii_digit()))
        .count();
    &words[skip..]
}

/// What follows the wrapper's own options; those in `valued` have a value of their own.
fn after_options<'w>(words: &'w [Value], texts: &[String], valued: &[&str]) -> &'w [Value] {
    let mut at = 1;
    while let Some(text) = texts.get(at) {
        if text == "--" {
            at += 1;
            break;
        }
        if !text.starts_with('-') {
            break;
        }
        at += if valued.contains(&text.as_str()) {
            2
        } else {
            1
        };
    }
    words.get(at..).unwrap_or_default()
}

fn assignment(text: &str) -> Option<&str> {
    let (name, _) = text.split_once('=')?;
    let plain = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    plain.then_some(name)
}

fn env(words: &[Value], texts: &[String]) -> Inner {
    let mut inner = Inner::words(&[]);
    let mut at = 1;
    while let Some(text) = texts.get(at) {
        if let Some(name) = assignment(text) {
            inner
                .sets
                .push((name.to_owned(), words[at].slice_from(name.len() + 1)));
        } else if matches!(text.as_str(), "-i" | "--ignore-environment" | "-") {
            inner.drops = Some(LostWhy::Isolated);
        } else if matches!(text.as_str(), "-u" | "--unset") {
            inner.unsets.extend(texts.get(at + 1).cloned());
            at += 1;
        } else if let Some(name) = text.strip_prefix("--unset=") {
            inner.unsets.push(name.to_owned());
        } else if matches!(text.as_str(), "-C" | "--chdir" | "-S") {
            at += 1;
        } else if !text.starts_with('-') {
            break;
        }
        at += 1;
    }
    inner.runs = Runs::Words(words.get(at..).unwrap_or_default().to_vec());
    inner
}

fn sudo(words: &[Value], texts: &[String]) -> Inner {
    let mut inner = Inner::words(&[]);
    inner.drops = Some(LostWhy::Sudo);
    let mut at = 1;
    while let Some(text) = texts.get(at) {
        if let Some(name) = assignment(text) {
            inner
                .sets
                .push((name.to_owned(), words[at].slice_from(name.len() + 1)));
        } else if matches!(text.as_str(), "-E" | "--preserve-env")
            || (text.starts_with('-') && !text.starts_with("--") && text.contains('E'))
        {
            inner.drops = None;
        } else if let Some(names) = text.strip_prefix("--preserve-env=") {
            inner.keeps.extend(names.split(',').map(str::to_owned));
        } else if matches!(
            text.as_str(),
            "-u" | "-g" | "-h" | "-p" | "-C" | "-D" | "--user" | "--group" | "-T"
        ) {
            at += 1;
        } else if text == "--" {
            at += 1;
            break;
        } else if !text.starts_with('-') {
            break;
        }
        at += 1;
    }
    inner.runs = Runs::Words(words.get(at..).unwrap_or_default().to_vec());
    inner
}

/// `su user -c TEXT` keeps the environment, `su - user -c TEXT` does not; `gosu user command` keeps it.
fn su(program: &str, words: &[Value], texts: &[String]) -> Inner {
    if matches!(program, "gosu" | "su-exec") {
        return Inner::words(words.get(2..).unwrap_or_default());
    }
    let mut inner = Inner {
        runs: Runs::Nothing,
        ..Inner::words(&[])
    };
    inner.login = texts
        .iter()
        .any(|t| matches!(t.as_str(), "-" | "-l" | "--login"));
    if inner.login {
        inner.drops = Some(LostWhy::Sudo);
    }
    if let Some(at) = texts
        .iter()
        .position(|t| matches!(t.as_str(), "-c" | "--command" | "-lc"))
        && let Some(text) = words.get(at + 1)
    {
        inner.runs = Runs::Text {
            text: text.clone(),
            args: Vec::new(),
        };
    }
    inner
}

fn shell(words: &[Value], texts: &[String]) -> Inner {
    let mut inner = Inner {
        runs: Runs::Nothing,
        shell: texts.first().map_or(BASH, |program| Shell::of(program)),
        ..Inner::words(&[])
    };
    let mut at = 1;
    let mut takes_text = false;
    while let Some(text) = texts.get(at) {
        if matches!(
            text.as_str(),
            "-o" | "+o" | "-O" | "--rcfile" | "--init-file"
        ) {
            at += 2;
            continue;
        }
        if text == "--login" {
            inner.login = true;
        } else if let Some(letters) = text.strip_prefix('-').filter(|l| !l.starts_with('-')) {
            inner.login |= letters.contains(['l', 'i']);
            takes_text |= letters.contains('c');
        } else if !text.starts_with('-') && !text.starts_with('+') {
            break;
        }
        at += 1;
    }
    let rest = words.get(at..).unwrap_or_default();
    match rest.split_first() {
        Some((text, args)) if takes_text => {
            inner.runs = Runs::Text {
                text: text.clone(),
                args: args.get(1..).unwrap_or_default().to_vec(),
            }
        }
        Some((file, args)) => {
            inner.runs = Runs::File {
                path: file.sketch(),
                args: args.to_vec(),
            }
        }
        None => {}
    }
    inner
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe(line: &[&str]) -> String {
        let words: Vec<Value> = line.iter().map(|w| Value::literal(w, None)).collect();
        let Some(inner) = unwrap(line[0], &words) else {
            return "plain".to_owned();
        };
        let mut text = match &inner.runs {
            Runs::Words(words) => words
                .iter()
                .map(Value::sketch)
                .collect::<Vec<_>>()
                .join(" "),
            Runs::Text { text, args } => format!("text({}) {}", text.sketch(), args.len()),
            Runs::File { path, args } => format!("file({path}) {}", args.len()),
            Runs::Nothing => "nothing".to_owned(),
        };
        for (name, value) in &inner.sets {
            text += &format!(" +{name}={}", value.sketch());
        }
        if inner.drops.is_some() {
            text += " drops";
        }
        if inner.login {
            text += " login";
        }
        text
    }

    #[test]
    fn wrappers_show_what_they_run() {
        for (line, want) in [
            (vec!["env", "A=1", "B=2", "make", "-j"], "make -j +A=1 +B=2"),
            (vec!["env", "-i", "make"], "make drops"),
            (vec!["sudo", "make"], "make drops"),
            (vec!["sudo", "-E", "make"], "make"),
            (vec!["sudo", "-u", "x", "A=1", "make"], "make +A=1 drops"),
            (
                vec!["su", "-", "x", "-c", "make"],
                "text(make) 0 drops login",
            ),
            (vec!["su", "x", "-c", "make"], "text(make) 0"),
            (vec!["bash", "-lc", "make"], "text(make) 0 login"),
            (vec!["bash", "-exc", "make", "_", "a"], "text(make) 1"),
            (vec!["sh", "./b.sh", "x", "y"], "file(./b.sh) 2"),
            (vec!["bash", "-o", "pipefail", "-c", "x"], "text(x) 0"),
            (vec!["timeout", "-k", "5", "3600", "make"], "make"),
            (vec!["time", "make"], "make"),
            (vec!["nice", "-n", "10", "make"], "make"),
            (
                vec![
                    "conda",
                    "run",
                    "-n",
                    "x",
                    "--no-capture-output",
                    "pip",
                    "install",
                    "y",
                ],
                "pip install y",
            ),
            (
                vec!["uv", "run", "--", "python", "setup.py"],
                "python setup.py",
            ),
            (vec!["xargs", "-n", "1", "pip", "install"], "pip install ?"),
            (
                vec!["scl", "enable", "devtoolset-9", "cmake .."],
                "text(cmake ..) 0",
            ),
            (vec!["pip", "install"], "plain"),
            (vec!["conda", "install", "x"], "plain"),
        ] {
            assert_eq!(describe(&line), want, "{line:?}");
        }
    }
}
