//! A call that is being entered: its two ends, as the catalogue has them.
//!
//! Invariant: both were looked up for this entry, so nothing that is decided by them mixes two
//! definitions of a class. Source: docs/design/mechanisms.md ("Plain links").

use lucce_words::{MethodId, SiteId};

use crate::state::catalog::{MethodEntry, SiteEntry};

/// Both ends of a call.
#[derive(Clone, Copy)]
pub struct CallEnds<'a> {
    /// Where it is called.
    pub site: SiteId,
    /// The same; `None` at the thread base.
    pub origin: Option<&'a SiteEntry>,
    /// What is entered.
    pub callee: MethodId,
    /// The same.
    pub target: &'a MethodEntry,
}
