//! The events of one log, added up while it is read.
//!
//! Invariant: what is kept grows with places, classes and threads. Each event is weighed as [`Log::weight`] does.
//! Source: docs/FORMAT.md, "What lucce-decode prints".

use std::collections::HashMap;

use crate::{Event, Filter, Log, Place};

/// What the events of a sum have in common, by the numbers of one log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key {
    pub(super) kind: u32,
    pub(super) place: Place,
    pub(super) class: Option<u32>,
    /// `None` for tallies.
    pub(super) thread: Option<u32>,
}

/// The sum of some events.
#[derive(Clone, Copy, Debug)]
pub(super) struct Total {
    /// The smallest number of an event.
    pub(super) first: u64,
    pub(super) count: u64,
    pub(super) value: i128,
    /// Sum of the values as they were logged.
    pub(super) raw: i128,
    /// Times of the first and last event; `None` for tallies.
    pub(super) time_ns: Option<(u64, u64)>,
}

/// The sums of one log.
#[derive(Debug, Default)]
pub struct Gathered {
    totals: HashMap<Key, Total>,
    filter: Filter,
    /// So many counted events have no time or thread, which the filter asks for.
    left_out: u64,
    /// Events of a kind whose definition was lost so far. What they weigh is known when a keyframe has repeated it.
    unknown: Vec<Event>,
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

    /// How many counted events were left out, since they have no time or thread.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Adds the events that the log has: for [`Log::stream`].
    pub fn take(&mut self, log: &Log) {
        for event in log.events() {
            match log.kind(event.kind) {
                Some(_) => self.add(log, event),
                None => self.unknown.push(event.clone()),
            }
        }
    }

    /// Adds these events of a log that was read whole.
    pub fn extend<'a>(&mut self, log: &Log, events: impl IntoIterator<Item = &'a Event>) {
        events.into_iter().for_each(|event| self.add(log, event));
    }

    /// All sums, by their first event.
    pub(super) fn finish(mut self, log: &Log) -> Vec<(Key, Total)> {
        for event in std::mem::take(&mut self.unknown) {
            self.add(log, &event);
        }
        let mut sums: Vec<(Key, Total)> = self.totals.into_iter().collect();
        sums.sort_by_key(|(key, total)| (total.first, *key));
        sums
    }

    fn add(&mut self, log: &Log, event: &Event) {
        if !self.filter.takes(log, event) {
            if event.is_tally() && (self.filter.asks_for_time() || !self.filter.threads.is_empty()) {
                self.left_out = self.left_out.saturating_add(event.count);
            }
            return;
        }
        let timed = !event.is_tally();
        let thread = timed.then_some(event.thread);
        let key = Key { kind: event.kind, place: event.place, class: event.class, thread };
        let new = Total {
            first: event.seq,
            count: 0,
            value: 0,
            raw: 0,
            time_ns: timed.then_some((event.time_ns, event.time_ns)),
        };
        let total = self.totals.entry(key).or_insert(new);
        total.first = total.first.min(event.seq);
        total.count = total.count.saturating_add(event.count);
        total.value += log.weight(event);
        total.raw += i128::from(event.value);
        if let Some((first, last)) = &mut total.time_ns {
            (*first, *last) = ((*first).min(event.time_ns), (*last).max(event.time_ns));
        }
    }
}
