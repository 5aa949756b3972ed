//! `kimg-lint rules`: the table of rules.
use super::{Color, terminal};
use crate::report::catalogue;
use crate::rules::builtin;
use std::io::{self, Write};

pub(super) fn run(color: Color, out: &mut dyn Write) -> io::Result<()> {
    let rules: Vec<_> = builtin().iter().collect();
    catalogue::write(&rules, out, terminal::detect(color))
}
