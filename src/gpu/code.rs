//! The driver's answers: plain numbers, of which many are known by name.
use std::fmt;

/// A `CUresult`. Any number may come, also one that was unknown when this was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Code(pub(super) i32);

impl Code {
    pub(super) const SUCCESS: Self = Self(0);
    pub(super) const STUB: Self = Self(34);
    pub(super) const NO_DEVICE: Self = Self(100);
    pub(super) const NO_IMAGE: Self = Self(209);

    /// Success, or the code.
    pub(super) fn ok(self) -> Result<(), Self> {
        match self {
            Self::SUCCESS => Ok(()),
            failed => Err(failed),
        }
    }

    /// Whether it is about the image that was loaded, rather than about the GPU's state.
    pub(super) fn is_about_images(self) -> bool {
        matches!(self.0, 0 | 200 | 209 | 218 | 220..=223)
    }

    /// Whether PTX was there and was not compiled because compiling it is not possible here.
    pub(super) fn is_blocked_ptx(self) -> bool {
        matches!(self.0, 221..=223)
    }

    /// What it means, where that is known (names after cuda.h).
    fn meaning(self) -> Option<&'static str> {
        Some(match self.0 {
            0 => "success",
            1 => "an argument is invalid",
            2 => "out of memory",
            3 => "the driver is not initialised",
            34 => "the libcuda that was found is a stub, made for linking",
            46 => "the GPU is in use: exclusive mode, or it is not available to this process",
            100 => "no GPU is visible",
            101 => "no such GPU, or it may not be used",
            200 => "this is no image that the driver knows",
            201 => "the context is invalid",
            209 => "no kernel image for this GPU",
            214 => "an uncorrectable memory error (ECC)",
            218 => "the PTX cannot be compiled",
            220 => "the PTX needs what this GPU has not",
            221 => "the driver's PTX compiler is not there",
            222 => "the PTX is of a newer version than the driver knows",
            223 => "compiling PTX is turned off",
            300 => "a source is invalid",
            301 => "a file is not there",
            304 => "the operating system refused: permissions, or the kernel module",
            500 => "nothing of this name is there",
            700 => "an illegal address was accessed",
            701 => "the launch needs more resources than there are",
            702 => "the kernel ran into the time limit",
            719 => "the kernel failed",
            800 => "not permitted",
            802 => "the system is not ready yet (fabric manager)",
            803 => "the driver's library and its kernel module are of different versions",
            804 => "forward compatibility is not supported on this GPU",
            805 => "the MPS server cannot be reached",
            999 => "an unknown error, often the kernel module or its device files",
            _ => return None,
        })
    }
}

/// `209 (no kernel image for this GPU)`; a bare number where nothing is known of it.
impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.meaning() {
            Some(meaning) => write!(f, "{} ({meaning})", self.0),
            None => write!(f, "{}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_prints() {
        for (code, expected) in [
            (209, "209 (no kernel image for this GPU)"),
            (31337, "31337"),
            (-1, "-1"),
        ] {
            assert_eq!(Code(code).to_string(), expected);
        }
    }
}
