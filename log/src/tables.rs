//! The two tables that keep records short: strings, and lists of walked frames.
//!
//! Invariant: an id is given once in a file, and its definition stands in the block of its first
//! use or an earlier one. A lost block loses only what is defined in it. The reader holds each
//! definition once, and hands it out shared.
//! Source: docs/FORMAT.md, "Tables".

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;

use crate::event_record::{EventRecord, StringNumber, WalkNumber};
use crate::tag;
use crate::{Record, WalkedFrame};
use lucce_words::varint::Put;

/// At this many entries a table of the writer starts anew, under new ids: its memory is bounded.
const LIMIT: usize = 1 << 14;

/// A walked frame by the ids of its strings: class, method, descriptor, and the line.
pub(crate) type WalkedIds = (u32, u32, u32, Option<u32>);

/// The writer's side: from value to id, with definitions written on first use.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    strings: HashMap<Box<str>, u32>,
    walks: HashMap<Box<[WalkedIds]>, u32>,
    next_string: u32,
    next_walk: u32,
}

/// Where the ids of a run's definitions begin, so that they can stand in any of its files beside
/// ids that count in that file.
const RUN_IDS: u32 = 1 << 31;

impl Interner {
    /// With ids that no other interner of the file gives.
    pub(crate) fn of_run() -> Self {
        Self { next_string: RUN_IDS, next_walk: RUN_IDS, ..Self::default() }
    }

    /// Id of `value`; its definition goes to `out` if it is new.
    pub(crate) fn string(&mut self, value: &str, out: &mut Vec<u8>) -> u32 {
        if let Some(&id) = self.strings.get(value) {
            return id;
        }
        if self.strings.len() >= LIMIT {
            self.strings.clear();
        }
        let id = self.next_string;
        self.next_string = id.wrapping_add(1);
        out.byte(tag::STRING);
        out.var32(id);
        out.string(value);
        self.strings.insert(value.into(), id);
        id
    }

    /// Id of the list, 0 for the empty one; definitions go to `out` if they are new.
    pub(crate) fn walk(&mut self, frames: &[WalkedFrame], out: &mut Vec<u8>) -> u32 {
        if frames.is_empty() {
            return 0;
        }
        let ids: Box<[WalkedIds]> = frames
            .iter()
            .map(|frame| {
                let class = self.string(&frame.class, out);
                let method = self.string(&frame.method, out);
                (class, method, self.string(&frame.desc, out), frame.line)
            })
            .collect();
        if let Some(&id) = self.walks.get(&ids) {
            return id;
        }
        if self.walks.len() >= LIMIT {
            self.walks.clear();
        }
        self.next_walk = self.next_walk.wrapping_add(1).max(1);
        out.byte(tag::WALK);
        out.var32(self.next_walk);
        out.var(ids.len() as u64);
        for &(class, method, desc, line) in &ids {
            out.var32(class);
            out.var32(method);
            out.var32(desc);
            out.option(line);
        }
        self.walks.insert(ids, self.next_walk);
        self.next_walk
    }

    /// Forgets every definition, so that later uses define anew, under new ids.
    pub(crate) fn clear(&mut self) {
        self.strings.clear();
        self.walks.clear();
    }
}

/// The reader's side: what the blocks read so far define. Each event asks, so the hash is a fast
/// one with a seed.
#[derive(Debug)]
pub struct Tables {
    strings: Defined<str>,
    walks: Defined<[WalkedFrame]>,
}

impl Default for Tables {
    fn default() -> Self {
        let mut walks = Defined::default();
        walks.define(0, Arc::default());
        Self { strings: Defined::default(), walks }
    }
}

/// Definitions of a sort.
#[derive(Debug)]
struct Defined<T: ?Sized> {
    numbers: HashMap<u32, u32, RandomState>,
    values: Vec<Arc<T>>,
}

impl<T: ?Sized> Default for Defined<T> {
    fn default() -> Self {
        Self { numbers: HashMap::default(), values: Vec::new() }
    }
}

impl<T: ?Sized + PartialEq> Defined<T> {
    fn define(&mut self, id: u32, value: Arc<T>) {
        let next = self.values.len() as u32;
        let number = self.numbers.entry(id).or_insert(next);
        if *number != next {
            if self.values[*number as usize] == value {
                return;
            }
            // No writer does this. What was read before keeps what it meant.
            *number = next;
        }
        self.values.push(value);
    }

    #[inline]
    fn number(&self, id: u32) -> Option<u32> {
        self.numbers.get(&id).copied()
    }
}

impl Tables {
    pub(crate) fn define_string(&mut self, id: u32, value: &str) {
        self.strings.define(id, value.into());
    }

    pub(crate) fn define_walk(&mut self, id: u32, frames: Arc<[WalkedFrame]>) {
        if id != 0 {
            self.walks.define(id, frames);
        }
    }

    pub(crate) fn string(&self, id: u32) -> Option<Arc<str>> {
        Some(Arc::clone(&self.strings.values[self.strings.number(id)? as usize]))
    }

    #[inline]
    pub(crate) fn string_number(&self, id: u32) -> Option<StringNumber> {
        self.strings.number(id).map(StringNumber)
    }

    #[inline]
    pub(crate) fn walk_number(&self, id: u32) -> Option<WalkNumber> {
        if id == 0 { Some(WalkNumber(0)) } else { self.walks.number(id).map(WalkNumber) }
    }

    /// The strings from a number on.
    pub fn strings_from(&self, number: usize) -> &[Arc<str>] {
        &self.strings.values[number..]
    }

    /// The lists of walked frames from a number on.
    pub fn walks_from(&self, number: usize) -> &[Arc<[WalkedFrame]>] {
        &self.walks.values[number..]
    }

    /// An event with what its numbers stand for.
    pub(crate) fn whole(&self, event: EventRecord) -> Record {
        let EventRecord { time_ns, thread, kind, value, word, site, chain, class, walked, node } = event;
        let class = class.map(|class| Arc::clone(&self.strings.values[class.index()]));
        let walked = Arc::clone(&self.walks.values[walked.index()]);
        Record::Event { time_ns, thread, kind, value, word, site, chain, class, walked, node }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_defined_anew_leaves_what_was_read_before() {
        let mut tables = Tables::default();
        tables.define_string(7, "a");
        let first = tables.string_number(7).expect("a string");
        tables.define_string(7, "a");
        assert_eq!(tables.string_number(7), Some(first), "a keyframe says the same again");
        tables.define_string(7, "b");
        assert_ne!(tables.string_number(7), Some(first));
        let texts: Vec<&str> = tables.strings_from(0).iter().map(|text| &**text).collect();
        assert_eq!((texts, tables.string(7).as_deref()), (vec!["a", "b"], Some("b")));
        tables.define_walk(0, Arc::new([]));
        assert_eq!(
            (tables.walk_number(0), tables.walks_from(0).len()),
            (Some(WalkNumber(0)), 1),
            "0 is the empty list"
        );
    }
}
