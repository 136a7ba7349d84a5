//! Names that many entries share.
//!
//! Invariant: equal names are one, as long as somebody has it.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::Name;
use crate::jvm::text;

/// The names that are in use, and perhaps others.
#[derive(Default)]
pub(super) struct Names {
    known: FxHashSet<Name>,
    /// So many there were when those that nobody uses were thrown out last.
    used: usize,
}

impl Names {
    /// Throws out what nobody else holds, where that may be half of all.
    pub(super) fn purge(&mut self) {
        if self.known.len() > 2 * self.used.max(1024) {
            self.known.retain(|name| Arc::strong_count(name) > 1);
            self.used = self.known.len();
        }
    }
}

/// The shared form of a name.
pub(super) fn shared(names: &mut Names, bytes: &[u8]) -> Name {
    let text = text::ours(bytes);
    if let Some(name) = names.known.get(&*text) {
        return name.clone();
    }
    let name: Name = text.into();
    names.known.insert(name.clone());
    name
}
