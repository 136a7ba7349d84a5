//! The thread that looks for holders of locks, and how often it does.
//!
//! Invariant: a thread that is about to wait is kept for [`PATIENCE`] at most, whatever the look
//! itself waits for. JDK 21 and later answer some of its questions only when no thread mounts a
//! virtual thread, which may in turn wait for what the asking thread holds. The thread that looks
//! holds nothing. All looks together take one part in [`SHARE`] of the time, but for one look in
//! each [`LONGEST`].

use std::ffi::c_void;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crossbeam_channel::{bounded, select};
use jvmti_bindings::sys::jni::{JNIEnv, jobject};
use jvmti_bindings::sys::jvmti::jvmtiEnv;
use lucce_words::Lost;

use super::asked::{Looks, Request};
use super::held::Holder;
use super::owner::Owned;
use crate::events::sources::cpu;
use crate::jvm::jni::Jni;
use crate::jvm::part::Jvm;
use crate::state::agent::{Agent, count};
use crate::support::boundary::guarded;

/// How long a thread waits for an answer.
const PATIENCE: Duration = Duration::from_millis(50);
/// Time between two looks at least, in nanoseconds; so many times what the last one took; and no
/// more than this.
const PACE: u64 = 10_000_000;
const SHARE: u64 = 100;
const LONGEST: u64 = 1_000_000_000;

impl Looks {
    /// Starts the thread; `any` is a `java.lang.Thread`. Could it be started?
    pub fn start(&self, jvm: &Jvm, jni: Jni, any: jobject) -> bool {
        // It is handed over, or refused while a look goes on.
        self.requests.get_or_init(|| bounded(0));
        self.over.get_or_init(|| bounded(1));
        jvm.jvmti.run_agent_thread(jni, any, c"lucce-holders", run)
    }

    /// Who holds the lock that the running thread is about to wait for; `None` if no look is due.
    pub fn look(&self, agent: &Agent, jni: Jni, lock: jobject, owned: Owned) -> Option<Holder> {
        let (requests, _) = self.requests.get()?;
        let (began, due) = (agent.run.now(), self.due.load(Ordering::Relaxed));
        let is_next =
            began >= due && self.due.compare_exchange(due, began + PACE, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        let lock = if is_next { jni.global(lock) } else { return None };
        if lock.is_null() {
            return None;
        }
        let (answer, answered) = bounded(1);
        if let Err(refused) = requests.try_send(Request { lock, owned, answer }) {
            jni.delete_global(refused.into_inner().lock);
            return None;
        }
        count(&self.looked);
        let found = answered.recv_timeout(PATIENCE).unwrap_or(Err(Lost::Unseen));
        let ended = agent.run.now();
        let nanos = ended.saturating_sub(began);
        self.nanos.fetch_add(nanos, Ordering::Relaxed);
        self.due.store(ended + (SHARE * nanos).clamp(PACE, LONGEST), Ordering::Relaxed);
        if found.is_ok() {
            count(&self.found);
        }
        Some(found.unwrap_or_else(|reason| Holder::unknown(&agent.graph, reason)))
    }
}

/// The thread that looks.
unsafe extern "system" fn run(_: *mut jvmtiEnv, env: *mut JNIEnv, _: *mut c_void) {
    let Some(agent) = Agent::get() else { return };
    let looks = &agent.events.sources.looks;
    let (Some((_, requests)), Some((_, over))) = (looks.requests.get(), looks.over.get()) else { return };
    cpu::leave_out();
    // SAFETY: the thread's own environment, used by this thread alone.
    let jni = unsafe { Jni::new(env) };
    let next = || select! { recv(requests) -> request => request.ok(), recv(over) -> _ => None };
    while let Some(Request { lock, owned, answer }) = next() {
        if agent.run.is_dead() {
            return;
        }
        guarded("holders", (), || {
            if let Some(_stay) = agent.run.stays.enter() {
                // What the look has made of local references goes with it.
                jni.within_frame(|| {
                    let found = Holder::find(agent, jni, lock, owned);
                    // The thread that has asked may have waited long enough.
                    let _ = answer.send(found);
                });
            }
            jni.delete_global(lock);
        });
    }
}
