//! The events of one log, added up while it is read.
//!
//! Invariant: what is kept grows with places, classes and threads. Each event is weighed as
//! [`Log::weight`] does.
//! Source: docs/FORMAT.md, "What lucce-decode prints".

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use foldhash::fast::RandomState;

use super::Timeline;
use crate::leaks::said_of;
use crate::sampling::weight;
use crate::{Filter, Holders, Log, LoggedEvent, Place};

/// What the events of a sum have in common, by the numbers of one log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) kind: u32,
    pub(super) place: Place,
    pub(super) class: Option<u32>,
    /// A sum that the log has as such.
    pub(super) tally: bool,
    /// `None` for tallies, and where all threads are one.
    pub(super) thread: Option<u32>,
}

/// Four numbers in place of ten: each event is looked for.
impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { kind, place: Place { word, site, chain, node, walked }, class, tally, thread } = *self;
        let both = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
        word.0.hash(state);
        both(site.0, chain.0).hash(state);
        both(node.0, walked.0).hash(state);
        both(kind ^ thread.map_or(0, |thread| !thread), class.map_or(0, |class| !class) ^ u32::from(tally)).hash(state);
    }
}

/// Waits in one place for what was held in another, by the numbers of one log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Waits {
    /// Kind and place of the waits.
    pub(super) kind: u32,
    pub(super) place: Place,
    /// Where the holder was.
    pub(super) holder: Place,
}

/// The sum of some events.
#[derive(Clone, Debug)]
pub(super) struct Total {
    /// The smallest number of an event.
    pub(super) first: u64,
    pub(super) count: u64,
    pub(super) value: i128,
    /// Sum of the values as they were logged.
    pub(super) raw: i128,
    /// Times of the first and last event; `None` for tallies.
    pub(super) time_ns: Option<(u64, u64)>,
    /// When they happened; `None` for tallies, and where that was not asked for. Apart, so that
    /// other views go through less memory.
    pub(super) timeline: Option<Box<Timeline>>,
}

/// Most bins of a log.
const BINS: u64 = 1024;
/// Most bins of all its sums together, some 64 MB. A report has room for fewer.
const BINS_OF_ALL: usize = 2 << 20;
/// But for so many of each sum.
const BINS_OF_EACH: usize = 4;
/// The shift of the shortest bins: about a millisecond.
const SHORTEST: u32 = 20;

/// Which bins of time the events of a log have come in so far.
#[derive(Debug)]
struct Clock {
    shift: u32,
    /// Nanoseconds since 1970 of the first and the last event.
    span: Option<(u64, u64)>,
    /// Sums that have bins, and these.
    timelines: usize,
    bins: usize,
    /// Most bins of all sums together, but for [`BINS_OF_EACH`].
    most: usize,
}

impl Clock {
    fn new(most: usize) -> Self {
        Self { shift: SHORTEST, span: None, timelines: 0, bins: 0, most }
    }

    /// Are there more bins than are kept?
    fn is_full(&self) -> bool {
        self.bins > self.most.max(BINS_OF_EACH * self.timelines)
    }

    /// Takes one more moment. Have bins become longer for it?
    fn take(&mut self, time_ns: u64) -> bool {
        let (first, last) =
            self.span.map_or((time_ns, time_ns), |(first, last)| (first.min(time_ns), last.max(time_ns)));
        self.span = Some((first, last));
        let before = self.shift;
        while (last >> self.shift) - (first >> self.shift) >= BINS {
            self.shift += 1;
        }
        self.shift > before
    }
}

/// How events of a kind are weighed.
#[derive(Clone, Copy)]
struct Weighing {
    /// [`Log::sampling_interval`], of samples.
    interval: Option<f64>,
    /// They are counted calls.
    is_call: bool,
    /// They tell of holders.
    is_holder: bool,
}

impl Weighing {
    fn of(log: &Log, kind: u32) -> Self {
        let is = |name| log.kind_of(kind).is_some_and(|kind| kind.is_agents(name));
        Self { interval: log.interval_of(kind), is_call: is("entry"), is_holder: is("holder") }
    }
}

/// The sums of one log.
#[derive(Debug, Default)]
pub struct Gathered {
    /// Millions of events are added, so the hash is a fast one with a seed.
    totals: HashMap<Key, Total, RandomState>,
    filter: Filter,
    /// The events of all threads are one sum.
    together: bool,
    /// `None` if nothing is asked about time.
    clock: Option<Clock>,
    /// What the leak detector says, kept as it is if time is asked about.
    leaks: Vec<LoggedEvent>,
    /// Counted calls by place, in the time that is asked for: sums are divided by them, whatever
    /// else is asked for.
    calls: HashMap<Place, u64, RandomState>,
    holders: Holders,
    /// Number and sum of the waits whose holder was looked for.
    waits: HashMap<Waits, (u64, i128), RandomState>,
    /// So many counted events have no time or thread, which the filter asks for.
    left_out: u64,
    /// Events of a kind whose definition was lost so far. What they weigh is known when a keyframe
    /// has repeated it.
    unknown: Vec<LoggedEvent>,
}

/// All of a log.
pub(super) struct Finished {
    /// By their first event.
    pub(super) sums: Vec<(Key, Total)>,
    /// The events of the leak detector.
    pub(super) leaks: Vec<LoggedEvent>,
    /// Counted calls by place.
    pub(super) calls: Vec<(Place, u64)>,
    /// Number and sum of the waits whose holder was looked for.
    pub(super) waits: Vec<(Waits, (u64, i128))>,
}

impl Gathered {
    /// No events.
    pub fn new() -> Self {
        Self::default()
    }

    /// No events, and only those will be added that the filter takes. Frames do not decide here.
    pub fn with(filter: &Filter) -> Self {
        Self { filter: filter.clone(), ..Self::default() }
    }

    /// Threads do not tell sums apart, nor do their origins: fewer sums are kept.
    #[must_use]
    pub fn together(mut self) -> Self {
        self.together = true;
        self
    }

    /// Each sum will have a timeline: 1024 bins at most, and fewer where all sums together have
    /// millions.
    #[must_use]
    pub fn timed(self) -> Self {
        Self { clock: Some(Clock::new(BINS_OF_ALL)), ..self }
    }

    /// How many counted events were left out, since they have no time or thread.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Adds the events that the log has: for [`Log::stream`].
    pub fn take(&mut self, log: &Log) {
        let mut kinds: HashMap<u32, (bool, Weighing), RandomState> = HashMap::default();
        for event in log.events() {
            let kind = kinds.entry(event.kind);
            let (known, weighing) =
                *kind.or_insert_with(|| (log.kind(event.kind).is_some(), Weighing::of(log, event.kind)));
            if known {
                self.add(log, event, weighing);
            } else {
                self.unknown.push(event.clone());
            }
        }
    }

    /// Adds these events of a log that was read whole.
    pub fn extend<'a>(&mut self, log: &Log, events: impl IntoIterator<Item = &'a LoggedEvent>) {
        events.into_iter().for_each(|event| self.add(log, event, Weighing::of(log, event.kind)));
    }

    /// What there is when the log has ended.
    pub(super) fn finish(mut self, log: &Log) -> Finished {
        let unknown = std::mem::take(&mut self.unknown);
        self.extend(log, &unknown);
        self.leaks.sort_by_key(|event| event.seq);
        let mut sums: Vec<(Key, Total)> = self.totals.into_iter().collect();
        sums.sort_by_key(|(key, total)| (total.first, *key));
        let mut waits: Vec<_> = self.waits.into_iter().collect();
        waits.sort_unstable();
        Finished { sums, leaks: self.leaks, calls: self.calls.into_iter().collect(), waits }
    }

    fn add(&mut self, log: &Log, event: &LoggedEvent, weighing: Weighing) {
        if self.clock.is_some() && said_of(log, event).is_some() {
            self.leaks.push(event.clone());
        }
        if weighing.is_call && self.filter.takes_time(event) {
            let calls = self.calls.entry(event.place).or_default();
            *calls = calls.saturating_add(event.count);
        }
        let holder = self.holders.of(event, weighing.is_holder);
        if !self.filter.takes(log, event) {
            let lacks_time = event.time().is_none() && self.filter.asks_for_time();
            if event.is_tally() && (lacks_time || !self.filter.threads.is_empty()) {
                self.left_out = self.left_out.saturating_add(event.count);
            }
            return;
        }
        if let Some(holder) = holder {
            let waits = Waits { kind: event.kind, place: event.place, holder: holder.place };
            let (count, value) = self.waits.entry(waits).or_default();
            (*count, *value) = (*count + 1, *value + i128::from(event.value));
        }
        let timed = event.time().is_some();
        let thread = (!event.is_tally() && !self.together).then_some(event.thread);
        let key = Key { kind: event.kind, place: event.place, class: event.class, tally: event.is_tally(), thread };
        let weight = weight(event, weighing.interval);
        let moment = log.header().map_or(0, |header| header.start_unix_ns).saturating_add(event.time_ns);
        let time_ns = timed.then_some((event.time_ns, event.time_ns));
        let new = || Total { first: event.seq, count: 0, value: 0, raw: 0, time_ns, timeline: None };
        let total = self.totals.entry(key).or_insert_with(new);
        total.first = total.first.min(event.seq);
        total.count = total.count.saturating_add(event.count);
        total.value += weight;
        total.raw += i128::from(event.value);
        if let Some((first, last)) = &mut total.time_ns {
            (*first, *last) = ((*first).min(event.time_ns), (*last).max(event.time_ns));
        }
        if let Some(clock) = self.clock.as_mut().filter(|_| timed) {
            let mut coarser = clock.take(moment);
            let timeline = total.timeline.get_or_insert_with(|| {
                clock.timelines += 1;
                Box::new(Timeline::new(clock.shift))
            });
            clock.bins += usize::from(timeline.add(moment, event.count, weight));
            while std::mem::take(&mut coarser) || clock.is_full() {
                if clock.is_full() {
                    clock.shift += 1;
                }
                clock.bins = 0;
                for timeline in self.totals.values_mut().filter_map(|total| total.timeline.as_mut()) {
                    timeline.coarsen(clock.shift);
                    clock.bins += timeline.bins().len();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use lucce_words::NodeId;

    use super::*;
    use crate::replaying::Replaying;

    /// Events that come round in so many places, two milliseconds apart.
    fn events(places: u32, count: u64) -> impl Iterator<Item = LoggedEvent> {
        (0..count).map(move |nth| {
            let place = Place { node: NodeId(nth as u32 % places + 1), ..Place::default() };
            LoggedEvent {
                seq: nth,
                time_ns: nth * 2_000_000,
                thread: 1,
                kind: 1,
                value: 3,
                count: 1,
                place,
                class: None,
            }
        })
    }

    #[test]
    fn bins_of_time_are_bounded_and_lose_no_event() {
        let log = Replaying::new(None).finish();
        let (places, most, count) = (50, 1_000, 60_000);
        let mut gathered = Gathered { clock: Some(Clock::new(most)), ..Gathered::new() };
        for event in events(places, count) {
            gathered.extend(&log, [&event]);
            let bins = gathered.totals.values().filter_map(|total| total.timeline.as_ref());
            assert!(event.seq % 1_000 > 0 || bins.map(|timeline| timeline.bins().len()).sum::<usize>() <= most);
        }
        let sums = gathered.finish(&log).sums;
        assert_eq!(sums.len(), places as usize);
        let all = |of: &dyn Fn(&Total) -> (u64, i128)| {
            sums.iter().map(|(_, total)| of(total)).fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1))
        };
        let in_bins = |total: &Total| {
            let bins = total.timeline.as_ref().expect("a timeline").bins();
            bins.iter().fold((0, 0), |all, bin| (all.0 + bin.count, all.1 + bin.value))
        };
        assert_eq!(all(&in_bins), (count, 3 * i128::from(count)));
        assert_eq!(all(&|total| (total.count, total.value)), (count, 3 * i128::from(count)));
    }

    #[test]
    fn each_sum_keeps_some_bins_however_many_sums_there_are() {
        let log = Replaying::new(None).finish();
        let mut gathered = Gathered { clock: Some(Clock::new(10)), ..Gathered::new() };
        events(100, 5_000).for_each(|event| gathered.extend(&log, [&event]));
        let lengths =
            gathered.finish(&log).sums.into_iter().map(|(_, total)| total.timeline.expect("one").bins().len());
        let all: usize = lengths.sum();
        assert!(all > 100 && all <= BINS_OF_EACH * 100, "{all}");
    }
}
