//! `locks`: how long threads wait, for monitors and in `LockSupport.park`, each event with the class of what was waited for, and some with
//! the thread that held it when the wait began ([`holder`]).
//!
//! Invariant: an event is logged when its wait is over, at the place where the thread has waited. A `synchronized` method waits before it has
//! begun: the place is that of its call, and the method is named above it.
//! Source: JVMTI MonitorContendedEnter, MonitorContendedEntered; `java-shim/hooks` (`LucceLocks`).

pub mod holder;
pub mod looks;

use std::sync::OnceLock;
use std::time::Instant;

use jvmti_bindings::sys::jni::{JNIEnv, jclass, jlong, jobject};
use lucce_words::SiteId;
use rustc_hash::FxHashMap;

use super::Scene;
use super::place::{self, Doing};
use crate::events::recording::{self, Happening};
use crate::jvm::jni::{Jni, Native};
use crate::stack::frames;
use crate::state::agent::{Agent, count};
use crate::support::boundary::guarded;
use crate::support::kinds::Kind;
use crate::support::lock::Lock;
use holder::{Holder, Owned, Synchronizers};

/// Threads that wait, by their Java ids: a virtual thread may go on on another carrier.
#[derive(Default)]
pub struct Waiting {
    /// For a monitor.
    entering: Lock<FxHashMap<u64, Wait>>,
    /// In `LockSupport.park`: the holders that were looked for.
    parking: Lock<FxHashMap<u64, Holder>>,
    synchronizers: OnceLock<Option<Synchronizers>>,
}

/// Since when a thread waits, and who held what it waits for, if that was looked for.
struct Wait {
    since: Instant,
    holder: Option<Holder>,
}

/// Begins to look for holders; `any` is a `java.lang.Thread`.
pub fn look_for_holders(agent: &Agent, jni: Jni, any: jobject) {
    let found = agent.sources.waiting.synchronizers.get_or_init(|| Synchronizers::find(jni));
    if !agent.sources.looks.start(agent, jni, any) {
        say!("no thread to look for holders of locks; locks tells of none");
    } else if found.is_none() {
        say!("this JVM names no owners of java.util.concurrent's locks; locks tells of none");
    }
}

/// JVMTI MonitorContendedEnter.
pub fn contended(agent: &Agent, jni: Jni, thread: jobject, monitor: jobject) {
    if agent.is_dead() || !agent.is_ready() {
        return;
    }
    let id = agent.threads.java_id(jni, thread);
    let is_wanted = agent.switch.takes(Kind::own("monitor"));
    let holder = is_wanted.then(|| agent.sources.looks.look(agent, jni, monitor, Owned::Monitor)).flatten();
    agent.sources.waiting.entering.lock().insert(id, Wait { since: Instant::now(), holder });
}

/// JVMTI MonitorContendedEntered.
pub fn entered(agent: &Agent, jni: Jni, thread: jobject, monitor: jobject) {
    if agent.is_dead() || !agent.is_ready() {
        return;
    }
    let id = agent.threads.java_id(jni, thread);
    let Some(wait) = agent.sources.waiting.entering.lock().remove(&id) else { return };
    let nanos = wait.since.elapsed().as_nanos() as i64;
    if is_own(agent, jni) {
        return;
    }
    waited(agent, jni, thread, Doing::Entering, (nanos, wait.holder), monitor);
}

/// Is it a monitor of the hooks' own, behind which a thread waits for another that is in the same hook?
fn is_own(agent: &Agent, jni: Jni) -> bool {
    let top = frames::stretch(agent.jvmti, 0, 1);
    let named = top.first().and_then(|frame| agent.names.of(agent.jvmti, jni, frame.raw));
    named.is_some_and(|named| named.is_hook())
}

/// The thread has waited so long for `blocker`, which may be null, and which that thread held.
fn waited(
    agent: &Agent,
    jni: Jni,
    thread: jobject,
    doing: Doing,
    (nanos, holder): (i64, Option<Holder>),
    blocker: jobject,
) {
    let kind = Kind::own(if matches!(doing, Doing::Entering) { "monitor" } else { "park" });
    if !agent.switch.takes(kind) {
        return;
    }
    let scene = Scene { agent, jni, thread, figures: &agent.sources.locks };
    let Some(found) = place::find(scene, doing) else { return };
    let class = (!blocker.is_null()).then(|| {
        let class = jni.class_of(blocker);
        let signature = agent.jvmti.class_signature(class);
        jni.release(class);
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

/// The one native of `java.lang.LucceLocks` that the JVM finds by name, in the agent's library; called by its class initialiser.
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
        let Some(agent) = Agent::get().filter(|agent| !agent.is_dead()) else { return };
        count(&agent.counters.natives);
        // SAFETY: the parameter of the running native, and not kept.
        let jni = unsafe { Jni::new(env) };
        let Some(fields) = agent.fields.get() else { return };
        let id = agent.threads.java_id(jni, thread);
        // Of a park whose end was not told.
        agent.sources.waiting.parking.lock().remove(&id);
        let Some(&Some(synchronizers)) = agent.sources.waiting.synchronizers.get() else { return };
        if fields.state(jni, thread).site == SiteId::ROOT || !agent.switch.takes(Kind::own("park")) {
            return;
        }
        // What is shared, or a latch, has no owner.
        let Some(owner) = synchronizers.owner(jni, blocker) else { return };
        jni.release(owner);
        if let Some(holder) = agent.sources.looks.look(agent, jni, blocker, Owned::Synchronizer(synchronizers)) {
            agent.sources.waiting.parking.lock().insert(id, holder);
        }
    });
}

extern "system" fn parked_slow(env: *mut JNIEnv, _: jclass, thread: jobject, blocker: jobject, nanos: jlong) {
    guarded("parkedSlow", (), || {
        let Some(agent) = Agent::get().filter(|agent| !agent.is_dead()) else { return };
        count(&agent.counters.natives);
        // SAFETY: the parameter of the running native, and not kept.
        let jni = unsafe { Jni::new(env) };
        let Some(fields) = agent.fields.get() else { return };
        // A thread of the JDK's own, which parks all day: nothing with hooks is on its stack.
        if fields.state(jni, thread).site == SiteId::ROOT {
            count(&agent.sources.locks.outside);
            return;
        }
        let waiting = &agent.sources.waiting;
        let is_owned = waiting.synchronizers.get().copied().flatten().is_some_and(|known| known.is(jni, blocker));
        // The JVM is not called under the lock.
        let id = is_owned.then(|| agent.threads.java_id(jni, thread));
        let holder = id.and_then(|id| waiting.parking.lock().remove(&id));
        waited(agent, jni, thread, Doing::Parking, (nanos, holder), blocker);
    });
}
