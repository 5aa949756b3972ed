//! What variables and arguments may be.
use super::follow::{Follow, ROOT};
use super::variables::{MAX_WAYS, Ways, unknown};
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
            if all.len() * ways.len() > MAX_WAYS {
                return unknown();
            }
            all = all
                .iter()
                .flat_map(|(before, pieces)| {
                    ways.iter().map(move |(when, more)| {
                        (
                            Guard::all([before.clone(), when.clone()]),
                            pieces.iter().chain(more).cloned().collect(),
                        )
                    })
                })
                .filter(|(when, _)| *when != Guard::Never)
                .collect();
        }
        all
    }

    /// Several arguments as one list.
    pub(super) fn joined(&mut self, args: &[Argument]) -> Ways {
        let mut all: Ways = vec![(Guard::Always, Vec::new())];
        for arg in args {
            let ways = self.expand(arg);
            if all.len() * ways.len() > MAX_WAYS {
                return unknown();
            }
            all = all
                .iter()
                .flat_map(|(before, pieces)| {
                    ways.iter().map(move |(when, more)| {
                        let mut joined = pieces.clone();
                        if !joined.is_empty() && !more.is_empty() {
                            joined.push(Piece::Literal(";".to_owned(), Site::default()));
                        }
                        joined.extend(more.iter().cloned());
                        (Guard::all([before.clone(), when.clone()]), joined)
                    })
                })
                .filter(|(when, _)| *when != Guard::Never)
                .collect();
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
