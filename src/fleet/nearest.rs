//! The nearest names to one that nobody knows.
use crate::knowledge::{GPU_NAMES, GPUS, INSTANCES, key};
use crate::spelling::distance;

/// No name that is known is longer: what follows says nothing more.
const LONGEST: usize = 64;

/// The three names nearest to `name`: products, and machine types and labels of the provider, or of all.
pub(super) fn nearest(name: &str, provider: Option<&str>) -> Vec<String> {
    let name: String = name.chars().take(LONGEST).collect();
    let (key, lower) = (key(&name), name.to_ascii_lowercase());
    let products = GPU_NAMES.iter().filter_map(|known| {
        let gpu = GPUS.get(known.gpu)?;
        let far = distance(&key, &known.key);
        Some(((far, false, known.gpu), gpu.name.to_string()))
    });
    // a word without separators is meant for a product
    let is_rented = provider.is_some() || name.contains(['.', '-', '_']);
    let of_provider = INSTANCES.iter().filter(|row| {
        is_rented && provider.is_none_or(|provider| row.provider.eq_ignore_ascii_case(provider))
    });
    let rented = of_provider.flat_map(|row| row.names.into_iter().map(move |name| (row, name)));
    let rented = rented.enumerate().map(|(at, (row, pattern))| {
        let shown = match provider {
            Some(_) => format!("{}:{pattern}", row.provider),
            None => pattern.to_string(),
        };
        let far = from_pattern(&lower, pattern);
        ((far, provider.is_none(), at), shown)
    });
    let mut ranked: Vec<_> = products.chain(rented).collect();
    ranked.sort();
    let mut names: Vec<String> = Vec::new();
    for (_, name) in ranked {
        if names.len() < 3 && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// How far a name in lower case is from a pattern; what a star at its end stands for does not count.
fn from_pattern(name: &str, pattern: &str) -> usize {
    let stem = pattern.replace('*', "").to_ascii_lowercase();
    if !pattern.ends_with('*') {
        return distance(name, &stem);
    }
    let start: String = name.chars().take(stem.chars().count()).collect();
    distance(&start, &stem)
}
