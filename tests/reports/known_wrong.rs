//! Reports with the right answer, which today is not given.
use crate::case::KnownWrong;

pub const CASES: &[KnownWrong] = &[];
