build.rs
use std::env;
fn main() {
    println!("cargo:rerun-if-env-changed=OPS_ARCH");
    let arch = env::var("OPS_ARCH").unwrap_or_else(|_| "80".to_string());
    let mut build = cc::Build::new();
    build.cuda(true).flag("-gencode").flag(&format!("arch=compute_{arch},code=sm_{arch}")).file("a.cu");
    for a in ["80", "90"] { build.flag(format!("-arch=sm_{}", a)); }
    if cfg!(feature = "cuda") { build.compile("a"); } /* else */
    let out = cmake::Config::new(".").define("CMAKE_CUDA_ARCHITECTURES", r#"80;90"#).build();
}
