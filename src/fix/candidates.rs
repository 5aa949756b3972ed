//! What could mend a finding, the best first. Whether it does is found out by trying.
use super::anchor::Anchor;
use super::arguments;
use super::check::Comparison;
use super::meant::meant;
use super::suggested::{Form, Suggested};
use super::together::by_place;
use super::work::Work;
use crate::facts::{Build, Edit, Finding, Fix, Lost, LostWhy, Role};
use crate::rules::{FixAction, FixSpec, JudgeError};
use crate::span::Span;
use crate::text::dockerfile::Pair;

/// A finding that is to be mended.
pub(super) struct Case<'c> {
    pub(super) work: &'c Work<'c>,
    pub(super) finding: &'c Finding,
    pub(super) build: &'c Build,
    pub(super) spec: FixSpec,
}

impl Case<'_> {
    /// Whether edits mend the finding.
    pub(super) fn is_mended(&self, comparison: &Comparison<'_>) -> bool {
        let list = !matches!(self.spec.action, FixAction::SetSwitch | FixAction::UseDevel);
        comparison.is_mended(self.finding, self.build, list)
    }

    pub(super) fn candidates(&self) -> Result<Vec<Fix>, JudgeError> {
        let Some(anchor) = Anchor::of(self.work.text, self.work.file.as_ref(), self.build) else {
            return Ok(Vec::new());
        };
        // A list of the user's own is safe to write, and one for GPUs that the user named.
        let own = self.meant()?;
        let own = own.as_deref().and_then(Suggested::read);
        let wanted = Suggested::read(&self.build.suggest);
        let safe = self.spec.safe;
        let chosen = safe && self.work.fixer.chosen;
        let lists = [(own, safe), (wanted, chosen)];
        let lists = || {
            lists
                .iter()
                .filter_map(|(list, safe)| Some((list.as_ref()?, *safe)))
        };
        let mut fixes = Vec::new();
        match self.spec.action {
            FixAction::SetKnob => {
                for (list, safe) in lists() {
                    fixes.extend(self.replaced(&anchor, list).map(|edit| fix(false, [edit])));
                    fixes.extend(self.given(&anchor, list, false));
                    // flags beside those that are there would say two things
                    if list.form != Form::Flags || self.build.arch.text.is_empty() {
                        fixes.extend(inserted(&anchor, list).map(|edit| fix(safe, [edit])));
                    }
                }
            }
            FixAction::ReplaceValue => {
                for (list, safe) in lists() {
                    fixes.extend(self.replaced(&anchor, list).map(|edit| fix(safe, [edit])));
                    fixes.extend(self.given(&anchor, list, safe));
                }
            }
            FixAction::SetArgument => {
                for (list, safe) in lists().filter(|_| !self.finding.worlds.is_empty()) {
                    fixes.extend(self.given(&anchor, list, safe));
                }
            }
            FixAction::MoveSetting => {
                fixes.extend(
                    self.lost()
                        .into_iter()
                        .flat_map(|lost| moved(&anchor, lost, safe)),
                );
                for (list, safe) in lists() {
                    fixes.extend(inserted(&anchor, list).map(|edit| fix(safe, [edit])));
                }
            }
            FixAction::SetSwitch => {
                fixes.extend(
                    self.switched(&anchor)
                        .into_iter()
                        .map(|edit| fix(false, [edit])),
                );
            }
            FixAction::UseDevel => {
                fixes.extend(
                    self.devel(&anchor)
                        .into_iter()
                        .map(|edit| fix(false, [edit])),
                );
            }
        }
        Ok(fixes)
    }

    /// The line for the architectures that the list at fault, or the one that is not read, was meant to name.
    fn meant(&self) -> Result<Option<String>, JudgeError> {
        let list = match self.spec.action {
            FixAction::ReplaceValue => Some(&self.build.arch.text),
            FixAction::SetKnob | FixAction::MoveSetting => self.lost().map(|lost| &lost.text),
            FixAction::SetArgument | FixAction::SetSwitch | FixAction::UseDevel => None,
        };
        let Some(entries) = list.and_then(|list| meant(list)) else {
            return Ok(None);
        };
        self.work.line(self.build, &entries)
    }

    /// The setting that does not reach the build and that the finding is about.
    fn lost(&self) -> Option<&Lost> {
        let cause = self.finding.related.first();
        let cause = cause.filter(|related| related.role == Role::Cause)?;
        let mut lost = self.build.lost.iter();
        lost.find(|lost| (&lost.path, lost.span) == (&cause.path, cause.span))
    }

    /// Another list where one is written.
    fn replaced(&self, anchor: &Anchor, list: &Suggested) -> Option<Edit> {
        let set_at = self.build.arch.set_at.as_ref()?;
        let span = set_at
            .span
            .filter(|_| set_at.path == self.build.path)?
            .span();
        let written = self.work.text.get(span.range())?;
        let start = value_start(written, list.name());
        let old = written.get(start..)?;
        let new = match list.form {
            Form::Flags => return flags(anchor, span, written, list.list),
            _ => quoted_like(old, list.list, anchor.has_numbers())?,
        };
        Some(anchor.edit(span.start as usize + start, old.len(), new))
    }

    /// The list as the build argument that it comes from, at all who give that; where nobody does, as its default.
    fn given(&self, anchor: &Anchor, list: &Suggested, safe: bool) -> Vec<Fix> {
        let Some(file) = &self.work.file else {
            return Vec::new();
        };
        let arguments = arguments::arguments(file, &self.build.arch.knob, self.written());
        let fixes = arguments.into_iter().filter_map(|argument| {
            let edits = match &*self.finding.worlds {
                [] => vec![self.default(anchor, argument, list.list)?],
                worlds => {
                    let edits = worlds.iter().map(|world| match self.work.caller(world) {
                        Some((file, caller)) => {
                            arguments::given(file, caller, &argument.name, list.list)
                        }
                        None => Some(vec![self.default(anchor, argument, list.list)?]),
                    });
                    let edits: Option<Vec<Vec<Edit>>> = edits.collect();
                    edits?.concat()
                }
            };
            let mut fix = Fix { safe, edits };
            fix.edits.sort_by(by_place);
            fix.edits.dedup();
            Some(fix)
        });
        fixes.collect()
    }

    /// The list as the default of a build argument, which has another one.
    fn default(&self, anchor: &Anchor, argument: &Pair, list: &str) -> Option<Edit> {
        let span = argument.value.as_ref()?.span;
        let old = self.work.text.get(span.range())?;
        let new = quoted_like(old, list, false)?;
        Some(anchor.edit(span.start as usize, old.len(), new))
    }

    /// The setting with the list of the build.
    fn written(&self) -> &str {
        let set_at = self.build.arch.set_at.as_ref();
        let set_at = set_at.filter(|at| at.path == self.build.path);
        let span = set_at.and_then(|at| at.span);
        let written = span.and_then(|span| self.work.text.get(span.span().range()));
        written.unwrap_or_default()
    }

    /// The switch, where the command may find it.
    fn switched(&self, anchor: &Anchor) -> Vec<Edit> {
        let Some(switch) = &self.build.switch else {
            return Vec::new();
        };
        let (name, value) = (&switch.name, &switch.value);
        let edits = [
            anchor.line_before("ENV", &format!("{name}=\"{value}\"")),
            anchor.after_command(&format!("-D{name}={value}")),
            anchor.within_value("CMAKE_ARGS", &format!("-D{name}={value}")),
            anchor.line_before("ENV", &format!("CMAKE_ARGS=\"-D{name}={value}\"")),
            anchor.set_before_command(name, value),
        ];
        edits.into_iter().flatten().collect()
    }

    /// The base image with a compiler, in place of the nearest one above that has none.
    fn devel(&self, anchor: &Anchor) -> Vec<Edit> {
        let images = self.work.judged.images.iter().rev();
        let above = images.filter(|image| {
            image.path == self.build.path && image.span.offset < self.build.span.offset
        });
        let edits = above.filter_map(|image| {
            let span = image.span.span();
            let written = self.work.text.get(span.range())?;
            let (at, kind) = ["-runtime", "-base"]
                .iter()
                .find_map(|kind| Some((written.find(kind)?, kind)))?;
            let new = "-devel".to_owned();
            Some(anchor.edit(span.start as usize + at, kind.len(), new))
        });
        edits.collect()
    }
}

fn fix<const N: usize>(safe: bool, edits: [Edit; N]) -> Fix {
    Fix {
        safe,
        edits: edits.into(),
    }
}

/// A list where there is none: a line before the instruction, words of the command.
fn inserted(anchor: &Anchor, list: &Suggested) -> impl Iterator<Item = Edit> {
    let text = list.list;
    let edits = match list.form {
        Form::Env(name) => [
            anchor.line_before("ENV", &format!("{name}=\"{text}\"")),
            anchor.set_before_command(name, text),
            None,
        ],
        Form::CmakeArgs(name) => [
            anchor.within_value("CMAKE_ARGS", &format!("-D{name}={text}")),
            anchor.line_before("ENV", &format!("CMAKE_ARGS=\"-D{name}={text}\"")),
            anchor.set_before_command("CMAKE_ARGS", &format!("-D{name}={text}")),
        ],
        Form::Word(_, word) => [anchor.after_command(word), None, None],
        Form::Flags => [anchor.after_command(text), None, None],
    };
    edits.into_iter().flatten()
}

/// A setting that does not arrive, where it does.
fn moved(anchor: &Anchor, lost: &Lost, safe: bool) -> Vec<Fix> {
    let Lost {
        name, text, span, ..
    } = lost;
    let setting = format!("{name}=\"{text}\"");
    let line = || anchor.line_before("ENV", &setting);
    let mut fixes = Vec::new();
    match lost.why {
        LostWhy::GlobalArg => {
            fixes.extend(
                anchor
                    .line_before("ARG", name)
                    .map(|edit| fix(safe, [edit])),
            );
        }
        LostWhy::Late => {
            let both = line().zip(anchor.without(span.span()));
            fixes.extend(both.map(|(new, old)| fix(false, [new, old])));
        }
        _ => {}
    }
    // what is not plain text means something else elsewhere
    if !text.contains(['$', '"', '\\', '`', '\n']) {
        fixes.extend(line().map(|edit| fix(safe, [edit])));
        fixes.extend(
            anchor
                .set_before_command(name, text)
                .map(|edit| fix(safe, [edit])),
        );
    }
    fixes
}

/// Where the value starts in `NAME=value`, `NAME value`, `-DNAME=value`, `-DNAME:STRING=value`, `"NAME": value`, or a value alone.
fn value_start(written: &str, name: &str) -> usize {
    if let Some(start) = value_of_quoted(written, name) {
        return start;
    }
    let bare = written.strip_prefix("-D").unwrap_or(written);
    let Some(rest) = bare.strip_prefix(name).filter(|_| !name.is_empty()) else {
        return 0;
    };
    let start = written.len() - rest.len();
    match rest.find(['=', ' ']) {
        Some(at) if at == 0 || rest.starts_with(':') => start + at + 1,
        _ => 0,
    }
}

/// Where the value starts behind a name in quotes, as JSON has it.
fn value_of_quoted(written: &str, name: &str) -> Option<usize> {
    let quote = written.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let rest = written[1..].strip_prefix(name)?.strip_prefix(quote)?;
    let value = rest.trim_start().strip_prefix(':')?.trim_start();
    Some(written.len() - value.len())
}

/// The new value in the quotes of the old one, with some where it needs them or `always`; `None` where the old one is not plain
/// text.
fn quoted_like(old: &str, new: &str, always: bool) -> Option<String> {
    if old.contains(['$', '\\', '`']) {
        return None;
    }
    let quote = old.chars().next().filter(|c| matches!(c, '"' | '\''));
    match quote {
        Some(quote) if old.len() > 1 && old.ends_with(quote) => {
            Some(format!("{quote}{new}{quote}"))
        }
        Some(_) => None,
        None if always || new.contains([';', ' ', '&', '|']) => Some(format!("\"{new}\"")),
        None => Some(new.to_owned()),
    }
}

/// Flags in place of the only one that names an architecture.
fn flags(anchor: &Anchor, span: Span, written: &str, new: &str) -> Option<Edit> {
    let names = |word: &&str| {
        let starts = [
            "-arch=",
            "--gpu-architecture=",
            "-gencode=",
            "--generate-code=",
        ];
        starts.iter().any(|start| word.starts_with(start))
    };
    let mut words = written.split_whitespace().filter(names);
    let word = words.next().filter(|_| words.next().is_none())?;
    let at = written.find(word)?;
    Some(anchor.edit(span.start as usize + at, word.len(), new.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_and_keep_their_quotes() {
        for (written, name, expected) in [
            ("A=\"8.0\"", "A", "\"8.0\""),
            ("A 8.0", "A", "8.0"),
            ("-DB=native", "B", "native"),
            ("-DB:STRING=native", "B", "native"),
            ("AB=8.0", "A", "AB=8.0"),
            ("8.0", "A", "8.0"),
            ("\"A\": \"8.0\"", "A", "\"8.0\""),
            ("\"A\":\"8.0 9.0\"", "A", "\"8.0 9.0\""),
            ("'A': 8.0", "A", "8.0"),
            ("\"8.0\"", "A", "\"8.0\""),
        ] {
            assert_eq!(
                &written[value_start(written, name)..],
                expected,
                "{written}"
            );
        }
        let number = quoted_like("8.0", "9.0", true);
        assert_eq!(number.as_deref(), Some("\"9.0\""));
        for (old, new, expected) in [
            ("\"8.0,9.0\"", "8.0;9.0", Some("\"8.0;9.0\"")),
            ("'8.0'", "9.0", Some("'9.0'")),
            ("8.0", "8.0;9.0", Some("\"8.0;9.0\"")),
            ("80", "90", Some("90")),
            ("$A", "90", None),
            ("\"", "90", None),
        ] {
            assert_eq!(quoted_like(old, new, false).as_deref(), expected, "{old}");
        }
    }
}
