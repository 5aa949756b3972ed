//! What holds for every edit to every input that these tests have.
use super::{PATH, Workshop, case, compiler, knobs, once_wrong, reach, sources, syntax};
use kimg_lint::builders::records::{RECORDS, examples};
use kimg_lint::facts::{Edit, Fix};
use kimg_lint::fix::{Texts, apply};
use kimg_lint::rules::builtin;
use kimg_lint::span::Span;
use kimg_lint::text::dockerfile;

/// Trying all inputs takes minutes: one in eight of the builders' examples, unless all are wanted.
fn all_inputs() -> bool {
    std::env::var_os("KIMG_ALL_INPUTS").is_some()
}

/// Every Dockerfile of the rules, of the builders, of the examples and of the pitfalls.
fn inputs() -> Vec<String> {
    let of_rules = builtin().iter().flat_map(|rule| rule.examples.iter());
    let of_rules = of_rules.filter_map(|example| example.bad.or(example.good));
    let of_rules = of_rules.flat_map(|files| files.0.0.iter());
    let of_rules = of_rules.filter(|file| file.path.ends_with("Dockerfile"));
    let every = if all_inputs() { 1 } else { 8 };
    let of_builders = RECORDS.iter().flat_map(examples).step_by(every);
    let of_builders = of_builders.map(|example| {
        let env = example.env.iter();
        let env: String = env
            .map(|(name, value)| format!("ENV {name}='{}'\n", &**value))
            .collect();
        format!(
            "FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel\n{env}RUN {}\n",
            &*example.run
        )
    });
    let pitfalls: [&[case::Case]; 6] = [
        compiler::CASES,
        knobs::CASES,
        once_wrong::CASES,
        reach::CASES,
        sources::CASES,
        syntax::CASES,
    ];
    let pitfalls = pitfalls
        .into_iter()
        .flatten()
        .map(|case| case.text.to_owned());
    let examples = ["bad", "good"].map(|name| {
        let path = format!("{}/examples/{name}/Dockerfile", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).unwrap()
    });
    of_rules
        .map(|file| file.text.to_string())
        .chain(of_builders)
        .chain(pitfalls)
        .chain(examples)
        .collect()
}

/// The inputs, each in one of three dresses: as it is, with the line ends of Windows, with comments and tabs.
fn dressed() -> impl Iterator<Item = String> {
    let inputs = inputs().into_iter().enumerate();
    inputs.map(|(number, text)| {
        let unix = text.replace("\r\n", "\n");
        match number % 3 {
            0 => text,
            1 => unix.replace('\n', "\r\n"),
            _ => unix.replace("\nRUN ", "\n# how ähnlich\n\tRUN "),
        }
    })
}

#[test]
fn every_edit_mends_its_finding_and_nothing_else_changes() {
    let (mut tried, mut offered, mut safe) = (0, 0, 0);
    for gpus in [&[][..], &["A100", "L4", "H100"]] {
        let workshop = Workshop::new(gpus);
        for text in dressed() {
            tried += 1;
            let judged = workshop.lint(&Texts::of(&*text), &[]).unwrap();
            for (number, fix) in workshop.with(|fixer| fixer.offers(&text, &judged)) {
                offered += 1;
                safe += usize::from(fix.safe);
                let finding = &judged.findings[number];
                let shown = || format!("{}: {fix:?}\n{text}", finding.code);
                let after = apply(&text, &fix.edits);
                let same = |judged: &kimg_lint::fix::Judged| {
                    let same = judged.findings.iter().filter(|f| f.code == finding.code);
                    same.filter(|f| f.suppressed.is_none()).count()
                };
                let judged_after = workshop.lint(&Texts::of(&*after), &[]).unwrap();
                assert!(
                    same(&judged_after) < same(&judged),
                    "is mended: {}",
                    shown()
                );
                assert_eq!(apply(&after, &inverse(&text, &fix)), text, "{}", shown());
                assert!(same_elsewhere(&text, &after, &fix), "{}\n{after}", shown());
                let breaks =
                    |text: &str| (text.matches('\n').count(), text.matches("\r\n").count());
                let (all, crlf) = breaks(&after);
                assert!(breaks(&text).1 == 0 || all == crlf, "{}", shown());
            }
        }
    }
    let least = if all_inputs() {
        (1000, 500, 200)
    } else {
        (400, 190, 70)
    };
    assert!(
        tried > least.0 && offered > least.1 && safe > least.2,
        "{tried} {offered} {safe}"
    );
    println!("{tried} files, {offered} edits, {safe} of them safe");
}

#[test]
fn mending_twice_changes_nothing_more() {
    for (gpus, all) in [(&[][..], true), (&["A100", "L4", "H100"], false)] {
        let workshop = Workshop::new(gpus);
        for text in dressed() {
            let once = workshop.mend(&text, all);
            let twice = workshop.mend(&once.texts.own, all);
            assert_eq!(twice.texts.own, once.texts.own, "{text}");
            assert!(twice.findings.is_empty());
        }
    }
}

/// The edits that take others back.
fn inverse(text: &str, fix: &Fix) -> Vec<Edit> {
    let mut moved = 0_i64;
    let edits = fix.edits.iter().map(|edit| {
        assert_eq!(edit.path, PATH);
        let old = &text[edit.offset as usize..(edit.offset + edit.length) as usize];
        let back = Edit {
            path: PATH.to_owned(),
            offset: (i64::from(edit.offset) + moved) as u32,
            length: edit.text.len() as u32,
            text: old.to_owned(),
        };
        moved += edit.text.len() as i64 - i64::from(edit.length);
        back
    });
    edits.collect()
}

/// Every instruction that no edit touches is still there, in order; and there are no more new ones than edits.
fn same_elsewhere(before: &str, after: &str, fix: &Fix) -> bool {
    let (old, new) = (dockerfile::parse(before), dockerfile::parse(after));
    let touched = |span: Span| {
        fix.edits.iter().any(|edit| {
            let (start, end) = (edit.offset, edit.offset + edit.length);
            start < span.end && end > span.start || start > span.start && start <= span.end
        })
    };
    let mut left = new.instructions.iter().map(|i| &after[i.span.range()]);
    let untouched = old.instructions.iter().filter(|i| !touched(i.span));
    let kept = untouched
        .map(|i| &before[i.span.range()])
        .all(|text| left.any(|new| new == text));
    let difference = new.instructions.len().abs_diff(old.instructions.len());
    kept && difference <= fix.edits.len() && new.problems.len() <= old.problems.len()
}
