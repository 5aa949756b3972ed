//! Names in a sentence.
use crate::cuda::Device;

/// More names than this are counted.
const SHOWN: usize = 6;

/// `A`, `A and B`, `A, B and C`; of many names the first, and the number of the others.
pub fn joined(names: &[String]) -> String {
    if let Some(rest) = names.len().checked_sub(SHOWN + 1) {
        return format!("{} and {} more", names[..SHOWN].join(", "), rest + 1);
    }
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// `NVIDIA L4 (8.9)`; what is known by its capability alone has it in its name.
pub fn shown(device: &Device) -> String {
    let capability = device.capability.to_string();
    if device.name.contains(&capability) {
        return device.name.clone();
    }
    format!("{} ({capability})", device.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_joined() {
        let names: Vec<String> = ('A'..='Z').map(String::from).collect();
        for (count, expected) in [
            (0, ""),
            (1, "A"),
            (2, "A and B"),
            (3, "A, B and C"),
            (6, "A, B, C, D, E and F"),
            (7, "A, B, C, D, E, F and 1 more"),
            (26, "A, B, C, D, E, F and 20 more"),
        ] {
            assert_eq!(joined(&names[..count]), expected);
        }
    }
}
