//! Which shell reads a text, and what bash knows and the `/bin/sh` of an image may not.
use super::conditions::Truth;
use super::state::State;
use super::walker::Walker;
use crate::facts::{Known, ProblemKind, ShellSyntax};
use crate::knowledge::Sh;
use crate::text::shell::{AssignedValue, Command, RedirectKind, Simple};
use crate::text::word::{ParameterOp, Part, Word};
use crate::value::Value;

/// The shell that reads a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shell {
    /// `/bin/sh`, whatever that is where it runs.
    Sh,
    /// One that was named; `None` where it is not known which that is.
    Named(Option<Sh>),
}

/// All that bash knows.
pub(super) const BASH: Shell = Shell::Named(Some(Sh::Bash));

impl Shell {
    /// The shell of a program's name or path; zsh and ksh know of bash's words what is asked here.
    pub(super) fn of(program: &str) -> Self {
        match program.rsplit('/').next().unwrap_or(program) {
            "sh" => Self::Sh,
            "bash" | "zsh" | "ksh" => BASH,
            "dash" => Self::Named(Some(Sh::Dash)),
            "ash" => Self::Named(Some(Sh::Busybox)),
            _ => Self::Named(None),
        }
    }

    /// The one that `words` start: `/usr/bin/env bash -e`, `conda run -n x /bin/bash -c`.
    pub(super) fn of_words<'w>(words: impl Iterator<Item = &'w str>) -> Self {
        let unknown = Self::Named(None);
        let mut named = words.map(Self::of).filter(|shell| *shell != unknown);
        named.next().unwrap_or(unknown)
    }
}

/// In whose syntax settings are written for the shell that reads a text; the text is that of a shell, whatever it was written for.
pub(super) fn syntax_of(shell: Option<&str>) -> ShellSyntax {
    match shell {
        Some("pwsh" | "powershell") => ShellSyntax::Pwsh,
        Some("cmd") => ShellSyntax::Cmd,
        _ => ShellSyntax::Posix,
    }
}

impl State {
    /// The shell that reads the text in hand; `None` if it is not known.
    pub(super) fn reader(&self) -> Option<Sh> {
        match self.shell {
            Shell::Sh => self.sh,
            Shell::Named(shell) => shell,
        }
    }

    /// `ln -sf /bin/bash /bin/sh` and its like.
    pub(super) fn change_sh(&mut self, program: &str, args: &[Value]) {
        let changes = matches!(
            program,
            "ln" | "cp" | "mv" | "rm" | "install" | "update-alternatives" | "dpkg-divert"
        );
        let texts = || args.iter().map(Value::sketch);
        let is_sh =
            |path: String| matches!(self.resolve(&path).as_str(), "/bin/sh" | "/usr/bin/sh");
        if (changes && texts().any(is_sh))
            || (program == "dpkg-reconfigure" && texts().any(|a| a == "dash"))
        {
            let bash = texts().any(|path| path.rsplit('/').next() == Some("bash"));
            self.sh = bash.then_some(Sh::Bash);
        }
    }
}

/// Whether a shell knows a word of bash; what is no word of bash, every shell knows or none.
fn knows(shell: Option<Sh>, word: &str) -> Known {
    match (shell, word) {
        (Some(Sh::Bash), _) => Known::Yes,
        (Some(Sh::Dash), _) => Known::No,
        (Some(Sh::Busybox), "source" | "let" | "==") => Known::Yes,
        (Some(Sh::Busybox), "declare" | "typeset" | "pushd" | "popd" | "+=") => Known::No,
        (Some(Sh::Busybox) | None, _) => Known::Unknown,
    }
}

impl Walker<'_> {
    /// What comes of a word that bash would answer with `truth`: another shell may not find it, and so say no. That is noted
    /// where it makes a difference.
    pub(super) fn unless_unknown_to_shell(
        &mut self,
        word: &str,
        truth: Truth,
        state: &State,
    ) -> Truth {
        match knows(state.reader(), word) {
            Known::Yes => truth,
            Known::No => {
                if truth != Truth::False {
                    self.note(ProblemKind::PassedOver, refusal(word, "fails", state));
                }
                Truth::False
            }
            Known::Unknown if truth == Truth::True => Truth::Undecided,
            Known::Unknown => truth,
        }
    }

    /// Whether the shell surely does not know a word of bash: then the word does nothing, which is noted.
    pub(super) fn is_unknown_to_shell(&mut self, word: &str, state: &State) -> bool {
        self.unless_unknown_to_shell(word, Truth::Assumed, state) == Truth::False
    }

    /// Notes what a shell that is not bash cannot read at all. It is read as bash reads it: whoever uses the file has seen it fail.
    pub(super) fn note_bash_syntax(&mut self, simple: &Simple, state: &State) {
        if state.reader() != Some(Sh::Dash) {
            return;
        }
        if let Some(what) = bash_syntax(simple) {
            self.note(
                ProblemKind::PassedOver,
                refusal(what, "ends the script", state),
            );
        }
    }
}

fn refusal(word: &str, then: &str, state: &State) -> String {
    let shell = if state.shell == Shell::Sh {
        "/bin/sh is dash here, which"
    } else {
        "dash"
    };
    format!(
        "{shell} does not know `{word}`: it {then}; bash is meant, so name it (`SHELL [\"/bin/bash\", \"-c\"]`)"
    )
}

fn bash_syntax(simple: &Simple) -> Option<&'static str> {
    let is_array = |value: &AssignedValue| matches!(value, AssignedValue::Array(_));
    if simple.assignments.iter().any(|a| is_array(&a.value)) {
        return Some("NAME=(…)");
    }
    let mut redirects = simple.redirects.iter();
    if redirects.any(|r| matches!(r.kind, RedirectKind::HereString(_))) {
        return Some("<<<");
    }
    let assigned = simple.assignments.iter().filter_map(|a| match &a.value {
        AssignedValue::Word(word) => Some(word),
        AssignedValue::Array(_) => None,
    });
    let mut words = simple.words.iter().chain(assigned);
    words.any(replaces).then_some("${NAME/…/…}")
}

fn replaces(word: &Word) -> bool {
    let is_replaced = |part: &Part| {
        matches!(
            part,
            Part::Parameter {
                op: ParameterOp::Replace { .. },
                ..
            }
        )
    };
    word.parts.iter().any(is_replaced)
}

/// The word of bash that decides a condition, where one does: `[[`, `((`, or the `==` of a `[`.
pub(super) fn deciding_word(command: &Command) -> Option<&'static str> {
    match command {
        Command::Opaque { text, .. } if text.starts_with("[[") => Some("[["),
        // three are a group in a group, too deep to be read
        Command::Opaque { text, .. } if text.starts_with("((") && !text.starts_with("(((") => {
            Some("((")
        }
        Command::Simple(simple) => {
            let mut words = simple.words.iter().map(Word::literal);
            let is_test = matches!(words.next()??.as_str(), "[" | "test");
            (is_test && words.flatten().any(|word| word == "==")).then_some("==")
        }
        _ => None,
    }
}

/// Whether a condition fails whatever it compares, since the shell does not know its words.
pub(super) fn always_fails(command: &Command, state: &State) -> bool {
    let word = deciding_word(command);
    word.is_some_and(|word| knows(state.reader(), word) == Known::No)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shells_by_name() {
        for (line, shell) in [
            ("/bin/sh -c", Shell::Sh),
            ("/bin/bash -o pipefail -c", BASH),
            ("/usr/bin/env bash -e", BASH),
            ("conda run -n x /bin/bash -c", BASH),
            ("dash", Shell::Named(Some(Sh::Dash))),
            ("/usr/local/bin/of_the_image.sh", Shell::Named(None)),
        ] {
            assert_eq!(Shell::of_words(line.split(' ')), shell, "{line}");
        }
    }
}
