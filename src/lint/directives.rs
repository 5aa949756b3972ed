//! The comments of a file that are addressed to this tool, as facts.
use crate::builders::record::Record;
use crate::facts::{Build, Covers, Facts, Ignore, SuppressedBy, SuppressionFault, SuppressionWhy};
use crate::front::directive::{Directive, Reach, Says};
use crate::span::{Place, Span};
use crate::spelling::nearest;
use crate::value::Site;
use crate::walk::files::Files;

/// Adds the suppressions of one of the files to what it taught, and what is wrong with its comments.
pub(super) fn add(
    directives: &[Directive],
    file: u16,
    files: &Files<'_>,
    records: &[Record],
    facts: &mut Facts,
) {
    let place = |span| files.place(Site { file, span });
    let path = files.path(Site {
        file,
        span: Span::default(),
    });
    for directive in directives {
        let fault = |rule: &str, span, why, detail: &str| SuppressionFault {
            rule: rule.to_owned(),
            path: path.to_owned(),
            span: place(span),
            why,
            detail: detail.to_owned(),
        };
        match &directive.says {
            Says::Malformed(why) => {
                let malformed = SuppressionWhy::Malformed;
                let fault = fault("", directive.span, malformed, why);
                facts.suppressions.push(fault);
            }
            Says::Builds(name, at) => {
                let known = records.iter().any(|record| *record.id == **name);
                if !known {
                    let ids = records.iter().map(|record| record.id.as_str());
                    let nearest = nearest(name, ids).unwrap_or_default();
                    let fault = fault(name, *at, SuppressionWhy::UnknownBuilder, nearest);
                    facts.suppressions.push(fault);
                } else if file == 0 && !is_built(name, directive.instruction, &facts.builds) {
                    let fault = fault(name, *at, SuppressionWhy::NoBuild, "");
                    facts.suppressions.push(fault);
                }
            }
            Says::Ignore {
                reach,
                rules,
                reason,
                until,
            } => facts.ignores.push(Ignore {
                rules: words(rules, place),
                path: path.to_owned(),
                covers: match file {
                    0 => covers(directive, *reach),
                    _ => Covers::Shared(part(directive, *reach)),
                },
                reason: reason.clone(),
                until: *until,
                by: SuppressedBy::Comment,
                depth: None,
            }),
        }
    }
}

fn words(rules: &[(String, Span)], place: impl Fn(Span) -> Place) -> Vec<(String, Place)> {
    let words = rules.iter();
    words.map(|(word, at)| (word.clone(), place(*at))).collect()
}

fn covers(directive: &Directive, reach: Reach) -> Covers {
    match reach {
        // at the end of the file nothing follows
        Reach::Instruction => Covers::Part(directive.instruction.unwrap_or_default()),
        Reach::Stage => Covers::Part(directive.stage),
        Reach::File => Covers::File,
    }
}

/// What a comment covers in a file that the linted one leads to: it has no stages.
fn part(directive: &Directive, reach: Reach) -> Span {
    match reach {
        Reach::Instruction => directive.instruction.unwrap_or_default(),
        Reach::Stage | Reach::File => directive.stage,
    }
}

/// Whether the instruction builds what a comment declares.
fn is_built(name: &str, instruction: Option<Span>, builds: &[Build]) -> bool {
    builds
        .iter()
        .any(|build| build.builder == name && Some(build.instruction.span()) == instruction)
}
