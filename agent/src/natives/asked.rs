//! What the API asks for beyond capture and plain events: events with a class, a registered kind or a context captured earlier, and the word
//! and site of calls that were not replaced.
//!
//! Invariant: as in `natives.rs`. A walked word is that of the innermost instrumented activation, or a lost one; 0 only where there is none, and after the
//! kill switch.

use std::sync::Once;

use jvmti_bindings::sys::jni::{JNIEnv, jboolean, jclass, jint, jlong, jobject};
use lucce_log::Record;
use lucce_words::{Lost, NodeId, SiteId, Word};

use super::{jni, with};
use crate::agent::{Agent, count};
use crate::capture::{self, Context};
use crate::events;
use crate::jvm::jni::Jni;
use crate::walk;

pub(super) extern "system" fn kind(env: *mut JNIEnv, _: jclass, name: jobject) -> jint {
    with("kind", 0, |agent| jni(env).text(name).map_or(0, |name| agent.kinds.number(name) as jint))
}

#[allow(clippy::too_many_arguments, reason = "the native's signature")]
pub(super) extern "system" fn event_of(
    env: *mut JNIEnv,
    _: jclass,
    thread: jobject,
    kind: jobject,
    id: jint,
    value: jlong,
    class: jclass,
    at: jlong,
) -> jboolean {
    let taken = with("eventOf", false, |agent| {
        let jni = jni(env);
        let named = if kind.is_null() { agent.kinds.name(id as u32) } else { jni.text(kind).map(Into::into) };
        let Some(kind) = named else { return false };
        let class = if class.is_null() { None } else { agent.jvmti.class_signature(class) };
        match at {
            -1 => events::user_event(agent, jni, thread, &kind, value, class),
            at => events::captured_event(agent, jni, thread, &kind, value, NodeId(u32::try_from(at).unwrap_or(0))),
        }
    });
    jboolean::from(taken)
}

pub(super) extern "system" fn walked_word(env: *mut JNIEnv, _: jclass, thread: jobject) -> jlong {
    let lost = Word::lost(Lost::Hook).0 as jlong;
    with("walkedWord", lost, |agent| match walked(agent, jni(env), thread) {
        Walked::Outside => 0,
        Walked::Lost => lost,
        Walked::Found(context) => context.word.0 as jlong,
    })
}

pub(super) extern "system" fn walked_site(env: *mut JNIEnv, _: jclass, thread: jobject) -> jint {
    with("walkedSite", 0, |agent| match walked(agent, jni(env), thread) {
        Walked::Outside | Walked::Lost => SiteId::UNKNOWN.0 as jint,
        Walked::Found(context) => context.site.0 as jint,
    })
}

enum Walked {
    Outside,
    Lost,
    Found(Context),
}

/// The nearest instrumented activation, by a walk: what is published need not be its place, for the call was not there when the method was
/// rewritten.
fn walked(agent: &Agent, jni: Jni, thread: jobject) -> Walked {
    static NOTED: Once = Once::new();
    if agent.is_dead() {
        return Walked::Lost;
    }
    if agent.switch.is_ended() {
        return Walked::Outside;
    }
    NOTED.call_once(|| {
        let text = "Lucce.context() or Lucce.site() was called where the call could not be replaced (another agent has inserted it, \
                    or it is in code that is left alone): the stack is walked for each such call";
        agent.writer.queue(vec![Record::Note { text: text.into() }]);
    });
    match walk::instrumented(agent, jni) {
        Some(stack) if stack.is_empty() => Walked::Outside,
        Some(stack) => {
            let context = capture::walked(agent, jni, thread, &stack);
            // Its site goes into a number that may be decoded from the log.
            if let Some(context) = &context {
                agent.core.with(&agent.catalog, &agent.writer, |core, catalog| core.describe(catalog, context.site));
            } else {
                count(&agent.counters.lost);
            }
            context.map_or(Walked::Lost, Walked::Found)
        }
        None => Walked::Lost,
    }
}
