//! Jobs that may leave device code out on purpose: many projects test their CPU half on a machine without CUDA.
use crate::facts::{Build, Confidence, Diagnosis, Known, Outcome};

/// What a service builds where no nvcc is known to be, and what then does without device code by itself, is likely a fault, and no
/// more. Who wrote a list wants device code.
pub(super) fn doubt(builds: &mut [Build]) {
    for build in builds {
        let wants_nothing = matches!(build.diagnosis, Diagnosis::Ok | Diagnosis::Missing);
        if wants_nothing && build.nvcc != Known::Yes && build.outcome == Outcome::CpuOnly {
            build.confidence = Confidence::Likely;
        }
    }
}
