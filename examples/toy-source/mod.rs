//! `waits`: each call of `Object.wait`, with its time-out in milliseconds, and with the exact
//! context of the call.
//!
//! Copy this folder to `agent/src/events/sources/waits`, and name it in
//! `agent/src/events/sources.rs` (`mod waits;`). Its line in `agent/src/registry.rs` is `Waits
//! "waits" ["wait"] by crate::events::sources::waits::Waits;`, which makes the option `waits `,
//! too.
//! Invariant: one event for each wait that begins in code with hooks, or below it. Source: JVMTI
//! MonitorWait; CONTRIBUTING ("Add an event source").

use jvmti_bindings::sys::jni::{JNIEnv, jlong, jobject};
use jvmti_bindings::sys::jvmti::{
    JVMTI_EVENT_MONITOR_WAIT, jvmtiCapabilities, jvmtiEnv, jvmtiEvent, jvmtiEventCallbacks,
};

use super::Scene;
use super::place::{self, Doing};
use super::registered::EventSource;
use crate::events::recording::{self, Happening};
use crate::jvm::thread::JavaThread;
use crate::options::{Options, Source};
use crate::state::native_call::told;
use crate::support::kinds::EventKind;

const KIND: EventKind<'_> = EventKind::own("wait");

/// The source.
pub struct Waits;

impl EventSource for Waits {
    fn capabilities(&self, _: &Options, wanted: &mut jvmtiCapabilities) {
        wanted.set_can_generate_monitor_events(true);
    }

    fn callbacks(&self, table: &mut jvmtiEventCallbacks) {
        table.MonitorWait = Some(monitor_wait);
    }

    fn events(&self) -> &'static [jvmtiEvent] {
        &[JVMTI_EVENT_MONITOR_WAIT]
    }
}

unsafe extern "system" fn monitor_wait(
    _: *mut jvmtiEnv,
    env: *mut JNIEnv,
    thread: jobject,
    monitor: jobject,
    timeout: jlong,
) {
    told("MonitorWait", env, |agent, jni| {
        if agent.run.is_dead() || !agent.is_ready() || !agent.run.switch.takes(KIND) {
            return;
        }
        let scene = Scene { agent, thread: JavaThread::new(jni, thread), figures: agent.events.sources.of(Source::Waits) };
        let Some(found) = place::find(scene, Doing::Parking) else { return };
        let class = jni.class_of(monitor);
        let signature = agent.jvm.jvmti.class_signature(class);
        jni.release(class);
        recording::log(
            scene,
            &Happening { walked: found.walked, above: found.above, ..Happening::here(KIND, timeout, signature) },
            &found.context,
        );
    });
}
