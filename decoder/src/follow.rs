//! A log that grows: its events as soon as their block is whole.
//!
//! Invariant: what stands before an event in the file is all that its trace needs, so an event read
//! now has the trace that it will have.
//! Source: docs/FORMAT.md, "Write-ahead".

use lucce_log::{Header, NotALog};

use crate::assembly::Assembly;
use crate::unpack::UnpackedPiece;
use crate::{Log, Unpack, Unpacked};

/// Reads one file while it is written.
#[derive(Default)]
pub struct Follow {
    unpack: Unpack,
    assembly: Option<Assembly>,
}

impl Follow {
    /// At the beginning of a file.
    pub fn new() -> Self {
        Self::default()
    }

    /// The file has grown by these bytes: reads what is whole now. The log so far, with those
    /// events alone that are new; `None` before its header is whole.
    ///
    /// # Errors
    /// The file is no log.
    pub fn grow(&mut self, bytes: &[u8]) -> Result<Option<&Log>, NotALog> {
        self.unpack.grow(bytes);
        self.forget_events();
        while let Some(unpacked) = self.unpack.step()? {
            self.replay(unpacked);
        }
        // A header tells who writes, should no block ever follow.
        if let (None, Some(header)) = (&self.assembly, self.unpack.header()) {
            self.assembly = Some(Assembly::by_time(Some(header.clone())));
        }
        if let Some(assembly) = &mut self.assembly {
            assembly.replaying.log.bytes = self.unpack.bytes();
            assembly.replaying.refresh();
        }
        Ok(self.log())
    }

    /// Takes what an [`Unpack`] has given elsewhere, all of it in its order. The log so far, with
    /// the events of this piece alone. The graph in it may be an older one.
    pub fn take(&mut self, unpacked: Unpacked) -> &Log {
        self.forget_events();
        self.replay(unpacked)
    }

    fn forget_events(&mut self) {
        if let Some(assembly) = &mut self.assembly {
            assembly.replaying.forget_events();
        }
    }

    fn replay(&mut self, Unpacked { header, bytes, piece }: Unpacked) -> &Log {
        let assembly = self.assembly.get_or_insert_with(|| Assembly::by_time(header));
        assembly.replaying.log.bytes = bytes;
        match piece {
            UnpackedPiece::Block(block) => assembly.block(*block),
            UnpackedPiece::Damage(damage) | UnpackedPiece::End(Some(damage)) => assembly.damage(damage),
            UnpackedPiece::End(None) => {}
        }
        &assembly.replaying.log
    }

    /// The file ends here. The log, without events, explains all that were given.
    ///
    /// # Errors
    /// The file is no log.
    pub fn finish(mut self) -> Result<Log, NotALog> {
        let end = self.unpack.end()?;
        self.take(end);
        Ok(self.taken())
    }

    /// The same where all was [taken](Self::take), with the end.
    pub fn taken(mut self) -> Log {
        self.forget_events();
        self.assembly.unwrap_or_else(|| Assembly::by_time(None)).replaying.finish()
    }

    /// How many bytes are best read next: as many as wait for the end of their block, so that none
    /// is looked through often.
    pub fn wanted(&self) -> usize {
        self.unpack.wanted()
    }

    /// The log as [`Self::grow`] gave it last.
    pub fn log(&self) -> Option<&Log> {
        self.assembly.as_ref().map(|assembly| &assembly.replaying.log)
    }

    /// The header, once it was read.
    pub fn header(&self) -> Option<&Header> {
        self.unpack.header()
    }

    /// The file has become shorter, as a block that the disk did not take whole was taken back.
    /// Where reading goes on.
    pub fn shrink(&mut self) -> u64 {
        self.unpack.shrink()
    }
}

impl std::fmt::Debug for Follow {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Follow").field("unpack", &self.unpack).finish()
    }
}
