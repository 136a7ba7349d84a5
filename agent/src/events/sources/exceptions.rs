//! `exceptions`, `exceptions=<globs of classes>`: each exception as it is thrown, with its class.
//!
//! Invariant: one event for each `athrow` of the program, and for each exception that the JVM or
//! other code throws, at the innermost frame with hooks; none where Lucce's own handlers pass an
//! exception on. Thrown by an instruction that publishes nothing, its context is the word in the
//! frame's local: the JVM's debugging support reads it.
//! Source: JVMTI Exception, GetLocalLong.

use jvmti_bindings::sys::jni::{JNIEnv, jlong, jmethodID, jobject};
use jvmti_bindings::sys::jvmti::{JVMTI_EVENT_EXCEPTION, jvmtiCapabilities, jvmtiEnv, jvmtiEvent, jvmtiEventCallbacks};
use lucce_words::signature;

use super::Scene;
use super::place::{self, Doing};
use super::registered::EventSource;
use crate::events::recording::{self, Happening};
use crate::jvm::thread::JavaThread;
use crate::options::{Globs, Options, Source};
use crate::stack::frames::{Frame, StackView};
use crate::state::agent::Agent;
use crate::state::native_call::told;
use crate::support::kinds::EventKind;

const KIND: EventKind<'_> = EventKind::own("exception");
const ATHROW: u8 = 191;

/// The source.
pub struct Exceptions;

impl EventSource for Exceptions {
    fn capabilities(&self, options: &Options, wanted: &mut jvmtiCapabilities) {
        wanted.set_can_generate_exception_events(true);
        wanted.set_can_access_local_variables(options.reads_locals());
    }

    fn callbacks(&self, table: &mut jvmtiEventCallbacks) {
        table.Exception = Some(exception);
    }

    fn events(&self) -> &'static [jvmtiEvent] {
        &[JVMTI_EVENT_EXCEPTION]
    }
}

#[allow(clippy::too_many_arguments, reason = "JVMTI's signature")]
unsafe extern "system" fn exception(
    _: *mut jvmtiEnv,
    env: *mut JNIEnv,
    thread: jobject,
    method: jmethodID,
    location: jlong,
    exception: jobject,
    catcher: jmethodID,
    _catch_location: jlong,
) {
    told("Exception", env, |agent, jni| {
        thrown(agent, JavaThread::new(jni, thread), &Thrown { method, location, exception, catcher })
    });
}

/// What JVMTI tells of an exception.
struct Thrown {
    /// The method that throws it.
    method: jmethodID,
    /// At which rewritten bytecode index.
    location: i64,
    /// The exception.
    exception: jobject,
    /// The method that will catch it; null if none does.
    catcher: jmethodID,
}

/// JVMTI Exception.
fn thrown(agent: &Agent, thread: JavaThread, thrown: &Thrown) {
    let &Thrown { method, location, exception, catcher } = thrown;
    let Some(globs) = &agent.options.exceptions else { return };
    if agent.run.is_dead() || !agent.is_ready() || !agent.run.switch.takes(KIND) {
        return;
    }
    let scene = Scene { agent, thread, figures: agent.events.sources.of(Source::Exceptions) };
    let view = StackView::of(agent, thread.jni);
    let top = if agent.stack.methods.any_redefined() {
        // What an obsolete method runs takes a look to say.
        place::top(scene, None, 0).first().copied()
    } else {
        Some(Frame { raw: method, method: view.identity(method), location, depth: 0 })
    };
    let Some(top) = top.filter(|top| !passes_on(view, top) && !is_own(view, top, catcher)) else { return };
    let class = thread.jni.class_of(exception);
    let signature = agent.jvm.jvmti.class_signature(class);
    thread.jni.release(class);
    let Some(signature) = signature.filter(|signature| is_wanted(globs, signature)) else { return };
    let Some(found) = place::find(scene, Doing::Throwing(top)) else { return };
    recording::log(
        scene,
        &Happening { walked: found.walked, above: found.above, ..Happening::here(KIND, 1, Some(signature)) },
        &found.context,
    );
}

/// Does a handler that Lucce has added throw it again: that of a method with hooks, or of a Guard?
fn passes_on(view: StackView<'_>, frame: &Frame) -> bool {
    let agent = view.agent;
    let Ok(location) = u32::try_from(frame.location) else { return false };
    if let Some(method) = frame.method {
        return agent.classes.catalog.method(method).is_some_and(|entry| entry.map.is_leaving(location));
    }
    // A Guard's `athrow` is the last byte of its method.
    let is_last = |code: Vec<u8>| code.len() == location as usize + 1 && code.last() == Some(&ATHROW);
    view.named(frame.raw).is_some_and(|named| agent.classes.guarded.contains(&named.class, &named.method))
        && agent.jvm.jvmti.bytecodes(frame.raw).is_some_and(is_last)
}

/// Do the hooks throw and catch it themselves, at the end of the stack?
fn is_own(view: StackView<'_>, frame: &Frame, catcher: jmethodID) -> bool {
    let is_hook = |method: jmethodID| !method.is_null() && view.named(method).is_some_and(|named| named.is_hook());
    frame.method.is_none() && is_hook(frame.raw) && is_hook(catcher)
}

/// Is it the class of an exception that somebody asked for?
fn is_wanted(globs: &Globs, signature: &str) -> bool {
    globs.is_empty() || globs.matches(&signature::internal_name(signature).replace('/', "."))
}
