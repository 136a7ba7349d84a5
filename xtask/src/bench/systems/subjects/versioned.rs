//! Lucce's versioned encoder, with the shadow stack of a thread as the hooks keep it: an entry
//! where a cut edge was taken.
//!
//! Every call asks the encoder; the links by which hooks answer most calls are not part of this.
//! Source: `encoding/src/encoder.rs`; docs/design, "Numbering".

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use lucce_encoding::{DecodedFrame, Encoder, EncoderStats, End, LinkKind, Passage, ShadowEntry};
use lucce_profiles::trace::{TraceContext, TraceNode};
use lucce_words::{MethodId, SiteId, Word};

use super::super::replay::Subject;

struct VersionedActivation {
    method: MethodId,
    word: Word,
    /// The length of the shadow stack below it.
    below: usize,
}

#[derive(Default)]
struct VersionedThread {
    stack: Vec<VersionedActivation>,
    shadow_stack: Vec<ShadowEntry>,
}

#[derive(Default)]
pub struct Versioned {
    encoder: Encoder,
    threads: BTreeMap<u32, VersionedThread>,
    /// What new versions have taken in all.
    pub took: Duration,
    pub longest: Duration,
    /// Entries with so many on the shadow stack.
    pub depths: BTreeMap<u32, u64>,
    /// Entries without a word.
    pub lost: u64,
}

impl Versioned {
    pub fn new() -> Self {
        let mut new = Self::default();
        new.encoder.add_site(SiteId::ROOT, MethodId::ROOT);
        new
    }

    pub fn stats(&self) -> EncoderStats {
        self.encoder.stats()
    }
}

impl Subject for Versioned {
    fn method(&mut self, method: MethodId, is_constructor: bool, _: u64) {
        self.encoder.add_method(method, is_constructor);
    }

    fn context(&mut self, _: TraceContext, node: TraceNode, caller: MethodId) {
        self.encoder.add_site(node.site, caller);
    }

    fn call(&mut self, thread: u32, _: TraceContext, node: TraceNode) {
        let root = self.encoder.root_word();
        let thread = self.threads.entry(thread).or_default();
        let ctx = thread.stack.last().map_or(root, |activation| activation.word);
        let below = thread.shadow_stack.len();
        let link = self.encoder.enter(ctx, node.site, node.method, Passage::Plain);
        let word = link.as_ref().map_or_else(|lost| Word::lost(*lost), |link| link.word);
        if link.is_ok_and(|link| link.kind == LinkKind::Cut) {
            thread.shadow_stack.push(ShadowEntry {
                ctx,
                site: node.site,
                cut: true,
                method: node.method,
                barrier: false,
            });
        }
        self.lost += u64::from(word.lost_reason().is_some());
        thread.stack.push(VersionedActivation { method: node.method, word, below });
        *self.depths.entry(thread.shadow_stack.len() as u32).or_default() += 1;
    }

    fn leave(&mut self, thread: u32, _: TraceNode) {
        let thread = self.threads.entry(thread).or_default();
        if let Some(activation) = thread.stack.pop() {
            thread.shadow_stack.truncate(activation.below);
        }
    }

    fn decode(&mut self, thread: u32, _: TraceContext) -> Option<Vec<DecodedFrame>> {
        let thread = self.threads.get(&thread)?;
        let top = thread.stack.last()?;
        let decoded = self.encoder.snapshot().decode(top.method, top.word, &thread.shadow_stack);
        (decoded.end == End::Root).then_some(decoded.frames)
    }

    fn pause(&mut self, _: u64) {
        self.encoder.take_changes();
        if self.encoder.wants_renumbering() {
            let start = Instant::now();
            self.encoder.renumber();
            let took = start.elapsed();
            self.took += took;
            self.longest = self.longest.max(took);
        }
    }
}
