//! What a stage starts with: the base image's presets and tools.
use super::content::Presence;
use super::shells::Shell;
use super::state::State;
use super::variable::{Alternative, Origin};
use super::walked::Given;
use crate::facts::{Known, SetHow};
use crate::knowledge::images::{ImageFacts, Torch};
use crate::knowledge::own::lookup_with;
use crate::table::Trust;
use crate::value::Value;

/// The state at the start of a stage on the image `reference`.
pub(super) fn state(reference: &Value, given: &Given) -> State {
    let mut state = of_reference(reference, given);
    state.shell = Shell::Sh;
    state
}

fn of_reference(reference: &Value, given: &Given) -> State {
    let sketch = reference.sketch();
    if sketch == "scratch" {
        return closed();
    }
    let built = || given.built.iter().find(|image| image.reference == sketch);
    let known = lookup_with(&sketch, given.images, given.cpu());
    match known.or_else(|| Some(built()?.facts.clone())) {
        Some(facts) => of_image(&facts),
        None => {
            let why = format!(
                "the base image {} is not known: it may set it",
                reference.describe()
            );
            let mut state = State::new(Some(&why));
            state.other_gpu = is_for_others(&sketch);
            state
        }
    }
}

/// Toolkits of other makers' GPUs and accelerators: of AMD, Moore Threads, Huawei and Intel.
const OTHERS: [&str; 6] = ["rocm", "musa", "cann", "ascend", "oneapi", "gaudi"];

/// `owner/project:rocm6.2`: whoever made the image says that it is for GPUs of another maker.
fn is_for_others(reference: &str) -> bool {
    let lower = reference.to_ascii_lowercase();
    let mut words = lower.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| {
        let name = word.trim_end_matches(|c: char| c.is_ascii_digit());
        OTHERS.contains(&name)
    })
}

fn of_image(facts: &ImageFacts) -> State {
    let name = facts.reference.as_str();
    let why = format!("the base image {name} may set it");
    let mut state = if facts.closed {
        closed()
    } else {
        State::new(Some(&why))
    };
    state.other_gpu = facts.other_gpu;
    state.sh = facts.sh;
    state.cuda = facts.toolkit.map(|toolkit| toolkit.to_string().into());
    state.doubtful = facts.trust == Trust::Low;
    state.cuda_image = facts.toolkit.is_some() || facts.nvcc == Known::Yes;
    if let Some(directory) = &facts.workdir {
        state.cwd = directory.as_ref().into();
    }
    for (variable, value) in &facts.presets {
        let value = match value {
            Some(text) => Value::literal(text, None),
            None => Value::hole(
                &format!("the base image {name} sets it to a list of its own"),
                None,
                true,
            ),
        };
        let origin = Origin {
            how: SetHow::Preset,
            site: None,
        };
        state.set(variable, vec![Alternative::exported(value, origin)]);
    }
    state.nvcc = match (facts.nvcc, facts.other_gpu) {
        (Known::No, _) | (_, true) => Presence::absent(name),
        (there, false) => Presence {
            there,
            version: facts.toolkit.map(|t| t.to_string().into()),
            variant: None,
            from: name.into(),
        },
    };
    state.pip.version = facts.os.as_deref().and_then(pip_of).map(Into::into);
    state.torch = match &facts.torch {
        Torch::Unknown => Presence::default(),
        Torch::Absent => Presence::absent(name),
        Torch::Present { version, variant } => {
            let version = version.map(|v| v.to_string());
            let mut torch = Presence::present(version.as_deref(), name);
            torch.variant = variant.as_deref().map(Into::into);
            torch
        }
    };
    state
}

/// The pip that old distributions have among their packages.
fn pip_of(os: &str) -> Option<&'static str> {
    match os {
        "ubuntu14.04" => Some("1.5.4"),
        "ubuntu16.04" => Some("8.1.1"),
        "ubuntu18.04" => Some("9.0.1"),
        _ => None,
    }
}

fn closed() -> State {
    let mut state = State::new(None);
    state.nvcc = Presence::absent("");
    state.torch = Presence::absent("");
    state
}
