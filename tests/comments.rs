//! Comments in Dockerfiles: what they suppress, and what they declare.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use kimg_lint::config::Config;
use kimg_lint::lint::lint_text;
use kimg_lint::report::Report;
use std::path::Path;

fn report(text: &str) -> Report {
    let config = Config::new(&[]).unwrap();
    lint_text("Dockerfile", text, &config, Path::new("/Dockerfile")).unwrap()
}

/// `line CODE` of each finding, in parentheses if it is suppressed.
fn said(text: &str) -> String {
    let report = report(text);
    let findings = report.findings.iter().map(|finding| {
        let said = format!("{} {}", finding.span.line, &finding.code[4..]);
        match &finding.suppressed {
            Some(_) => format!("({said})"),
            None => said,
        }
    });
    findings.collect::<Vec<_>>().join(", ")
}

const BUILD: &str =
    "RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat";

/// A text in which `B` stands for a base image with torch and nvcc, `R` for a build and `K` for the mark.
fn text(short: &str) -> String {
    let lines = short.lines().map(|line| match line.trim() {
        "B" => "FROM pytorch/pytorch:2.4.1-cuda12.1-cudnn9-devel".to_owned(),
        "R" => BUILD.to_owned(),
        line => line
            .replace("B ", "FROM pytorch/pytorch:2.4.1-cuda12.1-cudnn9-devel ")
            .replace("K:", "kimg-lint:"),
    });
    lines.map(|line| line + "\n").collect()
}

#[test]
fn a_suppression_reaches_as_far_as_it_says() {
    for (short, expected) in [
        ("B\nR", "2 101"),
        ("B\n# K: ignore[KIMG101] ours\nR", "(3 101)"),
        ("B\n# K: ignore[101] ours\n\n# more\nR", "(5 101)"),
        ("B\n# K: ignore[arch-list-missing]\nR\nR", "(3 101), 4 101"),
        ("B\n# K: ignore[KIMG101,KIMG305] ours\nR", "2 003, (3 101)"),
        ("B\n# K: ignore[KIMG301] ours\nR", "2 003, 3 101"),
        ("B\n# K: ignore[KIMG101]\nWORKDIR /x\nR", "2 003, 4 101"),
        ("B\nR\n# K: ignore[KIMG101]", "2 101, 3 003"),
        ("B\n# K: ignore-stage[KIMG101]\nR\nR", "(3 101), (4 101)"),
        (
            "# K: ignore-stage[KIMG101]\nB AS a\nR\nB AS b\nR",
            "(3 101), 5 101",
        ),
        (
            "B AS a\nR\n# K: ignore-stage[KIMG101]\nB AS b\nR",
            "2 101, (5 101)",
        ),
        (
            "B AS a\nR\nB AS b\nR\n# K: ignore-file[KIMG101] ours",
            "(2 101), (4 101)",
        ),
        ("# K: ignore-file[1xx]\nB\nR", "(3 101)"),
        (
            "B\n# K: ignore[KIMG101] until=2020-01-01\nR",
            "2 003, 3 101",
        ),
        ("B\n# K: ignore[KIMG101] until=9999-01-01\nR", "(3 101)"),
        ("B\n# K: ignore KIMG101\nR", "2 003, 3 101"),
        // a run without a fleet cannot tell whether a rule that needs one still speaks
        ("B\n# K: ignore[KIMG201] ours\nRUN true", ""),
        // in a continuation, and in a heredoc, where it is text
        (
            "B\nRUN true && \\\n# K: ignore[KIMG101]\n  pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat",
            "(4 101)",
        ),
        (
            "B\nRUN <<E\n# K: ignore[KIMG101]\npip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat\nE",
            "4 101",
        ),
    ] {
        assert_eq!(said(&text(short)), expected, "{short}");
    }
}

#[test]
fn a_suppression_works_at_the_cause_too() {
    for (short, expected) in [
        ("B\nENV TORCH_CUDA_ARCH_LIST=8.0,9.0\nR", "3 105"),
        (
            "B\n# K: ignore[KIMG105] ours\nENV TORCH_CUDA_ARCH_LIST=8.0,9.0\nR",
            "(4 105)",
        ),
        (
            "B\nENV TORCH_CUDA_ARCH_LIST=8.0,9.0\n# K: ignore[KIMG105] ours\nR",
            "(4 105)",
        ),
    ] {
        assert_eq!(said(&text(short)), expected, "{short}");
    }
}

#[test]
fn a_comment_declares_what_is_built() {
    let builds = |short: &str| {
        let report = report(&text(short));
        let builds = report.builds.iter();
        let builders: Vec<_> = builds
            .map(|build| format!("{} {:?}", build.builder, build.compiles))
            .collect();
        builders.join(", ")
    };
    for (short, expected, found) in [
        ("B\nCOPY . /src\nRUN cd /src && ./make-wheel.sh", "", ""),
        (
            "B\nCOPY . /src\n# K: builds torch-ext\nRUN cd /src && ./make-wheel.sh",
            "torch-ext Yes",
            "4 101",
        ),
        (
            "B\nENV TORCH_CUDA_ARCH_LIST=8.0+PTX\n# K: builds torch-ext\nRUN ./make-wheel.sh",
            "torch-ext Yes",
            "",
        ),
        // a package that is named is what its name says
        ("B\n# K: builds torch-ext\nR", "gsplat Yes", "2 003, 3 101"),
        (
            "B\n# K: builds torch-ext\nRUN pip install requests",
            "",
            "2 003",
        ),
        (
            "B\n# K: builds torch-exts\nRUN ./make-wheel.sh",
            "",
            "2 003",
        ),
        ("B\n# K: builds\nRUN ./make-wheel.sh", "", "2 003"),
    ] {
        assert_eq!(builds(short), expected, "{short}");
        assert_eq!(said(&text(short)), found, "{short}");
    }
}
