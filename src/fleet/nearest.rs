//! The nearest names to one that nobody knows.
use crate::knowledge::{GPU_NAMES, GPUS};

/// The names of the three GPUs that have the key nearest to `key`. A key is cut at 64 characters: no GPU's is longer.
pub(super) fn nearest(key: &str) -> Vec<String> {
    let key: Vec<char> = key.chars().take(64).collect();
    let mut ranked: Vec<(usize, usize)> = GPU_NAMES
        .iter()
        .map(|name| (distance(&key, &name.key), name.gpu))
        .collect();
    ranked.sort_unstable();
    let mut names: Vec<String> = Vec::new();
    for (_, gpu) in ranked {
        let Some(gpu) = GPUS.get(gpu) else { continue };
        if !names.iter().any(|name| *name == *gpu.name) {
            names.push(gpu.name.to_string());
        }
        if names.len() == 3 {
            break;
        }
    }
    names
}

/// The fewest characters to insert, remove or replace.
fn distance(from: &[char], to: &str) -> usize {
    let mut row: Vec<usize> = (0..=from.len()).collect();
    for (i, t) in to.chars().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], i + 1);
        for (j, f) in from.iter().enumerate() {
            let replaced = corner + usize::from(*f != t);
            corner = row[j + 1];
            row[j + 1] = replaced.min(corner + 1).min(row[j] + 1);
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        for (from, to, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("kitten", "sitting", 3),
            ("h10o", "h100", 1),
        ] {
            let from: Vec<char> = from.chars().collect();
            assert_eq!(distance(&from, to), expected);
        }
    }
}
