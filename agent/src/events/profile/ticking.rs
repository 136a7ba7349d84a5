//! The thread that moves the ticks of `profile=<time>` and of bursts.
//!
//! Invariant: the number moves first, and the threads that wait are told afterwards.
//! It is a static field of `LucceProfile`, so the thread is one of the JVM's.
//! Source: docs/design/profiles.md ("Inactive methods").

use std::ffi::c_void;
use std::thread::sleep;
use std::time::Instant;

use jvmti_bindings::sys::jni::JNIEnv;
use jvmti_bindings::sys::jvmti::jvmtiEnv;

use super::Profile;
use super::ticks::at;
use crate::events::sources::cpu;
use crate::jvm::global::GlobalClass;
use crate::jvm::jni::Jni;
use crate::jvm::part::Jvm;
use crate::jvm::thread::JavaThread;
use crate::state::agent::Agent;

impl Profile {
    /// Starts the thread until the end, where time says when. `thread` is the running one.
    pub fn start(&self, jvm: &Jvm, thread: JavaThread) {
        if !self.has_ticks() {
            return;
        }
        let class = thread.jni.find_class(c"java/lang/LucceProfile");
        if !class.is_null() {
            self.class.get_or_init(|| GlobalClass::of(thread.jni, class));
        }
        if class.is_null() || !jvm.jvmti.run_agent_thread(thread.jni, thread.object, c"lucce-ticks", run) {
            say!("profile: no thread to tell the time; nothing is sampled");
        }
    }
}

/// The thread.
unsafe extern "system" fn run(_: *mut jvmtiEnv, env: *mut JNIEnv, _: *mut c_void) {
    let Some(agent) = Agent::get() else { return };
    let (Some(profile), Some(fields)) = (&agent.events.profile, agent.jvm.fields.get()) else { return };
    let Some(class) = profile.class.get() else { return };
    cpu::leave_out();
    // SAFETY: the thread's own environment, used by this thread alone.
    let jni = unsafe { Jni::new(env) };
    let began = Instant::now();
    while !profile.has_ended() {
        let since = began.elapsed();
        let (tick, next) = at(profile.which, since);
        jni.set_static_int(class.raw(), c"tick", tick);
        profile.ticks.tell(fields, jni);
        sleep(next.saturating_sub(since));
    }
}
