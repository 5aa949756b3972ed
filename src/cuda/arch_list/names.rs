//! Generations by name, mixed with targets in any spelling: OpenCV's `CUDA_GENERATION`, MAGMA's `GPU_TARGET`, Bazel's lists.
use super::super::capability::{Image, Target};
use super::super::tables::COMPAT;
use super::{Consumer, Parsed, plain, special, split};

pub(super) fn parse(text: &str, consumer: &Consumer<'_>, parsed: &mut Parsed) {
    for token in split::words(text, |c| c.is_whitespace() || matches!(c, ',' | ';')) {
        parsed.tokens.push(token.clone());
        if let Some(images) = images(&token.text) {
            parsed.embed_known(token, images, consumer);
        } else if let Some(special) = special::any_case(&token.text) {
            parsed.specials.push((special, token));
        } else {
            let reason = format!("`{}` is not a GPU generation or architecture", token.text);
            parsed.fault(consumer.unknown, token, reason);
        }
    }
}

fn images(word: &str) -> Option<Vec<Image>> {
    if let Some(number) = word.strip_prefix("compute_") {
        return Some(vec![Image::ptx(Target::from_undotted(number)?)]);
    }
    if let Some(number) = word.strip_prefix("sm_") {
        return Some(vec![Image::sass(Target::from_undotted(number)?)]);
    }
    let same = |name: &str| name.eq_ignore_ascii_case(word);
    if let Some(generation) = COMPAT.generations.iter().find(|g| same(&g.name)) {
        return Some(
            generation
                .targets
                .iter()
                .copied()
                .map(Image::sass)
                .collect(),
        );
    }
    plain::images(word, plain::Spelling::Undotted)
        .or_else(|| plain::images(word, plain::Spelling::Dotted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::arch_list::{Special, Syntax};

    fn read(text: &str) -> Parsed {
        crate::cuda::arch_list::parse(Syntax::Names, text, &Consumer::default())
    }

    #[test]
    fn names_and_targets_mix() {
        for (text, expected) in [
            ("Ampere", "sm_80"),
            ("Volta ampere sm_90", "sm_70 sm_80 sm_90"),
            ("sm_80,compute_90", "sm_80 compute_90"),
            ("8.6;90a+PTX", "sm_86 sm_90a compute_90a"),
        ] {
            let parsed = read(text);
            let names: Vec<_> = parsed.images.iter().map(Image::to_string).collect();
            assert_eq!(names.join(" "), expected, "{text}");
            assert_eq!(parsed.faults, [], "{text}");
        }
        assert_eq!(read("Auto").specials[0].0, Special::Auto);
        assert_eq!(read("Ampere Polaris").faults[0].token.range, 7..14);
    }
}
