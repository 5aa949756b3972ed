//! The `kimg-lint` command.
fn main() {}
