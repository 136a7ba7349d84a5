//! From bytes to records.
//!
//! Invariant: no input panics or allocates more than the payload's own size warrants. A record that
//! refers to a lost definition is reported and passed over; bytes that are no record end the block.
//! Source: docs/FORMAT.md, "Records".

mod sized;

use std::sync::Arc;

use lucce_words::{Bci, ClassId, EdgeId, MethodId, NodeId, SiteId, Version, Word};

use crate::encode::unfold;
use crate::event_record::EventRecord;
use crate::tag;
use crate::{Owner, Record, Tables, Tally, WalkedFrame};
use lucce_words::varint::Get;

/// Why a record could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordError {
    /// A string or list of frames that it needs was defined in a lost block. Reading goes on behind
    /// it.
    Undefined {
        /// The record was an event.
        event: bool,
        /// It was a definition, which a keyframe repeats.
        definition: bool,
    },
    /// No record; the rest of the block is lost. The offset counts in the block's uncompressed
    /// payload.
    Malformed {
        /// Where the record begins.
        offset: usize,
    },
}

impl std::fmt::Display for RecordError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Undefined { .. } => out.write_str("record needs a definition from a lost block"),
            Self::Malformed { offset } => write!(out, "no record at payload offset {offset}"),
        }
    }
}

impl std::error::Error for RecordError {}

/// The records of one block, in order. Definitions are taken into the tables on the way.
#[derive(Debug)]
pub struct Records<'a> {
    get: Get<'a>,
    tables: &'a mut Tables,
    first_event: u64,
    events: u64,
    time_ns: u64,
    tally: Tally,
    /// The kind of the program that was said last; a Kind with the same number behind it is for
    /// older readers.
    program_kind: Option<u32>,
}

/// A record as it is read.
#[derive(Debug)]
pub enum Reading {
    /// [`Record::Event`], of which a log has millions.
    Event(EventRecord),
    /// Any other.
    Record(Record),
}

/// What one item of a payload turned out to be.
enum Item {
    Record(Record),
    Event(EventRecord),
    /// A definition, or an unknown record that carries its length.
    Passed,
    Undefined,
}

impl<'a> Records<'a> {
    pub(crate) fn new(payload: &'a [u8], first_event: u64, tables: &'a mut Tables) -> Self {
        Self {
            get: Get::new(payload),
            tables,
            first_event,
            events: 0,
            time_ns: 0,
            tally: Tally::default(),
            program_kind: None,
        }
    }

    /// The number of the event that [`Iterator::next`] gave last, counted over the whole file
    /// from 0.
    pub fn seq(&self) -> u64 {
        self.first_event.wrapping_add(self.events).wrapping_sub(1)
    }

    /// Events met so far in this block, those with an error included.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Bytes read so far of this block, by kind of record.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    fn string(&mut self) -> Option<Option<Arc<str>>> {
        let id = self.get.var32()?;
        Some(self.tables.string(id))
    }

    /// `Some(None)` where the string is lost, `Some(Some(None))` where there is none.
    fn optional_string(&mut self) -> Option<Option<Option<Arc<str>>>> {
        Some(match self.get.option()? {
            None => Some(None),
            Some(id) => self.tables.string(id).map(Some),
        })
    }

    /// Reads the item with this tag; `None` if it is malformed. Fields are all read before a lost
    /// one ends the item.
    fn item(&mut self, tag: u8) -> Option<Item> {
        /// Unwraps what the tables gave, or passes the record over.
        macro_rules! defined {
            ($value:expr) => {
                match $value {
                    Some(value) => value,
                    None => return Some(Item::Undefined),
                }
            };
        }
        let record = match tag {
            tag::STRING => {
                let id = self.get.var32()?;
                let value = self.get.string()?;
                self.tables.define_string(id, value);
                return Some(Item::Passed);
            }
            tag::WALK => return self.walk(),
            tag::CLASS => {
                let id = ClassId(self.get.var32()?);
                let name = self.string()?;
                let source = self.optional_string()?;
                let loader = self.get.var32()?;
                Record::Class { id, name: defined!(name), source: defined!(source), loader }
            }
            tag::METHOD => {
                let id = MethodId(self.get.var32()?);
                let class = ClassId(self.get.var32()?);
                let name = self.string()?;
                let desc = self.string()?;
                let access = self.get.var16()?;
                let huge = self.get.byte()? != 0;
                Record::Method { id, class, name: defined!(name), desc: defined!(desc), access, huge }
            }
            tag::SITE => {
                let id = SiteId(self.get.var32()?);
                let method = MethodId(self.get.var32()?);
                let bci = Bci(self.get.var16()?);
                let line = self.get.option()?.map(u16::try_from).transpose().ok()?;
                let kind = self.get.byte()?;
                let owner = self.string()?;
                let name = self.string()?;
                let desc = self.string()?;
                let (owner, name, desc) = (defined!(owner), defined!(name), defined!(desc));
                Record::Site { id, method, bci, line, kind, owner, name, desc }
            }
            tag::EDGE => Record::Edge { id: self.edge()?, site: self.site()?, callee: MethodId(self.get.var32()?) },
            tag::CUT => Record::Cut { edge: self.edge()? },
            tag::UNROLLED => Record::Unrolled { edge: self.edge()? },
            tag::SEGMENT => {
                let edge = self.edge()?;
                let version = Version(self.get.var32()?);
                let restoring = match self.get.byte()? {
                    0 => false,
                    1 => true,
                    _ => return None,
                };
                let (lo, len, base) = (unfold(self.get.var()?), self.get.var()?, unfold(self.get.var()?));
                Record::Segment { edge, version, lo, len, restoring, base }
            }
            tag::CUT_NUMBER => Record::CutNumber {
                edge: self.edge()?,
                version: Version(self.get.var32()?),
                number: unfold(self.get.var()?),
            },
            tag::NEW_VERSION => Record::NewVersion { version: Version(self.get.var32()?), digest: self.get.fixed()? },
            tag::SKIP => {
                let class = self.string()?;
                let method = self.optional_string()?;
                let reason = self.string()?;
                Record::Skip { class: defined!(class), method: defined!(method), reason: defined!(reason) }
            }
            tag::THREAD => {
                Record::Thread { id: self.get.var32()?, name: self.get.string()?.into(), java_id: self.get.var()? }
            }
            tag::NODE => Record::Node { id: self.node()?, parent: self.node()?, site: self.site()? },
            tag::KIND => {
                let (id, name) = (self.get.var32()?, self.get.string()?);
                if self.program_kind.take() == Some(id) {
                    return Some(Item::Passed);
                }
                Record::Kind { id, owner: Owner::of_name(name), name: name.into() }
            }
            tag::EVENT => return self.event(),
            tag::VIA => {
                let edge = self.edge()?;
                let count = self.get.count()?;
                let frames = (0..count).map(|_| self.string()).collect::<Option<Vec<_>>>()?;
                Record::Via { edge, frames: defined!(frames.into_iter().collect::<Option<Vec<_>>>()) }
            }
            tag::COUNTERS => {
                let count = self.get.count()?;
                let mut value = || Some((self.get.string()?.into(), self.get.var()?));
                Record::Counters { values: (0..count).map(|_| value()).collect::<Option<Vec<_>>>()? }
            }
            tag::MISMATCH => Record::Mismatch { text: self.get.string()?.into() },
            tag::NOTE => Record::Note { text: self.get.string()?.into() },
            tag::END => Record::End,
            tag::UNLOADED => Record::Unloaded { method: MethodId(self.get.var32()?) },
            tag::SIZED.. => {
                let length = usize::try_from(self.get.var()?).ok()?;
                let body = Get::new(self.get.take(length)?);
                // Its length is known, so that what it says may be unreadable without harm to what
                // follows.
                let item = sized::record(tag, body, self.tables).unwrap_or(Item::Undefined);
                if let Item::Record(Record::Kind { id, .. }) = item {
                    self.program_kind = Some(id);
                }
                return Some(item);
            }
            _ => return None,
        };
        Some(Item::Record(record))
    }

    fn walk(&mut self) -> Option<Item> {
        let id = self.get.var32()?;
        let count = self.get.count()?;
        let mut frames = Some(Vec::new());
        for _ in 0..count {
            let class = self.string()?;
            let method = self.string()?;
            let desc = self.string()?;
            let line = self.get.option()?;
            match (&mut frames, class, method, desc) {
                (Some(frames), Some(class), Some(method), Some(desc)) => {
                    frames.push(WalkedFrame { class, method, desc, line });
                }
                _ => frames = None,
            }
        }
        // A list with a lost name stays undefined, and so does every event that needs it.
        if let Some(frames) = frames {
            self.tables.define_walk(id, frames.into());
        }
        Some(Item::Passed)
    }

    fn event(&mut self) -> Option<Item> {
        let time_ns = self.time_ns.wrapping_add(self.get.zigzag()? as u64);
        let thread = self.get.var32()?;
        let kind = self.get.var32()?;
        let value = self.get.zigzag()?;
        let word = Word(self.get.fixed()?);
        let site = self.site()?;
        let chain = self.node()?;
        let class = match self.get.option()? {
            None => Some(None),
            Some(id) => self.tables.string_number(id).map(Some),
        };
        let walked = self.get.var32()?;
        let walked = self.tables.walk_number(walked);
        let node = self.node()?;
        self.events += 1;
        self.time_ns = time_ns;
        let (Some(class), Some(walked)) = (class, walked) else {
            return Some(Item::Undefined);
        };
        Some(Item::Event(EventRecord { time_ns, thread, kind, value, word, site, chain, class, walked, node }))
    }

    fn edge(&mut self) -> Option<EdgeId> {
        self.get.var32().map(EdgeId)
    }

    fn site(&mut self) -> Option<SiteId> {
        self.get.var32().map(SiteId)
    }

    fn node(&mut self) -> Option<NodeId> {
        self.get.var32().map(NodeId)
    }
}

impl Iterator for Records<'_> {
    type Item = Result<Record, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.read()?.map(|reading| match reading {
            Reading::Record(record) => record,
            Reading::Event(event) => self.tables.whole(event),
        }))
    }
}

impl Records<'_> {
    /// [`Iterator::next`], which leaves events as they are.
    pub fn read(&mut self) -> Option<Result<Reading, RecordError>> {
        while !self.get.is_empty() {
            let (offset, left) = (self.get.at(), self.get.left());
            let tag = self.get.byte()?;
            let item = self.item(tag);
            match item {
                Some(_) => self.tally.add(tag, left - self.get.left()),
                None => self.tally.add_malformed(left),
            }
            match item {
                Some(Item::Event(event)) => return Some(Ok(Reading::Event(event))),
                Some(Item::Record(record)) => return Some(Ok(Reading::Record(record))),
                Some(Item::Passed) => {}
                Some(Item::Undefined) => {
                    let definition = !matches!(
                        tag,
                        tag::EVENT | tag::TALLY | tag::ROTATED | tag::KEYFRAME | tag::REFUSED | tag::SUMS_UNTIL
                    );
                    return Some(Err(RecordError::Undefined { event: tag == tag::EVENT, definition }));
                }
                None => {
                    self.get = Get::new(&[]);
                    return Some(Err(RecordError::Malformed { offset }));
                }
            }
        }
        None
    }
}
