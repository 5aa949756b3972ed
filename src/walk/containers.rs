//! Containers that commands start, and images that they build.
use super::base;
use super::commands::always_kept;
use super::content::Content;
use super::context::content_at;
use super::script::Context;
use super::state::State;
use super::variable::{Alternative, Origin};
use super::walked::Lent;
use super::walker::Walker;
use crate::actions::docker::{Build, Docker, Run};
use crate::facts::{Known, LostWhy, SetHow};
use crate::value::{Site, Value};

impl Walker<'_> {
    /// Runs a command of docker or its like.
    pub(super) fn docker(
        &mut self,
        docker: Docker,
        site: Site,
        state: &mut State,
        context: &Context,
    ) {
        match docker {
            Docker::Run(run) => self.run_in_container(run, site, state, context),
            Docker::Build(build) => self.lend(&build, site, state),
            Docker::Described(described) => self.described(&described, site, state),
            Docker::Other => {}
        }
    }

    /// A container sees what is passed to it, and the files that are mounted into it.
    fn run_in_container(&mut self, run: Run, site: Site, state: &mut State, context: &Context) {
        let mut inside = match (&run.image, &run.name) {
            (Some(image), _) => self.started(image, &run, state),
            (None, Some(name)) => self.containers.get(name).cloned().unwrap_or_else(|| {
                let mut state = State::new(Some("the container may set it"));
                state.gpu = Known::Unknown;
                state
            }),
            (None, None) => return,
        };
        let names: Vec<&str> = run
            .env
            .iter()
            .filter(|(_, value)| value.is_none())
            .map(|(name, _)| name.as_str())
            .collect();
        state.pass(&mut inside, LostWhy::NotForwarded, |name| {
            names.contains(&name) && !always_kept(name)
        });
        for (name, value) in &run.env {
            let Some(value) = value else { continue };
            let origin = Origin {
                how: SetHow::ConfigEnv,
                site: value.site().or(Some(site)),
            };
            inside.set(name, vec![Alternative::exported(value.clone(), origin)]);
        }
        if run.env_file {
            inside.opens("the environment file of the container may set it");
        }
        if let Some(workdir) = &run.workdir {
            inside.cwd = inside.resolve(&workdir.sketch()).into();
        }
        self.command(&run.command, site, &mut inside, context);
        if let Some(name) = run.name {
            self.containers.insert(name, inside);
        }
    }

    /// The state of a container that starts.
    fn started(&self, image: &Value, run: &Run, state: &State) -> State {
        let mut inside = base::state(image, self.given);
        inside.gpu = match (state.gpu, run.gpus) {
            (_, false) | (Known::No, _) => Known::No,
            (_, true) => Known::Yes,
        };
        inside.contexts = state.contexts.clone();
        inside.repository = state.repository.clone();
        inside.cwd = if run.workdir.is_some() {
            "/".into()
        } else {
            "?".into()
        };
        for (source, place) in &run.mounts {
            // a directory that only the shell knows is the one it stands in
            let path = if source.known().is_some() {
                state.resolve(&source.sketch())
            } else {
                state.cwd.to_string()
            };
            if let Some(content) = content_at(state, &path) {
                inside.put(place, content);
            }
        }
        inside
    }

    /// Remembers what an image that is built here gets from here.
    pub(super) fn lend(&mut self, build: &Build, site: Site, state: &State) {
        let Some(scope) = self.scope else { return };
        let place = |value: &Value| value.known().and_then(|path| in_repository(state, &path));
        let context = build.context.as_ref().and_then(&place);
        let file = match &build.file {
            Some(file) => place(file),
            None => context
                .as_ref()
                .map(|context| format!("{context}/Dockerfile")),
        };
        let args = build.args.iter().filter_map(|(name, value)| {
            let value = value
                .clone()
                .or_else(|| state.single(name).filter(|_| state.mentions(name)))?;
            Some((name.clone(), value))
        });
        self.walked.lent.push(Lent {
            file: file.and_then(|file| crate::tree::normal(&file)),
            context: context.and_then(|context| crate::tree::normal(&context)),
            target: build
                .target
                .as_ref()
                .map(Value::sketch)
                .filter(|target| !target.is_empty()),
            platform: build.platform.as_ref().and_then(Value::known),
            args: args.collect(),
            tags: build.tags.iter().flat_map(names).collect(),
            site,
            scope,
            row: Vec::new(),
        });
    }
}

/// The names in a value, which may be one a line or have commas between them.
fn names(value: &Value) -> Vec<String> {
    let text = value.sketch();
    let names = text.split(|c: char| c == ',' || c.is_whitespace());
    let named = names.filter(|name| !name.is_empty());
    named.map(str::to_owned).collect()
}

/// A path of the job as one of the repository, where it is one.
pub(super) fn in_repository(state: &State, path: &str) -> Option<String> {
    if path.contains("://") || path == "-" {
        return None;
    }
    let absolute = state.resolve(path);
    match content_at(state, &absolute) {
        Some(Content::Context(path)) => Some(path),
        // a job that took its files in a way that is not known stands in the repository
        None if !path.starts_with('/') && !absolute.starts_with('?') => {
            Some(absolute.trim_start_matches('/').to_owned())
        }
        None if !path.starts_with('/') && &*state.cwd == "?" => Some(path.to_owned()),
        _ => None,
    }
}
