//! Lists of one project that disagree.
use super::{Confidence, SetAt};
use serde::{Deserialize, Serialize};

/// A list for the same builder in another file, which has architectures that this one leaves out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Drift {
    /// The other list.
    pub text: String,
    /// Where it was set.
    pub at: SetAt,
    /// The file that builds with it.
    pub path: String,
    /// The architectures that only the other list has, spelled `sm_90`.
    pub only_there: Vec<String>,
    /// `likely`: the two may be meant to differ.
    pub confidence: Confidence,
}
