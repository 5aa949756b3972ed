//! Modules that compile an extension of torch when they are imported.
use crate::check;

/// A stage with nvcc and torch, and the files beside it.
macro_rules! stage {
    ($text:literal) => {
        concat!(
            "FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel\nCOPY . .\n",
            $text
        )
    };
}

#[test]
fn imports_that_compile() {
    check(
        "imports",
        &[
            (
                stage!(
                    "RUN python -c 'from ops import fused'\n== ops/__init__.py\n== ops/fused.py\nimport os\nfrom torch.utils.cpp_extension import load\nhere = os.path.dirname(__file__)\nop = load(name='fused', sources=[os.path.join(here, 'fused.cu')])\n"
                ),
                &["4 torch-cpp-extension-jit  < ops/fused.py:4", "KIMG101:4"],
            ),
            // by way of a function and of a relative import
            (
                stage!(
                    "ENV TORCH_CUDA_ARCH_LIST=9.0+PTX\nRUN python tools/warm.py\n== tools/warm.py\nif __name__ == '__main__':\n    import pkg.a\n== tools/pkg/__init__.py\n== tools/pkg/a.py\nfrom . import b\n== tools/pkg/b.py\nfrom torch.utils import cpp_extension\ndef build():\n    return cpp_extension.load('b', ['b.cu'])\nop = build()\n"
                ),
                &["5 torch-cpp-extension-jit sm_90+compute_90 < tools/pkg/b.py:3"],
            ),
            // only when it is called, run as a program, or for the CPU
            (
                stage!(
                    "RUN python -c 'import a, b' && python -c 'import c'\n== a.py\nfrom torch.utils.cpp_extension import load\ndef op():\n    return load('a', ['a.cu'])\n== b.py\nfrom torch.utils.cpp_extension import load\nif __name__ == '__main__':\n    load('b', ['b.cu'])\n== c.py\nfrom torch.utils.cpp_extension import load\nload('c', ['c.cpp'])\n"
                ),
                &[],
            ),
            // what may not be reached
            (
                stage!(
                    "RUN python -m pkg.main\n== pkg/main.py\nimport torch\nfrom torch.utils.cpp_extension import load\nif torch.cuda.is_available():\n    load('a', ['a.cu'])\n"
                ),
                &["4 torch-cpp-extension-jit?  < pkg/main.py:4", "KIMG101:4"],
            ),
            // modules that import each other
            (
                stage!("RUN python -c 'import a'\n== a.py\nimport b\n== b.py\nimport a\n"),
                &[],
            ),
        ],
    );
}
