//! Jobs in each of their worlds.
use super::state::State;
use super::walked::{WalkedScope, WalkedWorld};
use super::walker::Walker;
use crate::front::document::{Assign, Does, Scope, Statement, World};
use crate::value::{Site, Value};

/// Jobs of workflows that are called are numbered after those of the document.
const FIRST_CALLED: usize = 1 << 16;

/// A job that was walked in one of its worlds, as it stood on its machine.
pub(super) struct Ran {
    written: usize,
    scope: usize,
    start: State,
}

/// A job on its machine, before all else.
struct Begun {
    written: usize,
    state: State,
    /// Where its statements go on.
    at: usize,
}

impl Walker<'_> {
    /// Walks a job in one of its worlds; where nothing tells that from one in which it was walked, it was walked in both.
    pub(super) fn job(&mut self, job: usize, scope: &Scope, world: Option<&World>) {
        let names = world.map(|world| world.names.clone()).unwrap_or_default();
        let mut begun = self.begin(job, scope, world, State::new(None));
        let mut others = self.ran.iter().filter(|ran| ran.written == job);
        if let Some(alike) = others.find(|ran| ran.start.is_alike(&begun.state)) {
            let world = WalkedWorld {
                number: self.worlds,
                names,
            };
            self.worlds += 1;
            self.walked.scopes[alike.scope].worlds.push(world);
            return;
        }
        begun.state.contexts.ask_anew();
        let (scopes, start) = (self.walked.scopes.len(), begun.state.clone());
        self.go_on(begun, names, scope);
        // the jobs that it calls are jobs of this world alone
        if self.walked.scopes.len() == scopes + 1 {
            self.ran.push(Ran {
                written: job,
                scope: scopes,
                start,
            });
        }
    }

    /// Walks a job of a workflow that the job in hand calls, in one of its worlds, with these inputs.
    pub(super) fn called_job(
        &mut self,
        job: usize,
        scope: &Scope,
        world: Option<&World>,
        inputs: &[(String, Value)],
        state: State,
    ) {
        let caller = self.scope.and_then(|at| self.walked.scopes.get(at));
        let (written, mut names) = caller
            .map(|caller| (caller.written, caller.first_world().to_vec()))
            .unwrap_or_default();
        names.extend(world.iter().flat_map(|w| w.names.iter().cloned()));
        // the same job of the same file, called from the same one, is one job in several worlds
        let called = (written, state.file, job);
        let known = self.called_jobs.iter().position(|known| *known == called);
        let at = known.unwrap_or_else(|| {
            self.called_jobs.push(called);
            self.called_jobs.len() - 1
        });
        let outer = std::mem::replace(&mut self.inputs, inputs.to_vec());
        let begun = self.begin(FIRST_CALLED + at, scope, world, state);
        self.go_on(begun, names, scope);
        self.inputs = outer;
    }

    /// The job as it stands on its machine.
    fn begin(
        &mut self,
        written: usize,
        scope: &Scope,
        world: Option<&World>,
        mut state: State,
    ) -> Begun {
        for Assign { name, value, .. } in world.iter().flat_map(|w| &w.values) {
            let value = self.only_value(value, &state);
            state.give(name, value);
        }
        self.login_shell = false;
        self.containers.clear();
        self.scope = None;
        let at = after_machine(&scope.statements);
        let (machine, rest) = scope.statements.split_at(at);
        self.statements(machine, &mut state);
        if is_in_container(rest) {
            state.nvcc.from = "".into();
            state.torch.from = "".into();
        }
        Begun { written, state, at }
    }

    /// Walks the rest of a job.
    fn go_on(&mut self, begun: Begun, names: Vec<(String, String)>, scope: &Scope) {
        let Begun {
            written,
            mut state,
            at,
        } = begun;
        let index = self.walked.scopes.len();
        self.walked.scopes.push(WalkedScope {
            title: scope.title.clone(),
            written,
            worlds: vec![WalkedWorld {
                number: self.worlds,
                names,
            }],
            parent: None,
            image: Value::default(),
            image_site: Site::default(),
            start: state.clone(),
            end: state.clone(),
        });
        self.worlds += 1;
        self.scope = Some(index);
        self.statements(&scope.statements[at..], &mut state);
        self.walked.scopes[index].end = state;
        self.scope = None;
    }
}

/// Whether all that a job does happens in a container: then nobody sees what brought the tools of the machine.
fn is_in_container(statements: &[Statement]) -> bool {
    let only_prepares = |does: &Does| {
        matches!(
            does,
            Does::Set { .. }
                | Does::Context(_)
                | Does::Chdir(_)
                | Does::Gate(_)
                | Does::Enter { .. }
        )
    };
    let enters = |statement: &Statement| matches!(statement.action, Does::Enter { .. });
    statements.iter().any(enters) && statements.iter().all(|s| only_prepares(&s.action))
}

/// How many statements of a job choose its machine: the declarations of inputs that labels may name, and the labels.
fn after_machine(statements: &[Statement]) -> usize {
    let is_input = |does: &Does| matches!(does, Does::Declare { name, .. } if name.contains('.'));
    let inputs = statements.iter().take_while(|s| is_input(&s.action));
    let at = inputs.count();
    match statements.get(at).map(|s| &s.action) {
        Some(Does::Machine(_)) => at + 1,
        _ => 0,
    }
}
