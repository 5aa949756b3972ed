//! `TORCH_CUDA_ARCH_LIST` as `torch.utils.cpp_extension` reads it.
use super::super::capability::{Image, Target};
use super::super::tables::{TORCH_PARSERS, TorchParser};
use super::super::version::Version;
use super::{Parsed, Special, Token, split};

pub(super) fn parse(text: &str, torch: Option<Version>, parsed: &mut Parsed) {
    // An empty variable counts as unset.
    if text.is_empty() {
        return;
    }
    let readers = Readers::of(torch);
    if text == "native" && readers.rows.iter().any(|row| row.native) {
        let token = Token {
            text: text.to_owned(),
            range: 0..text.len(),
        };
        parsed.specials.push((Special::Native, token.clone()));
        parsed.tokens.push(token);
        return;
    }
    for token in split::pieces(text, |c| matches!(c, ' ' | ';')) {
        parsed.tokens.push(token.clone());
        match readers.read(&token.text) {
            Some(images) => parsed.embed(images),
            None => {
                let reason = reason(&token.text, torch);
                parsed.reject(token, reason);
            }
        }
    }
}

/// The targets that this torch takes, for suggestions: where it lies between two measured releases, those that both take;
/// where it is not known, those of the newest.
pub fn known_targets(torch: Option<Version>) -> Vec<Target> {
    let rows = torch.map_or(TORCH_PARSERS, |torch| Readers::of(Some(torch)).rows);
    let Some((newest, others)) = rows.split_last() else {
        return Vec::new();
    };
    let taken =
        |target: &Target| torch.is_none() || others.iter().all(|row| row.targets.contains(target));
    newest.targets.iter().copied().filter(taken).collect()
}

/// The parsers that may be at work: one where the release was measured, two around one that was not, all if it is not known.
struct Readers {
    rows: &'static [TorchParser],
    /// The release is newer than any that was measured, and may know more.
    open: bool,
}

impl Readers {
    fn of(torch: Option<Version>) -> Self {
        let Some(torch) = torch else {
            return Self {
                rows: TORCH_PARSERS,
                open: false,
            };
        };
        let release = (torch.major, torch.minor);
        let minor = |version: Version| (version.major, version.minor);
        let after = TORCH_PARSERS.partition_point(|row| minor(row.from) <= release);
        let before = TORCH_PARSERS.partition_point(|row| minor(row.to) < release);
        // `before..after` is the one row that spans the release, or empty between two.
        let rows = if before < after {
            before..after
        } else {
            before.saturating_sub(1)..(after + 1).min(TORCH_PARSERS.len())
        };
        Self {
            rows: TORCH_PARSERS.get(rows).unwrap_or_default(),
            open: before == TORCH_PARSERS.len(),
        }
    }

    /// The images of a piece, as the newest parser that takes it reads it.
    fn read(&self, piece: &str) -> Option<Vec<Image>> {
        let known = self.rows.iter().rev().find_map(|row| {
            let mut text = piece.to_owned();
            for (name, meaning) in row.names {
                text = text.replace(name.as_str(), meaning);
            }
            text.split(';')
                .map(|part| {
                    let (images, target) = images(part)?;
                    row.targets.contains(&target).then_some(images)
                })
                .collect::<Option<Vec<_>>>()
        });
        let newer = || {
            let (images, _) = images(piece).filter(|_| self.open)?;
            Some(vec![images])
        };
        Some(known.or_else(newer)?.concat())
    }
}

/// `9.0`: machine code; `9.0+PTX`: PTX too.
fn images(part: &str) -> Option<(Vec<Image>, Target)> {
    let (number, ptx) = match part.strip_suffix("+PTX") {
        Some(number) => (number, true),
        None => (part, false),
    };
    // The comparison is of text: 08.0 is not 8.0.
    let target = Target::from_dotted(number).filter(|target| target.dotted() == number)?;
    let mut images = vec![Image::sass(target)];
    images.extend(ptx.then(|| Image::ptx(target)));
    Some((images, target))
}

fn reason(piece: &str, torch: Option<Version>) -> String {
    let error = format!("torch stops with `Unknown CUDA arch ({piece}) or GPU not supported`");
    let number = piece.strip_suffix("+PTX").unwrap_or(piece);
    let undotted = number
        .strip_prefix("sm_")
        .or_else(|| number.strip_prefix("compute_"))
        .unwrap_or(number);
    let hint = if piece.is_empty() {
        "two separators in a row, or one at an end, make an empty entry".to_owned()
    } else if piece.contains(',') {
        "a comma does not separate; a semicolon or a space does".to_owned()
    } else if let Some(target) = Target::from_undotted(undotted) {
        format!("it is written {}", target.dotted())
    } else if images(piece).is_some() {
        match torch {
            Some(torch) => format!("torch {}.{} does not know it", torch.major, torch.minor),
            None => "no release of torch knows it".to_owned(),
        }
    } else {
        return error;
    };
    format!("{error}: {hint}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::arch_list::{Consumer, Syntax, parse};

    /// Images, or the tokens at fault.
    fn read(text: &str, torch: &str) -> Result<String, Vec<(String, usize, usize)>> {
        let consumer = Consumer {
            torch: torch.parse().ok(),
            ..Consumer::default()
        };
        let parsed = parse(Syntax::Torch, text, &consumer);
        if parsed.faults.is_empty() {
            let images: Vec<_> = parsed.images.iter().map(Image::to_string).collect();
            return Ok(images.join(" "));
        }
        let faults = parsed.faults.into_iter();
        Err(faults
            .map(|f| (f.token.text, f.token.range.start, f.token.range.end))
            .collect())
    }

    #[test]
    fn separators_are_exact() {
        let fault = |text: &str, start, end| Err(vec![(text.to_owned(), start, end)]);
        for (text, expected) in [
            ("8.0 8.6", Ok("sm_80 sm_86".to_owned())),
            ("8.0;8.6", Ok("sm_80 sm_86".to_owned())),
            ("8.0; 8.6", fault("", 3, 4)),
            ("8.0;", fault("", 3, 4)),
            (";8.0", fault("", 0, 1)),
            ("8.0  8.6", fault("", 3, 4)),
            ("8.0,8.6", fault("8.0,8.6", 0, 7)),
            ("8.0\t8.6", fault("8.0\t8.6", 0, 7)),
            ("8.6\n", fault("8.6\n", 0, 4)),
            ("9.0 08.0", fault("08.0", 4, 8)),
            ("8.0+ptx", fault("8.0+ptx", 0, 7)),
            ("8.0+PTX+PTX", fault("8.0+PTX+PTX", 0, 11)),
            ("", Ok(String::new())),
        ] {
            assert_eq!(read(text, "2.4.1"), expected, "{text:?}");
        }
        assert_eq!(
            read(" ", "2.4.1"),
            Err(vec![("".to_owned(), 0, 1), ("".to_owned(), 0, 1)])
        );
    }

    #[test]
    fn names_go_by_release() {
        for (text, torch, expected) in [
            ("Ampere", "2.4", "sm_80 sm_86 compute_86"),
            ("Turing;Ampere+Tegra", "2.4", "sm_75 compute_75 sm_87"),
            ("Blackwell", "2.6", "sm_100 compute_100"),
            (
                "Blackwell",
                "2.8",
                "sm_100 sm_103 sm_120 sm_121 compute_121",
            ),
            ("Blackwell+Tegra", "2.8", "sm_101"),
            ("Blackwell+Tegra", "2.9", "sm_110"),
            ("Rubin", "2.15", "sm_107 compute_107"),
            ("Rubin", "", "sm_107 compute_107"),
        ] {
            assert_eq!(read(text, torch), Ok(expected.to_owned()), "{text} {torch}");
        }
        for (text, torch) in [
            ("Hopper", "1.13"),
            ("Blackwell", "2.4"),
            ("ampere", "2.4"),
            ("Ampere+PTX", "2.4"),
            ("Auto", "2.4"),
        ] {
            assert!(read(text, torch).is_err(), "{text} {torch}");
        }
    }

    #[test]
    fn targets_go_by_release() {
        let takes = |text: &str, torch: &str| read(text, torch).is_ok();
        for (text, torch, expected) in [
            ("9.0a", "2.0", false),
            ("9.0a", "2.1", true), // between two measured releases that differ
            ("9.0a", "2.2", true),
            ("10.0", "2.5", true), // likewise
            ("10.0", "2.4.1", false),
            ("12.0", "2.6", false),
            ("12.0", "2.7.1", true),
            ("10.1", "2.8.0", true),
            ("10.1", "2.9.1", false),
            ("12.0f", "2.11.0", false),
            ("12.0f", "2.16", true), // newer than any that was measured
            ("12.f", "2.16", false),
            ("9.9", "", false),
            ("10.7", "", true),
            ("8.6", "1.8", true),
            ("native", "2.9", true),
            ("native", "2.8", false),
            ("native;8.0", "2.9", false),
        ] {
            assert_eq!(takes(text, torch), expected, "{text} {torch}");
        }
    }

    #[test]
    fn reasons_name_the_way_out() {
        for (text, torch, part) in [
            ("80", "2.4", "written 8.0"),
            ("sm_90a", "2.4", "written 9.0a"),
            ("8.0,8.6", "2.4", "comma"),
            ("8.0;", "2.4", "empty entry"),
            ("12.0", "2.6", "torch 2.6 does not know it"),
            ("9.9", "", "no release of torch"),
        ] {
            let consumer = Consumer {
                torch: torch.parse().ok(),
                ..Consumer::default()
            };
            let parsed = parse(Syntax::Torch, text, &consumer);
            assert!(
                parsed.faults[0].reason.contains(part),
                "{:?}",
                parsed.faults
            );
        }
    }

    #[test]
    fn suggestions_stay_within_what_torch_takes() {
        let knows = |torch: &str, target: &str| {
            known_targets(torch.parse().ok()).contains(&target.parse().unwrap())
        };
        assert!(knows("2.8.0", "120"));
        assert!(!knows("2.7.0", "120"), "2.6 does not, 2.8 does");
        assert!(knows("", "107"), "the newest does");
        assert!(knows("2.99", "120"));
    }
}
