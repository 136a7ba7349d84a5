//! When a file of the log is followed by another, and when definitions are repeated.
//!
//! Invariant: `None` is never. Source: the options `rotate`, `rotate-every` and `keyframe`.

use std::time::Duration;

/// When a file has had enough.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes.
    pub bytes: Option<u64>,
    /// Age.
    pub every: Option<Duration>,
    /// Bytes after which definitions are repeated.
    pub keyframe: Option<u64>,
}

impl Limits {
    /// Is anything ever written twice?
    pub fn repeat(&self) -> bool {
        self.bytes.is_some() || self.every.is_some() || self.keyframe.is_some()
    }
}
