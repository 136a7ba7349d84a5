//! A trace: the contexts that the threads of a run entered, in order, with times, and the tree that
//! these contexts form.
//!
//! ```text
//! file       "LUCTRACE" u32 version, then blocks
//! block      u32 length of the payload, u32 CRC-32 of the payload, payload
//! payload    items, one behind the other:
//!   1 method   id, class, name, descriptor              a text is its length and UTF-8
//!   2 site     id, method, bytecode index
//!   3 context  id, parent, site, method                 parent 0 and method 0: the base of a thread
//!   4 entries  thread, time, number, prediction runs    as below
//!   5 ended    thread, time
//!   6 end      entries dropped                          the last item of a whole file
//! ```
//! Fixed numbers are little-endian; all others are LEB128, and signed ones zigzag. Times are
//! nanoseconds since the start of the run. The time of entries is that at which they were handed
//! on: they were made between the thread's time before and this one.
//!
//! Entries are predicted: behind a context the one is expected that followed it last time, in
//! whatever thread. They are written as the number of predictions that held, then how far the next
//! context is from the one before it, and so on in turn. Each item of entries begins behind
//! context 0.
//!
//! Invariants: what an item names was defined before it. A file is an exact prefix of each thread's
//! stream: nothing is left out in between. What was dropped comes behind everything that is there.
//! So a file that was cut, by a kill or a full disk, reads up to the cut.

mod checksum;
mod composer;
mod cursor;
mod paths;
mod prediction;
mod reader;

pub use composer::TraceComposer;
pub use cursor::{Cursor, StackChange};
pub use paths::TracePaths;
pub use reader::{Ending, TraceReader, TraceRefused};

use lucce_words::{MethodId, SiteId};

/// The first bytes of a file.
const MAGIC: [u8; 8] = *b"LUCTRACE";
/// The version of the format.
const VERSION: u32 = 1;
/// Most bytes of a payload that a reader accepts.
const MAX_PAYLOAD: u32 = 1 << 24;

const METHOD: u8 = 1;
const SITE: u8 = 2;
const CONTEXT: u8 = 3;
const ENTRIES: u8 = 4;
const ENDED: u8 = 5;
const END: u8 = 6;

/// A context of a trace: a node of the tree of all threads' contexts. Ids have gaps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TraceContext(pub u32);

impl TraceContext {
    /// A method was entered, and its context is not known. Also the parent of a thread's base.
    pub const UNKNOWN: Self = Self(0);

    /// As an index into a dense table.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The last call of a context, and the context in which it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TraceNode {
    /// The caller's context.
    pub parent: TraceContext,
    /// The calling instruction.
    pub site: SiteId,
    /// The method that was called; [`MethodId::ROOT`] at a thread's base.
    pub method: MethodId,
}

/// A piece of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A method's names.
    Method {
        /// Its id.
        id: MethodId,
        /// Internal name of its class.
        class: String,
        /// Simple name.
        name: String,
        /// Descriptor.
        desc: String,
    },
    /// Where a calling instruction is.
    Site {
        /// Its id.
        id: SiteId,
        /// The method that it is in.
        method: MethodId,
        /// Bytecode index in the class as it came.
        bci: u16,
    },
    /// A context.
    Context {
        /// Its id.
        id: TraceContext,
        /// What it is.
        node: TraceNode,
    },
    /// A thread entered these contexts, one after the other.
    Entries {
        /// The thread; its number is its own.
        thread: u32,
        /// Nanoseconds since the start of the run, at which they were handed on.
        time: u64,
        /// In order.
        contexts: Vec<TraceContext>,
    },
    /// A thread has ended.
    Ended {
        /// The thread.
        thread: u32,
        /// Nanoseconds since the start of the run.
        time: u64,
    },
}
