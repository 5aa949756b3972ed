//! What a shell does itself, and programs of which only the answer matters.
use super::conditions::Truth;
use super::expand::{Choice, positional};
use super::script::{Context, bind};
use super::simple::{appended, expander};
use super::state::State;
use super::walker::Walker;
use crate::value::{Site, Value};

impl Walker<'_> {
    /// Runs a command that the shell knows itself; `None` if `program` is none.
    pub(super) fn builtin(
        &mut self,
        program: &str,
        args: &[Value],
        site: Site,
        state: &mut State,
        context: &Context,
    ) -> Option<Truth> {
        let truth = match program {
            ":" | "true" => Truth::True,
            "false" => Truth::False,
            "[" | "test" => {
                let closed = args.split_last().filter(|_| program == "[");
                let words = closed.map_or(args, |(_, rest)| rest);
                let truth = self.test(words, false, state);
                match words.iter().any(|word| word.sketch() == "==") {
                    true => self.unless_unknown_to_shell("==", truth, state),
                    false => truth,
                }
            }
            "source" | "declare" | "typeset" | "pushd" | "popd" | "let"
                if self.is_unknown_to_shell(program, state) =>
            {
                Truth::False
            }
            "mkdir" => {
                for folder in args.iter().map(Value::sketch) {
                    if !folder.starts_with('-') {
                        let path = state.resolve(&folder);
                        state.make_folder(&path);
                    }
                }
                Truth::Assumed
            }
            "cd" | "pushd" => {
                let target = args
                    .iter()
                    .map(Value::sketch)
                    .find(|a| !a.starts_with('-') || a == "-");
                state.cwd = match target.as_deref() {
                    None | Some("-") => "?".into(),
                    Some(path) => state.resolve(path).into(),
                };
                Truth::Assumed
            }
            "popd" => {
                state.cwd = "?".into();
                Truth::Assumed
            }
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                self.declare_words(program, args, site, state)
            }
            "unset" => {
                for name in args
                    .iter()
                    .map(Value::sketch)
                    .filter(|a| !a.starts_with('-'))
                {
                    match name.split_once('[') {
                        // what is left of an array is not kept
                        Some((array, _)) => {
                            let rest = Value::hole("an element of it was unset", None, true);
                            self.keep(array, rest, false, site, state);
                        }
                        None => state.unset(&name),
                    }
                }
                Truth::Assumed
            }
            "set" => {
                self.set_options(args, state);
                Truth::Assumed
            }
            "." | "source" => {
                self.source(args, site, state, context);
                Truth::Assumed
            }
            "shift" => {
                shift(args, state);
                Truth::Assumed
            }
            "conda" | "mamba" | "micromamba"
                if args.first().is_some_and(|word| word.sketch() == "activate") =>
            {
                state.activate();
                Truth::Assumed
            }
            "eval" => {
                let mut text = Value::default();
                for (index, arg) in args.iter().enumerate() {
                    if index > 0 {
                        text.push_literal(" ", None);
                    }
                    text.append(arg);
                }
                self.text(&text, state, context)
            }
            "exit" | "return" => Truth::Assumed,
            "grep" | "egrep" | "command" | "which" | "type" | "hash" | "nvidia-smi" | "dpkg"
            | "pgrep" | "cmp" | "diff" | "expr" | "let" | "lspci"
                if !runs_something(program, args) =>
            {
                Truth::Undecided
            }
            _ => return None,
        };
        Some(truth)
    }

    /// `export A=1 B`, `declare -x A=1`.
    fn declare_words(
        &mut self,
        program: &str,
        args: &[Value],
        site: Site,
        state: &mut State,
    ) -> Truth {
        let flags: String = args
            .iter()
            .map(Value::sketch)
            .filter(|a| a.starts_with(['-', '+']))
            .collect();
        let exports = program == "export" || flags.contains('x') || state.export_all;
        let unexports = program == "export" && flags.contains('n');
        for arg in args {
            let text = arg.sketch();
            if text.starts_with(['-', '+']) {
                continue;
            }
            let Some((name, _)) = text.split_once('=') else {
                state.export(&text, !unexports && exports);
                continue;
            };
            let at = arg.site_of(0, text.len()).map(|s| Site {
                file: s.file,
                span: s.span.to(arg.site().unwrap_or(s).span),
            });
            let value = arg.slice_from(name.len() + 1);
            let name = name.trim_end_matches('+');
            let value = if text[name.len()..].starts_with("+=") {
                appended(
                    expander(state, site.file, &Choice::new()).lookup(name),
                    &value,
                    false,
                )
            } else {
                value
            };
            let exported =
                exports || (state.mentions(name) && state.get(name).iter().any(|a| a.exported));
            self.keep(name, value, exported, at.unwrap_or(site), state);
        }
        Truth::Assumed
    }

    fn set_options(&mut self, args: &[Value], state: &mut State) {
        let texts: Vec<String> = args.iter().map(Value::sketch).collect();
        for (at, text) in texts.iter().enumerate() {
            match text.as_str() {
                "--" => {
                    bind(&args[at + 1..], state);
                    return;
                }
                "allexport" if at > 0 => state.export_all = texts[at - 1] == "-o",
                _ if text.starts_with('-') && text.contains('a') && !text.starts_with("--") => {
                    state.export_all = true
                }
                _ if text.starts_with('+') && text.contains('a') => state.export_all = false,
                _ => {}
            }
        }
    }
}

/// `shift`, `shift 2`: the arguments move up.
fn shift(args: &[Value], state: &mut State) {
    let by = args
        .first()
        .map_or(Some(1), |arg| arg.known()?.parse().ok());
    let bound = positional(state);
    if let Some(rest) = by.and_then(|by: usize| bound.get(by..)) {
        bind(rest, state);
    }
}

fn runs_something(program: &str, args: &[Value]) -> bool {
    // `command make` runs make; `command -v make` asks
    program == "command" && args.first().is_some_and(|a| !a.sketch().starts_with('-'))
}
