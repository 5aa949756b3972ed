//! Conditions and loops.
use super::conditions::{Truth, truth};
use super::content::Content;
use super::context::content_at;
use super::expand::{Choice, Dialect, Expander};
use super::patterns::glob;
use super::script::Context;
use super::shells::always_fails;
use super::state::State;
use super::walked::Arm;
use super::walker::Walker;
use crate::front::document::Unit;
use crate::text::shell::{Command, Pipeline, Script};
use crate::text::word::{Part, Word};
use crate::tree::Kind;
use crate::value::Value;

impl Walker<'_> {
    /// Runs something that may or may not happen: one arm beside an empty one.
    pub(super) fn maybe(
        &mut self,
        state: &mut State,
        context: &Context,
        run: impl FnOnce(&mut Self, &mut State, &Context) -> Truth,
    ) {
        let after = self.elsewhere(state, context, run);
        state.merge(&after, UNKNOWN);
    }

    /// Runs something that happens only if whoever builds asks for it; gives the state that it would leave.
    pub(super) fn elsewhere(
        &mut self,
        state: &State,
        context: &Context,
        run: impl FnOnce(&mut Self, &mut State, &Context) -> Truth,
    ) -> State {
        let mut copy = state.clone();
        let context = self.perhaps(context);
        run(self, &mut copy, &context);
        copy
    }

    /// What surrounds a command that may not be run at all.
    pub(super) fn perhaps(&mut self, context: &Context) -> Context {
        let group = self.group();
        context.in_arm(Arm {
            group,
            index: 0,
            of: 2,
        })
    }

    pub(super) fn group(&mut self) -> u32 {
        self.groups += 1;
        self.groups
    }

    pub(super) fn condition(
        &mut self,
        arms: &[(Script, Script)],
        otherwise: Option<&Script>,
        file: u16,
        state: &mut State,
        context: &Context,
    ) -> Truth {
        let mut branches = Branches::new(self.group(), arms.len() + 1);
        for (condition, body) in arms {
            let mut choice = callers_choice(condition, state);
            let truth = self.script(condition, file, state, context);
            choice |= truth == Truth::False && asks_for_files(condition);
            self.arm(&mut branches, truth, choice, body, file, state, context);
        }
        if let Some(body) = otherwise {
            self.arm(
                &mut branches,
                Truth::True,
                false,
                body,
                file,
                state,
                context,
            );
        }
        branches.join(state)
    }

    pub(super) fn case(
        &mut self,
        word: &Word,
        arms: &[(Vec<Word>, Script)],
        file: u16,
        state: &mut State,
        context: &Context,
    ) -> Truth {
        let value = self.word(word, file, state);
        let patterns: Vec<Vec<Option<String>>> = arms
            .iter()
            .map(|(words, _)| {
                words
                    .iter()
                    .map(|w| self.word(w, file, state).known())
                    .collect()
            })
            .collect();
        let choice = word_is_callers_choice(word, state);
        let mut branches = Branches::new(self.group(), arms.len() + 1);
        for ((_, body), patterns) in arms.iter().zip(&patterns) {
            let truth = matches(&value, patterns);
            self.arm(&mut branches, truth, choice, body, file, state, context);
        }
        branches.join(state)
    }

    /// One arm: run for sure, perhaps, only if the caller changes his mind, or not at all.
    #[allow(
        clippy::too_many_arguments,
        reason = "the surroundings of every command are four of them"
    )]
    fn arm(
        &mut self,
        branches: &mut Branches,
        truth: Truth,
        callers_choice: bool,
        body: &Script,
        file: u16,
        state: &State,
        context: &Context,
    ) {
        let index = branches.next();
        let in_arm = context.in_arm(Arm {
            group: branches.group,
            index,
            of: branches.of,
        });
        let mut copy = state.clone();
        if branches.decided {
            // what the default does not reach, another build argument may
            if branches.by_choice {
                self.script(body, file, &mut copy, &in_arm);
            }
            return;
        }
        match truth {
            Truth::False if callers_choice => {
                branches.passed_by_choice = true;
                self.script(body, file, &mut copy, &in_arm);
            }
            Truth::False => {}
            Truth::True => {
                let sure = branches.ends.is_empty();
                let before = self.walked.settings.count();
                self.script(body, file, &mut copy, if sure { context } else { &in_arm });
                if callers_choice || branches.passed_by_choice {
                    self.leave_to_caller(before);
                }
                branches.ends.push(copy);
                branches.decided = true;
                branches.by_choice = callers_choice;
            }
            Truth::Assumed | Truth::Undecided => {
                self.script(body, file, &mut copy, &in_arm);
                branches.ends.push(copy);
            }
        }
    }
}

impl Walker<'_> {
    /// What was set since there were `before` settings is as whoever builds decides.
    fn leave_to_caller(&mut self, before: usize) {
        let set = self.walked.settings.since(before);
        let sites = set.filter_map(|setting| setting.origin.site);
        self.walked.overridable.extend(sites);
    }
}

/// Why values differ after a condition.
const UNKNOWN: &str = "a condition that is not known here";

/// The arms of one condition.
struct Branches {
    group: u32,
    of: u32,
    index: u32,
    /// The states at the end of the arms that may have run.
    ends: Vec<State>,
    /// One of them did run: what follows is not reached.
    decided: bool,
    /// That was whoever builds who decided it.
    by_choice: bool,
    /// Whoever builds decided that an arm before was passed by.
    passed_by_choice: bool,
}

impl Branches {
    fn new(group: u32, of: usize) -> Self {
        Self {
            group,
            of: of as u32,
            index: 0,
            ends: Vec::new(),
            decided: false,
            by_choice: false,
            passed_by_choice: false,
        }
    }

    fn next(&mut self) -> u32 {
        self.index += 1;
        self.index - 1
    }

    /// The union of what the arms leave.
    fn join(self, state: &mut State) -> Truth {
        let mut ends = self.ends.into_iter();
        if self.decided
            && let Some(first) = ends.next()
        {
            *state = first;
        }
        for end in ends {
            state.merge(&end, UNKNOWN);
        }
        Truth::Assumed
    }
}

/// Whether a value is one of the patterns of a `case` arm.
fn matches(value: &Value, patterns: &[Option<String>]) -> Truth {
    if patterns.iter().flatten().any(|p| p == "*") {
        return Truth::True;
    }
    match value.known() {
        Some(text) if patterns.iter().flatten().any(|p| glob(p, &text)) => Truth::True,
        Some(_) if patterns.iter().all(Option::is_some) => Truth::False,
        _ => Truth::Undecided,
    }
}

/// Whether a condition is decided by a value that whoever builds may change: a build argument with a default.
fn callers_choice(condition: &Script, state: &State) -> bool {
    condition.items.iter().any(|item| {
        callers_choice_of(&item.first, state)
            || item.rest.iter().any(|(_, p)| callers_choice_of(p, state))
    })
}

/// The same for one pipeline.
pub(super) fn callers_choice_of(pipeline: &Pipeline, state: &State) -> bool {
    pipeline.commands.iter().any(|command| match command {
        command if always_fails(command, state) => false,
        Command::Simple(simple) => simple
            .words
            .iter()
            .any(|w| word_is_callers_choice(w, state)),
        Command::Opaque { text, .. } => {
            let names = text.split('$').skip(1).map(|rest| {
                let name = rest.trim_start_matches('{');
                name.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                    .next()
                    .unwrap_or_default()
            });
            names
                .filter(|n| !n.is_empty())
                .any(|name| is_overridable(name, state))
        }
        _ => false,
    })
}

fn word_is_callers_choice(word: &Word, state: &State) -> bool {
    word.parts
        .iter()
        .any(|part| matches!(part, Part::Parameter { name, .. } if is_overridable(name, state)))
}

fn is_overridable(name: &str, state: &State) -> bool {
    state.mentions(name) && state.get(name).iter().any(|a| a.overridable)
}

/// Whether a condition asks for files: what is not in the repository may still come by something that is not seen.
fn asks_for_files(condition: &Script) -> bool {
    condition.items.iter().any(|item| {
        let rest = item.rest.iter().map(|(_, pipeline)| pipeline);
        let mut commands = std::iter::once(&item.first)
            .chain(rest)
            .flat_map(|pipeline| &pipeline.commands);
        commands.any(|command| match command {
            Command::Simple(simple) => simple
                .words
                .iter()
                .any(|word| matches!(word.literal().as_deref(), Some("-d" | "-e" | "-f"))),
            Command::Opaque { text, .. } => {
                [" -d ", " -e ", " -f "].iter().any(|o| text.contains(o))
            }
            _ => false,
        })
    })
}

impl Walker<'_> {
    /// The answer of `[ words ]`.
    pub(super) fn test(&self, words: &[Value], patterns: bool, state: &State) -> Truth {
        truth(words, patterns, &|operator, path| {
            self.is_there(operator, path, state)
        })
    }

    /// Whether what a job asks for is there: a file of the repository, or what a command put or made.
    fn is_there(&self, operator: &str, path: &Value, state: &State) -> Truth {
        let Some(path) = path.known().filter(|path| !path.is_empty()) else {
            return Truth::Undecided;
        };
        let path = state.resolve(&path);
        let made = state.project(&path).is_folder || state.configured.iter().any(|c| **c == *path);
        let kind = match content_at(state, &path) {
            _ if made => Some(Kind::Folder),
            Some(Content::Context(inside)) if self.walked.unit == Unit::Job => {
                if self.files.kind("").is_none() {
                    return Truth::Undecided;
                }
                self.files.kind(&inside)
            }
            _ => return Truth::Undecided,
        };
        let answer = match (operator, kind) {
            (_, None) => false,
            ("-d", Some(kind)) => kind == Kind::Folder,
            ("-f" | "-s", Some(kind)) => kind == Kind::File,
            (_, Some(_)) => true,
        };
        if answer { Truth::True } else { Truth::False }
    }
}

/// `[[ … ]]` is read as opaque text; its tests are those of `[`.
pub(super) fn truth_of_brackets(
    walker: &Walker<'_>,
    text: &str,
    file: u16,
    state: &State,
) -> Truth {
    let Some(inner) = text
        .trim()
        .strip_prefix("[[")
        .and_then(|t| t.strip_suffix("]]"))
    else {
        return Truth::Undecided;
    };
    if inner.contains("&&") || inner.contains("||") || inner.contains("=~") {
        return Truth::Undecided;
    }
    let script = crate::text::shell::parse(&crate::text::mapped::Mapped::verbatim(inner, 0));
    let [item] = script.items.as_slice() else {
        return Truth::Undecided;
    };
    let [Command::Simple(simple)] = item.first.commands.as_slice() else {
        return Truth::Undecided;
    };
    let choice = Choice::new();
    let expander = Expander {
        state,
        file,
        choice: &choice,
        dialect: Dialect::Shell,
    };
    // inside [[ ]] nothing is split
    let words: Vec<Value> = simple.words.iter().map(|w| expander.word(w)).collect();
    walker.test(&words, true, state)
}
