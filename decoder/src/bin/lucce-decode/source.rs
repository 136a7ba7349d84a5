//! Where the bytes of a log that is followed come from.
//!
//! Invariant: a read gives up after a pause, so that signals are heeded and the writer looked for.
//! A pipe whose writer is there and silent, or not there yet, has nobody wait but a thread of its
//! own, which ends with the process.
//! Source: signal(7), "Interruption of system calls": what blocks is begun again behind the
//! handler.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

/// How often a log is looked at that does not grow.
const PAUSE: Duration = Duration::from_millis(50);
/// Bytes read at once.
const CHUNK: usize = 1 << 20;

/// A log, and where it was read to.
pub struct Source {
    from: Reading,
    /// What was read last.
    chunk: Vec<u8>,
}

enum Reading {
    /// A file, and how much of it was read.
    File(File, u64),
    /// What a thread reads: nothing where a pipe has no writer.
    Stream(Receiver<io::Result<Vec<u8>>>),
}

impl Source {
    /// Opens it, at its beginning.
    pub fn open(path: &Path) -> io::Result<Self> {
        if fs::metadata(path)?.is_file() {
            return Ok(Self { from: Reading::File(File::open(path)?, 0), chunk: vec![0; CHUNK] });
        }
        // One read is ahead at most: who writes is held up as by one who reads directly.
        let (sender, receiver) = sync_channel(0);
        let path = path.to_owned();
        thread::Builder::new().name("lucce-read".into()).spawn(move || stream(&path, &sender))?;
        Ok(Self { from: Reading::Stream(receiver), chunk: Vec::new() })
    }

    /// What has come since; nothing, after a pause, if that is so.
    pub fn read(&mut self) -> io::Result<&[u8]> {
        let read = match &mut self.from {
            Reading::File(file, at) => {
                let read = file.read(&mut self.chunk)?;
                *at += read as u64;
                read
            }
            Reading::Stream(receiver) => match receiver.recv_timeout(PAUSE) {
                Ok(chunk) => {
                    self.chunk = chunk?;
                    self.chunk.len()
                }
                Err(RecvTimeoutError::Timeout) => return Ok(&[]),
                Err(RecvTimeoutError::Disconnected) => 0,
            },
        };
        if read == 0 {
            thread::sleep(PAUSE);
        }
        Ok(&self.chunk[..read])
    }

    /// The file is shorter than what was read of it.
    pub fn has_shrunk(&self) -> bool {
        match &self.from {
            Reading::File(file, at) => file.metadata().is_ok_and(|file| file.len() < *at),
            Reading::Stream(_) => false,
        }
    }

    /// Goes on at this offset of a file.
    pub fn seek(&mut self, to: u64) -> io::Result<()> {
        if let Reading::File(file, at) = &mut self.from {
            *at = file.seek(SeekFrom::Start(to))?;
        }
        Ok(())
    }
}

/// Gives what comes until nobody takes it any more.
fn stream(path: &Path, sender: &SyncSender<io::Result<Vec<u8>>>) {
    let mut chunk = vec![0; CHUNK];
    // Waits for who writes.
    let mut source = match File::open(path) {
        Ok(source) => source,
        Err(error) => return drop(sender.send(Err(error))),
    };
    while sender.send(source.read(&mut chunk).map(|read| chunk[..read].to_vec())).is_ok() {}
}
