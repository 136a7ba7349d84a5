//! The context of an activation that has just begun: what its method was entered in, at its first
//! instruction.
//!
//! Invariant: an entry has one path, whatever version, shadow stack, thread or encoder its word is
//! of; where the word says no context, the stack does, and where that does not answer either, there
//! is none. Nothing is kept of it here: who asks does.
//! Source: docs/design/profiles.md.

use lucce_encoding::End;
use lucce_profiles::sampled::{Sample, SampledFrame};
use lucce_words::{Bci, MethodId, Word};

use crate::encode::begun::{Begun, Find};
use crate::encode::capture;
use crate::encode::context::Context;
use crate::encode::encoder::Expectation;
use crate::encode::walk;
use crate::jvm::thread::JavaThread;
use crate::stack::frames::StackView;
use crate::state::agent::Agent;
use crate::state::classes::Classes;

/// The activation of a method that has just begun, for which the hooks gave that.
pub fn begun(classes: &Classes, thread: JavaThread, method: MethodId, given: u64) -> Option<Begun> {
    let entry = classes.catalog.method(method)?;
    let site = classes.catalog.site_at(method, &entry, Bci(0))?;
    Some(Begun { thread, method, entry, site, given })
}

/// Its path, with the word that its encoder says it has in this context alone; `find` says which
/// part of it is known. `None` if it is lost.
pub fn path(agent: &Agent, begun: &Begun, own: Option<u64>, find: &Find<'_>) -> Option<Sample> {
    agent.encoder.entry_path(agent, begun, own, find).or(|| by_word(agent, begun, own))
}

/// The same where the hooks gave the word.
fn by_word(agent: &Agent, begun: &Begun, own: Option<u64>) -> Option<Sample> {
    let word = begun.word();
    if word == Word::NONE && agent.classes.demand.is_on() {
        return of_inactive(agent, begun);
    }
    if word.version().0 == 0 {
        return None;
    }
    let shadow_stack = agent.jvm.fields.get()?.shadow_stack_of(begun.thread, word)?;
    let mut sample = decoded(agent, &Context::chained(word, begun.site, shadow_stack, true))?;
    if let Some(last) = sample.steps.last_mut() {
        last.word = own;
    }
    Some(sample)
}

/// The same for a method that is inactive: it has no word, and its stack is walked.
fn of_inactive(agent: &Agent, begun: &Begun) -> Option<Sample> {
    let stack = walk::instrumented(StackView::of(agent, begun.thread.jni))?;
    if stack.first()?.method != Some(begun.method) {
        return None;
    }
    // Its frame stands in inserted code, which may belong to a later instruction.
    let context = Context { site: begun.site, ..capture::walked(agent, begun.thread, &stack)? };
    decoded(agent, &context)
}

fn decoded(agent: &Agent, context: &Context) -> Option<Sample> {
    let &Context { word, site, version, node, ref shadow_stack, .. } = context;
    let expected = Expectation {
        method: agent.classes.catalog.site(site)?.method,
        site: Some(site),
        word,
        version,
        shadow_stack,
        node,
    };
    let mut steps = vec![SampledFrame { site, word: None }];
    let end = agent.encoder.decode(agent, &expected, &mut |activation| {
        steps.extend(activation.site.map(|site| SampledFrame { site, word: None }));
        true
    })?;
    steps.reverse();
    (end == End::Root).then_some(Sample { below: None, steps })
}
