//! `alloc=<bytes>`: sampled allocations.
//!
//! Invariant: an allocation in instrumented code stands at its own instruction, which has
//! published; one in other code at the call that led there; what the hooks allocate for themselves
//! is nobody's. An exception that the JVM itself creates is sampled at an instruction that
//! publishes nothing: see [`super::place`].
//! Source: JVMTI SampledObjectAlloc (JEP 331).

use jvmti_bindings::sys::jni::{JNIEnv, jclass, jlong, jobject};
use jvmti_bindings::sys::jvmti::{
    JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, jvmtiCapabilities, jvmtiEnv, jvmtiEvent, jvmtiEventCallbacks,
};

use super::Scene;
use super::place::{self, Doing};
use super::registered::{self, EventSource};
use crate::events::recording::{self, Allocated, Happening};
use crate::jvm::thread::JavaThread;
use crate::options::{Options, Source};
use crate::state::agent::Agent;
use crate::state::native_call::told;
use crate::state::switch::Mode;
use crate::support::kinds::EventKind;

const KIND: EventKind<'_> = EventKind::own("alloc");

/// The source.
pub struct Alloc;

impl EventSource for Alloc {
    fn capabilities(&self, options: &Options, wanted: &mut jvmtiCapabilities) {
        wanted.set_can_generate_sampled_object_alloc_events(options.alloc.is_some());
    }

    fn callbacks(&self, table: &mut jvmtiEventCallbacks) {
        table.SampledObjectAlloc = Some(sampled_object_alloc);
    }

    fn events(&self) -> &'static [jvmtiEvent] {
        &[JVMTI_EVENT_SAMPLED_OBJECT_ALLOC]
    }

    /// With `start=off` the JVM samples from the late start on.
    fn start(&self, agent: &'static Agent, _: JavaThread, _: &str) {
        let wanted = agent.options.alloc.is_some() && agent.run.switch.mode() == Mode::On;
        if wanted && !registered::enable(&agent.jvm, self.events()) {
            say!("this JVM does not sample allocations; alloc is ignored");
        }
    }
}

unsafe extern "system" fn sampled_object_alloc(
    _: *mut jvmtiEnv,
    env: *mut JNIEnv,
    thread: jobject,
    object: jobject,
    class: jclass,
    size: jlong,
) {
    told("SampledObjectAlloc", env, |agent, jni| {
        sampled(agent, JavaThread::new(jni, thread), Allocated { object, class }, size)
    });
}

/// JVMTI SampledObjectAlloc.
fn sampled(agent: &Agent, thread: JavaThread, allocated: Allocated, bytes: i64) {
    if agent.run.is_dead() || !agent.is_ready() || !agent.run.switch.takes(KIND) {
        return;
    }
    let scene = Scene { agent, thread, figures: agent.events.sources.of(Source::Alloc) };
    let Some(found) = place::find(scene, Doing::Allocating) else { return };
    if found.by_hooks {
        return;
    }
    let class = agent.jvm.jvmti.class_signature(allocated.class);
    recording::log(
        scene,
        &Happening {
            allocated: Some(allocated),
            walked: found.walked,
            above: found.above,
            ..Happening::here(KIND, bytes, class)
        },
        &found.context,
    );
}
