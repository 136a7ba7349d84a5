//! A log in the making: each record put where it belongs.
//!
//! Invariant: a record that does not fit what came before changes nothing and is counted.
//! Source: docs/FORMAT.md, "Records" and "Damage".

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use lucce_encoding::algorithm1::{History, HistoryEvent};
use lucce_encoding::{Change, Replay};
use lucce_log::{EventRecord, Header, Record, RecordError, StringNumber, Tally, WalkNumber, WalkedFrame};
use lucce_words::{EdgeId, NodeId, OriginId, SiteId, Word, within_part};

use crate::hot::{Profiled, Stream};
use crate::kinds::Kinds;
use crate::names::{ClassInfo, MethodInfo, SiteInfo, type_name};
use crate::shared::Shared;
use crate::{Kind, Log, LoggedEvent, Loss, Names, Numbering, Origin, Place, Refusal, Skip, Thread, WalkId};

/// What the numbers in events stand for.
#[derive(Clone, Copy)]
pub(crate) struct Defined<'d> {
    pub(crate) strings: &'d [Arc<str>],
    pub(crate) walks: &'d [Arc<[WalkedFrame]>],
}

/// A log in the making.
pub(crate) struct Replaying {
    pub(crate) log: Log,
    replay: Replay,
    /// Numbers of [`Log::allocated`].
    allocated: Shared,
    /// Such a number, by the definition of the class's name.
    classes: Vec<Option<u32>>,
    /// Likewise walked frames.
    walks: Vec<Option<WalkId>>,
    tallies: Tallies,
    /// Of the records lost, those that are no definitions: sums of events, which no keyframe
    /// repeats.
    lost_for_good: u64,
    /// So many blocks of a keyframe follow.
    pub(crate) keyframe: Option<u32>,
    /// What the first block says that the disk did not take.
    refused: Option<(bool, Vec<(String, u64)>)>,
}

/// The number of the sums of each kind, place and class, where they are among the events unless
/// these were forgotten, and how many there are of each node.
#[derive(Default)]
struct Tallies {
    known: HashMap<(u32, Place, Option<u32>), (u64, usize)>,
    of_node: HashMap<NodeId, u64>,
    /// Are those of one stretch of time kept apart from those of another?
    by_time: bool,
    /// Until when those that follow hold; 0 where that is unknown, or all are one.
    until: u64,
}

impl Tallies {
    fn until(&mut self, time_ns: u64) {
        if self.by_time {
            self.until = time_ns;
        }
    }
}

impl Replaying {
    pub(crate) fn new(header: Option<Header>) -> Self {
        let replay = Replay::new();
        let log = Log {
            header,
            damage: Vec::new(),
            loss: Loss::default(),
            bytes: 0,
            raw_bytes: 0,
            record_bytes: Tally::default(),
            blocks: 0,
            ended: false,
            next: None,
            refusal: None,
            names: Names::default(),
            nodes: HashMap::new(),
            snapshot: replay.snapshot(),
            numberings: BTreeMap::new(),
            learned: BTreeMap::new(),
            paper: History::new(),
            events: Vec::new(),
            skips: Vec::new(),
            threads: HashMap::new(),
            origins: HashMap::new(),
            kinds: Kinds::new(),
            allocated: Vec::new(),
            counters: BTreeMap::new(),
            profile: None,
            mismatches: Vec::new(),
            notes: Vec::new(),
            largest_number: 0,
        };
        let (allocated, tallies) = (Shared::default(), Tallies::default());
        Self {
            log,
            replay,
            allocated,
            classes: Vec::new(),
            walks: Vec::new(),
            tallies,
            lost_for_good: 0,
            keyframe: None,
            refused: None,
        }
    }

    /// Takes over all definitions from another, which has read nothing but a whole keyframe. What
    /// they cost when they were lost is mended.
    pub(crate) fn adopt(&mut self, whole: Self) {
        let Self { log, replay, .. } = whole;
        self.replay = replay;
        self.log.names.adopt(log.names);
        self.log.nodes = log.nodes;
        self.log.numberings = log.numberings;
        self.log.learned = log.learned;
        self.log.paper = log.paper;
        self.log.skips = log.skips;
        self.log.threads = log.threads;
        self.log.origins = log.origins;
        self.log.kinds = log.kinds;
        self.log.mismatches = log.mismatches;
        self.log.notes = log.notes;
        self.log.largest_number = self.log.largest_number.max(log.largest_number);
        (self.log.loss.records, self.log.loss.versions) = (self.lost_for_good, 0);
    }

    /// Forgets the events so far, and the sums; these keep their numbers.
    pub(crate) fn forget_events(&mut self) {
        self.log.events.clear();
    }

    /// From now on tallies have the time until which they hold.
    pub(crate) fn tell_tallies_by_time(&mut self) {
        self.tallies.by_time = true;
    }

    /// Something was lost, perhaps the time of the tallies that follow.
    pub(crate) fn forget_time(&mut self) {
        self.tallies.until = 0;
    }

    /// Nothing of what was read was lost.
    pub(crate) fn is_whole(&self) -> bool {
        self.log.damage.is_empty() && self.log.loss == Loss::default()
    }

    /// Makes the log show the graph as it is now.
    pub(crate) fn refresh(&mut self) {
        self.log.snapshot = self.replay.snapshot();
        // Later blocks may have older counters.
        if let Some((ended, dropped)) = self.refused.clone() {
            self.log.refusal = Refusal::of(ended, dropped, &mut self.log.counters);
        }
    }

    pub(crate) fn finish(mut self) -> Log {
        self.refresh();
        self.log.names.unify();
        // Numbers only grow in a file; a hostile one must not break the search.
        self.log.events.sort_by_key(|event| event.seq);
        self.log
    }

    pub(crate) fn record(&mut self, record: Record) {
        let Log { names, paper, .. } = &mut self.log;
        match record {
            Record::Class { id, name, source, loader } => {
                let name = names.readable(&name);
                names.classes.entry(id).or_insert(ClassInfo { name, source, loader });
            }
            Record::Method { id, class, name, desc, access, huge } => {
                if self.replay.add_method(id, &*name == "<init>").is_err() {
                    self.log.loss.records += 1;
                } else {
                    names.methods.entry(id).or_insert(MethodInfo { class, name, desc, access, huge });
                }
            }
            Record::Site { id, method, bci, line, .. } => {
                self.replay.add_site(id, method);
                paper.add_site(id, method);
                names.sites.entry(id).or_insert(SiteInfo { method, bci, line, same: id });
            }
            Record::Edge { id, site, callee } => {
                if self.change(Change::Edge { edge: id, site, callee }) {
                    self.log.names.edges.insert((site, callee), id);
                }
            }
            Record::Cut { edge } => {
                self.change(Change::Cut { edge });
            }
            Record::Unrolled { edge } => {
                self.change(Change::Unrolled { edge });
            }
            Record::Unloaded { method } => {
                self.change(Change::Unloaded { method });
            }
            Record::Segment { edge, version, lo, len, restoring, base } => {
                if self.change(Change::Segment { edge, version, lo, len, restoring, base }) {
                    self.number(within_part(base).saturating_add(len.saturating_sub(1)));
                }
            }
            Record::CutNumber { edge, version, number } => {
                if self.change(Change::CutNumber { edge, version, number }) {
                    self.number(within_part(number));
                }
            }
            // Of a keyframe whose announcement was lost: it has begun already.
            Record::NewVersion { version, .. } if version <= self.replay.version() => {}
            Record::NewVersion { version, digest } => {
                if !self.change(Change::NewVersion { version, digest }) {
                    self.log.loss.records -= 1;
                    self.log.loss.versions += 1;
                }
            }
            Record::Numbering { version, time_ns, cause, nanos, methods, edges, largest, cut } => {
                let numbering = Numbering { time_ns, cause, nanos, methods, edges, largest, cut };
                self.log.numberings.entry(version).or_insert(numbering);
            }
            Record::Skip { class, method, reason } => {
                let class = names.readable(&class);
                self.log.skips.push(Skip { class, method, reason });
            }
            Record::Thread { id, name, java_id } => {
                self.log.threads.insert(id, Thread { name, java_id, origin: OriginId(0) });
            }
            Record::ThreadOf { id, name, java_id, origin } => {
                self.log.threads.insert(id, Thread { name, java_id, origin });
            }
            Record::Origin { id, node, kind, ground, parent, cut } => {
                // As with nodes: no chain, however damaged, is a circle.
                if parent < id {
                    self.log.origins.entry(id).or_insert(Origin { node, kind, ground, parent, cut });
                } else {
                    self.log.loss.records += 1;
                }
            }
            Record::Node { id, parent, site } => {
                // A parent is always the older one: so no tree, however damaged, has a cycle.
                if parent < id {
                    self.log.nodes.entry(id).or_insert((parent, site));
                } else {
                    self.log.loss.records += 1;
                }
            }
            Record::Learned { word, node, .. } => {
                self.log.learned.entry(node).or_insert(word);
            }
            Record::Kind { id, owner, name } => {
                self.log.kinds.entry(id).or_insert_with(|| Kind::new(owner, name));
            }
            // They come by `event`.
            Record::Event { .. } => {}
            Record::Tally { kind, node, site, word, class, count, value } => {
                let class = class.map(|class| self.allocated(&class));
                let (word, site) = if node == NodeId(0) { (word, site) } else { (Word::NONE, SiteId::UNKNOWN) };
                self.tally(kind, Place { word, site, node, ..Place::default() }, class, (count, value));
            }
            Record::Profile { period, counters, entries, samples, dropped, lost, replaced, unseen } => {
                let stream = Stream { period, counters, entries, samples, dropped, lost, replaced, unseen };
                // The bounds of contexts that were known before hold no longer.
                self.log.profile = Some(Profiled { stream, most: HashMap::new() });
            }
            Record::ProfileContext { node, count, error } => {
                if let Some(profile) = &mut self.log.profile {
                    profile.most.insert(node, count.max(error));
                }
            }
            Record::Via { edge, frames } => {
                names.via.insert(edge, frames);
            }
            Record::PaperEdge { version, site, callee } => {
                if self.paper(HistoryEvent::Edge { version, site, callee }) {
                    self.log.names.edges.insert((site, callee), EdgeId(version.0));
                }
            }
            Record::PaperContexts { version, method, contexts } => {
                if self.paper(HistoryEvent::Contexts { version, method, contexts }) {
                    self.number(contexts.saturating_sub(1));
                }
            }
            Record::PaperLastVersion { version, method, last } => {
                self.paper(HistoryEvent::LastVersion { version, method, last });
            }
            Record::Counters { values } => self.log.counters.extend(values),
            Record::Mismatch { text } => self.log.mismatches.push(text),
            Record::Note { text } => self.log.notes.push(text),
            Record::End => self.log.ended = true,
            Record::Rotated { next } => {
                self.log.ended = true;
                self.log.next = Some(next);
            }
            Record::Keyframe { blocks } => self.keyframe = Some(blocks),
            Record::Refused { ended, dropped } => self.refused = Some((ended, dropped)),
            Record::SumsUntil { time_ns } => self.tallies.until(time_ns),
        }
    }

    /// Takes an event.
    pub(crate) fn event(&mut self, event: &EventRecord, seq: u64, defined: Defined<'_>) {
        let EventRecord { time_ns, thread, kind, value, word, site, chain, class, walked, node } = *event;
        let class = class.map(|number| match self.classes.get(number.index()) {
            Some(Some(class)) => *class,
            _ => self.first_of_class(number, defined),
        });
        let walked = match self.walks.get(walked.index()) {
            Some(Some(walk)) => *walk,
            _ => self.first_with_walk(walked, defined),
        };
        let place = Place { word, site, chain, node, walked };
        self.log.events.push(LoggedEvent { seq, time_ns, thread, kind, value, count: 1, place, class });
    }

    #[cold]
    fn first_of_class(&mut self, number: StringNumber, defined: Defined<'_>) -> u32 {
        let class = self.allocated(&defined.strings[number.index()]);
        set(&mut self.classes, number.index(), class);
        class
    }

    #[cold]
    fn first_with_walk(&mut self, number: WalkNumber, defined: Defined<'_>) -> WalkId {
        let walk = self.log.names.add_walked(Arc::clone(&defined.walks[number.index()]));
        set(&mut self.walks, number.index(), walk);
        walk
    }

    /// Counts what could not be read.
    pub(crate) fn lost(&mut self, error: RecordError) {
        let loss = &mut self.log.loss;
        match error {
            RecordError::Undefined { event: true, .. } => loss.undefined_events += 1,
            RecordError::Undefined { event: false, definition } => {
                loss.records += 1;
                self.lost_for_good += u64::from(!definition);
            }
            RecordError::Malformed { .. } => loss.malformed += 1,
        }
    }

    /// Adds to the sums of a kind in a place.
    fn tally(&mut self, kind: u32, place: Place, class: Option<u32>, (count, value): (u64, u64)) {
        let Self { log: Log { events, .. }, tallies: Tallies { known, of_node, until, .. }, .. } = self;
        let (seq, at) = known.entry((kind, place, class)).or_insert_with(|| {
            let nth = of_node.entry(place.node).or_default();
            let seq = LoggedEvent::tally_seq(place.node, *nth);
            *nth += 1;
            (seq, usize::MAX)
        });
        let same = |event: &LoggedEvent| (event.kind, event.place, event.class) == (kind, place, class);
        if !events.get(*at).is_some_and(|event| event.is_tally() && same(event) && event.time_ns == *until) {
            *at = events.len();
            let (seq, time_ns) = (*seq, *until);
            events.push(LoggedEvent { seq, time_ns, thread: 0, kind, value: 0, count: 0, place, class });
        }
        let event = &mut events[*at];
        event.count = event.count.saturating_add(count);
        event.value = event.value.saturating_add(i64::try_from(value).unwrap_or(i64::MAX));
    }

    /// Replays a change of the graph; counts it as lost if what it builds on is.
    fn change(&mut self, change: Change) -> bool {
        let done = self.replay.apply(&change).is_ok();
        self.log.loss.records += u64::from(!done);
        done
    }

    /// Likewise for the graph of Algorithm 1.
    fn paper(&mut self, event: HistoryEvent<u64>) -> bool {
        let done = self.log.paper.apply(&event).is_ok();
        self.log.loss.records += u64::from(!done);
        done
    }

    fn number(&mut self, number: u64) {
        self.log.largest_number = self.log.largest_number.max(number);
    }

    fn allocated(&mut self, class: &Arc<str>) -> u32 {
        let id = self.allocated.number(class);
        if id as usize == self.log.allocated.len() {
            self.log.allocated.push(type_name(class));
        }
        id
    }
}

/// Sets what stands at a place; there is nothing at those that were not set.
fn set<T: Clone>(all: &mut Vec<Option<T>>, at: usize, value: T) {
    if all.len() <= at {
        all.resize(at + 1, None);
    }
    all[at] = Some(value);
}
