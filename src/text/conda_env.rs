//! Environment files of conda: `environment.yml`.
use super::mapped::Mapped;
use super::yaml::{self, Node};

/// An environment.
#[derive(Debug, Default)]
pub struct Environment {
    /// Where its packages come from.
    pub channels: Vec<String>,
    /// Packages of channels: `pytorch=2.1`.
    pub packages: Vec<Mapped>,
    /// Lines for pip, which runs after that.
    pub pip: Vec<Mapped>,
    /// Variables that are set wherever it is activated.
    pub variables: Vec<(String, Mapped)>,
}

/// Reads an environment file.
pub fn read(source: &str) -> Environment {
    let yaml = yaml::parse(source);
    let Some(root) = yaml.documents.first() else {
        return Environment::default();
    };
    let items = |key: &str| root.get(key).map_or(&[][..], Node::one_or_many);
    let texts = |nodes: &[Node]| -> Vec<Mapped> {
        nodes.iter().filter_map(Node::scalar).cloned().collect()
    };
    let pip = items("dependencies")
        .iter()
        .filter_map(|item| item.get("pip"));
    let variables = root.get("variables").map_or(&[][..], Node::entries);
    Environment {
        channels: items("channels")
            .iter()
            .filter_map(|c| Some(c.text()?.to_owned()))
            .collect(),
        packages: texts(items("dependencies")),
        pip: pip.flat_map(|node| texts(node.one_or_many())).collect(),
        variables: variables
            .iter()
            .filter_map(|entry| Some((entry.name()?.to_owned(), entry.value.scalar()?.clone())))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_environment() {
        let read = read(
            "name: x\nchannels: [nvidia, conda-forge]\ndependencies:\n- python=3.10 # why\n- pip:\n  - -r more.txt\n  - 'torch==2.1'\nvariables: {A: 8.0}\n",
        );
        let shown = |texts: &[Mapped]| {
            texts
                .iter()
                .map(|t| t.text().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(read.channels, ["nvidia", "conda-forge"]);
        assert_eq!(shown(&read.packages), ["python=3.10"]);
        assert_eq!(shown(&read.pip), ["-r more.txt", "torch==2.1"]);
        assert_eq!(read.variables[0].0, "A");
        assert_eq!(read.variables[0].1.text(), "8.0");
    }
}
