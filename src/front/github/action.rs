//! Composite actions: `action.yml`.
use super::matrix;
use super::step::{self, Defaults, WORKSPACE};
use super::workflow::declares;
use crate::front::document::{Document, Does, Scope, Statement, Unit};
use crate::front::kind::{Kind, Role, file_name};
use crate::front::node;
use crate::text::word::Word;
use crate::text::yaml::{self, Node};

/// Actions.
pub static KIND: Kind = Kind {
    name: "action",
    role: Role::Recipe,
    is_at: |path| matches!(file_name(path), "action.yml" | "action.yaml"),
    is_in: |text| text.lines().any(|line| line.starts_with("runs:")),
    read: |source| read(source.text),
};

/// Reads an action: one job on a machine that its callers choose.
pub fn read(source: &str) -> Document {
    let yaml = yaml::parse(source);
    let mut document = Document {
        unit: Unit::Job,
        ..Document::default()
    };
    if let Some(root) = yaml.documents.first()
        && let Some(runs) = root.get("runs")
        && let Some(steps) = runs.get("steps")
    {
        let span = runs.span;
        let mut statements = vec![
            Statement {
                action: Does::Machine(Vec::new()),
                span,
            },
            step::files(span),
            step::places(span),
            Statement {
                action: matrix::somebody_elses(span),
                span,
            },
            Statement {
                action: Does::Chdir(Word::of_text(WORKSPACE, span)),
                span,
            },
        ];
        let inputs = root.get("inputs");
        statements.extend(inputs.into_iter().flat_map(declares));
        let problems = &mut document.problems;
        let defaults = Defaults::default();
        let steps = steps.items().iter();
        statements.extend(steps.map(|node: &Node| step::step(node, &defaults, problems)));
        document.scopes.push(Scope {
            title: "action".to_owned(),
            statements,
            ..Scope::default()
        });
    }
    node::document(source, &yaml, document)
}
