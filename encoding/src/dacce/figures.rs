//! What DACCE's Table 1 says of a run.
//!
//! Invariant: counts describe; nothing is decided by them. Costs and rates need a clock, which the
//! owner of the encoder has.
//! Source: DACCE, section 6.3 and Table 1.

/// A row of Table 1, for the calls so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Characteristics {
    /// Methods, the entry included.
    pub nodes: usize,
    /// Edges: a site and a target.
    pub edges: usize,
    /// The largest id of a path without ccStack, as of the last re-encoding.
    pub max_id: u64,
    /// Re-encodings (gTS).
    pub timestamps: usize,
    /// Calls.
    pub calls: u64,
    /// Calls that accessed the ccStack.
    pub by_stack: u64,
    /// Calls over back edges, which never get an encoding.
    pub by_back_edges: u64,
    /// Calls over the edge that is the hottest of its method, seen from the end.
    pub by_hottest: u64,
    /// Entries on the ccStack behind each call, added up.
    pub depths: u64,
    /// The most entries on a ccStack.
    pub deepest: usize,
}

impl Characteristics {
    pub(super) fn called(&mut self, encoded: bool, back: bool, depth: usize) {
        self.calls += 1;
        self.by_stack += u64::from(!encoded);
        self.by_back_edges += u64::from(back);
        self.depths += depth as u64;
        self.deepest = self.deepest.max(depth);
    }

    /// The mean depth of the ccStack behind a call.
    pub fn mean_depth(&self) -> f64 {
        self.depths as f64 / self.calls.max(1) as f64
    }

    /// The share of calls over the hottest edge of their method: those that cost nothing with
    /// encoding 0.
    pub fn share_of_hottest(&self) -> f64 {
        self.by_hottest as f64 / self.calls.max(1) as f64
    }
}
