//! Names that many entries share.
//!
//! Invariant: equal names are one, as long as somebody has it.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Name;
use crate::jvm::text;

/// Names by their bytes.
#[derive(Default)]
pub(super) struct Names {
    known: FxHashMap<Vec<u8>, Name>,
    /// So many there were when those that nobody uses were thrown out last.
    used: usize,
}

impl Names {
    /// Throws out what nobody else holds, where that may be half of all.
    pub(super) fn purge(&mut self) {
        if self.known.len() > 2 * self.used.max(1024) {
            self.known.retain(|_, name| Arc::strong_count(name) > 1);
            self.used = self.known.len();
        }
    }
}

/// The shared form of a name.
pub(super) fn shared(names: &mut Names, bytes: &[u8]) -> Name {
    if let Some(name) = names.known.get(bytes) {
        return name.clone();
    }
    let name: Name = text::ours(bytes).into();
    names.known.insert(bytes.to_vec(), name.clone());
    name
}
