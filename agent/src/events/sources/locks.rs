//! `locks`: how long threads wait, for monitors and in `LockSupport.park`, each event with the
//! class of what was waited for, and some with the thread that held it when the wait began
//! ([`holder`]).
//!
//! Invariant: an event is logged when its wait is over, at the place where the thread has waited. A
//! `synchronized` method waits before it has begun: the place is that of its call, and the method
//! is named above it.
//! Source: JVMTI MonitorContendedEnter, MonitorContendedEntered; `java-shim/hooks` (`LucceLocks`).

mod asked;
mod held;
mod holder;
mod looks;
mod owner;
mod waiting;

use std::ffi::CStr;
use std::time::Instant;

use jvmti_bindings::sys::jni::{JNIEnv, jclass, jlong, jobject};
use jvmti_bindings::sys::jvmti::{
    JVMTI_EVENT_MONITOR_CONTENDED_ENTER, JVMTI_EVENT_MONITOR_CONTENDED_ENTERED, jvmtiCapabilities, jvmtiEnv,
    jvmtiEvent, jvmtiEventCallbacks,
};
use lucce_words::SiteId;

use super::Scene;
use super::place::{self, Doing};
use super::registered::{self, EventSource};
use crate::events::recording::{self, Happening};
use crate::jvm::jni::{Jni, Native};
use crate::jvm::part::Jvm;
use crate::jvm::thread::JavaThread;
use crate::options::{Options, Source};
use crate::stack::frames::StackView;
use crate::state::agent::{Agent, count};
use crate::state::native_call::told;
use crate::support::boundary::guarded;
use crate::support::kinds::EventKind;
pub use asked::Looks;
pub use held::Holder;
use owner::{Owned, Synchronizers};
use waiting::Wait;
pub use waiting::Waiting;

/// The source.
pub struct Locks;

impl EventSource for Locks {
    fn capabilities(&self, _: &Options, wanted: &mut jvmtiCapabilities) {
        wanted.set_can_generate_monitor_events(true);
        wanted.set_can_get_monitor_info(true);
    }

    fn callbacks(&self, table: &mut jvmtiEventCallbacks) {
        table.MonitorContendedEnter = Some(monitor_contended_enter);
        table.MonitorContendedEntered = Some(monitor_contended_entered);
    }

    fn events(&self) -> &'static [jvmtiEvent] {
        &[JVMTI_EVENT_MONITOR_CONTENDED_ENTER, JVMTI_EVENT_MONITOR_CONTENDED_ENTERED]
    }

    fn hook_class(&self) -> Option<&'static CStr> {
        Some(HOOKS)
    }

    /// Contended monitors; and, once what they call is there, the parks of LockSupport.
    fn start(&self, agent: &'static Agent, thread: JavaThread, _: &str) {
        if !registered::enable(&agent.jvm, self.events()) {
            say!("this JVM does not tell of monitors; locks knows none");
        }
        if agent.options.has_hooks() {
            watch_parks(&agent.jvm, thread.jni);
        } else if !agent.options.quiet {
            // No event of the JVM's tells of a park.
            say!("with hooks=off, locks tells of monitors and not of LockSupport.park");
        }
        look_for_holders(agent, thread);
    }

    fn figures(&self, agent: &Agent, add: &mut dyn FnMut(&'static str, u64)) {
        agent.events.sources.looks.figures(add);
    }
}

/// The parks of LockSupport, once what they call is there.
fn watch_parks(jvm: &Jvm, jni: Jni) {
    let hooks = jni.find_class(HOOKS);
    let support = jni.find_class(c"java/util/concurrent/locks/LockSupport");
    let parked = (c"parked", c"(Ljava/lang/Object;J)V");
    let initialised = !hooks.is_null() && !jni.static_method(hooks, parked.0, parked.1).is_null();
    if !initialised || support.is_null() || jvm.jvmti.retransform(&[support]).is_err() {
        say!("this JVM does not let LockSupport be rewritten; locks knows no parks");
    }
}

/// What counts the waits of threads.
const HOOKS: &CStr = c"java/lang/LucceLocks";

unsafe extern "system" fn monitor_contended_enter(
    _: *mut jvmtiEnv,
    env: *mut JNIEnv,
    thread: jobject,
    monitor: jobject,
) {
    told("MonitorContendedEnter", env, |agent, jni| contended(agent, JavaThread::new(jni, thread), monitor));
}

unsafe extern "system" fn monitor_contended_entered(
    _: *mut jvmtiEnv,
    env: *mut JNIEnv,
    thread: jobject,
    monitor: jobject,
) {
    told("MonitorContendedEntered", env, |agent, jni| entered(agent, JavaThread::new(jni, thread), monitor));
}

/// Begins to look for holders; `any` is a `java.lang.Thread`.
fn look_for_holders(agent: &Agent, any: JavaThread) {
    let found = agent.events.sources.waiting.synchronizers.get_or_init(|| Synchronizers::find(any.jni));
    if !agent.events.sources.looks.start(&agent.jvm, any.jni, any.object) {
        say!("no thread to look for holders of locks; locks tells of none");
    } else if found.is_none() {
        say!("this JVM names no owners of java.util.concurrent's locks; locks tells of none");
    }
}

/// JVMTI MonitorContendedEnter.
fn contended(agent: &Agent, thread: JavaThread, monitor: jobject) {
    if agent.run.is_dead() || !agent.is_ready() {
        return;
    }
    let id = agent.events.threads.java_id(thread);
    let is_wanted = agent.run.switch.takes(EventKind::own("monitor"));
    let holder =
        is_wanted.then(|| agent.events.sources.looks.look(agent, thread.jni, monitor, Owned::Monitor)).flatten();
    agent.events.sources.waiting.entering.lock().insert(id, Wait { since: Instant::now(), holder });
}

/// JVMTI MonitorContendedEntered.
fn entered(agent: &Agent, thread: JavaThread, monitor: jobject) {
    if agent.run.is_dead() || !agent.is_ready() {
        return;
    }
    let id = agent.events.threads.java_id(thread);
    let Some(wait) = agent.events.sources.waiting.entering.lock().remove(&id) else { return };
    let nanos = wait.since.elapsed().as_nanos() as i64;
    // A monitor of the hooks' own, behind which a thread waits for another in the same hook.
    if StackView::of(agent, thread.jni).shows_hooks() {
        return;
    }
    waited(agent, thread, Doing::Entering, (nanos, wait.holder), monitor);
}

/// The thread has waited so long for `blocker`, which may be null, and which that thread held.
fn waited(agent: &Agent, thread: JavaThread, doing: Doing, (nanos, holder): (i64, Option<Holder>), blocker: jobject) {
    let kind = EventKind::own(if matches!(doing, Doing::Entering) { "monitor" } else { "park" });
    if !agent.run.switch.takes(kind) {
        return;
    }
    let scene = Scene { agent, thread, figures: agent.events.sources.of(Source::Locks) };
    let Some(found) = place::find(scene, doing) else { return };
    let class = (!blocker.is_null()).then(|| {
        let class = thread.jni.class_of(blocker);
        let signature = agent.jvm.jvmti.class_signature(class);
        thread.jni.release(class);
        signature
    });
    recording::log(
        scene,
        &Happening {
            walked: found.walked,
            above: found.above,
            location: Some(found.location),
            holder,
            ..Happening::here(kind, nanos, class.flatten())
        },
        &found.context,
    );
}

/// The one native of `java.lang.LucceLocks` that the JVM finds by name, in the agent's library;
/// called by its class initialiser.
///
/// # Safety
/// Called by the JVM.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_LucceLocks_registerNatives(env: *mut JNIEnv, class: jclass) {
    guarded("registerNatives", (), || {
        let natives = [
            Native::new(
                c"parkingSlow",
                c"(Ljava/lang/Thread;Ljava/lang/Object;)V",
                parking_slow as *mut std::ffi::c_void,
            ),
            Native::new(
                c"parkedSlow",
                c"(Ljava/lang/Thread;Ljava/lang/Object;J)V",
                parked_slow as *mut std::ffi::c_void,
            ),
        ];
        // SAFETY: the parameter of the running native, and not kept.
        if !unsafe { Jni::new(env) }.register_natives(class, &natives) {
            say!("the natives of locks cannot be registered in this JVM; locks knows no parks");
        }
    });
}

/// The thread is about to wait for an `AbstractOwnableSynchronizer`.
extern "system" fn parking_slow(env: *mut JNIEnv, _: jclass, thread: jobject, blocker: jobject) {
    guarded("parkingSlow", (), || {
        let Some(agent) = Agent::get().filter(|agent| !agent.run.is_dead()) else { return };
        count(&agent.run.counters.natives);
        // SAFETY: the parameter of the running native, and not kept.
        let thread = JavaThread::new(unsafe { Jni::new(env) }, thread);
        let Some(fields) = agent.jvm.fields.get() else { return };
        let id = agent.events.threads.java_id(thread);
        // Of a park whose end was not told.
        agent.events.sources.waiting.parking.lock().remove(&id);
        let Some(&Some(synchronizers)) = agent.events.sources.waiting.synchronizers.get() else { return };
        if fields.state(thread).site == SiteId::ROOT || !agent.run.switch.takes(EventKind::own("park")) {
            return;
        }
        // What is shared, or a latch, has no owner.
        let Some(owner) = synchronizers.owner(thread.jni, blocker) else { return };
        thread.jni.release(owner);
        if let Some(holder) =
            agent.events.sources.looks.look(agent, thread.jni, blocker, Owned::Synchronizer(synchronizers))
        {
            agent.events.sources.waiting.parking.lock().insert(id, holder);
        }
    });
}

extern "system" fn parked_slow(env: *mut JNIEnv, _: jclass, thread: jobject, blocker: jobject, nanos: jlong) {
    guarded("parkedSlow", (), || {
        let Some(agent) = Agent::get().filter(|agent| !agent.run.is_dead()) else { return };
        count(&agent.run.counters.natives);
        // SAFETY: the parameter of the running native, and not kept.
        let thread = JavaThread::new(unsafe { Jni::new(env) }, thread);
        let Some(fields) = agent.jvm.fields.get() else { return };
        // A thread of the JDK's own, which parks all day: nothing with hooks is on its stack.
        if fields.state(thread).site == SiteId::ROOT {
            count(&agent.events.sources.of(Source::Locks).outside);
            return;
        }
        let waiting = &agent.events.sources.waiting;
        let is_owned =
            waiting.synchronizers.get().copied().flatten().is_some_and(|known| known.is(thread.jni, blocker));
        // The JVM is not called under the lock.
        let id = is_owned.then(|| agent.events.threads.java_id(thread));
        let holder = id.and_then(|id| waiting.parking.lock().remove(&id));
        waited(agent, thread, Doing::Parking, (nanos, holder), blocker);
    });
}
