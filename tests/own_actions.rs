//! Actions of the same repository are followed from the workflow that calls them.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use kimg_lint::lint::{Options, observe};
use kimg_lint::tree::Tree;
use std::fs;
use std::path::{Path, PathBuf};

const WORKFLOW: &str = ".github/workflows/ci.yml";

const ACTION: &str = "\
inputs:
  archs:
    default: '8.0'
runs:
  using: composite
  steps:
    - shell: bash
      run: echo \"TORCH_CUDA_ARCH_LIST=${{ inputs.archs }}\" >> $GITHUB_ENV
    - shell: bash
      run: pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
";

/// Line, list and the way of each build; then what is not followed.
fn said(name: &str, steps: &str, action: &str) -> Vec<String> {
    let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("own-actions")
        .join(name);
    let _ = fs::remove_dir_all(&root);
    let workflow = format!(
        "on: push\njobs:\n  build:\n    runs-on: ubuntu-latest\n    container: pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel\n    steps:\n{steps}"
    );
    for (path, text) in [
        (WORKFLOW, &*workflow),
        (".github/actions/build/action.yml", action),
    ] {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let linted = Path::new(WORKFLOW);
    let options = Options {
        tree: Tree::new(&root, &root.join(linted), linted),
        ..Options::default()
    };
    let facts = observe(WORKFLOW, &workflow, &options);
    let builds = facts.builds.iter().map(|build| {
        let way: Vec<String> = build
            .through
            .iter()
            .map(|t| format!(" < {}:{}", t.path, t.span.line))
            .collect();
        format!("{} {}{}", build.span.line, build.arch.text, way.concat())
    });
    let problems = facts.inputs.iter().flat_map(|input| &input.problems);
    builds
        .chain(problems.map(|problem| format!("{} {}", problem.span.line, problem.message)))
        .collect()
}

#[test]
fn an_action_of_the_repository_is_followed() {
    let call = "      - uses: actions/checkout@v4\n      - uses: ./.github/actions/build\n";
    let with = format!("{call}        with: {{archs: '9.0+PTX'}}\n");
    let after = format!(
        "{call}      - run: pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat\n"
    );
    let way = " < .github/actions/build/action.yml:10";
    assert_eq!(said("default", call, ACTION), [format!("8 8.0{way}")]);
    assert_eq!(said("with", &with, ACTION), [format!("8 9.0+PTX{way}")]);
    // what it leaves in the environment is there for the steps after it
    assert_eq!(
        said("after", &after, ACTION),
        [format!("8 8.0{way}"), "9 8.0".to_owned()]
    );
}

#[test]
fn an_action_that_is_not_there_or_calls_itself_is_said() {
    let call = "      - uses: actions/checkout@v4\n      - uses: ./.github/actions/gone\n";
    assert_eq!(
        said("gone", call, ACTION),
        ["8 the action in .github/actions/gone is not there: what it does is not known"]
    );
    let call = "      - uses: actions/checkout@v4\n      - uses: ./.github/actions/build\n";
    let again = "runs:\n  using: composite\n  steps:\n    - uses: ./.github/actions/build\n";
    assert_eq!(
        said("again", call, again),
        ["8 the action in .github/actions/build leads back to itself, or too far"]
    );
}
