//! Scripts whose template expressions are filled in before a shell reads them.
use super::expand::template_values;
use super::script::Context;
use super::state::State;
use super::walker::Walker;
use crate::text::mapped::Mapped;
use crate::text::shell;
use crate::text::template;
use crate::text::word::Part;
use crate::value::{Site, Value};

impl Walker<'_> {
    /// Runs a script whose template expressions are filled in before it is read: once for each way to do so.
    pub(super) fn filled_in(&mut self, text: &Mapped, state: &mut State) -> bool {
        let texts = fillings(text, state);
        if let [only] = texts.as_slice()
            && only == text
        {
            return false;
        }
        let context = Context {
            alternative: texts.len() > 1,
            ..Context::default()
        };
        let mut after: Option<State> = None;
        for text in &texts {
            let mut copy = state.clone();
            self.script(&shell::parse(text), state.file, &mut copy, &context);
            match &mut after {
                None => after = Some(copy),
                Some(after) => after.merge(&copy, "another value of an expression"),
            }
        }
        if let Some(after) = after {
            *state = after;
        }
        true
    }
}

/// At most this many ways to fill in the expressions of one script are followed.
const MAX_FILLINGS: usize = 8;

/// The text with those expressions filled in whose values are more than words of a command: quotes, operators, lines.
fn fillings(text: &Mapped, state: &State) -> Vec<Mapped> {
    let mut all = vec![Mapped::default()];
    let mut at = 0;
    for part in template::word(text).parts {
        let (length, values) = match &part {
            Part::Opaque {
                text: expression,
                span,
                ..
            } => {
                let site = Site {
                    file: state.file,
                    span: *span,
                };
                (
                    expression.len(),
                    texts(&template_values(expression, site, state)),
                )
            }
            Part::Literal { text, .. } => (text.len(), None),
            _ => continue,
        };
        let range = at..at + length;
        at = range.end;
        match values.filter(|values| all.len() * values.len() <= MAX_FILLINGS) {
            None => {
                for filled in &mut all {
                    filled.append(text, range.clone());
                }
            }
            Some(values) => {
                let origin = text.origin(range.start);
                all = all
                    .iter()
                    .flat_map(|filled| {
                        values.iter().map(move |value| {
                            let mut filled = filled.clone();
                            filled.push_all_from(value, origin);
                            filled
                        })
                    })
                    .collect();
            }
        }
    }
    all
}

/// The texts of known values of which one must be read as shell text.
fn texts(values: &[Value]) -> Option<Vec<String>> {
    let texts: Option<Vec<String>> = values.iter().map(Value::known).collect();
    texts.filter(|texts| texts.iter().any(|t| is_shell_text(t)))
}

fn is_shell_text(text: &str) -> bool {
    let name = text.split('=').next().unwrap_or_default();
    let assigns = name.len() < text.len()
        && !name.is_empty()
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    assigns
        || text.contains([
            '"', '\'', '`', '$', '\\', ';', '&', '|', '<', '>', '(', ')', '\n', '#',
        ])
}
