//! Base images that the user describes, before those of the table.
use super::images::{ImageFacts, Torch, lookup, short};
use super::pattern;
use super::record::Cpu;
use crate::cuda::ToolkitVersion;
use crate::facts::Known;
use crate::table::{List, Text, Trust};

/// The user's description of the images whose reference fits a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnImage {
    /// The pattern: `registry.example/base:*`.
    pub pattern: Text,
    /// The image of the table that it resembles.
    pub like: Option<Text>,
    /// Variables that it sets.
    pub env: List<(Text, Text)>,
    /// Its torch, where it differs: `2.6.0`, `2.6.0+cu124` for the public wheel, `none`.
    pub torch: Option<Text>,
    /// Whether nvcc is in it, where that differs.
    pub nvcc: Option<bool>,
}

/// What is known of the image `reference`: by the first description that fits, else by the table.
pub fn lookup_with(reference: &str, own: List<OwnImage>, cpu: Cpu) -> Option<ImageFacts> {
    let fits = |own: &&OwnImage| {
        let mut names = [reference, short(reference)].into_iter();
        names.any(|name| pattern::fit(own.pattern.as_str(), name).is_some())
    };
    match own.iter().find(fits) {
        Some(own) => Some(own.facts(reference, cpu)),
        None => lookup(reference, cpu),
    }
}

impl OwnImage {
    fn facts(&self, reference: &str, cpu: Cpu) -> ImageFacts {
        let like = self.like.and_then(|like| lookup(&like, cpu));
        let mut facts = ImageFacts {
            reference: short(reference).to_owned(),
            trust: Trust::High,
            ..like.unwrap_or_else(blank)
        };
        for (name, value) in self.env {
            facts.presets.retain(|(set, _)| *set != name.as_str());
            facts
                .presets
                .push((name.as_str().into(), Some(value.as_str().to_owned())));
        }
        if let Some(torch) = self.torch {
            facts.torch = read_torch(&torch);
        }
        if let Some(nvcc) = self.nvcc {
            facts.nvcc = nvcc.into();
        }
        facts
    }
}

/// An image of which nothing is known.
fn blank() -> ImageFacts {
    ImageFacts {
        reference: String::new(),
        toolkit: None,
        nvcc: Known::Unknown,
        torch: Torch::Unknown,
        presets: Vec::new(),
        closed: false,
        other_gpu: false,
        workdir: None,
        sh: None,
        os: None,
        drivers: List::default(),
        trust: Trust::High,
    }
}

fn read_torch(text: &str) -> Torch {
    if text == "none" {
        return Torch::Absent;
    }
    let variant = text.split_once('+').map(|(_, variant)| variant);
    let public = variant.filter(|variant| ToolkitVersion::from_variant(variant).is_some());
    Torch::Present {
        version: text.parse().ok(),
        variant: public.map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: OwnImage = OwnImage {
        pattern: Text("registry.example/base:*"),
        like: Some(Text("nvidia/cuda:12.4.1-devel-ubuntu22.04")),
        env: List(&[(Text("TORCH_CUDA_ARCH_LIST"), Text("8.0;9.0"))]),
        torch: Some(Text("2.6.0+cu124")),
        nvcc: None,
    };

    #[test]
    fn a_description_wins_over_the_table() {
        const OTHER: OwnImage = OwnImage {
            pattern: Text("python:*"),
            like: None,
            env: List(&[]),
            torch: Some(Text("none")),
            nvcc: Some(true),
        };
        let facts = |reference| lookup_with(reference, List(&[OWN, OTHER]), Cpu::X86);
        let base = facts("registry.example/base:1").unwrap();
        assert_eq!(base.toolkit, "12.4".parse().ok());
        assert_eq!((base.nvcc, base.closed), (Known::Yes, true));
        let set = |name: &str| base.presets.iter().find(|(set, _)| *set == name).cloned();
        assert_eq!(
            set("TORCH_CUDA_ARCH_LIST").unwrap().1.as_deref(),
            Some("8.0;9.0")
        );
        assert!(set("CUDA_VERSION").is_some());
        let torch = Torch::Present {
            version: "2.6.0".parse().ok(),
            variant: Some("cu124".to_owned()),
        };
        assert_eq!(base.torch, torch);
        let python = facts("docker.io/library/python:3.12").unwrap();
        assert_eq!((python.nvcc, python.torch), (Known::Yes, Torch::Absent));
        assert!(!python.closed);
        assert_eq!(facts("registry.example/other:1"), None);
        assert!(facts("ubuntu:22.04").unwrap().closed);
    }
}
