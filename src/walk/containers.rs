//! Commands that run in a container: `docker run`, `docker exec`.
use super::base;
use super::conditions::Truth;
use super::context::content_at;
use super::script::Context;
use super::state::{Alternative, Origin, State};
use super::value::{Site, Value};
use super::walked::Life;
use super::walker::Walker;
use crate::facts::{Known, LostWhy, SetHow};

/// A command in a container, as `docker run` describes it.
#[derive(Debug, Default)]
pub(super) struct Contained {
    /// The image; `None` for a container that was started before.
    image: Option<Value>,
    /// `-e NAME`: passed on.
    passes: Vec<String>,
    /// `-e NAME=value`
    sets: Vec<(String, Value)>,
    /// `--env-file`: what it sets is not known.
    env_file: bool,
    gpus: bool,
    folder: Option<Value>,
    /// `-v outside:inside`
    mounts: Vec<(Value, Value)>,
    words: Vec<Value>,
}

/// Options of `docker run` and `docker exec` that take a value which is a word of its own.
const VALUED: [&str; 44] = [
    "-e",
    "--env",
    "--env-file",
    "-v",
    "--volume",
    "-w",
    "--workdir",
    "--name",
    "-u",
    "--user",
    "--platform",
    "--network",
    "--net",
    "--gpus",
    "--runtime",
    "--shm-size",
    "--ipc",
    "--entrypoint",
    "-p",
    "--publish",
    "--mount",
    "--cpus",
    "-m",
    "--memory",
    "--ulimit",
    "--add-host",
    "--device",
    "-l",
    "--label",
    "--pull",
    "--cap-add",
    "--security-opt",
    "-h",
    "--hostname",
    "--tmpfs",
    "--group-add",
    "--cidfile",
    "--log-driver",
    "--pid",
    "--cpuset-cpus",
    "--volumes-from",
    "--memory-swap",
    "--restart",
    "--userns",
];

/// Reads `docker run …` and `docker exec …`; `None` for anything else.
pub(super) fn read(program: &str, words: &[Value]) -> Option<Contained> {
    if !matches!(program, "docker" | "podman" | "nvidia-docker" | "nerdctl") {
        return None;
    }
    let texts: Vec<String> = words.iter().map(Value::sketch).collect();
    let mut at = 1;
    if texts.get(at).is_some_and(|text| text == "container") {
        at += 1;
    }
    let runs = match texts.get(at)?.as_str() {
        "run" => true,
        "exec" => false,
        _ => return None,
    };
    at += 1;
    let mut contained = Contained {
        gpus: program == "nvidia-docker",
        ..Contained::default()
    };
    let mut entrypoint = None;
    while let Some(text) = texts.get(at).filter(|text| text.starts_with('-')) {
        let (name, value) = match text.split_once('=') {
            Some((name, _)) if name.starts_with("--") => {
                (name.to_owned(), Some(words[at].slice_from(name.len() + 1)))
            }
            _ if VALUED.contains(&text.as_str()) => {
                at += 1;
                (text.clone(), words.get(at).cloned())
            }
            // `-ePLAT`, `-v/a:/b`
            _ if !text.starts_with("--")
                && text.len() > 2
                && text.is_char_boundary(2)
                && matches!(&text[..2], "-e" | "-v" | "-w") =>
            {
                (text[..2].to_owned(), Some(words[at].slice_from(2)))
            }
            _ => (text.clone(), None),
        };
        at += 1;
        if let Some(value) = value {
            contained.option(&name, value, &mut entrypoint);
        }
    }
    let target = words.get(at)?.clone();
    contained.image = runs.then_some(target);
    contained.words = entrypoint
        .into_iter()
        .chain(words.get(at + 1..)?.iter().cloned())
        .collect();
    Some(contained)
}

impl Contained {
    fn option(&mut self, name: &str, value: Value, entrypoint: &mut Option<Value>) {
        let text = value.sketch();
        match name {
            "-e" | "--env" => match text.split_once('=') {
                Some((variable, _)) => {
                    let rest = value.slice_from(variable.len() + 1);
                    self.sets.push((variable.to_owned(), rest));
                }
                None => self.passes.push(text),
            },
            "--env-file" => self.env_file = true,
            "--gpus" => self.gpus = true,
            "--runtime" => self.gpus |= text == "nvidia",
            "-w" | "--workdir" => self.folder = Some(value),
            "--entrypoint" => *entrypoint = Some(value),
            "-v" | "--volume" => {
                if let Some((outside, rest)) = text.split_once(':') {
                    let end = rest
                        .find(':')
                        .map_or(text.len(), |cut| outside.len() + 1 + cut);
                    let inside = value.slice(outside.len() + 1, end);
                    self.mounts.push((value.slice(0, outside.len()), inside));
                }
            }
            _ => {}
        }
    }
}

impl Walker<'_> {
    /// Runs a command in a container.
    pub(super) fn contained(
        &mut self,
        contained: Contained,
        site: Site,
        state: &mut State,
        context: &Context,
    ) -> Truth {
        let mut inside = match &contained.image {
            Some(image) => base::state(image, self.given.images, self.given.cpu()),
            None => State::new(Some("the container may set it")),
        };
        inside.contexts = state.contexts.clone();
        inside.machine_gpu = state.machine_gpu.clone();
        inside.gpu = match (state.gpu, contained.gpus) {
            (Known::No, _) | (Known::Unknown, false) => state.gpu,
            (_, true) => Known::Yes,
            (Known::Yes, false) => Known::Unknown,
        };
        if contained.env_file {
            inside
                .open
                .get_or_insert_with(|| "an environment file may set it".into());
        }
        for (outside, place) in &contained.mounts {
            let outside = state.resolve(&outside.sketch());
            if let Some(content) = content_at(state, &outside) {
                inside.put(&place.sketch(), content);
            }
        }
        if let Some(folder) = &contained.folder {
            inside.cwd = inside.resolve(&folder.sketch()).into();
        }
        state.pass(&mut inside, LostWhy::NotForwarded, |name| {
            contained.passes.iter().any(|passed| passed == name)
        });
        for (name, value) in &contained.sets {
            let origin = Origin {
                how: SetHow::Inline,
                site: value.site().or(Some(site)),
            };
            self.setting(name, value.clone(), origin.clone(), Life::Command);
            inside.set(name, vec![Alternative::exported(value.clone(), origin)]);
        }
        if contained.words.is_empty() {
            return Truth::Assumed;
        }
        self.command(&contained.words, site, &mut inside, context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str) -> String {
        let words: Vec<Value> = line.split(' ').map(|w| Value::literal(w, None)).collect();
        let Some(contained) = read("docker", &words) else {
            return "none".to_owned();
        };
        let text = |value: &Value| value.sketch();
        let mut out = contained
            .image
            .as_ref()
            .map_or_else(|| "exec".to_owned(), text);
        for name in &contained.passes {
            out += &format!(" +{name}");
        }
        for (name, value) in &contained.sets {
            out += &format!(" +{name}={}", value.sketch());
        }
        for (outside, inside) in &contained.mounts {
            out += &format!(" {}->{}", outside.sketch(), inside.sketch());
        }
        if contained.gpus {
            out += " gpus";
        }
        let words: Vec<String> = contained.words.iter().map(text).collect();
        format!("{out}: {}", words.join(" "))
    }

    #[test]
    fn what_runs_in_a_container() {
        for (line, expected) in [
            ("docker run --rm img make -j", "img: make -j"),
            (
                "docker run -it -e A -e B=1 --env=C img x",
                "img +A +C +B=1: x",
            ),
            (
                "docker run -v /a:/b:ro -w /b --gpus all img bash",
                "img /a->/b gpus: bash",
            ),
            ("docker run --entrypoint bash img -c x", "img: bash -c x"),
            ("docker exec -e A c1 make", "exec +A: make"),
            ("docker build .", "none"),
            ("docker run", "none"),
        ] {
            assert_eq!(shown(line), expected, "{line}");
        }
    }
}
