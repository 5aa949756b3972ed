//! Why a build is judged as it is.
use super::{Build, Known, SetAt};

/// The whole way from a command to the answer about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// The answer.
    pub build: Build,
    /// Which record decides, and how sure it is.
    pub record: RecordNote,
    /// Each setting that the builder reads, in its own order, and what became of it.
    pub candidates: Vec<Candidate>,
    /// The rows of the record that were reached about whether it compiles.
    pub compiles: Vec<RowNote>,
    /// The rows that were reached about what follows.
    pub outcome: Vec<RowNote>,
    /// The other files that were read for the linted one.
    pub read: Vec<String>,
    /// The folder that is taken for the build context, where other files were read.
    pub context: String,
    /// Whether nvcc, a GPU and torch are there.
    pub tools: Vec<(String, Known, String)>,
}

/// A builder record, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordNote {
    /// Its id.
    pub id: String,
    /// high, medium or low.
    pub confidence: String,
    /// What it was read in: `owner/name file at ref, date`.
    pub sources: Vec<String>,
    /// More facts.
    pub notes: String,
}

/// A setting that a builder reads.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// `TORCH_CUDA_ARCH_LIST`.
    pub name: String,
    /// `environment`, `define`, ….
    pub place: String,
    /// What became of it, as a clause.
    pub what: String,
    /// Its text, if it has one.
    pub text: String,
    /// Where it was set.
    pub set_at: Option<SetAt>,
}

/// A row of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowNote {
    /// Its condition; empty for the last one.
    pub when: String,
    /// Its answer.
    pub then: String,
    /// Its words.
    pub say: String,
    /// It was reached only because the condition cannot be decided.
    pub unsure: bool,
}
