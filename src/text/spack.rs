//! Files of spack: `spack.yaml` of an environment, and `packages.yaml`.
use super::mapped::Mapped;
use super::yaml::{self, Node};

/// What a file says.
#[derive(Debug, Default)]
pub struct File {
    /// The specs of an environment: the pieces of each, which stand in several places where a matrix makes it.
    pub specs: Vec<Vec<Mapped>>,
    /// More specs are in it than are read.
    pub cut: bool,
    /// What is asked of packages.
    pub packages: Vec<Package>,
    /// Other files of configuration.
    pub includes: Vec<String>,
    /// It names mirrors, which may hold packages that are built already.
    pub mirrors: bool,
}

/// What is asked of a package.
#[derive(Debug, Default)]
pub struct Package {
    /// Its name; `all` for every one.
    pub name: String,
    /// What it must be.
    pub require: Vec<Mapped>,
    /// What it is to be, if it can.
    pub prefer: Vec<Mapped>,
    /// Variants that stand in for the recipe's defaults.
    pub variants: Vec<Mapped>,
    /// Ones of which one holds, or that hold under a condition.
    pub perhaps: Vec<Mapped>,
    /// What is installed already, or the only version.
    pub given: Vec<Mapped>,
}

/// More specs are not made of one matrix.
const MAX_ROWS: usize = 64;
/// More items of lists are not read, those of lists in lists each time.
const MAX_ITEMS: usize = 4096;
/// Of no more packages it is read what is asked.
const MAX_PACKAGES: usize = 1024;
/// Lists stand in lists this deep.
const MAX_DEPTH: usize = 8;

/// Reads a file.
pub fn read(source: &str) -> File {
    let yaml = yaml::parse(source);
    let Some(root) = yaml.documents.first() else {
        return File::default();
    };
    let root = root
        .get("spack")
        .or_else(|| root.get("env"))
        .unwrap_or(root);
    let items = |key: &str| root.get(key).map_or(&[][..], Node::one_or_many);
    let named = items("definitions").iter().flat_map(Node::entries);
    let definitions: Vec<(&str, &[Node])> = named
        .filter_map(|entry| Some((entry.name()?, entry.value.one_or_many())))
        .filter(|(name, _)| *name != "when")
        .collect();
    let packages = root.get("packages").map_or(&[][..], Node::entries);
    let mut reading = Reading {
        definitions,
        left: MAX_ITEMS,
    };
    File {
        specs: reading.specs(items("specs"), 0),
        cut: reading.left == 0,
        packages: packages
            .iter()
            .take(MAX_PACKAGES)
            .filter_map(|entry| Some(package(entry.name()?, &entry.value)))
            .collect(),
        includes: items("include")
            .iter()
            .filter_map(|item| Some(item.text().or_else(|| item.get("path")?.text())?.to_owned()))
            .collect(),
        mirrors: !items("mirrors").is_empty(),
    }
}

/// Lists with names, and how much more is read.
struct Reading<'y> {
    definitions: Vec<(&'y str, &'y [Node])>,
    left: usize,
}

impl Reading<'_> {
    /// The specs of a list: texts, `$name` for a list of the definitions, and `matrix:`.
    fn specs(&mut self, items: &[Node], depth: usize) -> Vec<Vec<Mapped>> {
        let mut found = Vec::new();
        for item in items.iter().filter(|_| depth < MAX_DEPTH) {
            let Some(left) = self.left.checked_sub(1) else {
                break;
            };
            self.left = left;
            if let Some(rows) = item.get("matrix") {
                let rows = rows.items().iter();
                let rows: Vec<_> = rows.map(|row| self.specs(row.items(), depth + 1)).collect();
                found.extend(product(rows));
            } else if let Some(text) = item.scalar() {
                found.extend(self.spec(text, depth));
            }
        }
        found
    }

    /// A text, or what `$name`, `$^name` and `$%name` stand for.
    fn spec(&mut self, text: &Mapped, depth: usize) -> Vec<Vec<Mapped>> {
        let Some(name) = text.text().strip_prefix('$') else {
            return vec![vec![text.clone()]];
        };
        let sigil = name.chars().next().filter(|c| matches!(c, '^' | '%'));
        let name = name.trim_start_matches(['^', '%']);
        let lists = self.definitions.iter().filter(|(own, _)| *own == name);
        let lists: Vec<&[Node]> = lists.map(|(_, items)| *items).collect();
        let mut found = Vec::new();
        for items in lists {
            found.extend(self.specs(items, depth + 1));
        }
        if let Some(sigil) = sigil {
            let mut sign = Mapped::default();
            sign.push_all_from(&sigil.to_string(), text.origin(0));
            found
                .iter_mut()
                .for_each(|pieces| pieces.insert(0, sign.clone()));
        }
        found
    }
}

/// One of each row, in every way.
fn product(rows: Vec<Vec<Vec<Mapped>>>) -> Vec<Vec<Mapped>> {
    let mut all = vec![Vec::new()];
    for row in rows {
        let longer = all.iter().flat_map(|begun: &Vec<Mapped>| {
            row.iter().map(|pieces| [begun.as_slice(), pieces].concat())
        });
        all = longer.take(MAX_ROWS).collect();
    }
    all
}

fn package(name: &str, node: &Node) -> Package {
    let mut package = Package {
        name: name.to_owned(),
        ..Package::default()
    };
    let items = |key: &str| node.get(key).map_or(&[][..], Node::one_or_many);
    let texts = |key: &str| items(key).iter().filter_map(Node::scalar).cloned();
    package.variants = texts("variants").collect();
    package.given = texts("version").collect();
    let externals = items("externals").iter();
    package
        .given
        .extend(externals.filter_map(|item| item.get("spec")?.scalar().cloned()));
    for item in items("require") {
        asked(item, &mut package.require, &mut package.perhaps);
    }
    for item in items("prefer") {
        asked(item, &mut package.prefer, &mut package.perhaps);
    }
    package
}

/// A text, `spec:`, or one of several.
fn asked(item: &Node, surely: &mut Vec<Mapped>, perhaps: &mut Vec<Mapped>) {
    let own = item.scalar().or_else(|| item.get("spec")?.scalar());
    let one_of = ["one_of", "any_of"].iter().find_map(|key| item.get(key));
    let several = one_of.map_or(&[][..], Node::one_or_many);
    let texts: Vec<Mapped> = own
        .into_iter()
        .chain(several.iter().filter_map(Node::scalar))
        .cloned()
        .collect();
    match texts.len() == 1 && item.get("when").is_none() {
        true => surely.extend(texts),
        false => perhaps.extend(texts),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(texts: &[Mapped]) -> String {
        let texts: Vec<&str> = texts.iter().map(Mapped::text).collect();
        texts.join(" ")
    }

    #[test]
    fn an_environment() {
        let file = read(
            "spack:
  definitions:
  - apps: [a, b+cuda]
  - builds: ['%gcc', '%clang']
  specs:
  - c@1.2
  - $apps
  - matrix:
    - [$apps]
    - [cuda_arch=80]
    - [$^c]
  include: [more.yaml, {path: other.yaml}]
  mirrors: {m: file:///m}
  packages:
    all:
      variants: +cuda cuda_arch=80
      require: ['%gcc', {one_of: [cuda_arch=80, cuda_arch=90]}, {spec: +mpi, when: +x}]
      prefer: [{spec: +shared}]
    cuda: {version: [12.4.1], externals: [{spec: cuda@12.4.1, prefix: /usr/local/cuda}]}
",
        );
        let specs: Vec<String> = file.specs.iter().map(|pieces| shown(pieces)).collect();
        assert_eq!(specs, ["c@1.2", "a", "b+cuda"]);
        let all = &file.packages[0];
        assert_eq!(
            [&all.variants, &all.require, &all.prefer, &all.perhaps].map(|t| shown(t)),
            [
                "+cuda cuda_arch=80",
                "%gcc",
                "+shared",
                "cuda_arch=80 cuda_arch=90 +mpi"
            ]
        );
        assert_eq!(shown(&file.packages[1].given), "12.4.1 cuda@12.4.1");
        assert_eq!(file.includes, ["more.yaml", "other.yaml"]);
        assert!(file.mirrors);
    }

    #[test]
    fn lists_in_lists_come_to_an_end() {
        let list = |of: &str| vec![of; 200].join(", ");
        let text = format!(
            "spack:\n  definitions: [{{a: [{}]}}, {{b: [{}]}}, {{c: [$a]}}]\n  specs: [$a, $c]\n",
            list("$b"),
            list("$c"),
        );
        let file = read(&text);
        assert!(file.cut);
        assert!(file.specs.is_empty());
    }

    #[test]
    fn a_matrix_is_every_row_with_every_other() {
        let file = read(
            "spack:\n  definitions: [{deps: [c, d]}]\n  specs: [{matrix: [[a, b], [+cuda], [$^deps]]}]\n",
        );
        let specs: Vec<String> = file.specs.iter().map(|pieces| shown(pieces)).collect();
        assert_eq!(
            specs,
            ["a +cuda ^ c", "a +cuda ^ d", "b +cuda ^ c", "b +cuda ^ d"]
        );
    }
}
