//! Jobs that may leave device code out on purpose: many projects test their CPU half on a machine without CUDA.
use crate::facts::{Build, Confidence, Known, Outcome};

/// What a service builds where no nvcc is, and what then does without device code by itself, is likely a fault, and no more.
pub(super) fn doubt(builds: &mut [Build]) {
    for build in builds {
        if build.nvcc == Known::No && build.outcome == Outcome::CpuOnly {
            build.confidence = Confidence::Likely;
        }
    }
}
