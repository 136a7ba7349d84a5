//! What the log says of the frames without hooks between the two ends of a call.
//!
//! Invariant: it stands before every event that needs the call's edge. Source: docs/FORMAT.md,
//! "Records" (Via).

use lucce_words::{MethodId, SiteId};

/// What was seen between a site and its callee.
pub struct SkippedFrames {
    /// Both ends.
    pub call: (SiteId, MethodId),
    /// The frames without hooks between them (`java.util.ArrayList.forEach`), innermost first.
    pub frames: Vec<String>,
}
