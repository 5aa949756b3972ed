//! What Python projects depend on.
use crate::check;

const LOCK: &str = r#"
== uv.lock
version = 1
[[package]]
name = "own"
source = { editable = "." }
dependencies = [{ name = "numpy" }]
[package.optional-dependencies]
gpu = [{ name = "tinycudann" }, { name = "causal-conv1d" }]
[[package]]
name = "numpy"
version = "2.0"
source = { registry = "https://pypi.org/simple" }
wheels = [{ url = "https://h/numpy.whl" }]
[[package]]
name = "tinycudann"
version = "1.7"
source = { git = "https://github.com/NVlabs/tiny-cuda-nn?subdirectory=bindings%2Ftorch&rev=v1.7#012345" }
[[package]]
name = "causal-conv1d"
version = "1.6.2"
source = { registry = "https://pypi.org/simple" }
sdist = { url = "https://h/causal_conv1d.tar.gz" }
"#;

#[test]
fn lock_files_say_what_is_built() {
    let with = |dockerfile: &str, pyproject: &str| {
        format!(
            "{dockerfile}== pyproject.toml\n[project]\nname = \"own\"\ndependencies = [\"numpy\"]\n{pyproject}{LOCK}"
        )
    };
    let extra = with(
        "COPY . /src\nWORKDIR /src\nENV TCNN_CUDA_ARCHITECTURES=80\nRUN uv sync --locked --extra gpu\n",
        "",
    );
    let plain = with("COPY . /src\nWORKDIR /src\nRUN uv sync\n", "");
    let without = with(
        "COPY . /src\nRUN cd /src && uv sync --extra gpu --no-install-package tinycudann --no-install-package causal-conv1d\n",
        "",
    );
    check(
        "lock",
        &[
            (
                &extra,
                &[
                    "5 tiny-cuda-nn-torch sm_80+compute_80 < uv.lock:14",
                    "5 causal-conv1d? sm_75+sm_80+sm_87+sm_90 < uv.lock:18",
                    "KIMG101:5",
                ],
            ),
            (&plain, &[]),
            (&without, &[]),
        ],
    );
}

#[test]
fn projects_name_what_they_need() {
    let tcnn = "tcnn @ git+https://github.com/NVlabs/tiny-cuda-nn#subdirectory=bindings/torch";
    let project = format!(
        "== pyproject.toml\n[project]\nname = \"own\"\n[project.optional-dependencies]\ngpu = [\n  \"{tcnn} ; sys_platform == 'linux'\",\n]\nwin = [\"{tcnn} ; sys_platform == 'win32'\"]\n"
    );
    let case = |run: &str| {
        format!("COPY . /src\nENV TCNN_CUDA_ARCHITECTURES=80\nRUN cd /src && {run}\n{project}")
    };
    let uv = "COPY . /src\nENV TCNN_CUDA_ARCHITECTURES=80\nRUN cd /src && uv sync --no-default-groups --group gpu\n== pyproject.toml\n[project]\nname = \"own\"\n[dependency-groups]\ngpu = [\"tcnn\"]\n[tool.uv.sources]\ntcnn = { git = \"https://github.com/NVlabs/tiny-cuda-nn\", subdirectory = \"bindings/torch\" }\n";
    let dynamic = "COPY . /src\nENV TCNN_CUDA_ARCHITECTURES=80\nRUN pip install /src\n== pyproject.toml\n[tool.setuptools.dynamic]\ndependencies = {file = [\"r.txt\"]}\n== r.txt\ngit+https://github.com/NVlabs/tiny-cuda-nn#subdirectory=bindings/torch\n";
    let found = "4 tiny-cuda-nn-torch sm_80+compute_80 < pyproject.toml:5";
    check(
        "project",
        &[
            (&case("pip install -e '.[gpu]'"), &[found]),
            (&case("uv sync --extra gpu"), &[found]),
            (&case("pip install ."), &[]),
            (&case("pip install --no-deps '.[gpu]'"), &[]),
            (&case("pip install '.[win]'"), &[]),
            (
                uv,
                &["4 tiny-cuda-nn-torch sm_80+compute_80 < pyproject.toml:4"],
            ),
            (
                dynamic,
                &["4 tiny-cuda-nn-torch sm_80+compute_80 < r.txt:1"],
            ),
            (
                "COPY . /src\nRUN cd /src && uv sync\n== pyproject.toml\n[project\n",
                &["KIMG005:3"],
            ),
        ],
    );
}

#[test]
fn what_takes_too_much_is_said() {
    let long = format!(
        "COPY . .\nRUN cmake -B build\n== CMakeLists.txt\nproject(p CXX)\n{}enable_language(CUDA)\n",
        "set(a b)\n".repeat(60_001)
    );
    let folders: String = (0..80)
        .map(|n| format!("\n== f{n}/meson.build\nsubdir('../f{}')", n + 1))
        .collect();
    let wide = format!("COPY . .\nRUN meson setup build\n== meson.build\nsubdir('f0'){folders}\n");
    check(
        "too-much",
        &[(&long, &["KIMG005:3"]), (&wide, &["KIMG005:3"])],
    );
}
