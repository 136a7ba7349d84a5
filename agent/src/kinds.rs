//! Numbers that the program has been given for kinds of events, so that it need not name them each time.
//!
//! Invariant: equal names have equal numbers; a number keeps its name.

use std::sync::Arc;

use crate::lock::Shared;

/// The names, by their numbers from 1.
#[derive(Default)]
pub struct Kinds(Shared<Vec<Arc<str>>>);

impl Kinds {
    /// The number of a name.
    pub fn number(&self, name: String) -> u32 {
        let mut names = self.0.write();
        let known = names.iter().position(|known| **known == *name);
        let index = known.unwrap_or_else(|| {
            names.push(name.into());
            names.len() - 1
        });
        index as u32 + 1
    }

    /// The name with that number.
    pub fn name(&self, number: u32) -> Option<Arc<str>> {
        self.0.read().get((number as usize).checked_sub(1)?).cloned()
    }
}
