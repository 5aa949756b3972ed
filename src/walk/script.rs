//! Shell text: control flow over commands.
use super::conditions::{Truth, truth};
use super::expand::{Choice, Dialect, ELEMENT, Expander, choices};
use super::state::{Alternative, Content, Origin, State};
use super::value::{Site, Value};
use super::walker::{Arm, Life, Walker};
use crate::facts::SetHow;
use crate::text::shell::{
    AssignedValue, Assignment, Command, Compound, CompoundKind, Item, Join, Pipeline, Redirect,
    RedirectKind, Script, Simple,
};
use crate::text::word::Word;
use std::rc::Rc;

/// What surrounds a command.
#[derive(Clone, Default)]
pub(super) struct Context {
    /// A failure does not stop the build.
    pub(super) swallowed: bool,
    /// Undecided conditions around it.
    pub(super) arms: Rc<Vec<Arm>>,
    /// Calls and nested scripts above it.
    pub(super) depth: u8,
    /// One of several alternatives of a variable.
    pub(super) alternative: bool,
}

/// Functions and nested scripts are followed this deep.
const MAX_DEPTH: u8 = 8;

impl Walker<'_> {
    /// Runs a script in `state`.
    pub(super) fn script(
        &mut self,
        script: &Script,
        file: u16,
        state: &mut State,
        context: &Context,
    ) -> Truth {
        let mut last = Truth::Assumed;
        for item in &script.items {
            if item.background {
                // runs beside the rest: what it changes is its own
                let mut copy = state.clone();
                self.item(item, file, &mut copy, context);
                state.keep_files_of(&copy);
                continue;
            }
            last = self.item(item, file, state, context);
        }
        last
    }

    fn item(&mut self, item: &Item, file: u16, state: &mut State, context: &Context) -> Truth {
        let mut truth = self.pipeline(&item.first, file, state, &self.guarded(context, &item.rest));
        for (at, (join, pipeline)) in item.rest.iter().enumerate() {
            let context = self.guarded(context, &item.rest[at + 1..]);
            truth = match (join, truth) {
                (Join::And, Truth::True | Truth::Assumed) => {
                    self.pipeline(pipeline, file, state, &context)
                }
                (Join::Or, Truth::False) => self.pipeline(pipeline, file, state, &context),
                (Join::And, Truth::False) => Truth::False,
                (Join::Or, Truth::True) => Truth::True,
                // a command that is assumed to succeed: the right side runs only when it does not
                (Join::Or, Truth::Assumed) | (_, Truth::Undecided) => {
                    self.maybe(file, state, &context, |walker, copy, inner| {
                        walker.pipeline(pipeline, file, copy, inner)
                    });
                    if truth == Truth::Assumed {
                        Truth::Assumed
                    } else {
                        Truth::Undecided
                    }
                }
            };
        }
        truth
    }

    /// What comes before `|| true` does not stop the build.
    fn guarded(&self, context: &Context, rest: &[(Join, Pipeline)]) -> Context {
        let swallowed = rest
            .iter()
            .any(|(join, pipeline)| *join == Join::Or && cannot_fail(pipeline));
        Context {
            swallowed: context.swallowed || swallowed,
            ..context.clone()
        }
    }

    /// Runs something that may or may not happen: one arm beside an empty one.
    fn maybe(
        &mut self,
        _file: u16,
        state: &mut State,
        context: &Context,
        run: impl FnOnce(&mut Self, &mut State, &Context) -> Truth,
    ) {
        let group = self.group();
        let mut copy = state.clone();
        run(
            self,
            &mut copy,
            &context.in_arm(Arm {
                group,
                index: 0,
                of: 2,
            }),
        );
        state.merge(&copy, "a condition that is not known here");
    }

    fn group(&mut self) -> u32 {
        self.groups += 1;
        self.groups
    }

    fn pipeline(
        &mut self,
        pipeline: &Pipeline,
        file: u16,
        state: &mut State,
        context: &Context,
    ) -> Truth {
        let truth = match pipeline.commands.as_slice() {
            [only] => self.any_command(only, file, state, context),
            commands => {
                let mut last = Truth::Assumed;
                for command in commands {
                    // each side of a pipe runs in a process of its own
                    let mut copy = state.clone();
                    last = self.any_command(command, file, &mut copy, context);
                    state.keep_files_of(&copy);
                }
                self.piped_text(commands, file, state);
                if last == Truth::Assumed {
                    Truth::Assumed
                } else {
                    Truth::Undecided
                }
            }
        };
        if pipeline.negated {
            truth.negated()
        } else {
            truth
        }
    }

    fn any_command(
        &mut self,
        command: &Command,
        file: u16,
        state: &mut State,
        context: &Context,
    ) -> Truth {
        if !self.tick() {
            return Truth::Undecided;
        }
        match command {
            Command::Simple(simple) => self.simple(simple, file, state, context),
            Command::Compound(compound) => self.compound(compound, file, state, context),
            Command::Function { name, body, .. } => {
                state.define(name, file, Rc::new((**body).clone()));
                Truth::True
            }
            Command::Opaque { text, .. } => truth_of_brackets(text, file, state),
        }
    }

    fn compound(
        &mut self,
        compound: &Compound,
        file: u16,
        state: &mut State,
        context: &Context,
    ) -> Truth {
        match &compound.kind {
            CompoundKind::Group(script) => self.script(script, file, state, context),
            CompoundKind::Subshell(script) => {
                let mut copy = state.clone();
                let truth = self.script(script, file, &mut copy, context);
                state.keep_files_of(&copy);
                truth
            }
            CompoundKind::If { arms, otherwise } => {
                self.condition(arms, otherwise.as_ref(), file, state, context)
            }
            CompoundKind::While { condition, body } => {
                self.script(condition, file, state, context);
                self.maybe(file, state, context, |walker, copy, inner| {
                    // the body of a retry loop runs beside its condition, not instead of it
                    let _ = inner;
                    walker.script(body, file, copy, context)
                });
                Truth::Assumed
            }
            CompoundKind::For { name, words, body } => {
                let values = words.as_ref().map(|words| self.fields(words, file, state));
                self.for_each(name, values, body, file, state, context);
                Truth::Assumed
            }
            CompoundKind::Case { word, arms } => self.case(word, arms, file, state, context),
        }
    }

    fn for_each(
        &mut self,
        name: &str,
        values: Option<Vec<Value>>,
        body: &Script,
        file: u16,
        state: &mut State,
        context: &Context,
    ) {
        let origin = Origin {
            how: SetHow::Shell,
            site: None,
        };
        let alternative = |value: Value| Alternative {
            exported: false,
            ..Alternative::exported(value, origin.clone())
        };
        match values {
            Some(values) if values.is_empty() => return,
            Some(values) => state.set(name, values.into_iter().map(alternative).collect()),
            None => state.set(
                name,
                vec![alternative(Value::hole(
                    "it is an argument of the script",
                    None,
                    true,
                ))],
            ),
        }
        self.script(body, file, state, context);
    }

    fn condition(
        &mut self,
        arms: &[(Script, Script)],
        otherwise: Option<&Script>,
        file: u16,
        state: &mut State,
        context: &Context,
    ) -> Truth {
        // states at the end of the arms that may have run
        let mut ends: Vec<State> = Vec::new();
        let group = self.group();
        let of = arms.len() as u32 + 1;
        for (index, (condition, body)) in arms.iter().enumerate() {
            let decided = self.script(condition, file, state, context);
            let decided = if decided == Truth::Assumed {
                Truth::Undecided
            } else {
                decided
            };
            match decided {
                Truth::False => continue,
                Truth::True if ends.is_empty() => {
                    return self.script(body, file, state, context);
                }
                _ => {
                    let mut copy = state.clone();
                    self.script(
                        body,
                        file,
                        &mut copy,
                        &context.in_arm(Arm {
                            group,
                            index: index as u32,
                            of,
                        }),
                    );
                    ends.push(copy);
                    if decided == Truth::True {
                        return self.join_arms(state, ends, true);
                    }
                }
            }
        }
        if let Some(body) = otherwise {
            if ends.is_empty() {
                return self.script(body, file, state, context);
            }
            let mut copy = state.clone();
            self.script(
                body,
                file,
                &mut copy,
                &context.in_arm(Arm {
                    group,
                    index: of - 1,
                    of,
                }),
            );
            ends.push(copy);
            return self.join_arms(state, ends, true);
        }
        self.join_arms(state, ends, false)
    }

    /// The union of what the arms leave; `exhaustive`: one of them did run.
    fn join_arms(&self, state: &mut State, ends: Vec<State>, exhaustive: bool) -> Truth {
        let mut ends = ends.into_iter();
        if exhaustive && let Some(first) = ends.next() {
            *state = first;
        }
        for end in ends {
            state.merge(&end, "a condition that is not known here");
        }
        Truth::Assumed
    }

    fn case(
        &mut self,
        word: &Word,
        arms: &[(Vec<Word>, Script)],
        file: u16,
        state: &mut State,
        context: &Context,
    ) -> Truth {
        let choice = Choice::new();
        let expander = Expander {
            state,
            file,
            choice: &choice,
            dialect: Dialect::Shell,
        };
        let value = expander.word(word);
        let patterns: Vec<Vec<Option<String>>> = arms
            .iter()
            .map(|(words, _)| words.iter().map(|w| expander.word(w).known()).collect())
            .collect();
        if let Some(text) = value.known() {
            for ((_, body), patterns) in arms.iter().zip(&patterns) {
                if patterns
                    .iter()
                    .flatten()
                    .any(|p| super::expand::glob(p, &text))
                {
                    return self.script(body, file, state, context);
                }
            }
            return Truth::True;
        }
        let group = self.group();
        let catches_all = patterns.iter().flatten().flatten().any(|p| p == "*");
        let of = arms.len() as u32 + u32::from(!catches_all);
        let mut ends = Vec::new();
        for (index, (_, body)) in arms.iter().enumerate() {
            let mut copy = state.clone();
            self.script(
                body,
                file,
                &mut copy,
                &context.in_arm(Arm {
                    group,
                    index: index as u32,
                    of,
                }),
            );
            ends.push(copy);
        }
        self.join_arms(state, ends, catches_all)
    }

    fn fields(&self, words: &[Word], file: u16, state: &State) -> Vec<Value> {
        let choice = Choice::new();
        Expander {
            state,
            file,
            choice: &choice,
            dialect: Dialect::Shell,
        }
        .fields(words)
    }

    fn simple(
        &mut self,
        simple: &Simple,
        file: u16,
        state: &mut State,
        context: &Context,
    ) -> Truth {
        self.nested_scripts(simple, file, state, context);
        let words: Vec<&Word> = simple
            .words
            .iter()
            .chain(simple.assignments.iter().filter_map(assigned_word))
            .collect();
        let all = choices(&words, state);
        let several = all.len() > 1;
        let mut truth = Truth::Assumed;
        let mut after: Option<State> = None;
        for choice in all {
            let mut copy = state.clone();
            let context = Context {
                alternative: context.alternative || several,
                ..context.clone()
            };
            truth = self.chosen(simple, file, &choice, &mut copy, &context);
            match &mut after {
                None => after = Some(copy),
                Some(after) => after.merge(&copy, "another value of a variable"),
            }
        }
        if several {
            truth = if truth == Truth::Assumed {
                Truth::Assumed
            } else {
                Truth::Undecided
            };
        }
        if let Some(after) = after {
            *state = after;
        }
        self.redirects(simple, file, state);
        truth
    }

    /// One command with one alternative for each of its variables.
    fn chosen(
        &mut self,
        simple: &Simple,
        file: u16,
        choice: &Choice,
        state: &mut State,
        context: &Context,
    ) -> Truth {
        let expander = Expander {
            state,
            file,
            choice,
            dialect: Dialect::Shell,
        };
        let fields = expander.fields(&simple.words);
        let values: Vec<(String, bool, Value, Site)> = simple
            .assignments
            .iter()
            .map(|a| {
                let value = assigned_value(&expander, a);
                (a.name.clone(), a.append, value, Site { file, span: a.span })
            })
            .collect();
        if fields.is_empty() {
            for (name, append, value, site) in values {
                self.assign(&name, append, value, site, state);
            }
            return Truth::Assumed;
        }
        let site = Site {
            file,
            span: simple
                .words
                .first()
                .map_or(simple.span, |w| w.span)
                .to(simple.words.last().map_or(simple.span, |w| w.span)),
        };
        let site = if simple.words.is_empty() {
            Site {
                file,
                span: simple.span,
            }
        } else {
            site
        };
        if let Some(body) = self.shell_input(simple, &fields, file, state) {
            let mut child = state.child();
            let truth = self.text(&body, &mut child, context);
            state.keep_files_of(&child);
            return truth;
        }
        if values.is_empty() {
            return self.command(&fields, site, state, context);
        }
        let mut inner = state.clone();
        for (name, append, value, at) in values {
            let origin = Origin {
                how: SetHow::Inline,
                site: Some(at),
            };
            let value = if append {
                appended(&inner, &name, &value)
            } else {
                value
            };
            self.setting(&name, value.clone(), origin.clone(), Life::Command);
            inner.set(&name, vec![Alternative::exported(value, origin)]);
        }
        let truth = self.command(&fields, site, &mut inner, context);
        state.keep_files_of(&inner);
        state.cwd = inner.cwd.clone();
        truth
    }

    /// The text that `bash <<EOF` reads.
    fn shell_input(
        &self,
        simple: &Simple,
        fields: &[Value],
        file: u16,
        state: &State,
    ) -> Option<Value> {
        let (program, options) = fields.split_first()?;
        let program = program.sketch();
        let is_shell = matches!(
            program.rsplit('/').next()?,
            "bash" | "sh" | "dash" | "zsh" | "ash"
        );
        let reads_input = options
            .iter()
            .map(Value::sketch)
            .all(|o| o.starts_with(['-', '+']) && !o.contains('c') || o == "pipefail");
        if !is_shell || !reads_input {
            return None;
        }
        simple.redirects.iter().find_map(|r| match &r.kind {
            RedirectKind::Heredoc { body } | RedirectKind::HereString(body) => {
                Some(self.word(body, file, state))
            }
            _ => None,
        })
    }

    /// A shell variable is set.
    pub(super) fn assign(
        &mut self,
        name: &str,
        append: bool,
        value: Value,
        site: Site,
        state: &mut State,
    ) {
        let value = if append {
            appended(state, name, &value)
        } else {
            value
        };
        let was_exported = state.mentions(name) && state.get(name).iter().any(|a| a.exported);
        let exported = was_exported || state.export_all;
        let how = if exported {
            SetHow::Export
        } else {
            SetHow::Shell
        };
        let origin = Origin {
            how,
            site: Some(site),
        };
        self.setting(
            name,
            value.clone(),
            origin.clone(),
            if exported { Life::Run } else { Life::Shell },
        );
        state.set(
            name,
            vec![Alternative {
                exported,
                ..Alternative::exported(value, origin)
            }],
        );
    }

    /// Scripts in `$(…)`: they run in processes of their own.
    fn nested_scripts(&mut self, simple: &Simple, file: u16, state: &mut State, context: &Context) {
        if context.depth >= MAX_DEPTH {
            return;
        }
        let words = simple
            .words
            .iter()
            .chain(simple.assignments.iter().filter_map(assigned_word));
        for word in words {
            for part in &word.parts {
                if let crate::text::word::Part::Command { script, .. } = part {
                    let mut copy = state.clone();
                    self.script(script, file, &mut copy, &context.deeper());
                    state.keep_files_of(&copy);
                }
            }
        }
    }

    /// `cat <<EOF > file`, `echo … >> ~/.bashrc`.
    fn redirects(&mut self, simple: &Simple, file: u16, state: &mut State) {
        let Some((target, append)) = simple.redirects.iter().find_map(written_file) else {
            return;
        };
        let path = state.resolve(&self.word(target, file, state).sketch());
        let text = self.printed(simple, file, state);
        self.write(&path, text, append, state);
    }

    /// `echo … | tee -a file`.
    fn piped_text(&mut self, commands: &[Command], file: u16, state: &mut State) {
        let [.., Command::Simple(from), Command::Simple(to)] = commands else {
            return;
        };
        let to_fields = self.fields(&to.words, file, state);
        let mut texts = to_fields.iter().map(Value::sketch);
        if texts.next().as_deref() != Some("tee") {
            return;
        }
        let mut append = false;
        let mut path = None;
        for text in texts {
            match text.as_str() {
                "-a" | "--append" => append = true,
                _ => path = Some(state.resolve(&text)),
            }
        }
        let text = self.printed(from, file, state);
        if let Some(path) = path {
            self.write(&path, text, append, state);
        }
    }

    fn word(&self, word: &Word, file: u16, state: &State) -> Value {
        let choice = Choice::new();
        Expander {
            state,
            file,
            choice: &choice,
            dialect: Dialect::Shell,
        }
        .word(word)
    }

    /// What a command prints, if it is `echo`, `printf` or `cat` of a heredoc.
    fn printed(&self, simple: &Simple, file: u16, state: &State) -> Option<Value> {
        let fields = self.fields(&simple.words, file, state);
        match fields.first()?.sketch().as_str() {
            "echo" | "printf" => {
                let mut text = Value::default();
                for field in fields
                    .iter()
                    .skip(1)
                    .filter(|f| !matches!(f.sketch().as_str(), "-e" | "-n" | "-en" | "-ne"))
                {
                    if !text.pieces.is_empty() {
                        text.push_literal(" ", None);
                    }
                    text.append(field);
                }
                Some(text)
            }
            "cat" | "tee" => simple.redirects.iter().find_map(|r| match &r.kind {
                RedirectKind::Heredoc { body } => Some(self.word(body, file, state)),
                _ => None,
            }),
            _ => None,
        }
    }

    fn write(&mut self, path: &str, text: Option<Value>, append: bool, state: &mut State) {
        let Some(text) = text else {
            state.put(path, Content::Unknown);
            return;
        };
        if is_profile(path) {
            self.profile(&text, state.reads_profiles, state);
        }
        let text = match state.content(path) {
            Some((Content::Text(before), rest)) if append && rest.is_empty() => {
                let mut all = before.clone();
                all.push_literal("\n", None);
                all.append(&text);
                all
            }
            Some((_, rest)) if append && rest.is_empty() => {
                state.put(path, Content::Unknown);
                return;
            }
            _ => text,
        };
        state.put(path, Content::Text(text));
    }

    /// `export NAME=value` in a file that login and interactive shells read.
    fn profile(&mut self, text: &Value, is_read: bool, state: &mut State) {
        let sketch = text.sketch();
        let mut at = 0;
        for line in sketch.split(['\n', ';']) {
            let from = at + (line.len() - line.trim_start().len());
            at += line.len() + 1;
            let statement = line.trim().strip_prefix("export ").unwrap_or(line.trim());
            let Some((name, _)) = statement.split_once('=') else {
                continue;
            };
            let start = from + (line.trim().len() - statement.len());
            let value = text.slice(start + name.len() + 1, start + statement.len());
            let value = unquoted(&value);
            let origin = Origin {
                how: SetHow::Export,
                site: text
                    .site_of(start, start + statement.len())
                    .or_else(|| text.site()),
            };
            if is_read {
                state.set(name, vec![Alternative::exported(value, origin)]);
            } else {
                self.setting(name, value, origin, Life::RcFile);
            }
        }
    }

    /// Runs text as a script: `bash -c`, `eval`, a file written before.
    pub(super) fn text(&mut self, text: &Value, state: &mut State, context: &Context) -> Truth {
        if context.depth >= MAX_DEPTH {
            return Truth::Undecided;
        }
        let (mapped, file) = mapped(text);
        let script = crate::text::shell::parse(&mapped);
        self.script(&script, file, state, &context.deeper())
    }

    /// Calls a function.
    pub(super) fn call(
        &mut self,
        body: &Compound,
        file: u16,
        args: &[Value],
        state: &mut State,
        context: &Context,
    ) -> Truth {
        if context.depth >= MAX_DEPTH {
            return Truth::Undecided;
        }
        bind(args, state);
        self.compound(body, file, state, &context.deeper())
    }
}

impl Context {
    fn in_arm(&self, arm: Arm) -> Self {
        let mut arms = (*self.arms).clone();
        arms.push(arm);
        Self {
            arms: arms.into(),
            ..self.clone()
        }
    }

    fn deeper(&self) -> Self {
        Self {
            depth: self.depth + 1,
            ..self.clone()
        }
    }
}

/// Sets `$1`, `$2`, ….
pub(super) fn bind(args: &[Value], state: &mut State) {
    let origin = Origin {
        how: SetHow::Shell,
        site: None,
    };
    let set = |state: &mut State, name: &str, value: Value| {
        state.set(
            name,
            vec![Alternative {
                exported: false,
                ..Alternative::exported(value, origin.clone())
            }],
        )
    };
    for (index, value) in args.iter().enumerate() {
        set(state, &(index + 1).to_string(), value.clone());
    }
    for index in args.len()..args.len() + 9 {
        let name = (index + 1).to_string();
        if state.mentions(&name) {
            state.unset(&name);
        }
    }
}

/// A value as text for the shell reader, with the file that it stands in.
fn mapped(value: &Value) -> (crate::text::mapped::Mapped, u16) {
    use super::value::Piece;
    let mut text = crate::text::mapped::Mapped::default();
    let mut file = 0;
    let mut last = 0;
    for piece in &value.pieces {
        match piece {
            Piece::Literal { text: t, site } => {
                if let Some(site) = site {
                    file = site.file;
                    last = site.span.start;
                }
                text.push(t, last);
            }
            // stands for a value that is not known; the shell reader takes it as one opaque part
            Piece::Hole { .. } => text.push("${{ unknown }}", last),
        }
    }
    (text, file)
}

fn unquoted(value: &Value) -> Value {
    let text = value.sketch();
    let trimmed = text.trim();
    for quote in ['"', '\''] {
        if trimmed.len() >= 2 && trimmed.starts_with(quote) && trimmed.ends_with(quote) {
            let start = text.len() - text.trim_start().len();
            return value.slice(start + 1, start + trimmed.len() - 1);
        }
    }
    value.clone()
}

fn is_profile(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(
        name,
        ".bashrc"
            | ".profile"
            | ".bash_profile"
            | ".zshrc"
            | "bash.bashrc"
            | "profile"
            | "environment"
            | ".bash_login"
    ) || path.contains("/profile.d/")
}

fn written_file(redirect: &Redirect) -> Option<(&Word, bool)> {
    match &redirect.kind {
        RedirectKind::Write(word) if redirect.fd.is_none_or(|fd| fd == 1) => Some((word, false)),
        RedirectKind::Append(word) if redirect.fd.is_none_or(|fd| fd == 1) => Some((word, true)),
        _ => None,
    }
}

fn assigned_word(assignment: &Assignment) -> Option<&Word> {
    match &assignment.value {
        AssignedValue::Word(word) => Some(word),
        AssignedValue::Array(_) => None,
    }
}

fn assigned_value(expander: &Expander<'_>, assignment: &Assignment) -> Value {
    match &assignment.value {
        AssignedValue::Word(word) => expander.word(word),
        AssignedValue::Array(words) => {
            let mut all = Value::default();
            for (index, field) in expander.fields(words).iter().enumerate() {
                if index > 0 {
                    all.push_literal(&ELEMENT.to_string(), None);
                }
                all.append(field);
            }
            all
        }
    }
}

fn appended(state: &State, name: &str, value: &Value) -> Value {
    let mut all = state.single(name).unwrap_or_default();
    let is_array = all.sketch().contains(ELEMENT);
    if is_array && !all.pieces.is_empty() {
        all.push_literal(&ELEMENT.to_string(), None);
    }
    all.append(value);
    all
}

/// `true`, `:`, `echo …`, `exit 0`: nothing that fails.
fn cannot_fail(pipeline: &Pipeline) -> bool {
    let [Command::Simple(simple)] = pipeline.commands.as_slice() else {
        return false;
    };
    let words: Option<Vec<String>> = simple.words.iter().map(Word::literal).collect();
    let name = simple.words.first().and_then(Word::literal);
    match name.as_deref() {
        Some("true" | ":" | "echo" | "printf" | "touch") => true,
        Some("exit") => words.is_some_and(|w| w.get(1).is_some_and(|code| code == "0")),
        _ => false,
    }
}

/// `[[ … ]]` is read as opaque text; its tests are those of `[`.
fn truth_of_brackets(text: &str, file: u16, state: &State) -> Truth {
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
    truth(&words, true)
}
