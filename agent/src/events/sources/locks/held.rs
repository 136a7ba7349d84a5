//! The holder of a lock, as the log says it. Invariant: its context is of one walk. Source:
//! docs/design/event-sources.md.

use std::sync::Arc;

use lucce_log::{Record, WalkedFrame};
use lucce_words::SiteId;

use crate::events::recording::KeptContext;

/// What a look has found: an event that lacks its time, class and value, which it has in common
/// with that of the wait.
#[derive(Clone)]
pub struct Holder {
    pub(super) thread: u32,
    pub(super) kind: u32,
    pub(super) site: SiteId,
    pub(super) kept: KeptContext,
    pub(super) walked: Arc<[WalkedFrame]>,
}

impl Holder {
    /// The event that stands before that of the wait.
    pub fn event(&self, time_ns: u64, value: i64, class: Option<Arc<str>>) -> Record {
        let Self { thread, kind, site, kept: KeptContext { word, below, node }, .. } = *self;
        Record::Event {
            time_ns,
            thread,
            kind,
            value,
            word,
            site,
            chain: below,
            class,
            walked: Arc::clone(&self.walked),
            node,
        }
    }
}
