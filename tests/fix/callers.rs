//! Build arguments are mended at those who give them: Compose, Bake, `devcontainer.json`.
use super::{GSPLAT, TORCH, Workshop};
use kimg_lint::fix::{Texts, apply};
use kimg_lint::tree::Tree;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many folders were made.
static FOLDERS: AtomicUsize = AtomicUsize::new(0);

const LINTED: &str = "docker/Dockerfile";
const COMPOSE: &str = "deploy/compose.yml";
const HCL: &str = "docker-bake.hcl";
const JSON: &str = "docker-bake.json";
const DEV: &str = ".devcontainer/devcontainer.json";

/// A Dockerfile whose list is the argument `archs`, declared as `declaration`.
fn dockerfile(declaration: &str) -> String {
    format!("{TORCH}{declaration}\nENV A=1 TORCH_CUDA_ARCH_LIST=${{archs}}\nRUN {GSPLAT}\n")
}

/// A workshop with the files on the disk, in a folder of its own: tests run side by side.
fn workshop(files: &[(&str, &str)]) -> Workshop {
    let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("fix-callers")
        .join(FOLDERS.fetch_add(1, Ordering::Relaxed).to_string());
    let _ = fs::remove_dir_all(&root);
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    Workshop {
        path: LINTED,
        tree: Tree::new(&root, &root.join(LINTED), Path::new(LINTED)),
        ..Workshop::new(&["A100", "H100"])
    }
}

/// Checks what becomes of a caller, with both kinds of line end, and that the Dockerfile and a second try change nothing.
fn check(declaration: &str, path: &str, all: bool, table: &[(&str, &str)]) {
    let unix = dockerfile(declaration);
    for (before, after) in table {
        for end in ["\n", "\r\n"] {
            let dressed = |text: &str| text.replace('\n', end);
            let (linted, before, after) = (dressed(&unix), dressed(before), dressed(after));
            let workshop = workshop(&[(LINTED, &linted), (path, &before)]);
            let mended = workshop.mend(&linted, all);
            assert_eq!(mended.texts.own, linted, "{before}");
            let now = mended.texts.callers.get(path).unwrap_or(&before);
            assert_eq!(*now, after, "{before}");
            assert_eq!(mended.findings.is_empty(), before == after, "{before}");
            let again = workshop.with(|fixer| fixer.mend(mended.texts.clone(), all));
            assert_eq!(again.texts, mended.texts, "{before}");
            offers_are_right(&workshop, &linted, path, &before);
        }
    }
}

/// Every edit that is offered takes its finding away, and no other place of the caller changes.
fn offers_are_right(workshop: &Workshop, linted: &str, path: &str, before: &str) {
    let judged = workshop.lint(&Texts::of(linted), &[]).unwrap();
    for (number, fix) in workshop.with(|fixer| fixer.offers(linted, &judged)) {
        let finding = &judged.findings[number];
        assert!(fix.edits.iter().all(|edit| edit.path == path), "{fix:?}");
        let edited = apply(before, &fix.edits);
        let texts = Texts {
            callers: [(path.to_owned(), edited)].into(),
            ..Texts::of(linted)
        };
        let now = workshop.lint(&texts, &[]).unwrap();
        let same = |judged: &kimg_lint::fix::Judged| {
            let same = judged.findings.iter().filter(|f| f.code == finding.code);
            same.count()
        };
        assert!(same(&now) < same(&judged), "{before}\n{fix:?}");
    }
}

/// A Compose file with one service.
fn service(build: &str) -> String {
    format!("services:\n  app: # the one\n{build}")
}

#[test]
fn a_list_is_corrected_where_the_caller_writes_it() {
    let in_map = |value: &str| {
        service(&format!(
            "    build:\n      context: ../docker\n      args:\n        # why\n        archs: {value} # both\n        b: 1\n"
        ))
    };
    let in_list = |item: &str| {
        service(&format!(
            "    build:\n      context: ../docker\n      args:\n      - b=1\n      - {item} # both\n"
        ))
    };
    for (before, after) in [
        (in_map("\"8.0,9.0\""), in_map("\"8.0;9.0\"")),
        (in_map("'80 90'"), in_map("'8.0;9.0'")),
        (in_map("80"), in_map("\"8.0;9.0+PTX\"")),
        (in_map("\"\""), in_map("\"8.0;9.0+PTX\"")),
        (in_map("${LIST:-80,90}"), in_map("${LIST:-8.0;9.0}")),
        (in_list("archs=80,90"), in_list("archs=8.0;9.0")),
        (in_list("\"archs=80,90\""), in_list("\"archs=8.0;9.0\"")),
        (in_list("archs="), in_list("archs=8.0;9.0+PTX")),
        (in_list("\"archs=\""), in_list("\"archs=8.0;9.0+PTX\"")),
        (
            service("    build: {context: ../docker, args: {b: 1, archs: 80}}\n"),
            service("    build: {context: ../docker, args: {b: 1, archs: \"8.0;9.0+PTX\"}}\n"),
        ),
    ] {
        check("ARG archs", COMPOSE, false, &[(&before, &after)]);
    }
    for (before, after) in [
        (
            "target \"app\" {\n\tcontext = \"docker\"\n\t# why\n\targs = { archs = \"8.0,9.0\", b = 1 } # both\n}\n",
            "target \"app\" {\n\tcontext = \"docker\"\n\t# why\n\targs = { archs = \"8.0;9.0\", b = 1 } # both\n}\n",
        ),
        (
            "target \"app\" {\n  context = \"docker\"\n  args = {\n    archs = 80\n  }\n}\n",
            "target \"app\" {\n  context = \"docker\"\n  args = {\n    archs = \"8.0;9.0+PTX\"\n  }\n}\n",
        ),
        (
            "target \"app\" {\n  context = \"docker\"\n  args = {\n    archs = \"\"\n  }\n}\n",
            "target \"app\" {\n  context = \"docker\"\n  args = {\n    archs = \"8.0;9.0+PTX\"\n  }\n}\n",
        ),
        // where the value comes from
        (
            "variable \"LIST\" { default = \"80,90\" }\ntarget \"app\" {\n  context = \"docker\"\n  args = { archs = LIST }\n}\n",
            "variable \"LIST\" { default = \"8.0;9.0\" }\ntarget \"app\" {\n  context = \"docker\"\n  args = { archs = LIST }\n}\n",
        ),
        (
            "target \"base\" {\n  context = \"docker\"\n  args = { archs = \"80\" }\n}\ntarget \"a\" { inherits = [\"base\"] }\ntarget \"b\" { inherits = [\"base\"] }\n",
            "target \"base\" {\n  context = \"docker\"\n  args = { archs = \"8.0;9.0+PTX\" }\n}\ntarget \"a\" { inherits = [\"base\"] }\ntarget \"b\" { inherits = [\"base\"] }\n",
        ),
    ] {
        check("ARG archs", HCL, false, &[(before, after)]);
    }
    check(
        "ARG archs",
        JSON,
        false,
        &[(
            "{\n\t\"target\": {\"app\": {\"context\": \"docker\", \"args\": {\"archs\": \"80\"}}}\n}\n",
            "{\n\t\"target\": {\"app\": {\"context\": \"docker\", \"args\": {\"archs\": \"8.0;9.0+PTX\"}}}\n}\n",
        )],
    );
}

#[test]
fn an_argument_that_nobody_gives_is_given() {
    let list = "8.0;9.0+PTX";
    let table = [
        (
            service("    build: ../docker # here\n    image: a\n"),
            service(&format!(
                "    build: # here\n      context: ../docker\n      args:\n        archs: \"{list}\"\n    image: a\n"
            )),
        ),
        (
            service("    build: ../docker"),
            service(&format!(
                "    build:\n      context: ../docker\n      args:\n        archs: \"{list}\"\n"
            )),
        ),
        (
            service(
                "    build:\n        # where\n        context: ../docker # here\n    image: a\n",
            ),
            service(&format!(
                "    build:\n        # where\n        context: ../docker # here\n        args:\n            archs: \"{list}\"\n    image: a\n"
            )),
        ),
        (
            service(
                "    build:\n      context: ../docker\n      args:\n        # why\n        b: 1\n",
            ),
            service(&format!(
                "    build:\n      context: ../docker\n      args:\n        archs: \"{list}\"\n        # why\n        b: 1\n"
            )),
        ),
        (
            service("    build:\n      context: ../docker\n      args: # all\n      - b=1\n"),
            service(&format!(
                "    build:\n      context: ../docker\n      args: # all\n      - archs={list}\n      - b=1\n"
            )),
        ),
        (
            service("    build:\n      context: ../docker\n      args: [b=1]\n"),
            service(&format!(
                "    build:\n      context: ../docker\n      args: [\"archs={list}\", b=1]\n"
            )),
        ),
        (
            service("    build:\n      context: ../docker\n      args:\n"),
            service(&format!(
                "    build:\n      context: ../docker\n      args:\n        archs: \"{list}\"\n"
            )),
        ),
        (
            service("    build: {context: ../docker, args: {}}\n"),
            service(&format!(
                "    build: {{context: ../docker, args: {{archs: \"{list}\"}}}}\n"
            )),
        ),
        (
            service("    build: {context: ../docker}\n"),
            service(&format!(
                "    build: {{args: {{archs: \"{list}\"}}, context: ../docker}}\n"
            )),
        ),
        // two services: both
        (
            service("    build: ../docker\n  b:\n    build: ../docker\n"),
            service(&format!(
                "    build:\n      context: ../docker\n      args:\n        archs: \"{list}\"\n  b:\n    build:\n      context: ../docker\n      args:\n        archs: \"{list}\"\n"
            )),
        ),
    ];
    for (before, after) in &table {
        // the last line may have no end
        let before = if before.ends_with('\n') {
            before
        } else {
            &format!("{before}\n")
        };
        check("ARG archs", COMPOSE, false, &[(before, after)]);
    }
    let hcl = [
        (
            "target \"app\" {\n  context = \"docker\" # here\n}\n".to_owned(),
            format!(
                "target \"app\" {{\n  context = \"docker\" # here\n  args = {{\n    archs = \"{list}\"\n  }}\n}}\n"
            ),
        ),
        (
            "target \"app\" {\n\tcontext = \"docker\"\n\targs = {\n\t\t# why\n\t\tb = 1\n\t}\n}\n"
                .to_owned(),
            format!(
                "target \"app\" {{\n\tcontext = \"docker\"\n\targs = {{\n\t\tarchs = \"{list}\"\n\t\t# why\n\t\tb = 1\n\t}}\n}}\n"
            ),
        ),
        (
            "target \"app\" {\n  context = \"docker\"\n  args = { b = 1 }\n}\n".to_owned(),
            format!(
                "target \"app\" {{\n  context = \"docker\"\n  args = {{ archs = \"{list}\", b = 1 }}\n}}\n"
            ),
        ),
        (
            "target \"app\" {\n  context = \"docker\"\n  args = {}\n}\n".to_owned(),
            format!(
                "target \"app\" {{\n  context = \"docker\"\n  args = {{ archs = \"{list}\" }}\n}}\n"
            ),
        ),
    ];
    for (before, after) in &hcl {
        check("ARG archs", HCL, false, &[(before, after)]);
    }
    check(
        "ARG archs",
        JSON,
        false,
        &[(
            "{\"target\": {\"app\": {\n\t\"context\": \"docker\"\n}}}\n",
            &format!(
                "{{\"target\": {{\"app\": {{\n\t\"args\": {{\"archs\": \"{list}\"}},\n\t\"context\": \"docker\"\n}}}}}}\n"
            ),
        )],
    );
    check(
        "ARG archs",
        DEV,
        false,
        &[(
            "{\n  // for people\n  \"build\": {\"dockerfile\": \"../docker/Dockerfile\", \"args\": {\"b\": \"1\",},},\n}\n",
            &format!(
                "{{\n  // for people\n  \"build\": {{\"dockerfile\": \"../docker/Dockerfile\", \"args\": {{\"archs\": \"{list}\", \"b\": \"1\",}},}},\n}}\n"
            ),
        )],
    );
}

#[test]
fn what_the_caller_takes_from_elsewhere_stays() {
    for build in [
        "    build:\n      context: ../docker\n      args:\n        archs: ${LIST}\n",
        "    build:\n      context: ../docker\n      args: [archs]\n",
        "    build:\n      context: ../docker\n      args:\n        archs:\n",
    ] {
        let text = service(build);
        check("ARG archs", COMPOSE, true, &[(&text, &text)]);
    }
    for text in [
        "variable \"LIST\" {}\ntarget \"app\" {\n  context = \"docker\"\n  args = { archs = LIST }\n}\n",
        "target \"app\" {\n  context = \"docker\"\n  args = merge({ b = 1 }, {})\n}\n",
    ] {
        check("ARG archs", HCL, true, &[(text, text)]);
    }
    let script = "docker build --build-arg archs=80 docker\n";
    check("ARG archs", "build.sh", true, &[(script, script)]);
}

/// A list that leaves out a GPU works: another one in its place is for those to decide who wrote it.
#[test]
fn a_list_that_works_is_only_changed_when_asked() {
    let of = |list: &str| {
        service(&format!(
            "    build:\n      context: ../docker\n      args: {{archs: '{list}'}}\n"
        ))
    };
    check("ARG archs", COMPOSE, false, &[(&of("9.0"), &of("9.0"))]);
    check(
        "ARG archs",
        COMPOSE,
        true,
        &[(&of("9.0"), &of("8.0;9.0+PTX"))],
    );
}

/// The defaults of the Dockerfile, and who overrides them.
#[test]
fn defaults() {
    let compose = |list: &str| {
        service(&format!(
            "    build:\n      context: ../docker\n      args: {{archs: '{list}'}}\n"
        ))
    };
    let default = |list: &str| format!("ARG archs=\"{list}\"");
    for (before, after) in [
        // alone, and beside a caller
        (("80,90", None), ("8.0;9.0", None)),
        (("80,90", Some("8.0;9.0")), ("8.0;9.0", Some("8.0;9.0"))),
        (("8.0;9.0", Some("80,90")), ("8.0;9.0", Some("8.0;9.0"))),
        // what was meant would leave a GPU out
        (("80,90", Some("90")), ("8.0;9.0", Some("8.0;9.0+PTX"))),
    ] {
        let own = dockerfile(&default(before.0));
        let caller = before.1.map(compose);
        let mut files = vec![(LINTED, &*own)];
        files.extend(caller.as_deref().map(|text| (COMPOSE, text)));
        let workshop = workshop(&files);
        let mended = workshop.mend(&own, false);
        assert_eq!(
            mended.texts.own,
            dockerfile(&default(after.0)),
            "{before:?}"
        );
        let now = mended.texts.callers.get(COMPOSE).cloned().or(caller);
        assert_eq!(now, after.1.map(compose), "{before:?}");
    }
}
