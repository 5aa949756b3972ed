//! The tools that Python packages bring: torch, nvcc, CMake.
use super::named::normalise;
use super::{Effect, Installed, Source, Tool};
use crate::value::Value;

/// The tool that a package brings which comes from the usual index.
pub(super) fn brought_by(source: &Source) -> Option<Effect> {
    brought(source, &[], None).map(Effect::Installed)
}

/// The tool that a package brings, which comes from one of `indexes` and is for `backend`, where these are named.
pub(super) fn brought(
    source: &Source,
    indexes: &[Value],
    backend: Option<&str>,
) -> Option<Installed> {
    let (name, version) = match source {
        Source::Index { name, spec } if name == "pip" => {
            (name.clone(), pinned(spec).or_else(|| newest_below(spec)))
        }
        Source::Index { name, spec } => (name.clone(), pinned(spec)),
        Source::Wheel(file) => {
            let mut parts = file.split('-');
            (
                normalise(parts.next()?),
                parts.next().map(|v| v.replace("%2B", "+")),
            )
        }
        Source::Repo { name, .. } if name == "pytorch/pytorch" => ("torch".to_owned(), None),
        _ => return None,
    };
    let by = format!("pip install {name}");
    let tool = match name.as_str() {
        "torch" => Tool::Torch,
        "torchvision" | "torchaudio" => Tool::TorchLibrary,
        "cmake" => Tool::Cmake,
        "pip" => Tool::Pip,
        _ if name == "nvidia-cuda-nvcc" || name.starts_with("nvidia-cuda-nvcc-cu") => Tool::Nvcc,
        _ => return None,
    };
    let (version, local) = match version.as_deref().and_then(|v| v.split_once('+')) {
        Some((version, local)) => (Some(version.to_owned()), Some(local.to_owned())),
        None => (version, None),
    };
    let variant = local
        .or_else(|| indexes.iter().rev().find_map(wheel_variant))
        .or_else(|| backend.filter(|b| *b != "auto").map(str::to_owned));
    Some(Installed {
        tool,
        version,
        variant: variant.filter(|_| matches!(tool, Tool::Torch | Tool::TorchLibrary)),
        default_index: matches!(source, Source::Index { .. })
            && indexes.is_empty()
            && backend.is_none(),
        by,
    })
}

/// `<10` of a package whose releases count whole numbers: the last before it.
fn newest_below(spec: &Value) -> Option<String> {
    let text = spec.sketch();
    let below = text
        .split(',')
        .find_map(|part| part.trim().strip_prefix('<'))?;
    let first: u32 = below.trim().parse().ok()?;
    Some(first.checked_sub(1)?.to_string())
}

/// `==2.4.0` names a version; a range does not.
pub(crate) fn pinned(spec: &Value) -> Option<String> {
    let text = spec.sketch();
    let version = text
        .trim()
        .strip_prefix("===")
        .or_else(|| text.trim().strip_prefix("=="))?
        .trim();
    (!version.contains(['?', ',', '*', '<', '>']) && !version.is_empty())
        .then(|| version.to_owned())
}

/// `…/whl/cu124` names a variant.
fn wheel_variant(index: &Value) -> Option<String> {
    let text = index.sketch();
    let last = text.trim_end_matches('/').rsplit('/').next()?;
    let known = last == "cpu"
        || ["cu1", "rocm", "xpu"].iter().any(|p| last.starts_with(p))
        || (last.starts_with("cu")
            && last.len() > 2
            && last[2..].bytes().all(|b| b.is_ascii_digit()));
    (known && !last.contains('?')).then(|| last.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_come_from_index_addresses() {
        for (index, want) in [
            ("https://download.example/whl/cu124", Some("cu124")),
            ("https://x/whl/nightly/cu128/", Some("cu128")),
            ("https://x/whl/cpu", Some("cpu")),
            ("https://x/simple", None),
        ] {
            assert_eq!(wheel_variant(&Value::literal(index, None)).as_deref(), want);
        }
    }
}
