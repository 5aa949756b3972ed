//! The line that a build suggests, taken apart.

/// A setting with a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Suggested<'l> {
    /// The form of the line.
    pub(super) form: Form<'l>,
    /// The list, without quotes.
    pub(super) list: &'l str,
}

/// How a setting is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Form<'l> {
    /// A variable of the environment.
    Env(&'l str),
    /// A define in a variable that is handed on to CMake.
    CmakeArgs(&'l str),
    /// A word of the command: its name, and all of it.
    Word(&'l str, &'l str),
    /// Flags of the command.
    Flags,
}

impl<'l> Suggested<'l> {
    /// From `ENV NAME="list"`, `ENV CMAKE_ARGS="-DNAME=list"`, both also with `export`, `set` or `$env:`, `-DNAME="list"`,
    /// `--name=list`, or flags.
    pub(super) fn read(line: &'l str) -> Option<Self> {
        let mut starts = ["ENV ", "export ", "set ", "$env:"].iter();
        let env = starts.find_map(|start| line.strip_prefix(start));
        let Some(env) = env else {
            if line.is_empty() {
                return None;
            }
            if line.starts_with("-gencode") || line.starts_with("-arch") {
                return Some(Self {
                    form: Form::Flags,
                    list: line,
                });
            }
            let (name, value) = unquoted(line).split_once('=')?;
            let name = name.trim_start_matches("-D");
            return Some(Self {
                form: Form::Word(name, line),
                list: unquoted(value),
            });
        };
        let (name, value) = env.split_once('=')?;
        let (name, value) = (name.trim_end(), unquoted(value.trim_start()));
        match value
            .strip_prefix("-D")
            .and_then(|define| define.split_once('='))
        {
            Some((define, list)) if name == "CMAKE_ARGS" => Some(Self {
                form: Form::CmakeArgs(define),
                list,
            }),
            _ => Some(Self {
                form: Form::Env(name),
                list: value,
            }),
        }
    }

    /// The name of what is set.
    pub(super) fn name(&self) -> &'l str {
        match self.form {
            Form::Env(name) | Form::CmakeArgs(name) | Form::Word(name, _) => name,
            Form::Flags => "",
        }
    }
}

fn unquoted(value: &str) -> &str {
    let inner = value.strip_prefix('"').and_then(|v| v.strip_suffix('"'));
    inner.unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form() {
        let flags = "-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90";
        for (line, form, list) in [
            ("ENV A=\"8.0;9.0\"", Form::Env("A"), "8.0;9.0"),
            ("export A=\"8.0;9.0\"", Form::Env("A"), "8.0;9.0"),
            (
                "ENV CMAKE_ARGS=\"-DB=80;90\"",
                Form::CmakeArgs("B"),
                "80;90",
            ),
            ("-DB=\"80;90\"", Form::Word("B", "-DB=\"80;90\""), "80;90"),
            ("$env:A = \"8.0;9.0\"", Form::Env("A"), "8.0;9.0"),
            ("set A=8.0;9.0", Form::Env("A"), "8.0;9.0"),
            ("\"-DB=80;90\"", Form::Word("B", "\"-DB=80;90\""), "80;90"),
            ("--b=80,90", Form::Word("--b", "--b=80,90"), "80,90"),
            ("B=\"80 90\"", Form::Word("B", "B=\"80 90\""), "80 90"),
            (flags, Form::Flags, flags),
        ] {
            assert_eq!(
                Suggested::read(line),
                Some(Suggested { form, list }),
                "{line}"
            );
        }
        assert_eq!(Suggested::read(""), None);
    }
}
