//! Situations seen in real build files, in small: what is said about each, and about what nothing is.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

#[path = "../case/mod.rs"]
mod case;
mod compiler;
mod knobs;
mod known_wrong;
mod once_wrong;
mod packages;
mod reach;
mod shells;
mod sources;
mod syntax;

#[test]
fn a_list_that_does_not_reach_the_compiler() {
    case::check(reach::CASES);
}

#[test]
fn a_variable_or_value_that_is_not_the_packages() {
    case::check(knobs::CASES);
}

#[test]
fn no_compiler_no_gpu_no_build() {
    case::check(compiler::CASES);
}

#[test]
fn where_a_list_comes_from() {
    case::check(sources::CASES);
}

#[test]
fn what_packages_make_of_lists_and_of_each_other() {
    case::check(packages::CASES);
}

#[test]
fn what_only_bash_knows() {
    case::check(shells::CASES);
}

#[test]
fn syntax_that_hides_a_build() {
    case::check(syntax::CASES);
}

#[test]
fn what_was_once_wrong() {
    case::check(once_wrong::CASES);
}

#[test]
fn known_wrong_answers() {
    case::check_known_wrong(known_wrong::CASES);
}
