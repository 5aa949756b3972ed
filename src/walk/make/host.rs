//! Whether recipes do no more than compile for the CPU.
use crate::actions::Named;

/// What recipes run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Host {
    /// A compiler for the CPU was run.
    compiles: bool,
    /// Something else was, too.
    more: bool,
}

impl Host {
    const COMPILERS: [&str; 12] = [
        "cc", "gcc", "c++", "g++", "clang", "clang++", "gfortran", "mpicc", "mpicxx", "mpic++",
        "ar", "ld",
    ];
    const TOOLS: [&str; 12] = [
        "rm", "mkdir", "echo", "printf", "cp", "mv", "ln", "cd", "touch", "true", ":", "ranlib",
    ];

    pub(super) fn runs(&mut self, line: &str) {
        let commands = line.split(['&', '|', ';']).map(str::trim);
        for command in commands.filter(|command| !command.is_empty()) {
            let mut words = command.split_whitespace();
            let program = words.next().unwrap_or_default();
            let program = program.rsplit('/').next().unwrap_or_default();
            if Self::COMPILERS.contains(&program) && !words.any(|word| word.ends_with(".cu")) {
                self.compiles = true;
            } else if !Self::TOOLS.contains(&program) {
                self.more = true;
            }
        }
    }

    /// A Makefile that says all it does, and none of it is for a GPU.
    pub(super) fn is_all(self) -> bool {
        self.compiles && !self.more
    }
}

/// `USE_CUDA=TRUE`: its compiler may be nvcc by another name.
pub(super) fn asks_for_cuda(given: &Named) -> bool {
    let value = given.value.sketch().to_ascii_lowercase();
    let off = matches!(&*value, "" | "0" | "no" | "off" | "false");
    given.name.to_ascii_lowercase().contains("cuda") && !off
}
