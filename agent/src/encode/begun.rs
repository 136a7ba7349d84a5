//! An activation that has just begun, as hooks hand it over.
//!
//! Invariant: its site is the method's first instruction. Source: docs/design/profiles.md.

use std::sync::Arc;

use lucce_profiles::sampled::ContextRef;
use lucce_words::{MethodId, Signal, SiteId, Word};

use crate::jvm::thread::JavaThread;
use crate::state::catalog::MethodEntry;

/// An activation that has just begun.
pub struct Begun {
    /// Its thread, which is the current one.
    pub thread: JavaThread,
    /// Its method.
    pub method: MethodId,
    /// What is known of that.
    pub entry: Arc<MethodEntry>,
    /// The method's first instruction.
    pub site: SiteId,
    /// What the hooks gave for it.
    pub given: u64,
}

/// What finds a context by the word that a thread has at a site.
pub type Find<'f> = dyn Fn(u64, SiteId) -> Option<ContextRef> + 'f;

impl Begun {
    /// Its word, where the hooks gave one.
    pub fn word(&self) -> Word {
        Signal(self.given).word()
    }
}
