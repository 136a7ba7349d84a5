//! Finished blocks that the disk has not taken yet.
//!
//! Invariant: they are written in their order, each whole, and what there is no room for is counted
//! by whoever brought it.
//! Source: docs/design/log-files.md ("Files of a run").

use std::io;

use super::message::Load;
use super::status::Status;
use super::target::Target;

/// Bytes kept for a later try when the disk is full.
const MOST: usize = 64 << 20;

/// The blocks, each with what it carries.
#[derive(Default)]
pub(super) struct Backlog(Vec<(Vec<u8>, Load)>);

impl Backlog {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a block. `false`, and it is gone, if there is no room.
    pub(super) fn add(&mut self, block: Vec<u8>, load: Load) -> bool {
        let kept: usize = self.0.iter().map(|(block, _)| block.len()).sum();
        let has_room = kept + block.len() <= MOST;
        if has_room {
            self.0.push((block, load));
        }
        has_room
    }

    /// Writes what the disk takes: how many bytes, and why not all.
    pub(super) fn write(&mut self, target: &mut Target, status: &Status) -> (u64, io::Result<()>) {
        let (mut blocks, mut bytes) = (0, 0);
        let mut result = Ok(());
        for (block, _) in &self.0 {
            result = target.add(block, status);
            if result.is_err() {
                break;
            }
            blocks += 1;
            bytes += block.len() as u64;
        }
        self.0.drain(..blocks);
        (bytes, result)
    }

    /// What all of them carry.
    pub(super) fn load(&self) -> Load {
        let mut sum = Load::default();
        for (_, Load { events, counted }) in &self.0 {
            sum.events.iter_mut().zip(events).for_each(|(sum, count)| *sum += count);
            sum.counted += counted;
        }
        sum
    }
}
