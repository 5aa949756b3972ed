//! EasyBuild: software that is built from source as an easyconfig describes it.
use super::args::{Arg, Argv};
use super::verb::Verb;
use super::{Action, Did, OwnToolkit, Source, Surroundings};
use crate::text::easystack;
use crate::value::Value;

/// The option that names the architectures.
const CAPABILITIES: &str = "cuda-compute-capabilities";

fn takes_value(name: &str) -> bool {
    matches!(
        name,
        "prefix"
            | "installpath"
            | "buildpath"
            | "sourcepath"
            | "tmpdir"
            | "tmp-logdir"
            | "robot-paths"
            | "from-pr"
            | "from-commit"
            | "include-easyblocks"
            | "include-easyblocks-from-pr"
            | "try-toolchain"
            | "try-software-version"
            | "try-amend"
            | "amend"
            | "optarch"
            | "parallel"
            | "max-parallel"
            | "hooks"
            | "accept-eula-for"
            | "filter-deps"
            | "hide-deps"
            | "easystack"
            | CAPABILITIES
    )
}

/// With one of these nothing is built.
fn only_looks(name: &str) -> bool {
    matches!(
        name,
        "D" | "dry-run"
            | "dry-run-short"
            | "x"
            | "extended-dry-run"
            | "S"
            | "search"
            | "search-short"
            | "M"
            | "missing-modules"
            | "missing"
            | "fetch"
            | "show-ec"
            | "copy-ec"
            | "new-pr"
            | "inject-checksums"
            | "check-contrib"
            | "check-style"
            | "module-only"
            | "sanity-check-only"
            | "C"
            | "containerize"
    )
}

/// `eb [--cuda-compute-capabilities=8.0,9.0] NAME.eb…`, `eb --easystack FILE`.
pub(super) fn recognise(argv: &Argv<'_>, around: &Surroundings<'_>) -> Vec<Did> {
    let args = argv.tail(1).parse(takes_value);
    let looks = |arg: &Arg| matches!(arg, Arg::Option(name, _) if only_looks(name));
    if args.iter().any(looks) {
        return Vec::new();
    }
    let given = |wanted: &str| {
        args.iter().rev().find_map(|arg| match arg {
            Arg::Option(name, value) if name == wanted => value.clone(),
            _ => None,
        })
    };
    let list = given(CAPABILITIES);
    let mut actions: Vec<Action> = Vec::new();
    for arg in &args {
        if let Arg::Operand(value) = arg {
            actions.extend(build(value, list.clone(), around));
        }
    }
    if let [only] = actions.as_mut_slice() {
        only.at = None;
    }
    if let Some(path) = given("easystack") {
        actions.extend(of_stack(
            &(around.resolve)(&path.sketch()),
            list.as_ref(),
            around,
        ));
    }
    actions.into_iter().map(Did::Action).collect()
}

/// What an easystack installs. Its options come after those of the command.
fn of_stack(path: &str, list: Option<&Value>, around: &Surroundings<'_>) -> Vec<Action> {
    let Some(text) = (around.open)(path) else {
        return Vec::new();
    };
    let value = |part: &crate::text::mapped::Mapped| text.value(part.span(0, part.text().len()));
    let items = easystack::read(&text.text).into_iter();
    let actions = items.filter_map(|item| {
        let own = item.capabilities.as_ref().map(value);
        build(&value(&item.name), own.or_else(|| list.cloned()), around)
    });
    actions.collect()
}

/// The build of an easyconfig; `None` for what is none.
fn build(easyconfig: &Value, list: Option<Value>, around: &Surroundings<'_>) -> Option<Action> {
    let path = easyconfig.sketch();
    let stem = path.rsplit('/').next()?.strip_suffix(".eb")?;
    let (name, version) = named(stem);
    let mut action = Action::new(
        Verb::Easybuild,
        "eb",
        Source::Index {
            name: name.to_owned(),
            spec: Value::literal(&format!("@{version}"), None),
        },
    );
    action.at = easyconfig.site();
    action.targets = vec![name.to_owned()];
    let suffix = stem.split_once("-CUDA-").map(|(_, version)| version);
    let by_toolchain = [
        "-fosscuda-",
        "-gcccuda-",
        "-intelcuda-",
        "-nvompi-",
        "-goolfc-",
    ];
    let depends = || {
        let file = (around.open_if_there)(&(around.resolve)(&path));
        file.is_some_and(|file| file.text.contains("'CUDA'") || file.text.contains("\"CUDA\""))
    };
    if suffix.is_some() || by_toolchain.iter().any(|part| stem.contains(part)) || depends() {
        action.options.push(("cuda".to_owned(), None));
    }
    if let Some(list) = list {
        action.options.push((CAPABILITIES.to_owned(), Some(list)));
    }
    let version = suffix.map(|text| text.split('-').next().unwrap_or(text).to_owned());
    action.toolkit = Some(OwnToolkit {
        version,
        from: "EasyBuild".to_owned(),
    });
    Some(action)
}

/// The software and its version: what stands before and behind the first `-` with a digit.
fn named(stem: &str) -> (&str, &str) {
    let digit = |at: usize| stem[at + 1..].starts_with(|c: char| c.is_ascii_digit());
    let cut = stem
        .match_indices('-')
        .map(|(at, _)| at)
        .find(|at| digit(*at));
    let Some(cut) = cut else { return (stem, "") };
    let version = stem[cut + 1..].split('-').next().unwrap_or_default();
    (&stem[..cut], version)
}
