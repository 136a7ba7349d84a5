//! Every definition of a run, ready to be written again: at the beginning of a later file, or as a
//! keyframe.
//!
//! Invariant: the blocks in the order in which they are given are what the files of the run hold in
//! definitions, each once; a reader that has them, and nothing else, decodes every word and node of
//! the run so far.
//! Source: docs/FORMAT.md, "Files and keyframes"; docs/design/log-files.md ("Files of a run").
//!
//! Memory: up to [`PIECE`] bytes; what is compressed is with whoever keeps it ([`Keep`]).

use crate::block::{BlockPlace, Packer};

/// Bytes of definitions, uncompressed, that become one block: small ones are written often, and
/// compress badly alone.
const PIECE: usize = 256 << 10;

/// How much shorter definitions become, or more, when they are compressed.
const USUAL_RATIO: u64 = 3;

/// Keeps the blocks of a run's definitions.
pub trait Keep: Send {
    /// Keeps one more.
    fn put(&mut self, block: Vec<u8>);

    /// The one that was put so many others after the first; `None` if it cannot be had any more.
    fn get(&self, index: u32) -> Option<Vec<u8>>;
}

/// In memory.
impl Keep for Vec<Vec<u8>> {
    fn put(&mut self, block: Vec<u8>) {
        self.push(block);
    }

    fn get(&self, index: u32) -> Option<Vec<u8>> {
        self.as_slice().get(index as usize).cloned()
    }
}

pub(crate) struct History {
    /// Has the blocks, which have no place yet.
    keep: Box<dyn Keep>,
    /// How many it has.
    blocks: u32,
    /// Bytes of those.
    bytes: u64,
    /// Payload that is in no block yet.
    recent: Vec<u8>,
}

impl History {
    /// Nothing was defined yet.
    pub(crate) fn new(keep: Box<dyn Keep>) -> Self {
        Self { keep, blocks: 0, bytes: 0, recent: Vec::new() }
    }

    /// Takes the payload of a block of definitions, as it was written.
    pub(crate) fn add(&mut self, payload: &[u8], packer: &mut Packer) {
        self.recent.extend_from_slice(payload);
        if self.recent.len() >= PIECE {
            self.pack(packer);
        }
    }

    /// Bytes that writing it again takes, about.
    pub(crate) fn len(&self) -> u64 {
        self.bytes + self.recent.len() as u64 / USUAL_RATIO
    }

    /// Makes blocks of all of it; how many it is.
    pub(crate) fn close(&mut self, packer: &mut Packer) -> u32 {
        if !self.recent.is_empty() {
            self.pack(packer);
        }
        self.blocks
    }

    /// One of them; `None` if it cannot be had any more.
    pub(crate) fn block(&self, index: u32) -> Option<Vec<u8>> {
        self.keep.get(index)
    }

    fn pack(&mut self, packer: &mut Packer) {
        let block = packer.pack(&self.recent, BlockPlace { seq: 0, first_event: 0, events: 0 });
        self.recent.clear();
        self.blocks += 1;
        self.bytes += block.len() as u64;
        self.keep.put(block);
    }
}
