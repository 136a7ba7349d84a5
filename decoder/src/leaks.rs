//! What the leak detector has said in a log: suspects by context, each with its history.
//!
//! Invariant: an event of kind `leak` begins a look at a context; those of kinds `leak.*` of the
//! same context that follow it belong to it.
//! Source: docs/FORMAT.md, "Leaks".

use std::collections::HashMap;

use crate::{ContextId, Contexts, Log, LoggedEvent, Owner};

/// A context that was suspected at least once.
#[derive(Clone, Debug)]
pub struct Suspect {
    /// The context.
    pub context: ContextId,
    /// Number of the first event; it names the context (`c12`).
    pub first: u64,
    /// The class with the most bytes at the last look, as people write it.
    pub class: Option<u32>,
    /// All looks, the oldest first; there is one at least.
    pub history: Vec<Look>,
    /// Nanoseconds since the start of the run when it was withdrawn, if it was and did not come
    /// back.
    pub withdrawn_ns: Option<u64>,
}

/// What was alive of a suspect at some moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Nanoseconds since the start of the run.
    pub time_ns: u64,
    /// Estimated bytes.
    pub bytes: i64,
    /// Estimated objects.
    pub objects: i64,
    /// Distinct generations of birth.
    pub generations: i64,
    /// Bytes that each old collection has added since it began to grow.
    pub growth: i64,
    /// Nanoseconds since the start of the run when it began to grow.
    pub since_ns: i64,
    /// Old collections so far.
    pub collections: i64,
}

impl Suspect {
    /// The last look.
    pub fn last(&self) -> Look {
        self.history.last().copied().unwrap_or_default()
    }

    /// The class, as people write it.
    pub fn class_name<'a>(&self, log: &'a Log) -> Option<&'a str> {
        log.allocated_name(self.class?)
    }
}

/// What the leak detector calls the kind of an event, behind `leak`; `None` if it is of another
/// source.
pub fn said_of<'a>(log: &'a Log, event: &LoggedEvent) -> Option<&'a str> {
    let kind = log.kind_of(event.kind).filter(|kind| kind.owner == Owner::Agent);
    kind.and_then(|kind| kind.name.strip_prefix("leak"))
}

/// All suspects: those that still are, the fastest growing first, then those that were withdrawn.
/// `events` are in file order, and all of the leak detector are among them.
pub fn suspects<'a>(events: &[LoggedEvent], log: &'a Log, contexts: &mut Contexts<'a>) -> Vec<Suspect> {
    let mut index: HashMap<ContextId, usize> = HashMap::new();
    let mut suspects: Vec<Suspect> = Vec::new();
    for event in events {
        let Some(what) = said_of(log, event) else { continue };
        let context = contexts.find(&event.place);
        if what.is_empty() {
            let look = Look { time_ns: event.time_ns, bytes: event.value, ..Look::default() };
            let at = *index.entry(context).or_insert_with(|| {
                let (first, history) = (event.seq, Vec::new());
                suspects.push(Suspect { context, first, class: None, history, withdrawn_ns: None });
                suspects.len() - 1
            });
            let suspect = &mut suspects[at];
            suspect.class = event.class.or(suspect.class);
            suspect.withdrawn_ns = None;
            suspect.history.push(look);
            continue;
        }
        let Some(suspect) = index.get(&context).map(|&at| &mut suspects[at]) else { continue };
        let Some(look) = suspect.history.last_mut() else { continue };
        match what {
            ".objects" => look.objects = event.value,
            ".generations" => look.generations = event.value,
            ".growth" => look.growth = event.value,
            ".since" => look.since_ns = event.value,
            ".collections" => look.collections = event.value,
            ".withdrawn" => suspect.withdrawn_ns = Some(event.time_ns),
            _ => {}
        }
    }
    suspects.sort_by(|one, other| {
        let rank =
            |suspect: &Suspect| (suspect.withdrawn_ns.is_some(), -i128::from(suspect.last().growth), suspect.first);
        rank(one).cmp(&rank(other))
    });
    suspects
}
