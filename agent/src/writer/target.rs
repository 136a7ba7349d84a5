//! The file that is being written, block by block.
//!
//! Invariants: a block is in a regular file whole or not at all, so it always ends with a complete block; whatever a pipe takes shows as
//! progress, however slow its reader is.
//! Source: docs/FORMAT.md, "Write-ahead"; pipe(7), "PIPE_BUF".

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

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
}

impl Target {
    /// Begins it with its header.
    ///
    /// # Errors
    /// The header could not be written.
    pub(super) fn begin(file: File, header: &[u8], status: &Status) -> io::Result<Self> {
        let regular = file.metadata().is_ok_and(|file| file.is_file());
        let mut target = Self { file, regular, good: 0, torn: false };
        target.add(header, status)?;
        Ok(target)
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

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::fd::OwnedFd;

    use super::*;

    #[test]
    fn what_a_pipe_takes_is_there_and_one_that_nobody_reads_is_an_error() {
        let (mut reader, writer) = io::pipe().unwrap();
        let status = Status::new("pipe".into());
        let mut target = Target::begin(OwnedFd::from(writer).into(), b"head", &status).unwrap();
        target.add(&[7; 10_000], &status).unwrap();
        assert_eq!((target.len(), target.is_regular()), (10_004, false));
        let mut bytes = vec![0; 10_004];
        reader.read_exact(&mut bytes).unwrap();
        assert_eq!((&bytes[..4], &bytes[4..]), (&b"head"[..], &[7; 10_000][..]));
        drop(reader);
        for _ in 0..2 {
            assert_eq!(target.add(b"block", &status).unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        }
    }
}
