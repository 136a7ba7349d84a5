//! `alloc=<bytes>`: sampled allocations.
//!
//! Invariant: an allocation in instrumented code stands at its own instruction, which has published; one in other code at the call that led
//! there; what the hooks allocate for themselves is nobody's. An exception that the JVM itself creates is sampled at an instruction that
//! publishes nothing: see [`super::place`].
//! Source: JVMTI SampledObjectAlloc (JEP 331).

use jvmti_bindings::sys::jni::jobject;

use super::Scene;
use super::place::{self, Doing};
use crate::events::recording::{self, Allocated, Happening};
use crate::jvm::jni::Jni;
use crate::state::agent::Agent;
use crate::support::kinds::Kind;

const KIND: Kind<'_> = Kind::own("alloc");

/// JVMTI SampledObjectAlloc.
pub fn sampled(agent: &Agent, jni: Jni, thread: jobject, allocated: Allocated, bytes: i64) {
    if agent.is_dead() || !agent.is_ready() || !agent.switch.takes(KIND) {
        return;
    }
    let scene = Scene { agent, jni, thread, figures: &agent.sources.alloc };
    let Some(found) = place::find(scene, Doing::Allocating) else { return };
    if found.by_hooks {
        return;
    }
    let class = agent.jvmti.class_signature(allocated.class);
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
