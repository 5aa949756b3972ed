//! Definition files of Apptainer and Singularity: the image, the files that are copied, and `%post`, which builds. What
//! `%environment` sets is there when the container runs, and not before.
use super::document::{Document, Does, Scope, Statement, Unit};
use super::kind::{Kind, Role, file_name};
use super::node;
use crate::facts::SetHow;
use crate::span::Span;
use crate::text::Problem;
use crate::text::mapped::Mapped;
use crate::text::template;
use crate::text::word::Word;

/// The kind of definition files.
pub static KIND: Kind = Kind {
    name: "apptainer",
    role: Role::Recipe,
    is_at: |path| {
        let name = file_name(path);
        path.ends_with(".def") || name.starts_with("singularity") || name.starts_with("apptainer")
    },
    is_in: |text| text.lines().any(is_start),
    read: |source| read(source.text),
};

/// Under which expressions find build arguments.
pub const BUILD_ARGUMENTS: &str = "args.";

/// Where images come from that are named as in a Dockerfile.
const REGISTRIES: [&str; 3] = ["docker", "docker-daemon", "oras"];

/// Whether a line is the first of a stage.
fn is_start(line: &str) -> bool {
    header(line).is_some_and(|(key, _)| key.eq_ignore_ascii_case("bootstrap"))
}

/// `Key: value`
fn header(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let is_key = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphabetic());
    is_key.then(|| (key, value.trim()))
}

/// The header of a stage, or one of its sections.
struct Section<'s> {
    /// What follows `%` in its first line: `post -c /bin/bash`; empty for a header.
    title: &'s str,
    /// What stands below that line.
    body: &'s str,
    /// Where the body begins.
    start: usize,
    /// All of it.
    span: Span,
}

impl<'s> Section<'s> {
    fn is(&self, name: &str) -> bool {
        self.title.split_whitespace().next() == Some(name)
    }

    /// The lines that say something, without the space around them.
    fn lines(&self) -> impl Iterator<Item = &'s str> {
        let lines = self.body.lines().map(str::trim);
        lines.filter(|line| !line.is_empty() && !line.starts_with('#'))
    }

    /// The bytes of a part of the body.
    fn span(&self, part: &str) -> Span {
        let from = self.start + (part.as_ptr() as usize - self.body.as_ptr() as usize);
        Span::new(from, from + part.len())
    }

    fn text(&self, part: &str) -> Mapped {
        filled(&Mapped::verbatim(part, self.span(part).start))
    }

    fn word(&self, part: &str) -> Word {
        template::word(&self.text(part.trim_matches(['"', '\''])))
    }
}

/// Reads a definition file.
pub fn read(source: &str) -> Document {
    let mut document = Document {
        unit: Unit::Job,
        ..Document::default()
    };
    let sections = sections(source);
    // what stands before the first header is of no stage
    for stage in sections.chunk_by(|_, next| !next.title.is_empty()) {
        if let [head, rest @ ..] = stage
            && head.lines().any(is_start)
        {
            let scope = scope(head, rest, &mut document);
            document.scopes.push(scope);
        }
    }
    let mut comments = Vec::new();
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        let text = line.trim();
        if text.starts_with('#') {
            let from = at + line.len() - line.trim_start().len();
            comments.push(Span::new(from, from + text.len()));
        }
        at += line.len();
    }
    node::commented(source, &comments, document)
}

/// The file cut at its `%section` lines, and at each line that begins a stage.
fn sections(source: &str) -> Vec<Section<'_>> {
    // what follows `%`, and where the section and its body begin
    let mut starts = vec![("", 0, 0)];
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        let next = at + line.len();
        match line.strip_prefix('%') {
            Some(title) if title.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                starts.push((title.trim(), at, next));
            }
            _ if is_start(line) => starts.push(("", at, at)),
            _ => {}
        }
        at = next;
    }
    let ends = starts.iter().skip(1).map(|&(_, first, _)| first);
    let ends: Vec<usize> = ends.chain([source.len()]).collect();
    let sections = starts.into_iter().zip(ends);
    let sections = sections.map(|((title, first, start), end)| {
        let body = source.get(start..end).unwrap_or_default();
        Section {
            title,
            body,
            start,
            span: Span::new(first, start + body.trim_end().len()),
        }
    });
    sections.collect()
}

/// One stage.
fn scope(head: &Section<'_>, sections: &[Section<'_>], document: &mut Document) -> Scope {
    let span = head.span;
    let get = |wanted: &str| {
        let mut headers = head.lines().filter_map(header);
        headers
            .find(|(key, _)| key.eq_ignore_ascii_case(wanted))
            .map(|(_, value)| value)
    };
    let bootstrap = get("bootstrap").unwrap_or_default().to_ascii_lowercase();
    let image = match get("from") {
        Some(from) if REGISTRIES.contains(&bootstrap.as_str()) => head.word(from),
        _ => Word::of_text(&format!("{bootstrap}://"), span),
    };
    let [repository, _] = node::checkout(span);
    let machine = Does::Machine(vec![Word::of_text("ubuntu-latest", span)]);
    let mut statements = vec![at(machine, span), repository];
    let mut body = vec![at(Does::Chdir(Word::of_text("/", span)), span)];
    let mut late = Vec::new();
    for section in sections {
        match section.title.split_whitespace().next() {
            Some("arguments") => statements.extend(arguments(section)),
            Some("files") => body.extend(files(section)),
            Some("environment") => late.extend(environment(section)),
            _ => {}
        }
    }
    let of = |name: &'static str| sections.iter().filter(move |section| section.is(name));
    // all of `%post` is one script
    let posts: Vec<&Section<'_>> = of("post").collect();
    for scripts in [posts]
        .into_iter()
        .chain(of("appinstall").map(|app| vec![app]))
    {
        body.extend(script(&scripts, &mut document.problems));
    }
    body.extend(late);
    let image_span = image.span;
    let enter = Does::Enter {
        image,
        gpus: false,
        body,
    };
    statements.push(at(enter, image_span));
    Scope {
        title: get("stage").unwrap_or("container").to_owned(),
        statements,
        ..Scope::default()
    }
}

/// A script that runs while the image is built.
fn script(sections: &[&Section<'_>], problems: &mut Vec<Problem>) -> Option<Statement> {
    let (first, last) = (sections.first()?, sections.last()?);
    let shells = sections.iter().rev();
    let mut shells = shells.filter_map(|section| section.title.split_once(" -c "));
    let shell = shells.next().map_or("sh", |(_, shell)| shell.trim());
    let texts: Vec<Mapped> = sections.iter().map(|s| s.text(s.body)).collect();
    // what is set before it stands below the `%post`
    let span = first.span(first.body.trim()).to(last.span);
    let action = node::run_in(shell, &node::lines(&texts), problems);
    let block = Does::Block {
        id: None,
        body: vec![at(action, span)],
    };
    Some(at(block, span))
}

fn at(action: Does, span: Span) -> Statement {
    Statement { action, span }
}

/// `%arguments`: a line a build argument, with its default.
fn arguments(section: &Section<'_>) -> Vec<Statement> {
    let declares = section.lines().filter_map(|line| {
        let (name, default) = line.split_once('=')?;
        let span = section.span(line);
        let declare = Does::Declare {
            name: format!("{BUILD_ARGUMENTS}{}", name.trim()),
            default: Some(section.word(default.trim())),
            span,
        };
        Some(at(declare, span))
    });
    declares.collect()
}

/// `%files [from stage]`: a line a source, with its destination.
fn files(section: &Section<'_>) -> Vec<Statement> {
    let mut title = section.title.split_whitespace().skip(1);
    let from = match (title.next(), title.next()) {
        (Some("from"), Some(stage)) => Some(Word::of_text(stage, section.span)),
        _ => None,
    };
    let copies = section.lines().filter_map(|line| {
        let mut words = line.split_whitespace().map(|word| section.word(word));
        let source = words.next()?;
        let destination = words.next().unwrap_or_else(|| source.clone());
        let action = Does::Copy {
            from: from.clone(),
            sources: vec![source],
            destination,
            add: false,
        };
        Some(at(action, section.span(line)))
    });
    copies.collect()
}

/// `%environment`: settings that come too late for everything that builds.
fn environment(section: &Section<'_>) -> Vec<Statement> {
    let settings = section.lines().flat_map(|line| {
        let setting = line.strip_prefix("export ").unwrap_or(line);
        node::shell_pairs(&section.text(setting))
    });
    let statements = settings.map(|assign| {
        let span = assign.span;
        let action = Does::Set {
            assigns: vec![assign],
            how: SetHow::Export,
        };
        at(action, span)
    });
    statements.collect()
}

/// `{{ NAME }}` in the form that expressions have everywhere else.
fn filled(text: &Mapped) -> Mapped {
    template::filled(text, "{{", "}}", |inner| {
        let name = inner.trim();
        let is_part = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        let is_name = !name.is_empty() && name.bytes().all(is_part);
        is_name.then(|| format!("{BUILD_ARGUMENTS}{name}"))
    })
}
