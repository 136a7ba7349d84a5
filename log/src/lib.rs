//! The change log: records, the blocks they travel in, and a reader that survives damage.
//! `docs/FORMAT.md` has every byte.
//!
//! Invariant: bytes in, bytes out. This crate knows no file, clock, JVM or global, and nothing of
//! what the records mean.
//! Source: docs/FORMAT.md; docs/design/log-files.md ("Write-ahead").

#![forbid(unsafe_code)]

mod block;
mod composer;
mod damage;
mod decode;
mod encode;
mod event_record;
mod glob;
mod header;
mod history;
mod kind;
mod reader;
mod record;
mod size;
mod tables;
mod tag;
mod tail;
mod tally;

pub use block::{BlockBuilder, MAX_BLOCK, pinned};
pub use composer::Composer;
pub use damage::{Damage, GapLoss, NotALog, What};
pub use decode::{Reading, RecordError, Records};
pub use event_record::{EventRecord, StringNumber, WalkNumber};
pub use glob::glob_matches;
pub use header::{FORMAT, Header, encode_header};
pub use history::Keep;
pub use kind::Owner;
pub use lucce_words::varint::MAX_STRING;
pub use reader::{Block, Reader};
pub use record::{Cause, Ground, OriginKind, Record, WalkedFrame};
pub use size::{long_size, size};
pub use tables::Tables;
pub use tail::{Tail, TailItem};
pub use tally::Tally;
