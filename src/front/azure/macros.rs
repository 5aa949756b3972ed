//! `$(NAME)`, which Azure Pipelines fills in before a step runs, and `##vso[task.setvariable …]`, by which a step leaves a
//! variable for those after it: both in the forms that other formats have for them.
use super::VARIABLES;
use crate::front::document::ENV_FILE;
use crate::front::node;
use crate::text::mapped::Mapped;
use crate::text::template;
use crate::text::word::Word;
use crate::text::yaml::Node;

/// Commands that a shell may run in `$(…)`, and no variables.
const COMMANDS: [&str; 2] = ["pwd", "nvidia-smi"];

/// A scalar as one word.
pub(super) fn word(node: &Node) -> Word {
    node::word(node, text)
}

/// A text as one word.
pub(super) fn text(text: &Mapped) -> Word {
    let whole = text.text();
    if whole.trim_start().starts_with("$[") {
        let span = text.span(0, whole.len());
        return Word::opaque(whole.to_owned(), span);
    }
    template::word(&filled(text))
}

/// A script.
pub(super) fn script(text: &Mapped) -> Mapped {
    filled(&left_for_later(text))
}

/// The text with `$(NAME)` as an expression.
fn filled(text: &Mapped) -> Mapped {
    let is_ours = |name: &str| is_name(name) && !COMMANDS.contains(&name);
    let variable = |name: &str| is_ours(name).then(|| format!("{VARIABLES}{name}"));
    template::filled(text, "$(", ")", variable)
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
    use crate::text::word::Part;

    #[test]
    fn scripts() {
        for (text, expected) in [
            (
                "a $(LIST) $(pwd) $(ls -l)",
                "a ${{ variables.LIST }} $(pwd) $(ls -l)",
            ),
            (
                "$(Build.SourcesDirectory)/x",
                "${{ variables.Build.SourcesDirectory }}/x",
            ),
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
            let script = script(&Mapped::verbatim(text, 5));
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
            let word = super::text(&Mapped::verbatim(text, 0));
            let part = |part: &Part| match part {
                Part::Literal { text, .. } => text.clone(),
                _ => "?".to_owned(),
            };
            assert_eq!(word.parts.iter().map(part).collect::<String>(), expected);
        }
    }
}
