//! Base images.
use super::{FleetFit, Known, Tool};
use crate::span::Place;
use serde::{Deserialize, Serialize};

/// An image that a stage or job starts from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BaseImage {
    /// The reference after expansion; `unknown` parts are written `?`.
    pub reference: String,
    /// CUDA toolkit.
    pub toolkit: Tool,
    /// Whether nvcc is in it.
    pub nvcc: Known,
    /// torch.
    pub torch: Tool,
    /// The file.
    pub path: String,
    /// The reference in the file.
    pub span: Place,
    /// What is wrong for the fleet where a container of it starts.
    #[serde(default)]
    pub fleet: FleetFit,
}
