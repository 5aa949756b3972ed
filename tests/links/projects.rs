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
source = { registry = "https://index.example/simple" }
wheels = [{ url = "https://h/numpy.whl" }]
[[package]]
name = "tinycudann"
version = "1.7"
source = { git = "https://github.com/NVlabs/tiny-cuda-nn?subdirectory=bindings%2Ftorch&rev=v1.7#012345" }
[[package]]
name = "causal-conv1d"
version = "1.6.2"
source = { registry = "https://index.example/simple" }
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
    let parts: String = (0..70)
        .map(|n| format!("\n== parts/p{n}/Cargo.toml\n[package]\nname = \"p{n}\""))
        .collect();
    let many = format!(
        "COPY . .\nRUN cargo build\n== Cargo.toml\n[workspace]\nmembers = [\"parts/*\"]{parts}\n"
    );
    let wide = format!("COPY . .\nRUN meson setup build\n== meson.build\nsubdir('f0'){folders}\n");
    check(
        "too-much",
        &[
            (&long, &["KIMG005:3"]),
            (&wide, &["KIMG005:3"]),
            (&many, &["KIMG005:3"]),
        ],
    );
}

const POETRY: &str = r#"
== pyproject.toml
[tool.poetry]
name = "own"
[tool.poetry.group.bench]
optional = true
== poetry.lock
[[package]]
name = "numpy"
version = "2.0"
optional = false
groups = ["main"]
files = [{file = "numpy-2.0-cp311-cp311-linux_x86_64.whl", hash = "x"}]
[[package]]
name = "tinycudann"
version = "1.7"
optional = true
groups = ["main"]
files = []
[package.source]
type = "git"
url = "https://github.com/NVlabs/tiny-cuda-nn"
reference = "v1.7"
resolved_reference = "012345"
subdirectory = "bindings/torch"
[[package]]
name = "causal-conv1d"
version = "1.6.2"
optional = false
groups = ["bench"]
files = [{file = "causal_conv1d-1.6.2.tar.gz", hash = "x"}]
[extras]
gpu = ["tinycudann"]
"#;

const PDM: &str = r#"
== pyproject.toml
[project]
name = "own"
== pdm.lock
[[package]]
name = "tinycudann"
version = "1.7"
git = "https://github.com/NVlabs/tiny-cuda-nn"
revision = "012345"
subdirectory = "bindings/torch"
groups = ["gpu"]
[[package]]
name = "causal-conv1d"
version = "1.6.2"
groups = ["default"]
files = [{file = "causal_conv1d-1.6.2.tar.gz", hash = "x"}]
"#;

#[test]
fn lock_files_of_poetry_and_pdm_say_what_is_built() {
    let with = |run: &str, files: &str| {
        format!(
            "COPY . /src\nWORKDIR /src\nENV TCNN_CUDA_ARCHITECTURES=80\nRUN {run}\n{}",
            files.trim_start()
        )
    };
    let tcnn = |place: &str| format!("5 tiny-cuda-nn-torch sm_80+compute_80 < {place}");
    let conv = |place: &str| format!("5 causal-conv1d? sm_75+sm_80+sm_87+sm_90 < {place}");
    let cases = [
        (with("poetry install", POETRY), vec![]),
        (
            with("poetry install --no-root -E gpu", POETRY),
            vec![tcnn("poetry.lock:8")],
        ),
        (
            with("poetry install --all-extras --with bench", POETRY),
            vec![
                tcnn("poetry.lock:8"),
                conv("poetry.lock:20"),
                "KIMG101:5".to_owned(),
            ],
        ),
        (
            with("poetry sync --only bench", POETRY),
            vec![conv("poetry.lock:20"), "KIMG101:5".to_owned()],
        ),
        (with("pdm install --no-default", PDM), vec![]),
        (
            with("pdm sync -G gpu", PDM),
            vec![
                tcnn("pdm.lock:2"),
                conv("pdm.lock:9"),
                "KIMG101:5".to_owned(),
            ],
        ),
    ];
    for (index, (text, expected)) in cases.iter().enumerate() {
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        check(&format!("locks-{index}"), &[(text, &expected)]);
    }
}
