//! Reading rule files: the built-in ones and the user's, by one loader.
use super::check::Fault;
use super::rule::Rule;
use std::sync::LazyLock;

/// Why a rule file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It has another shape.
    #[error("{path}: {error}")]
    Shape {
        /// The file.
        path: String,
        /// Why.
        error: Box<serde_saphyr::Error>,
    },
    /// It has the shape of a rule and means nothing.
    #[error("{path}: {fault}")]
    Meaning {
        /// The file.
        path: String,
        /// Why.
        fault: Fault,
    },
}

/// Reads and checks the rule file at `path` (used in errors only). Its texts live as long as the program.
pub fn load(path: &str, text: &str) -> Result<&'static Rule, LoadError> {
    let rule = parse(path, text)?;
    rule.check().map_err(|fault| LoadError::Meaning {
        path: path.to_owned(),
        fault,
    })?;
    Ok(Box::leak(Box::new(rule)))
}

fn parse(path: &str, text: &str) -> Result<Rule, LoadError> {
    serde_saphyr::from_str(text).map_err(|error| LoadError::Shape {
        path: path.to_owned(),
        error: Box::new(error),
    })
}

/// The built-in rules, in order of their codes.
pub fn builtin() -> &'static [Rule] {
    &BUILTIN
}

/// Read once a run; the tests prove that every one of them is a rule.
static BUILTIN: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    FILES
        .iter()
        .filter_map(|(path, text)| parse(path, text).ok())
        .collect()
});

macro_rules! files {
    ($($name:literal)*) => {
        &[$((concat!("rules/", $name, ".yaml"), include_str!(concat!("../../rules/", $name, ".yaml")))),*]
    };
}

static FILES: &[(&str, &str)] = files! {
    "KIMG001-unreadable-input"
    "KIMG002-syntax"
    "KIMG003-suppression"
    "KIMG004-undecidable"
    "KIMG101-arch-list-missing"
    "KIMG102-arch-list-late"
    "KIMG103-arch-list-out-of-scope"
    "KIMG104-arch-list-ignored"
    "KIMG105-arch-list-malformed"
    "KIMG106-arch-list-empty"
    "KIMG107-arch-list-native"
    "KIMG204-no-forward-ptx"
    "KIMG301-toolkit-too-old"
    "KIMG302-toolkit-dropped-arch"
    "KIMG303-no-nvcc"
    "KIMG304-silent-cpu-build"
    "KIMG305-build-isolation"
    "KIMG307-no-effect-at-run-time"
    "KIMG308-runtime-compiler"
    "KIMG310-toolkit-torch-mismatch"
};

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn every_built_in_rule_is_read_and_means_something() {
        for (path, text) in FILES {
            let rule = load(path, text).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(*path, format!("rules/{}", rule.file_name()));
        }
        assert_eq!(builtin().len(), FILES.len());
        assert!(builtin().is_sorted_by(|a, b| *a.code < *b.code));
    }

    #[test]
    fn every_rule_file_is_built_in() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| format!("rules/{}", entry.unwrap().file_name().display()))
            .filter(|name| name.ends_with(".yaml"))
            .collect();
        names.sort();
        assert_eq!(
            names,
            FILES.iter().map(|(path, _)| *path).collect::<Vec<_>>()
        );
    }

    #[test]
    fn the_documentation_has_its_headings() {
        let headings = [
            "What it says",
            "Why it matters",
            "Example",
            "Instead",
            "When not to listen",
        ];
        for rule in builtin() {
            let found: Vec<_> = rule
                .docs
                .lines()
                .filter_map(|line| line.strip_prefix("## "))
                .collect();
            assert_eq!(found, headings, "{}", rule.code);
            assert!(!rule.summary().is_empty(), "{}", rule.code);
        }
    }
}
