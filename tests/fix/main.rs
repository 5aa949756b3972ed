//! Edits that mend findings: what they look like, and what holds for all of them.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod callers;
#[path = "../case/mod.rs"]
#[allow(dead_code, reason = "only the inputs are used here")]
mod case;
#[path = "../pitfalls/compiler.rs"]
mod compiler;
mod everywhere;
mod jobs;
#[path = "../pitfalls/knobs.rs"]
mod knobs;
#[path = "../pitfalls/once_wrong.rs"]
mod once_wrong;
mod program;
#[path = "../pitfalls/reach.rs"]
mod reach;
#[path = "../pitfalls/sources.rs"]
mod sources;
#[path = "../pitfalls/syntax.rs"]
mod syntax;

use kimg_lint::config::Config;
use kimg_lint::cuda::Device;
use kimg_lint::cuda::arch_list::Entry;
use kimg_lint::fix::{Fixer, Judged, Mended, Texts};
use kimg_lint::fleet;
use kimg_lint::lint::{Options, observe};
use kimg_lint::rules::{JudgeError, builtin};
use kimg_lint::tree::Tree;

const PATH: &str = "Dockerfile";

/// Lints and mends files for a fleet.
struct Workshop {
    path: &'static str,
    fleet: Vec<Device>,
    config: Config,
    /// The files around.
    tree: Tree,
}

impl Workshop {
    fn new(gpus: &[&str]) -> Self {
        Self {
            path: PATH,
            fleet: gpus
                .iter()
                .map(|gpu| fleet::resolve(gpu).unwrap())
                .collect(),
            config: Config::new(&[]).unwrap(),
            tree: Tree::default(),
        }
    }

    fn lint(&self, texts: &Texts, archs: &[Entry]) -> Result<Judged, JudgeError> {
        let options = Options {
            fleet: self.fleet.clone(),
            archs: archs.to_vec(),
            tree: self.tree.clone().edited(texts.callers.clone()),
            ..Options::default()
        };
        let mut facts = observe(self.path, &texts.own, &options);
        let today = "2026-11-30".parse().unwrap();
        let findings = self
            .config
            .settings
            .judge(&mut facts, !self.fleet.is_empty(), today)?;
        Ok(Judged {
            builds: facts.builds,
            images: facts.images,
            callers: facts.callers,
            findings,
        })
    }

    fn with<T>(&self, work: impl FnOnce(&Fixer) -> Result<T, JudgeError>) -> T {
        let rules: Vec<_> = builtin().iter().collect();
        let lint = |texts: &Texts, archs: &[Entry]| self.lint(texts, archs);
        let fixer = Fixer {
            path: self.path,
            dockerfile: self.path.ends_with(PATH),
            lint: &lint,
            rules: &rules,
            chosen: !self.fleet.is_empty(),
        };
        work(&fixer).unwrap()
    }

    fn mend(&self, text: &str, all: bool) -> Mended {
        self.with(|fixer| fixer.mend(Texts::of(text), all))
    }
}

const TORCH: &str = "FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel\n";
const GSPLAT: &str =
    "pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat";

/// A Dockerfile on an image with torch, in which `GSPLAT` stands for a command that builds.
fn file(body: &str) -> String {
    format!("{TORCH}{}", body.replace("GSPLAT", GSPLAT))
}

/// Checks what becomes of the texts for an A100 and an H100.
fn check(all: bool, table: &[(&str, &str)]) {
    let workshop = Workshop::new(&["A100", "H100"]);
    for (before, after) in table {
        let mended = workshop.mend(&file(before), all);
        assert_eq!(mended.texts.own, file(after), "{before}");
        assert_eq!(mended.findings.is_empty(), before == after, "{before}");
    }
}

#[test]
fn a_list_is_inserted_where_the_build_finds_it() {
    let list = "TORCH_CUDA_ARCH_LIST=\"8.0;9.0+PTX\"";
    for (before, after) in [
        ("RUN GSPLAT\n", format!("ENV {list}\nRUN GSPLAT\n")),
        ("RUN GSPLAT", format!("ENV {list}\nRUN GSPLAT")),
        ("run GSPLAT\n", format!("env {list}\nrun GSPLAT\n")),
        ("\tRUN GSPLAT\n", format!("\tENV {list}\n\tRUN GSPLAT\n")),
        (
            "# what is built\n# and why\nRUN GSPLAT\n",
            format!("ENV {list}\n# what is built\n# and why\nRUN GSPLAT\n"),
        ),
        (
            "RUN true && \\\n# why\n    GSPLAT\n",
            format!("ENV {list}\nRUN true && \\\n# why\n    GSPLAT\n"),
        ),
        (
            "RUN <<EOF\nset -e\nGSPLAT\nEOF\n",
            format!("ENV {list}\nRUN <<EOF\nset -e\nGSPLAT\nEOF\n"),
        ),
        (
            "RUN GSPLAT\nRUN GSPLAT@v1\n",
            format!("ENV {list}\nRUN GSPLAT\nRUN GSPLAT@v1\n"),
        ),
        ("RUN sudo GSPLAT\n", format!("RUN sudo {list} GSPLAT\n")),
        (
            "RUN cmake -S /src -B /build -DGGML_CUDA=ON && cmake --build /build\n",
            "RUN cmake -S /src -B /build -DGGML_CUDA=ON && cmake --build /build\n".to_owned(),
        ),
    ] {
        check(false, &[(before, &after)]);
    }
}

#[test]
fn a_list_of_the_users_own_is_corrected() {
    check(
        false,
        &[
            (
                "ENV TORCH_CUDA_ARCH_LIST=\"8.0,9.0\"\nRUN GSPLAT\n",
                "ENV TORCH_CUDA_ARCH_LIST=\"8.0;9.0\"\nRUN GSPLAT\n",
            ),
            (
                "ENV A=1 TORCH_CUDA_ARCH_LIST=80,90 B=2 # c\nRUN GSPLAT\n",
                "ENV A=1 TORCH_CUDA_ARCH_LIST=\"8.0;9.0\" B=2 # c\nRUN GSPLAT\n",
            ),
            (
                "RUN TORCH_CUDA_ARCH_LIST='sm_80 sm_90' GSPLAT\n",
                "RUN TORCH_CUDA_ARCH_LIST='8.0;9.0' GSPLAT\n",
            ),
            (
                "ENV TORCH_CUDA_ARCH_LIST=\"\"\nRUN GSPLAT\n",
                "ENV TORCH_CUDA_ARCH_LIST=\"8.0;9.0+PTX\"\nRUN GSPLAT\n",
            ),
            (
                "RUN export TORCH_CUDA_ARCH_LIST=\"8.0;9.0\"\nRUN GSPLAT\n",
                "RUN export TORCH_CUDA_ARCH_LIST=\"8.0;9.0\"\nENV TORCH_CUDA_ARCH_LIST=\"8.0;9.0\"\nRUN GSPLAT\n",
            ),
        ],
    );
}

#[test]
fn what_may_change_something_else_is_only_done_when_asked() {
    for (before, after) in [
        (
            "RUN GSPLAT\nENV TORCH_CUDA_ARCH_LIST=\"8.0;9.0\"\nRUN true\n",
            "ENV TORCH_CUDA_ARCH_LIST=\"8.0;9.0\"\nRUN GSPLAT\nRUN true\n",
        ),
        (
            "ENV TORCH_CUDA_ARCH_LIST=\"9.0\"\nRUN GSPLAT\n",
            "ENV TORCH_CUDA_ARCH_LIST=\"8.0;9.0+PTX\"\nRUN GSPLAT\n",
        ),
        (
            "RUN nvcc -arch=sm_90 -o a a.cu\n",
            "RUN nvcc -gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 \
             -gencode=arch=compute_90,code=compute_90 -o a a.cu\n",
        ),
    ] {
        check(false, &[(before, before)]);
        check(true, &[(before, after)]);
    }
}

#[test]
fn what_cannot_be_mended_here_stays() {
    check(
        true,
        &[
            ("ONBUILD RUN GSPLAT\n", "ONBUILD RUN GSPLAT\n"),
            (
                "# kimg-lint: ignore[KIMG101] later\nRUN GSPLAT\n",
                "# kimg-lint: ignore[KIMG101] later\nRUN GSPLAT\n",
            ),
            (
                "ARG TORCH_CUDA_ARCH_LIST\nRUN GSPLAT\n",
                "ARG TORCH_CUDA_ARCH_LIST\nRUN GSPLAT\n",
            ),
        ],
    );
}

/// Where nobody named a GPU, a list is a guess.
#[test]
fn without_a_fleet_a_list_is_not_safe() {
    let workshop = Workshop::new(&[]);
    let text = file("RUN GSPLAT\n");
    assert_eq!(workshop.mend(&text, false).texts.own, text);
    assert!(
        workshop
            .mend(&text, true)
            .texts
            .own
            .contains("ENV TORCH_CUDA_ARCH_LIST=")
    );
    let own = file("ENV TORCH_CUDA_ARCH_LIST=\"8.0,9.0\"\nRUN GSPLAT\n");
    assert!(
        workshop
            .mend(&own, false)
            .texts
            .own
            .contains("=\"8.0;9.0\"")
    );
}
