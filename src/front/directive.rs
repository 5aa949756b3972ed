//! Comments that are addressed to this tool: `# kimg-lint: ignore[KIMG101] reason`.
use crate::date::Date;
use crate::span::Span;

/// A comment that is addressed to this tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    /// What it says.
    pub says: Says,
    /// The comment.
    pub span: Span,
    /// The instruction that holds it, or else follows it.
    pub instruction: Option<Span>,
    /// The stage of that instruction; of the last one at the end of the file.
    pub stage: Span,
}

/// What a comment says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Says {
    /// Findings are not to be counted.
    Ignore {
        /// How far it reaches.
        reach: Reach,
        /// Codes or names, each with its place.
        rules: Vec<(String, Span)>,
        /// Why.
        reason: String,
        /// The last day on which it holds.
        until: Option<Date>,
    },
    /// The next instruction builds this: the id of a builder record, and its place.
    Builds(String, Span),
    /// It cannot be understood, for this reason.
    Malformed(&'static str),
}

/// How far a suppression reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The instruction that it stands in, or the next one.
    Instruction,
    /// The stage of that instruction.
    Stage,
    /// The file.
    File,
}

const MARK: &str = "kimg-lint:";
const FORMS: &str = "write ignore[CODE], ignore-stage[CODE], ignore-file[CODE] or builds NAME";

/// Reads the comment at `span` (from its `#` or `//` on); `None` if it is not addressed to this tool. What it covers is the format's
/// affair, and left open.
pub fn read(source: &str, span: Span) -> Option<Directive> {
    let comment = source.get(span.range())?;
    let text = comment.trim_start_matches(['#', '/']).trim_start();
    let rest = text.strip_prefix(MARK)?.trim();
    let start = offset(source, rest);
    Some(Directive {
        says: says(rest, start).unwrap_or_else(Says::Malformed),
        span,
        instruction: None,
        stage: Span::default(),
    })
}

/// The comments of a file in which a line that begins with `#` is one, and a line goes on behind a backslash: shell scripts,
/// Makefiles, lists of packages. Such a file is one stage.
pub fn of_lines(source: &str) -> Vec<Directive> {
    if !source.contains(MARK) {
        return Vec::new();
    }
    let mut directives: Vec<Directive> = Vec::new();
    let (mut start, mut open): (usize, Option<usize>) = (0, None);
    for line in source.split_inclusive('\n') {
        let from = start + (line.len() - line.trim_start().len());
        start += line.len();
        let text = line.trim();
        let end = from + text.len();
        if text.is_empty() {
            continue;
        }
        if open.is_none() && text.starts_with('#') {
            directives.extend(read(source, Span::new(from, end)));
            continue;
        }
        let first = *open.get_or_insert(from);
        for directive in directives.iter_mut().filter(|d| d.instruction.is_none()) {
            directive.instruction = Some(Span::new(first, end));
        }
        if text.ends_with('\\') {
            let still_open = |d: &&mut Directive| d.instruction == Some(Span::new(first, end));
            directives
                .iter_mut()
                .filter(still_open)
                .for_each(|d| d.instruction = None);
        } else {
            open = None;
        }
    }
    for directive in &mut directives {
        directive.stage = Span::new(0, source.len());
    }
    directives
}

/// Where `part`, a slice of `whole`, begins.
fn offset(whole: &str, part: &str) -> usize {
    part.as_ptr() as usize - whole.as_ptr() as usize
}

/// Reads what follows the mark; `start` is its offset in the file.
fn says(text: &str, start: usize) -> Result<Says, &'static str> {
    let at = |part: &str| {
        let from = start + offset(text, part);
        Span::new(from, from + part.len())
    };
    let end = text
        .find(|c: char| c == '[' || c.is_whitespace())
        .unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let reach = match word {
        "ignore" => Reach::Instruction,
        "ignore-stage" => Reach::Stage,
        "ignore-file" => Reach::File,
        "builds" => {
            let mut words = rest.split_whitespace();
            let name = words.next().ok_or("the id of a builder is expected")?;
            return Ok(Says::Builds(name.to_owned(), at(name)));
        }
        _ => return Err(FORMS),
    };
    let inner = rest
        .strip_prefix('[')
        .ok_or("the rules are expected in brackets: ignore[CODE]")?;
    let (inner, reason) = inner.split_once(']').ok_or("the bracket is never closed")?;
    let words = inner.split(',').map(str::trim);
    let rules: Vec<(String, Span)> = words
        .filter(|word| !word.is_empty())
        .map(|word| (word.to_owned(), at(word)))
        .collect();
    if rules.is_empty() {
        return Err("no rule stands between the brackets");
    }
    let (reason, until) = reason_and_day(reason)?;
    Ok(Says::Ignore {
        reach,
        rules,
        reason,
        until,
    })
}

/// The reason without the word `until=2027-03-01`, which may stand anywhere in it.
fn reason_and_day(text: &str) -> Result<(String, Option<Date>), &'static str> {
    let mut until = None;
    let mut reason = Vec::new();
    for word in text.split_whitespace() {
        match word.strip_prefix("until=") {
            Some(day) => {
                let day = day
                    .parse()
                    .map_err(|_| "until= takes a day such as 2027-03-01")?;
                until = Some(day);
            }
            None => reason.push(word),
        }
    }
    Ok((reason.join(" "), until))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The comment in short, as it was understood.
    fn read_text(comment: &str) -> String {
        let source = format!("é\n{comment}\nRUN x\n");
        let span = Span::new("é\n".len(), "é\n".len() + comment.len());
        let Some(directive) = read(&source, span) else {
            return "none".to_owned();
        };
        match directive.says {
            Says::Ignore {
                reach,
                rules,
                reason,
                until,
            } => {
                for (word, at) in &rules {
                    assert_eq!(&source[at.range()], word);
                }
                let words: Vec<_> = rules.into_iter().map(|(word, _)| word).collect();
                let until = until.map(|day| day.to_string()).unwrap_or_default();
                format!("{reach:?} {} ({reason}) {until}", words.join("+"))
            }
            Says::Builds(name, at) => {
                assert_eq!(source[at.range()], name);
                format!("builds {name}")
            }
            Says::Malformed(why) => why.to_owned(),
        }
    }

    #[test]
    fn comments_are_understood() {
        for (comment, expected) in [
            ("# kimg-lint: ignore[KIMG101]", "Instruction KIMG101 () "),
            (
                "#kimg-lint:ignore[KIMG101, arch-list-late] because",
                "Instruction KIMG101+arch-list-late (because) ",
            ),
            (
                "# kimg-lint: ignore-stage[101] until=2027-03-01 only the A100 builder",
                "Stage 101 (only the A100 builder) 2027-03-01",
            ),
            (
                "## kimg-lint: ignore-file[KIMG204] size matters until=2027-03-01 more",
                "File KIMG204 (size matters more) 2027-03-01",
            ),
            ("# kimg-lint: builds torch-ext", "builds torch-ext"),
            ("# kimg-lint: builds torch-ext for us", "builds torch-ext"),
            ("# kimg-lint is a tool", "none"),
            ("# see kimg-lint: ignore[KIMG101]", "none"),
            ("# hadolint ignore=DL3008", "none"),
            ("#", "none"),
            ("# kimg-lint:", FORMS),
            ("# kimg-lint: ingore[KIMG101]", FORMS),
            (
                "# kimg-lint: ignore KIMG101",
                "the rules are expected in brackets: ignore[CODE]",
            ),
            ("# kimg-lint: ignore[KIMG101", "the bracket is never closed"),
            (
                "# kimg-lint: ignore[ , ] all",
                "no rule stands between the brackets",
            ),
            (
                "# kimg-lint: ignore[KIMG101] until=March",
                "until= takes a day such as 2027-03-01",
            ),
            ("# kimg-lint: builds", "the id of a builder is expected"),
        ] {
            assert_eq!(read_text(comment), expected, "{comment}");
        }
    }
}
