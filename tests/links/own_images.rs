//! Base images that the repository builds itself.
use super::{report, repository};
use kimg_lint::report::Report;

/// What FROM starts from, with a command of the CI that builds it, and what becomes of an extension on it.
struct Case {
    name: &'static str,
    /// The files beside `app/Dockerfile`, which starts from `FROM`.
    files: &'static str,
    from: &'static str,
    /// Each finding as `code severity: what brings nvcc`.
    says: &'static [&'static str],
}

const WORKFLOW: &str = "\
== .github/workflows/images.yml
on: push
jobs:
  base:
    runs-on: ubuntu-latest
    steps:
    - uses: actions/checkout@v4
    - uses: docker/build-push-action@v6
      with:
        file: base/Dockerfile
        tags: |
          owner/base:cu124
          owner/base:latest
== base/Dockerfile
FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
ARG TORCH_CUDA_ARCH_LIST=8.0
";

const WITH_LIST: &str = "\
== images.sh
docker build -t owner/base base
== base/Dockerfile
FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
ENV TORCH_CUDA_ARCH_LIST=8.0+PTX
";

const UNKNOWN_TAG: &str = "\
== images.sh
docker build -t owner/base:$VERSION -f base/Dockerfile .
== base/Dockerfile
FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
";

const GUESSED_BELOW: &str = "\
== images.sh
docker build -t owner/first:$VERSION -f first/Dockerfile .
docker build -t owner/base:1 -f base/Dockerfile .
== base/Dockerfile
FROM owner/first:1
== first/Dockerfile
FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
";

const TWO: &str = "\
== images.sh
docker build -t owner/base:1 -f base/Dockerfile .
docker build -t owner/base:1 -f other/Dockerfile .
== base/Dockerfile
FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
== other/Dockerfile
FROM python:3.12
";

const ITSELF: &str = "\
== images.sh
docker build -t owner/base:1 -f app/Dockerfile .
";

const ROUND: &str = "\
== images.sh
docker build -t owner/base:1 -f base/Dockerfile .
docker build -t owner/other:1 -f other/Dockerfile .
== base/Dockerfile
FROM owner/other:1
== other/Dockerfile
FROM owner/base:1
";

const COMPOSE: &str = "\
== compose.yaml
services:
  base:
    image: registry.example/owner/base:1
    build: {context: base}
== base/Dockerfile
FROM owner/first:1
RUN pip install torch==2.6.0
== docker-bake.hcl
target \"first\" {
  context = \"first\"
  tags = [\"owner/first:0\", \"docker.io/owner/first:1\"]
}
== first/Dockerfile
FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
";

const CASES: &[Case] = &[
    Case {
        name: "an action that pushes several tags; an argument does not stay in the image",
        files: WORKFLOW,
        from: "docker.io/owner/base:cu124",
        says: &["KIMG101 Error: owner/base:cu124 (base/Dockerfile)"],
    },
    Case {
        name: "the latest",
        files: WORKFLOW,
        from: "owner/base",
        says: &["KIMG101 Error: owner/base (base/Dockerfile)"],
    },
    Case {
        name: "another tag",
        files: WORKFLOW,
        from: "owner/base:cu118",
        says: &["KIMG004 Info: "],
    },
    Case {
        name: "a list that the base sets",
        files: WITH_LIST,
        from: "owner/base:latest",
        says: &[],
    },
    Case {
        name: "a tag of which only a part is known is likely the one",
        files: UNKNOWN_TAG,
        from: "owner/base:1",
        says: &["KIMG101 Warning: owner/base:1 (base/Dockerfile)"],
    },
    Case {
        name: "what is guessed below an image stays a guess",
        files: GUESSED_BELOW,
        from: "owner/base:1",
        says: &["KIMG101 Warning: owner/base:1 (base/Dockerfile)"],
    },
    Case {
        name: "two images of one name",
        files: TWO,
        from: "owner/base:1",
        says: &["KIMG004 Info: "],
    },
    Case {
        name: "an image that starts from the one before it",
        files: ITSELF,
        from: "owner/base:1",
        says: &["KIMG004 Info: "],
    },
    Case {
        name: "images that start from one another",
        files: ROUND,
        from: "owner/base:1",
        says: &["KIMG004 Info: owner/base:1 (base/Dockerfile)"],
    },
    Case {
        name: "Compose and Bake, one on the other",
        files: COMPOSE,
        from: "registry.example/owner/base:1",
        says: &["KIMG101 Error: registry.example/owner/base:1 (base/Dockerfile)"],
    },
];

fn says(report: &Report) -> Vec<String> {
    let nvcc = |line| {
        let build = report.builds.iter().find(|build| build.span.line == line);
        build
            .map(|build| build.toolkit.from.clone())
            .unwrap_or_default()
    };
    let findings = report.findings.iter();
    findings
        .map(|f| format!("{} {:?}: {}", f.code, f.severity, nvcc(f.span.line)))
        .collect()
}

#[test]
fn images_that_the_repository_builds() {
    for (index, case) in CASES.iter().enumerate() {
        let dockerfile = format!(
            "== app/Dockerfile\nFROM {}\nRUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat\n",
            case.from
        );
        let root = repository(
            &format!("own-{index}"),
            &format!("{}{dockerfile}", case.files),
        );
        assert_eq!(
            says(&report(&root, "app/Dockerfile")),
            case.says,
            "{}",
            case.name
        );
    }
}
