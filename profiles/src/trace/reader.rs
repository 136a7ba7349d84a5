//! Reads a trace as a stream of items, one block in memory at a time.
//!
//! Invariant: an item comes out exactly as it was written. Reading ends at the first byte that is
//! not as written, and [`TraceReader::ending`] says how: whole, cut or damaged, and where.

use std::fmt;
use std::io::{self, Read};

use lucce_words::{MethodId, SiteId};

use super::checksum::crc32;
use super::prediction::Prediction;
use super::{CONTEXT, END, ENDED, ENTRIES, Item, MAGIC, MAX_PAYLOAD, METHOD, SITE, TraceContext, TraceNode, VERSION};
use lucce_words::varint::Get;

/// Most entries of one item.
const MOST_ENTRIES: u64 = 1 << 22;

/// Why a file is not read at all.
#[derive(Debug)]
pub enum TraceRefused {
    /// It cannot be read.
    Io(io::Error),
    /// It is no trace.
    NoTrace,
    /// It is of a later version.
    Version(u32),
}

impl fmt::Display for TraceRefused {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(out, "cannot read the trace: {error}"),
            Self::NoTrace => out.write_str("this is not a trace"),
            Self::Version(version) => {
                write!(out, "version {version} of the trace's format is not known, only {VERSION}")
            }
        }
    }
}

impl std::error::Error for TraceRefused {}

/// How a trace ends. `at` is the byte of the file up to which it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It has all that the run wrote; so many entries were dropped at its end.
    Whole {
        /// Entries that are missing.
        dropped: u64,
    },
    /// The file ends before the run did.
    Cut {
        /// Up to here.
        at: u64,
    },
    /// Behind this byte stands what no writer has written.
    Damaged {
        /// Up to here.
        at: u64,
    },
}

/// Reads items until the end of the file, or until something is wrong.
pub struct TraceReader<R> {
    from: R,
    payload: Vec<u8>,
    /// What was read of the payload.
    read: usize,
    /// The byte of the file behind the last block that was whole.
    at: u64,
    prediction: Prediction,
    ending: Option<Ending>,
}

impl<R: Read> TraceReader<R> {
    /// Reads the head of a file.
    ///
    /// # Errors
    /// It is no trace, or a later one.
    pub fn new(mut from: R) -> Result<Self, TraceRefused> {
        let mut head = [0; 12];
        if fill(&mut from, &mut head).map_err(TraceRefused::Io)? < head.len() || !head.starts_with(&MAGIC) {
            return Err(TraceRefused::NoTrace);
        }
        let version = u32::from_le_bytes([head[8], head[9], head[10], head[11]]);
        if version != VERSION {
            return Err(TraceRefused::Version(version));
        }
        Ok(Self { from, payload: Vec::new(), read: 0, at: 12, prediction: Prediction::new(), ending: None })
    }

    /// How it has ended; `None` before the last item.
    pub fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// Gets the next block. Is there one?
    fn block(&mut self) -> bool {
        let mut head = [0; 8];
        let (cut, damaged) = (Ending::Cut { at: self.at }, Ending::Damaged { at: self.at });
        if !matches!(fill(&mut self.from, &mut head), Ok(8)) {
            return self.stop(cut);
        }
        let [length, sum] = [0, 4].map(|at| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]));
        if length == 0 || length > MAX_PAYLOAD {
            return self.stop(damaged);
        }
        self.payload.resize(length as usize, 0);
        self.read = 0;
        match fill(&mut self.from, &mut self.payload) {
            Ok(read) if read == length as usize => {}
            _ => return self.stop(cut),
        }
        if crc32(&self.payload) != sum {
            return self.stop(damaged);
        }
        self.at += 8 + u64::from(length);
        true
    }

    /// The next item of the payload; `None` if it is none.
    fn item(&mut self) -> Option<Option<Item>> {
        let mut from = Get::new(&self.payload[self.read..]);
        let item = match from.byte()? {
            METHOD => Item::Method {
                id: MethodId(from.var32()?),
                class: from.string()?.into(),
                name: from.string()?.into(),
                desc: from.string()?.into(),
            },
            SITE => Item::Site { id: SiteId(from.var32()?), method: MethodId(from.var32()?), bci: from.var16()? },
            CONTEXT => Item::Context {
                id: TraceContext(from.var32()?),
                node: TraceNode {
                    parent: TraceContext(from.var32()?),
                    site: SiteId(from.var32()?),
                    method: MethodId(from.var32()?),
                },
            },
            ENTRIES => {
                let (thread, time) = (from.var32()?, from.var()?);
                let number = from.var().filter(|&number| number <= MOST_ENTRIES)?;
                Item::Entries { thread, time, contexts: self.prediction.take(&mut from, number as usize)? }
            }
            ENDED => Item::Ended { thread: from.var32()?, time: from.var()? },
            END => {
                let dropped = from.var()?;
                self.stop(Ending::Whole { dropped });
                return Some(None);
            }
            _ => return None,
        };
        self.read = self.payload.len() - from.left();
        Some(Some(item))
    }

    fn stop(&mut self, ending: Ending) -> bool {
        self.ending = Some(ending);
        false
    }
}

impl<R: Read> Iterator for TraceReader<R> {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        if self.ending.is_some() || self.read == self.payload.len() && !self.block() {
            return None;
        }
        let item = self.item();
        if item.is_none() {
            self.stop(Ending::Damaged { at: self.at });
        }
        item?
    }
}

/// Reads until the buffer is full or the file ends; how many bytes there were.
fn fill(from: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut read = 0;
    while read < buffer.len() {
        match from.read(&mut buffer[read..]) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}
