//! The writer of a whole run: puts records into blocks, definitions apart from events, and can say
//! all definitions again.
//!
//! Invariants: what a block of events refers to stands in blocks before it in the same file; each
//! file of a run begins with all definitions of the files before, so it can be read alone.
//! Source: docs/FORMAT.md, "Files and keyframes"; docs/design/log-files.md ("Files of a run").

use std::ops::Range;

use crate::Record;
use crate::block::{BlockPlace, Packer, moved};
use crate::encode::Encoding;
use crate::history::{History, Keep};
use crate::tables::Interner;

/// Composes the blocks of a run's files. One for a run.
pub struct Composer {
    definitions: Encoding,
    events: Encoding,
    packer: Packer,
    /// What was defined, if it may be asked for again.
    history: Option<History>,
    /// Which of its blocks are still to be repeated.
    repeating: Range<u32>,
    /// Number of the first block that it composes for a file.
    first: u64,
    /// Blocks, and events in them, of the file so far.
    seq: u64,
    first_event: u64,
}

impl Composer {
    /// For a run whose log may be more than one file, or have keyframes; or, without `repeats`, for
    /// one of which neither is asked.
    pub fn new(repeats: bool) -> Self {
        let keep = repeats.then(|| Box::new(Vec::new()) as Box<dyn Keep>);
        Self::keeping(keep)
    }

    /// The same; what may have to be said again is kept there.
    pub fn keeping(keep: Option<Box<dyn Keep>>) -> Self {
        Self {
            definitions: Encoding { interner: Interner::of_run(), ..Encoding::default() },
            events: Encoding::default(),
            packer: Packer::new(),
            history: keep.map(History::new),
            repeating: 0..0,
            first: 0,
            seq: 0,
            first_event: 0,
        }
    }

    /// The same; each file begins with a block that is made apart ([`pinned`](crate::pinned)).
    pub fn behind_pinned(self) -> Self {
        Self { first: 1, seq: 1, ..self }
    }

    /// Appends a record.
    pub fn push(&mut self, record: &Record) {
        if record.is_definition() { self.definitions.record(record) } else { self.events.record(record) }
    }

    /// Bytes that are in no block yet, uncompressed.
    pub fn len(&self) -> usize {
        self.definitions.out.len() + self.events.out.len()
    }

    /// Is there nothing to write?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What was pushed since the last call, as complete blocks in the order in which they belong
    /// into the file.
    pub fn finish(&mut self) -> Vec<Vec<u8>> {
        let mut blocks = Vec::with_capacity(2);
        let definitions = std::mem::take(&mut self.definitions.out);
        if !definitions.is_empty() {
            if let Some(history) = &mut self.history {
                history.add(&definitions, &mut self.packer);
            }
            blocks.push(self.block(&definitions, 0));
        }
        let events = std::mem::take(&mut self.events.out);
        if !events.is_empty() {
            let count = std::mem::take(&mut self.events.events);
            self.events.time_ns = 0;
            blocks.push(self.block(&events, count));
        }
        blocks
    }

    /// All definitions so far once more, so that what comes can be read though something before it
    /// cannot: what announces them, and then all that [`Self::repeated`] gives. Nothing without a
    /// history.
    pub fn keyframe(&mut self) -> Vec<Vec<u8>> {
        let mut blocks = self.finish();
        let Some(history) = &mut self.history else { return blocks };
        let count = history.close(&mut self.packer);
        self.events.record(&Record::Keyframe { blocks: count });
        blocks.append(&mut self.finish());
        self.repeating = 0..count;
        // The names that events use are written once in a file, too.
        self.forget_definitions();
        blocks
    }

    /// Begins the next file of the run with all definitions so far: all that [`Self::repeated`]
    /// gives. What is in no block yet goes there.
    pub fn next_file(&mut self) {
        (self.seq, self.first_event) = (self.first, 0);
        self.forget_definitions();
        if let Some(history) = &mut self.history {
            self.repeating = 0..history.close(&mut self.packer);
        }
    }

    /// The next block of definitions that are repeated; one at a time, for together they may be as
    /// large as the log. Nothing else may be composed before they are all given. One that cannot be
    /// had any more leaves a gap in the numbers, which a reader sees.
    pub fn repeated(&mut self) -> Option<Vec<u8>> {
        let history = self.history.as_ref()?;
        loop {
            let index = self.repeating.next()?;
            let seq = self.seq;
            self.seq += 1;
            if let Some(block) = history.block(index) {
                return Some(moved(&block, seq, self.first_event));
            }
        }
    }

    /// Bytes, about, that [`Self::keyframe`] or [`Self::next_file`] give.
    pub fn definitions_len(&self) -> u64 {
        self.history.as_ref().map_or(0, History::len)
    }

    /// The last block was not written and will not be: its number is given again. It must have held
    /// no events.
    pub fn take_back(&mut self) {
        self.seq -= 1;
    }

    /// To be called when a block could not be written: later events define again what they need.
    pub fn forget_definitions(&mut self) {
        self.events.interner.clear();
    }

    fn block(&mut self, payload: &[u8], events: u32) -> Vec<u8> {
        let block = self.packer.pack(payload, BlockPlace { seq: self.seq, first_event: self.first_event, events });
        self.seq += 1;
        self.first_event += u64::from(events);
        block
    }
}

impl std::fmt::Debug for Composer {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Composer").field("seq", &self.seq).field("len", &self.len()).finish()
    }
}
