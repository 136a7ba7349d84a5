//! A class into which something was put that is no hook: its bytes, and the way back from them.
//!
//! Invariant: the maps lead to the bytecode indices of the class as it came, through however many
//! steps it was changed; what was put in answers for the instruction that it stands before.
//! Source: docs/design/emitted-code.md; JVMS 4.7.3, 4.7.12.

use crate::{BciMap, Instrumented};

/// A class in place of another one with the same methods in the same order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inserted {
    /// The class file.
    pub bytes: Vec<u8>,
    /// By the order of the methods, ascending; those that are not named have not changed.
    pub(crate) maps: Vec<(usize, BciMap)>,
}

impl Inserted {
    /// What came of these bytes when something more was put into them.
    pub fn then(self, next: Self) -> Self {
        let mut maps = self.maps;
        for (method, map) in next.maps {
            match maps.binary_search_by_key(&method, |known| known.0) {
                Ok(at) => maps[at].1 = map.through(&maps[at].1),
                Err(at) => maps.insert(at, (method, map)),
            }
        }
        Self { bytes: next.bytes, maps }
    }

    /// What was said of these bytes, for the class as it came: indices of instructions and lines.
    pub fn lead_back(&self, instrumented: &mut Instrumented<'_>) {
        for (method, map) in &self.maps {
            let Some(info) = instrumented.methods.get_mut(*method) else { continue };
            info.map = info.map.through(map);
            info.lines = info.lines.through(map);
            let sites = &mut instrumented.sites[info.sites.clone()];
            sites.iter_mut().for_each(|site| site.bci = map.original(site.bci.0.into()));
        }
    }
}
