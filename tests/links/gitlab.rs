//! Files that GitLab CI includes.
use crate::{answer, report, repository};
use kimg_lint::report::Report;

/// The findings as line, code and severity; that nothing runs what is built holds for all of them.
fn said(report: &Report) -> Vec<String> {
    let counted = report.findings.iter().filter(|f| f.code != "KIMG309");
    counted
        .map(|f| format!("{} {} {:?}", f.span.line, f.code, f.severity))
        .collect()
}

#[test]
fn what_is_included_counts_where_it_is_included() {
    let text = r#"== .gitlab-ci.yml
include:
- local: /.gitlab/base.yml
- .gitlab/more.yml
- https://gitlab.example/other.yml
- template: Jobs/Build.gitlab-ci.yml
own:
  extends: .cuda
  script:
  - pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
whole:
  extends: [.cuda, .script]
  variables: {TORCH_CUDA_ARCH_LIST: "9.0+PTX"}
over:
  extends: .cuda
  variables: {LIST: "7.5"}
  script:
  - TORCH_CUDA_ARCH_LIST="$LIST;$MORE" pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
== .gitlab/base.yml
variables:
  LIST: "8.0"
  TORCH_CUDA_ARCH_LIST: "$LIST+PTX"
.cuda:
  image: pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
job of its own:
  extends: [.cuda, .script]
== .gitlab/more.yml
include: ci/base.yml
variables: {MORE: "8.6+PTX"}
.script:
  script: pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#;
    let root = repository("gitlab", text);
    assert_eq!(
        answer(&report(&root, ".gitlab-ci.yml")),
        [
            "9 gsplat sm_80+compute_80",
            "10 gsplat sm_90+compute_90",
            "17 gsplat sm_75+sm_86+compute_86",
        ]
    );
    // a job of an included file counts on what is included beside it
    assert_eq!(
        answer(&report(&root, ".gitlab/base.yml")),
        ["6 gsplat sm_80+compute_80"]
    );
}

#[test]
fn what_is_included_from_elsewhere_may_set_anything() {
    let text = r#"== .gitlab-ci.yml
include:
- project: group/templates
  file: cuda.yml
- template: Jobs/Build.gitlab-ci.yml
built:
  extends: .cuda
  image: pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
  script:
  - pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
plain:
  image: pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
  script:
  - pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#;
    let root = repository("gitlab-elsewhere", text);
    let report = report(&root, ".gitlab-ci.yml");
    assert_eq!(
        said(&report),
        ["6 KIMG005 Info", "9 KIMG004 Info", "13 KIMG101 Error"]
    );
    let note = &report.findings[0].message;
    assert!(
        note.contains("project group/templates, template Jobs/Build.gitlab-ci.yml"),
        "{note}"
    );
}

#[test]
fn what_a_job_refers_to_elsewhere_may_set_anything() {
    let text = r#"== .gitlab-ci.yml
include:
- remote: https://gitlab.example/cuda.yml
- local: .gitlab/own.yml
default:
  image: pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
first:
  script:
  - !reference [.cuda, script]
  - pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
second:
  before_script:
  - [echo a, !reference [.cuda, script]]
  script:
  - pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
third:
  variables: !reference [.list, variables]
  script:
  - pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
fourth:
  variables:
    TORCH_CUDA_ARCH_LIST: !reference [.lists, variables, NEW]
  script: !reference [.own, script]
== .gitlab/own.yml
.lists:
  variables:
    OLD: "7.0"
    NEW: "9.0+PTX"
.list:
  variables:
    TORCH_CUDA_ARCH_LIST: "8.0+PTX"
.own:
  script:
  - !reference [.build, script]
.build:
  script:
  - pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#;
    let root = repository("gitlab-reference", text);
    let report = report(&root, ".gitlab-ci.yml");
    assert_eq!(
        said(&report),
        ["7 KIMG005 Info", "9 KIMG004 Info", "14 KIMG004 Info"]
    );
    let note = &report.findings[0].message;
    assert!(
        note.contains(".cuda: script, to which the job refers,")
            && note.contains("remote https://gitlab.example/cuda.yml"),
        "{note}"
    );
    assert_eq!(
        answer(&report)[..4],
        [
            "9 gsplat ",
            "14 gsplat ",
            "18 gsplat sm_80+compute_80",
            "19 gsplat sm_90+compute_90",
        ]
    );
}

#[test]
fn references_in_a_circle_and_by_the_thousand_come_to_an_end() {
    let mut text = String::from(
        "a: {script: [!reference [.a, script]]}\n.a: {script: [!reference [.a, script]]}\n",
    );
    let many = |to: usize| format!("!reference [.b{to}, script], ").repeat(40);
    for job in 0..9 {
        text.push_str(&format!(".b{job}: {{script: [{}]}}\n", many(job + 1)));
    }
    text.push_str(&format!("b: {{script: [{}]}}\n", many(0)));
    let root = repository("gitlab-many", &format!("== .gitlab-ci.yml\n{text}"));
    assert_eq!(answer(&report(&root, ".gitlab-ci.yml")), ["KIMG005:12"]);
}
