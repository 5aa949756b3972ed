//! The architectures on nvcc's command line, measured with `--dryrun` of 11.2 to 13.5: `-gencode` entries add up, the last
//! `-arch` wins, and both count. A bare `-arch=sm_90` embeds machine code and PTX, `-arch=sm_90a` plain PTX for 9.0 besides.
use super::super::capability::{Image, ImageKind, Target};
use super::{Parsed, Special, Token, split};

pub(super) fn parse(text: &str, parsed: &mut Parsed) {
    let mut chosen = Chosen::default();
    // A semicolon: CUDA_NVCC_FLAGS is a CMake list.
    let mut words = split::words(text, |c| c.is_whitespace() || c == ';').into_iter();
    while let Some(word) = words.next() {
        let unquoted = trim(&word);
        if unquoted.text.starts_with("-X") && !unquoted.text.contains('=') {
            // An option for another program.
            words.next();
            continue;
        }
        let Some((flag, value)) = flag(&unquoted) else {
            continue;
        };
        match value.or_else(|| words.next().map(|word| trim(&word))) {
            Some(value) => chosen.take(flag, &value, parsed),
            None => {
                let reason = format!("nvcc expects a value after `{}`", unquoted.text);
                parsed.reject(unquoted, reason);
            }
        }
    }
    chosen.embed(parsed);
}

/// The flags that choose architectures.
#[derive(Clone, Copy)]
enum Flag {
    Arch,
    Code,
    Generate,
}

/// The flag of a word, and its value if that is in the same word. Some variables hold values without their flag.
fn flag(word: &Token) -> Option<(Flag, Option<Token>)> {
    if word.text.starts_with("arch=") {
        return Some((Flag::Generate, Some(word.clone())));
    }
    let name = word
        .text
        .strip_prefix("--")
        .or_else(|| word.text.strip_prefix('-'))?;
    let (name, value) = match name.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (name, None),
    };
    let flag = match name {
        "arch" | "gpu-architecture" => Flag::Arch,
        "code" | "gpu-code" => Flag::Code,
        "gencode" | "generate-code" => Flag::Generate,
        _ => return None,
    };
    let value = value.map(|value| {
        let start = word.range.end - value.len();
        trim(&Token {
            text: value.to_owned(),
            range: start..word.range.end,
        })
    });
    Some((flag, value))
}

/// Without quotes around it.
fn trim(token: &Token) -> Token {
    let quote = ['"', '\'', '\\'];
    let from_start = token.text.trim_start_matches(quote);
    let start = token.range.start + (token.text.len() - from_start.len());
    let text = from_start.trim_end_matches(quote).to_owned();
    let range = start..start + text.len();
    Token { text, range }
}

/// What an architecture word names.
#[derive(Clone, Copy)]
struct Named {
    kind: ImageKind,
    target: Target,
}

impl Named {
    fn image(self) -> Image {
        Image {
            kind: self.kind,
            target: self.target,
            ptx_isa: None,
        }
    }
}

fn named(word: &str) -> Option<Named> {
    const KINDS: [(&str, ImageKind); 3] = [
        ("sm_", ImageKind::Sass),
        ("compute_", ImageKind::Ptx),
        ("lto_", ImageKind::Lto),
    ];
    KINDS.iter().find_map(|&(prefix, kind)| {
        let target = Target::from_undotted(word.strip_prefix(prefix)?)?;
        Some(Named { kind, target })
    })
}

/// The last `-arch` and `-code`; `-gencode` entries go to the result as they come.
#[derive(Default)]
struct Chosen {
    arch: Option<Token>,
    code: Option<Token>,
}

impl Chosen {
    fn take(&mut self, flag: Flag, value: &Token, parsed: &mut Parsed) {
        match flag {
            Flag::Arch => self.arch = Some(value.clone()),
            Flag::Code => self.code = Some(value.clone()),
            Flag::Generate => generate(value, parsed),
        }
    }

    fn embed(self, parsed: &mut Parsed) {
        let Some(arch) = self.arch else {
            return;
        };
        let special = match arch.text.as_str() {
            "native" => Some(Special::Native),
            "all" => Some(Special::All),
            "all-major" => Some(Special::AllMajor),
            _ => None,
        };
        parsed.tokens.push(arch.clone());
        if let Some(special) = special {
            parsed.specials.push((special, arch));
            return;
        }
        let Some(named) = named(&arch.text) else {
            reject(arch, parsed);
            return;
        };
        match self.code {
            Some(code) => embed_codes(&parts(&code), named.target, parsed),
            None => parsed.embed(bare(named)),
        }
    }
}

/// What `-arch` alone embeds.
fn bare(named: Named) -> Vec<Image> {
    let Named { kind, target } = named;
    if kind != ImageKind::Sass {
        return vec![named.image()];
    }
    let plain = Target::plain(target.capability);
    let baseline = (plain != target).then(|| Image::ptx(plain));
    baseline
        .into_iter()
        .chain([Image::sass(target), Image::ptx(target)])
        .collect()
}

/// `arch=compute_80,code=[sm_80,compute_80]`.
fn generate(value: &Token, parsed: &mut Parsed) {
    let mut arch = None;
    let mut codes = Vec::new();
    let mut in_codes = false;
    for part in parts(value) {
        if let Some(rest) = after(&part, "arch=") {
            in_codes = false;
            arch = Some(rest);
        } else if let Some(rest) = after(&part, "code=") {
            in_codes = true;
            codes.push(rest);
        } else if in_codes {
            codes.push(part);
        } else {
            reject(part, parsed);
        }
    }
    codes.retain(|code| !code.text.is_empty());
    let Some(arch) = arch else {
        let reason = "nvcc wants arch= and code= in it";
        parsed.reject(value.clone(), reason);
        return;
    };
    parsed.tokens.push(arch.clone());
    match named(&arch.text) {
        Some(from) if codes.is_empty() => parsed.embed([from.image()]),
        Some(from) => embed_codes(&codes, from.target, parsed),
        None => reject(arch, parsed),
    }
}

/// The parts of a list, whatever brackets and quotes stand around them.
fn parts(value: &Token) -> Vec<Token> {
    let mark = |c: char| matches!(c, ',' | '[' | ']' | '"' | '\'' | '\\');
    let offset = value.range.start;
    let mut parts = split::words(&value.text, mark);
    for part in &mut parts {
        part.range = part.range.start + offset..part.range.end + offset;
    }
    parts
}

fn after(part: &Token, prefix: &str) -> Option<Token> {
    let text = part.text.strip_prefix(prefix)?.to_owned();
    let range = part.range.start + prefix.len()..part.range.end;
    Some(Token { text, range })
}

fn embed_codes(codes: &[Token], from: Target, parsed: &mut Parsed) {
    for code in codes {
        parsed.tokens.push(code.clone());
        match named(&code.text) {
            Some(to) if from.capability > to.target.capability => {
                let reason = "nvcc stops with `Incompatible code generation requested`: the code is older than arch";
                parsed.reject(code.clone(), reason);
            }
            Some(to) => parsed.embed([to.image()]),
            None => reject(code.clone(), parsed),
        }
    }
}

fn reject(token: Token, parsed: &mut Parsed) {
    let reason = format!("nvcc knows no architecture `{}`", token.text);
    parsed.reject(token, reason);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::arch_list::{Consumer, Syntax};

    fn read(text: &str) -> Parsed {
        crate::cuda::arch_list::parse(Syntax::Flags, text, &Consumer::default())
    }

    #[test]
    fn every_form() {
        for (text, expected) in [
            ("-arch=sm_80", "sm_80 compute_80"),
            ("-arch sm_80", "sm_80 compute_80"),
            ("--gpu-architecture=sm_80", "sm_80 compute_80"),
            ("--gpu-architecture sm_80 -O3", "sm_80 compute_80"),
            ("-gpu-architecture=sm_80", "sm_80 compute_80"),
            ("-arch=sm_90a", "compute_90 sm_90a compute_90a"),
            ("-arch=sm_100f", "compute_100 sm_100f compute_100f"),
            ("-arch=compute_75", "compute_75"),
            ("-arch=compute_80 -code=sm_80,sm_86", "sm_80 sm_86"),
            (
                "-arch=compute_80 --gpu-code sm_80,compute_80",
                "sm_80 compute_80",
            ),
            ("-gencode arch=compute_80,code=sm_80", "sm_80"),
            ("-gencode=arch=compute_80,code=sm_80", "sm_80"),
            (
                "--generate-code=arch=compute_80,code=compute_80",
                "compute_80",
            ),
            (
                "-gencode arch=compute_80,code=[sm_80,compute_80]",
                "sm_80 compute_80",
            ),
            (
                r#"-gencode arch=compute_80,code=\"sm_80,compute_80\""#,
                "sm_80 compute_80",
            ),
            (r#"-gencode="arch=compute_80,code=sm_80""#, "sm_80"),
            (r#""-gencode arch=compute_80,code=sm_80""#, "sm_80"),
            ("-gencode;arch=compute_70,code=sm_70", "sm_70"),
            (
                "arch=compute_80,code=sm_80;arch=compute_90,code=sm_90",
                "sm_80 sm_90",
            ),
            ("-gencode arch=compute_90a,code=sm_90a", "sm_90a"),
            ("-gencode arch=compute_80,code=lto_80", "sm_80"), // LTO prints as sm_
            (
                "-gencode arch=compute_80,code=sm_80 -arch=sm_90",
                "sm_80 sm_90 compute_90",
            ),
            ("-arch=sm_70 -arch=sm_80", "sm_80 compute_80"),
            ("-O3 -march=native -Xcompiler -arch -c k.cu", ""),
            ("-Xptxas=-v -arch=sm_80", "sm_80 compute_80"),
            ("", ""),
        ] {
            let parsed = read(text);
            let names: Vec<_> = parsed.images.iter().map(Image::to_string).collect();
            assert_eq!(names.join(" "), expected, "{text}");
            assert_eq!(parsed.faults, [], "{text}");
        }
    }

    #[test]
    fn words_that_need_the_machine() {
        for (text, special) in [
            ("-arch=native", Special::Native),
            ("-arch all", Special::All),
            ("-arch=all-major", Special::AllMajor),
        ] {
            assert_eq!(read(text).specials[0].0, special);
        }
    }

    #[test]
    fn faults() {
        for (text, token) in [
            ("-arch=80", "80"),
            ("-arch=sm80", "sm80"),
            ("-gencode arch=compute_86,code=sm_80", "sm_80"),
            ("-gencode arch=compute_80,code=80", "80"),
            ("-gencode arch=80,code=sm_80", "80"),
            ("-gencode compute_80", "compute_80"),
            ("-O3 -arch", "-arch"),
        ] {
            let faults = read(text).faults;
            let fault = faults.first().unwrap_or_else(|| panic!("{text}"));
            assert_eq!(fault.token.text, token);
            assert_eq!(&text[fault.token.range.clone()], token, "{text}");
        }
    }

    #[test]
    fn tokens_keep_their_place_through_quotes_and_brackets() {
        let text = r#"-gencode arch=compute_80,code=[\"sm_80\",compute_80]"#;
        for token in read(text).tokens {
            assert_eq!(text[token.range.clone()], token.text);
        }
    }
}
