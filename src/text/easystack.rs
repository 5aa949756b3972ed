//! Easystacks of EasyBuild: which easyconfigs are installed, with options of their own.
use super::mapped::Mapped;
use super::yaml::{self, Node};

/// An easyconfig that is to be installed.
#[derive(Debug)]
pub struct Item {
    /// Its file.
    pub name: Mapped,
    /// Its `cuda-compute-capabilities`.
    pub capabilities: Option<Mapped>,
}

/// Reads an easystack.
pub fn read(source: &str) -> Vec<Item> {
    let yaml = yaml::parse(source);
    let root = yaml.documents.first();
    let items = root.and_then(|root| root.get("easyconfigs"));
    let items = items.map_or(&[][..], Node::one_or_many).iter();
    items.flat_map(item).collect()
}

fn item(node: &Node) -> Vec<Item> {
    if let Some(name) = node.scalar() {
        let name = name.clone();
        return vec![Item {
            name,
            capabilities: None,
        }];
    }
    let entries = node.entries().iter().filter_map(|entry| {
        let capabilities = entry
            .value
            .get("options")
            .and_then(|options| options.get("cuda-compute-capabilities"))
            .and_then(Node::scalar);
        Some(Item {
            name: entry.key.scalar()?.clone(),
            capabilities: capabilities.cloned(),
        })
    });
    entries.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn easyconfigs_with_and_without_options() {
        let items = read(
            "easyconfigs:\n- a-1.eb\n- b-2.eb:\n    options: {cuda-compute-capabilities: '8.0,9.0'}\n- c-3.eb: {options: {from-pr: 1}}\n",
        );
        let shown = items.iter().map(|item| {
            let capabilities = item.capabilities.as_ref().map(Mapped::text);
            (item.name.text(), capabilities)
        });
        assert_eq!(
            shown.collect::<Vec<_>>(),
            [
                ("a-1.eb", None),
                ("b-2.eb", Some("8.0,9.0")),
                ("c-3.eb", None)
            ]
        );
        assert!(read("- a").is_empty());
    }
}
