//! An event as it is kept: fixed size, with what names its context apart from what happened.
//!
//! Invariant: equal [`Place`]s have equal traces.
//! Source: docs/FORMAT.md, "Event".

use lucce_log::{Ground, OriginKind};
use lucce_words::{NodeId, OriginId, SiteId, Word};

/// A list of walked frames; 0 is the empty one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WalkId(pub u32);

/// Where an event happened: all that its trace depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Word of the innermost instrumented activation.
    pub word: Word,
    /// The instruction it stood at.
    pub site: SiteId,
    /// Captured context below the topmost cut entry, for a chained word.
    pub chain: NodeId,
    /// A captured context in place of word and site; 0 for none.
    pub node: NodeId,
    /// Uninstrumented frames on top.
    pub walked: WalkId,
}

/// Something that happened, or a tally: so many of its kind in one place, of which only the sums
/// are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedEvent {
    /// Its number in the file, from 0; tallies have numbers of their own, behind all others.
    pub seq: u64,
    /// Nanoseconds since the start of the run. Of a tally until when it holds, where a log is
    /// streamed and says so; else 0.
    pub time_ns: u64,
    /// The log's number of its thread, [`Log::thread`](crate::Log::thread).
    pub thread: u32,
    /// The log's number of its kind, [`Log::kind`](crate::Log::kind).
    pub kind: u32,
    /// Its value: bytes for allocations, the program's own for others. Of a tally the sum.
    pub value: i64,
    /// How many events it stands for: 1, but for a tally.
    pub count: u64,
    /// Where it happened.
    pub place: Place,
    /// Number of the allocated class, [`Log::allocated`](crate::Log::allocated).
    pub class: Option<u32>,
}

/// Where the numbers of tallies begin: a file has fewer events.
const TALLIES: u64 = 1 << 63;
/// Bits of such a number that tell tallies of one node apart; the node stands above.
const NTH: u32 = 20;

impl LoggedEvent {
    /// The number of a tally: the `nth` of its node, from 0.
    pub(crate) fn tally_seq(node: NodeId, nth: u64) -> u64 {
        TALLIES | u64::from(node.0) << NTH | nth.min((1 << NTH) - 1)
    }

    /// When it happened, or until when a tally holds, in nanoseconds since the start of the run;
    /// `None` where that is not known.
    pub fn time(&self) -> Option<u64> {
        (!self.is_tally() || self.time_ns != 0).then_some(self.time_ns)
    }

    /// Is it a tally?
    pub fn is_tally(&self) -> bool {
        self.seq >= TALLIES
    }

    /// What the context of the event with this number is called: `c12`, or for a tally `t12`, after
    /// its node, and `t12.1` if it is another of that node.
    pub fn context_name(seq: u64) -> String {
        if seq < TALLIES {
            return format!("c{seq}");
        }
        let (node, nth) = (seq >> NTH & u64::from(u32::MAX), seq & ((1 << NTH) - 1));
        if nth == 0 { format!("t{node}") } else { format!("t{node}.{nth}") }
    }

    /// The number of the event after which a context is called; the `c` may be left out.
    pub fn seq_named(name: &str) -> Option<u64> {
        let Some(name) = name.strip_prefix('t') else {
            return name.strip_prefix('c').unwrap_or(name).parse().ok().filter(|&seq| seq < TALLIES);
        };
        let (node, nth) = name.split_once('.').unwrap_or((name, "0"));
        Some(Self::tally_seq(NodeId(node.parse().ok()?), nth.parse().ok()?))
    }
}

/// A thread of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Its name when it was first seen.
    pub name: String,
    /// `Thread.getId()`.
    pub java_id: u64,
    /// Where it, or the task that it ran, came from:
    /// [`Contexts::origins`](crate::Contexts::origins).
    pub origin: OriginId,
}

/// Where a thread or task came from, as the log has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The context.
    pub node: NodeId,
    /// What happened there.
    pub kind: OriginKind,
    /// Why that is the node.
    pub ground: Ground,
    /// The origin that was in force there; 0 for none.
    pub parent: OriginId,
    /// There were more than the log keeps.
    pub cut: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What reading a log takes for each; docs/guide/decoder.md tells of less than 100 bytes.
    #[test]
    fn an_event_takes_72_bytes() {
        assert_eq!(size_of::<LoggedEvent>(), 72);
    }

    #[test]
    fn a_context_is_found_by_its_name() {
        for (seq, name) in [
            (0, "c0"),
            (12, "c12"),
            (LoggedEvent::tally_seq(NodeId(7), 0), "t7"),
            (LoggedEvent::tally_seq(NodeId(u32::MAX), 3), "t4294967295.3"),
        ] {
            assert_eq!((LoggedEvent::context_name(seq).as_str(), LoggedEvent::seq_named(name)), (name, Some(seq)));
        }
        assert_eq!(LoggedEvent::seq_named("12"), Some(12));
        for wrong in ["", "t", "tx", "t1.", "c-1", "t99999999999", "9223372036854775809"] {
            assert_eq!(LoggedEvent::seq_named(wrong), None, "{wrong}");
        }
    }
}
