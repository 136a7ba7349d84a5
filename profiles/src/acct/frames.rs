//! Which frames of a stack were there when it was last sampled.
//!
//! Invariant: both ways give the same number for the same calls. Source: ACCT, section 3 (the
//! sampled bit).

/// Follows a stack and says at a sample how many of its frames the last sample has seen.
pub trait NewFrames {
    /// The stack has so many frames now; it got there by returns alone, by one call, or by returns
    /// and one call.
    fn moved(&mut self, depth: usize, called: bool);
    /// A sample: the frames from the base on that were there at the last one.
    fn sample(&mut self) -> usize;
}

/// A bit in each frame: off in a new frame, on once it was sampled.
#[derive(Clone, Debug, Default)]
pub struct Bits(Vec<bool>);

impl NewFrames for Bits {
    fn moved(&mut self, depth: usize, called: bool) {
        self.0.truncate(depth - usize::from(called));
        self.0.resize(depth, false);
    }

    fn sample(&mut self) -> usize {
        // The walk goes upwards until it finds a bit that is on.
        let old = self.0.iter().rposition(|&sampled| sampled).map_or(0, |place| place + 1);
        self.0.iter_mut().for_each(|sampled| *sampled = true);
        old
    }
}

/// The lowest that the stack has been since: needs no exit to be seen, for an entry says how deep
/// its caller is.
#[derive(Clone, Debug, Default)]
pub struct LowWater {
    low: usize,
    depth: usize,
}

impl NewFrames for LowWater {
    fn moved(&mut self, depth: usize, called: bool) {
        self.low = self.low.min(depth - usize::from(called));
        self.depth = depth;
    }

    fn sample(&mut self) -> usize {
        std::mem::replace(&mut self.low, self.depth)
    }
}
