//! Lists of numbers: `80;90a` and `8.0,9.0`, and single ones.
use super::super::capability::{Image, Target};
use super::{Consumer, Parsed, Token, special, split};

/// How a consumer writes a capability.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// `86`
    Undotted,
    /// `8.6`
    Dotted,
}

impl Spelling {
    fn target(self, text: &str) -> Option<Target> {
        match self {
            Self::Undotted => Target::from_undotted(text),
            Self::Dotted => built_from(text),
        }
    }
}

pub(super) fn list(
    text: &str,
    separators: &str,
    spelling: Spelling,
    consumer: &Consumer<'_>,
    parsed: &mut Parsed,
) {
    for token in split::words(text, |c| separators.contains(c)) {
        read(token, spelling, consumer, parsed);
    }
}

/// A consumer that takes one target: the whole text is the token.
pub(super) fn one(text: &str, spelling: Spelling, consumer: &Consumer<'_>, parsed: &mut Parsed) {
    for token in split::words(text, |_| false) {
        read(token, spelling, consumer, parsed);
    }
}

fn read(token: Token, spelling: Spelling, consumer: &Consumer<'_>, parsed: &mut Parsed) {
    parsed.tokens.push(token.clone());
    if let Some(images) = images(&token.text, spelling) {
        parsed.embed_known(token, images, consumer);
    } else if let Some(special) = special::any_case(&token.text) {
        parsed.specials.push((special, token));
    } else {
        let reason = hint(&token.text, spelling)
            .unwrap_or_else(|| format!("`{}` is not an architecture", token.text));
        parsed.fault(consumer.unknown, token, reason);
    }
}

/// An entry of a list that a table holds: `80` is machine code, `90-virtual` PTX, `120+PTX` both.
pub fn fixed(entry: &str) -> Option<Vec<Image>> {
    images(entry, Spelling::Undotted)
}

/// `80`, `80-real`, `80-virtual`, `80+PTX`.
pub(super) fn images(word: &str, spelling: Spelling) -> Option<Vec<Image>> {
    let target = |number| spelling.target(number);
    if let Some(number) = word.strip_suffix("+PTX") {
        let target = target(number)?;
        return Some(vec![Image::sass(target), Image::ptx(target)]);
    }
    if let Some(number) = word.strip_suffix("-virtual") {
        return Some(vec![Image::ptx(target(number)?)]);
    }
    let number = word.strip_suffix("-real").unwrap_or(word);
    Some(vec![Image::sass(target(number)?)])
}

/// `8.6`, also `8.6(8.0)`: machine code for the first, built from the PTX of the second.
pub(super) fn built_from(text: &str) -> Option<Target> {
    match text.strip_suffix(')') {
        Some(text) => {
            let (code, from) = text.split_once('(')?;
            Target::from_dotted(from)?;
            Target::from_dotted(code)
        }
        None => Target::from_dotted(text),
    }
}

/// What the writer of a token that is not in `spelling` may have meant.
pub(super) fn hint(token: &str, spelling: Spelling) -> Option<String> {
    if token.contains(',') {
        return Some("a comma does not separate".to_owned());
    }
    if token.contains(char::is_whitespace) {
        return Some("a space does not separate".to_owned());
    }
    if token.contains(';') {
        return Some("a semicolon does not separate".to_owned());
    }
    let number = token
        .strip_prefix("sm_")
        .or_else(|| token.strip_prefix("compute_"))
        .unwrap_or(token);
    let target = Target::from_undotted(number).or_else(|| Target::from_dotted(number))?;
    let written = match spelling {
        Spelling::Undotted => target.undotted(),
        Spelling::Dotted => target.dotted(),
    };
    Some(format!("it is written {written}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::arch_list::{FaultKind, Special, parse};

    fn read(syntax: &str, text: &str) -> Parsed {
        parse(syntax.parse().unwrap(), text, &Consumer::default())
    }

    #[test]
    fn numbers() {
        for (syntax, text, expected) in [
            ("undotted(;)", "80;90a", "sm_80 sm_90a"),
            ("undotted(;)", "80; 90 ;", "sm_80 sm_90"),
            ("undotted(,)", "80,90", "sm_80 sm_90"),
            ("undotted( )", "80  90", "sm_80 sm_90"),
            ("undotted(;,)", "80;86,90", "sm_80 sm_86 sm_90"),
            ("undotted(;)", "80-real;90-virtual", "sm_80 compute_90"),
            ("undotted(;)", "80+PTX", "sm_80 compute_80"),
            ("dotted(,)", "8.0,9.0+PTX", "sm_80 sm_90 compute_90"),
            ("dotted(;)", "8.6(8.0)", "sm_86"),
            ("one-undotted", "86", "sm_86"),
            ("one-dotted", " 8.6", "sm_86"),
            ("undotted(;)", "", ""),
        ] {
            let parsed = read(syntax, text);
            let names: Vec<_> = parsed.images.iter().map(Image::to_string).collect();
            assert_eq!(names.join(" "), expected, "{syntax} {text}");
            assert_eq!(parsed.faults, [], "{syntax} {text}");
        }
    }

    #[test]
    fn faults() {
        for (syntax, text, token, part) in [
            ("undotted(;)", "80;8.6", "8.6", "written 86"),
            ("undotted(;)", "sm_80", "sm_80", "written 80"),
            ("undotted(;)", "80,86", "80,86", "comma"),
            ("undotted(;)", "80 86", "80 86", "space"),
            ("dotted(,)", "8.0;8.6", "8.0;8.6", "semicolon"),
            ("dotted(,)", "8.0,86", "86", "written 8.6"),
            ("one-undotted", "80;86", "80;86", "semicolon"),
            ("one-undotted", "8.6", "8.6", "written 86"),
            ("undotted(;)", "hopper", "hopper", "not an architecture"),
        ] {
            let faults = read(syntax, text).faults;
            assert_eq!(faults.len(), 1, "{text}");
            assert_eq!(faults[0].token.text, token);
            assert!(faults[0].reason.contains(part), "{}", faults[0].reason);
        }
    }

    #[test]
    fn words_stand_for_images() {
        for (text, special) in [
            ("native", Special::Native),
            ("Auto", Special::Auto),
            ("ALL", Special::All),
            ("all-major", Special::AllMajor),
        ] {
            assert_eq!(read("undotted(;)", text).specials[0].0, special);
        }
    }

    #[test]
    fn a_consumer_may_know_some_targets_only() {
        let known = ["80", "90"].map(|text| text.parse().unwrap());
        let consumer = Consumer {
            known: Some(&known),
            unknown: FaultKind::Dropped,
            ..Consumer::default()
        };
        let parsed = parse("undotted(;)".parse().unwrap(), "80;86", &consumer);
        assert_eq!(parsed.images.len(), 1);
        assert_eq!(parsed.faults[0].kind, FaultKind::Dropped);
        assert_eq!(parsed.faults[0].token.text, "86");
    }

    #[test]
    fn entries_of_tables() {
        for (entry, expected) in [
            ("80", "sm_80"),
            ("120+PTX", "sm_120 compute_120"),
            ("90-virtual", "compute_90"),
        ] {
            let images = fixed(entry).unwrap();
            let names: Vec<_> = images.iter().map(Image::to_string).collect();
            assert_eq!(names.join(" "), expected);
        }
        assert_eq!(fixed("all"), None);
    }
}
