//! The context of an activation that has just begun: what its method was entered in, at its first instruction.
//!
//! Invariant: an entry has one path, whatever version, chain, thread or encoder its word is of; where the word says no context, the stack does,
//! and where that does not answer either, there is none. Nothing is kept of it here: who asks does.
//! Source: docs/design/profiles.md.

use std::sync::Arc;

use jvmti_bindings::sys::jni::jobject;
use lucce_encoding::End;
use lucce_profiles::sampled::{Held, Sample, Step};
use lucce_words::{Bci, MethodId, Signal, SiteId, Word};

use crate::encode::capture::{self, Context};
use crate::encode::encoder::Claim;
use crate::encode::walk;
use crate::jvm::jni::Jni;
use crate::state::agent::Agent;
use crate::state::catalog::MethodEntry;

/// An activation that has just begun.
pub struct Begun {
    /// Its thread, which is the current one.
    pub thread: jobject,
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
pub type Find<'f> = dyn Fn(u64, SiteId) -> Option<Held> + 'f;

impl Begun {
    /// That of a method, for which the hooks gave that.
    pub fn of(agent: &Agent, thread: jobject, method: MethodId, given: u64) -> Option<Self> {
        let entry = agent.catalog.method(method)?;
        let site = agent.catalog.site_at(method, &entry, Bci(0))?;
        Some(Self { thread, method, entry, site, given })
    }

    /// Its word, where the hooks gave one.
    pub fn word(&self) -> Word {
        Signal(self.given).word()
    }
}

/// Its path, where the hooks gave the word.
pub(super) fn by_word(agent: &Agent, jni: Jni, begun: &Begun) -> Option<Sample> {
    let word = begun.word();
    if word == Word::NONE && agent.demand.is_on() {
        return of_sleeper(agent, jni, begun);
    }
    if word.version().0 == 0 {
        return None;
    }
    let chain = agent.fields.get()?.chain_of(jni, begun.thread, word)?;
    let mut sample = decoded(agent, &Context::chained(word, begun.site, chain, true))?;
    if let Some(last) = sample.steps.last_mut() {
        last.word = agent.encoder.entry_word(agent, jni, begun);
    }
    Some(sample)
}

/// The same for a method that sleeps: it has no word, and its stack is walked.
fn of_sleeper(agent: &Agent, jni: Jni, begun: &Begun) -> Option<Sample> {
    let stack = walk::instrumented(agent, jni)?;
    if stack.first()?.method != Some(begun.method) {
        return None;
    }
    // Its frame stands in inserted code, which may belong to a later instruction.
    let context = Context { site: begun.site, ..capture::walked(agent, jni, begun.thread, &stack)? };
    decoded(agent, &context)
}

fn decoded(agent: &Agent, context: &Context) -> Option<Sample> {
    let &Context { word, site, version, node, ref chain, .. } = context;
    let claim = Claim { method: agent.catalog.site(site)?.method, site: Some(site), word, version, chain, node };
    let mut steps = vec![Step { site, word: None }];
    let end = agent.encoder.decode(agent, &claim, &mut |activation| {
        steps.extend(activation.site.map(|site| Step { site, word: None }));
        true
    })?;
    steps.reverse();
    (end == End::Root).then_some(Sample { below: None, steps })
}
