//! What keeps bytes from being read, and how it is said.
//!
//! Invariant: a damage has its place in the file, and is one line.
//! Source: docs/FORMAT.md, "Damage".

use crate::header::FORMAT;

/// The bytes are no log that this crate can read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotALog {
    /// Neither a header nor a block.
    Magic,
    /// A log of another format.
    Format(u32),
}

impl std::fmt::Display for NotALog {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Magic => out.write_str("not a Lucce log"),
            Self::Format(format) if *format < FORMAT => {
                write!(
                    out,
                    "log format {format} is older than this decoder's ({FORMAT}): use the decoder of the Lucce that wrote it"
                )
            }
            Self::Format(format) => write!(out, "log format {format} is newer than this decoder's ({FORMAT})"),
        }
    }
}

impl std::error::Error for NotALog {}

/// A stretch of the file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Where it begins, in bytes from the beginning of the file.
    pub offset: u64,
    /// Its length in bytes; 0 where whole blocks are missing, and where another log begins.
    pub len: u64,
    /// What was found.
    pub what: What,
    /// What was in it, if a later block tells.
    pub lost: Option<GapLoss>,
}

/// The kinds of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The file header is unreadable; blocks need none of it.
    Header,
    /// The file ends within its header or within a block.
    Cut,
    /// Bytes that are no valid block.
    Block,
    /// Valid blocks on both sides, but not each other's neighbours.
    Gap,
    /// Here another log begins, whose numbers count from its own beginning: nothing from here on is
    /// read.
    Another,
}

/// What a gap held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GapLoss {
    /// Blocks.
    pub blocks: u64,
    /// Events in them.
    pub events: u64,
}

impl Damage {
    /// Another log begins at `offset`.
    pub(crate) fn another(offset: u64) -> Self {
        Self { offset, len: 0, what: What::Another, lost: None }
    }
}

impl std::fmt::Display for Damage {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { offset, len, what, lost } = self;
        match what {
            What::Header => write!(out, "offset {offset}: unreadable header"),
            What::Cut => write!(out, "offset {offset}: the file ends within a block, {len} bytes lost"),
            What::Block => write!(out, "offset {offset}: {len} bytes unreadable"),
            What::Gap => write!(out, "offset {offset}: blocks missing"),
            What::Another => write!(out, "offset {offset}: another log begins, split the file there"),
        }?;
        match lost {
            Some(GapLoss { blocks, events }) => {
                let (b, e) = (if *blocks == 1 { "" } else { "s" }, if *events == 1 { "" } else { "s" });
                write!(out, ", {blocks} block{b} with {events} event{e} lost")
            }
            None => Ok(()),
        }
    }
}
