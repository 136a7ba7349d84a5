//! Sizes that the JVM has said. Invariant: one that was said once is not asked for again, while its
//! site's class lives.

use std::sync::OnceLock;

use lucce_words::SiteId;
use rustc_hash::FxHashMap;

use crate::hook_tables::tallies::Size;
use crate::support::dead::Dead;
use crate::support::lock::Lock;

/// The elements that there are, by their descriptor's first character; `L` stands for references.
pub(super) const ELEMENTS: [char; 9] = ['Z', 'B', 'C', 'S', 'I', 'F', 'J', 'D', 'L'];

/// Layouts of arrays, by element.
#[derive(Default)]
pub struct Arrays(pub(super) [OnceLock<Size>; ELEMENTS.len()]);

/// Sizes of objects by site and number of class.
#[derive(Default)]
pub struct Sizes {
    pub(super) known: Lock<FxHashMap<(SiteId, u32), Option<Size>>>,
    pub(super) arrays: Arrays,
}

impl Sizes {
    /// Nothing is made at the sites of unloaded classes any more.
    pub fn forget(&self, dead: &Dead) {
        self.known.lock().retain(|(site, _), _| !dead.has_site(*site));
    }
}
