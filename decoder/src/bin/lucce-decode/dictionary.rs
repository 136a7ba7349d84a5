//! `events --format json --stacks dictionary`: what events share is written once, and named by a
//! number.
//!
//! Invariant: a definition stands before the first line that names its number. Numbers mean nothing
//! outside the output.
//! Source: docs/FORMAT.md, "JSON".

mod trunk;

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use lucce_decoder::{ContextId, Contexts, Filter, Log, LoggedEvent, Place, Trace, TraceFrame};
use serde::Serialize;

use crate::json::{self, Both, JsonFrame};
use trunk::{Trunk, TrunkPiece};

#[derive(Serialize)]
#[serde(tag = "define", rename_all = "lowercase")]
enum Definition<'a> {
    Event {
        fields: [&'static str; 8],
    },
    Kind {
        id: u32,
        kind: Option<&'a str>,
        owner: Option<&'static str>,
    },
    Class {
        id: u32,
        class: &'a str,
    },
    Thread {
        id: u32,
        thread: Option<&'a str>,
        thread_id: Option<u64>,
        origins: Vec<DictionaryStep>,
    },
    Frame {
        id: usize,
        #[serde(flatten)]
        frame: JsonFrame<'a>,
    },
    Stack {
        id: usize,
        frames: Vec<usize>,
        unknown: Option<String>,
        #[serde(flatten)]
        fingerprints: Option<Both>,
        /// The stack on which these frames stand; its frames follow theirs.
        #[serde(skip_serializing_if = "Option::is_none")]
        below: Option<usize>,
    },
}

/// A step of where a thread or task came from.
#[derive(Serialize)]
struct DictionaryStep {
    kind: &'static str,
    stack: usize,
    cut: bool,
}

/// What stands where in the array of an event; the time is counted from the event before. A count
/// of 1 is left out.
const FIELDS: [&str; 8] = ["seq", "after_ns", "thread", "kind", "value", "stack", "class", "count"];

/// An event, as [`FIELDS`] says; the numbers are those of definitions. Without names, so that a
/// line is not much longer than the event in the log.
#[derive(Serialize)]
struct DictionaryLine(
    Option<u64>,
    Option<i64>,
    Option<u32>,
    u32,
    i64,
    usize,
    Option<u32>,
    /// Left out where it is 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    Option<u64>,
);

/// What has been defined.
pub struct Dictionary<'a> {
    log: &'a Log,
    filter: &'a Filter,
    contexts: Contexts<'a>,
    places: HashMap<Place, Option<usize>>,
    known: HashMap<ContextId, Option<usize>>,
    origins: HashMap<(Vec<usize>, Option<String>), usize>,
    frames: HashMap<TraceFrame<'a>, usize>,
    stacks: usize,
    trunk: Trunk,
    others: HashSet<(&'static str, u32)>,
    /// Of the last event.
    time_ns: u64,
}

impl<'a> Dictionary<'a> {
    /// Nothing.
    pub fn new(log: &'a Log, filter: &'a Filter) -> Self {
        Self {
            log,
            filter,
            contexts: Contexts::new(log),
            places: HashMap::new(),
            known: HashMap::new(),
            origins: HashMap::new(),
            frames: HashMap::new(),
            stacks: 0,
            trunk: Trunk::default(),
            others: HashSet::new(),
            time_ns: 0,
        }
    }

    /// Prints an event, if the filter takes it, behind what has to be defined for it.
    pub fn event(&mut self, event: &LoggedEvent, out: &mut impl Write) -> io::Result<()> {
        if !self.filter.takes(self.log, event) {
            return Ok(());
        }
        let Some(stack) = self.stack(&event.place, out)? else { return Ok(()) };
        let log = self.log;
        if self.others.insert(("kind", event.kind)) {
            let (kind, owner) = (log.kind(event.kind), json::owner(log, event.kind));
            json::put(&Definition::Kind { id: event.kind, kind, owner }, out)?;
        }
        if let (Some(id), Some(class)) = (event.class, log.allocated(event))
            && self.others.insert(("class", id))
        {
            json::put(&Definition::Class { id, class }, out)?;
        }
        let timed = !event.is_tally();
        if timed && self.others.insert(("thread", event.thread)) {
            let mut origins = Vec::new();
            for step in self.contexts.origins(event) {
                let kind = step.verb();
                origins.push(DictionaryStep { kind, cut: step.cut, stack: self.origin(&step.trace, out)? });
            }
            let thread = log.thread(event.thread);
            let (id, name, thread_id) =
                (event.thread, thread.map(|thread| thread.name.as_str()), thread.map(|thread| thread.java_id));
            json::put(&Definition::Thread { id, thread: name, thread_id, origins }, out)?;
        }
        if self.others.insert(("event", 0)) {
            json::put(&Definition::Event { fields: FIELDS }, out)?;
        }
        let after_ns = timed.then(|| event.time_ns.wrapping_sub(self.time_ns) as i64);
        self.time_ns = if timed { event.time_ns } else { self.time_ns };
        let (seq, thread) = (timed.then_some(event.seq), timed.then_some(event.thread));
        let count = Some(event.count).filter(|&count| count != 1);
        let line = DictionaryLine(seq, after_ns, thread, event.kind, event.value, stack, event.class, count);
        json::put(&line, out)
    }

    /// The stack of a place; `None` if the filter leaves it out.
    fn stack(&mut self, place: &Place, out: &mut impl Write) -> io::Result<Option<usize>> {
        if let Some(&known) = self.places.get(place) {
            return Ok(known);
        }
        let context = self.contexts.find(place);
        let stack = match self.known.get(&context) {
            Some(&known) => known,
            None => {
                let stack = match self.filter.trace(self.contexts.show(context)) {
                    Some(trace) => {
                        let fingerprints = Some(self.contexts.fingerprints(context).into());
                        let frames = self.frames(&trace, out)?;
                        Some(self.define(frames, json::unknown(&trace), fingerprints, out)?)
                    }
                    None => None,
                };
                self.known.insert(context, stack);
                stack
            }
        };
        self.places.insert(*place, stack);
        Ok(stack)
    }

    /// The stack of an origin.
    fn origin(&mut self, trace: &Trace<'a>, out: &mut impl Write) -> io::Result<usize> {
        let key = (self.frames(trace, out)?, json::unknown(trace));
        if let Some(&known) = self.origins.get(&key) {
            return Ok(known);
        }
        let id = self.define(key.0.clone(), key.1.clone(), None, out)?;
        self.origins.insert(key, id);
        Ok(id)
    }

    fn define(
        &mut self,
        frames: Vec<usize>,
        unknown: Option<String>,
        fingerprints: Option<Both>,
        out: &mut impl Write,
    ) -> io::Result<usize> {
        let pieces = self.trunk.pieces(&frames, unknown.as_deref(), self.stacks);
        self.stacks += pieces.len();
        let (last, mut whole) = (self.stacks - 1, fingerprints);
        for TrunkPiece { id, frames: own, below } in pieces {
            let fingerprints = if id == last { whole.take() } else { None };
            let (frames, unknown) = (frames[own].to_vec(), unknown.clone());
            json::put(&Definition::Stack { id, frames, unknown, fingerprints, below }, out)?;
        }
        Ok(last)
    }

    fn frames(&mut self, trace: &Trace<'a>, out: &mut impl Write) -> io::Result<Vec<usize>> {
        let mut ids = Vec::with_capacity(trace.frames.len());
        for frame in &trace.frames {
            let id = match self.frames.get(frame) {
                Some(&known) => known,
                None => {
                    let id = self.frames.len();
                    json::put(&Definition::Frame { id, frame: JsonFrame::new(frame) }, out)?;
                    self.frames.insert(frame.clone(), id);
                    id
                }
            };
            ids.push(id);
        }
        Ok(ids)
    }
}
