//! Whether the parts of a build's toolchain fit together.
use super::cond::{Tri, in_range};
use super::record::{Record, Want};
use super::records::parent;
use crate::actions::{Action, Source, verb::Verb};
use crate::cuda::{Device, Support, ToolkitVersion, Unreached, suggest};
use crate::facts::{CudaMatch, Fit, Known, Outcome, RuntimeCompiler, TorchSeen};
use crate::knowledge::torch_wheels::default_wheel;
use crate::knowledge::{Cpu, TorchWheel};
use crate::walk::content::Presence;
use crate::walk::walked::Step;

/// The fit of one build. `runs`: nvcc in the image that runs it, where the file makes that.
pub fn fit(
    record: &'static Record,
    step: &Step,
    outcome: Outcome,
    runs: Option<&Presence>,
    fleet: &[Device],
) -> Fit {
    let wants = |want: Want| wants(record).contains(&want);
    let mut fit = Fit {
        torch_seen: TorchSeen::Same,
        cuda_match: CudaMatch::Same,
        runtime_compiler: RuntimeCompiler::NotNeeded,
    };
    if wants(Want::Torch) || wants(Want::TorchOfSameCuda) {
        fit.torch_seen = torch_seen(step);
        fit.cuda_match = cuda_match(step, wants(Want::TorchOfSameCuda));
    }
    if outcome == Outcome::Runtime && wants(Want::NvccAtRunTime) {
        let nvcc = runs.unwrap_or(&step.state.nvcc);
        fit.runtime_compiler = match nvcc.there {
            Known::Yes if is_too_old(nvcc.version.as_deref(), fleet) => RuntimeCompiler::TooOld,
            Known::Yes => RuntimeCompiler::Present,
            // an image that others build on may get it there
            Known::No if runs.is_some() => RuntimeCompiler::Missing,
            _ => RuntimeCompiler::Unknown,
        };
    }
    if outcome == Outcome::Runtime && wants(Want::NvrtcAtRunTime) {
        let of_package = cuda_of_wheel(&step.action);
        let version = of_package.as_deref().or(step.state.cuda.as_deref());
        fit.runtime_compiler = match version {
            Some(_) if is_too_old(version, fleet) => RuntimeCompiler::TooOld,
            Some(_) => RuntimeCompiler::Present,
            None => RuntimeCompiler::Unknown,
        };
    }
    fit
}

/// The CUDA version that a wheel bears in its name: 11.3 of `cupy-cuda113`. `12x` is any.
fn cuda_of_wheel(action: &Action) -> Option<String> {
    let Source::Index { name, .. } = &action.source else {
        return None;
    };
    let (_, digits) = name.rsplit_once("cuda")?;
    ToolkitVersion::from_variant(&format!("cu{digits}")).map(|version| version.to_string())
}

/// Whether a compiler of this CUDA version compiles nothing that runs on some GPU of the fleet, because it is older.
fn is_too_old(version: Option<&str>, fleet: &[Device]) -> bool {
    let Some(version) = version.and_then(|text| text.parse::<ToolkitVersion>().ok()) else {
        return false;
    };
    let older = |unreached: &Unreached| matches!(unreached.why, Some(Support::TooOld { .. }));
    suggest(fleet, Some(version), None)
        .unreached
        .iter()
        .any(older)
}

fn wants(record: &'static Record) -> &'static [Want] {
    record
        .wants
        .or_else(|| parent(record)?.wants)
        .map_or(&[], |list| list.0)
}

fn torch_seen(step: &Step) -> TorchSeen {
    let torch = &step.state.torch;
    let pip = matches!(step.action.verb, Verb::Index | Verb::Source);
    let isolated = match pip && step.action.isolated {
        true => isolates(step),
        false => Tri::No,
    };
    match (torch.there, isolated) {
        (Known::No, Tri::No) => TorchSeen::None,
        (Known::Yes, Tri::No) => TorchSeen::Same,
        (Known::Yes, Tri::Yes) => TorchSeen::Other,
        _ => TorchSeen::Unknown,
    }
}

/// Whether the installer builds in an environment of its own where nobody tells it not to. pip does since version 10 where there
/// is a `pyproject.toml`, and always since 25.3 (`pip/_internal/req`, its changelog); the others always did.
fn isolates(step: &Step) -> Tri {
    if !step.action.tool.starts_with("pip") {
        return Tri::Yes;
    }
    let version = step.state.pip.version.as_deref();
    let came = step.state.pip.there == Known::Yes;
    match in_range("<10", version) {
        Tri::Yes if came => return Tri::No,
        // the distribution's, if no other came some way
        Tri::Yes => return Tri::Unknown,
        _ => {}
    }
    // an image of that age has a pip that builds a setup.py project in place
    let old = in_range("<2", step.state.torch.version.as_deref()) == Tri::Yes;
    match in_range(">=25.3", version) {
        Tri::Yes => Tri::Yes,
        Tri::No if step.action.unlisted && in_range("<23.1", version) == Tri::Yes => Tri::No,
        _ if step.action.unlisted || old => Tri::Unknown,
        _ => Tri::Yes,
    }
}

fn cuda_match(step: &Step, exactly: bool) -> CudaMatch {
    let nvcc: Option<ToolkitVersion> = step
        .state
        .nvcc
        .version
        .as_deref()
        .and_then(|v| v.parse().ok());
    let (Some(nvcc), Some(torch)) = (nvcc, cuda_of(&step.state.torch)) else {
        return CudaMatch::Unknown;
    };
    if step.action.isolated && matches!(step.action.verb, Verb::Index | Verb::Source) {
        return CudaMatch::Unknown;
    }
    if nvcc == torch {
        CudaMatch::Same
    } else if nvcc.major != torch.major {
        CudaMatch::Major
    } else if exactly {
        CudaMatch::MinorRefused
    } else {
        CudaMatch::Minor
    }
}

/// The CUDA version that torch was built with.
pub(super) fn cuda_of(torch: &Presence) -> Option<ToolkitVersion> {
    if let Some(variant) = &torch.variant {
        return ToolkitVersion::from_variant(variant);
    }
    // without an index, the default wheel of the release
    let version = torch.version.as_deref()?.parse().ok()?;
    let from_index = torch.from.starts_with("pip install");
    let wheel: &TorchWheel = default_wheel(version, Cpu::X86).filter(|_| from_index)?;
    ToolkitVersion::from_variant(&wheel.variant)
}
