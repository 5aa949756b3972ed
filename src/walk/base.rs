//! What a stage starts with: the base image's presets and tools.
use super::state::{Alternative, Origin, Presence, State};
use super::value::Value;
use crate::facts::SetHow;
use crate::knowledge::images;

/// The state at the start of a stage on the image `reference`.
pub(super) fn state(reference: &Value) -> State {
    let sketch = reference.sketch();
    if sketch == "scratch" {
        return closed();
    }
    let Some(facts) = images::lookup(&sketch) else {
        let mut state = State::new(Some(&format!(
            "the base image {} is not known: it may set it",
            reference.describe()
        )));
        state.cmake = Presence::default();
        return state;
    };
    let mut state = if facts.closed {
        closed()
    } else {
        State::new(Some(&format!("the base image {sketch} may set it")))
    };
    for (name, value) in facts.presets.iter() {
        let origin = Origin {
            how: SetHow::Preset,
            site: None,
        };
        state.set(
            name,
            vec![Alternative::exported(Value::literal(value, None), origin)],
        );
    }
    state.nvcc = Presence {
        there: facts.nvcc,
        version: facts.toolkit.as_deref().map(Into::into),
        variant: None,
        from: sketch.as_str().into(),
    };
    state.torch = match &facts.torch {
        Some((version, variant)) => {
            let mut torch = Presence::present(version.as_deref(), &sketch);
            torch.variant = variant.as_deref().map(Into::into);
            torch
        }
        None if facts.closed => Presence::absent(&sketch),
        None => Presence::default(),
    };
    state
}

fn closed() -> State {
    let mut state = State::new(None);
    state.nvcc = Presence::absent("");
    state.torch = Presence::absent("");
    state
}
