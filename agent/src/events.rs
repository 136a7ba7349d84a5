//! Events: sampled allocations and the application's own, each with its exact context.
//!
//! Invariant: a published context is used only if the innermost instrumented frame stands at the published site; an exception that the
//! JVM itself creates is sampled at an instruction that publishes nothing, and its context is walked.
//! Source: DESIGN section 3 ("An event source that is on publishes the same way at its own instruction").

use std::sync::atomic::Ordering;

use jvmti_bindings::sys::jni::{jclass, jobject};
use lucce_log::{Record, WalkedFrame};
use lucce_words::{Lost, NodeId, Word};

use crate::agent::{Agent, count};
use crate::capture::{self, Context};
use crate::jvm::frames::{self, Frame};
use crate::jvm::jni::Jni;
use crate::oracle;
use crate::walk;

/// Frames looked at for the innermost instrumented one before the whole stack is.
const LOOK: usize = 32;
/// Uninstrumented frames that an event names.
const WALKED: usize = 8;

/// JVMTI SampledObjectAlloc.
pub fn sampled_allocation(agent: &Agent, jni: Jni, thread: jobject, class: jclass, bytes: i64) {
    if agent.is_dead() || agent.fields.get().is_none() {
        return;
    }
    let mut top = frames::top(agent.jvmti, jni, &agent.methods, &agent.catalog, LOOK);
    let mut innermost = top.iter().position(|frame| frame.method.is_some());
    if innermost.is_none() && top.len() == LOOK {
        top = frames::all(agent.jvmti, jni, &agent.methods, &agent.catalog);
        innermost = top.iter().position(|frame| frame.method.is_some());
    }
    let Some(innermost) = innermost else {
        count(&agent.counters.events_outside);
        return;
    };
    let walked = walked_frames(agent, jni, &top[..innermost]);
    let class = agent.jvmti.class_signature(class);
    match context_at(agent, jni, thread, &top[innermost]) {
        Some(context) => log(agent, jni, thread, "alloc", bytes, class, walked, &context),
        None => count(&agent.counters.lost),
    }
}

/// `LucceHooks.event`: the application's own event at the call that it has just published.
pub fn user_event(agent: &Agent, jni: Jni, thread: jobject, kind: &str, value: i64) {
    match capture::current(agent, jni, thread) {
        Some(context) => log(agent, jni, thread, kind, value, None, Vec::new(), &context),
        None => count(&agent.counters.events_outside),
    }
}

/// The context whose innermost activation is `frame`: as published, if the frame stands where the thread says it does.
fn context_at(agent: &Agent, jni: Jni, thread: jobject, frame: &Frame) -> Option<Context> {
    let standing = walk::standing(agent, frame)?;
    let state = agent.fields.get()?.state(jni, thread);
    if state.site == standing.site && state.is_known() {
        return capture::current(agent, jni, thread);
    }
    capture::walked(agent, jni, thread, &walk::instrumented(agent, jni)?)
}

#[allow(clippy::too_many_arguments, reason = "one event's worth of facts, used once")]
fn log(
    agent: &Agent,
    jni: Jni,
    thread: jobject,
    kind: &str,
    value: i64,
    class: Option<String>,
    walked: Vec<WalkedFrame>,
    context: &Context,
) {
    let time_ns = agent.now();
    // Chained words need the context below their topmost cut; others are whole by themselves.
    let (word, chain, node) = if agent.options.encoder.has_private_words() {
        // Only this process understands them: the context's node stands for the word, and for what is lost the word says why.
        match capture::node(agent, jni, thread, context) {
            Some((node, _)) => (Word::NONE, NodeId(0), node),
            None => {
                count(&agent.counters.lost);
                let lost = context.version.0 == 0 && context.word.version().0 == 0;
                (if lost { context.word } else { Word::lost(Lost::Hook) }, NodeId(0), NodeId(0))
            }
        }
    } else if context.word.chained() {
        match capture::node(agent, jni, thread, context) {
            Some((_, chain)) => (context.word, chain, NodeId(0)),
            None => {
                count(&agent.counters.lost);
                return;
            }
        }
    } else {
        (context.word, NodeId(0), NodeId(0))
    };
    if agent.options.verify > 0 {
        match walk::instrumented(agent, jni) {
            Some(stack) => oracle::check_event(agent, jni, context, &stack),
            None => count(&agent.oracle.unanswered),
        }
    }
    let (number, introduction) = agent.threads.number(agent.jvmti, jni, thread);
    let kind = agent.core.with(&agent.catalog, &agent.writer, |core, catalog| {
        core.describe(catalog, context.site);
        if let Some(introduction) = introduction {
            core.record(introduction);
        }
        core.kind(kind)
    });
    let event = Record::Event {
        time_ns,
        thread: number,
        kind,
        value,
        word,
        site: context.site,
        chain,
        class: class.map(|signature| readable(&signature)),
        walked,
        node,
    };
    if agent.writer.event(vec![event]) {
        agent.counters.events.fetch_add(1, Ordering::Relaxed);
    }
}

/// The frames above the innermost instrumented one, innermost first, without the hooks' own.
fn walked_frames(agent: &Agent, jni: Jni, above: &[Frame]) -> Vec<WalkedFrame> {
    above
        .iter()
        .filter_map(|frame| Some((frame, agent.names.of(agent.jvmti, jni, frame.raw)?)))
        .filter(|(_, named)| named.class != "java/lang/LucceHooks")
        .take(WALKED)
        .map(|(frame, named)| WalkedFrame {
            class: named.class.clone(),
            method: named.method.clone(),
            desc: named.desc.clone(),
            line: named.line(frame.location),
        })
        .collect()
}

/// `Lpkg/Name;` to `pkg/Name`; arrays stay as they are.
fn readable(signature: &str) -> String {
    signature.strip_prefix('L').and_then(|name| name.strip_suffix(';')).unwrap_or(signature).into()
}
