//! The reader of a file that grows: gives each block as soon as it is whole.
//!
//! Invariant: what is given is what [`Reader`](crate::Reader) gives of the same bytes later; the
//! end of the file is no damage here.
//! Source: docs/FORMAT.md, "Damage".

use crate::damage::{Damage, GapLoss, NotALog, What};
use crate::header::{self, FORMAT, Header};
use crate::reader::{self, Block};

/// Holds the bytes that are in no whole block yet.
#[derive(Debug, Default)]
pub struct Tail {
    bytes: Vec<u8>,
    /// So many of these were given already: they leave when the file grows, not with each block.
    given: usize,
    /// Where the others begin in the file.
    offset: u64,
    header: Option<Header>,
    begun: bool,
    seq: u64,
    event: u64,
    /// Another log begins here: nothing is given any more.
    stopped: bool,
}

/// What comes next in the file.
#[derive(Debug)]
pub enum TailItem {
    /// A block.
    Block(Block<'static>),
    /// A stretch that cannot be read, with a block or another log behind it, or the beginning of
    /// that.
    Damage(Damage),
}

impl Tail {
    /// At the beginning of a file.
    pub fn new() -> Self {
        Self::default()
    }

    /// The file has grown by these bytes.
    pub fn grow(&mut self, bytes: &[u8]) {
        if self.stopped {
            return;
        }
        self.bytes.drain(..std::mem::take(&mut self.given));
        self.bytes.extend_from_slice(bytes);
    }

    /// The file has become shorter: what is in no whole block yet is taken back. The offset from
    /// which on bytes are wanted again.
    pub fn shrink(&mut self) -> u64 {
        (self.bytes, self.given) = (Vec::new(), 0);
        self.offset
    }

    /// The header, once it was read.
    pub fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// The next block, or the damage before it; `None` as long as it is not whole.
    ///
    /// # Errors
    /// The file is no log that this crate can read.
    pub fn step(&mut self) -> Result<Option<TailItem>, NotALog> {
        if !self.begun {
            let step = self.begin()?;
            if step.is_some() || !self.begun {
                return Ok(step);
            }
        }
        if self.left().starts_with(header::MAGIC) {
            return Ok(Some(self.stop()));
        }
        match reader::read_block(self.left(), 0) {
            Ok(block) => Ok(Some(self.give(block.into_owned()))),
            Err(what) => {
                // A block that is not whole yet, or one whose length is damaged: then another one
                // follows.
                let found = reader::next_block(self.left(), 1).map(Block::into_owned);
                Ok(found.map(|block| self.damage(what, &block)))
            }
        }
    }

    /// The file ends here: what is left of it in no whole block, as [`Reader`](crate::Reader) says
    /// it.
    ///
    /// # Errors
    /// The file is no log that this crate can read.
    pub fn end(&self) -> Result<Option<Damage>, NotALog> {
        if !self.begun {
            let mut reader = reader::Reader::new(self.left())?;
            return Ok(reader.next().and_then(Result::err));
        }
        if self.left().is_empty() || self.stopped {
            return Ok(None);
        }
        let what = reader::read_block(self.left(), 0).err();
        Ok(what.map(|what| Damage { offset: self.offset, len: self.pending() as u64, what, lost: None }))
    }

    /// Bytes that are in no whole block yet.
    pub fn pending(&self) -> usize {
        self.left().len()
    }

    fn left(&self) -> &[u8] {
        &self.bytes[self.given..]
    }

    /// Reads the header. Where it is damaged, what is before the first block.
    fn begin(&mut self) -> Result<Option<TailItem>, NotALog> {
        match reader::read_header(self.left()) {
            Ok((header, _)) if header.format != FORMAT => return Err(NotALog::Format(header.format)),
            Ok((header, end)) => {
                self.header = Some(header);
                self.pass(end);
            }
            // One that is not whole yet, or whose length is damaged: then a block follows.
            Err(_) => {
                let Some(block) = reader::next_block(self.left(), 0).map(Block::into_owned) else {
                    let left = self.left();
                    let could_be = header::MAGIC.starts_with(&left[..left.len().min(header::MAGIC.len())]);
                    return if could_be { Ok(None) } else { Err(NotALog::Magic) };
                };
                self.begun = true;
                return Ok(Some(self.resume(What::Header, &block)));
            }
        }
        self.begun = true;
        Ok(None)
    }

    /// A block at the beginning of the bytes, or the gap before it.
    fn give(&mut self, block: Block<'static>) -> TailItem {
        if block.is_before(self.seq, self.event) {
            return self.stop();
        }
        if (block.seq, block.first_event) != (self.seq, self.event) {
            return self.resume(What::Gap, &block);
        }
        let (length, block) = (block.stored_len() as usize, block.shifted(self.offset));
        self.pass(length);
        self.seq = block.seq.saturating_add(1);
        self.event = block.first_event.saturating_add(block.events.into());
        TailItem::Block(block)
    }

    /// What is before `found`, or before another log that begins there.
    fn damage(&mut self, what: What, found: &Block<'_>) -> TailItem {
        let what = if what == What::Cut { What::Block } else { what };
        let Some(begin) = reader::another(self.left(), 0, found, (self.seq, self.event)) else {
            return self.resume(what, found);
        };
        let damage = Damage { offset: self.offset, len: begin as u64, what, lost: None };
        self.pass(begin);
        TailItem::Damage(damage)
    }

    /// What is before `found`, which comes next.
    fn resume(&mut self, what: What, found: &Block<'_>) -> TailItem {
        let lost = GapLoss {
            blocks: found.seq.saturating_sub(self.seq),
            events: found.first_event.saturating_sub(self.event),
        };
        let damage = Damage { offset: self.offset, len: found.offset, what, lost: Some(lost) };
        self.pass(found.offset as usize);
        (self.seq, self.event) = (found.seq, found.first_event);
        TailItem::Damage(damage)
    }

    /// Another log begins here.
    fn stop(&mut self) -> TailItem {
        (self.bytes, self.given) = (Vec::new(), 0);
        self.stopped = true;
        TailItem::Damage(Damage::another(self.offset))
    }

    fn pass(&mut self, bytes: usize) {
        self.given += bytes;
        self.offset += bytes as u64;
    }
}
