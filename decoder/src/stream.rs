//! A log of any length: its events are handed over block by block, and kept no longer.
//!
//! Invariant: the same blocks, damage and losses as [`Log::read`] finds. Memory grows with what
//! explains events, not with events.
//! Source: docs/FORMAT.md, "Write-ahead".

use lucce_log::{NotALog, Reader};

use crate::Log;
use crate::assembly::Assembly;
use crate::unpack::Parser;

impl Log {
    /// Replays a file. `take` is called behind each block with the log so far, which has the events
    /// of that block alone, and with how many bytes are done. A tally is given once for each block
    /// and stretch of time that adds to it, with what has been added, and has the time until which
    /// it holds. The log that is given back has no events, and explains all that were handed over.
    ///
    /// # Errors
    /// The bytes are no log. Damage is no error: see [`Log::damage`].
    pub fn stream(bytes: &[u8], mut take: impl FnMut(&Self, u64)) -> Result<Self, NotALog> {
        let reader = Reader::new(bytes)?;
        let mut assembly = Assembly::by_time(reader.header().cloned());
        let mut parser = Parser::default();
        for block in reader {
            match block {
                Ok(block) => {
                    assembly.block(parser.parse(&block));
                    take(&assembly.replaying.log, block.offset + block.stored_len());
                    assembly.replaying.forget_events();
                }
                Err(damage) => assembly.damage(damage),
            }
        }
        assembly.replaying.log.bytes = bytes.len() as u64;
        Ok(assembly.replaying.finish())
    }
}
