//! Projects that a Dockerfile copies and builds: what their own files say decides.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use kimg_lint::facts::{Build, TorchSeen};
use kimg_lint::lint::{Options, observe};
use kimg_lint::tree::Tree;
use std::path::{Path, PathBuf};

/// A repository in a folder of its own.
struct Repository(PathBuf);

impl Repository {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
            .join("projects")
            .join(name);
        std::fs::remove_dir_all(&root).ok();
        for (path, text) in files {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Self(root)
    }

    /// The builds of a Dockerfile at its root.
    fn builds(&self, dockerfile: &str) -> Vec<Build> {
        self.builds_of("Dockerfile", dockerfile)
    }

    /// The builds of a file at a path in it.
    fn builds_of(&self, path: &str, text: &str) -> Vec<Build> {
        let place = Path::new(path);
        let options = Options {
            tree: Tree::new(&self.0, &self.0.join(place), place),
            ..Options::default()
        };
        observe(path, text, &options).builds
    }

    /// What is said of how far a Dockerfile at its root was followed.
    fn notes(&self, dockerfile: &str) -> Vec<String> {
        let place = Path::new("Dockerfile");
        let options = Options {
            tree: Tree::new(&self.0, &self.0.join(place), place),
            ..Options::default()
        };
        let inputs = observe("Dockerfile", dockerfile, &options)
            .inputs
            .into_iter();
        let problems = inputs.flat_map(|input| input.problems);
        problems.map(|problem| problem.message).collect()
    }
}

/// `torch-ext yes fixed sm_70 sm_80, setup.py:3`.
fn show(build: &Build) -> String {
    let word = |value: &dyn std::fmt::Debug| format!("{value:?}").to_lowercase();
    let mut text = format!(
        "{} {} {}",
        build.builder,
        word(&build.compiles),
        word(&build.outcome)
    );
    if !build.arch.knob.is_empty() {
        text += &format!(" by {}", build.arch.knob);
    }
    for image in &build.arch.images {
        text += &format!(" {image}");
    }
    if let Some(switch) = &build.switch {
        text += &format!(", switch {}={}", switch.name, switch.value);
    }
    if let Some(cause) = &build.cause {
        text += &format!(", {}:{}", cause.path, cause.span.line);
    }
    text
}

const TORCH: &str = "FROM pytorch/pytorch:2.6.0-cuda12.4-cudnn9-devel\nCOPY . /app\nWORKDIR /app\n";

fn check(name: &str, files: &[(&str, &str)], rest: &str, expected: &str) {
    let repository = Repository::new(name, files);
    let builds = repository.builds(&format!("{TORCH}{rest}\n"));
    let got: Vec<String> = builds.iter().map(show).collect();
    assert_eq!(got.join("; "), expected, "{name}");
}

/// A setup.py with one extension, whose keyword arguments are given, and what stands before it.
fn setup(before: &str, arguments: &str) -> String {
    format!(
        "import os\nimport torch\nfrom setuptools import setup\n\
         from torch.utils.cpp_extension import BuildExtension, CUDAExtension, CppExtension, CUDA_HOME\n\
         {before}\n\
         setup(name='warp_ops', version='1.2', ext_modules=[CUDAExtension('warp_ops._C', ['a.cu'], {arguments})],\n\
         \x20     cmdclass={{'build_ext': BuildExtension}})\n"
    )
}

#[test]
fn flags_in_a_setup_py_decide() {
    let list = "RUN TORCH_CUDA_ARCH_LIST=\"8.0\" pip install --no-build-isolation .";
    for (name, before, arguments, run, expected) in [
        (
            "none",
            "",
            "",
            "RUN pip install --no-build-isolation .",
            "torch-ext yes error",
        ),
        (
            "list",
            "",
            "",
            list,
            "torch-ext yes list by TORCH_CUDA_ARCH_LIST sm_80",
        ),
        (
            "arch",
            "",
            "extra_compile_args=['-O3', '-arch=compute_80']",
            list,
            "torch-ext yes fixed compute_80, setup.py:6",
        ),
        (
            "pairs",
            "flags = ['-O3', '-gencode', 'arch=compute_70,code=sm_70', '-arch', 'sm_80']",
            "extra_compile_args={'nvcc': flags}",
            list,
            "torch-ext yes fixed sm_70 sm_80 compute_80, setup.py:5",
        ),
        (
            "version",
            "more = []\nif int(cuda_major_version) >= 11:\n    more.append('-gencode=arch=compute_80,code=sm_80')\n\
             if int(cuda_major_version) >= 13:\n    more.append('-gencode=arch=compute_100,code=sm_100')",
            "extra_compile_args={'nvcc': ['-gencode=arch=compute_75,code=sm_75'] + more}",
            list,
            "torch-ext yes fixed sm_80 sm_75, setup.py:7",
        ),
        (
            "loop",
            "flags = []\nfor cc in ['70', '80']:\n    flags += [f'-gencode=arch=compute_{cc},code=sm_{cc}']",
            "extra_compile_args={'nvcc': flags}",
            list,
            "torch-ext yes fixed sm_70 sm_80, setup.py:7",
        ),
        (
            "own variable",
            "archs = os.getenv('WARP_ARCHS', '80;90').split(';')\n\
             flags = ['-gencode=arch=compute_{0},code=sm_{0}'.format(a) for a in archs]",
            "extra_compile_args={'nvcc': flags}",
            "RUN WARP_ARCHS='75;86' pip install --no-build-isolation .",
            "torch-ext yes list by WARP_ARCHS sm_75 sm_86",
        ),
        (
            "own default",
            "archs = os.getenv('WARP_ARCHS', '80;90').split(';')\n\
             flags = ['-gencode=arch=compute_{0},code=sm_{0}'.format(a) for a in archs]",
            "extra_compile_args={'nvcc': flags}",
            list,
            "torch-ext yes fixed sm_80 sm_90, setup.py:6",
        ),
        (
            "gpu",
            "major, minor = torch.cuda.get_device_capability()\n\
             flags = [f'-gencode=arch=compute_{major}{minor},code=sm_{major}{minor}']",
            "extra_compile_args={'nvcc': flags}",
            list,
            "torch-ext yes error, setup.py:6",
        ),
        (
            "raw flags",
            "flags = os.getenv('NVCC_FLAGS', '').split(' ')",
            "extra_compile_args={'nvcc': flags}",
            "RUN NVCC_FLAGS='-gencode arch=compute_86,code=sm_86' pip install --no-build-isolation .",
            "torch-ext yes list by NVCC_FLAGS sm_86",
        ),
        (
            "written",
            "os.environ['TORCH_CUDA_ARCH_LIST'] = '7.0;8.6+PTX'",
            "",
            list,
            "torch-ext yes fixed sm_70 sm_86 compute_86, setup.py:5",
        ),
        (
            "default",
            "os.environ.setdefault('TORCH_CUDA_ARCH_LIST', '7.0')",
            "",
            list,
            "torch-ext yes list by TORCH_CUDA_ARCH_LIST sm_80",
        ),
        (
            "defaulted",
            "if 'TORCH_CUDA_ARCH_LIST' not in os.environ:\n    os.environ['TORCH_CUDA_ARCH_LIST'] = ';'.join(['7.0', '8.0'])",
            "",
            "RUN python setup.py install",
            "torch-ext yes fixed sm_70 sm_80, setup.py:6",
        ),
    ] {
        check(
            &format!("flags {name}"),
            &[("setup.py", &setup(before, arguments))],
            run,
            expected,
        );
    }
}

/// What stands in setup.py files of which only a switch or a GPU makes CUDA builds.
const GATED: &str = "\
import glob, os, torch
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension, CppExtension, CUDA_HOME

def get_extensions():
    extension = CppExtension
    if GATE:
        extension = CUDAExtension
    return [extension('m._C', glob.glob('*.cpp'))]

setup(name='gated', ext_modules=get_extensions(), cmdclass={'build_ext': BuildExtension})
";

#[test]
fn gates_decide_whether_device_code_is_compiled() {
    let plain = "RUN pip install --no-build-isolation -e .";
    let forced = "RUN FORCE_CUDA=1 TORCH_CUDA_ARCH_LIST=8.0 pip install --no-build-isolation .";
    let gpu = "(torch.cuda.is_available() and CUDA_HOME is not None) or os.getenv('FORCE_CUDA', '0') == '1'";
    for (name, gate, run, expected) in [
        (
            "gpu",
            gpu,
            plain,
            "torch-ext yes cpuonly, switch FORCE_CUDA=1, setup.py:8",
        ),
        (
            "forced",
            gpu,
            forced,
            "torch-ext yes list by TORCH_CUDA_ARCH_LIST sm_80",
        ),
        (
            "gpu alone",
            "torch.cuda.is_available()",
            forced,
            "torch-ext yes cpuonly by TORCH_CUDA_ARCH_LIST, setup.py:8",
        ),
        (
            "gpu alone, where torch may be none",
            "torch is not None and torch.cuda.is_available()",
            forced,
            "torch-ext yes cpuonly by TORCH_CUDA_ARCH_LIST, setup.py:8",
        ),
        (
            "switch off",
            "os.environ.get('BUILD_CUDA', '0') == '1'",
            plain,
            "torch-ext no none",
        ),
        (
            "switch on",
            "int(os.environ.get('BUILD_CUDA', 1))",
            plain,
            "torch-ext yes error",
        ),
        (
            "hip",
            "torch.version.hip is not None",
            plain,
            "torch-ext no none",
        ),
        (
            "home",
            "CUDA_HOME is not None",
            plain,
            "torch-ext yes error",
        ),
        (
            "not known",
            "os.path.exists('/x')",
            plain,
            "torch-ext maybe error",
        ),
    ] {
        check(
            &format!("gates {name}"),
            &[("setup.py", &GATED.replace("GATE", gate))],
            run,
            expected,
        );
    }
}

#[test]
fn a_folder_around_a_project_does_not_say_what_it_is() {
    let pure = "from setuptools import setup\nsetup(name='bindings')\n";
    let kernels = setup("", "");
    for (name, path, text, expected) in [
        (
            "bindings",
            "nccl/bindings/setup.py",
            pure,
            "torch-ext no none",
        ),
        (
            "own",
            "nccl/contrib/setup.py",
            &kernels,
            "torch-ext yes error",
        ),
    ] {
        let folder = path.trim_end_matches("/setup.py");
        check(
            &format!("around {name}"),
            &[(path, text)],
            &format!("RUN pip install --no-build-isolation ./{folder}"),
            expected,
        );
    }
}

#[test]
fn a_project_without_device_code_compiles_none() {
    let run = "RUN pip install --no-build-isolation .";
    for (name, files, expected) in [
        (
            "pure",
            vec![(
                "setup.py",
                "from setuptools import setup, find_packages\nsetup(name='a', packages=find_packages())\n",
            )],
            "torch-ext no none",
        ),
        (
            "c++",
            vec![(
                "setup.py",
                "from setuptools import setup, Extension\nsetup(name='a', ext_modules=[Extension('a', ['a.c'])])\n",
            )],
            "torch-ext no none",
        ),
        (
            "links to CUDA",
            vec![(
                "setup.py",
                "from setuptools import setup\nfrom torch.utils.cpp_extension import BuildExtension, CUDAExtension\nfiles = ['src/' + f for f in ['a.cpp', 'b.cpp']]\nsetup(name='a', ext_modules=[CUDAExtension('a', files)], cmdclass={'build_ext': BuildExtension})\n",
            )],
            "torch-ext no none",
        ),
        (
            "looks for kernels",
            vec![(
                "setup.py",
                "import os\nfrom setuptools import setup\nfrom torch.utils.cpp_extension import BuildExtension, CUDAExtension\nfiles = ['a.cpp'] + os.listdir('kernels')\nsetup(name='a', ext_modules=[CUDAExtension('a', files)], cmdclass={'build_ext': BuildExtension})\n",
            )],
            "torch-ext yes error",
        ),
        (
            "helper with kernels",
            vec![
                (
                    "setup.py",
                    "from setuptools import setup\nfrom tools.build import modules\nsetup(name='a', ext_modules=modules())\n",
                ),
                (
                    "tools/build.py",
                    "from torch.utils.cpp_extension import CUDAExtension\n",
                ),
            ],
            "torch-ext maybe error",
        ),
        (
            "odd",
            vec![("setup.py", "\u{1}(((((\nif x\n  def\n\tsetup(")],
            "torch-ext no none",
        ),
    ] {
        check(&format!("pure {name}"), &files, run, expected);
    }
}

#[test]
fn a_switch_of_cmake_in_the_environment_is_in_vain() {
    let project = |test: &str| {
        format!(
            "cmake_minimum_required(VERSION 3.22)\nproject(p CXX)\noption(P_CUDA \"gpu\" OFF)\n{test}\nenable_language(CUDA)\nendif()\n"
        )
    };
    let (plain, reads) = (
        project("if(P_CUDA)"),
        project("if(P_CUDA OR DEFINED ENV{P_CUDA})"),
    );
    let in_vain = "cmake-cuda yes cpuonly, switch -DP_CUDA=ON";
    let list = "cmake-cuda yes list by CMAKE_CUDA_ARCHITECTURES sm_80";
    let given = "RUN cmake -DP_CUDA=1 -DCMAKE_CUDA_ARCHITECTURES=80-real .";
    for (text, run, expected) in [
        (&plain, "ENV P_CUDA=1\nRUN cmake .", in_vain),
        (&plain, "RUN cmake .", "cmake-cuda no none"),
        (&plain, "ENV P_CUDA=0\nRUN cmake .", "cmake-cuda no none"),
        (&plain, &format!("ENV P_CUDA=1\n{given}"), list),
        (&plain, given, list),
        (
            &reads,
            "ENV P_CUDA=1\nRUN cmake .",
            "cmake-cuda yes compilerdefault sm_52 compute_52, CMakeLists.txt:5",
        ),
    ] {
        check("in vain", &[("CMakeLists.txt", text)], run, expected);
    }
}

#[test]
fn what_files_leave_open_a_record_may_know() {
    let text = "cmake_minimum_required(VERSION 3.22)\nproject(p CXX)\noption(GGML_CUDA \"gpu\" OFF)\nif(GGML_CUDA)\nenable_language(CUDA)\nfile(READ archs.txt CMAKE_CUDA_ARCHITECTURES)\nlist(TRANSFORM CMAKE_CUDA_ARCHITECTURES APPEND -real)\nendif()\n";
    let files = [("CMakeLists.txt", text)];
    let run = "RUN cmake -DGGML_CUDA=ON -DGGML_NATIVE=OFF .";
    let repository = Repository::new("left open", &files);
    let builds = repository.builds(&format!("{TORCH}{run}\n"));
    assert_eq!(builds[0].builder, "llama.cpp", "{}", show(&builds[0]));
}

/// A CMake project of one file.
fn cmake(name: &str, text: &str, run: &str, expected: &str) {
    let text = text.replace("START", "cmake_minimum_required(VERSION 3.22)\n");
    let run = run.replace("CONFIGURE", "RUN cmake -S . -B build");
    check(
        &format!("cmake {name}"),
        &[("CMakeLists.txt", &text)],
        &run,
        expected,
    );
}

#[test]
fn a_cmake_project_says_what_it_compiles_for() {
    for (name, text, run, expected) in [
        (
            "plain",
            "START project(p LANGUAGES CXX CUDA)",
            "CONFIGURE",
            "cmake-cuda yes compilerdefault sm_52 compute_52, CMakeLists.txt:2",
        ),
        (
            "define",
            "START project(p LANGUAGES CXX CUDA)",
            "CONFIGURE -DCMAKE_CUDA_ARCHITECTURES=80",
            "cmake-cuda yes list by CMAKE_CUDA_ARCHITECTURES sm_80 compute_80",
        ),
        (
            "set before",
            "START set(CMAKE_CUDA_ARCHITECTURES 80 90)\nproject(p LANGUAGES CXX CUDA)",
            "CONFIGURE -DCMAKE_CUDA_ARCHITECTURES=75",
            "cmake-cuda yes fixed sm_80 compute_80 sm_90 compute_90, CMakeLists.txt:2",
        ),
        (
            "default before",
            "START if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)\nset(CMAKE_CUDA_ARCHITECTURES 80-real)\nendif()\nproject(p LANGUAGES CXX CUDA)",
            "CONFIGURE",
            "cmake-cuda yes fixed sm_80, CMakeLists.txt:3",
        ),
        (
            "default before, given",
            "START if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)\nset(CMAKE_CUDA_ARCHITECTURES 80-real)\nendif()\nproject(p LANGUAGES CXX CUDA)",
            "CONFIGURE -DCMAKE_CUDA_ARCHITECTURES=86-real",
            "cmake-cuda yes list by CMAKE_CUDA_ARCHITECTURES sm_86",
        ),
        (
            "default too late",
            "START project(p LANGUAGES CXX CUDA)\nif(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)\nset(CMAKE_CUDA_ARCHITECTURES 80)\nendif()",
            "CONFIGURE",
            "cmake-cuda yes compilerdefault sm_52 compute_52, CMakeLists.txt:4",
        ),
        (
            "default after, old policy",
            "cmake_minimum_required(VERSION 3.10)\nproject(p LANGUAGES CXX CUDA)\nif(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)\nset(CMAKE_CUDA_ARCHITECTURES 80-real)\nendif()",
            "CONFIGURE",
            "cmake-cuda yes fixed sm_80, CMakeLists.txt:4",
        ),
        (
            "cache",
            "START set(CMAKE_CUDA_ARCHITECTURES 70-real CACHE STRING \"\")\nproject(p LANGUAGES CXX CUDA)",
            "CONFIGURE",
            "cmake-cuda yes fixed sm_70, CMakeLists.txt:2",
        ),
        (
            "cache, forced",
            "START project(p LANGUAGES CXX CUDA)\nset(CMAKE_CUDA_ARCHITECTURES 70-real CACHE STRING \"\" FORCE)",
            "CONFIGURE -DCMAKE_CUDA_ARCHITECTURES=80",
            "cmake-cuda yes fixed sm_70, CMakeLists.txt:3",
        ),
        (
            "native",
            "START set(CMAKE_CUDA_ARCHITECTURES native)\nproject(p LANGUAGES CXX CUDA)",
            "CONFIGURE",
            "cmake-cuda yes compilerdefault sm_52 compute_52, CMakeLists.txt:2",
        ),
        (
            "own option",
            "START set(P_ARCHS \"75-real;80-real\" CACHE STRING \"\")\nset(CMAKE_CUDA_ARCHITECTURES ${P_ARCHS})\nproject(p LANGUAGES CXX CUDA)",
            "CONFIGURE -DP_ARCHS=86-real",
            "cmake-cuda yes list by P_ARCHS sm_86",
        ),
        (
            "property",
            "START project(p LANGUAGES CXX CUDA)\nadd_library(k k.cu)\nset_target_properties(k PROPERTIES CUDA_ARCHITECTURES \"60-real;70-real\" LINKER_LANGUAGE CUDA)",
            "CONFIGURE -DCMAKE_CUDA_ARCHITECTURES=80",
            "cmake-cuda yes fixed sm_60 sm_70, CMakeLists.txt:4",
        ),
        (
            "flags",
            "START set(CMAKE_CUDA_FLAGS \"${CMAKE_CUDA_FLAGS} -gencode arch=compute_70,code=sm_70\")\nproject(p LANGUAGES CXX CUDA)",
            "CONFIGURE",
            "cmake-cuda yes fixed sm_70, CMakeLists.txt:2",
        ),
        (
            "off by default",
            "START project(p CXX)\noption(P_CUDA \"\" OFF)\nif(P_CUDA)\nenable_language(CUDA)\nendif()",
            "CONFIGURE",
            "cmake-cuda no none",
        ),
        (
            "switched on",
            "START project(p CXX)\noption(P_CUDA \"\" OFF)\nif(P_CUDA)\nenable_language(CUDA)\nendif()",
            "CONFIGURE -DP_CUDA=ON",
            "cmake-cuda yes compilerdefault sm_52 compute_52, CMakeLists.txt:5",
        ),
        (
            "where there is a compiler",
            "START project(p CXX)\ninclude(CheckLanguage)\ncheck_language(CUDA)\nif(CMAKE_CUDA_COMPILER)\nenable_language(CUDA)\nendif()",
            "CONFIGURE",
            "cmake-cuda yes compilerdefault sm_52 compute_52, CMakeLists.txt:6",
        ),
        (
            "no cuda",
            "START project(p CXX)\nadd_executable(a a.cpp)",
            "CONFIGURE",
            "cmake-cuda no none",
        ),
        (
            "an argument of a function of its own",
            "START project(p)\nfind_package(CUDA)\nfunction(p_add name)\ncmake_parse_arguments(ADD \"GPU\" \"\" \"\" ${ARGN})\nif(ADD_GPU)\ncuda_add_library(${name} k.cu)\nendif()\nendfunction()\np_add(k GPU)",
            "CONFIGURE",
            "findcuda-legacy maybe compilerdefault sm_52 compute_52, CMakeLists.txt:7",
        ),
        (
            "a value that only the command line gives",
            "START project(p CXX)\nif(P_DEVICE STREQUAL \"cuda\")\nenable_language(CUDA)\nendif()",
            "CONFIGURE",
            "cmake-cuda maybe compilerdefault sm_52 compute_52, CMakeLists.txt:4",
        ),
        (
            "only the toolkit's libraries",
            "START project(p CXX)\nfind_package(CUDAToolkit REQUIRED)\nadd_executable(a a.cpp)",
            "CONFIGURE -DWITH_CUDA=ON",
            "cmake-cuda no none",
        ),
        (
            "find cuda",
            "START project(p)\nfind_package(CUDA REQUIRED)\nset(CUDA_NVCC_FLAGS \"${CUDA_NVCC_FLAGS};-gencode;arch=compute_61,code=sm_61\")\ncuda_add_library(k k.cu)",
            "CONFIGURE",
            "findcuda-legacy yes fixed sm_61, CMakeLists.txt:4",
        ),
        (
            "find cuda, select",
            "START project(p)\nfind_package(CUDA)\nset(P_ARCH \"7.0 8.0\" CACHE STRING \"\")\ncuda_select_nvcc_arch_flags(FLAGS ${P_ARCH})\ncuda_add_library(k k.cu)",
            "CONFIGURE -DP_ARCH=8.6",
            "findcuda-legacy yes list by P_ARCH sm_86",
        ),
        (
            "lists by version, in a loop",
            "START project(p)\nfind_package(CUDA)\nif(CUDA_VERSION VERSION_GREATER_EQUAL 12.0)\nset(CCS 70 90)\nelse()\nset(CCS 60)\nendif()\n\
             foreach(cc ${CCS})\nset(CUDA_NVCC_FLAGS \"${CUDA_NVCC_FLAGS};-gencode;arch=compute_${cc},code=sm_${cc}\")\nendforeach()\ncuda_add_library(k k.cu)",
            "CONFIGURE",
            "findcuda-legacy yes fixed sm_70 sm_90, CMakeLists.txt:10",
        ),
        // a switch that any project may have says nothing of the list
        (
            "flags that are computed",
            "START project(p)\nfind_package(CUDA)\nmath(EXPR cc \"9*10\")\nset(CUDA_NVCC_FLAGS \"-gencode;arch=compute_${cc},code=sm_${cc}\")\ncuda_add_library(k k.cu)",
            "CONFIGURE -DUSE_CUDA=ON",
            "findcuda-legacy yes fixed, CMakeLists.txt:5",
        ),
        // what a function puts into the cache, or gives to its caller, is there after it
        (
            "options of a function",
            "START project(p)\nfunction(choice NAME DEFAULT)\nset(${NAME} ${DEFAULT} CACHE STRING \"\")\nendfunction()\n\
             function(archs OUT)\nset(${OUT} 70 90 PARENT_SCOPE)\nendfunction()\n\
             choice(P_CUDA ON)\narchs(CCS)\nif(NOT P_CUDA STREQUAL \"OFF\")\nfind_package(CUDA)\n\
             foreach(cc ${CCS})\nset(CUDA_NVCC_FLAGS \"${CUDA_NVCC_FLAGS};-gencode;arch=compute_${cc},code=sm_${cc}\")\nendforeach()\ncuda_add_library(k k.cu)\nendif()",
            "CONFIGURE -DP_CUDA=ON",
            "findcuda-legacy yes fixed sm_70 sm_90, CMakeLists.txt:14",
        ),
        (
            "torch",
            "START project(p LANGUAGES CXX CUDA)\nfind_package(Torch REQUIRED)\nadd_library(k k.cu)",
            "CONFIGURE -DTORCH_CUDA_ARCH_LIST=8.0",
            "torch-cmake yes list by TORCH_CUDA_ARCH_LIST sm_80",
        ),
    ] {
        cmake(name, text, run, expected);
    }
}

#[test]
fn included_files_and_folders_are_followed() {
    let run = "RUN cmake -S . -B build";
    let root = "cmake_minimum_required(VERSION 3.22)\nproject(p CXX)\nlist(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_SOURCE_DIR}/cmake)\n";
    for (name, files, expected) in [
        (
            "module",
            vec![
                ("CMakeLists.txt", "include(Gpu)\n"),
                ("cmake/Gpu.cmake", "enable_language(CUDA)\n"),
            ],
            "cmake-cuda yes compilerdefault sm_52 compute_52, cmake/Gpu.cmake:1",
        ),
        (
            "folder",
            vec![
                ("CMakeLists.txt", "add_subdirectory(src)\n"),
                (
                    "src/CMakeLists.txt",
                    "set(CMAKE_CUDA_ARCHITECTURES 80-real)\nenable_language(CUDA)\n",
                ),
            ],
            "cmake-cuda yes fixed sm_80, src/CMakeLists.txt:1",
        ),
        (
            "function",
            vec![(
                "CMakeLists.txt",
                "function(add_kernels name)\nset_target_properties(${name} PROPERTIES CUDA_ARCHITECTURES 75-real)\nendfunction()\nenable_language(CUDA)\nadd_kernels(k)\n",
            )],
            "cmake-cuda yes fixed sm_75, CMakeLists.txt:5",
        ),
        (
            "a folder for each part, under a switch",
            vec![
                (
                    "CMakeLists.txt",
                    "option(P_CUDA \"gpu\" OFF)\nif(NOT TARGET parts)\nadd_subdirectory(parts)\nendif()\n",
                ),
                (
                    "parts/CMakeLists.txt",
                    "function(add_part name)\nstring(TOUPPER \"P_${name}\" switch)\nif(${switch})\nstring(TOLOWER \"p-${name}\" folder)\nadd_subdirectory(${folder})\nendif()\nendfunction()\nadd_part(CPU)\nadd_part(Cuda)\n",
                ),
                ("parts/p-cuda/CMakeLists.txt", "enable_language(CUDA)\n"),
            ],
            "cmake-cuda no none",
        ),
        (
            "missing folder",
            vec![("CMakeLists.txt", "add_subdirectory(third_party/x)\n")],
            "",
        ),
        (
            "cycle",
            vec![
                ("CMakeLists.txt", "include(cmake/a.cmake)\n"),
                (
                    "cmake/a.cmake",
                    "include(${CMAKE_CURRENT_LIST_DIR}/a.cmake)\nenable_language(CUDA)\n",
                ),
            ],
            "cmake-cuda yes compilerdefault sm_52 compute_52, cmake/a.cmake:2",
        ),
    ] {
        let text = format!("{root}{}", files[0].1);
        let mut files = files.clone();
        files[0].1 = &text;
        check(&format!("follow {name}"), &files, run, expected);
    }
}

#[test]
fn presets_and_backends_pass_defines() {
    let project = "cmake_minimum_required(VERSION 3.22)\nproject(p LANGUAGES CXX CUDA)\n";
    let presets = "{\"version\": 3,\r\n\t\"configurePresets\": [\r\n\
        {\"name\": \"base\", \"inherits\": \"gpu\", \"cacheVariables\": {\"CMAKE_CUDA_ARCHITECTURES\": \"80-real\"}},\r\n\
        {\"name\": \"gpu\", \"inherits\": [\"base\"], \"cacheVariables\": {\"CMAKE_CUDA_ARCHITECTURES\": {\"type\": \"STRING\", \"value\": \"90-real\"}}},\r\n\
        {\"name\": \"child\", \"inherits\": [\"base\"]}]}";
    let toml = "[build-system]\nbuild-backend = \"scikit_build_core.build\"\n[tool.scikit-build.cmake.define]\nCMAKE_CUDA_ARCHITECTURES = \"75-real\"\n";
    let script = "import subprocess\nfrom setuptools import setup, Extension\n\
        class CMakeBuild(object):\n    def run(self):\n        args = ['-DCMAKE_CUDA_ARCHITECTURES=86-real']\n        subprocess.check_call(['cmake', '.'] + args)\n\
        setup(name='p', ext_modules=[Extension('p', [])], cmdclass={'build_ext': CMakeBuild})\n";
    let pip = "RUN pip install .";
    for (name, files, run, expected) in [
        (
            "preset",
            vec![("CMakePresets.json", presets)],
            "RUN cmake --preset gpu",
            "cmake-cuda yes list by CMAKE_CUDA_ARCHITECTURES sm_90",
        ),
        (
            "inherited",
            vec![("CMakePresets.json", presets)],
            "RUN cmake --preset child",
            "cmake-cuda yes list by CMAKE_CUDA_ARCHITECTURES sm_80",
        ),
        (
            "given",
            vec![("CMakePresets.json", presets)],
            "RUN cmake --preset gpu -DCMAKE_CUDA_ARCHITECTURES=70-real",
            "cmake-cuda yes list by CMAKE_CUDA_ARCHITECTURES sm_70",
        ),
        (
            "scikit-build",
            vec![("pyproject.toml", toml)],
            pip,
            "cmake-cuda yes list by CMAKE_CUDA_ARCHITECTURES sm_75",
        ),
        (
            "scikit-build list",
            vec![(
                "pyproject.toml",
                "[build-system]\nbuild-backend = \"scikit_build_core.build\"\n[tool.scikit-build]\ncmake.define.CMAKE_CUDA_ARCHITECTURES = [\"75-real\", \"80-real\"]\n",
            )],
            pip,
            "cmake-cuda yes list by CMAKE_CUDA_ARCHITECTURES sm_75 sm_80",
        ),
        (
            "scikit-build args",
            vec![(
                "pyproject.toml",
                "[build-system]\nbuild-backend = \"scikit_build_core.build\"\n[tool.scikit-build]\ncmake.args = [\n  \"-DCMAKE_CUDA_ARCHITECTURES:STRING=75-real\",\n]\n",
            )],
            pip,
            "cmake-cuda yes list by CMAKE_CUDA_ARCHITECTURES sm_75",
        ),
        (
            "setup.py",
            vec![("setup.py", script)],
            pip,
            "cmake-cuda yes list by CMAKE_CUDA_ARCHITECTURES sm_86",
        ),
        (
            "pure",
            vec![(
                "pyproject.toml",
                "[build-system]\nbuild-backend = \"hatchling.build\"\n",
            )],
            pip,
            "torch-ext no none",
        ),
        (
            "hooks",
            vec![(
                "pyproject.toml",
                "[build-system]\nbuild-backend = \"hatchling.build\"\n[tool.hatch.build.hooks.custom]\n",
            )],
            pip,
            "torch-ext maybe error",
        ),
    ] {
        let mut files = files.clone();
        files.push(("CMakeLists.txt", project));
        check(&format!("defines {name}"), &files, run, expected);
    }
}

#[test]
fn build_scripts_of_rust_say_what_they_compile() {
    let manifest = "[package]\nname = \"kernels\"\n[features]\ndefault = []\ncuda = []\n[build-dependencies]\ncc = \"1\"\n";
    let cc = |flags: &str| {
        format!(
            "fn main() {{\n    cc::Build::new().cuda(true){flags}.file(\"k.cu\").compile(\"k\");\n}}\n"
        )
    };
    let of_env = "use std::env;\nfn main() {\n    let cap = env::var(\"KERNEL_CC\").unwrap_or_else(|_| \"86\".to_string());\n    cc::Build::new()\n        .cuda(true)\n        .flag(&format!(\"-gencode=arch=compute_{cap},code=sm_{cap}\"))\n        .compile(\"k\");\n}\n";
    let of_list = "fn main() {\n    let archs = std::env::var(\"KERNEL_ARCHS\").unwrap();\n    let mut c = std::process::Command::new(\"nvcc\");\n    for a in archs.split(',') {\n        c.arg(format!(\"-gencode=arch=compute_{},code=sm_{}\", archs, archs));\n    }\n}\n";
    let gated = "fn main() {\n    #[cfg(feature = \"cuda\")]\n    cc::Build::new().cuda(true).flag(\"-arch=sm_80\").compile(\"k\");\n}\n";
    let cmake = "const ARCHS: Option<&str> = option_env!(\"KERNEL_ARCHS\");\nfn main() {\n    let list = ARCHS.unwrap_or(\"80-real;90-real\");\n    cmake::Config::new(\"native\").define(\"CMAKE_CUDA_COMPILER\", \"nvcc\").define(\"CMAKE_CUDA_ARCHITECTURES\", list).build();\n}\n";
    let smi = "fn main() {\n    let out = std::process::Command::new(\"nvidia-smi\").output();\n    let cap = parse(out);\n    let mut c = std::process::Command::new(\"nvcc\");\n    c.arg(format!(\"--gpu-architecture=sm_{cap}\"));\n}\n";
    let build = "RUN cargo build --release";
    for (name, script, run, expected) in [
        (
            "cc",
            cc(""),
            build,
            "nvcc yes compilerdefault sm_52 compute_52",
        ),
        (
            "cc with flags from outside",
            cc(""),
            "ENV NVCC_APPEND_FLAGS=-arch=sm_89\nRUN cargo build",
            "nvcc yes list by -gencode/-arch/-code sm_89 compute_89",
        ),
        (
            "cc for the GPU",
            cc(".flag(\"-arch=native\")"),
            build,
            "nvcc yes compilerdefault sm_52 compute_52",
        ),
        (
            "cmake without a list",
            "fn main() { cmake::Config::new(\"../native\").define(\"WITH_CUDA\", \"ON\").build(); }".to_owned(),
            build,
            "cmake-cuda yes fixed",
        ),
        (
            "cc with flags",
            cc(
                ".flag(\"-gencode\").flag(\"arch=compute_80,code=sm_80\").flag(\"-gencode=arch=compute_90,code=sm_90\")",
            ),
            build,
            "nvcc yes fixed sm_80 sm_90, build.rs:2",
        ),
        (
            "env",
            of_env.to_owned(),
            build,
            "nvcc yes fixed sm_86, build.rs:6",
        ),
        (
            "env set",
            of_env.to_owned(),
            "ENV KERNEL_CC=90\nRUN cargo build",
            "nvcc yes list by KERNEL_CC sm_90",
        ),
        (
            "list",
            of_list.to_owned(),
            "ENV KERNEL_ARCHS=80,90\nRUN cargo build",
            "nvcc yes list by KERNEL_ARCHS sm_80 sm_90",
        ),
        ("feature off", gated.to_owned(), build, "nvcc no none"),
        (
            "feature on",
            gated.to_owned(),
            "RUN cargo build --features cuda",
            "nvcc yes fixed sm_80 compute_80, build.rs:3",
        ),
        (
            "cmake",
            cmake.to_owned(),
            build,
            "cmake-cuda yes fixed sm_80 sm_90, build.rs:4",
        ),
        (
            "cmake list",
            cmake.to_owned(),
            "ENV KERNEL_ARCHS=75-real\nRUN cargo build",
            "cmake-cuda yes list by KERNEL_ARCHS sm_75",
        ),
        ("gpu", smi.to_owned(), build, "nvcc yes fixed, build.rs:5"),
        (
            "host code",
            "fn main() { cc::Build::new().file(\"k.c\").compile(\"k\"); }".to_owned(),
            build,
            "",
        ),
    ] {
        let files = [("Cargo.toml", manifest), ("build.rs", &script)];
        check(&format!("build.rs {name}"), &files, run, expected);
    }
    // one package of a workspace, whose files were copied one by one
    let script = cc(".flag(\"-arch=sm_80\")");
    let repository = Repository::new(
        "workspace",
        &[
            ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n"),
            ("crates/kernels/Cargo.toml", manifest),
            ("crates/kernels/build.rs", &script),
            ("crates/cli/Cargo.toml", "[package]\nname = \"cli\"\n"),
        ],
    );
    for (run, expected) in [
        (
            "RUN cargo build -p kernels",
            "nvcc yes fixed sm_80 compute_80, crates/kernels/build.rs:2",
        ),
        ("RUN cargo build -p cli", ""),
    ] {
        let builds = repository.builds(&format!(
            "FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\nWORKDIR /app\nCOPY Cargo.toml Cargo.toml\nCOPY crates crates\n{run}\n"
        ));
        let got: Vec<String> = builds.iter().map(show).collect();
        assert_eq!(got.join("; "), expected, "{run}");
    }
}

#[test]
fn meson_projects_say_what_they_compile_for() {
    let options = "option('gpu', type: 'boolean', value: true)\noption('gpu_archs', type: 'string', value: '8.0;9.0')\noption('cc', type: 'string', value: '')\noption('extra', type: 'feature', value: 'disabled')\n";
    let start = "project('p', ['cpp', 'cuda'], version: '1')\n";
    let arch = "cuda = import('unstable-cuda')\nnvcc = meson.get_compiler('cuda')\n";
    let setup = "RUN meson setup build";
    for (name, text, run, expected) in [
        (
            "plain",
            start.to_owned(),
            setup,
            "meson-cuda yes compilerdefault sm_52 compute_52, meson.build:1",
        ),
        (
            "flags of the command",
            start.to_owned(),
            "RUN meson setup build '-Dcuda_args=-gencode=arch=compute_80,code=sm_80'",
            "meson-cuda yes list by cuda_args sm_80",
        ),
        (
            "flags",
            format!("{start}add_project_arguments('-arch=sm_80', '-DX', language: 'cuda')\n"),
            setup,
            "meson-cuda yes fixed sm_80 compute_80, meson.build:2",
        ),
        (
            "auto",
            format!("{start}{arch}flags = cuda.nvcc_arch_flags(nvcc.version(), 'Auto', detected: ['8.0'])\n"),
            setup,
            "meson-cuda yes fixed, meson.build:4",
        ),
        (
            "a list",
            format!("{start}{arch}archs = ['8.0', '9.0+PTX']\nflags = cuda.nvcc_arch_flags(nvcc, archs)\n"),
            setup,
            "meson-cuda yes fixed sm_80 sm_90 compute_90, meson.build:5",
        ),
        (
            "an option's default",
            format!("{start}{arch}flags = cuda.nvcc_arch_flags(nvcc, get_option('gpu_archs'))\n"),
            setup,
            "meson-cuda yes fixed sm_80 sm_90, meson.build:4",
        ),
        (
            "an option",
            format!("{start}{arch}flags = cuda.nvcc_arch_flags(nvcc, get_option('gpu_archs'))\n"),
            "RUN meson setup build -Dgpu_archs=7.5",
            "meson-cuda yes list by gpu_archs sm_75",
        ),
        (
            "one capability",
            "project('p', 'cpp')\nnvcc = find_program('nvcc', required: false)\nargs = ['-arch=compute_' + get_option('cc')]\n".to_owned(),
            "RUN meson setup build -Dcc=80",
            "meson-cuda yes list by cc sm_80",
        ),
        (
            "nvcc by a variable",
            "project('p', 'cpp')\nplaces = []\nplaces += ['nvcc', '/opt/cuda/bin/nvcc']\nnvcc = find_program(places, required: false)\n".to_owned(),
            setup,
            "meson-cuda yes compilerdefault sm_52 compute_52, meson.build:4",
        ),
        (
            "another compiler by a variable",
            "project('p', 'cpp')\nplaces = ['ispc', 'nvcc-wrapper']\nispc = find_program(places, native: true)\n".to_owned(),
            setup,
            "meson-cuda no none",
        ),
        (
            "one of several ways",
            format!("{start}help = run_command(nvcc, '--help').stdout()\nif help.contains('all-major')\n  args = ['-arch=all-major']\nelse\n  args = ['-arch=sm_80']\nendif\n"),
            setup,
            "meson-cuda yes fixed, meson.build:4",
        ),
        (
            "flags of another compiler",
            format!("{start}generator(ispc, arguments: ['--arch=' + get_option('cc')])\n"),
            setup,
            "meson-cuda yes compilerdefault sm_52 compute_52, meson.build:1",
        ),
        (
            "switched off",
            "project('p', 'cpp')\nif get_option('gpu')\n  add_languages('cuda')\nendif\n".to_owned(),
            "RUN meson setup build -Dgpu=false",
            "meson-cuda no none",
        ),
        (
            "not switched on",
            "project('p', 'cpp')\nadd_languages('cuda', required: get_option('extra'))\n".to_owned(),
            setup,
            "meson-cuda no none",
        ),
        (
            "switched on",
            "project('p', 'cpp')\nadd_languages('cuda', required: get_option('extra'))\n".to_owned(),
            "RUN meson setup build -Dextra=enabled",
            "meson-cuda yes compilerdefault sm_52 compute_52, meson.build:2",
        ),
        (
            "only a library",
            "project('cuda', 'cpp')\ndependency('cuda', modules: ['cudart'])\n".to_owned(),
            setup,
            "meson-cuda no none",
        ),
    ] {
        let files = [("meson.build", text.as_str()), ("meson_options.txt", options)];
        check(&format!("meson {name}"), &files, run, expected);
    }
    let files = [
        ("meson.build", "project('p', 'cpp')\nsubdir('gpu')\n"),
        ("gpu/meson.build", "add_languages('cuda')\nsubdir('..')\n"),
    ];
    let below = "meson-cuda yes compilerdefault sm_52 compute_52, gpu/meson.build:1";
    check("meson folders", &files, setup, below);
}

#[test]
fn what_was_unpacked_in_a_project_is_another_project() {
    let setup = setup("", "");
    let repository = Repository::new("unpacked", &[("setup.py", &setup)]);
    let job = |rest: &str| {
        let path = ".github/workflows/a.yml";
        let text = format!(
            "jobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n    - uses: actions/checkout@v4\n    - uses: Jimver/cuda-toolkit@v0.2.16\n    - run: |\n        curl -L https://files.example/graph-5.1.0.tar.gz -o graph-5.1.0.tar.gz\n{rest}"
        );
        let builds = repository.builds_of(path, &text);
        builds
            .iter()
            .map(|build| build.title.clone())
            .collect::<Vec<_>>()
            .join("; ")
    };
    let own = "        python setup.py install\n";
    let other = "        tar -xzf graph-5.1.0.tar.gz\n        cd graph-5.1.0\n        python setup.py install\n";
    assert_eq!(job(own), "warp_ops (setup.py)");
    assert_eq!(job(other), "");
}

#[test]
fn a_long_condition_is_as_much_work_as_many_statements() {
    const RUN: &str = "RUN cmake .";
    let project = |deep: usize| {
        let mut text =
            "project(x LANGUAGES CXX CUDA)\nset(CMAKE_CUDA_ARCHITECTURES 80)\n".to_owned();
        for n in 0..deep {
            text += &format!("if(A{n} OR B{n})\n");
        }
        text += &"set(V x)\n".repeat(40_000);
        text + &"endif()\n".repeat(deep)
    };
    let is_cut = |deep: usize| {
        let files = [("CMakeLists.txt", &*project(deep))];
        let repository = Repository::new(&format!("long condition {deep}"), &files);
        let notes = repository.notes(&format!("{TORCH}{RUN}\n"));
        notes
            .iter()
            .any(|note| note.contains("takes too much to follow"))
    };
    assert_eq!([0, 10].map(is_cut), [false, true]);
    // what was read before counts
    let expected = "cmake-cuda yes fixed sm_80 compute_80, CMakeLists.txt:2";
    cmake("long condition", &project(10), RUN, expected);
}

#[test]
fn a_workspace_of_many_packages_asks_for_each_feature_once() {
    let manifest = "[package]\nname = \"part\"\n[features]\ndefault = [\"gpu\"]\ngpu = []\n";
    let paths: Vec<String> = (0..48)
        .map(|at| format!("parts/p{at}/Cargo.toml"))
        .collect();
    let mut files = vec![("Cargo.toml", "[workspace]\nmembers = [\"parts/*\"]\n")];
    files.extend(paths.iter().map(|path| (path.as_str(), manifest)));
    check("many packages", &files, "RUN cargo build --release", "");
}

#[test]
fn an_early_return_guards_all_that_follows() {
    let cmake = |leave: &str| {
        format!(
            "cmake_minimum_required(VERSION 3.24)\nproject(warp CXX)\nset(DEVICE cuda CACHE STRING \"what for\")\nfind_package(Torch REQUIRED)\n{leave}\n\
             add_library(warp SHARED a.cu)\n"
        )
    };
    let of_setup = "import os, sys\nfrom setuptools import setup\nfrom torch.utils.cpp_extension import BuildExtension, CUDAExtension\n";
    let ends = "setup(name='warp', version='1', ext_modules=[CUDAExtension('w', ['a.cu'])], cmdclass={'build_ext': BuildExtension})\n";
    let python = |leave: &str| format!("{of_setup}{leave}\n{ends}");
    let in_cmake = |leave: &str| {
        format!(
            "import os, subprocess, sys\nfrom setuptools import setup, Extension\nfrom setuptools.command.build_ext import build_ext\n\
             class CMakeExtension(Extension):\n    pass\nclass Build(build_ext):\n    def run(self):\n        \
             subprocess.check_call(['cmake', '-B', 'build'])\n{leave}\n\
             modules.append(CMakeExtension('w'))\nsetup(name='warp', ext_modules=modules, cmdclass={{'build_ext': Build}})\n"
        )
    };
    let enables =
        "cmake_minimum_required(VERSION 3.24)\nproject(warp CXX CUDA)\nadd_library(w a.cu)\n";
    let meson = |leave: &str| format!("project('warp', 'cpp')\n{leave}\nadd_languages('cuda')\n");
    let rust = |leave: &str| {
        format!(
            "fn main() {{\n{leave}\ncc::Build::new().cuda(true).file(\"k.cu\").flag(\"-arch=sm_80\").compile(\"k\");\n}}\n"
        )
    };
    let manifest = "[package]\nname = \"kernels\"\nversion = \"1.0.0\"\n";
    let options = "option('gpu', type: 'boolean', value: true)\n";
    let device = "if(DEVICE STREQUAL \"cpu\")\n  include(cpu.cmake)\n  return()\nendif()";
    let nested = "if(DEVICE)\n  if(DEVICE STREQUAL \"cpu\")\n    return()\n  endif()\n  message(STATUS ${DEVICE})\nendif()";
    let build = "RUN cmake -B build";
    let to_cpu = "RUN cmake -B build -DDEVICE=cpu";
    let outside = "ARG DEVICE\nRUN cmake -B build -DDEVICE=$DEVICE";
    let pip = "RUN pip install --no-build-isolation .";
    let env_pip = "ENV WARP_DEVICE=cpu\nRUN pip install --no-build-isolation .";
    let asks = "if os.environ.get('WARP_DEVICE') == 'cpu':\n    if len(sys.argv) > 0:\n        pass\n    sys.exit(0)\n    print('left')";
    let by_loop =
        "for name in ['a']:\n    if os.environ.get('WARP_DEVICE') == 'cpu':\n        sys.exit()";
    let fails = "for name in sys.argv:\n    if not os.path.exists(name):\n        raise RuntimeError('no ' + name)";
    let modules = "def of():\n    if os.environ.get('WARP_DEVICE') == 'cpu':\n        return []\n    return [CMakeExtension('w')]\nmodules = of()\nif os.environ.get('WARP_DEVICE') == 'cpu':\n    sys.exit(0)";
    let skip = "if std::env::var(\"SKIP_KERNELS\").is_ok() {\n    return;\n}";
    let negated = "if !env::var_os(\"SKIP_KERNELS\").is_none() {\n    return;\n}";
    let open = "if env::var(\"SKIP_KERNELS\").unwrap_or_default() == \"1\" {\n    return;\n}";
    let error = "torch-ext yes error";
    for (name, files, rest, expected) in [
        (
            "cmake",
            ["CMakeLists.txt", &cmake(device), "x", ""],
            build,
            "torch-cmake yes fixed",
        ),
        (
            "cmake off",
            ["CMakeLists.txt", &cmake(device), "x", ""],
            to_cpu,
            "torch-cmake no none",
        ),
        (
            "cmake open",
            ["CMakeLists.txt", &cmake(device), "x", ""],
            outside,
            "torch-cmake maybe fixed",
        ),
        (
            "cmake nested",
            ["CMakeLists.txt", &cmake(nested), "x", ""],
            to_cpu,
            "torch-cmake no none",
        ),
        ("setup", ["setup.py", &python(asks), "x", ""], pip, error),
        (
            "setup off",
            ["setup.py", &python(asks), "x", ""],
            env_pip,
            "torch-ext no none",
        ),
        (
            "setup loop",
            ["setup.py", &python(by_loop), "x", ""],
            env_pip,
            "torch-ext no none",
        ),
        (
            "setup error",
            ["setup.py", &python(fails), "x", ""],
            pip,
            error,
        ),
        (
            "setup cmake",
            ["setup.py", &in_cmake(modules), "CMakeLists.txt", enables],
            pip,
            "cmake-cuda yes compilerdefault sm_52 compute_52, CMakeLists.txt:2",
        ),
        (
            "setup cmake off",
            ["setup.py", &in_cmake(modules), "CMakeLists.txt", enables],
            env_pip,
            "cmake-cuda no none",
        ),
        (
            "meson",
            [
                "meson.build",
                &meson("if not get_option('gpu')\n  subdir_done()\nendif"),
                "meson_options.txt",
                options,
            ],
            "RUN meson setup build -Dgpu=false",
            "meson-cuda no none",
        ),
        (
            "meson folder",
            [
                "meson.build",
                "project('warp', 'cpp')\nif get_option('gpu')\n  subdir('k')\nendif\n",
                "k/meson.build",
                "add_languages('cuda')\n",
            ],
            "RUN meson setup build -Dgpu=false",
            "meson-cuda no none",
        ),
        (
            "meson on",
            [
                "meson.build",
                &meson("if not get_option('gpu')\n  subdir_done()\nendif"),
                "meson_options.txt",
                options,
            ],
            "RUN meson setup build",
            "meson-cuda yes compilerdefault sm_52 compute_52, meson.build:5",
        ),
        (
            "rust",
            ["Cargo.toml", manifest, "build.rs", &rust(skip)],
            "RUN cargo build",
            "nvcc yes fixed sm_80 compute_80, build.rs:5",
        ),
        (
            "rust off",
            ["Cargo.toml", manifest, "build.rs", &rust(skip)],
            "ENV SKIP_KERNELS=1\nRUN cargo build",
            "nvcc no none",
        ),
        (
            "rust negated",
            ["Cargo.toml", manifest, "build.rs", &rust(negated)],
            "ENV SKIP_KERNELS=1\nRUN cargo build",
            "nvcc no none",
        ),
        (
            "rust open",
            ["Cargo.toml", manifest, "build.rs", &rust(open)],
            "ENV SKIP_KERNELS=1\nRUN cargo build",
            "nvcc maybe fixed sm_80 compute_80, build.rs:5",
        ),
    ] {
        let [first, one, second, two] = files;
        check(
            &format!("leave {name}"),
            &[(first, one), (second, two)],
            rest,
            expected,
        );
    }
}

/// pip builds a project without a `pyproject.toml` in place, unless it is one of the newest.
#[test]
fn a_project_without_pyproject_is_built_in_place_by_most_pips() {
    let setup = setup("", "");
    let base = "ENV TORCH_CUDA_ARCH_LIST=8.0\n";
    for (name, pip, listed, expected) in [
        ("unknown", "", false, TorchSeen::Unknown),
        (
            "old",
            "RUN pip install pip==22.3.1\n",
            false,
            TorchSeen::Same,
        ),
        (
            "new",
            "RUN pip install pip==25.3\n",
            false,
            TorchSeen::Other,
        ),
        ("listed", "", true, TorchSeen::Other),
        (
            "listed and old",
            "RUN pip install pip==22.3.1\n",
            true,
            TorchSeen::Other,
        ),
        (
            "listed and very old",
            "RUN pip install pip==9.0.3\n",
            true,
            TorchSeen::Same,
        ),
        (
            "another installer",
            "RUN pip install pip==22.3.1 uv\nRUN uv pip install .\n",
            false,
            TorchSeen::Other,
        ),
    ] {
        let mut files = vec![("setup.py", &*setup)];
        if listed {
            files.push((
                "pyproject.toml",
                "[build-system]\nrequires = [\"setuptools\", \"torch\"]\n",
            ));
        }
        let repository = Repository::new(&format!("pip {name}"), &files);
        let builds = repository.builds(&format!("{TORCH}{base}{pip}RUN pip install .\n"));
        let seen = builds.first().map(|build| build.fit.torch_seen);
        assert_eq!(seen, Some(expected), "{name}");
    }
}

#[test]
fn a_separator_tells_names_apart() {
    let build = |name: &str| {
        let setup = format!(
            "from setuptools import setup\nfrom torch.utils.cpp_extension import CUDAExtension\n\
             setup(name='{name}', ext_modules=[CUDAExtension('a', ['a.cu'])])\n"
        );
        let repository = Repository::new(&format!("name {name}"), &[("setup.py", &setup)]);
        let workflow = "on: push\njobs:\n  build:\n    runs-on: ubuntu-22.04\n    container: pytorch/pytorch:2.6.0-cuda12.4-cudnn9-devel\n    steps:\n      - uses: actions/checkout@v4\n      - run: FORCE_CUDA=1 pip install --no-build-isolation .\n";
        let builds = repository.builds_of(".github/workflows/ci.yml", workflow);
        let names: Vec<String> = builds.into_iter().map(|build| build.builder).collect();
        names.join(" ")
    };
    for (name, expected) in [
        ("torch_sparse", "torch-sparse"),
        ("torchsparse", "torchsparse"),
        ("torch-scatter", "torch-scatter"),
        ("flash_attention", "flash-attn"),
        ("my_ops", "torch-ext"),
    ] {
        assert_eq!(build(name), expected, "{name}");
    }
}

/// A feature that packages call by a name of CUDA's is no sign of device code; one that a command asks for is.
#[test]
fn a_feature_of_a_manifest_alone_is_no_sign_of_device_code() {
    let files = [
        ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n"),
        (
            "crates/raw/Cargo.toml",
            "[package]\nname = \"raw\"\n[features]\ndefault = [\"cudnn\"]\ncudnn = []\n",
        ),
        (
            "crates/raw/build.rs",
            "fn main() { println!(\"cargo:rustc-link-lib=cuda\"); }\n",
        ),
    ];
    check("bindings", &files, "RUN cargo build --workspace", "");
    check(
        "bindings asked",
        &files,
        "RUN cargo build --workspace --features cuda",
        "nvcc maybe fixed",
    );
}

/// What CMake finds as a package of libraries is not device code, and what is missing may be.
#[test]
fn libraries_of_cuda_are_no_device_code() {
    let lists = "cmake_minimum_required(VERSION 3.24)\nproject(engine CXX)\nif(USE_CUDA)\n  find_package(CUDAToolkit REQUIRED)\nendif()\n\
                 add_subdirectory(extern/other)\nadd_library(e e.cpp)\n";
    check(
        "libraries",
        &[("CMakeLists.txt", lists)],
        "RUN cmake -B build -DUSE_CUDA=ON",
        "cmake-cuda maybe compilerdefault sm_52 compute_52",
    );
    let off = "RUN cmake -B build -DUSE_CUDA=OFF";
    check(
        "libraries off",
        &[("CMakeLists.txt", lists)],
        off,
        "cmake-cuda no none",
    );
}

/// What CMake has built is not built again by torch when it is installed.
#[test]
fn what_cmake_configured_is_no_extension_of_torch() {
    let run = "ENV FORCE_CUDA=1\nRUN git clone https://example.org/net.git /net && mkdir /net/build && cd /net/build && cmake .. && make && \
               cd .. && pip install .";
    check("configured", &[], run, "");
}
