//! A Makefile of the repository as jobs that each make one of its targets, for who looks for the images that are built there.
use super::document::{Document, Does, Scope, Statement, Unit};
use super::kind::file_name;
use super::node;
use crate::text::make::{self, Line, Rule};
use crate::text::word::Word;

/// Of a longer Makefile, the first targets are looked at.
const MAX_TARGETS: usize = 32;

/// Whether a file is one, by its name.
pub fn is_makefile(path: &str) -> bool {
    let name = file_name(path);
    matches!(name, "Makefile" | "makefile" | "GNUmakefile") || name.ends_with(".mk")
}

/// Reads a Makefile that is run in its own folder: those targets whose recipes build an image.
pub fn read(source: &str, path: &str) -> Document {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let lines = make::read(source);
    let rules = lines.iter().filter_map(|line| match line {
        Line::Rule(rule) if builds_image(rule) => Some(rule),
        _ => None,
    });
    let targets = rules.flat_map(|rule| {
        let names = rule.targets.text().split_whitespace();
        let names = names.filter(|name| !name.contains(['$', '%']));
        names.map(|name| (name, rule.span))
    });
    let scopes = targets.take(MAX_TARGETS).map(|(target, span)| {
        let at = |action: Does| Statement { action, span };
        let words = ["make", "-f", file_name(path), target];
        let mut statements = vec![at(Does::Machine(Vec::new()))];
        statements.extend(node::checkout(span));
        let folder = format!("{}/{folder}", node::REPOSITORY);
        statements.push(at(Does::Chdir(Word::of_text(&folder, span))));
        statements.push(at(Does::Exec(
            words.map(|word| Word::of_text(word, span)).into(),
        )));
        Scope {
            title: target.to_owned(),
            statements,
            ..Scope::default()
        }
    });
    Document {
        unit: Unit::Job,
        scopes: scopes.collect(),
        ..Document::default()
    }
}

fn builds_image(rule: &Rule) -> bool {
    let builds = |line: &str| {
        let line = line.to_ascii_lowercase();
        let programs = ["docker", "podman", "buildah"];
        line.contains("build") && programs.iter().any(|program| line.contains(program))
    };
    rule.recipe.iter().any(|line| builds(line.text()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_that_build_images() {
        let source = "A = 1\nall: image\n\ttrue\nimage gpu-image: a\n\t@$(DOCKER) build -t x .\n%.o: x\n\tdocker build .\npush:\n\tdocker push x\n";
        let document = read(source, "docker/Makefile");
        let titles: Vec<&str> = document.scopes.iter().map(|s| s.title.as_str()).collect();
        assert_eq!(titles, ["image", "gpu-image"]);
    }
}
