//! What reports look like. In the sources below, ‹these words› are the command and «these» the cause.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use kimg_lint::facts::*;
use kimg_lint::report::{Report, Terminal, concise, human, json};
use kimg_lint::span::{Lines, Place, Span};

/// Files, and one finding that points into them.
struct Case {
    facts: Facts,
    finding: Finding,
}

fn case(files: &[(&str, &str)]) -> Case {
    let mut facts = Facts::default();
    let mut command = None;
    let mut cause = None;
    for (path, marked) in files {
        let mut text = String::new();
        let mut opened = Vec::new();
        let mut marks = Vec::new();
        for c in marked.chars() {
            match c {
                '‹' | '«' => opened.push(text.len()),
                '›' | '»' => marks.push((c, Span::new(opened.pop().unwrap(), text.len()))),
                c => text.push(c),
            }
        }
        for (mark, span) in marks {
            let at = (path.to_string(), Lines::new(&text).place(span));
            if mark == '›' {
                command = Some(at)
            } else {
                cause = Some(at)
            }
        }
        facts.inputs.push(Input {
            path: path.to_string(),
            problems: Vec::new(),
        });
        facts.texts.insert(path.to_string(), text);
    }
    let (path, span) = command.unwrap_or_default();
    let related = cause.map(|(path, span)| Related {
        role: Role::Cause,
        path,
        span,
        message: "the word at fault".into(),
    });
    let finding = Finding {
        code: "KIMG105".into(),
        rule: "arch-list-malformed".into(),
        severity: Severity::Error,
        confidence: Confidence::Certain,
        path,
        span,
        instruction: None,
        message: "PyTorch CUDA extension (pip install ./ext) rejects `8.0,9.0` in TORCH_CUDA_ARCH_LIST: the build stops".into(),
        help: "write `ENV TORCH_CUDA_ARCH_LIST=\"8.0;9.0+PTX\"`".into(),
        url: "https://example.org/KIMG105".into(),
        builder: Some("torch-ext".into()),
        gpus: Vec::new(),
        worlds: Vec::new(),
        related: related.into_iter().collect(),
        fix: None,
        suppressed: None,
    };
    Case { facts, finding }
}

const PLAIN: Terminal = Terminal {
    color: false,
    unicode: true,
    width: 80,
};

impl Case {
    fn report(self) -> Report {
        Report::new(self.facts, vec![self.finding])
    }

    fn human(self, terminal: Terminal) -> String {
        human_text(&self.report(), terminal, true)
    }

    fn human_with_summary(self, terminal: Terminal) -> String {
        human_text(&self.report(), terminal, false)
    }
}

fn human_text(report: &Report, terminal: Terminal, quiet: bool) -> String {
    let mut out = Vec::new();
    human::write(report, &mut out, terminal, quiet).unwrap();
    String::from_utf8(out).unwrap().trim_end().to_owned()
}

#[test]
fn the_command_and_the_cause() {
    let case = case(&[(
        "Dockerfile",
        "FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\nENV TORCH_CUDA_ARCH_LIST=\"«8.0,9.0»\"\nRUN ‹pip install ./ext›\n",
    )]);
    insta::assert_snapshot!(case.human(PLAIN), @r#"
    error[KIMG105] arch-list-malformed

      × PyTorch CUDA extension (pip install ./ext) rejects `8.0,9.0` in
      │ TORCH_CUDA_ARCH_LIST: the build stops
       ╭─[Dockerfile:3:5]
     1 │ FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
     2 │ ENV TORCH_CUDA_ARCH_LIST="8.0,9.0"
       ·                           ───┬───
       ·                              ╰── the word at fault
     3 │ RUN pip install ./ext
       ·     ────────┬────────
       ·             ╰── this build
       ╰────
      help: write `ENV TORCH_CUDA_ARCH_LIST="8.0;9.0+PTX"`
    "#);
}

#[test]
fn a_cause_far_above_and_a_command_of_several_lines() {
    let case = case(&[(
        "Dockerfile",
        "FROM base\nENV TORCH_CUDA_ARCH_LIST=\"«8.0,9.0»\"\n\n\n\n\nRUN apt-get update \\\n && ‹pip install \\\n      --no-build-isolation \\\n      ./ext› \\\n && rm -rf /tmp/x\n",
    )]);
    insta::assert_snapshot!(case.human(PLAIN), @r#"
    error[KIMG105] arch-list-malformed

      × PyTorch CUDA extension (pip install ./ext) rejects `8.0,9.0` in
      │ TORCH_CUDA_ARCH_LIST: the build stops
       ╭─[Dockerfile:2:27]
     1 │ FROM base
     2 │ ENV TORCH_CUDA_ARCH_LIST="8.0,9.0"
       ·                           ───┬───
       ·                              ╰── the word at fault
     3 │
       ╰────
       ╭─[Dockerfile:8:5]
     7 │ RUN apt-get update \
     8 │  && pip install \
       ·     ─────┬─────
       ·          ╰── this build
     9 │       --no-build-isolation \
       ╰────
      help: write `ENV TORCH_CUDA_ARCH_LIST="8.0;9.0+PTX"`
    "#);
}

#[test]
fn a_cause_in_another_file() {
    let case = case(&[
        (
            "docker/Dockerfile",
            "FROM base\nCOPY ext /ext\nRUN ‹pip install /ext›\n",
        ),
        (
            "ext/setup.py",
            "import os\n\nflags = [«\"-gencode=arch=compute_70,code=sm_70\"»]\n",
        ),
    ]);
    insta::assert_snapshot!(case.human(PLAIN), @r#"
    error[KIMG105] arch-list-malformed

      × PyTorch CUDA extension (pip install ./ext) rejects `8.0,9.0` in
      │ TORCH_CUDA_ARCH_LIST: the build stops
       ╭─[docker/Dockerfile:3:5]
     2 │ COPY ext /ext
     3 │ RUN pip install /ext
       ·     ────────┬───────
       ·             ╰── this build
       ╰────
       ╭─[ext/setup.py:3:10]
     2 │
     3 │ flags = ["-gencode=arch=compute_70,code=sm_70"]
       ·          ──────────────────┬──────────────────
       ·                            ╰── the word at fault
       ╰────
      help: write `ENV TORCH_CUDA_ARCH_LIST="8.0;9.0+PTX"`
    "#);
}

#[test]
fn a_cause_inside_the_command() {
    let case = case(&[(
        "Dockerfile",
        "RUN ‹cmake -S . -B build -DCMAKE_CUDA_ARCHITECTURES=«native» -DX=1›\n",
    )]);
    insta::assert_snapshot!(case.human(PLAIN), @r#"
    error[KIMG105] arch-list-malformed

      × PyTorch CUDA extension (pip install ./ext) rejects `8.0,9.0` in
      │ TORCH_CUDA_ARCH_LIST: the build stops
       ╭─[Dockerfile:1:5]
     1 │ RUN cmake -S . -B build -DCMAKE_CUDA_ARCHITECTURES=native -DX=1
       ·     ───────────────────────┬──────────────────────────┬──
       ·                            │                          ╰── the word at fault
       ·                            ╰── this build
       ╰────
      help: write `ENV TORCH_CUDA_ARCH_LIST="8.0;9.0+PTX"`
    "#);
}

#[test]
fn a_cause_at_the_start_of_the_command() {
    let case = case(&[(
        "Dockerfile",
        "RUN ‹«TORCH_CUDA_ARCH_LIST=8.0,9.0» pip install ./ext›\n",
    )]);
    insta::assert_snapshot!(case.human(PLAIN), @r#"
    error[KIMG105] arch-list-malformed

      × PyTorch CUDA extension (pip install ./ext) rejects `8.0,9.0` in
      │ TORCH_CUDA_ARCH_LIST: the build stops
       ╭─[Dockerfile:1:5]
     1 │ RUN TORCH_CUDA_ARCH_LIST=8.0,9.0 pip install ./ext
       ·     ──────────────┬───────────── ────────┬────────
       ·                   │                      ╰── this build
       ·                   ╰── the word at fault
       ╰────
      help: write `ENV TORCH_CUDA_ARCH_LIST="8.0;9.0+PTX"`
    "#);
}

#[test]
fn tabs_line_breaks_of_windows_and_long_lines() {
    let case = case(&[(
        "Dockerfile",
        "FROM base\r\nRUN\tapt-get install -y libfoo-dev libbar-dev libbaz-dev libfoo-dev libbar-dev libbaz-dev && \tTORCH_CUDA_ARCH_LIST=«8.0,9.0» ‹pip install --no-build-isolation git+https://example.org/some/where/extension› && rm -rf /var/lib/apt/lists/*\r\n",
    )]);
    insta::assert_snapshot!(case.human(PLAIN), @r#"
    error[KIMG105] arch-list-malformed

      × PyTorch CUDA extension (pip install ./ext) rejects `8.0,9.0` in
      │ TORCH_CUDA_ARCH_LIST: the build stops
       ╭─[Dockerfile:2:123]
     1 │ FROM base
     2 │ …RCH_CUDA_ARCH_LIST=8.0,9.0 pip install --no-build-isolation git+https://…
       ·                     ───┬─── ───────────────────────┬──────────────────────
       ·                        │                           ╰── this build
       ·                        ╰── the word at fault
       ╰────
      help: write `ENV TORCH_CUDA_ARCH_LIST="8.0;9.0+PTX"`
    "#);
}

#[test]
fn text_that_a_terminal_would_obey() {
    let mut case = case(&[(
        "\u{1b}]0;x\u{7}/Dockerfile",
        "RUN ‹pip install 漢字 \u{1b}[31m./ext›\u{202e}\n",
    )]);
    case.finding.message = "naïve \u{1b}[2J 漢字".into();
    case.finding.help = String::new();
    insta::assert_snapshot!(case.human(PLAIN), @r#"
    error[KIMG105] arch-list-malformed

      × naïve ␛[2J 漢字
       ╭─[␛]0;x␇/Dockerfile:1:5]
     1 │ RUN pip install 漢字 ␛[31m./ext�
       ·     ───────────────────────────
       ╰────
    "#);
}

#[test]
fn ascii_and_narrow() {
    let case = case(&[(
        "Dockerfile",
        "ENV TORCH_CUDA_ARCH_LIST=\"«8.0,9.0»\"\nRUN ‹pip install --no-build-isolation git+https://example.org/a/b›\n",
    )]);
    let terminal = Terminal {
        unicode: false,
        width: 50,
        ..PLAIN
    };
    insta::assert_snapshot!(case.human(terminal), @r#"
    error[KIMG105] arch-list-malformed

      x PyTorch CUDA extension (pip install ./ext)
      | rejects `8.0,9.0` in TORCH_CUDA_ARCH_LIST: the
      | build stops
       ,-[Dockerfile:2:5]
     1 | ENV TORCH_CUDA_ARCH_LIST="8.0,9.0"
       :                           ^^^|^^^
       :                              `-- the word at fault
     2 | RUN pip install --no-build-isolation git+ht…
       :     ^^^^^^^^^^^^^^^^^^^^|^^^^^^^^^^^^^^^^^^^
       :                         `-- this build
       `----
      help: write
            `ENV TORCH_CUDA_ARCH_LIST="8.0;9.0+PTX"`
    "#);
}

#[test]
fn colours_links_and_the_summary() {
    let case = case(&[(
        "Dockerfile",
        "ENV TORCH_CUDA_ARCH_LIST=«8.0,9.0»\nRUN ‹pip install ./ext›\n",
    )]);
    let terminal = Terminal {
        color: true,
        ..PLAIN
    };
    let shown = case.human_with_summary(terminal).replace('\u{1b}', "ESC");
    insta::assert_snapshot!(shown, @r#"
    ESC]8;;https://example.org/KIMG105ESC\ESC[31merror[KIMG105] arch-list-malformed ESC[0mESC[36;1;4mESC[0mESC]8;;ESC\

      ESC[31m×ESC[0m PyTorch CUDA extension (pip install ./ext) rejects `8.0,9.0` in
      ESC[31m│ESC[0m TORCH_CUDA_ARCH_LIST: the build stops
       ╭─[ESC[36;1;4mDockerfile:2:5ESC[0m]
     ESC[2m1ESC[0m │ ENV TORCH_CUDA_ARCH_LIST=8.0,9.0
       · ESC[31m                         ───┬───ESC[0m
       ·                             ESC[31m╰── ESC[31mthe word at faultESC[0mESC[0m
     ESC[2m2ESC[0m │ RUN pip install ./ext
       · ESC[35;1m    ────────┬────────ESC[0m
       ·             ESC[35;1m╰── ESC[35;1mthis buildESC[0mESC[0m
       ╰────
    ESC[36m  help: ESC[0mwrite `ENV TORCH_CUDA_ARCH_LIST="8.0;9.0+PTX"`

    1 error in 1 file (0 builds)
    "#);
}

#[test]
fn what_cannot_be_quoted_is_named() {
    let mut case = case(&[]);
    case.finding.path = "gone/Dockerfile".into();
    case.finding.builder = None;
    case.finding.confidence = Confidence::Likely;
    case.finding.message = "cannot be read: no such file".into();
    case.finding.worlds = vec!["cuda=12.4".into(), "cuda=12.8".into()];
    case.finding.gpus = vec!["NVIDIA L4".into()];
    case.finding.related.push(Related {
        role: Role::SetHere,
        path: "b".into(),
        span: Place {
            line: 3,
            column: 4,
            ..Place::default()
        },
        message: "CUDAARCHS is set here: torch does not read it".into(),
    });
    case.facts.unreadable.push(Unreadable {
        path: "gone/Dockerfile".into(),
        reason: "no such file".into(),
    });
    insta::assert_snapshot!(case.human_with_summary(PLAIN), @r#"
    error[KIMG105] arch-list-malformed, likely

      × gone/Dockerfile: cannot be read: no such file
      help: write `ENV TORCH_CUDA_ARCH_LIST="8.0;9.0+PTX"`
            see b:3:4: CUDAARCHS is set here: torch does not read it
            for NVIDIA L4
            with cuda=12.4; cuda=12.8

    1 error in 1 file (0 builds); 1 file could not be read
    "#);
}

#[test]
fn a_place_that_the_text_does_not_have_is_not_quoted() {
    for (line, offset) in [(9, 3), (1, 99), (0, 0), (2, 1)] {
        let mut case = case(&[("Dockerfile", "RUN ‹x›\né\n")]);
        case.finding.span = Place {
            offset,
            line,
            length: 1,
            ..case.finding.span
        };
        let shown = case.human(PLAIN);
        assert!(
            !shown.contains('│') || !shown.contains("RUN"),
            "{line}:{offset}\n{shown}"
        );
    }
}

#[test]
fn concise_is_one_line_a_finding() {
    let mut case = case(&[("a b/Dockerfile", "FROM base\nRUN ‹pip install ./ext›\n")]);
    case.finding.message.push_str(" with\na line break");
    let mut out = Vec::new();
    concise::write(&case.report(), &mut out).unwrap();
    insta::assert_snapshot!(String::from_utf8(out).unwrap(), @"a b/Dockerfile:2:5: KIMG105 PyTorch CUDA extension (pip install ./ext) rejects `8.0,9.0` in TORCH_CUDA_ARCH_LIST: the build stops with␊a line break");
}

#[test]
fn suppressed_findings_are_listed_and_never_counted() {
    let mut case = case(&[("Dockerfile", "RUN ‹pip install ./ext›\n")]);
    case.finding.suppressed = Some(Suppressed {
        by: SuppressedBy::Comment,
        reason: "only A100".into(),
    });
    let report = case.report();
    assert_eq!(report.worst(), None);
    let (mut concise_out, mut json_out) = (Vec::new(), Vec::new());
    concise::write(&report, &mut concise_out).unwrap();
    json::write(&report, &mut json_out).unwrap();
    assert_eq!(
        human_text(&report, PLAIN, false),
        "nothing found in 1 file (0 builds); 1 suppressed"
    );
    assert_eq!(String::from_utf8(concise_out).unwrap(), "");
    assert!(
        String::from_utf8(json_out)
            .unwrap()
            .contains("\"reason\": \"only A100\"")
    );
}

proptest::proptest! {
    /// Whatever the text, the places (also those that are wrong) and the width.
    #[test]
    fn nothing_makes_a_report_fail(
        text in "[ab \\\\\té漢\u{1b}\r\n]{0,120}",
        spans in [(0..130usize, 0..40usize), (0..130, 0..40)],
        shift in 0..3u32,
        width in 0..100usize,
    ) {
        let mut case = case(&[("Dockerfile", &text)]);
        let place = |(start, length): (usize, usize)| {
            let place = Lines::new(&text).place(Span::new(start, start + length));
            Place { line: place.line + shift, ..place }
        };
        case.finding.path = "Dockerfile".into();
        case.finding.span = place(spans[0]);
        case.finding.related = vec![Related {
            role: Role::Cause,
            path: "Dockerfile".into(),
            span: place(spans[1]),
            message: "the word at fault".into(),
        }];
        let shown = case.human(Terminal { width, ..PLAIN });
        proptest::prop_assert!(shown.contains("KIMG105"));
        proptest::prop_assert!(!shown.contains("Failed to read"), "{shown}");
    }
}
