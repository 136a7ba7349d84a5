//! The file that is being written, block by block.
//!
//! Invariants: a block is in a regular file whole or not at all, so it always ends with a complete
//! block; whatever a pipe takes shows as progress, however slow its reader is. A regular file is
//! locked as long as it is written, where its file system has locks. Its first block is the only
//! one that is written over.
//! Source: docs/FORMAT.md, "Write-ahead" and "Is it still written?"; pipe(7), "PIPE_BUF"; flock(2).

use std::fs::{File, Metadata, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Range;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::time::{Duration, UNIX_EPOCH};

use lucce_log::{Header, Record, encode_header, pinned};

use super::Status;

/// Bytes that are written at once: a pipe may take as many and no more for long.
const PIECE: usize = 4096;

/// A file, pipe or device.
#[derive(Debug)]
pub(super) struct Target {
    file: File,
    regular: bool,
    /// Bytes that are complete blocks.
    good: u64,
    /// There may be a piece of a block behind them.
    torn: bool,
    /// Where the block stands that says what the disk has refused.
    pinned: Range<u64>,
}

/// How often the lock is tried: a reader may look at it just then.
const TRIES: u32 = 5;

impl Target {
    /// Begins it with its header, and a file with the block that is kept for what the disk may
    /// refuse.
    ///
    /// # Errors
    /// They could not be written.
    pub(super) fn begin(file: File, header: &Header, refused: &Record, status: &Status) -> io::Result<Self> {
        let there = file.metadata().ok().filter(Metadata::is_file);
        let locked = there.as_ref().filter(|_| is_locked(&file));
        let (inode, born) = locked.map_or((0, 0), |there| (there.ino(), born(there)));
        let mut begin = encode_header(&Header { inode, born, ..header.clone() });
        let (regular, from) = (there.is_some(), begin.len() as u64);
        if regular {
            begin.extend(pinned(refused));
        }
        let pinned = from..begin.len() as u64;
        let mut target = Self { file, regular, good: 0, torn: false, pinned };
        target.add(&begin, status)?;
        Ok(target)
    }

    /// Writes over the first block of a file. A full disk takes that: the file does not grow.
    pub(super) fn refuse(&self, refused: &Record) {
        let block = pinned(refused);
        if self.regular && block.len() as u64 == self.pinned.end - self.pinned.start {
            // Where this is refused too, the log lacks it, and a reader says that it does not know.
            let _ = self.file.write_all_at(&block, self.pinned.start);
        }
    }

    /// Writes a block, or takes back what there is of it. A pipe keeps that: what it has is read.
    ///
    /// # Errors
    /// The block is not there.
    pub(super) fn add(&mut self, block: &[u8], status: &Status) -> io::Result<()> {
        self.take_back()?;
        self.torn = self.regular;
        let size = if self.regular { block.len().max(1) } else { PIECE };
        let written = block.chunks(size).try_for_each(|piece| {
            status.moves();
            self.file.write_all(piece)
        });
        status.moves();
        if let Err(error) = written {
            // Otherwise before the next block.
            let _ = self.take_back();
            return Err(error);
        }
        self.torn = false;
        self.good += block.len() as u64;
        Ok(())
    }

    fn take_back(&mut self) -> io::Result<()> {
        if self.torn {
            self.file.set_len(self.good)?;
            self.file.seek(SeekFrom::Start(self.good))?;
            self.torn = false;
        }
        Ok(())
    }

    /// Brings it to the disk. A pipe or a device has nothing to bring there.
    ///
    /// # Errors
    /// Why it is not there.
    pub(super) fn sync(&self) -> io::Result<()> {
        if self.regular { self.file.sync_data() } else { Ok(()) }
    }

    /// Is it no pipe and no device?
    pub(super) fn is_regular(&self) -> bool {
        self.regular
    }

    /// Bytes written.
    pub(super) fn len(&self) -> u64 {
        self.good
    }
}

fn born(file: &Metadata) -> u64 {
    let born = file.created().ok().and_then(|born| born.duration_since(UNIX_EPOCH).ok());
    born.map_or(0, |born| born.as_nanos() as u64)
}

/// Locks the file for as long as it is open.
fn is_locked(file: &File) -> bool {
    for _ in 0..TRIES {
        match file.try_lock() {
            Ok(()) => return true,
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
            // Not every file system has locks.
            Err(TryLockError::Error(_)) => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::fd::OwnedFd;

    use super::*;

    #[test]
    fn what_a_pipe_takes_is_there_and_one_that_nobody_reads_is_an_error() {
        let (mut reader, writer) = io::pipe().unwrap();
        let status = Status::new("pipe".into());
        let header = Header { pid: 7, ..Header::default() };
        let begin = encode_header(&header);
        let mut target = Target::begin(OwnedFd::from(writer).into(), &header, &Record::End, &status).unwrap();
        target.add(&[7; 10_000], &status).unwrap();
        assert_eq!((target.len(), target.is_regular()), (begin.len() as u64 + 10_000, false));
        let mut bytes = vec![0; begin.len() + 10_000];
        reader.read_exact(&mut bytes).unwrap();
        assert_eq!((&bytes[..begin.len()], &bytes[begin.len()..]), (&begin[..], &[7; 10_000][..]));
        drop(reader);
        // A child that another test forks has the reader, too, until it runs its program.
        let refused = |_| {
            std::thread::sleep(Duration::from_millis(1));
            target.add(b"block", &status).err()
        };
        assert_eq!((0..5000).find_map(refused).unwrap().kind(), io::ErrorKind::BrokenPipe);
        assert_eq!(target.add(b"block", &status).unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }
}
