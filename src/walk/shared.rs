//! Maps that states share: a copy costs nothing, and a change of one of two copies only the path to it.
use rpds::RedBlackTreeMap;
use std::rc::Rc;

/// Values by name, in the order of the names.
pub type Shared<V> = RedBlackTreeMap<Rc<str>, V>;

/// Adds what `mine` has not and `theirs` has.
pub(super) fn add_missing<V: Clone>(mine: &mut Shared<V>, theirs: &Shared<V>) {
    if mine.ptr_eq(theirs) {
        return;
    }
    for (name, value) in theirs {
        if !mine.contains_key(name) {
            mine.insert_mut(name.clone(), value.clone());
        }
    }
}
