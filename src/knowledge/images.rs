//! Base images (stub until the table is merged).
use crate::facts::Known;

pub struct ImageFacts {
    pub toolkit: Option<String>,
    pub nvcc: Known,
    pub torch: Option<(Option<String>, Option<String>)>,
    pub presets: Vec<(String, String)>,
    pub closed: bool,
}

pub fn lookup(reference: &str) -> Option<ImageFacts> {
    let (repo, tag) = reference.split_once(':').unwrap_or((reference, ""));
    let devel = tag.contains("devel");
    match repo {
        "nvidia/cuda" => Some(ImageFacts {
            toolkit: tag
                .split('-')
                .next()
                .map(|v| v.split('.').take(2).collect::<Vec<_>>().join(".")),
            nvcc: devel.into(),
            torch: None,
            presets: vec![],
            closed: true,
        }),
        "pytorch/pytorch" => {
            let cuda = tag
                .split("cuda")
                .nth(1)
                .map(|v| v.split('-').next().unwrap_or(v).to_owned());
            Some(ImageFacts {
                toolkit: cuda,
                nvcc: devel.into(),
                torch: Some((tag.split('-').next().map(str::to_owned), None)),
                presets: vec![],
                closed: true,
            })
        }
        "ubuntu" | "python" | "debian" => Some(ImageFacts {
            toolkit: None,
            nvcc: Known::No,
            torch: None,
            presets: vec![],
            closed: true,
        }),
        "nvcr.io/nvidia/pytorch" => Some(ImageFacts {
            toolkit: Some("12.8".into()),
            nvcc: Known::Yes,
            torch: Some((None, None)),
            presets: vec![(
                "TORCH_CUDA_ARCH_LIST".into(),
                "7.5 8.0 8.6 9.0 10.0 12.0+PTX".into(),
            )],
            closed: true,
        }),
        _ => None,
    }
}
