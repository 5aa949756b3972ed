//! The nearest names to one that nobody knows.
use crate::knowledge::{GPU_NAMES, GPUS};
use crate::spelling::distance;

/// No GPU's key is longer: what follows says nothing more.
const LONGEST: usize = 64;

/// The names of the three GPUs that have the key nearest to `key`.
pub(super) fn nearest(key: &str) -> Vec<String> {
    let key: String = key.chars().take(LONGEST).collect();
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
