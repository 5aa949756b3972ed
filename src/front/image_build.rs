//! `docker build`, as the formats describe it that name an image's Dockerfile and arguments: Bake, Compose, `devcontainer.json`.
use super::document::{Does, Scope, Statement};
use crate::span::Span;
use crate::text::word::{Part, Word};

/// Gives the values of variables, where they are known.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// What a command asks of the files that describe images.
#[derive(Default)]
pub struct Asked<'a> {
    /// The images that it names; all, where it names none.
    pub names: Vec<String>,
    /// What it sets in them: `app.args.CUDA`, where the first part is a pattern, and the value.
    pub sets: Vec<(String, Word)>,
    /// Its environment.
    pub environment: Option<Environment<'a>>,
}

impl Asked<'_> {
    /// Whether it asks for an image.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|asked| asked == name)
    }
}

/// What a file says of one image.
#[derive(Clone)]
pub(super) struct ImageBuild {
    /// Where it says that.
    pub(super) span: Span,
    /// The build arguments.
    pub(super) args: Vec<Argument>,
    /// The stage.
    pub(super) target: Option<Word>,
    /// The platform.
    pub(super) platform: Option<Word>,
    /// The Dockerfile.
    pub(super) file: Option<Word>,
    /// The build context; the folder that it is run in, if none is named.
    pub(super) context: Option<Word>,
    /// What the image is called.
    pub(super) tags: Vec<Word>,
}

/// A build argument.
#[derive(Clone)]
pub(super) struct Argument {
    /// Its name.
    pub(super) name: String,
    /// Its value; without one it is the caller's variable of that name.
    pub(super) value: Option<Word>,
    /// Both.
    pub(super) span: Span,
}

impl ImageBuild {
    /// The job that builds it.
    pub(super) fn scope(self, title: &str) -> Scope {
        job(title, self.span, Does::Exec(self.command()))
    }

    /// The same where all that it says stands at one place.
    pub(super) fn moved(self, span: Span) -> Self {
        let moved = |word: Option<Word>| word.map(|word| word.moved(span));
        let args = self.args.into_iter().map(|argument| Argument {
            name: argument.name,
            value: moved(argument.value),
            span,
        });
        Self {
            span,
            args: args.collect(),
            target: moved(self.target),
            platform: moved(self.platform),
            file: moved(self.file),
            context: moved(self.context),
            tags: self.tags.into_iter().map(|tag| tag.moved(span)).collect(),
        }
    }

    /// With what a command sets in the image called `name`.
    pub(super) fn set(mut self, name: &str, sets: &[(String, Word)]) -> Self {
        for (key, value) in sets {
            let Some((pattern, key)) = key.split_once('.') else {
                continue;
            };
            if !globset::Glob::new(pattern).is_ok_and(|glob| glob.compile_matcher().is_match(name))
            {
                continue;
            }
            let value = value.clone();
            match key {
                "context" => self.context = Some(value),
                "dockerfile" => self.file = Some(below(self.context.as_ref(), value)),
                "target" => self.target = Some(value),
                "platform" => self.platform = Some(value),
                _ => {
                    if let Some(name) = key.strip_prefix("args.") {
                        let argument = Argument {
                            name: name.to_owned(),
                            value: Some(value),
                            span: self.span,
                        };
                        give(&mut self.args, argument);
                    }
                }
            }
        }
        self
    }

    fn command(self) -> Vec<Word> {
        let at = |text: &str| Word::of_text(text, self.span);
        let mut words = vec![at("docker"), at("build")];
        for Argument { name, value, span } in self.args {
            let mut parts = Word::of_text(&name, span).parts;
            if let Some(value) = value {
                parts.extend(Word::of_text("=", span).parts);
                parts.extend(value.parts);
            }
            words.push(at("--build-arg"));
            words.push(Word {
                parts,
                quoted: true,
                span,
            });
        }
        let options = [
            ("--target", self.target),
            ("--platform", self.platform),
            ("--file", self.file),
        ];
        for (name, value) in options {
            words.extend(value.into_iter().flat_map(|value| [at(name), value]));
        }
        words.extend(self.tags.into_iter().flat_map(|tag| [at("--tag"), tag]));
        let context = self.context.unwrap_or_else(|| at("."));
        // the command stands where the image is described, wherever its parts come from
        words.push(Word {
            span: self.span,
            ..context
        });
        words
    }
}

/// Adds an argument; it takes the place of one with the same name.
pub(super) fn give(args: &mut Vec<Argument>, argument: Argument) {
    args.retain(|known| known.name != argument.name);
    args.push(argument);
}

/// The job of an image whose Dockerfile stands in the file itself.
pub(super) fn inline(title: &str, span: Span) -> Scope {
    job(
        title,
        span,
        Does::Foreign("an inline Dockerfile".to_owned()),
    )
}

/// A job on a machine of which nothing is asked.
fn job(title: &str, span: Span, action: Does) -> Scope {
    let machine = Does::Machine(vec![Word::of_text("ubuntu-latest", span)]);
    let statements = [machine, action].map(|action| Statement { action, span });
    Scope {
        title: title.to_owned(),
        statements: statements.into(),
        ..Scope::default()
    }
}

/// A path as seen from a folder.
pub(super) fn below(folder: Option<&Word>, path: Word) -> Word {
    let is_absolute = matches!(
        path.parts.first(),
        Some(Part::Literal { text, .. }) if text.starts_with('/')
    );
    let Some(folder) = folder.filter(|_| !is_absolute) else {
        return path;
    };
    let mut parts = folder.parts.clone();
    parts.extend(Word::of_text("/", path.span).parts);
    parts.extend(path.parts);
    Word { parts, ..path }
}
