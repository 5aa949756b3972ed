//! Files of CI systems: settings become words of the commands, and values are corrected where they stand.
use super::{GSPLAT, Workshop};

const LIST: &str = "TORCH_CUDA_ARCH_LIST=\"8.0;9.0+PTX\"";

/// What becomes of a job's steps, in which `GSPLAT` stands for a command that builds, for an A100 and an H100.
fn check(path: &'static str, head: &str, table: &[(&str, &str)]) {
    let workshop = Workshop {
        path,
        ..Workshop::new(&["A100", "H100"])
    };
    for (before, after) in table {
        let text = |body: &str| format!("{head}{}", body.replace("GSPLAT", GSPLAT));
        let mended = workshop.mend(&text(before), false);
        let after = after.replace("LIST GSPLAT", &format!("{LIST} GSPLAT"));
        assert_eq!(mended.texts.own, text(&after), "{before}");
    }
}

const WORKFLOW: &str = "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    container: pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel\n    steps:\n";

#[test]
fn a_list_stands_before_the_command_that_needs_it() {
    check(
        ".github/workflows/a.yml",
        WORKFLOW,
        &[
            ("    - run: GSPLAT\n", "    - run: LIST GSPLAT\n"),
            (
                "    - run: |\n        echo a # b\n        GSPLAT\n        echo c\n",
                "    - run: |\n        echo a # b\n        LIST GSPLAT\n        echo c\n",
            ),
            (
                "    - run: >-\r\n        cd a &&\r\n        sudo GSPLAT\r\n",
                "    - run: >-\r\n        cd a &&\r\n        sudo LIST GSPLAT\r\n",
            ),
            // in one quote the list's own cannot stand, in the other they can
            (
                "    - run: \"cd a && GSPLAT\"\n",
                "    - run: \"cd a && GSPLAT\"\n",
            ),
            (
                "    - run: 'cd a && GSPLAT'\n",
                "    - run: 'cd a && LIST GSPLAT'\n",
            ),
            // another step's shell changes nothing
            (
                "    - shell: pwsh\n      run: echo a\n    - run: GSPLAT\n",
                "    - shell: pwsh\n      run: echo a\n    - run: LIST GSPLAT\n",
            ),
        ],
    );
    check(
        ".gitlab-ci.yml",
        "image: pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel\na:\n  script:\n",
        &[("    - GSPLAT\n", "    - LIST GSPLAT\n")],
    );
}

/// PowerShell and the command prompt set variables in ways of their own.
#[test]
fn a_list_is_set_in_the_way_of_the_shell() {
    let list = "8.0;9.0+PTX";
    let pwsh = format!("$env:TORCH_CUDA_ARCH_LIST = \"{list}\"");
    let cmd = format!("set TORCH_CUDA_ARCH_LIST={list}");
    let table = [
        (
            "    - shell: pwsh\n      run: |\n        echo a\n        GSPLAT\n".to_owned(),
            format!(
                "    - shell: pwsh\n      run: |\n        echo a\n        {pwsh}\n        GSPLAT\n"
            ),
        ),
        (
            "    - shell: cmd\n      run: |\n        echo a\n        GSPLAT\n".to_owned(),
            format!(
                "    - shell: cmd\n      run: |\n        echo a\n        {cmd}\n        GSPLAT\n"
            ),
        ),
        // a step of one line has no room for a second one
        (
            "    - shell: cmd\n      run: GSPLAT\n".to_owned(),
            "    - shell: cmd\n      run: GSPLAT\n".to_owned(),
        ),
    ];
    let table: Vec<(&str, &str)> = table.iter().map(|(a, b)| (&**a, &**b)).collect();
    check(".github/workflows/a.yml", WORKFLOW, &table);
}

#[test]
fn a_value_is_corrected_where_it_stands() {
    check(
        ".github/workflows/a.yml",
        WORKFLOW,
        &[
            (
                "    - env:\n        TORCH_CUDA_ARCH_LIST: 8.0,9.0 # both\n      run: GSPLAT\n",
                "    - env:\n        TORCH_CUDA_ARCH_LIST: \"8.0;9.0\" # both\n      run: GSPLAT\n",
            ),
            (
                "    - env: {TORCH_CUDA_ARCH_LIST: '80 90'}\n      run: GSPLAT\n",
                "    - env: {TORCH_CUDA_ARCH_LIST: '8.0;9.0'}\n      run: GSPLAT\n",
            ),
            (
                "    - env: {\"TORCH_CUDA_ARCH_LIST\": \"80 90\"}\n      run: GSPLAT\n",
                "    - env: {\"TORCH_CUDA_ARCH_LIST\": \"8.0;9.0\"}\n      run: GSPLAT\n",
            ),
            (
                "    - run: |\n        export TORCH_CUDA_ARCH_LIST=8.0,9.0\n        GSPLAT\n",
                "    - run: |\n        export TORCH_CUDA_ARCH_LIST=\"8.0;9.0\"\n        GSPLAT\n",
            ),
        ],
    );
    check(
        ".devcontainer/devcontainer.json",
        "{\n  \"image\": \"pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel\",\n",
        &[(
            "  \"containerEnv\": {\"TORCH_CUDA_ARCH_LIST\":\"8.0,9.0\"},\n  \"postCreateCommand\": \"GSPLAT\"\n}\n",
            "  \"containerEnv\": {\"TORCH_CUDA_ARCH_LIST\":\"8.0;9.0\"},\n  \"postCreateCommand\": \"GSPLAT\"\n}\n",
        )],
    );
}
