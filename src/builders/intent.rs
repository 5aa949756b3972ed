//! Whether a build is meant for CUDA at all.
use super::record::Record;
use crate::actions::Action;
use crate::facts::Known;
use crate::walk::settings::Setting;
use crate::walk::state::State;
use crate::walk::walked::{Step, Walked};

/// Whether anything says so: nvcc or CUDA in the image, a torch for CUDA, the command itself, or a list that somebody set.
/// Many projects build for the CPU where none of these is there, and are meant to.
pub fn is_for_cuda(step: &Step, record: &Record, walked: &Walked) -> bool {
    let is_near = |setting: &&Setting| walked.is_near(setting, step.scope);
    // where a torch for the CPU was put, nobody waits for an nvcc that may be there
    let nvcc = match step.state.nvcc.there {
        Known::Yes => true,
        Known::No => false,
        Known::Unknown => !torch_is_for_others(&step.state),
    };
    nvcc || step.state.cuda_image
        || torch_is_for_cuda(&step.state)
        || names_cuda(&step.action)
        || record
            .knobs
            .iter()
            .flat_map(|l| l.0)
            .any(|knob| walked.settings.of(&knob.name).any(|s| is_near(&s)))
        || walked.settings.of("FORCE_CUDA").any(|s| is_near(&s))
        || walked
            .settings
            .iter()
            .filter(is_near)
            .any(|s| s.name.contains("CUDA_ARCH"))
}

fn torch_is_for_cuda(state: &State) -> bool {
    state.torch.there == Known::Yes && !torch_is_for_others(state)
}

fn torch_is_for_others(state: &State) -> bool {
    let for_others = |variant: &str| {
        ["cpu", "rocm", "xpu"]
            .iter()
            .any(|v| variant.starts_with(v))
    };
    state.torch.there == Known::Yes && state.torch.variant.as_deref().is_some_and(for_others)
}

fn names_cuda(action: &Action) -> bool {
    let is_cuda = |name: &str| name.to_ascii_lowercase().contains("cuda");
    let off = |text: &str| {
        matches!(
            text.to_ascii_lowercase().as_str(),
            "0" | "off" | "false" | "no"
        )
    };
    let named = action
        .defines
        .iter()
        .chain(&action.make_vars)
        .chain(&action.config_settings)
        .chain(&action.repo_env);
    named
        .into_iter()
        .any(|n| is_cuda(&n.name) && !off(&n.value.sketch()))
        || action
            .features
            .iter()
            .chain(&action.extras)
            .any(|f| is_cuda(f))
        || action
            .options
            .iter()
            .any(|(name, value)| is_cuda(name) && !value.as_ref().is_some_and(|v| off(&v.sketch())))
        || action.tool == "nvcc"
}
