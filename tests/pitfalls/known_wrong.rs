//! Cases with the right answer, which today is not given.
use crate::case::{Case, KnownWrong};
use kimg_lint::facts::Severity::Error;

pub const CASES: &[KnownWrong] = &[KnownWrong {
    case: Case {
        name: "a switch that llama-cpp-python does not read: nothing for a GPU is built",
        text: r"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
ENV CUDA_DOCKER_ARCH=all GGML_CUDA=1
RUN pip install llama-cpp-python==0.3.2
",
        says: &[("KIMG304", Error, 3)],
        quiet: &[],
    },
    fault: "GGML_CUDA and CUDA_DOCKER_ARCH in the environment show what was wanted, and the CPU build passes in silence",
}];
