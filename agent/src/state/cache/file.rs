//! The file of the cache: who may have written it, and how a record stands in it.
//!
//! Invariant: what is in it goes into the program's classes, so it is believed only if nobody but
//! the program's own user, or root, can have put it there. Only who has the lock writes; all others
//! read.
//! Source: flock(2).

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// How every such file begins.
const MAGIC: &[u8; 8] = b"lucce.k1";
/// Bytes in front of the first record.
pub(super) const START: usize = 32;
/// Bytes in front of each record.
pub(super) const HEAD: usize = 48;
/// Those of them that have a checksum.
const SUMMED: usize = HEAD - 8;

/// Opens the file, and says whether this run may ever write it.
///
/// # Errors
/// One line, with the remedy.
pub(super) fn open(path: &Path) -> Result<(File, bool), String> {
    let wrong = |what: &dyn std::fmt::Display| format!("cannot use the cache {}: {what}", path.display());
    let mut options = OpenOptions::new();
    // What is no file might wait for somebody to open its other end; and a link may lead to what is
    // not the user's.
    options.read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC);
    let writing = options.clone().write(true).create(true).truncate(false).mode(0o600).open(path);
    let (file, writes) = match writing {
        Ok(file) => (file, true),
        Err(error) if matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem) => {
            (options.open(path).map_err(|error| wrong(&error))?, false)
        }
        Err(error) => return Err(wrong(&format_args!("{error}; name a file, and no link, in a folder that is there"))),
    };
    let found = file.metadata().map_err(|error| wrong(&error))?;
    // SAFETY: the call always succeeds, and touches nothing.
    let user = unsafe { libc::geteuid() };
    if !found.is_file() {
        return Err(wrong(&"it is no regular file; name another"));
    }
    if found.uid() != user && found.uid() != 0 || found.mode() & 0o022 != 0 {
        return Err(wrong(
            &"others may write it, and what it has would run in this program; make it writable for its user alone (chmod go-w), or delete it",
        ));
    }
    let mut start = [0; MAGIC.len()];
    let read = file.read_at(&mut start, 0).map_err(|error| wrong(&error))?;
    if read > 0 && start != *MAGIC {
        return Err(wrong(&"it is none of Lucce's; name another"));
    }
    Ok((file, writes))
}

/// What stands behind the magic: of which agent and options the file is, and a number of its own.
/// All hashes of the file are made with that, so that nothing is taken for its own that stood in
/// the file before it was begun anew, or will stand there afterwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Start {
    pub(super) key: u128,
    pub(super) seed: u64,
}

impl Start {
    pub(super) fn write(self) -> [u8; START] {
        let mut bytes = [0; START];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..24].copy_from_slice(&self.key.to_le_bytes());
        bytes[24..].copy_from_slice(&self.seed.to_le_bytes());
        bytes
    }

    /// `None`: it is none of a cache.
    pub(super) fn of(file: &File) -> Option<Self> {
        let mut bytes = [0; START];
        file.read_exact_at(&mut bytes, 0).ok()?;
        let (key, seed) = (bytes[8..24].first_chunk()?, bytes[24..].first_chunk()?);
        (bytes[..8] == *MAGIC).then_some(Self { key: u128::from_le_bytes(*key), seed: u64::from_le_bytes(*seed) })
    }
}

/// What stands in front of a record, little-endian: the record's length (4 bytes), its checksum
/// (8), the hash of the class file (16), the numbers above its highest class, method and site (4
/// each), and a checksum (8) of all that. All three hashes begin with the file's seed.
pub(super) struct Head {
    pub(super) len: u32,
    checksum: u64,
    pub(super) hash: u128,
    pub(super) ends: [u32; 3],
}

impl Head {
    pub(super) fn of(seed: u64, hash: u128, ends: [u32; 3], record: &[u8]) -> Self {
        let len = u32::try_from(record.len()).unwrap_or(u32::MAX);
        Self { len, checksum: xxh3_64_with_seed(record, seed), hash, ends }
    }

    /// Is this the record that it stands in front of?
    pub(super) fn fits(&self, seed: u64, record: &[u8]) -> bool {
        self.checksum == xxh3_64_with_seed(record, seed)
    }

    pub(super) fn write(&self, seed: u64) -> [u8; HEAD] {
        let mut bytes = [0; HEAD];
        bytes[..4].copy_from_slice(&self.len.to_le_bytes());
        bytes[4..12].copy_from_slice(&self.checksum.to_le_bytes());
        bytes[12..28].copy_from_slice(&self.hash.to_le_bytes());
        for (to, end) in bytes[28..SUMMED].chunks_exact_mut(4).zip(self.ends) {
            to.copy_from_slice(&end.to_le_bytes());
        }
        let sum = xxh3_64_with_seed(&bytes[..SUMMED], seed);
        bytes[SUMMED..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// `None`: it was not written so, or to another file.
    pub(super) fn read(seed: u64, bytes: &[u8; HEAD]) -> Option<Self> {
        let number = |at: usize| bytes[at..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
        let long = |at: usize| u64::from(number(at)) | u64::from(number(at + 4)) << 32;
        let hash = u128::from(long(12)) | u128::from(long(20)) << 64;
        let head = Self { len: number(0), checksum: long(4), hash, ends: [number(28), number(32), number(36)] };
        (xxh3_64_with_seed(&bytes[..SUMMED], seed) == long(SUMMED)).then_some(head)
    }
}
