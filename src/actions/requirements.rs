//! Files that list packages, read as if their lines stood on the command line.
use super::args::{Arg, Argv};
use super::named::normalise;
use super::pip::takes_value;
use super::{Surroundings, Text};
use crate::paths::join;
use crate::text::marker;
use crate::text::requirements::{Line, read};
use crate::value::{Site, Value};

/// What a command or a file that it names wants installed.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    /// The requirement.
    pub(super) value: Value,
    /// Where it stands, if not in the command.
    pub(super) at: Option<Site>,
    /// Whether it is installed depends on what is not known.
    pub(super) unsure: bool,
}

/// All that files of requirements and constraints say.
#[derive(Default)]
pub(super) struct Listed {
    /// The requirements.
    pub(super) wanted: Vec<Wanted>,
    /// Options other than `-r`, `-c` and `-e`.
    pub(super) options: Vec<(String, Option<Value>)>,
    /// What constraints say of a package.
    pub(super) constraints: Vec<(String, Value)>,
    /// Files that could not be read, by their paths in the image.
    pub(super) unread: Vec<String>,
    above: Vec<String>,
    seen: Vec<String>,
}

impl Listed {
    /// Reads a file, and those that it names.
    pub(super) fn read(&mut self, path: &str, constrains: bool, around: &Surroundings<'_>) {
        if self.above.iter().any(|above| above == path) {
            return (around.note)(format!("{path} names itself: it is read once"));
        }
        if self.seen.iter().any(|seen| seen == path) {
            return;
        }
        let Some(text) = (around.open)(path) else {
            if !constrains {
                self.unread.push(path.to_owned());
            }
            return;
        };
        self.seen.push(path.to_owned());
        self.above.push(path.to_owned());
        for line in read(&text.text) {
            self.line(&line, &text, path, constrains, around);
        }
        self.above.pop();
    }

    /// Reads lines that stand in the file at `path`.
    pub(super) fn lines(&mut self, text: &Text<'_>, path: &str, around: &Surroundings<'_>) {
        for line in read(&text.text) {
            self.line(&line, text, path, false, around);
        }
    }

    fn line(
        &mut self,
        line: &Line,
        text: &Text<'_>,
        path: &str,
        constrains: bool,
        around: &Surroundings<'_>,
    ) {
        match line {
            Line::Requirement {
                requirement,
                marker,
            } => {
                let marker = marker.and_then(|span| text.text.get(span.range()));
                let holds = marker.map_or(Some(true), |m| marker::holds(m, &environment));
                let value = text.value(*requirement);
                match holds {
                    Some(false) => {}
                    _ if constrains => self.constraints.extend(constraint(&value)),
                    _ => self.want(value, holds.is_none()),
                }
            }
            Line::Options(words) => {
                let words: Vec<Value> = words.iter().map(|word| text.value(*word)).collect();
                for arg in Argv::new(&words).parse(takes_value) {
                    self.option(arg, path, constrains, around);
                }
            }
        }
    }

    fn option(&mut self, arg: Arg, path: &str, constrains: bool, around: &Surroundings<'_>) {
        let Arg::Option(name, value) = arg else {
            return;
        };
        let folder = path.rsplit_once('/').map_or("/", |(folder, _)| folder);
        match (name.as_str(), value) {
            ("r" | "requirement", Some(file)) => {
                self.read(&join(folder, &file.sketch()), constrains, around);
            }
            ("c" | "constraint", Some(file)) => {
                self.read(&join(folder, &file.sketch()), true, around)
            }
            ("e" | "editable", Some(project)) => self.want(super::pip::as_path(&project), false),
            (_, value) => self.options.push((name, value)),
        }
    }

    fn want(&mut self, value: Value, unsure: bool) {
        let at = value.site();
        self.wanted.push(Wanted { value, at, unsure });
    }
}

/// `name==1.0` of a constraints file: the name, and what follows.
fn constraint(value: &Value) -> Option<(String, Value)> {
    let text = value.sketch();
    let end = text.find(['=', '<', '>', '!', '~'])?;
    Some((normalise(text[..end].trim()), value.slice_from(end)))
}

/// What is known of the place where a Dockerfile or a job for CUDA installs packages.
pub(super) fn environment(name: &str) -> Option<String> {
    let value = match name {
        "sys_platform" => "linux",
        "platform_system" => "Linux",
        "os_name" => "posix",
        "implementation_name" => "cpython",
        "platform_python_implementation" => "CPython",
        "extra" => "",
        _ => return None,
    };
    Some(value.to_owned())
}
