//! Contexts by the summed value of their events.
//!
//! Invariant: sums do not depend on the order of events; ties go to the context that was seen first.
//! Source: issue-level contract of `lucce-decode --top`.

use std::collections::HashMap;

use crate::{ContextId, Contexts, Event, Log, Place};

/// One context and what happened in it.
#[derive(Clone, Debug)]
pub struct Hot {
    /// The context.
    pub context: ContextId,
    /// The event kind the sums are of.
    pub kind: u32,
    /// Number of the first event; it names the context (`c12`), [`Event::context_name`].
    pub first: u64,
    /// Sum of the values; for sampled allocations of the bytes they stand for, [`Log::weight`].
    pub value: i128,
    /// Number of events.
    pub events: u64,
    /// Of the allocated classes the one with the largest sum.
    pub class: Option<u32>,
}

/// All contexts of the chosen events.
#[derive(Clone, Debug, Default)]
pub struct Hottest {
    /// Largest sum first.
    pub contexts: Vec<Hot>,
    /// Sum of all values of each kind.
    pub sums: HashMap<u32, i128>,
}

/// Groups the events that `chosen` admits by kind and context.
pub fn hottest<'a>(log: &'a Log, contexts: &mut Contexts<'a>, chosen: impl Fn(&Event) -> bool) -> Hottest {
    let mut places: HashMap<Place, ContextId> = HashMap::new();
    let mut index: HashMap<(u32, ContextId), usize> = HashMap::new();
    let mut classes: HashMap<(usize, u32), i128> = HashMap::new();
    let mut hottest = Hottest::default();
    for event in log.events().iter().filter(|event| chosen(event)) {
        let context = *places.entry(event.place).or_insert_with(|| contexts.find(&event.place));
        let at = *index.entry((event.kind, context)).or_insert_with(|| {
            let (kind, first) = (event.kind, event.seq);
            hottest.contexts.push(Hot { context, kind, first, value: 0, events: 0, class: None });
            hottest.contexts.len() - 1
        });
        let value = log.weight(event);
        hottest.contexts[at].value += value;
        let events = &mut hottest.contexts[at].events;
        *events = events.saturating_add(event.count);
        *hottest.sums.entry(event.kind).or_default() += value;
        if let Some(class) = event.class {
            *classes.entry((at, class)).or_default() += value;
        }
    }
    let mut largest: HashMap<usize, (i128, u32)> = HashMap::new();
    for ((at, class), value) in classes {
        let best = largest.entry(at).or_insert((value, class));
        // The smaller number wins a tie, so that the outcome does not depend on the map's order.
        if value > best.0 || value == best.0 && class < best.1 {
            *best = (value, class);
        }
    }
    for (at, (_, class)) in largest {
        hottest.contexts[at].class = Some(class);
    }
    hottest.contexts.sort_by(|a, b| b.value.cmp(&a.value).then(a.first.cmp(&b.first)));
    hottest
}

impl Hot {
    /// The class with the largest sum, as people write it.
    pub fn class_name<'a>(&self, log: &'a Log) -> Option<&'a str> {
        log.allocated_name(self.class?)
    }
}
