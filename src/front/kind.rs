//! What kind of file a file is: by its path, and where that leaves it open, by its content.
use super::document::Document;
use super::source::Source;
use super::{
    apptainer, azure, bake, buildkite, circleci, cog, compose, devcontainer, dockerfile, github,
    gitlab, jenkins, travis,
};

/// A text format: where its files are found, and how one is read.
#[derive(Debug)]
pub struct Kind {
    /// The name that `--kind` takes.
    pub name: &'static str,
    /// What its files are there for.
    pub role: Role,
    /// Whether a file at this path is one. The path is relative, lower case, with `/` between its parts.
    pub is_at: fn(path: &str) -> bool,
    /// Whether the text of a file that is at such a path is one: many tools share the names of their files.
    pub is_in: fn(text: &str) -> bool,
    /// Reads a file.
    pub read: fn(file: &Source<'_>) -> Document,
}

/// What the files of a format are there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// They say how one thing is made.
    Recipe,
    /// They say of images, by paths that are seen from their own folder, how each is built.
    Images,
    /// They tell a service what to run: what that compiles is compiled for others.
    Service,
}

/// Every kind; the first that fits a file is its kind.
pub static KINDS: &[&Kind] = &[
    &dockerfile::KIND,
    &cog::KIND,
    &compose::KIND,
    &devcontainer::KIND,
    &bake::KIND,
    &bake::OVERRIDE,
    &gitlab::KIND,
    &circleci::KIND,
    &travis::KIND,
    &jenkins::KIND,
    &azure::KIND,
    &buildkite::KIND,
    &apptainer::KIND,
    &github::workflow::KIND,
    &github::action::KIND,
];

/// The kind of the file at `path`; `None` if it is of none that is known. A Dockerfile may be called anything.
pub fn kind_of(path: &str, text: &str) -> Option<&'static Kind> {
    let by_place = at(path).find(|kind| (kind.is_in)(text));
    let may_be = dockerfile::has_from(text) || !has_format(path) && !is_known(path);
    by_place.or_else(|| may_be.then_some(&dockerfile::KIND))
}

/// Whether the end of the name says that the file is of another format.
fn has_format(path: &str) -> bool {
    const FORMATS: [&str; 6] = ["yml", "yaml", "json", "toml", "hcl", "def"];
    let end = ending(path);
    is_about_others(&end) || FORMATS.contains(&end.as_str())
}

/// Whether a file whose name ends so is a document about files of these kinds, or a program that reads them.
fn is_about_others(ending: &str) -> bool {
    [
        "md", "rst", "txt", "html", "xml", "py", "sh", "rs", "go", "js", "ts", "java", "rb", "c",
        "cc", "cpp", "h",
    ]
    .contains(&ending)
}

/// What follows the last dot of a file's name, in lower case.
fn ending(path: &str) -> String {
    let end = file_name(path).rsplit_once('.').map_or("", |(_, end)| end);
    end.to_ascii_lowercase()
}

/// Whether a file at `path` may be of a known kind.
pub fn is_known(path: &str) -> bool {
    at(path).next().is_some()
}

/// Whether a file at `path` tells a service what to run.
pub fn is_of_service(path: &str) -> bool {
    at(path)
        .next()
        .is_some_and(|kind| kind.role == Role::Service)
}

fn at(path: &str) -> impl Iterator<Item = &'static Kind> {
    let path = path.replace('\\', "/").to_ascii_lowercase();
    let may_be = !is_about_others(&ending(&path));
    let fits = move |kind: &&Kind| may_be && (kind.is_at)(&path);
    KINDS.iter().copied().filter(fits)
}

/// The kind with a name.
pub fn named(name: &str) -> Option<&'static Kind> {
    KINDS.iter().copied().find(|kind| kind.name == name)
}

/// The last part of a path.
pub fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_their_place() {
        for (path, expected) in [
            ("Dockerfile", Some("dockerfile")),
            ("docker/Dockerfile.cuda", Some("dockerfile")),
            ("a/gpu.Dockerfile", Some("dockerfile")),
            ("Containerfile", Some("dockerfile")),
            ("Dockerfile.d/readme.md", None),
            ("a/values.yaml", None),
        ] {
            let kind = kind_of(path, "ARG A\n").map(|kind| kind.name);
            assert_eq!(kind, expected, "{path}");
            assert_eq!(is_known(path), expected.is_some(), "{path}");
        }
    }

    #[test]
    fn names_that_many_tools_share_are_told_apart_by_the_text() {
        for (path, text, expected) in [
            ("a/exports.def", "EXPORTS\n", None),
            ("a/gpu.def", "# a\nbootstrap:docker\n", Some("apptainer")),
            ("Singularity", "Bootstrap: docker\n", Some("apptainer")),
            ("Singularity", "see the manual\n", None),
            ("ci/azure-pipelines.yml", "steps:\n", Some("azure")),
            (".azure/config.yml", "a: b\n", None),
            (
                ".buildkite/pipeline.yml",
                "steps:\n- wait\n",
                Some("buildkite"),
            ),
            (".buildkite/eval/model.yaml", "model: a\n", None),
        ] {
            let kind = kind_of(path, text).map(|kind| kind.name);
            assert_eq!(kind, expected, "{path}");
            assert!(is_known(path), "{path}");
        }
    }

    #[test]
    fn programs_and_documents_about_them_are_not_looked_for() {
        for path in [
            "tests/dockerfiles.rs",
            "dockerfile.py",
            "Dockerfile.md",
            "front/apptainer.rs",
            "docs/Jenkinsfile.md",
        ] {
            assert!(!is_known(path), "{path}");
            assert!(kind_of(path, "bootstrap: docker\n").is_none(), "{path}");
        }
    }

    #[test]
    fn a_dockerfile_may_be_called_anything() {
        for (text, expected) in [("# x\nfrom a\n", true), ("x: from a\n", false), ("", false)] {
            assert!(kind_of("build/gpu.in", text).is_some(), "{text}");
            assert_eq!(kind_of("gpu.yaml", text).is_some(), expected, "{text}");
        }
    }
}
