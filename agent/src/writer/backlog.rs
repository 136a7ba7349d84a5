//! Finished blocks that the disk has not taken yet.
//!
//! Invariant: they are written in their order, each whole, and what there is no room for is counted by whoever brought it.
//! Source: ARCHITECTURE, "Files of a run".

use std::io;

use super::Counts;
use super::status::Status;
use super::target::Target;

/// Bytes kept for a later try when the disk is full.
const MOST: usize = 64 << 20;

/// The blocks, each with its events.
#[derive(Default)]
pub(super) struct Backlog(Vec<(Vec<u8>, Counts)>);

impl Backlog {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a block. `false`, and it is gone, if there is no room.
    pub(super) fn add(&mut self, block: Vec<u8>, events: Counts) -> bool {
        let kept: usize = self.0.iter().map(|(block, _)| block.len()).sum();
        let has_room = kept + block.len() <= MOST;
        if has_room {
            self.0.push((block, events));
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

    /// The events in it.
    pub(super) fn events(&self) -> Counts {
        let mut sum = Counts::default();
        for (_, events) in &self.0 {
            sum.iter_mut().zip(events).for_each(|(sum, count)| *sum += count);
        }
        sum
    }
}
