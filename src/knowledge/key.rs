//! The key under which a GPU's name is found, shared with `build.rs`.

/// The name in lower case without separators and without NVIDIA, Tesla or GeForce in front: `NVIDIA-A100-SXM4-40GB` and
/// `a100 sxm4 40gb` have one key.
pub fn key(name: &str) -> String {
    let key: String = name
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '!'))
        .map(|c| c.to_ascii_lowercase())
        .collect();
    let mut rest = key.as_str();
    while let Some(shorter) = ["nvidia", "tesla", "geforce"]
        .iter()
        .find_map(|brand| rest.strip_prefix(brand).filter(|rest| !rest.is_empty()))
    {
        rest = shorter;
    }
    rest.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brands_and_separators_do_not_count() {
        for (name, expected) in [
            ("NVIDIA A100-SXM4-40GB", "a100sxm440gb"),
            ("NVIDIA-GeForce-RTX-4090", "rtx4090"),
            ("nvidia-tesla-t4", "t4"),
            ("NVIDIA_A100_80GB", "a10080gb"),
            ("Quadro RTX 6000", "quadrortx6000"),
            ("B200+", "b200+"),
            ("nvidia", "nvidia"),
            ("é", ""),
        ] {
            assert_eq!(key(name), expected);
        }
    }
}
