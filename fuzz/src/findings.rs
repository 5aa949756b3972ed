//! Reports with any words and places.
use kimg_lint::facts::{
    Edit, Facts, Finding, Fix, Related, Role, Suppressed, SuppressedBy, sample,
};
use kimg_lint::report::Report;
use kimg_lint::rules::{Policy, RuleSet, builtin};
use kimg_lint::span::{Lines, Place, Span};
use std::sync::LazyLock;

/// How many findings are made of one input.
const FINDINGS: usize = 4;

/// What the built-in rules say of one fact of each kind, with the words of the bytes in place of theirs; the words together
/// are the file that they point into.
pub(crate) fn report(data: &[u8]) -> Report {
    let text = super::lossy(data);
    let mut words = Words {
        lines: Lines::new(&*text),
        words: text.split('\n').cycle(),
        numbers: data.iter().cycle(),
    };
    // judging takes longer than all else here
    static KNOWN: LazyLock<Vec<Finding>> = LazyLock::new(|| {
        let known = RuleSet::new(builtin()).judge(&sample::facts(), Policy::default());
        known.expect("the built-in rules fail on no fact")
    });
    let known = &*KNOWN;
    let path = words.word();
    let mut facts = sample::facts();
    let chosen = words.number();
    let findings: Vec<Finding> = (0..FINDINGS.min(known.len()))
        .map(|at| words.fill(known[(chosen + at) % known.len()].clone(), &path))
        .collect();
    fill_facts(&mut facts, &mut words, &path);
    facts.texts = [(path, text.clone())].into();
    Report::new(facts, findings)
}

/// The facts that formats show.
fn fill_facts(facts: &mut Facts, words: &mut Words<'_>, path: &str) {
    for build in &mut facts.builds {
        build.path = path.to_owned();
        build.span = words.place();
        build.builder = words.word();
        build.arch.text = words.word();
        build.worlds = vec![words.word()];
    }
    for artifact in &mut facts.artifacts {
        artifact.path = path.to_owned();
        artifact.member = words.word();
    }
    for unreadable in &mut facts.unreadable {
        unreadable.reason = words.word();
    }
}

/// The words, numbers and places in some bytes, without end.
struct Words<'t> {
    lines: Lines<'t>,
    words: std::iter::Cycle<std::str::Split<'t, char>>,
    numbers: std::iter::Cycle<std::slice::Iter<'t, u8>>,
}

impl Words<'_> {
    fn word(&mut self) -> String {
        self.words.next().unwrap_or_default().to_owned()
    }

    fn number(&mut self) -> usize {
        self.numbers.next().copied().unwrap_or_default().into()
    }

    fn place(&mut self) -> Place {
        let numbers = [self.number(), self.number(), self.number()];
        let text = self.lines.text();
        let whole = |at: usize| (0..=at.min(text.len())).rfind(|&at| text.is_char_boundary(at));
        let start = whole((numbers[0] << 8 | numbers[1]) % (text.len() + 1));
        let start = start.unwrap_or_default();
        let end = whole(start + numbers[2]).unwrap_or_default();
        self.lines.place(Span::new(start, end))
    }

    fn fill(&mut self, finding: Finding, path: &str) -> Finding {
        let related = [Role::Cause, Role::SetHere, Role::LostHere].map(|role| Related {
            role,
            path: path.to_owned(),
            span: self.place(),
            message: self.word(),
        });
        let edit = self.place();
        let fix = Fix {
            safe: self.number().is_multiple_of(2),
            edits: vec![Edit {
                path: path.to_owned(),
                offset: edit.offset,
                length: edit.length,
                text: self.word(),
            }],
        };
        let suppressed = Suppressed {
            by: SuppressedBy::Comment,
            reason: self.word(),
        };
        Finding {
            path: path.to_owned(),
            span: self.place(),
            instruction: self.number().is_multiple_of(2).then(|| self.place()),
            message: self.word(),
            help: self.word(),
            gpus: vec![self.word()],
            worlds: vec![self.word()],
            related: related.into_iter().take(self.number() % 4).collect(),
            fix: self.number().is_multiple_of(2).then_some(fix),
            suppressed: self.number().is_multiple_of(4).then_some(suppressed),
            ..finding
        }
    }
}
