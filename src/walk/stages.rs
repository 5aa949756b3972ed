//! Stages of a Dockerfile: what they start from, and their arguments.
use super::base;
use super::settings::Life;
use super::shells::Shell;
use super::state::State;
use super::variable::{Alternative, Origin};
use super::walked::{Given, WalkedScope, WalkedWorld};
use super::walker::Walker;
use crate::facts::SetHow;
use crate::front::document::{Document, Does, Scope, Statement};
use crate::span::Span;
use crate::text::word::Word;
use crate::value::{Site, Value};

/// BuildKit's own global arguments, for the usual platform.
pub(super) fn globals(given: &Given) -> State {
    let mut state = State::new(None);
    for (name, value) in platform_args(given) {
        let origin = Origin {
            how: SetHow::BuildArg,
            site: None,
        };
        state.set(
            name,
            vec![Alternative {
                overridable: true,
                ..Alternative::exported(Value::literal(&value, None), origin)
            }],
        );
    }
    state
}

fn platform_args(given: &Given) -> Vec<(&'static str, String)> {
    let platform = given
        .platform
        .clone()
        .unwrap_or_else(|| "linux/amd64".to_owned());
    let (os, arch) = platform.split_once('/').unwrap_or(("linux", &platform));
    let arch = arch.split('/').next().unwrap_or(arch).to_owned();
    let os = os.to_owned();
    vec![
        ("TARGETPLATFORM", platform.clone()),
        ("BUILDPLATFORM", platform.clone()),
        ("TARGETARCH", arch.clone()),
        ("BUILDARCH", arch),
        ("TARGETOS", os.clone()),
        ("BUILDOS", os),
        ("TARGETVARIANT", String::new()),
        ("BUILDVARIANT", String::new()),
    ]
}

/// The stages that `target` stands on, by FROM and by `--from`, found on the names as written.
pub(super) fn reachable(document: &Document, target: &str) -> Vec<usize> {
    let find = |name: &str, before: usize| {
        let by_name = document.scopes[..before].iter().rposition(|s| {
            s.alias
                .as_deref()
                .is_some_and(|a| a.eq_ignore_ascii_case(name))
        });
        by_name.or_else(|| name.parse::<usize>().ok().filter(|&i| i < before))
    };
    let Some(start) = find(target, document.scopes.len()) else {
        return (0..document.scopes.len()).collect();
    };
    let mut found = vec![start];
    let mut at = 0;
    while at < found.len() {
        let index = found[at];
        at += 1;
        for statement in &document.scopes[index].statements {
            let word = match &statement.action {
                Does::Base { image, .. } => Some(image),
                Does::Copy { from, .. } => from.as_ref(),
                _ => None,
            };
            // a name that is computed could be any stage: keep the earlier ones
            match word.map(Word::literal) {
                Some(Some(name)) => found.extend(find(&name, index).filter(|i| !found.contains(i))),
                Some(None) => found.extend(
                    (0..index)
                        .filter(|i| !found.contains(i))
                        .collect::<Vec<_>>(),
                ),
                None => {}
            }
        }
    }
    found
}

impl Walker<'_> {
    /// A statement before the first stage.
    pub(super) fn global(&mut self, statement: &Statement) {
        self.order += 1;
        self.instruction = statement.span;
        let Does::Declare {
            name,
            default,
            span,
        } = &statement.action
        else {
            return;
        };
        let site = Site {
            file: 0,
            span: *span,
        };
        let mut alternative = declared(
            name,
            default.as_ref().map(|d| Self::expand(&self.global_args, d)),
            site,
            self.given,
        );
        if let Some(value) = &alternative.value {
            let origin = Origin {
                how: SetHow::Arg,
                site: Some(site),
            };
            self.setting(name, value.clone(), origin, Life::Stage);
        }
        self.walked
            .overridable
            .extend(alternative.overridable.then_some(site));
        alternative.exported = false;
        self.global_args.set(name, vec![alternative]);
    }

    /// Walks a stage; of one that is not wanted only what it starts from.
    pub(super) fn stage(&mut self, scope: &Scope, wanted: bool) {
        let index = self.walked.scopes.len();
        let mut empty = State::new(Some("the base image may set it"));
        empty.shell = Shell::Sh;
        self.walked.scopes.push(WalkedScope {
            title: scope.title.clone(),
            written: index,
            worlds: vec![WalkedWorld {
                number: index,
                names: Vec::new(),
            }],
            parent: None,
            image: Value::default(),
            image_site: Site::default(),
            start: empty.clone(),
            end: empty.clone(),
        });
        self.scope = Some(index);
        let mut state = empty;
        self.login_shell = false;
        for statement in &scope.statements {
            self.order += 1;
            self.instruction = statement.span;
            if !self.tick() {
                break;
            }
            match &statement.action {
                Does::Base { image, .. } => state = self.base(index, image),
                _ if !wanted => {}
                action => self.statement(action, &mut state),
            }
        }
        self.walked.scopes[index].end = state;
        self.stages.push((scope.alias.clone(), index));
        self.scope = None;
    }

    /// The state that a stage starts with.
    fn base(&mut self, index: usize, image: &Word) -> State {
        let reference = Self::expand(&self.global_args, image);
        let site = Site {
            file: 0,
            span: image.span,
        };
        let known = reference.known();
        let parent = known.as_deref().and_then(|name| self.find_stage(name));
        let mut state = match parent {
            Some(parent) => self.walked.scopes[parent].end.clone(),
            None => base::state(&reference, self.given),
        };
        if let Some(cuda) = &self.given.cuda {
            state.nvcc.version = Some(cuda.as_str().into());
            if state.nvcc.from.is_empty() {
                state.nvcc.from = "--cuda".into();
            }
        }
        for (name, value) in &self.given.env {
            let origin = Origin {
                how: SetHow::ConfigEnv,
                site: None,
            };
            state.set(
                name,
                vec![Alternative::exported(Value::literal(value, None), origin)],
            );
        }
        let scope = &mut self.walked.scopes[index];
        scope.parent = parent;
        scope.image = reference;
        scope.image_site = site;
        scope.start = state.clone();
        state
    }

    pub(super) fn find_stage(&self, name: &str) -> Option<usize> {
        let by_name = self.stages.iter().rev().find(|(alias, _)| {
            alias
                .as_deref()
                .is_some_and(|a| a.eq_ignore_ascii_case(name))
        });
        by_name.map(|&(_, index)| index)
    }

    /// `ARG NAME[=default]` in a stage.
    pub(super) fn declare(
        &mut self,
        name: &str,
        default: Option<&Word>,
        span: Span,
        state: &mut State,
    ) {
        let site = Site { file: 0, span };
        // an ENV of the same name wins
        if let [only] = state.get(name)
            && only
                .origin
                .as_ref()
                .is_some_and(|o| matches!(o.how, SetHow::Env | SetHow::Preset))
        {
            return;
        }
        let alternative = match default {
            None if self.global_args.mentions(name) => {
                let global = self.global_args.get(name)[0].clone();
                let origin = Origin {
                    how: SetHow::Arg,
                    site: global.origin.and_then(|o| o.site).or(Some(site)),
                };
                Alternative {
                    value: global.value,
                    exported: true,
                    overridable: true,
                    origin: Some(origin),
                    guard: None,
                }
            }
            default => declared(
                name,
                default.map(|d| Self::expand(state, d)),
                site,
                self.given,
            ),
        };
        if let (Some(value), Some(origin)) = (&alternative.value, &alternative.origin) {
            self.setting(name, value.clone(), origin.clone(), Life::Stage);
        }
        self.walked
            .overridable
            .extend(alternative.overridable.then_some(site));
        state.set(name, vec![alternative]);
    }
}

/// An ARG: the caller's value, the default, or nobody's yet.
fn declared(name: &str, default: Option<Value>, site: Site, given: &Given) -> Alternative {
    if let Some(value) = given.build_args.get(name) {
        return Alternative::exported(
            Value::literal(value, None),
            Origin {
                how: SetHow::BuildArg,
                site: None,
            },
        );
    }
    let platform = || {
        platform_args(given)
            .into_iter()
            .find(|(n, _)| *n == name)
            .map(|(_, v)| Value::literal(&v, None))
    };
    let value = default.or_else(platform);
    let origin = Origin {
        how: SetHow::Arg,
        site: Some(site),
    };
    let value = value.unwrap_or_else(|| {
        Value::hole(
            &format!("the build argument {name} has no default"),
            Some(name),
            false,
        )
    });
    Alternative {
        overridable: true,
        ..Alternative::exported(value, origin)
    }
}
