//! DACCE's reference encoder, encoded anew when one of its triggers is due.
//!
//! The paper does not state its thresholds. Here they double with each new encoding, so that a run
//! has few of them whatever its length.
//! Source: DACCE, section 4 (triggers), Fig. 9.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use lucce_encoding::dacce::{Characteristics, Dacce, DacceThread, Thresholds};
use lucce_encoding::{DecodedFrame, End};
use lucce_profiles::trace::{TraceContext, TraceNode};
use lucce_words::{MethodId, SiteId};

use super::super::replay::Subject;

/// Those before the first encoding.
const FIRST: Thresholds = Thresholds { edges: 64, paths: 10_000, stack: 1000 };

/// What is known at one time (Fig. 9).
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    pub entries: u64,
    pub nodes: usize,
    pub edges: usize,
    pub max_id: u64,
    pub timestamps: usize,
}

pub struct Reference {
    dacce: Dacce,
    threads: Vec<DacceThread>,
    places: BTreeMap<u32, usize>,
    thresholds: Thresholds,
    /// What encoding anew has taken in all.
    pub took: Duration,
    pub longest: Duration,
    /// Entries with so many on the ccStack.
    pub depths: BTreeMap<u32, u64>,
    pub moments: Vec<Moment>,
    /// Calls and returns that it refused.
    pub refused: u64,
    next: u64,
}

impl Reference {
    pub fn new() -> Self {
        let mut dacce = Dacce::new(MethodId::ROOT);
        dacce.add_site(SiteId::ROOT, MethodId::ROOT);
        Self {
            dacce,
            threads: Vec::new(),
            places: BTreeMap::new(),
            thresholds: FIRST,
            took: Duration::ZERO,
            longest: Duration::ZERO,
            depths: BTreeMap::new(),
            moments: Vec::new(),
            refused: 0,
            next: 0,
        }
    }

    pub fn characteristics(&self) -> Characteristics {
        self.dacce.characteristics()
    }

    fn place(&mut self, thread: u32) -> usize {
        let fresh = self.threads.len();
        let place = *self.places.entry(thread).or_insert(fresh);
        if place == fresh {
            self.threads.push(self.dacce.thread());
        }
        place
    }

    fn note(&mut self, entries: u64) {
        let Characteristics { nodes, edges, max_id, timestamps, .. } = self.dacce.characteristics();
        self.moments.push(Moment { entries, nodes, edges, max_id, timestamps });
    }
}

impl Subject for Reference {
    fn method(&mut self, _: MethodId, _: bool, _: u64) {}

    fn context(&mut self, _: TraceContext, node: TraceNode, caller: MethodId) {
        self.dacce.add_site(node.site, caller);
    }

    fn call(&mut self, thread: u32, _: TraceContext, node: TraceNode) {
        let place = self.place(thread);
        let called = self.dacce.call(&mut self.threads[place], node.site, node.method);
        self.refused += u64::from(called.is_err());
        *self.depths.entry(self.threads[place].depth() as u32).or_default() += 1;
    }

    fn leave(&mut self, thread: u32, node: TraceNode) {
        let place = self.place(thread);
        let left = self.dacce.leave(&mut self.threads[place], node.site);
        self.refused += u64::from(left.is_err());
    }

    fn decode(&mut self, thread: u32, _: TraceContext) -> Option<Vec<DecodedFrame>> {
        let place = self.place(thread);
        let decoded = self.dacce.decode(&self.dacce.capture(&self.threads[place]));
        let mut frames = decoded.frames;
        // It counts the entry method as a frame; in a trace the base of a thread is none.
        frames.pop();
        (decoded.end == End::Root).then_some(frames)
    }

    fn pause(&mut self, entries: u64) {
        if self.dacce.due(&self.thresholds).is_some() {
            let start = Instant::now();
            let done = self.dacce.reencode(&mut self.threads);
            let took = start.elapsed();
            self.took += took;
            self.longest = self.longest.max(took);
            self.refused += u64::from(done.is_err());
            let Thresholds { edges, paths, stack } = &mut self.thresholds;
            (*edges, *paths, *stack) = (*edges * 2, *paths * 2, *stack * 2);
            self.note(entries);
        } else if entries >= self.next {
            self.note(entries);
            self.next = entries + entries / 16;
        }
    }
}
