//! Steps, and the `env:` and `defaults:` around them.
use super::{text, word};
use crate::facts::SetHow;
use crate::front::document::{Assign, Does, ENV_FILE, OUTPUT_FILE, Statement};
use crate::front::node::run_in;
use crate::span::Span;
use crate::text::Problem;
use crate::text::word::Word;
use crate::text::yaml::Node;

/// Where the repository is checked out.
pub const WORKSPACE: &str = "/workspace";

/// The systems that a job runs on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct System {
    /// The machine runs Windows, where PowerShell is the shell.
    pub(super) windows: bool,
    /// Some rows of the job run on Windows, and some do not.
    pub(super) mixed: bool,
}

/// What holds for a step unless it says otherwise.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Defaults<'y> {
    /// `defaults.run` of the workflow.
    pub(super) workflow: Option<&'y Node>,
    /// `defaults.run` of the job.
    pub(super) job: Option<&'y Node>,
    /// What decides about the shell.
    pub(super) system: System,
}

impl<'y> Defaults<'y> {
    fn get(&self, step: &'y Node, key: &str) -> Option<&'y Node> {
        let of = |node: Option<&'y Node>| node.and_then(|n| n.get(key));
        step.get(key).or(of(self.job)).or(of(self.workflow))
    }
}

/// The files that every job has, as settings without a place of their own.
pub(super) fn files(span: Span) -> Statement {
    let place = Span::new(span.start as usize, span.start as usize);
    let assigns = [
        ("GITHUB_ENV", ENV_FILE),
        ("GITHUB_OUTPUT", OUTPUT_FILE),
        ("GITHUB_PATH", "/.job/path"),
        ("GITHUB_STEP_SUMMARY", "/.job/summary"),
        ("GITHUB_WORKSPACE", WORKSPACE),
    ];
    let assigns = assigns.map(|(name, path)| Assign {
        name: name.to_owned(),
        value: Word::of_text(path, place),
        span: place,
    });
    Statement {
        action: Does::Set {
            assigns: assigns.into(),
            how: SetHow::ConfigEnv,
        },
        span,
    }
}

/// What expressions find of the machine before a job says anything.
pub(super) fn places(span: Span) -> Statement {
    let place = Span::new(span.start as usize, span.start as usize);
    let action = Does::Context(vec![Assign {
        name: "github.workspace".to_owned(),
        value: Word::of_text(WORKSPACE, place),
        span: place,
    }]);
    Statement { action, span }
}

/// What `env:` of `node` sets.
pub(super) fn env(node: &Node) -> Option<Statement> {
    let map = node.get("env")?;
    let assigns: Vec<Assign> = map
        .entries()
        .iter()
        .filter_map(|entry| {
            Some(Assign {
                name: entry.name()?.to_owned(),
                value: word(&entry.value),
                span: entry.span,
            })
        })
        .collect();
    let action = Does::Set {
        assigns,
        how: SetHow::ConfigEnv,
    };
    Some(Statement {
        action,
        span: map.span,
    })
}

/// `if:` of `node`: its text is an expression, with or without `${{ }}`.
pub(super) fn gate(node: &Node) -> Option<Does> {
    let condition = node.get("if")?;
    let text = condition.text()?.trim();
    let inner = text
        .strip_prefix("${{")
        .and_then(|rest| rest.strip_suffix("}}"))
        .filter(|inner| !inner.contains("${{"));
    let text = format!("${{{{{}}}}}", inner.unwrap_or(text).replace('\n', " "));
    Some(Does::Gate(Word::opaque(text, condition.span)))
}

/// A step as a block of statements.
pub(super) fn step(node: &Node, defaults: &Defaults<'_>, problems: &mut Vec<Problem>) -> Statement {
    let span = node.span;
    // a step's condition sees its own environment
    let own = env(node).map(|statement| statement.action);
    let mut actions: Vec<Does> = own.into_iter().chain(gate(node)).collect();
    if let Some(script) = node.get("run").and_then(text) {
        if let Some(folder) = defaults.get(node, "working-directory") {
            actions.push(Does::Chdir(word(folder)));
        }
        // one that is computed is the one that the machine has
        let shell = defaults
            .get(node, "shell")
            .and_then(Node::text)
            .filter(|shell| !shell.trim_start().starts_with("${{"));
        // a step under a condition may be for the other rows, whose shell is another
        let (shell, ours) = match shell {
            Some(shell) => (shell, true),
            None if defaults.system.windows => ("pwsh", true),
            None => ("bash", !defaults.system.mixed || node.get("if").is_none()),
        };
        let mut found = Vec::new();
        actions.push(run_in(shell, &script, &mut found));
        if ours {
            problems.append(&mut found);
        }
    } else if let Some(uses) = node.get("uses") {
        actions.push(Does::Call {
            target: word(uses),
            inputs: inputs(node),
        });
    }
    let body = actions
        .into_iter()
        .map(|action| Statement { action, span })
        .collect();
    Statement {
        action: Does::Block { id: id(node), body },
        span,
    }
}

fn id(node: &Node) -> Option<String> {
    node.get("id").and_then(Node::text).map(str::to_owned)
}

/// `with:` of a step or a called workflow.
pub(super) fn inputs(node: &Node) -> Vec<Assign> {
    let Some(with) = node.get("with") else {
        return Vec::new();
    };
    let entries = with.entries().iter();
    entries
        .filter_map(|entry| {
            Some(Assign {
                name: entry.name()?.to_owned(),
                value: word(&entry.value),
                span: entry.span,
            })
        })
        .collect()
}
