//! `make` with a Makefile that can be read: its variables, and the recipes of the targets that are asked for.
mod expand;
mod functions;
mod host;
mod lines;
mod targets;
mod variables;
mod ways;

use super::content::Content;
use super::context::content_at;
use super::follow::open;
use super::script::{Context, MAX_DEPTH};
use super::state::State;
use super::walker::Walker;
use crate::actions::verb::Verb;
use crate::actions::{Action, Named, Source};
use crate::facts::ProblemKind;
use crate::paths::join;
use crate::span::Span;
use crate::text::make::Assign;
use crate::text::mapped::Mapped;
use crate::tree::Kind;
use crate::value::{Site, Value};
use host::Host;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use variables::Variable;
use ways::{Open, Picks, Undecided};

/// Expansions and targets that one `make` may take.
const STEPS: u32 = 50_000;

/// The names under which `make` looks for a Makefile, in its order.
const USUAL: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// A Makefile that is being followed.
struct Maker<'w, 'g> {
    walker: &'w mut Walker<'g>,
    /// Its directory in the image.
    dir: String,
    /// Itself.
    file: u16,
    variables: BTreeMap<String, Variable>,
    /// The variables of `foreach`, `call` and recipes, the innermost last.
    locals: Vec<(String, Value)>,
    rules: Vec<Made>,
    /// Variables of targets, with the file that they stand in.
    of_targets: Vec<(String, Assign, u16)>,
    export_all: bool,
    /// The targets that are made.
    done: BTreeSet<String>,
    /// The pattern rules that the target in hand comes by.
    chain: Vec<usize>,
    /// The conditions that were not decided, and the arms of them that the line in hand stands in.
    conditions: Vec<Undecided>,
    within: Vec<(usize, usize)>,
    /// Which arms are taken; what was asked for that nobody picked; whether that leaves a gap.
    picks: Picks,
    asked: BTreeMap<Open, usize>,
    blind: bool,
    depth: u16,
    steps: u32,
    /// What its recipes run.
    host: Host,
}

/// A rule, expanded.
#[derive(Clone, Debug)]
struct Made {
    targets: Vec<String>,
    prerequisites: Vec<String>,
    recipe: Rc<Vec<Mapped>>,
    file: u16,
    /// The arms in which it stands.
    picks: Picks,
}

/// The command, its Makefile, and what is around it.
struct Asked<'a> {
    site: Site,
    state: &'a mut State,
    context: &'a Context,
}

impl Walker<'_> {
    /// Follows a Makefile. Gives the action that is left to be judged as a whole: one whose recipes build nothing that is known.
    pub(super) fn make(
        &mut self,
        mut action: Action,
        site: Site,
        state: &mut State,
        context: &Context,
    ) -> Option<Action> {
        let Source::Tree(dir) = action.source.clone() else {
            return Some(action);
        };
        let Some(file) = self.makefile(&action, &dir, state) else {
            if self.has_none(&action, &dir, state) {
                action.options.push((NO_MAKEFILE.to_owned(), None));
            }
            return Some(action);
        };
        if context.depth >= MAX_DEPTH {
            let message = format!(
                "{} is not followed: {MAX_DEPTH} files lead to it",
                path_of(self, file)
            );
            self.note(ProblemKind::PassedOver, message);
            return None;
        }
        let before = self.walked.steps.len();
        let mut maker = Maker {
            dir,
            file,
            variables: BTreeMap::new(),
            locals: Vec::new(),
            rules: Vec::new(),
            of_targets: Vec::new(),
            export_all: false,
            done: BTreeSet::new(),
            chain: Vec::new(),
            conditions: Vec::new(),
            within: Vec::new(),
            picks: Picks::new(),
            asked: BTreeMap::new(),
            blind: true,
            depth: 0,
            steps: STEPS,
            host: Host::default(),
            walker: self,
        };
        let mut asked = Asked {
            site,
            state,
            context,
        };
        maker.run(&action, &mut asked);
        let own = maker.own(asked.state);
        let host = maker.host;
        if maker.steps == 0 {
            let message = format!("{} takes too much to follow", path_of(self, file));
            self.note(ProblemKind::CutShort, message);
        }
        let new = self.walked.steps.get(before..).unwrap_or_default();
        let scripts = new.iter().all(|step| step.action.verb == Verb::Script);
        // beside scripts, something compiled: what, the whole may tell
        let whole = new.is_empty() || (scripts && host.may_be_device());
        if host.is_all(&action.make_vars) || !whole {
            return None;
        }
        let given = |own: &Named| action.make_vars.iter().any(|given| given.name == own.name);
        let mut variables: Vec<Named> = own.into_iter().filter(|own| !given(own)).collect();
        variables.append(&mut action.make_vars);
        action.make_vars = variables;
        Some(action)
    }

    /// Whether a directory of the build context holds files, and no Makefile that `make` would find.
    fn has_none(&self, action: &Action, dir: &str, state: &State) -> bool {
        let named = |(name, _): &(String, Option<Value>)| is_file(name);
        let Some(Content::Context(inside)) = content_at(state, dir) else {
            return false;
        };
        let there = |name: &str| {
            let path = join(dir, name);
            match content_at(state, &path) {
                Some(Content::Context(inside)) => self.files.kind(&inside).is_some(),
                content => content.is_some(),
            }
        };
        !action.options.iter().any(named)
            && !USUAL.iter().any(|name| there(name))
            && !self.files.names(&inside, "*").is_empty()
    }

    /// The Makefile of a command, if it can be read.
    fn makefile(&mut self, action: &Action, dir: &str, state: &State) -> Option<u16> {
        let named = action
            .options
            .iter()
            .find_map(|(name, value)| value.as_ref().filter(|_| is_file(name)).map(Value::sketch));
        let usual = USUAL.map(str::to_owned);
        let names = named.as_ref().map_or(&usual[..], std::slice::from_ref);
        for name in names {
            let path = join(dir, name);
            let is_there = match content_at(state, &path) {
                Some(Content::Context(inside)) => {
                    named.is_some() || self.files.kind(&inside) == Some(Kind::File)
                }
                content => matches!(content, Some(Content::Text(_))),
            };
            if !is_there {
                continue;
            }
            let notes = RefCell::default();
            let text = open(&path, state, self.files, &notes);
            for message in notes.take() {
                self.note(ProblemKind::PassedOver, message);
            }
            // a Makefile that a command wrote has no file of its own
            return text.map(|text| text.file).filter(|file| *file > 0);
        }
        None
    }
}

/// What a record's conditions call a `make` in a directory that is known to hold no Makefile.
const NO_MAKEFILE: &str = "no-makefile";

/// Whether an option names a Makefile.
fn is_file(option: &str) -> bool {
    matches!(option, "f" | "file" | "makefile")
}

fn path_of(walker: &Walker<'_>, file: u16) -> String {
    let span = Span::default();
    walker.files.path(Site { file, span }).to_owned()
}

impl Maker<'_, '_> {
    fn run(&mut self, action: &Action, asked: &mut Asked<'_>) {
        let given = self.walker.make_variables.clone();
        for named in given.iter().chain(&action.make_vars) {
            self.command_line(named);
        }
        let before = std::mem::take(&mut self.walker.make_variables);
        self.walker.make_variables = given.iter().chain(&action.make_vars).cloned().collect();
        self.read(self.file, asked.state);
        let first = |rule: &&Made| {
            let usual = |target: &String| !target.starts_with('.') && !target.contains('%');
            rule.targets.first().is_some_and(usual)
        };
        let targets = if action.targets.is_empty() {
            let goal = self.rules.iter().find(first);
            goal.and_then(|rule| rule.targets.first().cloned())
                .into_iter()
                .collect()
        } else {
            action.targets.clone()
        };
        for target in targets {
            let again = (self.file, target.clone());
            if self.walker.making.contains(&again) {
                let path = path_of(self.walker, self.file);
                let message = format!("{path}: {target} makes itself: it is followed once");
                self.walker.note(ProblemKind::PassedOver, message);
                continue;
            }
            self.walker.making.push(again);
            self.target(&target, asked, 0);
            self.walker.making.pop();
        }
        self.walker.make_variables = before;
    }

    fn tick(&mut self) -> bool {
        self.steps = self.steps.saturating_sub(1);
        self.steps > 0
    }
}
