//! A log that grows: its events as soon as their block is whole.
//!
//! Invariant: what stands before an event in the file is all that its trace needs, so an event read now has the trace that it will have.
//! Source: docs/FORMAT.md, "Write-ahead".

use std::ops::ControlFlow;

use lucce_log::{Header, NotALog, Step, Tail};

use crate::Log;
use crate::assembly::Assembly;

/// Reads one file while it is written.
#[derive(Default)]
pub struct Follow {
    tail: Tail,
    assembly: Option<Assembly>,
    /// So many were given.
    bytes: u64,
}

/// Fewest bytes that are worth being read at once.
const CHUNK: usize = 1 << 20;

impl Follow {
    /// At the beginning of a file.
    pub fn new() -> Self {
        Self::default()
    }

    /// The file has grown by these bytes: reads what is whole now. The log so far, with those events alone that are new; `None` before
    /// its header is whole.
    ///
    /// # Errors
    /// The file is no log.
    pub fn grow(&mut self, bytes: &[u8]) -> Result<Option<&Log>, NotALog> {
        self.tail.grow(bytes);
        self.bytes += bytes.len() as u64;
        if let Some(assembly) = &mut self.assembly {
            assembly.replaying.forget_events();
            assembly.replaying.log.bytes = self.bytes;
        }
        let Self { tail, assembly, .. } = self;
        while let Some(step) = tail.step()? {
            let assembly = assembly.get_or_insert_with(|| Assembly::by_time(tail.header().cloned()));
            match step {
                Step::Block(block) => assembly.block(&block),
                Step::Damage(damage) => assembly.damage(damage),
            }
        }
        // A header tells who writes, should no block ever follow.
        if let (None, Some(header)) = (&assembly, tail.header()) {
            *assembly = Some(Assembly::by_time(Some(header.clone())));
        }
        if let Some(assembly) = assembly {
            assembly.replaying.refresh();
        }
        Ok(self.log())
    }

    /// The same block by block, for one who needs no traces yet: `take` is given the log behind each block, with the events of that block
    /// alone, and says whether that is enough. The graph in it may be an older one.
    ///
    /// # Errors
    /// The file is no log.
    pub fn each(&mut self, bytes: &[u8], mut take: impl FnMut(&Log) -> ControlFlow<()>) -> Result<(), NotALog> {
        self.tail.grow(bytes);
        self.bytes += bytes.len() as u64;
        let Self { tail, assembly, .. } = self;
        while let Some(step) = tail.step()? {
            let assembly = assembly.get_or_insert_with(|| Assembly::by_time(tail.header().cloned()));
            assembly.replaying.forget_events();
            match step {
                Step::Block(block) => assembly.block(&block),
                Step::Damage(damage) => assembly.damage(damage),
            }
            if take(&assembly.replaying.log).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// The file ends here. The log, without events, explains all that were given.
    ///
    /// # Errors
    /// The file is no log.
    pub fn finish(self) -> Result<Log, NotALog> {
        let end = self.tail.end()?;
        let mut assembly = self.assembly.unwrap_or_else(|| Assembly::by_time(self.tail.header().cloned()));
        assembly.replaying.forget_events();
        assembly.replaying.log.bytes = self.bytes;
        if let Some(damage) = end {
            assembly.damage(damage);
        }
        Ok(assembly.replaying.finish())
    }

    /// How many bytes are best read next: as many as wait for the end of their block, so that none is looked through often.
    pub fn wanted(&self) -> usize {
        self.tail.pending().max(CHUNK)
    }

    /// The log as [`Self::grow`] gave it last.
    pub fn log(&self) -> Option<&Log> {
        self.assembly.as_ref().map(|assembly| &assembly.replaying.log)
    }

    /// The header, once it was read.
    pub fn header(&self) -> Option<&Header> {
        self.tail.header()
    }

    /// The file has become shorter, as a block that the disk did not take whole was taken back. Where reading goes on.
    pub fn shrink(&mut self) -> u64 {
        self.bytes = self.tail.shrink();
        self.bytes
    }
}

impl std::fmt::Debug for Follow {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Follow").field("tail", &self.tail).finish()
    }
}
