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

/// What the reading of one entry leaves for the next: memory, and nothing else.
pub(super) struct Reading {
    inflate: Decompress,
    packed: Vec<u8>,
}

impl Default for Reading {
    fn default() -> Self {
        // Without a header: jars have none of zlib's.
        Self { inflate: Decompress::new(false), packed: Vec::new() }
    }
}

impl Reading {
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
                self.inflate.reset(false);
                let mut bytes = Vec::with_capacity(size as usize);
                let end = self.inflate.decompress_vec(&self.packed, &mut bytes, FlushDecompress::Finish);
                (matches!(end, Ok(Status::StreamEnd)) && bytes.len() as u64 == size).then_some(bytes)
            }
            _ => None,
        }
    }
}
