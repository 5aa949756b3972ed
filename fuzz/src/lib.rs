//! What each fuzz target does with its bytes. `tests/fuzzing.rs` does the same with the inputs that are kept, on any Rust.
//!
//! Where a target reads several formats, the first line of its input names the one, by the path of the file.
mod findings;
mod folder;

use folder::Folder;
use kimg_lint::artifact::{self, Meter, verdict};
use kimg_lint::builders;
use kimg_lint::config::{Config, Layer, NAME};
use kimg_lint::cuda::arch_list::{self, Consumer, Syntax};
use kimg_lint::date::Date;
use kimg_lint::facts::{Artifact, Facts, sample};
use kimg_lint::fix::{Fixer, Judged, Texts};
use kimg_lint::front::kind::kind_of;
use kimg_lint::lint::{self, Options, observe};
use kimg_lint::report::{Format, Report, Terminal, human};
use kimg_lint::rules::{self, Policy, RuleSet};
use kimg_lint::text::mapped::Mapped;
use kimg_lint::text::{self, cmd, powershell, shell, yaml};
use kimg_lint::tree::Tree;
use std::hint::black_box;
use std::path::Path;
use std::sync::{LazyLock, OnceLock};

/// What a target does with its bytes.
pub type Target = fn(&[u8]);

/// Every target by its name.
pub const TARGETS: &[(&str, Target)] = &[
    ("dockerfile", dockerfile),
    ("shell", shell),
    ("yaml", yaml),
    ("device_code", device_code),
    ("containers", containers),
    ("arch_lists", arch_lists),
    ("ci", ci),
    ("bake", bake),
    ("requirements", requirements),
    ("setup_py", setup_py),
    ("cmake", cmake),
    ("build_files", build_files),
    ("config", config),
    ("rules", rules),
    ("formats", formats),
    ("fix", fix),
    ("end_to_end", end_to_end),
];

/// Dockerfiles: read, walked, and the builds in them found.
pub fn dockerfile(data: &[u8]) {
    learn("Dockerfile", &lossy(data));
}

/// Shell text; with the scripts of PowerShell and cmd that are read as such.
pub fn shell(data: &[u8]) {
    let text = Mapped::verbatim(&lossy(data), 0);
    shell::parse(&text);
    shell::words(&text);
    shell::parse(&powershell::as_shell(&text));
    shell::parse(&cmd::as_shell(&text));
}

/// YAML, also of templates, and JSON as a part of it.
pub fn yaml(data: &[u8]) {
    let text = lossy(data);
    yaml::parse(&text);
    yaml::parse_template(&text);
    yaml::parse_json(&text);
}

/// ELF, PE, objects, cubins, fatbins, PTX: mapped, and in a stream.
pub fn device_code(data: &[u8]) {
    archs(data);
}

/// Archives of any kind, one in another.
pub fn containers(data: &[u8]) {
    archs(data);
}

/// Lists of architectures in each syntax.
pub fn arch_lists(data: &[u8]) {
    const NAMES: [&str; 12] = [
        "torch",
        "find-cuda",
        "cmake",
        "undotted(;)",
        "undotted( ,;)",
        "dotted(,)",
        "dotted(; )",
        "one-undotted",
        "one-dotted",
        "names",
        "gencode",
        "nvcc-flags",
    ];
    static SYNTAXES: LazyLock<[Option<Syntax>; 12]> =
        LazyLock::new(|| NAMES.map(|name| name.parse().ok()));
    let text = lossy(data);
    let (name, list) = first_line(&text);
    let at = NAMES.iter().position(|known| *known == name);
    let Some(syntax) = at.and_then(|at| SYNTAXES[at]) else {
        return;
    };
    let parsed = arch_list::parse(syntax, list, &Consumer::default());
    for token in &parsed.tokens {
        let there = list.get(token.range.clone());
        assert!(token.text.is_empty() || there == Some(&token.text));
    }
}

/// Each CI format and its like; the first line is the path of the file.
pub fn ci(data: &[u8]) {
    let text = lossy(data);
    let (path, text) = first_line(&text);
    learn(path, text);
}

/// Bake files in HCL and in JSON.
pub fn bake(data: &[u8]) {
    let text = lossy(data);
    learn("docker-bake.hcl", &text);
    learn("docker-bake.json", &text);
}

/// Requirements, and the other lists of packages and settings.
pub fn requirements(data: &[u8]) {
    let text = lossy(data);
    text::requirements::read(&text);
    text::dotenv::read(&text);
    text::recipe::read(&text);
    text::cibuildwheel::read(&text);
    text::marker::holds(&text, &|name| Some(name.to_owned()));
    let _ = black_box(text::pyproject::read(&text));
    let _ = black_box(text::cargo::read(&text));
    let _ = black_box(text::uv_lock::read(&text));
    let _ = black_box(text::lock::read(&text));
}

/// The `setup.py` of a package that is built.
pub fn setup_py(data: &[u8]) {
    project("setup.py", &lossy(data));
}

/// The `CMakeLists.txt` of a project that is built.
pub fn cmake(data: &[u8]) {
    project("CMakeLists.txt", &lossy(data));
}

/// The other files of projects that are built.
pub fn build_files(data: &[u8]) {
    const NAMES: [&str; 8] = [
        "meson.build",
        "build.rs",
        "Makefile",
        "CMakePresets.json",
        "pyproject.toml",
        "Cargo.toml",
        "requirements.txt",
        "build.sh",
    ];
    let text = lossy(data);
    let (name, text) = first_line(&text);
    if NAMES.contains(&name) {
        project(name, text);
    }
}

/// Configurations, and files of builders.
pub fn config(data: &[u8]) {
    let text = lossy(data);
    let _ = black_box(builders::load::load("b.yaml", &text, &[]));
    let folder = Path::new("/nowhere");
    let Ok(layer) = Layer::parse(NAME, folder, &text) else {
        return;
    };
    if let Ok(config) = Config::new(&[layer]) {
        let place = folder.join("Dockerfile");
        let _ = black_box(lint::lint_text("Dockerfile", BUILD, &config, &place));
    }
}

/// Rules, with one fact of each kind to judge.
pub fn rules(data: &[u8]) {
    if let Ok(rule) = rules::load("r.yaml", &lossy(data)) {
        let _ = black_box(RuleSet::new([rule]).judge(&sample::facts(), Policy::default()));
    }
}

/// Findings with any words and places, in every format.
pub fn formats(data: &[u8]) {
    in_every_format(&findings::report(data));
}

/// Every edit there is, in a file at the path in the first line; then there is none left.
pub fn fix(data: &[u8]) {
    let text = lossy(data);
    let (path, text) = first_line(&text);
    let config = standard();
    let rules = config.settings.rule_set();
    let fleet = config.fleet(Path::new("/nowhere/f"));
    let lint = |texts: &Texts, archs: &[arch_list::Entry]| {
        let options = Options {
            archs: archs.to_vec(),
            fleet: fleet.clone(),
            ..Options::default()
        };
        let mut facts = observe(path, &texts.own, &options);
        let settings = &config.settings;
        let findings = settings.judge_with(&rules, &mut facts, true, Date::today())?;
        Ok(Judged {
            builds: facts.builds,
            images: facts.images,
            callers: facts.callers,
            findings,
        })
    };
    let fixer = Fixer {
        path,
        dockerfile: kind_of(path, text).is_some_and(|kind| kind.name == "dockerfile"),
        lint: &lint,
        rules: &config.settings.rules,
        chosen: true,
    };
    let mended = fixer.mend(Texts::of(text), true);
    let again = mended.and_then(|mended| fixer.mend(mended.texts, true));
    assert!(again.is_ok_and(|again| again.findings.is_empty()));
}

/// A file at the path in the first line: text or not, learned from, judged, and in every format.
pub fn end_to_end(data: &[u8]) {
    let config = standard();
    let end = data.iter().position(|&byte| byte == b'\n');
    let (path, content) = data.split_at(end.map_or(0, |end| end + 1));
    let path = String::from_utf8_lossy(path.trim_ascii_end()).into_owned();
    let place = Path::new("/nowhere").join(&path);
    let text = kimg_lint::read::text(content, u64::MAX);
    let report = match text {
        Ok(text) if kind_of(&path, &text).is_some() => {
            lint::lint_text(&path, &text, config, &place)
        }
        _ => {
            let mut facts = Facts {
                artifacts: archs(content),
                ..Facts::default()
            };
            for artifact in &mut facts.artifacts {
                verdict::judge(artifact, &config.fleet(&place));
            }
            let findings = config.settings.judge(&mut facts, true, Date::today());
            findings.map(|findings| Report::new(facts, findings))
        }
    };
    in_every_format(&report.expect("the built-in rules fail on no fact"));
}

/// A build without a list.
const BUILD: &str =
    "FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel\nRUN pip install flash-attn\n";

/// The bytes as text; what is no text becomes some.
fn lossy(data: &[u8]) -> String {
    String::from_utf8_lossy(data).replace('\0', " ")
}

fn first_line(text: &str) -> (&str, &str) {
    text.split_once('\n').unwrap_or((text, ""))
}

/// A configuration with GPUs.
fn standard() -> &'static Config {
    static CONFIG: OnceLock<Config> = OnceLock::new();
    CONFIG.get_or_init(|| {
        let text = "fleet: {all: {gpus: [T4, A100, H100], driver: \"550\"}}";
        let layer = Layer::parse(NAME, Path::new("/nowhere"), text);
        Config::new(&[layer.expect("it is well-formed")]).expect("it is right")
    })
}

/// All that is learned from the text of a file at a path.
fn learn(path: &str, text: &str) {
    let options = Options {
        fleet: standard().fleet(Path::new("/nowhere/f")),
        ..Options::default()
    };
    black_box(observe(path, text, &options));
}

/// All that is learned from a Dockerfile that builds a project in every way, with the file at hand in it.
fn project(name: &str, text: &str) {
    const DOCKERFILE: &str = "\
FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
COPY . /src
WORKDIR /src
RUN pip install --no-build-isolation .
RUN pip install -r requirements.txt
RUN cmake -B b --preset p && cmake --build b
RUN meson setup m && ninja -C m
RUN cargo build --release
RUN make all
RUN bash build.sh
";
    let folder = Folder::of(name);
    folder.put("Dockerfile", DOCKERFILE.as_bytes());
    if name == "build.rs" {
        folder.put(
            "Cargo.toml",
            b"[package]\nname = \"a\"\nversion = \"1.0.0\"\n",
        );
    }
    folder.put(name, text.as_bytes());
    let path = Path::new("Dockerfile");
    let options = Options {
        tree: Tree::new(folder.path(), &folder.path().join(path), path),
        ..Options::default()
    };
    black_box(observe("Dockerfile", DOCKERFILE, &options));
}

/// The device code in a file with these bytes, and in a stream of them.
fn archs(data: &[u8]) -> Vec<Artifact> {
    let folder = Folder::of("artifact");
    let options = artifact::Options {
        all: true,
        listing: true,
        places: true,
        kernels: true,
        max_size: 64 << 20,
        ..artifact::Options::default()
    };
    let paths = [
        folder.put("file", data),
        folder.put("file.gz", &folder::stored(data)),
    ];
    artifact::archs(&paths, &options, &Meter::default())
}

/// Writes the report in every format; JSON has to be JSON.
fn in_every_format(report: &Report) {
    let terminal = Terminal {
        color: true,
        unicode: true,
        width: 40,
    };
    for format in Format::all() {
        let mut out = Vec::new();
        let written = format.write(report, &mut out, |out| {
            human::write(report, out, terminal, false)
        });
        assert!(written.is_ok(), "memory takes everything");
        let text = String::from_utf8(out).expect("every format is text");
        if matches!(format, Format::Json | Format::Sarif | Format::Gitlab) {
            serde_json::from_str::<serde_json::Value>(&text).expect("it is JSON");
        }
    }
}
