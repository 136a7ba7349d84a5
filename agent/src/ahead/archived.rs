//! Reading what lies in a jar.
//!
//! Invariant: an entry that is larger than a class may be, longer or shorter than the jar says, or packed in another way than jars are, is not read.
//! Source: APPNOTE.TXT 4.4.5 (methods 0 and 8); RFC 1951.

use flate2::{Decompress, FlushDecompress, Status};
use rawzip::{CompressionMethod, FileReader, ReaderAt, ZipArchive, ZipArchiveEntryWayfinder};

use super::class_path::SIZE;

/// Where an entry of a jar is.
#[derive(Clone, Copy)]
pub(super) struct Archived {
    pub(super) way: ZipArchiveEntryWayfinder,
    pub(super) method: CompressionMethod,
}

/// So much memory waits to be filled again at most, in pieces of so many bytes.
const SPARE: usize = 64;
const LONGEST: usize = 16 << 10;

/// What the reading of one entry leaves for the next: memory, and nothing else.
pub(super) struct Reading {
    inflate: Decompress,
    packed: Vec<u8>,
    spare: Vec<Vec<u8>>,
}

impl Default for Reading {
    fn default() -> Self {
        // Without a header: jars have none of zlib's.
        Self { inflate: Decompress::new(false), packed: Vec::new(), spare: Vec::new() }
    }
}

impl Reading {
    /// Takes back what it gave, for the memory.
    pub(super) fn recycle(&mut self, bytes: Vec<u8>) {
        if self.spare.len() < SPARE && bytes.capacity() <= LONGEST {
            self.spare.push(bytes);
        }
    }

    /// The entry's bytes.
    pub(super) fn bytes(&mut self, jar: &ZipArchive<FileReader>, entry: Archived) -> Option<Vec<u8>> {
        let (size, packed) = (entry.way.uncompressed_size_hint(), entry.way.compressed_size_hint());
        if size > SIZE || packed > SIZE {
            return None;
        }
        let (start, _) = jar.get_entry(entry.way).ok()?.compressed_data_range();
        self.packed.resize(packed as usize, 0);
        jar.get_ref().read_exact_at(&mut self.packed, start).ok()?;
        match entry.method {
            CompressionMethod::STORE => Some(self.packed.clone()),
            CompressionMethod::DEFLATE => {
                let mut bytes = self.spare.pop().unwrap_or_default();
                bytes.clear();
                bytes.reserve_exact(size as usize);
                self.inflate.reset(false);
                let end = self.inflate.decompress_vec(&self.packed, &mut bytes, FlushDecompress::Finish);
                (matches!(end, Ok(Status::StreamEnd)) && bytes.len() as u64 == size).then_some(bytes)
            }
            _ => None,
        }
    }
}
