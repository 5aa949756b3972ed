//! Shell scripts.
use crate::{answer, check, report, repository};
use kimg_lint::facts::Role;
use std::fs;

#[test]
fn scripts_are_followed() {
    check(
        "scripts",
        &[
            (
                "COPY . /src\nRUN bash /src/build.sh\n== build.sh\nnvcc -arch=sm_80 a.cu\n",
                &["3 nvcc sm_80+compute_80 < build.sh:1"],
            ),
            (
                "COPY ci/build.sh /tmp/\nRUN sh -ex /tmp/build.sh 90\n== ci/build.sh\n#!/bin/bash\n\nnvcc -arch=sm_$1 a.cu\n",
                &["3 nvcc sm_90+compute_90 < ci/build.sh:3"],
            ),
            (
                "WORKDIR /src\nCOPY *.sh ./\nENV A=90\nRUN ./build.sh && echo\n== build.sh\n#!/usr/bin/env bash\nnvcc -arch=sm_$A a.cu\n",
                &["5 nvcc sm_90+compute_90 < build.sh:2"],
            ),
            // a program is no script that could not be read, unless a shell is to read it
            (
                "COPY . .\nRUN bin/tool && bash bin/tool && ./tool.sh\n== bin/tool\n\x7fELF\0\n== tool.sh\n\0\n",
                &["KIMG005:3", "KIMG005:3"],
            ),
            // only what is exported arrives, unless the file is sourced
            (
                "COPY . .\nRUN A=75; bash b.sh\nRUN A=75; . b.sh\n== b.sh\nnvcc -arch=sm_${A:-80} a.cu\n",
                &[
                    "3 nvcc sm_80+compute_80 < b.sh:1",
                    "4 nvcc sm_75+compute_75 < b.sh:1",
                ],
            ),
            (
                "COPY . .\nRUN . ./env.sh && nvcc -arch=sm_$A a.cu\n== env.sh\nexport A=86\n",
                &["3 nvcc sm_86+compute_86"],
            ),
            // a function of a file that was read before
            (
                "COPY . .\nRUN . ./lib.sh; compile 80\n== lib.sh\ncompile() {\n  nvcc -arch=sm_$1 a.cu\n}\n",
                &["3 nvcc sm_80+compute_80 < lib.sh:2"],
            ),
            // scripts that find themselves
            (
                "COPY . /src\nRUN /src/ci/a.sh\n== ci/a.sh\nset -e\nDIR=\"$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\"\n\"$DIR\"/../b.sh x\n== b.sh\n#!/bin/bash -e\ncd \"$(dirname \"$0\")\"\nif [ $# -eq 1 ]; then nvcc -arch=sm_70 a.cu; fi\n",
                &["3 nvcc sm_70+compute_70 < b.sh:3 < ci/a.sh:3"],
            ),
            (
                "RUN --mount=type=bind,source=ci,target=/ci bash /ci/b.sh --arch 80\n== ci/b.sh\nwhile false; do :; done\nshift\nnvcc -arch=sm_$1 a.cu\n",
                &["2 nvcc sm_80+compute_80 < ci/b.sh:3"],
            ),
            (
                "COPY <<EOF /b.sh\nnvcc -arch=sm_80 a.cu\nEOF\nRUN bash /b.sh\n",
                &["3 nvcc sm_80+compute_80"],
            ),
            // another stage's copy
            (
                "COPY ci /ci\nFROM nvidia/cuda:12.4.1-devel-ubuntu22.04\nCOPY --from=0 /ci/b.sh /x.sh\nRUN bash /x.sh\n== ci/b.sh\nnvcc -arch=sm_80 a.cu\n",
                &["5 nvcc sm_80+compute_80 < ci/b.sh:1"],
            ),
            // a script of another language is no shell script
            ("COPY . .\nRUN ./b\n== b\n#!/usr/bin/perl\nnvcc a.cu\n", &[]),
        ],
    );
}

#[test]
fn what_is_not_followed_is_said() {
    check(
        "not-followed",
        &[
            ("COPY . .\nRUN bash gone.sh\n", &["KIMG005:3"]),
            ("COPY . .\nRUN bash b.sh\n== b.sh\n\0\n", &["KIMG005:3"]),
            (
                "COPY . .\nRUN bash a.sh\n== a.sh\n. b.sh\n== b.sh\n. a.sh\nnvcc -arch=sm_80 a.cu\n",
                &["3 nvcc sm_80+compute_80 < b.sh:2 < a.sh:1", "KIMG005:3"],
            ),
            (
                "COPY . .\nRUN bash a.sh\n== a.sh\necho \"\nnvcc -arch=sm_80 a.cu\n",
                &["3 nvcc sm_80+compute_80 < a.sh:2", "KIMG005:3"],
            ),
            // not from the build context: nothing could be read
            (
                "RUN bash /opt/other.sh && ./configure-it && . /etc/profile.d/x.sh\n",
                &[],
            ),
        ],
    );
}

#[test]
fn a_finding_points_to_the_dockerfile_and_then_to_the_script() {
    let text = "== docker/Dockerfile\nFROM nvidia/cuda:12.4.1-devel-ubuntu22.04\nCOPY docker/b.sh /\nRUN bash /b.sh\n== docker/b.sh\nnvcc a.cu\n";
    let root = repository("places", text);
    let report = report(&root, "docker/Dockerfile");
    let [finding] = &report.findings[..] else {
        panic!("{:?}", report.findings);
    };
    assert_eq!(
        (finding.path.as_str(), finding.span.line),
        ("docker/Dockerfile", 3)
    );
    let related = &finding.related[0];
    assert_eq!(related.role, Role::RunsHere);
    assert_eq!(
        (related.path.as_str(), related.span.line),
        ("docker/b.sh", 1)
    );
    assert_eq!(report.texts["docker/b.sh"], "nvcc a.cu\n");
}

#[test]
fn comments_of_scripts_suppress() {
    let dockerfile =
        "== Dockerfile\nFROM nvidia/cuda:12.4.1-devel-ubuntu22.04\nCOPY . .\nRUN bash b.sh\n";
    for (script, expected) in [
        ("nvcc a.cu\n", &["KIMG101:3"] as &[&str]),
        ("# kimg-lint: ignore[KIMG101] for us\nnvcc a.cu\n", &[]),
        (
            "# kimg-lint: ignore[KIMG101] for us\n\n# more\nnvcc \\\n  a.cu\nnvcc b.cu\n",
            &["KIMG101:3"],
        ),
        (
            "# kimg-lint: ignore-file[KIMG101] for us\nnvcc \\\n  a.cu\nnvcc b.cu\n",
            &[],
        ),
        // another Dockerfile may need it
        (
            "# kimg-lint: ignore[KIMG105] for us\nnvcc a.cu\n",
            &["KIMG101:3"],
        ),
    ] {
        let root = repository("suppress", &format!("{dockerfile}== b.sh\n{script}"));
        let got: Vec<_> = answer(&report(&root, "Dockerfile"))
            .into_iter()
            .filter(|line| line.starts_with("KIMG"))
            .collect();
        assert_eq!(got, expected, "{script}");
    }
}

#[cfg(unix)]
#[test]
fn links_out_of_the_repository_are_not_followed() {
    let text = "== r/Dockerfile\nFROM nvidia/cuda:12.4.1-devel-ubuntu22.04\nCOPY . .\nRUN bash b.sh\n== secret.sh\nnvcc -arch=sm_80 a.cu\n";
    let folder = repository("link", text);
    std::os::unix::fs::symlink("../secret.sh", folder.join("r/b.sh")).unwrap();
    assert_eq!(
        answer(&report(&folder.join("r"), "Dockerfile")),
        ["KIMG005:3"]
    );
    fs::remove_file(folder.join("r/b.sh")).unwrap();
}

#[test]
fn a_clone_of_the_very_repository_is_read_where_that_stands() {
    let config =
        "== .git/config\n[remote \"origin\"]\n\turl = https://host.example/Someone/Field.git\n";
    let readme = "== README.md\n# Field\n\n```\ngit clone --recursive https://host.example/someone/field.git\n```\n";
    let script = "== ci/b.sh\nnvcc -arch=sm_80 a.cu\n";
    let clone = |options: &str, own: &str| {
        format!(
            "RUN git clone {options} https://host.example/someone/field /f\nRUN cd /f && bash ci/b.sh\n{own}{script}"
        )
    };
    let followed: &[&str] = &["3 nvcc sm_80+compute_80 < ci/b.sh:1"];
    let cases = [
        (clone("", config), followed),
        (clone("--depth 1 -b main", readme), followed),
        // another branch, a fork, a project that only says where another one is
        (clone("-b v1.2", config), &[]),
        (clone("-b $BRANCH", config), &[]),
        (clone("", &config.replace("Someone", "Other")), &[]),
        (clone("", &readme.replace("# Field", "# Meadow")), &[]),
        (clone("", ""), &[]),
        (
            format!(
                "RUN git clone https://host.example/someone/field /f\nRUN cd /f && git checkout 1a2b3c4 && bash ci/b.sh\n{config}{script}"
            ),
            &[],
        ),
    ];
    let cases: Vec<(&str, &[&str])> = cases
        .iter()
        .map(|(text, want)| (text.as_str(), *want))
        .collect();
    check("own-clone", &cases);
}
