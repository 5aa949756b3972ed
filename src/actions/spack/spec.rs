//! Specs of spack: `hdf5@1.14 +cuda cuda_arch=80,90 ^kokkos~cuda`.
use crate::actions::args::split;
use crate::actions::{ANY, Named};
use crate::value::Value;

/// A package, and what a spec asks of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Node {
    /// Its name, without a namespace; empty where the spec names none.
    pub(super) name: String,
    /// The same as it is written.
    pub(super) written: Value,
    /// `@1.14`.
    pub(super) version: Option<Value>,
    /// Its variants: `on` and `off` for `+cuda` and `~cuda`; [`ANY`] for what is not known.
    pub(super) variants: Vec<Named>,
}

/// A package, and those that it depends on as far as the spec speaks of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Spec {
    /// The package.
    pub(super) root: Node,
    /// `^name …`.
    pub(super) dependencies: Vec<Node>,
}

/// The specs that words name, one after the other.
pub(super) fn read(words: &[Value]) -> Vec<Spec> {
    let mut reading = Reading::default();
    reading.words(words);
    reading.specs
}

/// What words ask of a package that is named elsewhere.
pub(super) fn attributes(words: &[Value]) -> Node {
    let mut reading = Reading {
        specs: vec![Spec::default()],
        ..Reading::default()
    };
    reading.words(words);
    let mut all = Node::default();
    for spec in reading.specs {
        all.version = all.version.or(spec.root.version);
        all.variants.extend(spec.root.variants);
    }
    all
}

/// Whom the next name means.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Next {
    /// A package to install.
    #[default]
    Root,
    /// A dependency.
    Dependency,
    /// A compiler: it has a name and a version, and what follows belongs to the package again.
    Compiler,
}

#[derive(Default)]
struct Reading {
    specs: Vec<Spec>,
    next: Next,
    /// A version that comes now is the compiler's.
    in_compiler: bool,
}

/// What ends a name or a version inside of a word.
const SIGILS: [char; 6] = ['+', '~', '^', '%', '@', '/'];

/// Texts that are longer are no specs.
pub(super) const MAX_LENGTH: usize = 4096;

impl Reading {
    fn words(&mut self, words: &[Value]) {
        let short = |word: &&Value| word.sketch().len() <= MAX_LENGTH;
        let split = words.iter().filter(short).flat_map(split);
        split.for_each(|word| self.word(&word));
    }

    fn node(&mut self) -> Option<&mut Node> {
        let spec = self.specs.last_mut()?;
        Some(spec.dependencies.last_mut().unwrap_or(&mut spec.root))
    }

    fn variant(&mut self, name: &str, value: Value) {
        if let Some(node) = self.node() {
            let name = name.to_owned();
            node.variants.push(Named { name, value });
        }
    }

    fn word(&mut self, word: &Value) {
        let text = word.sketch();
        // the path of a file with a spec
        if text.starts_with(['.', '/']) {
            return;
        }
        if let Some((name, from)) = assignment(&text) {
            return self.variant(name, word.slice_from(from));
        }
        if text == ANY {
            return self.variant(ANY, word.clone());
        }
        let mut at = 0;
        while at < text.len() {
            at = self.piece(word, &text, at);
        }
    }

    /// Reads what begins at a byte of a word; gives where it ends.
    fn piece(&mut self, word: &Value, text: &str, at: usize) -> usize {
        let rest = &text[at..];
        let sigil = rest.chars().next().filter(|c| SIGILS.contains(c));
        // `++cuda` is handed on to what the package depends on, too
        let start = at + sigil.map_or(0, |c| rest.len() - rest.trim_start_matches(c).len());
        let body = &text[start..];
        let end = start + body.find(SIGILS).unwrap_or(body.len());
        match sigil {
            Some(sign @ ('+' | '~')) => {
                let switch = if sign == '+' { "on" } else { "off" };
                let value = Value::literal(switch, word.site_of(at, end));
                self.variant(&text[start..end], value);
            }
            Some('^' | '%') => {
                let compiler = sigil == Some('%');
                self.next = match compiler {
                    true => Next::Compiler,
                    false => Next::Dependency,
                };
                // `^[virtuals=mpi] mpich`
                return match body.strip_prefix('[').and_then(|inner| inner.find(']')) {
                    Some(close) => start + close + 2,
                    None => start,
                };
            }
            Some('@') if !self.in_compiler => {
                let version = word.slice(at, end);
                if let Some(node) = self.node() {
                    node.version = Some(version);
                }
            }
            Some(_) => {}
            None => self.name(&text[start..end], word, start, end),
        }
        end
    }

    fn name(&mut self, name: &str, word: &Value, start: usize, end: usize) {
        let name = name.rsplit('.').next().unwrap_or(name).to_owned();
        self.in_compiler = self.next == Next::Compiler;
        let node = Node {
            name,
            written: word.slice(start, end),
            ..Node::default()
        };
        match std::mem::take(&mut self.next) {
            Next::Compiler => {}
            Next::Dependency => {
                if let Some(spec) = self.specs.last_mut() {
                    spec.dependencies.push(node);
                }
            }
            Next::Root => self.specs.push(Spec {
                root: node,
                ..Spec::default()
            }),
        }
    }
}

/// The name in `name=value`, `name==value` and `name:=value`, and where the value begins.
fn assignment(text: &str) -> Option<(&str, usize)> {
    let (before, after) = text.split_once('=')?;
    let name = before.strip_suffix(':').unwrap_or(before);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let is_name = !name.is_empty() && name.chars().all(plain);
    let doubled = usize::from(after.starts_with('='));
    is_name.then_some((name, before.len() + 1 + doubled))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `name@version variant=value …`, dependencies after `^`, specs after `;`.
    fn shown(words: &[&str]) -> String {
        let words: Vec<Value> = words.iter().map(|w| Value::literal(w, None)).collect();
        let node = |node: &Node| {
            let version = node.version.as_ref().map(Value::sketch);
            let mut text = format!("{}{}", node.name, version.unwrap_or_default());
            for variant in &node.variants {
                text += &format!(" {}={}", variant.name, variant.value.sketch());
            }
            text
        };
        let specs = read(&words).into_iter().map(|spec| {
            let dependencies = spec.dependencies.iter();
            let dependencies = dependencies.map(|d| format!(" ^{}", node(d)));
            node(&spec.root) + &dependencies.collect::<String>()
        });
        specs.collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn specs_are_read() {
        for (words, expected) in [
            (&["zlib"][..], "zlib"),
            (
                &["hdf5@1.14+cuda~mpi", "cuda_arch=80,90"],
                "hdf5@1.14 cuda=on mpi=off cuda_arch=80,90",
            ),
            (
                &["hdf5 +cuda  cuda_arch=80 ^zlib@1.3"],
                "hdf5 cuda=on cuda_arch=80 ^zlib@1.3",
            ),
            (&["a", "+cuda", "b"], "a cuda=on; b"),
            (
                &["a", "^", "b+cuda", "cuda_arch=90a", "^c"],
                "a ^b cuda=on cuda_arch=90a ^c",
            ),
            (&["a%gcc@12", "cuda_arch==80"], "a cuda_arch=80"),
            (&["a%gcc@12+cuda"], "a cuda=on"),
            (&["a@=1.2", "++cuda"], "a@=1.2 cuda=on"),
            (&["builtin.a@1.2:1.4"], "a@1.2:1.4"),
            (&["a^[virtuals=mpi] b"], "a ^b"),
            (&["a cflags=\"-O3 -g\" +cuda"], "a cflags=-O3 -g cuda=on"),
            (&["a/abcdef", "b"], "a; b"),
            (&["./a.json", "/abcdef", "b"], "b"),
            (&["+cuda"], ""),
            (&[], ""),
        ] {
            assert_eq!(shown(words), expected, "{words:?}");
        }
    }
}
