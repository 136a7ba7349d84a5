//! Every definition of a run, ready to be written again: at the beginning of a later file, or as a keyframe.
//!
//! Invariant: the blocks in the order in which they are given are what the files of the run hold in definitions, each once; a reader that
//! has them, and nothing else, decodes every word and node of the run so far.
//! Source: DESIGN section 6; docs/FORMAT.md, "Files and keyframes".
//!
//! Memory: what the definitions take when compressed, and up to [`PIECE`] bytes that are not yet.

use crate::block::{Packer, Place, moved};

/// Bytes of definitions, uncompressed, that become one block: small ones are written often, and compress badly alone.
const PIECE: usize = 256 << 10;

/// How much shorter definitions become, or more, when they are compressed.
const USUAL_RATIO: u64 = 3;

#[derive(Default)]
pub(crate) struct History {
    /// Blocks with no place yet.
    packed: Vec<Vec<u8>>,
    /// Bytes of those.
    bytes: u64,
    /// Payload that is in no block yet.
    recent: Vec<u8>,
}

impl History {
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

    /// How many blocks it is. Nothing may be added between this and [`Self::blocks`].
    pub(crate) fn close(&mut self, packer: &mut Packer) -> u32 {
        if !self.recent.is_empty() {
            self.pack(packer);
        }
        self.packed.len() as u32
    }

    /// Its blocks, numbered from `seq` on, in a file with so many events before them.
    pub(crate) fn blocks(&self, seq: u64, first_event: u64) -> impl Iterator<Item = Vec<u8>> {
        (seq..).zip(&self.packed).map(move |(seq, block)| moved(block, seq, first_event))
    }

    fn pack(&mut self, packer: &mut Packer) {
        let block = packer.pack(&self.recent, Place { seq: 0, first_event: 0, events: 0 });
        self.recent.clear();
        self.bytes += block.len() as u64;
        self.packed.push(block);
    }
}
