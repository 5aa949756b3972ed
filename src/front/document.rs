//! The one shape that every text format is read into: scopes of statements.
use super::directive::Directive;
use crate::span::Span;
use crate::text::Problem;
use crate::text::dockerfile::Heredoc;
use crate::text::shell::Script;
use crate::text::word::Word;

/// A file as statements, whatever its format.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// Statements before any scope: a Dockerfile's global ARGs.
    pub globals: Vec<Statement>,
    /// Stages or jobs.
    pub scopes: Vec<Scope>,
    /// Comments that are addressed to this tool.
    pub directives: Vec<Directive>,
    /// What could not be read.
    pub problems: Vec<Problem>,
}

/// A stage or job.
#[derive(Clone, Debug)]
pub struct Scope {
    /// Its name, or `stage 2`.
    pub title: String,
    /// The name others may refer to it by.
    pub alias: Option<String>,
    /// What happens in it, in order; a Dockerfile's stage begins with its `Base`.
    pub statements: Vec<Statement>,
}

/// One statement with its place.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it does.
    pub action: Does,
    /// The whole instruction or step.
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, Debug)]
pub enum Does {
    /// Starts from an image or an earlier stage.
    Base {
        /// The image.
        image: Word,
        /// `--platform`.
        platform: Option<Word>,
    },
    /// `ARG NAME[=default]`.
    Declare {
        /// The name.
        name: String,
        /// Its default.
        default: Option<Word>,
        /// Name to end of default.
        span: Span,
    },
    /// One instruction's `NAME=value` pairs, evaluated together.
    Set(Vec<Assign>),
    /// Changes the working directory.
    Chdir(Word),
    /// Changes the user.
    User(Word),
    /// Changes the shell of later runs.
    Shell(Vec<String>),
    /// Runs shell text.
    Run {
        /// The text.
        script: Script,
        /// Flags: mounts, devices.
        flags: Vec<(String, Option<Word>)>,
    },
    /// Runs a program without a shell.
    Exec(Vec<Word>),
    /// Runs a program of another interpreter: nothing is known of it.
    Foreign(String),
    /// Puts files into the image.
    Copy {
        /// `COPY --from=`.
        from: Option<Word>,
        /// The sources, in the build context or at an address.
        sources: Vec<Word>,
        /// The destination.
        destination: Word,
        /// `ADD`: archives are unpacked, addresses fetched.
        add: bool,
    },
    /// Writes text to a file of the image.
    Write {
        /// The text.
        text: Heredoc,
        /// The file or directory.
        destination: Word,
    },
    /// Happens in images built from this one.
    Deferred,
    /// Sets what runs when the image starts.
    Start(Vec<Word>),
}

/// One `NAME=value`.
#[derive(Clone, Debug)]
pub struct Assign {
    /// The name.
    pub name: String,
    /// The value.
    pub value: Word,
    /// Name to end of value.
    pub span: Span,
}
