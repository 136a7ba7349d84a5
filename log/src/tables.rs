//! The two tables that keep records short: strings, and lists of walked frames.
//!
//! Invariant: an id is given once in a file, and its definition stands in the block of its first use or an earlier one.
//! A lost block loses only what is defined in it. The reader holds each definition once, and hands it out shared.
//! Source: docs/FORMAT.md, "Tables".

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;

use crate::WalkedFrame;
use crate::encode::tag;
use crate::varint::Put;

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

/// Where the ids of a run's definitions begin, so that they can stand in any of its files beside ids that count in that file.
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

/// The reader's side: what the blocks read so far define. Each event asks, so the hash is a fast one with a seed.
#[derive(Debug, Default)]
pub struct Tables {
    pub(crate) strings: HashMap<u32, Arc<str>, RandomState>,
    pub(crate) walks: HashMap<u32, Arc<[WalkedFrame]>, RandomState>,
}

impl Tables {
    pub(crate) fn string(&self, id: u32) -> Option<Arc<str>> {
        self.strings.get(&id).cloned()
    }
}
