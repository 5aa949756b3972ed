//! Whether recipes do no more than compile for the CPU.
use crate::actions::Named;

/// What the recipes of a Makefile run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Host {
    /// A compiler for the CPU was run.
    compiles: bool,
    /// Something else was, too.
    more: bool,
    /// It is not known what some line runs.
    unknown: bool,
}

const COMPILERS: [&str; 14] = [
    "cc", "gcc", "c++", "g++", "clang", "clang++", "icx", "icpx", "gfortran", "mpicc", "mpicxx",
    "mpic++", "ar", "ld",
];
const TOOLS: [&str; 12] = [
    "rm", "mkdir", "echo", "printf", "cp", "mv", "ln", "cd", "touch", "true", ":", "ranlib",
];

impl Host {
    /// A line is run; what is not known of it stands as `?`.
    pub(super) fn runs(&mut self, line: &str) {
        let commands = line.split(['&', '|', ';']).map(str::trim);
        for command in commands.filter(|command| !command.is_empty()) {
            let mut words = command.split_whitespace();
            let mut program = words.next().unwrap_or_default();
            if matches!(program, "ccache" | "sccache" | "time") {
                program = words.next().unwrap_or_default();
            }
            let program = program.rsplit('/').next().unwrap_or_default();
            self.unknown |= program.contains('?');
            if COMPILERS.contains(&program) && !words.any(|word| word.ends_with(".cu")) {
                self.compiles = true;
            } else if !TOOLS.contains(&program) {
                self.more = true;
            }
        }
    }

    /// A Makefile that says all it does, and none of it is for a GPU.
    pub(super) fn is_all(self, given: &[Named]) -> bool {
        self.compiles && !self.more && !given.iter().any(asks_for_cuda)
    }

    /// Something was compiled, and what for may be found out from the whole.
    pub(super) fn may_be_device(self) -> bool {
        self.compiles || self.unknown
    }
}

/// `USE_CUDA=TRUE`: its compiler may be nvcc by another name.
fn asks_for_cuda(given: &Named) -> bool {
    let value = given.value.sketch().to_ascii_lowercase();
    let off = matches!(&*value, "" | "0" | "no" | "off" | "false");
    given.name.to_ascii_lowercase().contains("cuda") && !off
}
