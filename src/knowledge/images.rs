//! Base images: what a reference tells of the toolkit, nvcc, torch and the environment.
use super::pattern;
use super::record::{Cpu, ImageRow, NgcRelease, Sh, TagRow, TorchKind};
use super::tables::{IMAGES, NGC_RELEASES};
use crate::cuda::{ToolkitVersion, Version};
use crate::facts::Known;
use crate::table::{List, Text, Trust};
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::OnceLock;

/// What is known of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageFacts {
    /// The reference in its short form: `docker.io/library/python:3.12` is `python:3.12`.
    pub reference: String,
    /// The CUDA toolkit's version, as far as the tag tells.
    pub toolkit: Option<ToolkitVersion>,
    /// Whether nvcc is in it.
    pub nvcc: Known,
    /// Its torch.
    pub torch: Torch,
    /// Variables that are set: with their value, or `None` where that is not known.
    pub presets: Vec<(Cow<'static, str>, Option<String>)>,
    /// Whether no other variable that builders read is set.
    pub closed: bool,
    /// Made for GPUs of another maker: nothing in it compiles CUDA.
    pub other_gpu: bool,
    /// The directory that a stage on it begins in, as far as known.
    pub workdir: Option<Cow<'static, str>>,
    /// What `/bin/sh` is.
    pub sh: Option<Sh>,
    /// `ubuntu22.04`, as far as the tag tells.
    pub os: Option<String>,
    /// Driver branches older than the toolkit's under which its containers start, except on GPUs for consumers; empty: not known.
    pub drivers: List<u16>,
    /// How well this is known.
    pub trust: Trust,
}

/// The torch of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Torch {
    /// Not known.
    Unknown,
    /// There is none.
    Absent,
    /// There is one.
    Present {
        /// Its version, as far as the tag tells.
        version: Option<Version>,
        /// The public wheel's variant (`cu124`); `None` where it is not a public wheel for CUDA, or not known.
        variant: Option<String>,
    },
}

/// Whether some public base image sets the variable: then an unknown one may, too.
pub fn is_ever_preset(variable: &str) -> bool {
    static NAMES: OnceLock<HashSet<&'static str>> = OnceLock::new();
    let of_row = |row: &'static ImageRow| {
        let tags = row.tags.into_iter().flat_map(|tag| tag.env.0);
        row.env.0.iter().chain(tags).map(|(name, _)| name.as_str())
    };
    let names = || IMAGES.iter().flat_map(of_row).collect();
    NAMES.get_or_init(names).contains(variable)
}

/// What is known of the image `reference`; `None` for a repository that the table does not have. Without a tag that tells more
/// (a digest, `latest`) what holds for the whole repository remains.
pub fn lookup(reference: &str, cpu: Cpu) -> Option<ImageFacts> {
    let (repository, tag) = split(reference);
    let fits = |row: &&ImageRow| {
        let mut patterns = row.repos.into_iter();
        patterns.any(|pattern| pattern::fit(pattern.as_str(), repository).is_some())
    };
    let row = IMAGES.iter().find(fits)?;
    Some(Reading::of(row, tag.unwrap_or_default(), cpu).facts(reference))
}

/// The repository without what Docker Hub's names may leave out, and the tag. A digest is dropped: the tag beside it was written for people.
fn split(reference: &str) -> (&str, Option<&str>) {
    let name = short(reference);
    let name = name.split_once('@').map_or(name, |(name, _)| name);
    match name.rsplit_once(':') {
        // A colon before the last slash is a port.
        Some((repository, tag)) if !tag.contains('/') => (repository, Some(tag)),
        _ => (name, None),
    }
}

/// The reference without what Docker Hub's names may leave out.
pub fn short(reference: &str) -> &str {
    const MIRRORS: [&str; 6] = [
        "docker://",
        "docker.io/",
        "index.docker.io/",
        "registry-1.docker.io/",
        "mirror.gcr.io/",
        "public.ecr.aws/docker/",
    ];
    let name = MIRRORS
        .iter()
        .find_map(|host| reference.strip_prefix(host))
        .unwrap_or(reference);
    name.strip_prefix("library/").unwrap_or(name)
}

/// A row with what the tag told.
struct Reading<'t> {
    row: &'static ImageRow,
    /// The tag's rows that fit.
    tags: Vec<&'static TagRow>,
    /// What their braces caught, and what an NGC release adds.
    values: pattern::Caught<'t>,
    ngc: Option<&'static NgcRelease>,
}

impl<'t> Reading<'t> {
    fn of(row: &'static ImageRow, tag: &'t str, cpu: Cpu) -> Self {
        let mut reading = Self {
            row,
            tags: Vec::new(),
            values: Vec::new(),
            ngc: None,
        };
        for told in row.tags {
            if let Some(caught) = pattern::fit(told.tag.as_str(), tag) {
                reading.tags.push(told);
                reading.values.extend(caught);
            }
        }
        if row.ngc {
            let release = reading.value("release");
            reading.ngc = NGC_RELEASES
                .iter()
                .find(|known| Some(known.release.as_str()) == release);
        }
        if let Some(known) = reading.ngc {
            let list = known.arm64.filter(|_| cpu == Cpu::Arm);
            reading.values.extend([
                ("cuda", known.toolkit.as_str()),
                ("list", list.unwrap_or(known.list).as_str()),
            ]);
        }
        reading
    }

    fn value(&self, name: &str) -> Option<&'t str> {
        let mut values = self.values.iter();
        values
            .find(|(known, _)| *known == name)
            .map(|&(_, value)| value)
    }

    /// The text with its braces filled; `None` if one caught nothing.
    fn fill(&self, text: &str) -> Option<String> {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}')?;
            filled.push_str(before);
            filled.push_str(self.value(name)?);
            rest = after;
        }
        filled.push_str(rest);
        Some(filled)
    }

    fn toolkit(&self) -> Option<ToolkitVersion> {
        let by_digits = |digits: &str| {
            // Four digits: cu1281 is 12.8.1.
            let digits = digits.get(..3).unwrap_or(digits);
            ToolkitVersion::from_variant(&format!("cu{digits}"))
        };
        self.value("cuda")
            .and_then(|version| version.parse().ok())
            .or_else(|| self.value("cu").and_then(by_digits))
            .or_else(|| self.tags.iter().find_map(|tag| tag.toolkit))
    }

    fn torch(&self) -> Torch {
        let caught = self.value("torch").and_then(|version| version.parse().ok());
        let wheel = || self.toolkit().map(ToolkitVersion::variant);
        match self.row.torch {
            None => Torch::Unknown,
            Some(TorchKind::Absent) => Torch::Absent,
            Some(TorchKind::Wheel) => Torch::Present {
                version: caught,
                variant: wheel(),
            },
            Some(TorchKind::Own) => Torch::Present {
                version: self.ngc.map(|known| known.torch),
                variant: None,
            },
            Some(TorchKind::Other) => Torch::Present {
                version: None,
                variant: None,
            },
        }
    }

    fn presets(&self) -> Vec<(Cow<'static, str>, Option<String>)> {
        let mut presets: Vec<(Cow<'static, str>, Option<String>)> = Vec::new();
        let of_tags = self.tags.iter().flat_map(|tag| tag.env);
        for &(name, value) in of_tags.chain(self.row.env) {
            let name = name.as_str();
            if !presets.iter().any(|(set, _)| *set == name) {
                presets.push((name.into(), value.and_then(|value| self.fill(&value))));
            }
        }
        presets
    }

    fn facts(&self, reference: &str) -> ImageFacts {
        let nvcc = self.tags.iter().find_map(|tag| tag.nvcc).or(self.row.nvcc);
        let os = self.tags.iter().find_map(|tag| tag.os);
        ImageFacts {
            reference: short(reference).to_owned(),
            toolkit: self.toolkit(),
            nvcc: nvcc.map_or(Known::Unknown, Known::from),
            torch: self.torch(),
            presets: self.presets(),
            closed: self.row.closed,
            other_gpu: self.row.other_gpu,
            workdir: self.row.workdir.map(|text| text.as_str().into()),
            sh: self.tags.iter().find_map(|tag| tag.sh).or(self.row.sh),
            os: os.and_then(|os: Text| self.fill(&os)),
            drivers: self
                .tags
                .iter()
                .map(|tag| tag.drivers)
                .find(|d| !d.is_empty())
                .unwrap_or_default(),
            trust: self.ngc.map_or(self.row.trust, |known| known.trust),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `toolkit nvcc torch`, `-` for what is not known.
    fn told(reference: &str) -> String {
        let Some(facts) = lookup(reference, Cpu::X86) else {
            return "none".to_owned();
        };
        let or_dash = |text: Option<String>| text.unwrap_or("-".to_owned());
        let torch = match facts.torch {
            Torch::Unknown => "-".to_owned(),
            Torch::Absent => "absent".to_owned(),
            Torch::Present { version, variant } => format!(
                "{}+{}",
                or_dash(version.map(|v| v.to_string())),
                or_dash(variant)
            ),
        };
        let toolkit = or_dash(facts.toolkit.map(|v| v.to_string()));
        format!("{toolkit} {:?} {torch}", facts.nvcc)
    }

    /// Reference = toolkit, nvcc, torch.
    const TOLD: &str = "
        nvidia/cuda:12.4.1-devel-ubuntu22.04 = 12.4 Yes absent
        nvidia/cuda:13.0.0-cudnn-devel-ubuntu24.04 = 13.0 Yes absent
        nvidia/cuda:11.3.1-cudnn8-devel-ubuntu20.04 = 11.3 Yes absent
        nvidia/cuda:11.3.1-devel-cudnn8-ubuntu20.04 = 11.3 Yes absent
        nvidia/cuda:12.8.1-runtime-ubi9 = 12.8 No absent
        nvidia/cuda:10.2-base = 10.2 No absent
        docker.io/nvidia/cuda:12.1.0-base-ubuntu22.04 = 12.1 No absent
        index.docker.io/nvidia/cuda:12.1.0-devel-ubi8 = 12.1 Yes absent
        nvcr.io/nvidia/cuda:12.2.0-devel-ubuntu22.04 = 12.2 Yes absent
        nvidia/cuda:12.4.1-devel-ubuntu22.04@sha256:abc = 12.4 Yes absent
        nvidia/cuda@sha256:abc = - Unknown absent
        nvidia/cuda = - Unknown absent
        nvidia/cuda:latest = - Unknown absent
        nvcr.io/nvidia/pytorch:24.10-py3 = 12.6 Yes 2.5a0+-
        nvcr.io/nvidia/pytorch:99.01-py3 = - Yes -+-
        nvcr.io/nvidia/tensorrt:24.10-py3 = 12.6 Yes absent
        nvcr.io/nvidia/tritonserver:24.08-py3 = 12.6 Unknown -
        pytorch/pytorch:2.4.1-cuda12.1-cudnn9-devel = 12.1 Yes 2.4.1+cu121
        pytorch/pytorch:2.4.1-cuda12.1-cudnn9-runtime = 12.1 No 2.4.1+cu121
        pytorch/pytorch:latest = - Unknown -+-
        python:3.11-slim = - No absent
        docker.io/library/python:3.11 = - No absent
        public.ecr.aws/docker/library/ubuntu:22.04 = - No absent
        library/debian = - No absent
        scratch = - No absent
        rocm/pytorch:latest = - No -+-
        vllm/vllm-openai:v0.11.0 = - Yes -+-
        lmsysorg/sglang:v0.5.3-cu129 = 12.9 Yes -+cu129
        runpod/pytorch:2.1.0-py3.10-cuda11.8.0-devel-ubuntu22.04 = 11.8 Yes 2.1+cu118
        runpod/pytorch:1.0.2-cu1281-torch280-ubuntu2404 = 12.8 Yes -+cu128
        runpod/base:1.0.2-cuda1281-ubuntu2404 = 12.8 Yes absent
        runpod/base:0.4.0-cuda11.8.0 = 11.8 Yes absent
        runpod/base:1.0.2-ubuntu2404 = - No absent
        rapidsai/base:24.10-cuda12.5-py3.12 = 12.5 No absent
        tensorflow/tensorflow:2.15.0-gpu = 12.2 No absent
        tensorflow/tensorflow:2.10.1-devel-gpu = 11.2 Yes absent
        paddlepaddle/paddle:2.6.1-gpu-cuda12.0-cudnn8.9-trt8.6 = 12.0 Yes absent
        763104351884.dkr.ecr.us-east-1.amazonaws.com/pytorch-training:2.3.0-gpu-py311-cu121-ubuntu20.04-ec2 = 12.1 Yes -
        763104351884.dkr.ecr.us-west-2.amazonaws.com/huggingface-pytorch-inference:2.1.0-transformers4.37.0-gpu-py310-cu118-ubuntu20.04 = 11.8 No -
        nvcr.io/nvidia/l4t-pytorch:r35.2.1-pth2.0-py3 = 11.4 Unknown -+-
        nvcr.io/nvidia/l4t-jetpack:r36.4.0 = - Yes absent
        mambaorg/micromamba:1.5-jammy-cuda-12.1.1 = 12.1 No absent
        nvcr.io/nvidia/cuda-dl-base:25.01-cuda12.8-devel-ubuntu24.04 = 12.8 Yes absent
        pytorch/manylinux2_28-builder:cuda12.6-main = 12.6 Yes absent
        pytorch/manylinux-builder:cpu = - No absent
        r8.im/cog-base:cuda12.1-python3.11-torch2.3.1 = 12.1 Yes 2.3.1+cu121
        public.ecr.aws/deep-learning-containers/pytorch-training:2.3.0-gpu-py311-cu121-ubuntu20.04-ec2 = 12.1 Yes -
        registry.example:5000/team/base:1 = none
        registry.example:5000/team/base = none
        mypython:3.11 = none
    ";

    #[test]
    fn references_tell() {
        for row in TOLD.trim().lines() {
            let (reference, expected) = row.trim().split_once(" = ").unwrap();
            assert_eq!(told(reference), expected, "{reference}");
        }
        assert_eq!(told(""), "none");
    }

    #[test]
    fn presets_are_filled_or_unknown() {
        let preset = |reference: &str, name: &str, cpu| {
            let facts = lookup(reference, cpu).unwrap();
            let mut presets = facts.presets.into_iter();
            presets
                .find(|(set, _)| *set == name)
                .map(|(_, value)| value)
        };
        let list = "TORCH_CUDA_ARCH_LIST";
        for (reference, name, cpu, expected) in [
            (
                "nvidia/cuda:12.4.1-base-ubi9",
                "CUDA_VERSION",
                Cpu::X86,
                Some(Some("12.4.1")),
            ),
            (
                "nvidia/cuda@sha256:abc",
                "CUDA_VERSION",
                Cpu::X86,
                Some(None),
            ),
            ("nvidia/cuda:12.4.1-base-ubi9", list, Cpu::X86, None),
            (
                "pytorch/pytorch:2.4.1-cuda12.1-cudnn9-devel",
                list,
                Cpu::X86,
                None,
            ),
            (
                "nvcr.io/nvidia/pytorch:24.10-py3",
                list,
                Cpu::X86,
                Some(Some("5.2 6.0 6.1 7.0 7.2 7.5 8.0 8.6 8.7 9.0+PTX")),
            ),
            (
                "nvcr.io/nvidia/pytorch:25.10-py3",
                list,
                Cpu::Arm,
                Some(Some("8.0 8.6 9.0 10.0 11.0 12.0+PTX")),
            ),
            (
                "nvcr.io/nvidia/pytorch:24.10-py3-igpu",
                list,
                Cpu::Arm,
                Some(None),
            ),
            (
                "nvcr.io/nvidia/pytorch:99.01-py3",
                list,
                Cpu::X86,
                Some(None),
            ),
        ] {
            let expected = expected.map(|value| value.map(str::to_owned));
            assert_eq!(preset(reference, name, cpu), expected, "{reference} {name}");
        }
    }

    #[test]
    fn what_is_from_memory_is_not_trusted() {
        for row in IMAGES {
            if row.source.contains("from memory") {
                assert_eq!(row.trust, Trust::Low, "{:?}", row.repos);
            }
        }
    }

    #[test]
    fn shells() {
        for (reference, sh) in [
            ("nvidia/cuda:12.4.1-devel-ubuntu22.04", Some(Sh::Dash)),
            ("nvidia/cuda:12.4.1-devel-rockylinux9", Some(Sh::Bash)),
            ("nvidia/cuda:12.4.1-devel-ubi9", Some(Sh::Bash)),
            ("nvidia/cuda:latest", None),
            (
                "pytorch/pytorch:2.4.1-cuda12.1-cudnn9-devel",
                Some(Sh::Dash),
            ),
            ("nvcr.io/nvidia/pytorch:24.10-py3", None),
            ("python:3.12-slim", Some(Sh::Dash)),
            ("python:3.12-alpine", Some(Sh::Busybox)),
            ("alpine:3", Some(Sh::Busybox)),
            ("quay.io/pypa/manylinux2014_x86_64", Some(Sh::Bash)),
            ("mambaorg/micromamba:1.5-jammy-cuda-12.1.1", None),
        ] {
            assert_eq!(lookup(reference, Cpu::X86).unwrap().sh, sh, "{reference}");
        }
    }

    #[test]
    fn environments_and_systems() {
        let facts = |reference| lookup(reference, Cpu::X86).unwrap();
        assert!(facts("python:3.12").closed);
        assert!(!facts("vllm/vllm-openai:latest").closed);
        assert!(facts("rocm/vllm:latest").other_gpu);
        let os = facts("nvidia/cuda:12.4.1-devel-ubuntu22.04").os;
        assert_eq!(os.as_deref(), Some("ubuntu22.04"));
        assert_eq!(facts("docker.io/library/alpine:3").reference, "alpine:3");
    }
}
