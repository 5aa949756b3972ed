//! What variables and arguments may be.
use super::follow::{Follow, ROOT};
use super::variables::{MAX_WAYS, Ways, listed, unknown};
use crate::projects::guard::Guard;
use crate::projects::seen::{Open, Piece, known};
use crate::text::cmake::{self, Argument};
use crate::value::Site;

impl Follow<'_> {
    /// What a variable may be, each with the condition under which no later one wins.
    pub(super) fn ways(&self, name: &str) -> Ways {
        let here = |dir: &str| {
            let text = format!("{ROOT}/{dir}");
            vec![(Guard::Always, vec![Piece::Literal(text, Site::default())])]
        };
        match name {
            "CMAKE_SOURCE_DIR" | "PROJECT_SOURCE_DIR" => return here(&self.root),
            "CMAKE_CURRENT_SOURCE_DIR" => return here(&self.dir),
            "CMAKE_CURRENT_LIST_DIR" => return here(&self.list_dir),
            "CMAKE_CUDA_ARCHITECTURES_NATIVE" => {
                return vec![(Guard::Always, vec![Piece::Open(Open::Gpu)])];
            }
            _ => {}
        }
        let mut rest = Guard::Always;
        let mut found = Vec::new();
        for (guard, value) in self.variables.get(name).iter().rev() {
            let when = Guard::all([guard.clone(), rest.clone()]);
            if when != Guard::Never {
                found.push((when, value.clone()));
            }
            rest = Guard::all([rest, guard.clone().not()]);
        }
        if rest != Guard::Never {
            found.push((rest, vec![Piece::Open(Open::Define(name.to_owned(), None))]));
        }
        found
    }

    /// The text of an argument in each way that its variables may be.
    pub(super) fn expand(&mut self, arg: &Argument) -> Ways {
        let mut all: Ways = vec![(Guard::Always, Vec::new())];
        for piece in &arg.pieces {
            let ways = match piece {
                cmake::Piece::Literal(text, span) => {
                    let site = Site {
                        file: self.file,
                        span: *span,
                    };
                    vec![(Guard::Always, vec![Piece::Literal(text.clone(), site)])]
                }
                cmake::Piece::Variable(name) if name.is_empty() => unknown(),
                cmake::Piece::Variable(name) => self.ways(name),
                cmake::Piece::Environment(name) => {
                    let open = Open::Env {
                        name: name.clone(),
                        default: None,
                        separator: Some(";".to_owned()),
                        undotted: false,
                    };
                    vec![(Guard::Always, vec![Piece::Open(open)])]
                }
            };
            let Some(longer) = combined(&all, &ways, |text, more| [text, more].concat()) else {
                return unknown();
            };
            all = longer;
        }
        all
    }

    /// Several arguments as one list.
    pub(super) fn joined(&mut self, args: &[Argument]) -> Ways {
        let mut all: Ways = vec![(Guard::Always, Vec::new())];
        for arg in args {
            let ways = self.expand(arg);
            let Some(longer) = combined(&all, &ways, listed) else {
                return unknown();
            };
            all = longer;
        }
        all
    }

    /// The text of an argument that can be only one where `guard` holds.
    pub(super) fn one_where(&mut self, guard: &Guard, arg: &Argument) -> Option<String> {
        let mut ways = self.expand(arg);
        ways.retain(|(when, _)| Guard::all([guard.clone(), when.clone()]) != Guard::Never);
        match ways.as_slice() {
            [(_, pieces)] => known(pieces),
            _ => None,
        }
    }

    /// The text of an argument that can be only one.
    pub(super) fn one(&mut self, arg: &Argument) -> Option<String> {
        self.one_where(&Guard::Always, arg)
    }
}

/// Each way of a text with each of what follows it, as far as both can be; `None` where those are too many.
fn combined(
    all: &Ways,
    ways: &Ways,
    join: impl Fn(&[Piece], &[Piece]) -> Vec<Piece>,
) -> Option<Ways> {
    if all.len() * ways.len() > MAX_WAYS {
        return None;
    }
    let pairs = all
        .iter()
        .flat_map(|before| ways.iter().map(move |more| (before, more)));
    let both = pairs.map(|((before, text), (when, more))| {
        let holds = Guard::all([before.clone(), when.clone()]);
        (holds, join(text, more))
    });
    Some(both.filter(|(when, _)| *when != Guard::Never).collect())
}
