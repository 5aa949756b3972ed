//! `$(NAME)`, which Azure Pipelines fills in before a step runs, and `##vso[task.setvariable …]`, by which a step leaves a
//! variable for those after it: both in the forms that other formats have for them.
use crate::front::document::ENV_FILE;
use crate::front::node;
use crate::text::mapped::Mapped;
use crate::text::template;
use crate::text::word::{Part, Word};
use crate::text::yaml::Node;
use std::collections::BTreeSet;

/// What the variables of one job are called, in lower case.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// Those that `variables:` and the matrix declare.
    pub(super) declared: BTreeSet<String>,
    /// Those that steps leave for later ones.
    pub(super) left: BTreeSet<String>,
}

impl Names {
    /// A scalar as one word.
    pub(super) fn word(&self, node: &Node) -> Word {
        node::word(node, |text| self.text(text))
    }

    /// A text as one word.
    pub(super) fn text(&self, text: &Mapped) -> Word {
        let whole = text.text();
        if whole.trim_start().starts_with("$[") {
            let span = text.span(0, whole.len());
            return Word {
                parts: vec![Part::Opaque {
                    text: whole.to_owned(),
                    quoted: true,
                    span,
                }],
                quoted: true,
                span,
            };
        }
        template::word(&self.filled(text, |_| true))
    }

    /// A script; `$(name)` of no known variable is a command of the shell.
    pub(super) fn script(&self, text: &Mapped) -> Mapped {
        let text = left_for_later(text);
        let is_ours = |name: &str| {
            let name = name.to_ascii_lowercase();
            name.contains('.') || self.declared.contains(&name) || self.left.contains(&name)
        };
        self.filled(&text, is_ours)
    }

    /// The text with `$(NAME)` as an expression.
    fn filled(&self, text: &Mapped, is_ours: impl Fn(&str) -> bool) -> Mapped {
        let source = text.text();
        let mut out = Mapped::default();
        let mut done = 0;
        let mut at = 0;
        while let Some(found) = source.get(at..).and_then(|rest| rest.find("$(")) {
            let start = at + found;
            at = start + 2;
            let inner = source.get(at..).and_then(|rest| rest.split_once(')'));
            let Some((name, _)) = inner.filter(|(name, _)| is_name(name) && is_ours(name)) else {
                continue;
            };
            out.append(text, done..start);
            // what a step left is in the environment of the next ones
            let expression = if self.left.contains(&name.to_ascii_lowercase()) {
                format!("${{{{ env.{} }}}}", in_environment(name))
            } else {
                format!("${{{{ variables.{name} }}}}")
            };
            out.push_all_from(&expression, text.origin(start));
            at += name.len() + 1;
            done = at;
        }
        out.append(text, done..source.len());
        out
    }
}

/// What a variable is called in the environment of steps.
pub(super) fn in_environment(name: &str) -> String {
    name.to_ascii_uppercase().replace(['.', ' ', '-'], "_")
}

fn is_name(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(is_part)
}

const MARK: &str = "##vso[task.setvariable ";

/// A place that leaves a variable for later steps: the variable, and the bytes of the mark.
struct Left<'t> {
    name: &'t str,
    start: usize,
    end: usize,
}

/// The places of a text that leave variables to the environment of later steps. Secrets and outputs are not among those.
fn places(text: &str) -> impl Iterator<Item = Left<'_>> {
    let lower = text.to_ascii_lowercase();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + lower.get(at..)?.find(MARK)?;
            let from = start + MARK.len();
            let length = lower.get(from..)?.find(']')?;
            at = from + length + 1;
            let properties = || text.get(from..from + length).unwrap_or_default().split(';');
            let get = |key: &str| {
                let mut pairs = properties().filter_map(|pair| pair.split_once('='));
                pairs
                    .find(|(name, _)| name.trim().eq_ignore_ascii_case(key))
                    .map(|(_, value)| value.trim())
            };
            let is = |key: &str| get(key).is_some_and(|value| value.eq_ignore_ascii_case("true"));
            if let Some(name) = get("variable").filter(|name| is_name(name))
                && !is("isoutput")
                && !is("issecret")
            {
                return Some(Left {
                    name,
                    start,
                    end: at,
                });
            }
        }
    })
}

/// The variables, in lower case, that the steps in a text leave for later ones.
pub(super) fn names_left(text: &str) -> BTreeSet<String> {
    places(text)
        .map(|left| left.name.to_ascii_lowercase())
        .collect()
}

/// `echo "##vso[task.setvariable variable=A]b"` as `echo "A=b" >> file`, with the file that jobs have for this.
fn left_for_later(text: &Mapped) -> Mapped {
    let source = text.text();
    let mut out = Mapped::default();
    let mut done = 0;
    for left in places(source) {
        if left.start < done {
            continue;
        }
        let quote = source[..left.start].chars().next_back();
        let end = value_end(source, left.end, quote);
        out.append(text, done..left.start);
        let name = format!("{}=", in_environment(left.name));
        out.push_all_from(&name, text.origin(left.start));
        out.append(text, left.end..end);
        out.push_all_from(&format!(" >> {ENV_FILE}"), text.origin(end));
        done = end;
    }
    out.append(text, done..source.len());
    out
}

/// Where the word ends that a value stands in: after its quote, or before what ends a bare word.
fn value_end(source: &str, from: usize, quote: Option<char>) -> usize {
    let rest = source.get(from..).unwrap_or_default();
    let quote = quote.filter(|c| matches!(c, '"' | '\''));
    let length = match quote {
        Some(quote) => rest.find(quote).map(|at| at + 1),
        None => rest.find(|c: char| c.is_whitespace() || matches!(c, ';' | '&' | '|' | ')')),
    };
    from + length.unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts() {
        let names = Names {
            declared: BTreeSet::from(["list".to_owned()]),
            left: BTreeSet::from(["cuda.home".to_owned()]),
        };
        for (text, expected) in [
            (
                "a $(LIST) $(pwd) $(ls -l)",
                "a ${{ variables.LIST }} $(pwd) $(ls -l)",
            ),
            (
                "$(Build.SourcesDirectory)/x",
                "${{ variables.Build.SourcesDirectory }}/x",
            ),
            ("$(cuda.home)", "${{ env.CUDA_HOME }}"),
            ("$(LIST", "$(LIST"),
            ("$($(LIST))", "$(${{ variables.LIST }})"),
            (
                "echo \"##vso[task.setvariable variable=A.b]8.0;9.0\"; x",
                "echo \"A_B=8.0;9.0\" >> /.job/env; x",
            ),
            (
                "echo ##vso[task.setVariable isSecret=false;variable=A]$B",
                "echo A=$B >> /.job/env",
            ),
            (
                "echo '##vso[task.setvariable variable=A;isOutput=true]1'",
                "echo '##vso[task.setvariable variable=A;isOutput=true]1'",
            ),
            (
                "echo \"##vso[task.setvariable variable=A]1",
                "echo \"A=1 >> /.job/env",
            ),
            ("##vso[task.setvariable ", "##vso[task.setvariable "),
            ("é$(LIST)é", "é${{ variables.LIST }}é"),
        ] {
            let script = names.script(&Mapped::verbatim(text, 5));
            assert_eq!(script.text(), expected, "{text}");
        }
    }

    #[test]
    fn values() {
        for (text, expected) in [
            ("$(X)-$(Y z)", "?-$(Y z)"),
            ("$[ variables.X ]", "?"),
            ("a", "a"),
        ] {
            let word = Names::default().text(&Mapped::verbatim(text, 0));
            let part = |part: &Part| match part {
                Part::Literal { text, .. } => text.clone(),
                _ => "?".to_owned(),
            };
            assert_eq!(word.parts.iter().map(part).collect::<String>(), expected);
        }
    }
}
