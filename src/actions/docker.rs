//! docker, podman, nerdctl, buildah, kaniko: images that are built, and containers that run commands.
use crate::value::Value;

/// What a command does with images and containers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Docker {
    /// Builds an image.
    Build(Build),
    /// Runs a command in a container: `docker run`, `docker exec`.
    Run(Run),
    /// Builds the images that files describe: `docker buildx bake`, `docker compose build`.
    Described(Described),
    /// Anything else.
    Other,
}

/// An image that is built.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Build {
    /// `--build-arg`; without a value it is the caller's variable of that name.
    pub args: Vec<(String, Option<Value>)>,
    /// `--target`.
    pub target: Option<Value>,
    /// `--file`.
    pub file: Option<Value>,
    /// `--platform`.
    pub platform: Option<Value>,
    /// The folder or address of the context.
    pub context: Option<Value>,
    /// `--tag`: what the image is called, one name a word.
    pub tags: Vec<Value>,
}

/// Images that are built as files say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// Whose files they are.
    pub tool: Describer,
    /// `--file`, the later over the earlier; without one the tool looks for its own.
    pub files: Vec<Value>,
    /// The folder that paths are seen from, where it is named.
    pub folder: Option<Value>,
    /// The images; without one the tool chooses.
    pub names: Vec<Value>,
    /// `--set app.args.NAME=value`.
    pub sets: Vec<(String, Option<Value>)>,
}

/// A tool that builds images as files say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Describer {
    /// `docker buildx bake`
    Bake,
    /// `docker compose build`
    Compose,
}

impl Described {
    /// A command that names nothing yet.
    pub fn new(tool: Describer) -> Self {
        Self {
            tool,
            files: Vec::new(),
            folder: None,
            names: Vec::new(),
            sets: Vec::new(),
        }
    }
}

/// A command in a container.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// The image; `None` for a container that runs already.
    pub image: Option<Value>,
    /// `-e NAME=value`, `-e NAME`.
    pub env: Vec<(String, Option<Value>)>,
    /// `--env-file`: more than is known may be set.
    pub env_file: bool,
    /// `--gpus`, `--runtime nvidia`, `--device nvidia.com/gpu=all`.
    pub gpus: bool,
    /// `--name`, or the container that `docker exec` names.
    pub name: Option<String>,
    /// `--workdir`.
    pub workdir: Option<Value>,
    /// `-v source:place`, `--mount type=bind,…`.
    pub mounts: Vec<(Value, String)>,
    /// What runs in it.
    pub command: Vec<Value>,
}

/// Options of `docker run` and `exec` that have no value.
const SWITCHES: [&str; 14] = [
    "--detach",
    "--interactive",
    "--tty",
    "--rm",
    "--init",
    "--privileged",
    "--read-only",
    "--no-healthcheck",
    "--oom-kill-disable",
    "--publish-all",
    "--sig-proxy",
    "--quiet",
    "--tls-verify",
    "--replace",
];
/// Options of `docker build` that have none.
const BUILD_SWITCHES: [&str; 16] = [
    "--no-cache",
    "--pull",
    "--push",
    "--load",
    "--quiet",
    "--rm",
    "--force-rm",
    "--squash",
    "--compress",
    "--check",
    "--debug",
    "--layers",
    "--disable-content-trust",
    "--pull-always",
    "--tls-verify",
    "--no-rm",
];

/// Reads a command line; `None` if it is for none of these programs.
pub fn read(program: &str, words: &[Value]) -> Option<Docker> {
    let rest = words.get(1..).unwrap_or_default();
    match program {
        "docker" | "podman" | "nerdctl" | "nvidia-docker" | "buildah" => Some(subcommand(rest)),
        "docker-compose" | "podman-compose" => Some(compose(rest)),
        "executor" | "kaniko" => Some(Docker::Build(kaniko(rest))),
        _ => None,
    }
}

fn subcommand(words: &[Value]) -> Docker {
    // options of the program itself come first: `docker --context x build`
    let mut at = 0;
    while let Some(word) = words.get(at) {
        match word.sketch().as_str() {
            "-H" | "--host" | "--context" | "-c" | "--config" | "-l" | "--log-level" => at += 2,
            text if text.starts_with('-') => at += 1,
            "buildx" | "image" | "container" | "builder" => at += 1,
            "build" | "bud" | "build-using-dockerfile" => {
                return Docker::Build(build(&words[at + 1..]));
            }
            "bake" => return bake(&words[at + 1..]),
            "compose" => return compose(&words[at + 1..]),
            "run" | "create" => return Docker::Run(run(&words[at + 1..], true)),
            "exec" => return Docker::Run(run(&words[at + 1..], false)),
            _ => break,
        }
    }
    Docker::Other
}

/// An option with its value, and how many words both are.
struct Taken {
    name: String,
    value: Option<Value>,
    words: usize,
}

fn take(words: &[Value], switches: &[&str], letters: &str) -> Option<Taken> {
    let first = words.first()?;
    let text = first.sketch();
    if !text.starts_with('-') || text == "-" {
        return None;
    }
    if let Some((name, _)) = text.split_once('=').filter(|_| text.starts_with("--")) {
        return Some(Taken {
            value: Some(first.slice_from(name.len() + 1)),
            name: name.to_owned(),
            words: 1,
        });
    }
    let is_cluster =
        !text.starts_with("--") && text[1..].chars().all(|letter| letters.contains(letter));
    if is_cluster || switches.contains(&text.as_str()) {
        return Some(Taken {
            name: text,
            value: None,
            words: 1,
        });
    }
    // `-eNAME`, `-v/a:/b`
    let mut behind = text.char_indices().skip(2);
    if !text.starts_with("--")
        && let Some((end, _)) = behind.next()
    {
        return Some(Taken {
            name: text[..end].to_owned(),
            value: Some(first.slice_from(end)),
            words: 1,
        });
    }
    Some(Taken {
        name: text,
        value: words.get(1).cloned(),
        words: 2,
    })
}

fn run(words: &[Value], with_image: bool) -> Run {
    let mut run = Run::default();
    let mut at = 0;
    let mut entrypoint = None;
    while let Some(taken) = take(words.get(at..).unwrap_or_default(), &SWITCHES, "ditPq") {
        at += taken.words;
        let Some(value) = taken.value else { continue };
        match taken.name.as_str() {
            "-e" | "--env" => run.env.push(named(&value)),
            "--env-file" => run.env_file = true,
            "--name" => run.name = value.known(),
            "-w" | "--workdir" => run.workdir = Some(value),
            "--gpus" => run.gpus = true,
            "--runtime" | "--device" => run.gpus |= value.sketch().contains("nvidia"),
            "-v" | "--volume" => run.mounts.extend(volume(&value)),
            "--mount" => run.mounts.extend(bind(&value)),
            "--entrypoint" => entrypoint = Some(value),
            _ => {}
        }
    }
    let (image, command) = words
        .get(at..)
        .unwrap_or_default()
        .split_first()
        .map_or((None, &[][..]), |(image, command)| (Some(image), command));
    if with_image {
        run.image = image.cloned();
    } else {
        run.name = image.and_then(Value::known);
    }
    run.command = entrypoint
        .filter(|value| value.is_empty() != Some(true))
        .into_iter()
        .chain(command.iter().cloned())
        .collect();
    run
}

/// `NAME=value`, or `NAME` alone.
fn named(value: &Value) -> (String, Option<Value>) {
    let text = value.sketch();
    match text.split_once('=') {
        Some((name, _)) => (name.to_owned(), Some(value.slice_from(name.len() + 1))),
        None => (text, None),
    }
}

/// `source:place[:options]`.
fn volume(value: &Value) -> Option<(Value, String)> {
    let text = value.sketch();
    let (source, rest) = text.split_once(':')?;
    let place = rest.split(':').next().unwrap_or(rest);
    Some((value.slice(0, source.len()), place.to_owned()))
}

/// `type=bind,source=a,target=/b`.
fn bind(value: &Value) -> Option<(Value, String)> {
    let text = value.sketch();
    let mut source = None;
    let mut place = None;
    let mut at = 0;
    for part in text.split(',') {
        if let Some((name, path)) = part.split_once('=') {
            let from = at + name.len() + 1;
            match name {
                "source" | "src" => source = Some(value.slice(from, from + path.len())),
                "target" | "dst" | "destination" => place = Some(path.to_owned()),
                _ => {}
            }
        }
        at += part.len() + 1;
    }
    source.zip(place)
}

fn build(words: &[Value]) -> Build {
    let mut build = Build::default();
    let mut at = 0;
    while at < words.len() {
        let Some(taken) = take(&words[at..], &BUILD_SWITCHES, "qDh") else {
            build.context = words.get(at).cloned();
            at += 1;
            continue;
        };
        at += taken.words;
        let Some(value) = taken.value else { continue };
        match taken.name.as_str() {
            "--build-arg" => build.args.push(named(&value)),
            "--target" => build.target = Some(value),
            "-f" | "--file" => build.file = Some(value),
            "--platform" => build.platform = Some(value),
            "-t" | "--tag" => build.tags.push(value),
            _ => {}
        }
    }
    build
}

/// Options of `docker buildx bake` that have no value.
const BAKE_SWITCHES: [&str; 6] = [
    "--load",
    "--push",
    "--pull",
    "--no-cache",
    "--debug",
    "--check",
];
/// Options of `docker compose` and of what it does that have none.
const COMPOSE_SWITCHES: [&str; 18] = [
    "--all-resources",
    "--compatibility",
    "--dry-run",
    "--verbose",
    "--pull",
    "--push",
    "--no-cache",
    "--quiet",
    "--with-dependencies",
    "--check",
    "--print",
    "--parallel",
    "--build",
    "--detach",
    "--wait",
    "--force-recreate",
    "--remove-orphans",
    "--force-rm",
];

fn bake(words: &[Value]) -> Docker {
    let mut described = Described::new(Describer::Bake);
    let mut at = 0;
    while at < words.len() {
        let Some(taken) = take(&words[at..], &BAKE_SWITCHES, "D") else {
            described.names.push(words[at].clone());
            at += 1;
            continue;
        };
        at += taken.words;
        match (taken.name.as_str(), taken.value) {
            // nothing is built
            ("--print" | "--list", _) => return Docker::Other,
            ("-f" | "--file", Some(value)) => described.files.push(value),
            ("--set", Some(value)) => described.sets.push(named(&value)),
            _ => {}
        }
    }
    Docker::Described(described)
}

fn compose(words: &[Value]) -> Docker {
    let mut described = Described::new(Describer::Compose);
    let mut command: Option<String> = None;
    let mut at = 0;
    while at < words.len() {
        let letters = if command.is_some() { "qd" } else { "" };
        let Some(taken) = take(&words[at..], &COMPOSE_SWITCHES, letters) else {
            match &command {
                None => command = Some(words[at].sketch()),
                Some(_) => described.names.push(words[at].clone()),
            }
            at += 1;
            continue;
        };
        at += taken.words;
        match (taken.name.as_str(), taken.value) {
            ("-f" | "--file", Some(value)) if command.is_none() => described.files.push(value),
            ("--project-directory", Some(value)) => described.folder = Some(value),
            ("--build-arg", Some(value)) => {
                let (name, value) = named(&value);
                described.sets.push((format!("*.args.{name}"), value));
            }
            _ => {}
        }
    }
    match command.as_deref() {
        Some("build" | "up" | "create") => Docker::Described(described),
        _ => Docker::Other,
    }
}

fn kaniko(words: &[Value]) -> Build {
    let mut build = Build::default();
    let mut at = 0;
    while at < words.len() {
        let Some(taken) = take(
            &words[at..],
            &["--cache", "--no-push", "--reproducible", "--cleanup"],
            "",
        ) else {
            at += 1;
            continue;
        };
        at += taken.words;
        let Some(value) = taken.value else { continue };
        match taken.name.as_str() {
            "--build-arg" => build.args.push(named(&value)),
            "--target" => build.target = Some(value),
            "-f" | "--dockerfile" => build.file = Some(value),
            "-c" | "--context" => build.context = Some(value),
            "-d" | "--destination" => build.tags.push(value),
            _ => {}
        }
    }
    build
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(line: &str) -> String {
        let words: Vec<Value> = line
            .split(' ')
            .map(|word| Value::literal(word, None))
            .collect();
        let texts = |pairs: &[(String, Option<Value>)]| {
            let shown = pairs.iter().map(|(name, value)| {
                value
                    .as_ref()
                    .map_or(name.clone(), |value| format!("{name}={}", value.sketch()))
            });
            shown.collect::<Vec<_>>().join(" ")
        };
        let text = |value: &Option<Value>| value.as_ref().map_or("-".to_owned(), Value::sketch);
        match read(&words[0].sketch(), &words) {
            None => "none".to_owned(),
            Some(Docker::Other) => "other".to_owned(),
            Some(Docker::Described(described)) => {
                let all = |values: &[Value]| {
                    let texts: Vec<String> = values.iter().map(Value::sketch).collect();
                    texts.join(" ")
                };
                format!(
                    "{:?} files [{}] names [{}] sets [{}]",
                    described.tool,
                    all(&described.files),
                    all(&described.names),
                    texts(&described.sets)
                )
            }
            Some(Docker::Build(build)) => format!(
                "build {} target {} file {} args [{}]",
                text(&build.context),
                text(&build.target),
                text(&build.file),
                texts(&build.args)
            ),
            Some(Docker::Run(run)) => {
                let command: Vec<String> = run.command.iter().map(Value::sketch).collect();
                let mounts: Vec<String> = run
                    .mounts
                    .iter()
                    .map(|(source, place)| format!("{}>{place}", source.sketch()))
                    .collect();
                format!(
                    "run {} env [{}] gpus {} mounts [{}] runs [{}]",
                    text(&run.image),
                    texts(&run.env),
                    run.gpus,
                    mounts.join(" "),
                    command.join(" ")
                )
            }
        }
    }

    #[test]
    fn command_lines() {
        for (line, expected) in [
            ("docker build .", "build . target - file - args []"),
            (
                "docker build -t x -f d/Dockerfile --build-arg A=1 --build-arg B --target=y d",
                "build d target y file d/Dockerfile args [A=1 B]",
            ),
            (
                "docker buildx build --push --build-arg=A=1 --platform linux/amd64 .",
                "build . target - file - args [A=1]",
            ),
            (
                "podman build --layers -fD .",
                "build . target - file D args []",
            ),
            (
                "buildah bud --no-cache -t x c",
                "build c target - file - args []",
            ),
            (
                "executor --context c --dockerfile D --build-arg A=1 --cache",
                "build c target - file D args [A=1]",
            ),
            (
                "docker run --rm -it -e A -e B=2 --gpus all -v $PWD:/w -w /w i:1 make -j",
                "run i:1 env [A B=2] gpus true mounts [$PWD>/w] runs [make -j]",
            ),
            (
                "docker run --mount type=bind,src=a,dst=/b --entrypoint bash i -c x",
                "run i env [] gpus false mounts [a>/b] runs [bash -c x]",
            ),
            (
                "docker exec -t -eA c make",
                "run - env [A] gpus false mounts [] runs [make]",
            ),
            (
                "docker --context x run -d i",
                "run i env [] gpus false mounts [] runs []",
            ),
            (
                "docker buildx bake -f a.hcl --file=b.hcl --set *.args.A=1 --push app old",
                "Bake files [a.hcl b.hcl] names [app old] sets [*.args.A=1]",
            ),
            ("docker buildx bake --print app", "other"),
            (
                "docker compose -f a.yml -fb.yml build --pull --build-arg A=1 app",
                "Compose files [a.yml b.yml] names [app] sets [*.args.A=1]",
            ),
            (
                "docker-compose up -d --build",
                "Compose files [] names [] sets []",
            ),
            ("docker compose logs -f app", "other"),
            ("docker push x", "other"),
            ("docker", "other"),
            ("make docker", "none"),
        ] {
            assert_eq!(show(line), expected, "{line}");
        }
    }
}
