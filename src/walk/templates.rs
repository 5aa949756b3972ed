//! Templates of Azure Pipelines: files of the repository that jobs, steps and variables come from.
use super::calls::anything_may_come;
use super::follow::Call;
use super::state::State;
use super::walker::Walker;
use crate::facts::ProblemKind;
use crate::front::azure;
use crate::front::document::{Assign, Document, Does};
use crate::text::word::Word;
use crate::value::{Site, Value};
use std::rc::Rc;

/// Under which expressions find what a template is given.
const PARAMETERS: &str = "parameters.";

impl Walker<'_> {
    /// `template: path` with its parameters. A path is seen from the file that names it, or from the top.
    pub(super) fn template(
        &mut self,
        path: &str,
        target: &Word,
        inputs: &[Assign],
        state: &mut State,
    ) {
        let place = match path.strip_prefix('/') {
            Some(path) => path.to_owned(),
            None => format!("{}/{path}", self.files.folder(state.file)),
        };
        let Ok(file) = self.files.open(&place) else {
            let message = format!("the template {path} is not there: what it does is not known");
            self.note(ProblemKind::PassedOver, message);
            return anything_may_come(path, state);
        };
        if self.leads_back(file, &format!("the template {path}")) {
            return;
        }
        let site = Site {
            file: state.file,
            span: target.span,
        };
        let given = self.given_inputs(inputs, PARAMETERS, state);
        let document = azure::template(self.files.text(file));
        let outer = take_parameters(state);
        let caller = std::mem::replace(&mut state.file, file);
        self.calls.push(Call { site, file });
        self.of_template(&document, given, state);
        self.calls.pop();
        state.file = caller;
        take_parameters(state);
        for (name, value) in outer {
            state.give(&name, value);
        }
    }

    /// Jobs in each of their worlds, or what a template adds to the job in hand.
    fn of_template(&mut self, document: &Document, given: Vec<(String, Value)>, state: &mut State) {
        for (job, scope) in document.scopes.iter().enumerate() {
            let first = scope.statements.first().map(|first| &first.action);
            if !matches!(first, Some(Does::Machine(_))) {
                let outer = std::mem::replace(&mut self.inputs, given.clone());
                self.statements(&scope.statements, state);
                self.inputs = outer;
                continue;
            }
            let outer = (self.scope, self.instruction);
            let worlds = scope.worlds.iter().map(Some);
            let one = scope.worlds.is_empty().then_some(None);
            for world in worlds.chain(one) {
                // the variables around a template are those of its jobs, too
                self.called_job(job, scope, world, &given, state.clone());
                (self.scope, self.instruction) = outer;
            }
        }
    }
}

/// Takes away what the template in hand was given.
fn take_parameters(state: &mut State) -> Vec<(Rc<str>, Value)> {
    state.contexts.take_below(PARAMETERS)
}
