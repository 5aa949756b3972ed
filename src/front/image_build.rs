//! `docker build`, as the formats describe it that name an image's Dockerfile and arguments: Bake, Compose, `devcontainer.json`.
use super::document::{Does, Scope, Statement};
use super::node::literal;
use crate::span::Span;
use crate::text::word::{Part, Word};

/// What a file says of one image.
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
}

/// A build argument.
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

    fn command(self) -> Vec<Word> {
        let at = |text: &str| literal(text, self.span);
        let mut words = vec![at("docker"), at("build")];
        for Argument { name, value, span } in self.args {
            let mut parts = literal(&name, span).parts;
            if let Some(value) = value {
                parts.extend(literal("=", span).parts);
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
        let context = self.context.unwrap_or_else(|| at("."));
        // the command stands where the image is described, wherever its parts come from
        words.push(Word {
            span: self.span,
            ..context
        });
        words
    }
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
    let machine = Does::Machine(vec![literal("ubuntu-latest", span)]);
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
    parts.extend(literal("/", path.span).parts);
    parts.extend(path.parts);
    Word { parts, ..path }
}
