//! Reports of error 209 and its relatives, each re-created in small from what the thread says; named `owner/repository#number`.
//!
//! What still waits, and for what, is in `docs/coverage-of-reports.md`.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

/// A `setup.py` with an extension of this name, and nothing about architectures.
macro_rules! extension {
    ($name:literal) => {
        concat!(
            "== setup.py\nfrom setuptools import setup\n",
            "from torch.utils.cpp_extension import BuildExtension, CUDAExtension\n",
            "setup(\n    name=\"",
            $name,
            "\",\n    ext_modules=[CUDAExtension(\"",
            $name,
            "._c\", [\"",
            $name,
            ".cu\"])],\n    cmdclass={\"build_ext\": BuildExtension},\n)\n",
        )
    };
}

mod answered;
#[path = "../case/mod.rs"]
mod case;
mod of_ci;
mod of_files;
mod of_fleet;
mod repository;

#[test]
fn reports_that_are_answered() {
    case::check(answered::CASES);
}

#[test]
fn reports_that_only_the_fleet_decides() {
    case::check(of_fleet::CASES);
}

#[test]
fn reports_that_other_files_decide() {
    case::check(of_files::CASES);
}

#[test]
fn reports_that_ci_decides() {
    case::check(of_ci::CASES);
}

#[test]
fn known_wrong_answers() {
    case::check_known_wrong(of_files::KNOWN_WRONG);
    case::check_known_wrong(of_ci::KNOWN_WRONG);
}
