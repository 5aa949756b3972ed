//! The tables of the model: toolkits, compatibility, torch's parser.
#[allow(dead_code)]
#[path = "../src/cuda/capability.rs"]
mod capability;
#[path = "../src/cuda/tables/record.rs"]
mod record;
#[allow(dead_code)]
#[path = "../src/cuda/version.rs"]
mod version;

pub use capability::{Capability, PtxIsa, Target};
pub use version::{ToolkitVersion, Version};

use crate::{read, rust, table};
use record::{Compat, Toolkit, TorchParser};
use std::path::Path;

/// The file that `src/cuda/tables` includes.
pub fn tables() -> Result<String, String> {
    let compat = "rules/knowledge/compat.yaml";
    Ok([
        "/// Released toolkits, oldest first.\n".to_owned(),
        table::<Toolkit>(
            "TOOLKITS",
            "Toolkit",
            &["rules/knowledge/toolkits.yaml"],
            check_toolkits,
        )?,
        "/// What the compatibility rules know beside them.\n".to_owned(),
        rust::constant("COMPAT", "Compat", &read::one::<Compat>(Path::new(compat))?)
            .map_err(|error| format!("{compat}: {error}"))?,
        "/// Torch's parsers of its list, oldest first.\n".to_owned(),
        table::<TorchParser>(
            "TORCH_PARSERS",
            "TorchParser",
            &["rules/knowledge/torch-parser.yaml"],
            check_torch,
        )?,
    ]
    .concat())
}

fn check_toolkits(toolkits: &[Toolkit]) -> Result<(), String> {
    for pair in toolkits.windows(2) {
        let (older, newer) = (&pair[0], &pair[1]);
        if older.version >= newer.version || older.isa > newer.isa || older.driver > newer.driver {
            return Err(format!(
                "{} must be older than {}",
                older.version, newer.version
            ));
        }
    }
    for toolkit in toolkits {
        let version = toolkit.version;
        if !toolkit.targets.contains(&toolkit.default) {
            return Err(format!("{version}: its default is not one of its targets"));
        }
        for family in toolkit.families {
            let name = family.target.undotted();
            if !toolkit.targets.contains(&family.target) {
                return Err(format!(
                    "{version}: family {name} is not one of its targets"
                ));
            }
            if !family.members.contains(&family.target.capability) {
                return Err(format!("{version}: family {name} lacks its own capability"));
            }
        }
    }
    Ok(())
}

fn check_torch(parsers: &[TorchParser]) -> Result<(), String> {
    let ends = parsers.iter().flat_map(|row| [row.from, row.to]);
    if !ends.is_sorted() {
        return Err("the rows must be in order".to_owned());
    }
    Ok(())
}
