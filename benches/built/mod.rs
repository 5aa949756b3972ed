//! Dockerfiles that build projects of their repository.

/// Projects of four kinds and a Dockerfile that builds them: the files, the Dockerfile last.
pub fn projects(count: usize) -> Vec<(String, String)> {
    let mut dockerfile =
        String::from("FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\nCOPY . /src\nWORKDIR /src\n");
    let mut all = Vec::new();
    for number in 0..count {
        let dir = format!("p{number}");
        let mut add = |name: &str, text: String| all.push((format!("{dir}/{name}"), text));
        let run = match number % 4 {
            0 => {
                let mut text =
                    String::from("cmake_minimum_required(VERSION 3.22)\nproject(p CXX)\n");
                for part in 0..20 {
                    text += &format!(
                        "option(PART_{part} \"\" OFF)\nif(PART_{part})\nlist(APPEND CMAKE_CUDA_FLAGS -lineinfo)\nadd_subdirectory(part{part})\nendif()\n"
                    );
                    let below = "enable_language(CUDA)\nset(CMAKE_CUDA_ARCHITECTURES 80)\nadd_library(l a.cu)\n";
                    add(&format!("part{part}/CMakeLists.txt"), below.to_owned());
                }
                add("CMakeLists.txt", text);
                "cmake -B /build -S"
            }
            1 => {
                let flags = "'-gencode=arch=compute_80,code=sm_80',".repeat(50);
                add(
                    "setup.py",
                    format!(
                        "from setuptools import setup\nfrom torch.utils.cpp_extension import CUDAExtension\nsetup(name='p', ext_modules=[CUDAExtension('p', ['a.cu'], extra_compile_args={{'nvcc': [{flags}]}})])\n"
                    ),
                );
                "pip install"
            }
            2 => {
                let flags = ".flag(\"-gencode=arch=compute_80,code=sm_80\")\n".repeat(100);
                add(
                    "build.rs",
                    format!(
                        "fn main() {{\ncc::Build::new().cuda(true)\n{flags}.compile(\"k\");\n}}\n"
                    ),
                );
                add("Cargo.toml", "[package]\nname = \"p\"\n".to_owned());
                "cargo install --path"
            }
            _ => {
                let flags = "add_project_arguments('-arch=sm_80', language: 'cuda')\n".repeat(100);
                add("meson.build", format!("project('p', 'cuda')\n{flags}"));
                "meson setup /build"
            }
        };
        dockerfile += &format!("RUN {run} {dir}\n");
    }
    all.push(("Dockerfile".to_owned(), dockerfile));
    all
}

/// A Makefile with conditions that cannot be decided, and a Dockerfile that runs it.
pub fn undecided(conditions: usize) -> Vec<(String, String)> {
    let mut makefile = String::from("FLAGS = -O3\n");
    for number in 0..conditions {
        let flag = match number % 10 {
            0 => "-gencode arch=compute_80,code=sm_80",
            _ => "-DWITH_PART -lpart",
        };
        makefile += &format!("ifeq ($(shell detect {number}),yes)\nFLAGS += {flag}\nendif\n");
    }
    makefile += "all:\n";
    for number in 0..conditions {
        makefile += &format!("\tnvcc $(FLAGS) -c {number}.cu\n");
    }
    let dockerfile = "FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\nCOPY . /src\nRUN make -C /src\n";
    vec![
        ("Makefile".to_owned(), makefile),
        ("Dockerfile".to_owned(), dockerfile.to_owned()),
    ]
}
