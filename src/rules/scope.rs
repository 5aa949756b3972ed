//! The names that conditions and messages see.
use super::policy::Policy;
use super::rule::On;
use minijinja::Value;

/// The policy in the two forms that are needed.
pub(super) struct Allowed {
    pub(super) policy: Policy,
    value: Value,
}

impl Allowed {
    pub(super) fn new(policy: Policy) -> Self {
        Self {
            policy,
            value: Value::from_serialize(policy),
        }
    }

    /// The fact under its name, the policy, and the element that is looked at as `it`.
    pub(super) fn scope(&self, on: On, fact: &Value, it: Option<&Value>) -> Value {
        let known = [(on.name(), fact.clone()), ("policy", self.value.clone())];
        Value::from_iter(known.into_iter().chain(it.map(|it| ("it", it.clone()))))
    }
}
