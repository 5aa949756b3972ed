//! The `kimg-lint` command.
use std::process::ExitCode;

/// Measured on Linux alone; see `docs/performance.md`.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    kimg_lint::cli::main()
}
