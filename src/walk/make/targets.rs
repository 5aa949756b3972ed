//! The targets that are asked for, and the recipes that make them.
use super::functions::stem;
use super::ways::{Picks, alike};
use super::{Asked, Made, Maker};
use crate::facts::SetHow;
use crate::paths::join;
use crate::span::Span;
use crate::text::make::Assign;
use crate::text::mapped::Mapped;
use crate::value::{Piece, Site, Value};
use crate::walk::content::Content;
use crate::walk::context::content_at;
use crate::walk::follow::Call;
use crate::walk::script::Context;
use crate::walk::shells::Shell;
use crate::walk::state::State;
use crate::walk::variable::{Alternative, Origin};
use crate::walk::walked::Arm;
use std::rc::Rc;

impl Maker<'_, '_> {
    /// Makes a target: what it needs first, then its recipe.
    pub(super) fn target(&mut self, target: &str, asked: &mut Asked<'_>, depth: usize) {
        if depth > 64 || !self.tick() || !self.done.insert(target.to_owned()) {
            return;
        }
        let before = self.locals.len();
        let own = |pattern: &str| stem(pattern, target).is_some();
        let assigns: Vec<(Assign, u16)> = self
            .of_targets
            .iter()
            .filter(|(of, _, _)| own(of))
            .map(|(_, assign, file)| (assign.clone(), *file))
            .collect();
        let global = (!assigns.is_empty()).then(|| self.variables.clone());
        for (assign, file) in assigns {
            self.assign(&assign, file, asked.state);
        }
        let explicit = |made: &&Made| made.targets.iter().any(|t| t == target);
        let mut rules: Vec<Made> = self.rules.iter().filter(explicit).cloned().collect();
        let mut part = String::new();
        if rules.iter().all(|made| made.recipe.is_empty())
            && let Some((index, found)) = self.pattern(target)
        {
            part = found;
            rules.extend(self.rules.get(index).cloned());
            self.chain.push(index);
        }
        let implicit = !part.is_empty();
        let with_stem = |name: &String| name.replacen('%', &part, 1);
        let mut needs: Vec<String> = Vec::new();
        for made in &rules {
            let own = made.prerequisites.iter().map(with_stem);
            let own: Vec<String> = own.filter(|name| name != "|").collect();
            self.taking(&made.picks, |maker| {
                for need in &own {
                    maker.target(need, asked, depth + 1);
                }
            });
            needs.extend(own);
        }
        if implicit {
            self.chain.pop();
        }
        let first = needs.first().cloned().unwrap_or_default();
        for (name, value) in [
            ("@", target),
            ("<", &first),
            ("^", &needs.join(" ")),
            ("?", &needs.join(" ")),
            ("*", &part),
            ("+", &needs.join(" ")),
        ] {
            let value = Value::literal(value, None);
            self.locals.push((name.to_owned(), value));
        }
        for made in rules {
            self.taking(&made.picks, |maker| {
                for line in made.recipe.iter() {
                    maker.recipe(line, made.file, asked);
                }
            });
        }
        self.locals.truncate(before);
        if let Some(global) = global {
            self.variables = global;
        }
    }

    /// The pattern rule for a target, with what its `%` stands for. No rule comes twice in a chain, as make has it.
    fn pattern(&self, target: &str) -> Option<(usize, String)> {
        self.rules.iter().enumerate().find_map(|(index, made)| {
            let patterns = made.targets.iter().filter(|t| t.contains('%'));
            let part = patterns.filter_map(|t| stem(t, target)).next()?;
            let fits = !made.recipe.is_empty() && !self.chain.contains(&index);
            fits.then(|| (index, part.to_owned()))
        })
    }

    /// Goes on in these arms.
    fn taking(&mut self, picks: &Picks, go: impl FnOnce(&mut Self)) {
        let before = self.picks.clone();
        self.picks.extend(picks.clone());
        go(self);
        self.picks = before;
    }

    /// Runs one line of a recipe in a shell of its own, once for each way of taking what is open.
    fn recipe(&mut self, line: &Mapped, file: u16, asked: &mut Asked<'_>) {
        let state: &State = asked.state;
        let ways = self.ways(
            |maker| {
                let value = maker.expand(line, file, state);
                (value, maker.exported(state))
            },
            |(left, before), (right, after)| {
                let same =
                    |((_, a), (_, b)): (&(_, Value), &(_, Value))| alike(&a.sketch(), &b.sketch());
                alike(&left.sketch(), &right.sketch()) && before.iter().zip(after).all(same)
            },
        );
        // the rule may stand in an arm itself
        let around = self.arms_of(&self.picks);
        let (of, group) = (ways.len() as u32, self.walker.group());
        for (index, (_, (value, exported))) in ways.into_iter().enumerate() {
            let text = value.sketch();
            let signs = text.len() - text.trim_start_matches(['@', '-', '+', ' ', '\t']).len();
            self.host.runs(&text[signs..]);
            let mut context = Context {
                swallowed: asked.context.swallowed || text[..signs].contains('-'),
                alternative: asked.context.alternative || of > 1,
                ..asked.context.clone()
            };
            let index = index as u32;
            let own = Arm { group, index, of };
            for arm in around.iter().chain([&own]) {
                context = context.in_arm(*arm);
            }
            let own = value.slice_from(signs);
            let command = placed_in(line, file, &own);
            let before = self.walker.walked.steps.len();
            self.shell(&command, exported, file, &context, asked);
            if own != command {
                self.place_steps(before, line, file);
            }
        }
    }

    /// Steps of a line into which variables brought text stand in all of the line.
    fn place_steps(&mut self, from: usize, line: &Mapped, file: u16) {
        let text = line.text();
        let start = text.len() - text.trim_start_matches(['@', '-', '+', ' ', '\t']).len();
        let span = line.span(start, text.trim_end().len());
        let steps = self.walker.walked.steps.iter_mut().skip(from);
        for step in
            steps.filter(|step| step.site.file == file && span.start <= step.site.span.start)
        {
            step.site.span = span;
        }
    }

    fn shell(
        &mut self,
        command: &Value,
        exported: Vec<(String, Value)>,
        file: u16,
        context: &Context,
        asked: &mut Asked<'_>,
    ) {
        let mut child = asked.state.child();
        child.cwd = self.dir.as_str().into();
        let shell = self.variable("SHELL", asked.state).sketch();
        child.shell = Shell::of_words(shell.split_whitespace());
        for (name, value) in exported {
            let origin = Origin {
                how: SetHow::Make,
                site: value.site(),
            };
            child.set(&name, vec![Alternative::exported(value, origin)]);
        }
        self.walker.calls.push(Call {
            site: asked.site,
            file,
        });
        self.walker.text(command, &mut child, context);
        self.walker.calls.pop();
        asked.state.keep_files_of(&child);
    }

    /// The files of a pattern, where the directory's content is known.
    pub(super) fn matching(&self, pattern: &Value, state: &State) -> Option<Value> {
        let text = pattern.known()?;
        let (folder, last) = text.rsplit_once('/').unwrap_or((".", &text));
        let path = join(&self.dir, folder);
        let Some(Content::Context(inside)) = content_at(state, &path) else {
            return Some(Value::hole(
                "it depends on which files are there",
                None,
                false,
            ));
        };
        let names = self.walker.files.names(&inside, last);
        let names = names.iter().map(|name| match text.contains('/') {
            true => format!("{folder}/{name}"),
            false => name.clone(),
        });
        let names: Vec<String> = names.collect();
        (!names.is_empty()).then(|| Value::literal(&names.join(" "), pattern.site()))
    }
}

/// The command of a recipe's line: what its variables bring stands where they are used.
fn placed_in(line: &Mapped, file: u16, command: &Value) -> Value {
    let (start, end) = (line.origin(0), line.origin(line.text().len()));
    let span = Span { start, end };
    let own = |site: &Site| site.file == file && span.contains(site.span);
    let mut placed = Value::default();
    for piece in &command.pieces {
        placed.pieces.push(match piece {
            Piece::Literal { text, site } => Piece::Literal {
                text: Rc::clone(text),
                site: site.filter(own).or(Some(Site { file, span })),
            },
            hole @ Piece::Hole { .. } => hole.clone(),
        });
    }
    placed
}
