//! All origins of a run: chains of origins, each with one number; and the measurements that they
//! are of.
//!
//! Invariant: equal chains of one measurement have one number, and a chain has [`DEPTH`] origins at
//! most, the nearest ones. A chain that had more says so. An origin is of the innermost measurement
//! in which it was made, however many it has left behind, or of none, or of [`ANY`].
//! Source: docs/design/origins.md; docs/design/tallies.md ("Tasks of a measurement").

use lucce_log::{Ground, OriginKind, Record};
use lucce_words::{NodeId, OriginId};
use rustc_hash::FxHashMap;

use crate::hook_tables::context_table::ContextTable;
use crate::hook_tables::origin_keys::OriginKeys;
use crate::support::lock::Lock;

/// Most origins of a chain.
pub(super) const DEPTH: usize = 16;
/// Most origins of a run. A task of the JDK's keeps 24 bits of a number (`LucceTasks`).
const MOST: usize = 1 << 20;
/// The number of the first measurement: no origin's, and with as many bits.
pub(super) const FIRST_MEASUREMENT: usize = MOST + MOST / 2;
/// In place of a measurement: which one is not known.
pub(super) const ANY: OriginId = OriginId(u32::MAX);

/// All origins of a run.
pub struct Origins {
    pub(super) known: Lock<KnownOrigins>,
    /// Those of [`KnownOrigins`], for who only reads one.
    pub(super) keys: Option<OriginKeys>,
    /// Those with a context, for the hooks: the context's number stands in the word's place, the
    /// kind in the site's, the parent in the chain's.
    pub table: ContextTable,
}

#[derive(Default)]
pub(super) struct KnownOrigins {
    ids: FxHashMap<Origin, OriginId>,
    /// By id, from 1.
    all: Vec<(Origin, usize)>,
    measurements: Vec<Measurement>,
    /// By which origin the hooks count; `None` where nothing is counted in tasks.
    keys: Option<OriginKeys>,
}

/// What somebody measures on a thread, and in the tasks that it hands over.
#[derive(Clone, Copy)]
struct Measurement {
    /// The origin that was in force on the thread.
    within: OriginId,
    /// The measurement that was.
    outer: OriginId,
}

/// What an origin says.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Origin {
    pub(super) node: NodeId,
    pub(super) kind: OriginKind,
    pub(super) ground: Ground,
    pub(super) parent: OriginId,
    pub(super) cut: bool,
    /// The measurement in which it was made; 0 for none.
    pub(super) of: OriginId,
}

impl Origins {
    /// Reserves the tables; `None` if the address space does not allow it. `counts_tasks`: counts
    /// of tasks are wanted by origin.
    pub fn reserve(counts_tasks: bool) -> Option<Self> {
        let keys = if counts_tasks { Some(OriginKeys::reserve()?) } else { None };
        Some(Self {
            known: Lock::new(KnownOrigins { keys, ..KnownOrigins::default() }),
            keys,
            table: ContextTable::reserve()?,
        })
    }

    /// Where the hooks find the keys of origins; 0 if there are none.
    pub fn keys(&self) -> i64 {
        self.keys.as_ref().map_or(0, OriginKeys::address)
    }

    /// In place of the measurement of what may be of any.
    pub(super) fn any(&self) -> OriginId {
        if self.keys.is_some() { ANY } else { OriginId(0) }
    }
}

impl KnownOrigins {
    /// The id of an origin whose parent is one of these; `record` is told of each new one.
    pub(super) fn id(&mut self, mut origin: Origin, record: &mut impl FnMut(Record)) -> OriginId {
        if let Some(&id) = self.ids.get(&origin) {
            return id;
        }
        if self.all.len() >= MOST {
            let of = if origin.of == OriginId(0) { origin.of } else { ANY };
            origin = Origin { node: NodeId(0), ground: Ground::Full, parent: OriginId(0), cut: true, of, ..origin };
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
        let Origin { node, kind, ground, parent, cut, of } = origin;
        if let Some(keys) = self.keys.as_ref().filter(|_| of != OriginId(0)) {
            keys.set(id, id);
        }
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

    /// One that knows of counts.
    #[cfg(test)]
    pub(super) fn counting() -> Self {
        Self { keys: OriginKeys::reserve(), ..Self::default() }
    }

    /// Begins a measurement on a thread where `force` is in force. `None` if there are no more
    /// numbers, or no keys.
    pub(super) fn begin(&mut self, force: OriginId) -> Option<OriginId> {
        let number = FIRST_MEASUREMENT + self.measurements.len();
        let keys = self.keys.as_ref().filter(|_| number < OriginKeys::COUNT)?;
        let id = OriginId(u32::try_from(number).ok()?);
        // The thread's own counts are the measurement's where its lane is. Within a task of another
        // they are that one's, too.
        if keys.get(force) != OriginId(0) {
            keys.set(id, id);
        }
        let (within, outer) = self.in_force(force);
        self.measurements.push(Measurement { within, outer });
        Some(id)
    }

    /// What is in force on a thread, taken apart: the origin, and the measurement. Both are 0 for a
    /// number that is none of these.
    pub(super) fn in_force(&self, force: OriginId) -> (OriginId, OriginId) {
        match self.measurement(force) {
            Some(measurement) => (measurement.within, force),
            None => self.get(force).map_or((OriginId(0), OriginId(0)), |origin| (force, origin.of)),
        }
    }

    fn measurement(&self, id: OriginId) -> Option<Measurement> {
        self.measurements.get(id.index().checked_sub(FIRST_MEASUREMENT)?).copied()
    }

    /// Is the origin, or the measurement itself, of this measurement, at whatever distance?
    pub(super) fn is_of(&self, id: OriginId, measurement: OriginId) -> bool {
        let mut at = self.in_force(id).1;
        while let Some(within) = self.measurement(at) {
            if at == measurement {
                return true;
            }
            at = within.outer;
        }
        false
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
        Origin { node: NodeId(node), kind, ground, parent, cut: false, of: OriginId(0) }
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

    #[test]
    fn an_origin_is_of_its_measurement_and_of_those_around_it_however_long_its_chain() {
        let mut known = KnownOrigins::counting();
        let outer = known.begin(OriginId(0)).unwrap();
        let mut task = OriginId(0);
        let hand_over = |known: &mut KnownOrigins, force: OriginId, node| {
            let (parent, of) = known.in_force(force);
            known.id(Origin { of, ..submitted(node, parent) }, &mut |_| ())
        };
        for node in 1..=40 {
            let force = if node == 1 { outer } else { task };
            task = hand_over(&mut known, force, node);
        }
        assert_eq!(chain(&known, task), ((25..=40).rev().collect(), true));
        let inner = known.begin(task).unwrap();
        let innermost = hand_over(&mut known, inner, 41);
        let beside = known.begin(OriginId(0)).unwrap();
        let other = hand_over(&mut known, beside, 1);
        let none = hand_over(&mut known, OriginId(0), 1);
        let is_of = |id, of: [OriginId; 3]| of.map(|of| known.is_of(id, of));
        assert_eq!(is_of(innermost, [outer, inner, beside]), [true, true, false]);
        assert_eq!(is_of(inner, [outer, inner, beside]), [true, true, false]);
        assert_eq!(is_of(task, [outer, inner, beside]), [true, false, false]);
        assert_eq!(is_of(other, [outer, inner, beside]), [false, false, true]);
        assert_eq!(is_of(none, [outer, inner, beside]), [false; 3]);
        let keys = known.keys.as_ref().unwrap();
        let all = [outer, task, inner, innermost, beside, other, none].map(|id| keys.get(id));
        let zero = OriginId(0);
        assert_eq!(all, [zero, task, inner, innermost, zero, other, zero]);
    }
}
