//! Methods of classes without hooks that have a Guard, which throws again whatever leaves them.
//!
//! Invariant: a method is noted before it can run. Source: docs/design/mechanisms.md ("Guard").

use rustc_hash::{FxHashMap, FxHashSet};

use crate::support::lock::Shared;
use crate::support::text;

/// The classes of such methods, by the method's name.
#[derive(Default)]
pub struct Guarded(Shared<FxHashMap<String, FxHashSet<String>>>);

impl Guarded {
    /// Has the method one?
    pub fn contains(&self, class: &str, method: &str) -> bool {
        self.0.read().get(method).is_some_and(|classes| classes.contains(class))
    }

    /// It has.
    pub fn add(&self, class: &str, method: &[u8]) {
        self.0.write().entry(text::ours(method).into_owned()).or_default().insert(class.into());
    }
}
