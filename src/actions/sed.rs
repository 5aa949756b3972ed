//! Makefiles edited in place: `sed -i 's/GPU=0/GPU=1/' Makefile`.
use super::args::Argv;
use super::{Did, Effect, Surroundings};
use crate::value::Value;

/// `sed -i …`.
pub(super) fn recognise(argv: &Argv<'_>, around: &Surroundings<'_>) -> Vec<Did> {
    let in_place = argv
        .texts()
        .iter()
        .any(|t| t.starts_with("-i") || t == "--in-place");
    let makefile = argv.texts().iter().rev().find(|t| {
        t.rsplit('/')
            .next()
            .is_some_and(|n| n.eq_ignore_ascii_case("makefile"))
    });
    let (true, Some(makefile)) = (in_place, makefile) else {
        return Vec::new();
    };
    let cut = makefile.len() - makefile.rsplit('/').next().map_or(0, str::len);
    let dir = (around.resolve)(if cut == 0 { "." } else { &makefile[..cut] });
    let programs = argv.values().iter().filter(|v| v.sketch().starts_with('s'));
    programs.flat_map(|program| edits(program, &dir)).collect()
}

/// The assignments that the substitutions of one sed program write.
fn edits(program: &Value, dir: &str) -> Vec<Did> {
    let text = program.sketch();
    let mut found = Vec::new();
    let mut from = 0;
    for command in text.split(['\n', ';']) {
        let at = from + (command.len() - command.trim_start().len());
        from += command.len() + 1;
        let Some(separator) = command
            .trim()
            .strip_prefix('s')
            .and_then(|rest| rest.chars().next())
        else {
            continue;
        };
        let parts: Vec<&str> = command.trim().splitn(4, separator).collect();
        let [_, pattern, replacement, ..] = parts.as_slice() else {
            continue;
        };
        let Some((name, value)) = replacement.split_once('=') else {
            continue;
        };
        let name = name
            .trim_end_matches([':', '?', ' '])
            .trim_start_matches('^');
        // the pattern names the variable too: what is replaced is its assignment
        if name.is_empty()
            || !pattern.contains(name)
            || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        {
            continue;
        }
        let start = at + 2 + pattern.len() + 1 + replacement.len() - value.len();
        let value = program.slice(start, start + value.len());
        found.push(Did::Effect(Effect::MakeDefault {
            dir: dir.to_owned(),
            name: name.to_owned(),
            value,
        }));
    }
    found
}
