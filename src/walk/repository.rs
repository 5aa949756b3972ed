//! What the repository of the linted file is called: by its remote, else by what its own files say.
use super::files::Files;
use std::rc::Rc;

/// Whether the linted file lies in the repository `owner/name`: its remote says so, or its README bears the name and tells
/// people to clone it.
pub(super) fn is(name: &str, files: &Files<'_>) -> bool {
    let read = |path: &str| files.open(path).ok().map(|file| files.text(file));
    if let Some(known) = read("/.git/config").and_then(remote) {
        return known == name;
    }
    let plain = |name: &str| name.to_ascii_lowercase().replace([' ', '_'], "-");
    let own = |readme: &str| {
        let title = title(readme).map(|title| plain(&title));
        let last = name.rsplit('/').next().map(plain);
        title == last && clones(readme, name)
    };
    ["/README.md", "/readme.md"]
        .iter()
        .any(|path| read(path).is_some_and(own))
}

/// Whether a text has a line `git clone …owner/name`.
fn clones(text: &str, name: &str) -> bool {
    text.lines().any(|line| {
        let address = line.split_once("git clone ").map(|(_, rest)| rest);
        let mut words = address.unwrap_or_default().split_whitespace();
        words.any(|word| {
            let word = word.to_ascii_lowercase();
            let word = word.trim_end_matches(['/', '`']).trim_end_matches(".git");
            word.strip_suffix(name)
                .is_some_and(|rest| rest.ends_with(['/', ':']))
        })
    })
}

/// Whether a checkout of this reference is what everybody gets: the default branch.
pub(super) fn is_usual(reference: Option<&str>) -> bool {
    reference.is_none_or(|reference| matches!(reference, "main" | "master"))
}

/// The names: `owner/name` alone where the remote tells, else `?/name` for each name that a project file gives.
pub(super) fn names(files: &Files<'_>) -> Vec<Rc<str>> {
    let read = |path: &str| {
        files
            .open(path)
            .ok()
            .map(|file| files.text(file).to_owned())
    };
    if let Some(name) = read(".git/config").as_deref().and_then(remote) {
        return vec![name.as_str().into()];
    }
    let found = [
        read("pyproject.toml").as_deref().and_then(own_name),
        read("setup.cfg").as_deref().and_then(own_name),
        read("setup.py").as_deref().and_then(argument),
        read("CMakeLists.txt").as_deref().and_then(project),
        read("meson.build").as_deref().and_then(project),
        read("README.md").as_deref().and_then(title),
    ];
    let mut names: Vec<Rc<str>> = Vec::new();
    for name in found.into_iter().flatten() {
        let name: Rc<str> = format!("?/{}", name.to_ascii_lowercase()).into();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// `url = https://…/owner/name.git` or `git@…:owner/name`
fn remote(config: &str) -> Option<String> {
    let url = value(config, "url")?;
    let path = url
        .trim_end_matches('/')
        .trim_end_matches(".git")
        .to_ascii_lowercase();
    let mut parts = path.rsplit(['/', ':']);
    let (name, owner) = (parts.next()?, parts.next()?);
    Some(format!("{owner}/{name}"))
}

/// `name = "value"`, the first in the file.
fn value(text: &str, key: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once('=')?;
        (name.trim() == key).then(|| word(value))?
    })
}

/// The name in the section of a file that tells what the project itself is called: an index or an author has a name, too.
fn own_name(text: &str) -> Option<String> {
    let is_own = |line: &str| matches!(line.trim(), "[project]" | "[tool.poetry]" | "[metadata]");
    let sections = text.split_inclusive('\n').scan(false, |own, line| {
        if line.starts_with('[') {
            *own = is_own(line);
        }
        Some(if *own { line } else { "" })
    });
    value(&sections.collect::<String>(), "name")
}

/// The lines that are no comments: CMake and Python write them alike.
fn uncommented(text: &str) -> String {
    let lines = text.split_inclusive('\n');
    lines
        .filter(|line| !line.trim_start().starts_with('#'))
        .collect()
}

/// `name="value"` among the arguments of `setup(`.
fn argument(text: &str) -> Option<String> {
    let text = uncommented(text);
    let calls = text.get(text.find("setup(")?..)?;
    calls.lines().find_map(|line| {
        let rest = line.split_once("name")?.1.trim_start().strip_prefix('=')?;
        rest.trim_start()
            .starts_with(['"', '\''])
            .then(|| word(rest))?
    })
}

/// `project(NAME …)`
fn project(text: &str) -> Option<String> {
    let text = uncommented(text);
    let at = text.to_ascii_lowercase().find("project(")? + "project(".len();
    word(text.get(at..)?)
}

/// `# Name`
fn title(text: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.strip_prefix("# "))?;
    let plain = line
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || " -_.".contains(c));
    plain
        .then(|| line.trim().to_owned())
        .filter(|name| !name.is_empty())
}

/// The first word of a value, without its quotes; `None` if it is computed.
fn word(text: &str) -> Option<String> {
    let text = text.trim_start().trim_start_matches(['"', '\'']);
    let end = text.find(|c: char| matches!(c, '"' | '\'' | ')' | ',') || c.is_whitespace());
    let word = &text[..end.unwrap_or(text.len())];
    (!word.is_empty() && !word.contains(['$', '{', '('])).then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_files_call_their_repository() {
        let some = |text: &str| Some(text.to_owned());
        for config in [
            "[remote \"origin\"]\n\turl = https://host.example/Owner/Name.git\n",
            "url = git@host.example:owner/name",
        ] {
            assert_eq!(remote(config), some("owner/name"), "{config}");
        }
        assert_eq!(own_name("[project]\nname = \"a-b\"\n"), some("a-b"));
        assert_eq!(argument("setup(\n  name=\"a\",\n"), some("a"));
        assert_eq!(argument("setup(name=NAME)"), None);
        assert_eq!(
            project("cmake_minimum_required(VERSION 3)\nproject(Ab LANGUAGES CUDA)"),
            some("Ab")
        );
        assert_eq!(
            project("# before project() is called\nproject(Ab)"),
            some("Ab")
        );
        assert_eq!(
            argument("# calls setup()\nsetup(\n  name='a',\n"),
            some("a")
        );
        assert_eq!(
            own_name("[[tool.uv.index]]\nname = 'wheels'\n[project]\nname = 'a'\n"),
            some("a")
        );
        assert_eq!(own_name("[tool.x]\nname = 'b'\n"), None);
        assert_eq!(project("project(${NAME})"), None);
        assert_eq!(title("text\n# llm.x\n"), some("llm.x"));
        assert_eq!(title("# [A](b)"), None);
    }
}
