//! An imported fleet as configuration.
use super::config::word;
use crate::fleet::import::Imported;
use std::io::{self, Write};

/// Writes the fleet as the key `fleet` of `.kimg-lint.yaml`.
pub fn write(name: &str, fleet: &Imported, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "fleet:")?;
    writeln!(out, "  {}:", word(name))?;
    writeln!(out, "    gpus:")?;
    for gpu in &fleet.gpus {
        let of_capability = fleet.unknown.iter().filter(|(_, c)| c.to_string() == *gpu);
        let names: Vec<&str> = of_capability.map(|(name, _)| name.as_str()).collect();
        let comment = if names.is_empty() {
            String::new()
        } else {
            format!("  # {}", names.join(", "))
        };
        writeln!(out, "      - {}{comment}", word(gpu))?;
    }
    match fleet.driver {
        Some(driver) => writeln!(out, "    driver: \"{driver}\""),
        None => Ok(()),
    }
}
