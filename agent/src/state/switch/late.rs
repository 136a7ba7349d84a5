//! Names of classes that a late start has to do with.
//!
//! Invariant: a class that began to be loaded before the start and is not prepared has its name
//! here, or the names did not find room, and then any class may be one. What is prepared before the
//! start the JVM tells of when it is due, so classes that come and go leave nothing here.

use rustc_hash::{FxHashMap, FxHashSet};

/// More names of a kind are not kept.
const MOST: usize = 1 << 16;

/// See above.
#[derive(Default)]
pub(super) struct Late {
    /// How many classes of the name began to be loaded before the start and are not prepared yet.
    loading: FxHashMap<Box<str>, u32>,
    /// Some of them are not in the table.
    is_full: bool,
    /// Loaded during the start.
    pub(super) left_out: FxHashSet<Box<str>>,
    /// Prepared during the start without hooks.
    pub(super) doubtful: FxHashSet<Box<str>>,
}

impl Late {
    /// A class begins to be loaded before the start.
    pub(super) fn loading(&mut self, name: &str) {
        if let Some(count) = self.loading.get_mut(name) {
            *count = count.saturating_add(1);
        } else if self.loading.len() < MOST {
            self.loading.insert(name.into(), 1);
        } else {
            // Classes whose definition fails again and again, or that are never linked.
            self.is_full = true;
        }
    }

    /// One of them is prepared.
    pub(super) fn prepared(&mut self, name: &str) {
        if let Some(count) = self.loading.get_mut(name) {
            *count -= 1;
            if *count == 0 {
                self.loading.remove(name);
            }
        }
    }

    /// May a class of this name be one of them?
    pub(super) fn awaits(&self, name: &str) -> bool {
        self.is_full || self.loading.contains_key(name)
    }

    /// A class stays as it is. One whose name finds no room may be rewritten if another agent
    /// redefines it: its signatures are interposable for good, so what runs of it then without
    /// hooks does no harm.
    pub(super) fn leave_out(&mut self, name: &str) {
        if self.left_out.len() < MOST {
            self.left_out.insert(name.into());
        }
    }

    /// The start has failed. What was prepared meanwhile is found by the next one; the others go on
    /// being loaded.
    pub(super) fn wait_on(&mut self) {
        for name in std::mem::take(&mut self.doubtful) {
            self.prepared(&name);
        }
        for name in std::mem::take(&mut self.left_out) {
            self.loading(&name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_prepared_classes_are_not_kept_and_others_are_bounded() {
        let mut late = Late::default();
        for number in 0..3 * MOST {
            let name = format!("script/Number{number}");
            late.loading(&name);
            late.prepared(&name);
        }
        assert!(late.loading.is_empty() && !late.awaits("script/Number1"));
        // Two of a name, of which one is prepared.
        late.loading("a/Twin");
        late.loading("a/Twin");
        late.prepared("a/Twin");
        assert!(late.awaits("a/Twin"));
        for number in 0..3 * MOST {
            late.loading(&format!("never/Linked{number}"));
            late.leave_out(&format!("left/Out{number}"));
        }
        assert_eq!((late.loading.len(), late.left_out.len()), (MOST, MOST));
        assert!(late.awaits("any/Class"));
    }
}
