//! The end of a run: when the JVM says so, or when the process ends by the C library's `exit`
//! without the JVM (native code calls it, or the launcher does where the JVM could not be taken
//! down).
//!
//! Invariant: the log is closed once, by the process that began it. Nothing here calls the JVM,
//! which may be past answering.
//! Source: JVMTI VMDeath; exit(3), atexit(3).

use std::process;
use std::sync::Once;

pub use crate::control::ending::end;
use crate::state::agent::Agent;
use crate::support::boundary::guarded;

static AT_EXIT: Once = Once::new();

/// Has the log closed also where the JVM does not say that it ends.
pub fn at_exit_too() {
    // SAFETY: a function of this library, which the JVM never unloads. Where there is no memory for
    // it, such an end leaves a cut log.
    AT_EXIT.call_once(|| _ = unsafe { libc::atexit(exiting) });
}

extern "C" fn exiting() {
    guarded("exit", (), || {
        // A child of the process that native code has forked has neither the log's writer nor a
        // right to the log.
        if let Some(agent) = Agent::get().filter(|agent| agent.run.pid == process::id()) {
            end(agent);
        }
    });
}
