//! Which tasks are of a measurement, and where they were handed over in it.
//!
//! Invariant: a task is of a measurement if it was handed over by the thread that measures, or by
//! such a task. Where it cannot be known where, or whether it is one, that is said. Source:
//! docs/design/tallies.md ("Tasks of a measurement").

use lucce_log::Ground;
use lucce_words::{NodeId, OriginId};
use rustc_hash::FxHashMap;

use super::table::{ANY, FIRST_MEASUREMENT, KnownOrigins, Origins};

/// What a measurement is told of an origin that counts have as their key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HandedOver {
    /// A task of none of its own.
    Elsewhere,
    /// Its task, handed over at these contexts, the nearest first; one of them is of the thread
    /// that measures, unless there were more than a chain keeps. Its own counts have none.
    At(Vec<NodeId>),
    /// Its task, or perhaps so; where it was handed over is not known.
    Unknown,
}

impl Origins {
    /// Begins a measurement on a thread where `force` is in force: its number. 0 where tasks are
    /// not counted, `None` if there is no number left.
    pub fn begin_measurement(&self, force: OriginId) -> Option<OriginId> {
        if self.keys.is_none() { Some(OriginId(0)) } else { self.known.lock().begin(force) }
    }

    /// The key of counts where this origin is in force.
    pub fn key(&self, force: OriginId) -> OriginId {
        self.keys.map_or(OriginId(0), |keys| keys.get(force))
    }

    /// The origin in force as the log knows it, to which a measurement is none. Each event asks.
    pub fn logged(&self, force: OriginId) -> OriginId {
        if force.index() < FIRST_MEASUREMENT { force } else { self.known.lock().in_force(force).0 }
    }

    /// Where the tasks with these keys were handed over in the measurement.
    pub fn handed_over(
        &self,
        keys: impl Iterator<Item = OriginId>,
        measurement: OriginId,
    ) -> FxHashMap<OriginId, HandedOver> {
        let known = self.known.lock();
        let mut places = FxHashMap::default();
        for key in keys {
            places.entry(key).or_insert_with(|| known.handed_over(key, measurement));
        }
        places
    }
}

impl KnownOrigins {
    /// Where the task with this key was handed over in the measurement.
    fn handed_over(&self, key: OriginId, measurement: OriginId) -> HandedOver {
        let (mut at, of) = self.in_force(key);
        if of == ANY {
            return HandedOver::Unknown;
        }
        if !self.is_of(key, measurement) {
            return HandedOver::Elsewhere;
        }
        let mut nodes = Vec::new();
        while self.is_of(at, measurement) {
            let Some(origin) = self.get(at).filter(|origin| origin.ground == Ground::Known) else {
                return HandedOver::Unknown;
            };
            nodes.push(origin.node);
            at = origin.parent;
        }
        HandedOver::At(nodes)
    }
}

#[cfg(test)]
mod tests {
    use lucce_log::OriginKind;

    use super::super::table::{DEPTH, Origin};
    use super::*;

    fn hand_over(known: &mut KnownOrigins, force: OriginId, node: u32, ground: Ground) -> OriginId {
        let (parent, of) = known.in_force(force);
        let origin = Origin { node: NodeId(node), kind: OriginKind::Submitted, ground, parent, cut: false, of };
        known.id(origin, &mut |_| ())
    }

    #[test]
    fn a_task_was_handed_over_along_its_chain_up_to_the_thread_that_measures() {
        let mut known = KnownOrigins::counting();
        let before = hand_over(&mut known, OriginId(0), 1, Ground::Known);
        let outer = known.begin(before).unwrap();
        let first = hand_over(&mut known, outer, 2, Ground::Known);
        let second = hand_over(&mut known, first, 3, Ground::Known);
        let inner = known.begin(second).unwrap();
        let third = hand_over(&mut known, inner, 4, Ground::Known);
        let at = |nodes: &[u32]| HandedOver::At(nodes.iter().copied().map(NodeId).collect());
        assert_eq!(known.handed_over(second, outer), at(&[3, 2]));
        assert_eq!(known.handed_over(third, outer), at(&[4, 3, 2]));
        assert_eq!(known.handed_over(third, inner), at(&[4]));
        assert_eq!(known.handed_over(inner, outer), at(&[3, 2]));
        assert_eq!(known.handed_over(inner, inner), at(&[]));
        assert_eq!(known.handed_over(second, inner), HandedOver::Elsewhere);
        assert_eq!(known.handed_over(before, outer), HandedOver::Elsewhere);
        let lost = hand_over(&mut known, outer, 0, Ground::Lost);
        let behind = hand_over(&mut known, lost, 5, Ground::Known);
        assert_eq!([lost, behind].map(|key| known.handed_over(key, outer)), [HandedOver::Unknown, HandedOver::Unknown]);
        let mut last = outer;
        for node in 1..=40 {
            last = hand_over(&mut known, last, node, Ground::Known);
            let kept: Vec<u32> = (1..=node).rev().take(DEPTH).collect();
            assert_eq!(known.handed_over(last, outer), at(&kept));
        }
    }
}
