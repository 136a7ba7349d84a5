//! The natives of `java.lang.LucceApi`: captures, origins, events, traces, sums, hot contexts, and
//! the word and site of calls that were not replaced.
//!
//! Invariant: as in `natives.rs`. A walked word is that of the innermost instrumented activation,
//! or a lost one; 0 only where there is none, and after the kill switch.

use std::ffi::c_void;
use std::sync::Once;

use jvmti_bindings::sys::jni::{JNIEnv, jboolean, jclass, jdouble, jint, jlong, jobject};
use lucce_log::Ground;
use lucce_words::{Lost, NodeId, OriginId, SiteId, Word};

use super::elements::elements;
use super::sums;
use crate::encode::capture;
use crate::encode::context::Context;
use crate::jvm::jni::{Jni, Native};
use crate::jvm::thread::JavaThread;
use crate::stack::frames::StackView;
use crate::state::agent::Agent;
use crate::state::native_call::{java_thread, jni, with};
use crate::support::kinds::EventKind;
use crate::{encode::walk, events::counted, events::origins, events::recording};

/// For RegisterNatives.
pub(super) fn table() -> Vec<Native> {
    vec![
        Native::new(c"captureSlow", c"(Ljava/lang/Thread;)J", capture_slow as *mut c_void),
        Native::new(c"originSlow", c"(Ljava/lang/Thread;JII)I", origin_slow as *mut c_void),
        Native::new(c"originWithout", c"(II)I", origin_without as *mut c_void),
        Native::new(c"ambiguous", c"(II)I", ambiguous as *mut c_void),
        Native::new(c"measurement", c"(I)I", measurement as *mut c_void),
        Native::new(c"eventSlow", c"(Ljava/lang/Thread;Ljava/lang/String;J)Z", event_slow as *mut c_void),
        Native::new(
            c"eventOf",
            c"(Ljava/lang/Thread;Ljava/lang/String;IJLjava/lang/Class;J)Z",
            event_of as *mut c_void,
        ),
        Native::new(c"kind", c"(Ljava/lang/String;)I", kind as *mut c_void),
        Native::new(c"hashedWord", c"(Ljava/lang/Thread;)J", hashed_word as *mut c_void),
        Native::new(c"walkedWord", c"(Ljava/lang/Thread;)J", walked_word as *mut c_void),
        Native::new(c"walkedSite", c"(Ljava/lang/Thread;)I", walked_site as *mut c_void),
        Native::new(c"trace", c"(J)[Ljava/lang/StackTraceElement;", trace_captured as *mut c_void),
        Native::new(c"trace", c"(JI)[Ljava/lang/StackTraceElement;", trace_word as *mut c_void),
        Native::new(c"tallies", c"(Ljava/lang/String;)[Ljava/lang/Object;", tallies as *mut c_void),
        Native::new(c"tallies", c"(JI)[Ljava/lang/Object;", tallies_below as *mut c_void),
        Native::new(c"countsCalls", c"(Ljava/lang/Class;Ljava/lang/String;)Z", counts_calls as *mut c_void),
        Native::new(c"hasHooks", c"(Ljava/lang/Class;Ljava/lang/String;)Z", has_hooks as *mut c_void),
        Native::new(c"hot", c"(D)[J", hot as *mut c_void),
        Native::new(c"run", c"()J", run as *mut c_void),
    ]
}

extern "system" fn capture_slow(env: *mut JNIEnv, _: jclass, thread: jobject) -> jlong {
    with("captureSlow", 0, |agent| capture::capture(agent, java_thread(env, thread)))
}

extern "system" fn origin_slow(
    env: *mut JNIEnv,
    _: jclass,
    thread: jobject,
    captured: jlong,
    kind: jint,
    parent: jint,
) -> jint {
    with("originSlow", -1, |agent| {
        if agent.run.switch.is_ended() {
            return 0;
        }
        let (kind, parent) = (origins::kind(kind), OriginId(parent as u32));
        origins::here(agent, java_thread(env, thread), captured, kind, parent).0 as jint
    })
}

extern "system" fn origin_without(_: *mut JNIEnv, _: jclass, kind: jint, ground: jint) -> jint {
    with("originWithout", 0, |agent| {
        if agent.run.switch.is_ended() {
            return 0;
        }
        let ground = usize::try_from(ground).ok().and_then(|code| Ground::ALL.get(code).copied());
        let ground = ground.filter(|ground| *ground != Ground::Known).unwrap_or(Ground::Lost);
        origins::unknown(agent, origins::kind(kind), ground).0 as jint
    })
}

extern "system" fn ambiguous(_: *mut JNIEnv, _: jclass, one: jint, other: jint) -> jint {
    with("ambiguous", 0, |agent| {
        // A task has a negative number where there is nothing to say of it.
        let [one, other] = [one, other].map(|origin| OriginId(u32::try_from(origin).unwrap_or(0)));
        if agent.run.switch.is_ended() { 0 } else { origins::ambiguous(agent, one, other).0 as jint }
    })
}

extern "system" fn measurement(_: *mut JNIEnv, _: jclass, force: jint) -> jint {
    with("measurement", -1, |agent| {
        let begun = agent.events.origins.begin_measurement(OriginId(u32::try_from(force).unwrap_or(0)));
        begun.map_or(-1, |id| id.0 as jint)
    })
}

extern "system" fn event_slow(env: *mut JNIEnv, _: jclass, thread: jobject, kind: jobject, value: jlong) -> jboolean {
    let taken = with("eventSlow", false, |agent| {
        let jni = jni(env);
        let kind = jni.text(kind);
        let kind = EventKind::programs(kind.as_deref().unwrap_or("null"));
        recording::user_event(agent, JavaThread::new(jni, thread), kind, value, None)
    });
    jboolean::from(taken)
}

extern "system" fn trace_captured(env: *mut JNIEnv, _: jclass, captured: jlong) -> jobject {
    with("trace", std::ptr::null_mut(), |agent| frames(agent, env, captured))
}

/// The frames of a captured number.
pub(super) fn frames(agent: &Agent, env: *mut JNIEnv, captured: jlong) -> jobject {
    elements(&agent.classes, jni(env), &capture::sites(&agent.graph, captured), true)
}

extern "system" fn trace_word(env: *mut JNIEnv, _: jclass, word: jlong, site: jint) -> jobject {
    with("trace", std::ptr::null_mut(), |agent| {
        let (sites, whole) = capture::sites_of_word(agent, Word(word as u64), SiteId(site as u32));
        elements(&agent.classes, jni(env), &sites, whole)
    })
}

extern "system" fn tallies(env: *mut JNIEnv, _: jclass, kind: jobject) -> jobject {
    with("tallies", std::ptr::null_mut(), |agent| {
        let (jni, Some(tallies)) = (jni(env), &agent.events.tallies) else { return std::ptr::null_mut() };
        sums::arrays(jni, &tallies.so_far(agent, jni.text(kind).as_deref()))
    })
}

extern "system" fn tallies_below(env: *mut JNIEnv, _: jclass, captured: jlong, measurement: jint) -> jobject {
    with("talliesBelow", std::ptr::null_mut(), |agent| {
        let measurement = OriginId(u32::try_from(measurement).unwrap_or(0));
        let below = agent.events.tallies.as_ref().and_then(|tallies| tallies.below(agent, captured, measurement));
        below.map_or(std::ptr::null_mut(), |below| sums::arrays(jni(env), &below))
    })
}

extern "system" fn counts_calls(env: *mut JNIEnv, _: jclass, class: jclass, name: jobject) -> jboolean {
    let ask = |agent: &Agent, jni, name: &str| counted::counts_calls(agent, jni, class, name);
    of_method("countsCalls", jni(env), name, ask)
}

extern "system" fn has_hooks(env: *mut JNIEnv, _: jclass, class: jclass, name: jobject) -> jboolean {
    let ask = |agent: &Agent, jni, name: &str| counted::has_hooks(agent, jni, class, name);
    of_method("hasHooks", jni(env), name, ask)
}

/// What is so of the methods of that name; nothing without one.
fn of_method(place: &'static str, jni: Jni, name: jobject, ask: impl FnOnce(&Agent, Jni, &str) -> bool) -> jboolean {
    jboolean::from(with(place, false, |agent| jni.text(name).is_some_and(|name| ask(agent, jni, &name))))
}

extern "system" fn hot(env: *mut JNIEnv, _: jclass, share: jdouble) -> jobject {
    with("hot", std::ptr::null_mut(), |agent| {
        let Some(profile) = &agent.events.profile else { return std::ptr::null_mut() };
        sums::hot(&agent.graph, jni(env), &profile.hottest(Some(share)))
    })
}

extern "system" fn run(_: *mut JNIEnv, _: jclass) -> jlong {
    with("run", 0, |agent| agent.run.id as jlong)
}

extern "system" fn kind(env: *mut JNIEnv, _: jclass, name: jobject) -> jint {
    with("kind", 0, |agent| jni(env).text(name).map_or(0, |name| agent.events.kinds.number(&name) as jint))
}

#[allow(clippy::too_many_arguments, reason = "the native's signature")]
extern "system" fn event_of(
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
        let named = if kind.is_null() { agent.events.kinds.name(id as u32) } else { jni.text(kind).map(Into::into) };
        let Some(kind) = named else { return false };
        happened(agent, JavaThread::new(jni, thread), (&kind, value, class), at)
    });
    jboolean::from(taken)
}

/// An event of the program's own, with its class or null, at that captured context, or for -1 where
/// the thread stands. Was it taken?
pub(super) fn happened(
    agent: &Agent,
    thread: JavaThread,
    (kind, value, class): (&str, jlong, jclass),
    at: jlong,
) -> bool {
    let kind = EventKind::programs(kind);
    let class = if class.is_null() { None } else { agent.jvm.jvmti.class_signature(class) };
    match at {
        -1 => recording::user_event(agent, thread, kind, value, class),
        at => recording::captured_event(agent, thread, kind, value, NodeId(u32::try_from(at).unwrap_or(0))),
    }
}

extern "system" fn hashed_word(env: *mut JNIEnv, _: jclass, thread: jobject) -> jlong {
    with("hashedWord", 0, |agent| {
        let thread = java_thread(env, thread);
        let context = capture::given(agent, thread);
        let known = context.filter(|context| capture::keep(agent, thread, context).is_some());
        known.map_or(0, |context| context.word.0 as jlong)
    })
}

extern "system" fn walked_word(env: *mut JNIEnv, _: jclass, thread: jobject) -> jlong {
    let lost = Word::lost(Lost::Hook).0 as jlong;
    with("walkedWord", lost, |agent| match walked(agent, java_thread(env, thread)) {
        WalkOutcome::Outside => 0,
        WalkOutcome::Lost => lost,
        WalkOutcome::Found(context) => context.word.0 as jlong,
    })
}

extern "system" fn walked_site(env: *mut JNIEnv, _: jclass, thread: jobject) -> jint {
    with("walkedSite", 0, |agent| match walked(agent, java_thread(env, thread)) {
        WalkOutcome::Outside | WalkOutcome::Lost => SiteId::UNKNOWN.0 as jint,
        WalkOutcome::Found(context) => context.site.0 as jint,
    })
}

enum WalkOutcome {
    Outside,
    Lost,
    Found(Context),
}

/// The nearest instrumented activation, by a walk: what is published need not be its place, for the
/// call was not there when the method was rewritten.
fn walked(agent: &Agent, thread: JavaThread) -> WalkOutcome {
    static NOTED: Once = Once::new();
    if agent.run.is_dead() {
        return WalkOutcome::Lost;
    }
    if agent.run.switch.is_ended() {
        return WalkOutcome::Outside;
    }
    NOTED.call_once(|| {
        let text = "Lucce.context() or Lucce.site() was called where the call could not be replaced (another agent has inserted it, \
                    or it is in code that is left alone): the stack is walked for each such call";
        agent.run.note(text);
    });
    match walk::instrumented(StackView::of(agent, thread.jni)) {
        Some(stack) if stack.is_empty() => WalkOutcome::Outside,
        Some(stack) => {
            let context = capture::walked(agent, thread, &stack);
            // Its site goes into a number that may be decoded from the log.
            if let Some(context) = &context {
                agent.graph.locked(|graph| graph.describe(context.site));
            } else {
                agent.run.count_lost(None);
            }
            context.map_or(WalkOutcome::Lost, WalkOutcome::Found)
        }
        None => WalkOutcome::Lost,
    }
}
