//! The reader's side: header and blocks of a file in memory, and what is damaged between them.
//!
//! Invariant: only blocks whose checksum holds are given. After damage reading goes on at the next
//! such block, and the gap is reported once, with what the numbers on both sides say was in it.
//! Numbers only grow: behind the beginning of another log nothing is given.
//! Source: docs/FORMAT.md, "Damage".

use std::borrow::Cow;

use crate::block::{CHECKSUM, CODEC_RAW, CODEC_ZSTD, COVERED, HEAD, MAGIC, MAX_BLOCK};
use crate::damage::{Damage, GapLoss, NotALog, What};
use crate::header::{self, FIXED, FORMAT, Header, MAX_HEADER};
use crate::{Records, Tables};

/// Reads a file that is in memory. As an iterator it gives blocks and the damage between them, in
/// file order.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    header: Option<Header>,
    at: usize,
    /// Number of the next block and of the next event, if nothing is missing.
    seq: u64,
    event: u64,
    /// A block that was found behind damage and is given next.
    found: Option<Block<'a>>,
    damage: Option<Damage>,
}

impl<'a> Reader<'a> {
    /// Reads the header. A file with a broken one is still a log if it holds a valid block.
    pub fn new(bytes: &'a [u8]) -> Result<Self, NotALog> {
        let mut reader = Self { bytes, header: None, at: 0, seq: 0, event: 0, found: None, damage: None };
        match read_header(bytes) {
            Ok((header, _)) if header.format != FORMAT => return Err(NotALog::Format(header.format)),
            Ok((header, end)) => {
                reader.header = Some(header);
                reader.at = end;
            }
            Err(what) => {
                let next = next_block(bytes, 0);
                if next.is_none() && !bytes.starts_with(header::MAGIC) {
                    return Err(NotALog::Magic);
                }
                let what = if next.is_some() { What::Header } else { what };
                reader.resume(0, what, next);
            }
        }
        Ok(reader)
    }

    /// The header, unless it is damaged.
    pub fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// Bytes of the file that have been read or passed over.
    pub fn position(&self) -> u64 {
        self.at as u64
    }

    /// Notes damage from `offset` to the block that was found behind it.
    fn resume(&mut self, offset: usize, what: What, found: Option<Block<'a>>) {
        let end = found.as_ref().map_or(self.bytes.len(), |block| block.offset as usize);
        let lost = found.as_ref().map(|block| GapLoss {
            blocks: block.seq.saturating_sub(self.seq),
            events: block.first_event.saturating_sub(self.event),
        });
        self.damage = Some(Damage { offset: offset as u64, len: (end - offset) as u64, what, lost });
        self.at = end;
        self.found = found;
    }

    /// Another log begins here.
    fn stop(&mut self) -> Damage {
        let offset = self.at as u64;
        self.at = self.bytes.len();
        Damage::another(offset)
    }

    fn give(&mut self, block: Block<'a>) -> Block<'a> {
        self.at = block.end;
        self.seq = block.seq.saturating_add(1);
        self.event = block.first_event.saturating_add(block.events.into());
        block
    }
}

impl<'a> Iterator for Reader<'a> {
    type Item = Result<Block<'a>, Damage>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(damage) = self.damage.take() {
            return Some(Err(damage));
        }
        if let Some(block) = self.found.take() {
            return Some(Ok(self.give(block)));
        }
        if self.at >= self.bytes.len() {
            return None;
        }
        let offset = self.at;
        if self.bytes[offset..].starts_with(header::MAGIC) {
            return Some(Err(self.stop()));
        }
        match read_block(self.bytes, offset) {
            Ok(block) if block.seq == self.seq && block.first_event == self.event => Some(Ok(self.give(block))),
            Ok(block) if block.is_before(self.seq, self.event) => Some(Err(self.stop())),
            Ok(block) => {
                self.resume(offset, What::Gap, Some(block));
                self.next()
            }
            Err(what) => {
                let next = next_block(self.bytes, offset + 1);
                let what = if next.is_some() { What::Block } else { what };
                match next.as_ref().and_then(|next| another(self.bytes, offset, next, (self.seq, self.event))) {
                    Some(begin) => {
                        let len = (begin - offset) as u64;
                        self.damage = Some(Damage { offset: offset as u64, len, what, lost: None });
                        self.at = begin;
                    }
                    None => self.resume(offset, what, next),
                }
                self.next()
            }
        }
    }
}

/// One block whose checksum held.
#[derive(Clone, Debug)]
pub struct Block<'a> {
    /// Where it begins in the file.
    pub offset: u64,
    /// Its number in the file.
    pub seq: u64,
    /// The number of its first event, counted over the whole file from 0.
    pub first_event: u64,
    /// Its events.
    pub events: u32,
    end: usize,
    payload: Cow<'a, [u8]>,
}

impl Block<'_> {
    /// Its records; what it defines goes to the tables, which must have seen the blocks before.
    pub fn records<'b>(&'b self, tables: &'b mut Tables) -> Records<'b> {
        Records::new(&self.payload, self.first_event, tables)
    }

    /// Are its numbers some of those before these? Then it is of another log.
    pub(crate) fn is_before(&self, seq: u64, event: u64) -> bool {
        self.seq < seq || self.first_event < event
    }

    /// The same with a payload of its own.
    pub(crate) fn into_owned(self) -> Block<'static> {
        Block { payload: Cow::Owned(self.payload.into_owned()), ..self }
    }

    /// The same in bytes that begin at `offset` in the file.
    pub(crate) fn shifted(self, offset: u64) -> Self {
        Block { offset: self.offset + offset, end: self.end + offset as usize, ..self }
    }

    /// Bytes of the block in the file.
    pub fn stored_len(&self) -> u64 {
        self.end as u64 - self.offset
    }

    /// Bytes of its records, uncompressed.
    pub fn raw_len(&self) -> u64 {
        self.payload.len() as u64
    }
}

/// The first valid block at or behind `from`.
pub(crate) fn next_block(bytes: &[u8], from: usize) -> Option<Block<'_>> {
    let mut at = from;
    while let Some(tail) = bytes.get(at..) {
        at += tail.iter().position(|&byte| byte == MAGIC[0])?;
        match read_block(bytes, at) {
            Ok(block) => return Some(block),
            Err(_) => at += 1,
        }
    }
    None
}

/// Where another log begins in the bytes from `from` on, of which `next` is the first valid block,
/// if one does: at a header, or at that block if its numbers are not at least the given ones. The
/// magic of a header alone says nothing here: a string may hold it.
pub(crate) fn another(bytes: &[u8], from: usize, next: &Block<'_>, (seq, event): (u64, u64)) -> Option<usize> {
    let end = next.offset as usize;
    let mut begins = (from..end).filter(|&at| read_header(&bytes[at..end]).is_ok());
    begins.next().or_else(|| next.is_before(seq, event).then_some(end))
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn long(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

pub(crate) fn read_header(bytes: &[u8]) -> Result<(Header, usize), What> {
    if !bytes.starts_with(header::MAGIC) {
        return Err(What::Header);
    }
    let length = word(bytes, 8).ok_or(What::Cut)? as usize;
    let checksum = word(bytes, 12).ok_or(What::Cut)?;
    if length > MAX_HEADER {
        return Err(What::Header);
    }
    let end = FIXED + length;
    let json = bytes.get(FIXED..end).ok_or(What::Cut)?;
    if crc32fast::hash(json) != checksum {
        return Err(What::Header);
    }
    let header = serde_json::from_slice(json).map_err(|_| What::Header)?;
    Ok((header, end))
}

/// The block at `at`. Its offset counts from the beginning of `bytes`.
pub(crate) fn read_block(bytes: &[u8], at: usize) -> Result<Block<'_>, What> {
    let rest = bytes.get(at..).unwrap_or_default();
    let head = rest.get(..HEAD).ok_or(What::Cut)?;
    if !head.starts_with(&MAGIC) {
        return Err(What::Block);
    }
    let field = |at| word(head, at).ok_or(What::Cut);
    let (checksum, stored, raw) = (field(CHECKSUM)?, field(8)? as usize, field(12)? as usize);
    let (seq, first_event) = (long(head, 16).ok_or(What::Cut)?, long(head, 24).ok_or(What::Cut)?);
    let (events, codec) = (field(32)?, field(36)?);
    if stored > raw || raw > MAX_BLOCK {
        return Err(What::Block);
    }
    let length = HEAD + stored;
    let block = rest.get(..length).ok_or(What::Cut)?;
    if crc32fast::hash(&block[COVERED..]) != checksum {
        return Err(What::Block);
    }
    let stored = &block[HEAD..];
    let payload = match codec {
        CODEC_RAW => Cow::Borrowed(stored),
        CODEC_ZSTD => Cow::Owned(zstd::bulk::decompress(stored, raw).map_err(|_| What::Block)?),
        _ => return Err(What::Block),
    };
    if payload.len() != raw {
        return Err(What::Block);
    }
    Ok(Block { offset: at as u64, seq, first_event, events, end: at + length, payload })
}
