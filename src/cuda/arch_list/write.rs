//! Writing a list in a consumer's syntax, for suggestions.
use super::super::capability::Target;
use super::Syntax;

/// What to compile for one target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The target.
    pub target: Target,
    /// Machine code.
    pub sass: bool,
    /// PTX.
    pub ptx: bool,
}

/// The list in `syntax`, without quotes. `None` if the syntax cannot say it: for [`Syntax::Names`], and for more than one
/// target where the consumer takes one. PTX is left out where a syntax has no word for it.
pub fn to_text(syntax: Syntax, entries: &[Entry]) -> Option<String> {
    let join = |separator: &str, write: fn(&Entry) -> String| {
        let words: Vec<_> = entries.iter().map(write).collect();
        words.join(separator)
    };
    // The first of several separators is the usual one.
    let first = |separators: &str| separators.chars().take(1).collect::<String>();
    let undotted = |entry: &Entry| entry.target.undotted();
    let dotted = |entry: &Entry| entry.target.dotted();
    Some(match syntax {
        Syntax::Torch | Syntax::FindCuda => join(";", with_ptx),
        Syntax::Cmake => join(";", cmake),
        Syntax::Undotted(separators) => join(&first(&separators), undotted),
        Syntax::Dotted(separators) => join(&first(&separators), dotted),
        Syntax::Flags => join(" ", gencode),
        Syntax::OneUndotted => undotted(only(entries)?),
        Syntax::OneDotted => dotted(only(entries)?),
        Syntax::Names => return None,
    })
}

fn only(entries: &[Entry]) -> Option<&Entry> {
    match entries {
        [entry] => Some(entry),
        _ => None,
    }
}

fn with_ptx(entry: &Entry) -> String {
    let ptx = if entry.ptx { "+PTX" } else { "" };
    format!("{}{ptx}", entry.target.dotted())
}

fn cmake(entry: &Entry) -> String {
    let only = match (entry.sass, entry.ptx) {
        (true, true) => "",
        (true, false) => "-real",
        (false, _) => "-virtual",
    };
    format!("{}{only}", entry.target.undotted())
}

fn gencode(entry: &Entry) -> String {
    let number = entry.target.undotted();
    let flag = |kind| format!("-gencode=arch=compute_{number},code={kind}_{number}");
    let sass = entry.sass.then(|| flag("sm"));
    let ptx = entry.ptx.then(|| flag("compute"));
    let flags: Vec<_> = sass.into_iter().chain(ptx).collect();
    flags.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::arch_list::{Consumer, parse};
    use crate::cuda::{Image, ImageKind};

    fn entries() -> [Entry; 2] {
        [("80", false), ("90", true)].map(|(target, ptx)| Entry {
            target: target.parse().unwrap(),
            sass: true,
            ptx,
        })
    }

    #[test]
    fn every_syntax() {
        for (syntax, expected) in [
            ("torch", "8.0;9.0+PTX"),
            ("find-cuda", "8.0;9.0+PTX"),
            ("cmake", "80-real;90"),
            ("undotted(;,)", "80;90"),
            ("dotted( )", "8.0 9.0"),
            (
                "gencode",
                "-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_90,code=compute_90",
            ),
        ] {
            let text = to_text(syntax.parse().unwrap(), &entries());
            assert_eq!(text.as_deref(), Some(expected));
        }
        for syntax in ["one-undotted", "one-dotted", "names"] {
            assert_eq!(to_text(syntax.parse().unwrap(), &entries()), None);
        }
        let one = &entries()[1..];
        assert_eq!(to_text(Syntax::OneUndotted, one).as_deref(), Some("90"));
        assert_eq!(to_text(Syntax::OneDotted, one).as_deref(), Some("9.0"));
    }

    #[test]
    fn what_is_written_reads_back() {
        for syntax in [
            "torch",
            "find-cuda",
            "cmake",
            "undotted(,)",
            "dotted(;)",
            "gencode",
        ] {
            let syntax: Syntax = syntax.parse().unwrap();
            let text = to_text(syntax, &entries()).unwrap();
            let parsed = parse(syntax, &text, &Consumer::default());
            assert_eq!(parsed.faults, [], "{text}");
            let sass: Vec<_> = parsed
                .images
                .iter()
                .filter(|i| i.kind == ImageKind::Sass)
                .collect();
            let wanted = entries().map(|entry| Image::sass(entry.target));
            assert_eq!(sass, wanted.iter().collect::<Vec<_>>(), "{text}");
        }
    }
}
