//! The writer's side: records are gathered, and leave as one block that can be read on its own.
//!
//! Invariant: a block is `head, stored payload`, its checksum covers all that follows the checksum,
//! and its event numbers are absolute: the next readable block tells how much was lost before it.
//! Source: docs/FORMAT.md, "Blocks".

use crate::Record;
use crate::encode::Encoding;

/// The first bytes of a block. 0xF7 cannot occur in UTF-8, so no string holds them.
pub(crate) const MAGIC: [u8; 4] = [0xF7, b'L', b'B', b'2'];
/// Bytes of a block before its payload.
pub(crate) const HEAD: usize = 40;
/// Where the checksum stands, and where what it covers begins.
pub(crate) const CHECKSUM: usize = 4;
pub(crate) const COVERED: usize = 8;
/// Where its number stands, behind it that of its first event, and then how many it holds.
const SEQ: usize = 16;

/// The payload as it is.
pub(crate) const CODEC_RAW: u32 = 0;
/// The payload is one zstd frame.
pub(crate) const CODEC_ZSTD: u32 = 1;

/// Largest payload in bytes, uncompressed, that a reader accepts.
pub const MAX_BLOCK: usize = 64 << 20;

const LEVEL: i32 = 3;

/// Where a block stands in its file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockPlace {
    /// Its number.
    pub seq: u64,
    /// Events before it.
    pub first_event: u64,
    /// Events in it.
    pub events: u32,
}

/// Makes blocks of payloads. Keeps the memory of the compression.
#[derive(Default)]
pub(crate) struct Packer(Option<zstd::bulk::Compressor<'static>>);

impl Packer {
    /// One that compresses, where there is memory for that; the default does not.
    pub(crate) fn new() -> Self {
        Self(zstd::bulk::Compressor::new(LEVEL).ok())
    }

    pub(crate) fn pack(&mut self, payload: &[u8], place: BlockPlace) -> Vec<u8> {
        let packed = self.0.as_mut().and_then(|compressor| compressor.compress(payload).ok());
        let (codec, stored) = match &packed {
            Some(packed) if packed.len() < payload.len() => (CODEC_ZSTD, packed.as_slice()),
            _ => (CODEC_RAW, payload),
        };
        let mut block = Vec::with_capacity(HEAD + stored.len());
        block.extend_from_slice(&MAGIC);
        block.extend_from_slice(&[0; 4]);
        block.extend_from_slice(&(stored.len() as u32).to_le_bytes());
        block.extend_from_slice(&(payload.len() as u32).to_le_bytes());
        block.extend_from_slice(&place.seq.to_le_bytes());
        block.extend_from_slice(&place.first_event.to_le_bytes());
        block.extend_from_slice(&place.events.to_le_bytes());
        block.extend_from_slice(&codec.to_le_bytes());
        block.extend_from_slice(stored);
        seal(&mut block);
        block
    }
}

/// The first block of a file whose composer leaves a place for it
/// ([`Composer::behind_pinned`](crate::Composer::behind_pinned)). Never compressed, so that a
/// record of the same length makes a block of the same length, which may be written over it.
pub fn pinned(record: &Record) -> Vec<u8> {
    let mut encoding = Encoding::default();
    encoding.record(record);
    Packer::default().pack(&encoding.out, BlockPlace { seq: 0, first_event: 0, events: 0 })
}

/// A block without events, moved to another place.
pub(crate) fn moved(block: &[u8], seq: u64, first_event: u64) -> Vec<u8> {
    let mut block = block.to_vec();
    block[SEQ..SEQ + 8].copy_from_slice(&seq.to_le_bytes());
    block[SEQ + 8..SEQ + 16].copy_from_slice(&first_event.to_le_bytes());
    seal(&mut block);
    block
}

fn seal(block: &mut [u8]) {
    let checksum = crc32fast::hash(&block[COVERED..]);
    block[CHECKSUM..COVERED].copy_from_slice(&checksum.to_le_bytes());
}

/// Gathers records into blocks. One for each file: it remembers what the file's earlier blocks
/// define.
#[derive(Default)]
pub struct BlockBuilder {
    encoding: Encoding,
    first_event: u64,
    packer: Packer,
}

impl BlockBuilder {
    /// A builder for a new file.
    pub fn new() -> Self {
        Self { packer: Packer::new(), ..Self::default() }
    }

    /// Appends a record. A block should be finished long before [`Self::len`] reaches
    /// [`MAX_BLOCK`]; 64 KiB to 1 MiB is a good size.
    pub fn push(&mut self, record: &Record) {
        self.encoding.record(record);
    }

    /// Bytes of the payload so far, uncompressed.
    pub fn len(&self) -> usize {
        self.encoding.out.len()
    }

    /// Is there nothing to write?
    pub fn is_empty(&self) -> bool {
        self.encoding.out.is_empty()
    }

    /// Events pushed since the file began.
    pub fn events(&self) -> u64 {
        self.first_event + u64::from(self.encoding.events)
    }

    /// Everything pushed since the last call as one complete block. `seq` counts the blocks of the
    /// file from 0, with no gap.
    pub fn finish(&mut self, seq: u64) -> Vec<u8> {
        let payload = std::mem::take(&mut self.encoding.out);
        let events = std::mem::take(&mut self.encoding.events);
        self.encoding.time_ns = 0;
        let place = BlockPlace { seq, first_event: self.first_event, events };
        self.first_event += u64::from(events);
        self.packer.pack(&payload, place)
    }

    /// To be called when a finished block could not be written: later blocks define again what they
    /// need.
    pub fn forget_definitions(&mut self) {
        self.encoding.interner.clear();
    }
}

impl std::fmt::Debug for BlockBuilder {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("BlockBuilder").field("len", &self.len()).field("events", &self.events()).finish()
    }
}
