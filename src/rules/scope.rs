//! The names that conditions and messages see.
use super::rule::On;
use minijinja::Value;

/// The fact, and the element that is looked at as `it`.
pub(super) fn scope(on: On, fact: &Value, it: Option<&Value>) -> Value {
    let fact = (on.name(), fact.clone());
    match it {
        Some(it) => Value::from_iter([fact, ("it", it.clone())]),
        None => Value::from_iter([fact]),
    }
}
