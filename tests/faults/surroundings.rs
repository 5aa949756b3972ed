//! Streams, folders and languages that a run finds itself with.
use crate::{BUILD, folder, kimg_lint, library, limited, listed, mode, nobody, text};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

#[test]
fn standard_streams_may_be_closed() {
    let folder = folder("closed");
    fs::write(folder.join("Dockerfile"), BUILD).unwrap();
    for (streams, status) in [
        ("exec >&-", 1),
        ("exec 2>&-", 1),
        ("exec <&-", 1),
        ("exec <&- >&- 2>&-", 1),
    ] {
        let output = limited(&folder, streams, &["Dockerfile"]);
        assert_eq!(output.status.code(), Some(status), "{streams}");
    }
}

#[test]
fn home_and_temporary_folder_are_not_needed() {
    let folder = folder("home");
    fs::write(folder.join("Dockerfile"), BUILD).unwrap();
    let reference = kimg_lint(&folder).arg("Dockerfile").output().unwrap();
    assert_eq!(reference.status.code(), Some(1));
    let read_only = folder.join("read-only");
    fs::create_dir(&read_only).unwrap();
    mode(&read_only, 0o555);
    for home in [
        &*read_only,
        Path::new("/nowhere"),
        Path::new(""),
        Path::new("/dev/null"),
    ] {
        for name in ["HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "TMPDIR"] {
            let mut command = kimg_lint(&folder);
            let output = nobody(command.arg("Dockerfile").env(name, home)).output();
            // others may not reach the program
            if let Ok(output) = output {
                assert_eq!(
                    text(&output.stdout),
                    text(&reference.stdout),
                    "{name} {}",
                    home.display()
                );
            }
        }
    }
    let library = library();
    let output = kimg_lint(&folder)
        .arg("archs")
        .arg(&library)
        .env("TMPDIR", "/nowhere")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(listed(&read_only).is_empty());
}

#[test]
fn locales_change_the_lines_drawn_and_nothing_else() {
    let folder = folder("locale");
    fs::write(folder.join("Dockerfile"), BUILD).unwrap();
    let run = |locale: &OsStr, format: &str| {
        let mut command = kimg_lint(&folder);
        command.args(["--format", format, "Dockerfile"]);
        command
            .env("LC_ALL", locale)
            .env("LANG", locale)
            .env("LANGUAGE", locale);
        command.output().unwrap()
    };
    let locales = [
        "C",
        "POSIX",
        "",
        "tr_TR.UTF-8",
        "de_DE@euro",
        "ja_JP.SJIS",
        "../../etc/passwd",
    ];
    let locales = locales
        .map(OsStr::new)
        .into_iter()
        .chain([OsStr::from_bytes(b"\xff\xfe")]);
    for locale in locales {
        for format in ["concise", "gitlab", "github"] {
            let reference = run(OsStr::new("C.UTF-8"), format);
            let output = run(locale, format);
            assert_eq!(output.status.code(), Some(1), "{locale:?}");
            assert_eq!(
                text(&output.stdout),
                text(&reference.stdout),
                "{locale:?} {format}"
            );
        }
        let human = run(locale, "human");
        let is_utf8 = locale.to_string_lossy().contains("UTF-8");
        let drawn = text(&human.stdout).contains(['│', '╭', '×']);
        assert!(is_utf8 == drawn, "{locale:?}: {}", text(&human.stdout));
    }
}
