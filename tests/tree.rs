//! Reading the files around a linted file: which, and none outside of the repository.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use kimg_lint::tree::{Kind, Tree, Unread};
use kimg_lint::value::Site;
use kimg_lint::walk::files::Files;
use std::fs;
use std::path::{Path, PathBuf};

/// An empty folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("repository/docker")).unwrap();
    folder
}

/// The tree of a repository with these files, around `docker/Dockerfile`.
fn tree(name: &str, files: &[(&str, &[u8])]) -> Tree {
    let root = folder(name).join("repository");
    for (path, bytes) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let linted = Path::new("docker/Dockerfile");
    Tree::new(&root, &root.join(linted), linted)
}

#[cfg(unix)]
#[test]
fn nothing_outside_is_read() {
    use std::os::unix::fs::symlink;
    let folder = folder("outside");
    let root = folder.join("repository");
    fs::write(folder.join("secret"), "s").unwrap();
    fs::write(root.join("docker/a.sh"), "a").unwrap();
    fs::write(root.join("docker/b.sh"), b"\x7fELF\0").unwrap();
    symlink("docker/a.sh", root.join("within")).unwrap();
    symlink("../secret", root.join("out")).unwrap();
    symlink("..", root.join("up")).unwrap();
    symlink("loop", root.join("loop")).unwrap();
    let tree = Tree::new(
        &root,
        &root.join("docker/Dockerfile"),
        Path::new("Dockerfile"),
    );
    let outside = "it is outside of the repository";
    for (path, expected) in [
        ("docker/a.sh", "a"),
        ("./docker//../docker/a.sh", "a"),
        ("within", "a"),
        ("out", outside),
        ("up/secret", outside),
        ("../secret", outside),
        ("docker/../../secret", outside),
        ("docker", "it is a directory"),
        ("docker/none.sh", "no such file"),
        ("docker/a.sh/x", "no such file"),
        ("docker/b.sh", "it is no text: byte 4 is zero"),
    ] {
        let got = tree
            .read(path, 100)
            .unwrap_or_else(|error| error.to_string());
        assert_eq!(got, expected, "{path}");
    }
    assert!(tree.read("loop", 100).is_err());
    assert_eq!(tree.kind("docker"), Some(Kind::Folder));
    assert_eq!(tree.kind("within"), Some(Kind::File));
    assert_eq!(tree.kind("out"), None);
    assert_eq!(tree.names("docker"), ["a.sh", "b.sh"]);
    assert_eq!(Tree::default().read("docker/a.sh", 100), Err(Unread::Off));
}

#[test]
fn the_context_is_where_the_copied_files_are() {
    let tree = tree(
        "context",
        &[
            ("build.sh", b"root"),
            ("docker/build.sh", b"folder"),
            ("docker/only.sh", b"folder"),
            ("setup.py", b"root"),
        ],
    );
    for (sources, asked, expected) in [
        (&[] as &[&str], "build.sh", "docker/build.sh folder"),
        (&["."], "setup.py", "setup.py root"),
        (&["build.sh", "setup.py"], "build.sh", "build.sh root"),
        (&["setup.*"], "build.sh", "build.sh root"),
        (
            &["only.sh", "setup.py"],
            "build.sh",
            "docker/build.sh folder",
        ),
        (&["none"], "only.sh", "docker/only.sh folder"),
        (&["."], "none.sh", "no such file"),
        (&["."], "../../x", "it is outside of the repository"),
    ] {
        let files = Files::new("docker/Dockerfile", "FROM x", &tree);
        let sources: Vec<String> = sources.iter().map(|s| (*s).to_owned()).collect();
        files.choose_context(&sources);
        let got = match files.open(asked) {
            Ok(file) => {
                let site = Site {
                    file,
                    ..Site::default()
                };
                format!("{} {}", files.path(site), files.text(file))
            }
            Err(why) => why.to_string(),
        };
        assert_eq!(got, expected, "{sources:?} {asked}");
    }
}

#[test]
fn a_file_is_read_once_and_quoted_only_where_a_fact_points_into_it() {
    let tree = tree("once", &[("a.sh", b"one\ntwo\n"), ("b.sh", b"")]);
    let files = Files::new("docker/Dockerfile", "FROM x", &tree);
    let (a, b) = (files.open("a.sh").unwrap(), files.open("./b.sh").unwrap());
    assert_eq!(files.open("b.sh"), Ok(b));
    let quoted: Vec<_> = files.quoted().map(|(path, _)| path.to_owned()).collect();
    assert_eq!(quoted, ["docker/Dockerfile"]);
    let span = kimg_lint::span::Span::new(4, 7);
    let place = files.place(Site { file: a, span });
    assert_eq!((place.line, place.column), (2, 1));
    assert_eq!(files.excerpt(Site { file: a, span }), "two");
    let quoted: Vec<_> = files.quoted().collect();
    assert_eq!(
        quoted,
        [("docker/Dockerfile", "FROM x"), ("a.sh", "one\ntwo\n")]
    );
}

#[test]
fn limits_are_kept_and_said() {
    let large = vec![b'a'; (4 << 20) + 1];
    let tree = tree("limits", &[("large", &large), ("large2", &large[1..])]);
    let files = Files::new("docker/Dockerfile", "FROM x", &tree);
    let why = |path: &str| files.open(path).map_err(|why| why.to_string());
    assert_eq!(why("large"), Err("it is larger than 4 MiB".to_owned()));
    assert_eq!(why("large2"), Ok(1));
    let off = Tree::default();
    let files = Files::new("docker/Dockerfile", "FROM x", &off);
    assert_eq!(files.open("large2"), Err(Unread::Off));
}
