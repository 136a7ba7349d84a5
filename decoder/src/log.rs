//! A whole log, replayed: the graph with all its versions, the names, and the events.
//!
//! Invariant: a log that has been read does not change.
//! Source: docs/FORMAT.md.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use lucce_encoding::Snapshot;
use lucce_encoding::algorithm1::History;
use lucce_log::{Damage, Header, Tally, What};
use lucce_words::{EdgeId, MethodId, NodeId, OriginId, SiteId, Version};

use crate::hot::Profiled;
use crate::kinds::Kinds;
use crate::{Kind, LoggedEvent, Names, Numbering, Origin, Refusal, Thread};

/// A class or method that was left as it was, or has something else to be said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skip {
    /// As people write it.
    pub class: Arc<str>,
    /// Name and descriptor; `None` for the whole class.
    pub method: Option<Arc<str>>,
    /// Why.
    pub reason: Arc<str>,
}

/// What damage has cost, beyond the bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Loss {
    /// Events in blocks that are gone, as far as later blocks tell.
    pub events: u64,
    /// Events that name a lost definition.
    pub undefined_events: u64,
    /// Other records that name a lost definition, or an id whose record is lost.
    pub records: u64,
    /// Versions whose numbering could not be repeated.
    pub versions: u64,
    /// Blocks that held something other than records.
    pub malformed: u64,
}

impl Loss {
    /// Events that cannot be decoded. The heads of blocks may claim any number.
    pub fn undecodable_events(&self) -> u64 {
        self.events.saturating_add(self.undefined_events)
    }
}

/// A replayed log.
pub struct Log {
    pub(crate) header: Option<Header>,
    pub(crate) damage: Vec<Damage>,
    pub(crate) loss: Loss,
    pub(crate) bytes: u64,
    pub(crate) raw_bytes: u64,
    pub(crate) record_bytes: Tally,
    pub(crate) blocks: u64,
    pub(crate) ended: bool,
    pub(crate) next: Option<String>,
    pub(crate) refusal: Option<Refusal>,
    pub(crate) names: Names,
    pub(crate) nodes: HashMap<NodeId, (NodeId, SiteId)>,
    pub(crate) learned: BTreeMap<NodeId, u64>,
    pub(crate) snapshot: Snapshot,
    pub(crate) numberings: BTreeMap<Version, Numbering>,
    pub(crate) paper: History<u64>,
    pub(crate) events: Vec<LoggedEvent>,
    pub(crate) skips: Vec<Skip>,
    pub(crate) threads: HashMap<u32, Thread>,
    pub(crate) origins: HashMap<OriginId, Origin>,
    pub(crate) kinds: Kinds,
    pub(crate) allocated: Vec<String>,
    pub(crate) counters: BTreeMap<String, u64>,
    pub(crate) profile: Option<Profiled>,
    pub(crate) mismatches: Vec<String>,
    pub(crate) notes: Vec<String>,
    pub(crate) largest_number: u64,
}

impl Log {
    /// What wrote the log; `None` if that is damaged.
    pub fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// What could not be read, in file order.
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// Does another log begin in the file? Nothing behind that is read.
    pub fn meets_another(&self) -> bool {
        self.damage.last().is_some_and(|damage| damage.what == What::Another)
    }

    /// What that has cost.
    pub fn loss(&self) -> &Loss {
        &self.loss
    }

    /// Length of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The run, or this file of it, ended in order, and the log says so.
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// The name of the file of the same folder in which the log goes on.
    pub fn next(&self) -> Option<&str> {
        self.next.as_deref()
    }

    /// What the disk did not take of this file, if there was such a time.
    pub fn refusal(&self) -> Option<&Refusal> {
        self.refusal.as_ref()
    }

    /// Nothing is missing.
    pub fn is_complete(&self) -> bool {
        self.ended && self.damage.is_empty() && self.loss == Loss::default()
    }

    /// All events that could be read, in file order.
    pub fn events(&self) -> &[LoggedEvent] {
        &self.events
    }

    /// The event with this number.
    pub fn event(&self, seq: u64) -> Option<&LoggedEvent> {
        self.events.binary_search_by_key(&seq, |event| event.seq).ok().map(|at| &self.events[at])
    }

    /// Classes, methods, sites.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The graph with all its versions.
    pub fn graph(&self) -> &Snapshot {
        &self.snapshot
    }

    /// The graph of Algorithm 1 with all its versions; `None` for a log of the other encoder.
    pub fn paper(&self) -> Option<&History<u64>> {
        let meant = self.header.as_ref().is_some_and(|header| header.encoder == "algorithm1");
        (meant || self.paper.version() > Version(0)).then_some(&self.paper)
    }

    /// Does the log say what this captured number stands for?
    pub fn has_captured(&self, node: NodeId) -> bool {
        self.nodes.contains_key(&node)
    }

    /// A thread by the log's number.
    pub fn thread(&self, id: u32) -> Option<&Thread> {
        self.threads.get(&id)
    }

    /// Label of an event kind: its name, and `program:` before it where the agent has one of that
    /// name.
    pub fn kind(&self, id: u32) -> Option<&str> {
        self.kind_of(id).map(|kind| kind.label.as_str())
    }

    /// An event kind.
    pub fn kind_of(&self, id: u32) -> Option<&Kind> {
        self.kinds.get(&id)
    }

    /// Number of an event kind by what a user writes for it.
    pub fn kind_id(&self, text: &str) -> Option<u32> {
        self.kinds.iter().find(|(_, kind)| kind.is_meant_by(text)).map(|(&id, _)| id)
    }

    /// Labels of all event kinds.
    pub fn kinds(&self) -> impl Iterator<Item = &str> {
        self.kinds.values().map(|kind| kind.label.as_str())
    }

    /// The class that an event allocated, as people write it.
    pub fn allocated(&self, event: &LoggedEvent) -> Option<&str> {
        self.allocated_name(event.class?)
    }

    pub(crate) fn allocated_name(&self, class: u32) -> Option<&str> {
        self.allocated.get(class as usize).map(String::as_str)
    }

    /// The agent's counters.
    pub fn counters(&self) -> &BTreeMap<String, u64> {
        &self.counters
    }

    /// What was not instrumented.
    pub fn skips(&self) -> &[Skip] {
        &self.skips
    }

    /// What the oracle found wrong.
    pub fn mismatches(&self) -> &[String] {
        &self.mismatches
    }

    /// The agent's remarks.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

impl std::fmt::Debug for Log {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Log").field("header", &self.header).field("events", &self.events.len()).finish()
    }
}

/// What of the graph a version is asked for.
impl Log {
    /// Versions of the graph, the first one included.
    pub fn versions(&self) -> impl Iterator<Item = Version> {
        (Version::FIRST.0..=self.snapshot.version().0).map(Version)
    }

    /// Methods by ascending id.
    pub fn methods(&self) -> Vec<MethodId> {
        let mut ids: Vec<MethodId> = self.names.methods.keys().copied().collect();
        ids.sort_unstable();
        ids
    }

    /// Uninstrumented frames seen on an edge.
    pub fn via(&self, edge: EdgeId) -> &[Arc<str>] {
        self.names.via.get(&edge).map_or(&[], Vec::as_slice)
    }
}
