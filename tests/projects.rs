//! Projects that a Dockerfile copies and builds: what their own files say decides.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use kimg_lint::facts::Build;
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
        let path = Path::new("Dockerfile");
        let options = Options {
            tree: Tree::new(&self.0, &self.0.join(path), path),
            ..Options::default()
        };
        observe("Dockerfile", dockerfile, &options).builds
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
import os, torch
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension, CppExtension, CUDA_HOME

def get_extensions():
    extension = CppExtension
    if GATE:
        extension = CUDAExtension
    return [extension('m._C', ['a.cpp'])]

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
