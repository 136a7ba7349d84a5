//! From blocks to a log: each record where it belongs, and keyframes where they are needed.
//!
//! Invariant: a keyframe says what was said before, so it is read only where something before it
//! was lost, and taken over only if it is whole; after it nothing that was lost in definitions is
//! missing.
//! Source: docs/FORMAT.md, "Files and keyframes".

use std::sync::Arc;

use lucce_log::{Damage, Header, NotALog, Reader, WalkedFrame};

use crate::Log;
use crate::replaying::{Defined, Replaying};
use crate::unpack::{Parsed, Parser};

pub(crate) struct Assembly {
    pub(crate) replaying: Replaying,
    /// What the blocks so far define, by the numbers in events.
    strings: Vec<Arc<str>>,
    walks: Vec<Arc<[WalkedFrame]>>,
    keyframe: Option<Keyframe>,
}

/// A keyframe that is being read.
struct Keyframe {
    /// Numbers of its next block and of the one behind its last.
    next: u64,
    end: u64,
    /// What it says, if that is needed.
    replaying: Option<Replaying>,
}

impl Assembly {
    pub(crate) fn new(header: Option<Header>) -> Self {
        Self { replaying: Replaying::new(header), strings: Vec::new(), walks: Vec::new(), keyframe: None }
    }

    /// The same for a log that is handed over piece by piece: its tallies have the time until which
    /// they hold.
    pub(crate) fn by_time(header: Option<Header>) -> Self {
        let mut assembly = Self::new(header);
        assembly.replaying.tell_tallies_by_time();
        assembly
    }

    pub(crate) fn block(&mut self, block: Parsed) {
        let Parsed { seq, raw_len, claimed, met, events, others, strings, walks, tally } = block;
        let mut keyframe = self.keyframe.take().filter(|keyframe| keyframe.next == seq);
        let log = &mut self.replaying.log;
        log.blocks += 1;
        log.raw_bytes += raw_len;
        log.record_bytes.merge(&tally);
        self.strings.extend(strings);
        self.walks.extend(walks);
        let mut target = match &mut keyframe {
            None => Some(&mut self.replaying),
            Some(keyframe) => keyframe.replaying.as_mut(),
        };
        let mut done = 0;
        let defined = Defined { strings: &self.strings, walks: &self.walks };
        for (before, other) in others {
            let Some(target) = &mut target else { break };
            events[done..before].iter().for_each(|(event, seq)| target.event(event, *seq, defined));
            done = before;
            match other {
                Ok(record) => target.record(record),
                Err(error) => target.lost(error),
            }
        }
        if let Some(target) = target {
            events[done..].iter().for_each(|(event, seq)| target.event(event, *seq, defined));
        }
        // What a malformed record hid behind it.
        let log = &mut self.replaying.log;
        log.loss.events = log.loss.events.saturating_add(claimed.saturating_sub(met));
        self.keyframe = match (keyframe, self.replaying.keyframe.take()) {
            (Some(mut keyframe), _) => {
                keyframe.next += 1;
                if keyframe.next < keyframe.end { Some(keyframe) } else { self.close(keyframe) }
            }
            (None, Some(blocks)) => {
                let needed = !self.replaying.is_whole();
                let replaying = needed.then(|| Replaying::new(None));
                let next = seq.saturating_add(1);
                (blocks > 0).then_some(Keyframe { next, end: next.saturating_add(blocks.into()), replaying })
            }
            (None, None) => None,
        };
    }

    pub(crate) fn damage(&mut self, damage: Damage) {
        self.keyframe = None;
        self.replaying.forget_time();
        let log = &mut self.replaying.log;
        // What heads claim may be any number.
        log.loss.events = log.loss.events.saturating_add(damage.lost.map_or(0, |lost| lost.events));
        log.damage.push(damage);
    }

    fn close(&mut self, keyframe: Keyframe) -> Option<Keyframe> {
        if let Some(whole) = keyframe.replaying.filter(Replaying::is_whole) {
            self.replaying.adopt(whole);
        }
        None
    }
}

impl Log {
    /// Replays a file; `progress` is told how many bytes are done. Damage is no error: see
    /// [`Log::damage`].
    pub fn read(bytes: &[u8], mut progress: impl FnMut(u64)) -> Result<Self, NotALog> {
        let reader = Reader::new(bytes)?;
        let mut assembly = Assembly::new(reader.header().cloned());
        let mut parser = Parser::default();
        for block in reader {
            match block {
                Ok(block) => {
                    assembly.block(parser.parse(&block));
                    progress(block.offset + block.stored_len());
                }
                Err(damage) => assembly.damage(damage),
            }
        }
        assembly.replaying.log.bytes = bytes.len() as u64;
        Ok(assembly.replaying.finish())
    }
}
