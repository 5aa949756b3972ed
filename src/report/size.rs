//! Sizes for people.

/// `26 kB`, `1.2 GB`: decimal units, two digits where they say something.
pub(super) fn short(bytes: u64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    let name = units.get(unit).unwrap_or(&"B");
    if unit > 0 && value < 9.95 {
        format!("{value:.1} {name}")
    } else {
        format!("{value:.0} {name}")
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn sizes_are_short() {
        for (bytes, text) in [
            (0, "0 B"),
            (999, "999 B"),
            (26_192, "26 kB"),
            (999_900, "1.0 MB"),
            (520_000_000, "520 MB"),
            (1 << 40, "1.1 TB"),
        ] {
            assert_eq!(super::short(bytes), text);
        }
    }
}
