//! The worlds of callers before and after edits: one is called by its line, which moves.
use super::check::Moves;
use crate::facts::{Build, Caller, CallerFile, Finding};
use std::collections::HashMap;

/// What the callers from before are called now.
pub(super) struct Worlds<'c> {
    /// By their names from before; `None` for one that makes no difference any more.
    names: HashMap<&'c str, Option<&'c str>>,
}

impl<'c> Worlds<'c> {
    pub(super) fn new(
        before: &'c [CallerFile],
        after: &'c [CallerFile],
        moves: &Moves<'_>,
    ) -> Self {
        let now: HashMap<_, &str> = all(after)
            .map(|(file, caller)| {
                (
                    (&*file.file, caller.span.start, &*caller.row),
                    &*caller.name,
                )
            })
            .collect();
        let names = all(before).map(|(file, caller)| {
            let place = moves.at(&file.path, caller.span.start);
            let now = now.get(&(&*file.file, place, &*caller.row));
            (&*caller.name, now.copied())
        });
        Self {
            names: names.collect(),
        }
    }

    /// What a world is called now.
    fn now<'w>(&self, world: &'w str) -> Option<&'w str>
    where
        'c: 'w,
    {
        self.names.get(world).map_or(Some(world), |now| *now)
    }

    /// Whether a build is of a world from before. One without worlds is of all.
    pub(super) fn is_of(&self, build: &Build, world: &str) -> bool {
        build.worlds.is_empty()
            || self
                .now(world)
                .is_none_or(|now| build.worlds.iter().any(|world| world == now))
    }

    /// Whether a finding from before held in this world.
    pub(super) fn hold(&self, old: &Finding, world: &str) -> bool {
        let is_it = |old: &String| self.now(old).is_none_or(|now| now == world);
        old.worlds.is_empty() || old.worlds.iter().any(is_it)
    }

    /// Whether one of the worlds from before is among those of now; none stand for all.
    pub(super) fn share(&self, before: &[String], now: &[String]) -> bool {
        let is_there = |old: &String| self.now(old).is_none_or(|old| now.iter().any(|n| n == old));
        before.is_empty() || now.is_empty() || before.iter().any(is_there)
    }
}

fn all(files: &[CallerFile]) -> impl Iterator<Item = (&CallerFile, &Caller)> {
    files.iter().flat_map(|file| {
        let callers = file.callers.iter();
        callers.map(move |caller| (file, caller))
    })
}
