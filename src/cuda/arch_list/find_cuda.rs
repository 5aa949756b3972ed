//! CMake's old `cuda_select_nvcc_arch_flags` (module FindCUDA), which torch's CMake files carry on.
use super::super::capability::{Image, Target};
use super::{Parsed, Special, plain, split};

/// Names with their machine code; the PTX that `+PTX` adds is for the same targets.
const NAMES: [(&str, &[&str]); 15] = [
    ("Kepler+Tesla", &["3.7"]),
    ("Kepler", &["3.5"]),
    ("Maxwell+Tegra", &["5.3"]),
    ("Maxwell", &["5.0", "5.2"]),
    ("Pascal", &["6.0", "6.1"]),
    ("Volta+Tegra", &["7.2"]),
    ("Volta", &["7.0"]),
    ("Turing", &["7.5"]),
    ("Ampere+Tegra", &["8.7"]),
    ("Ampere", &["8.0", "8.6"]),
    ("Ada", &["8.9"]),
    ("Hopper", &["9.0"]),
    // 10.1 in releases before 2.9.
    ("Blackwell+Tegra", &["11.0"]),
    ("Blackwell", &["10.0", "12.0"]),
    ("Rubin", &["10.7"]),
];

pub(super) fn parse(text: &str, parsed: &mut Parsed) {
    let whole = match text {
        "Auto" => Some(Special::Auto),
        "Common" => Some(Special::Common),
        "All" => Some(Special::All),
        _ => None,
    };
    // CMake drops empty list elements, and the module turns spaces into semicolons.
    for token in split::words(text, |c| matches!(c, ';' | ' ' | '\t')) {
        parsed.tokens.push(token.clone());
        if let Some(special) = whole {
            parsed.specials.push((special, token));
        } else if let Some(images) = images(&token.text) {
            parsed.embed(images);
        } else {
            let mut reason = "CMake stops with `Found Unknown CUDA Architecture Name`".to_owned();
            if let Some(hint) = plain::hint(&token.text, plain::Spelling::Dotted) {
                reason = format!("{reason}: {hint}");
            }
            parsed.reject(token, reason);
        }
    }
}

fn images(word: &str) -> Option<Vec<Image>> {
    let (name, ptx) = match word.strip_suffix("+PTX") {
        Some(name) => (name, true),
        None => (word, false),
    };
    let targets: Vec<Target> = match NAMES.iter().find(|(known, _)| *known == name) {
        Some((_, numbers)) => numbers
            .iter()
            .filter_map(|n| Target::from_dotted(n))
            .collect(),
        None => vec![plain::built_from(name)?],
    };
    let sass = targets.iter().copied().map(Image::sass);
    let also = targets.iter().copied().filter(|_| ptx).map(Image::ptx);
    Some(sass.chain(also).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::arch_list::{Consumer, Syntax};

    fn read(text: &str) -> Parsed {
        crate::cuda::arch_list::parse(Syntax::FindCuda, text, &Consumer::default())
    }

    #[test]
    fn lists_and_names() {
        for (text, expected) in [
            ("7.0;8.0+PTX", "sm_70 sm_80 compute_80"),
            ("7.0  8.0;", "sm_70 sm_80"),
            ("Ampere+PTX", "sm_80 sm_86 compute_80 compute_86"),
            ("8.6(8.0) 9.0a 10.0f", "sm_86 sm_90a sm_100f"),
            ("Auto", ""),
            ("", ""),
        ] {
            let parsed = read(text);
            let names: Vec<_> = parsed.images.iter().map(Image::to_string).collect();
            assert_eq!(names.join(" "), expected, "{text}");
            assert_eq!(parsed.faults, [], "{text}");
        }
        assert_eq!(read("All").specials[0].0, Special::All);
        for (text, token) in [("8.0,8.6", "8.0,8.6"), ("80", "80"), ("8.0;Auto", "Auto")] {
            assert_eq!(read(text).faults[0].token.text, token);
        }
    }
}
