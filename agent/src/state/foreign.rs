//! Methods whose code another agent changed after us.
//!
//! Invariant: a method that is here counts as one without hooks, whatever its code says. Source:
//! docs/design/mechanisms.md.

use lucce_words::MethodId;
use rustc_hash::FxHashSet;

use crate::support::dead::Dead;
use crate::support::lock::Shared;

/// A set of methods that is asked on the slow path and hardly ever grows.
#[derive(Default)]
pub struct Foreign(Shared<FxHashSet<MethodId>>);

impl Foreign {
    /// Is it in the set?
    pub fn contains(&self, method: MethodId) -> bool {
        self.0.read().contains(&method)
    }

    /// Puts it in; was it not there?
    pub fn add(&self, method: MethodId) -> bool {
        self.0.write().insert(method)
    }

    /// Takes unloaded methods out.
    pub fn forget(&self, dead: &Dead) {
        self.0.write().retain(|&method| !dead.has_method(method));
    }
}
