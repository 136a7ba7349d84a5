//! The turn of an entry to be sampled: its context is found and queued, and the next turn is drawn.
//!
//! Invariant: an entry whose turn it is is queued, or counted as dropped or lost. Source: docs/design/profiles.md.

use std::sync::atomic::Ordering;

use jvmti_bindings::sys::jni::jobject;
use lucce_words::MethodId;
use lucce_words::random::Random;

use super::Profile;
use crate::encode::entered;
use crate::jvm::jni::Jni;
use crate::options::Source;
use crate::state::agent::Agent;
use crate::support::counters::count;

/// What `LucceHooks` gives as the place of the countdown at a thread's first entry.
const FIRST: i32 = 1;

impl Profile {
    /// A method was entered, for which the hooks gave that, and it is the entry's turn: in how many the next one is.
    pub fn sample(&self, agent: &Agent, jni: Jni, thread: jobject, (method, given): (MethodId, u64), at: i32) -> i32 {
        let period = u64::from(self.period());
        // From the kill switch on, entries have no context.
        if self.ended.load(Ordering::Acquire) || agent.switch.is_ended() {
            return i32::MAX;
        }
        if agent.switch.is_stopped(Source::Profile) {
            return period as i32;
        }
        let mut random = Random::new(self.seed.fetch_add(1, Ordering::Relaxed));
        if period != 1 && at == FIRST {
            // Else the first entry of each thread would be sampled, or none.
            return 1 + random.below(period) as i32;
        }
        self.entries.fetch_add(period, Ordering::Relaxed);
        match entered::node(agent, jni, thread, method, given) {
            Some(node) => self.queue(node),
            None => count(&self.lost),
        }
        let eighth = period / 8;
        (period - eighth + random.below(2 * eighth + 1)) as i32
    }
}
