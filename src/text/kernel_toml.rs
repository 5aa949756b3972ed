//! `build.toml` of Hugging Face's kernel-builder.
use crate::span::Span;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// What it says of CUDA.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Project {
    /// The name of the whole.
    pub name: String,
    /// The oldest and the newest CUDA that it is built with, where it says so.
    pub cuda: (Option<String>, Option<String>),
    /// Its kernels for CUDA.
    pub kernels: Vec<Kernel>,
}

/// A kernel for CUDA.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Kernel {
    /// Its `cuda-capabilities`, with the bytes between their quotes; `None` for all that the builder supports.
    pub capabilities: Option<Vec<(String, Span)>>,
    /// The oldest CUDA that it is built with.
    pub minver: Option<String>,
}

#[derive(Deserialize)]
struct File {
    general: General,
    #[serde(default)]
    kernel: BTreeMap<String, Table>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct General {
    name: String,
    backends: Option<Vec<String>>,
    cuda: Option<Bounds>,
    cuda_minver: Option<String>,
    cuda_maxver: Option<String>,
}

#[derive(Default, Deserialize)]
struct Bounds {
    minver: Option<String>,
    maxver: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Table {
    backend: Option<String>,
    /// What the first edition has in its place.
    language: Option<String>,
    cuda_capabilities: Option<Vec<Spanned<String>>>,
    cuda_minver: Option<String>,
}

/// Reads such a file; `None` if it is none.
pub fn read(text: &str) -> Option<Project> {
    let file: File = toml::from_str(text).ok()?;
    let General {
        name,
        backends,
        cuda,
        cuda_minver,
        cuda_maxver,
    } = file.general;
    let without = backends.is_some_and(|all| all.iter().all(|backend| backend != "cuda"));
    let bounds = cuda.unwrap_or_default();
    let kernels = file.kernel.into_values();
    let kernels = kernels.filter(|table| !without && table.is_for_cuda());
    Some(Project {
        name,
        cuda: (bounds.minver.or(cuda_minver), bounds.maxver.or(cuda_maxver)),
        kernels: kernels.map(|table| table.kernel(text)).collect(),
    })
}

impl Table {
    fn is_for_cuda(&self) -> bool {
        match (&self.backend, &self.language) {
            (Some(backend), _) => backend == "cuda",
            (None, Some(language)) => language.starts_with("cuda"),
            (None, None) => true,
        }
    }

    fn kernel(self, text: &str) -> Kernel {
        let inner = |item: Spanned<String>| {
            let range = item.span();
            let value = item.into_inner();
            let at = text
                .get(range.clone())
                .and_then(|written| written.find(value.as_str()));
            let start = range.start + at.unwrap_or_default();
            let span = Span::new(start, start + value.len());
            (value, span)
        };
        Kernel {
            capabilities: self
                .cuda_capabilities
                .map(|items| items.into_iter().map(inner).collect()),
            minver: self.cuda_minver,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_for_cuda_and_their_capabilities() {
        let text = "[general]\nname = \"attn\"\nbackends = [\"cuda\", \"rocm\"]\n[general.cuda]\nminver = \"12.8\"\n[torch]\nsrc = []\n\
                    [kernel.a]\nbackend = \"cuda\"\ncuda-capabilities = [\"9.0a\", '10.0']\ncuda-minver = \"13.0\"\nsrc = []\n\
                    [kernel.b]\nbackend = \"rocm\"\nsrc = []\n[kernel.c]\nlanguage = \"cuda-hipify\"\n";
        let read = read(text).unwrap();
        assert_eq!(read.name, "attn");
        assert_eq!(read.cuda, (Some("12.8".to_owned()), None));
        let [a, c] = read.kernels.as_slice() else {
            panic!("{read:?}");
        };
        let capabilities = a.capabilities.as_ref().unwrap();
        let places = capabilities.iter().map(|(_, span)| &text[span.range()]);
        assert_eq!(places.collect::<Vec<_>>(), ["9.0a", "10.0"]);
        assert_eq!(a.minver.as_deref(), Some("13.0"));
        assert_eq!(*c, Kernel::default());
    }

    #[test]
    fn other_files_are_none() {
        for (text, kernels) in [
            (
                "[general]\nname = \"a\"\nbackends = [\"cpu\"]\n[kernel.a]\nbackend = \"cuda\"\n",
                Some(0),
            ),
            ("[general]\nname = \"a\"\n[torch-noarch]\n", Some(0)),
            ("[build]\nname = \"a\"\n", None),
            ("[general", None),
        ] {
            let read = read(text);
            assert_eq!(read.map(|project| project.kernels.len()), kernels, "{text}");
        }
    }
}
