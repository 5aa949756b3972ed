//! `kimg-lint probe -- CMD`: runs a program with the driver's log of errors on, and reads what it swallowed.
use super::child::{Launcher, signal};
use super::{log, probe};
use crate::cuda::DriverBranch;
use crate::facts::{Known, Program};
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// The driver that first writes a log.
const FIRST: DriverBranch = DriverBranch(575);
/// The most of a log that is read, in bytes.
const LONGEST: u64 = 64 << 20;

/// Runs `command` to its end, with the launcher's variables, and says what failed in it.
///
/// # Errors
/// It cannot be started, or there is no place for the log.
pub fn watch(command: &[OsString], launcher: &Launcher) -> io::Result<Program> {
    let Some((name, arguments)) = command.split_first() else {
        return Err(io::Error::other("no command"));
    };
    let folder = Folder::new()?;
    let status = Command::new(name)
        .args(arguments)
        .envs(launcher.environment.iter().copied())
        .env("CUDA_LOG_FILE", folder.log())
        .status()?;
    let text = read(&folder.log())?;
    let (driver, _) = probe::driver(launcher);
    let words: Vec<_> = command.iter().map(|word| word.to_string_lossy()).collect();
    Ok(Program {
        path: Path::new(name).to_string_lossy().into_owned(),
        command: words.join(" "),
        status: status.code(),
        ended: ended(status),
        watched: watched(&driver.version, &text),
        driver: driver.version,
        failures: log::failures(&text),
    })
}

/// Whether the driver could tell: by its version, and in any case where it has told something.
fn watched(version: &str, text: &str) -> Known {
    match version.parse::<DriverBranch>() {
        _ if !text.is_empty() => Known::Yes,
        Ok(branch) => Known::from(branch >= FIRST),
        Err(_) => Known::Unknown,
    }
}

fn ended(status: ExitStatus) -> String {
    match (status.code(), signal(status)) {
        (Some(code), _) => format!("it exited with status {code}"),
        (None, Some(signal)) => format!("it was ended by signal {signal}"),
        (None, None) => "it ended".to_owned(),
    }
}

fn read(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    match fs::File::open(path) {
        Ok(file) => file.take(LONGEST).read_to_end(&mut bytes)?,
        // Nothing failed, or nobody wrote.
        Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
        Err(error) => return Err(error),
    };
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A folder of this run only, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> io::Result<Self> {
        let started = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap_or_default();
        let name = format!("kimg-lint-{}-{}", std::process::id(), started.as_nanos());
        let path = std::env::temp_dir().join(name);
        // It must not be there yet: somebody else's folder is nothing to write into.
        fs::create_dir(&path)?;
        Ok(Self(path))
    }

    fn log(&self) -> PathBuf {
        self.0.join("cuda.log")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed is left to the system's cleaning.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_drivers_see_nothing() {
        for (version, text, expected) in [
            ("580.159.04", "", Known::Yes),
            ("575.51.03", "", Known::Yes),
            ("570.86.10", "", Known::No),
            ("unknown", "", Known::Unknown),
            ("", "", Known::Unknown),
            ("", "[E] something", Known::Yes),
        ] {
            assert_eq!(watched(version, text), expected, "{version}");
        }
    }
}
