//! All origins of a run: chains of origins, each with one number.
//!
//! Invariant: equal chains have one number, and a chain has [`DEPTH`] origins at most, the nearest ones. A chain that had more says so.
//! Source: docs/design/origins.md.

use lucce_log::{Ground, OriginKind, Record};
use lucce_words::{NodeId, OriginId};
use rustc_hash::FxHashMap;

use crate::hook_tables::context_table::ContextTable;
use crate::support::lock::Lock;

/// Most origins of a chain.
pub(super) const DEPTH: usize = 16;
/// Most origins of a run. A task of the JDK's keeps 24 bits of a number (`LucceTasks`).
const MOST: usize = 1 << 20;

/// All origins of a run.
pub struct Origins {
    pub(super) known: Lock<KnownOrigins>,
    /// Those with a context, for the hooks: the context's number stands in the word's place, the kind in the site's, the parent in the chain's.
    pub table: ContextTable,
}

#[derive(Default)]
pub(super) struct KnownOrigins {
    ids: FxHashMap<Origin, OriginId>,
    /// By id, from 1.
    pub(super) all: Vec<(Origin, usize)>,
}

/// What an origin says.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Origin {
    pub(super) node: NodeId,
    pub(super) kind: OriginKind,
    pub(super) ground: Ground,
    pub(super) parent: OriginId,
    pub(super) cut: bool,
}

impl Origins {
    /// Reserves the table; `None` if the address space does not allow it.
    pub fn reserve() -> Option<Self> {
        Some(Self { known: Lock::default(), table: ContextTable::reserve()? })
    }
}

impl KnownOrigins {
    /// The id of an origin whose parent is one of these; `record` is told of each new one.
    pub(super) fn id(&mut self, mut origin: Origin, record: &mut impl FnMut(Record)) -> OriginId {
        if let Some(&id) = self.ids.get(&origin) {
            return id;
        }
        if self.all.len() >= MOST {
            origin = Origin { node: NodeId(0), ground: Ground::Full, parent: OriginId(0), cut: true, ..origin };
            if let Some(&id) = self.ids.get(&origin) {
                return id;
            }
        }
        let (parent, missing) = self.shortened(origin.parent, DEPTH - 1, record);
        origin = Origin { parent, cut: origin.cut || missing, ..origin };
        if let Some(&id) = self.ids.get(&origin) {
            return id;
        }
        let id = OriginId(self.all.len() as u32 + 1);
        self.all.push((origin, self.depth(parent) + 1));
        self.ids.insert(origin, id);
        let Origin { node, kind, ground, parent, cut } = origin;
        record(Record::Origin { id, node, kind, ground, parent, cut });
        id
    }

    /// The first `most` origins of a chain; and is that none of several?
    fn shortened(&mut self, id: OriginId, most: usize, record: &mut impl FnMut(Record)) -> (OriginId, bool) {
        if self.depth(id) <= most {
            return (id, false);
        }
        let Some(origin) = self.get(id).filter(|_| most > 0) else { return (OriginId(0), true) };
        let (parent, missing) = self.shortened(origin.parent, most - 1, record);
        (self.id(Origin { parent, cut: origin.cut || missing, ..origin }, record), false)
    }

    pub(super) fn get(&self, id: OriginId) -> Option<Origin> {
        self.all.get(id.index().checked_sub(1)?).map(|entry| entry.0)
    }

    fn depth(&self, id: OriginId) -> usize {
        id.index().checked_sub(1).and_then(|index| self.all.get(index)).map_or(0, |entry| entry.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn submitted(node: u32, parent: OriginId) -> Origin {
        let (kind, ground) = (OriginKind::Submitted, Ground::Known);
        Origin { node: NodeId(node), kind, ground, parent, cut: false }
    }

    fn chain(known: &KnownOrigins, mut id: OriginId) -> (Vec<u32>, bool) {
        let (mut nodes, mut cut) = (Vec::new(), false);
        while let Some(origin) = known.get(id) {
            nodes.push(origin.node.0);
            (id, cut) = (origin.parent, origin.cut);
        }
        (nodes, cut)
    }

    #[test]
    fn a_chain_keeps_its_nearest_origins_and_says_that_there_were_more() {
        let (mut known, mut written) = (KnownOrigins::default(), 0);
        let mut last = OriginId(0);
        for node in 1..=40 {
            last = known.id(submitted(node, last), &mut |_| written += 1);
            let nodes: Vec<u32> = (1..=node).rev().take(DEPTH).collect();
            assert_eq!(chain(&known, last), (nodes, node as usize > DEPTH));
        }
        assert_eq!(written, known.all.len());
    }

    #[test]
    fn a_task_that_hands_itself_over_again_needs_no_more_origins_after_a_while() {
        let mut known = KnownOrigins::default();
        let mut last = OriginId(0);
        for _ in 0..1000 {
            last = known.id(submitted(7, last), &mut |_| ());
        }
        assert!(known.all.len() <= 2 * DEPTH, "{} origins", known.all.len());
        assert_eq!(chain(&known, last), (vec![7; DEPTH], true));
    }
}
