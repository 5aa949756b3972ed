//! `CMAKE_CUDA_ARCHITECTURES` and `CUDAARCHS`, as CMake checks them (`CMakeCUDAArchitecturesValidate.cmake`).
use super::super::capability::{Image, Target};
use super::{Parsed, Special, Token, plain, split};

pub(super) fn parse(text: &str, parsed: &mut Parsed) {
    if text.is_empty() {
        return;
    }
    let whole = match text {
        "all" => Some(Special::All),
        "all-major" => Some(Special::AllMajor),
        "native" => Some(Special::Native),
        _ if is_false(text) => Some(Special::Off),
        _ => None,
    };
    if let Some(special) = whole {
        let token = Token {
            text: text.to_owned(),
            range: 0..text.len(),
        };
        parsed.specials.push((special, token.clone()));
        parsed.tokens.push(token);
        return;
    }
    for (at, token) in split::pieces(text, |c| c == ';').into_iter().enumerate() {
        // An empty element is taken anywhere but at the start.
        if token.text.is_empty() && at > 0 {
            continue;
        }
        parsed.tokens.push(token.clone());
        match images(&token.text) {
            Some(images) => parsed.embed(images),
            None => {
                let reason = reason(&token.text);
                parsed.reject(token, reason);
            }
        }
    }
}

/// Whether CMake's `if()` takes the value for false.
fn is_false(text: &str) -> bool {
    let text = text.to_ascii_uppercase();
    let constant = ["0", "OFF", "NO", "FALSE", "N", "IGNORE", "NOTFOUND"].contains(&text.as_str());
    constant || text.ends_with("-NOTFOUND")
}

/// `80` is machine code and PTX, `80-real` machine code, `80-virtual` PTX.
fn images(token: &str) -> Option<Vec<Image>> {
    let target = |number| Target::from_undotted(number);
    if let Some(number) = token.strip_suffix("-real") {
        return Some(vec![Image::sass(target(number)?)]);
    }
    if let Some(number) = token.strip_suffix("-virtual") {
        return Some(vec![Image::ptx(target(number)?)]);
    }
    let target = target(token)?;
    Some(vec![Image::sass(target), Image::ptx(target)])
}

fn reason(token: &str) -> String {
    let hint = match token {
        "" => "the list begins with a semicolon".to_owned(),
        "all" | "all-major" | "native" => format!("`{token}` stands alone or not at all"),
        _ if token.ends_with("+PTX") => {
            "CMake has no +PTX: a plain number brings PTX too".to_owned()
        }
        _ => match plain::hint(token, plain::Spelling::Undotted) {
            Some(hint) if token.contains([',', ' ']) => format!("{hint}; a semicolon does"),
            Some(hint) => hint,
            None => "it is neither a number nor one of all, all-major, native".to_owned(),
        },
    };
    format!("CMake refuses the list: {hint}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::arch_list::{Consumer, Syntax};

    fn read(text: &str) -> Parsed {
        crate::cuda::arch_list::parse(Syntax::Cmake, text, &Consumer::default())
    }

    #[test]
    fn numbers() {
        for (text, expected) in [
            ("80", "sm_80 compute_80"),
            ("80;86-real;90-virtual", "sm_80 compute_80 sm_86 compute_90"),
            ("90a;100f-real", "sm_90a compute_90a sm_100f"),
            ("80-real;80-virtual", "sm_80 compute_80"),
            ("80;;86-real;", "sm_80 compute_80 sm_86"),
        ] {
            let parsed = read(text);
            let names: Vec<_> = parsed.images.iter().map(Image::to_string).collect();
            assert_eq!(names.join(" "), expected, "{text}");
            assert_eq!(parsed.faults, [], "{text}");
        }
    }

    #[test]
    fn words() {
        for (text, special) in [
            ("all", Special::All),
            ("all-major", Special::AllMajor),
            ("native", Special::Native),
            ("OFF", Special::Off),
            ("off", Special::Off),
            ("CUDA-NOTFOUND", Special::Off),
        ] {
            let parsed = read(text);
            assert_eq!(parsed.specials[0].0, special);
            assert_eq!(parsed.faults, [], "{text}");
        }
        assert_eq!(read(""), Parsed::default());
    }

    #[test]
    fn faults() {
        for (text, token, part) in [
            ("80,86", "80,86", "comma"),
            ("80 86", "80 86", "space"),
            ("8.0;86", "8.0", "written 80"),
            ("80;sm_86", "sm_86", "written 86"),
            ("80; 86", " 86", "space"),
            ("native;80", "native", "stands alone"),
            (";80", "", "begins with"),
            ("80+PTX", "80+PTX", "no +PTX"),
            ("NONE", "NONE", "neither"),
            ("Native", "Native", "neither"),
            ("80-ptx", "80-ptx", "neither"),
        ] {
            let faults = read(text).faults;
            assert_eq!(faults.len(), 1, "{text}");
            assert_eq!(faults[0].token.text, token);
            assert!(faults[0].reason.contains(part), "{}", faults[0].reason);
        }
    }
}
