//! The first half of reading a log: blocks found, unpacked and read into records. It needs no log,
//! so it can run ahead in a thread of its own.
//!
//! Invariant: what is given is in file order, and all that the second half
//! ([`Follow::take`](crate::Follow::take)) needs of the bytes.
//! Source: docs/FORMAT.md, "Blocks" and "Records".

use std::sync::Arc;

use lucce_log::{
    Block, Damage, EventRecord, Header, NotALog, Reading, Record, RecordError, Tables, Tail, TailItem, Tally,
    WalkedFrame,
};

/// Fewest bytes that are worth being read at once.
const CHUNK: usize = 1 << 20;

/// Reads the bytes of a file as they come.
#[derive(Debug, Default)]
pub struct Unpack {
    tail: Tail,
    parser: Parser,
    /// So many were given.
    bytes: u64,
    /// Something has come of them.
    begun: bool,
}

/// What comes next in a file.
#[derive(Debug)]
pub struct Unpacked {
    /// With the first piece and the end, where it can be read.
    pub(crate) header: Option<Header>,
    /// Bytes given so far.
    pub(crate) bytes: u64,
    pub(crate) piece: UnpackedPiece,
}

#[derive(Debug)]
pub(crate) enum UnpackedPiece {
    Block(Box<Parsed>),
    Damage(Damage),
    /// The file ends, perhaps within a block.
    End(Option<Damage>),
}

impl Unpack {
    /// At the beginning of a file.
    pub fn new() -> Self {
        Self::default()
    }

    /// The file has grown by these bytes.
    pub fn grow(&mut self, bytes: &[u8]) {
        self.tail.grow(bytes);
        self.bytes += bytes.len() as u64;
    }

    /// What comes next; `None` as long as it is not whole.
    ///
    /// # Errors
    /// The file is no log.
    pub fn step(&mut self) -> Result<Option<Unpacked>, NotALog> {
        let Some(step) = self.tail.step()? else { return Ok(None) };
        let piece = match step {
            TailItem::Block(block) => UnpackedPiece::Block(Box::new(self.parser.parse(&block))),
            TailItem::Damage(damage) => UnpackedPiece::Damage(damage),
        };
        let header = if std::mem::replace(&mut self.begun, true) { None } else { self.header().cloned() };
        Ok(Some(Unpacked { header, bytes: self.bytes, piece }))
    }

    /// The file ends here.
    ///
    /// # Errors
    /// The file is no log.
    pub fn end(&self) -> Result<Unpacked, NotALog> {
        let piece = UnpackedPiece::End(self.tail.end()?);
        Ok(Unpacked { header: self.header().cloned(), bytes: self.bytes, piece })
    }

    /// How many bytes are best given next: as many as wait for the end of their block, so that none
    /// is looked through often.
    pub fn wanted(&self) -> usize {
        self.tail.pending().max(CHUNK)
    }

    /// The header, once it was read.
    pub fn header(&self) -> Option<&Header> {
        self.tail.header()
    }

    /// So many bytes were given.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The file has become shorter: where reading goes on.
    pub(crate) fn shrink(&mut self) -> u64 {
        self.bytes = self.tail.shrink();
        self.bytes
    }
}

/// Reads blocks into records, in file order.
#[derive(Debug, Default)]
pub(crate) struct Parser {
    tables: Tables,
    /// So many strings and lists of frames were passed on.
    strings: usize,
    walks: usize,
}

/// The records of a block.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) seq: u64,
    pub(crate) raw_len: u64,
    /// Events that its head claims, and those that were met.
    pub(crate) claimed: u64,
    pub(crate) met: u64,
    /// With the number of each.
    pub(crate) events: Vec<(EventRecord, u64)>,
    /// All other records, and what could not be read, each with the number of `events` before it.
    pub(crate) others: Vec<(usize, Result<Record, RecordError>)>,
    /// What it defines, by the numbers in its events that follow those of earlier blocks.
    pub(crate) strings: Vec<Arc<str>>,
    pub(crate) walks: Vec<Arc<[WalkedFrame]>>,
    pub(crate) tally: Tally,
}

impl Parser {
    pub(crate) fn parse(&mut self, block: &Block<'_>) -> Parsed {
        let (seq, raw_len, claimed) = (block.seq, block.raw_len(), u64::from(block.events));
        // The head may claim any number.
        let (mut events, mut others) = (Vec::with_capacity(claimed.min(raw_len / 16) as usize), Vec::new());
        let mut records = block.records(&mut self.tables);
        while let Some(reading) = records.read() {
            match reading {
                Ok(Reading::Event(event)) => events.push((event, records.seq())),
                Ok(Reading::Record(record)) => others.push((events.len(), Ok(record))),
                Err(error) => others.push((events.len(), Err(error))),
            }
        }
        let (met, tally) = (records.events(), records.tally().clone());
        let strings = self.tables.strings_from(self.strings).to_vec();
        let walks = self.tables.walks_from(self.walks).to_vec();
        (self.strings, self.walks) = (self.strings + strings.len(), self.walks + walks.len());
        Parsed { seq, raw_len, claimed, met, events, others, strings, walks, tally }
    }
}
