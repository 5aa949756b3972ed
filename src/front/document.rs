//! The one shape that every text format is read into: scopes of statements.
use super::directive::Directive;
use crate::facts::SetHow;
use crate::span::Span;
use crate::text::Problem;
use crate::text::dockerfile::Heredoc;
use crate::text::mapped::Mapped;
use crate::text::shell::Script;
use crate::text::word::Word;

/// Where jobs have a file whose `NAME=value` lines later steps find in their environment; front ends name it to them by a
/// variable such as `GITHUB_ENV`.
pub const ENV_FILE: &str = "/.job/env";

/// Where jobs have a file whose `NAME=value` lines are the outputs of the step: `GITHUB_OUTPUT`.
pub const OUTPUT_FILE: &str = "/.job/output";

/// A file as statements, whatever its format.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// Statements before any scope: a Dockerfile's global ARGs.
    pub globals: Vec<Statement>,
    /// Stages or jobs.
    pub scopes: Vec<Scope>,
    /// What the scopes are.
    pub unit: Unit,
    /// Comments that are addressed to this tool.
    pub directives: Vec<Directive>,
    /// What could not be read.
    pub problems: Vec<Problem>,
}

/// What the scopes of a document are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// Stages of a Dockerfile: one may start from another.
    #[default]
    Stage,
    /// Jobs: each starts on a machine of its own.
    Job,
}

/// A stage or job.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Its name, or `stage 2`.
    pub title: String,
    /// The name others may refer to it by.
    pub alias: Option<String>,
    /// What happens in it, in order. A stage begins with its `Base`, a job with its `Machine`.
    pub statements: Vec<Statement>,
    /// The ways in which it runs, such as the rows of its matrix; empty where there is only one.
    pub worlds: Vec<World>,
}

impl Scope {
    /// Adds what happens in a job before all else on its machine.
    pub fn begin_with(&mut self, action: Does) {
        let span = self.statements.first().map(|machine| machine.span);
        if let Some(span) = span {
            self.statements.insert(1, Statement { action, span });
        }
    }
}

/// One way in which a job runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct World {
    /// What tells it from the others, as people write it: `cuda` and `12.4`.
    pub names: Vec<(String, String)>,
    /// What template expressions find in it: `matrix.cuda`.
    pub values: Vec<Assign>,
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
    /// One place's `NAME=value` pairs, evaluated together.
    Set {
        /// The pairs.
        assigns: Vec<Assign>,
        /// In which form they stand there.
        how: SetHow,
    },
    /// What template expressions find by these names from here on: `inputs.cuda`, `runner.os`.
    Context(Vec<Assign>),
    /// Runs on a machine with these labels: `ubuntu-latest`.
    Machine(Vec<Word>),
    /// What follows in the block or job happens only if this is not empty, `false` or `0`.
    Gate(Word),
    /// Statements whose settings and working directory end with them: a step.
    Block {
        /// The name by which later expressions find its outputs: `setup` in `steps.setup.outputs.x`.
        id: Option<String>,
        /// The statements.
        body: Vec<Statement>,
    },
    /// Runs statements in a container of an image; the working directory, the files and the environment come along.
    Enter {
        /// The image.
        image: Word,
        /// GPUs of the machine are asked for: `--gpus all`.
        gpus: bool,
        /// What runs in it.
        body: Vec<Statement>,
    },
    /// Runs an action, a template or another file with inputs.
    Call {
        /// Its name as written: `actions/checkout@v4`, `./.github/actions/setup`.
        target: Word,
        /// What it is given.
        inputs: Vec<Assign>,
    },
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
        /// The text, where template expressions in it are filled in before it is read.
        template: Option<Mapped>,
        /// The shell that reads it, where the text or its place says so: `/bin/bash`, `pwsh`; else that of the stage or job.
        shell: Option<String>,
    },
    /// Runs a program without a shell.
    Exec(Vec<Word>),
    /// Runs a program of another interpreter: nothing is known of it.
    Foreign(String),
    /// Something is there that is not taken, and this is why.
    PassedOver(String),
    /// The same of something that may set variables.
    Unread(String),
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assign {
    /// The name.
    pub name: String,
    /// The value.
    pub value: Word,
    /// Name to end of value.
    pub span: Span,
}
