//! The `kimg-lint` command.
use std::process::ExitCode;

fn main() -> ExitCode {
    kimg_lint::cli::main()
}
