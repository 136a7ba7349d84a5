//! `verify=<time>`: at most one check of an entry or a count, and one of an event, in that time,
//! whatever thread it strikes.
//!
//! Invariant: a thread takes a check by moving the tick of its sort to the present one, and only
//! one thread can. Hooks compare the present tick with their own note before they ask the agent,
//! which may still say no.
//! Source: docs/guide/verification.md; DACCE, section 6.1 (contexts are compared as they are
//! sampled).

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::thread;
use std::time::Duration;

use crate::options::Verify;

/// The present tick, and those in which a check was taken. The first tick is 1, so that a run which
/// is shorter has a check of each sort.
pub struct VerifyTicks {
    present: AtomicI32,
    entry: AtomicI32,
    event: AtomicI32,
}

impl Default for VerifyTicks {
    fn default() -> Self {
        Self { present: AtomicI32::new(1), entry: AtomicI32::new(0), event: AtomicI32::new(0) }
    }
}

impl VerifyTicks {
    /// The address of the present tick, for the hooks. The agent is never freed.
    pub fn address(&self) -> i64 {
        self.present.as_ptr() as i64
    }

    /// Is this entry, or count, to be compared? With `verify=<n>` the hooks have decided.
    pub fn takes_entry(&self, verify: Verify) -> bool {
        self.takes(verify, &self.entry)
    }

    /// Is this event to be compared?
    pub fn takes_event(&self, verify: Verify) -> bool {
        self.takes(verify, &self.event)
    }

    fn takes(&self, verify: Verify, taken: &AtomicI32) -> bool {
        match verify {
            Verify::Off => false,
            Verify::Every(_) => true,
            Verify::Each(_) => {
                let present = self.present.load(Ordering::Relaxed);
                taken.swap(present, Ordering::Relaxed) != present
            }
        }
    }

    /// Starts the thread that ticks. Without it there is one check of each sort, and the report
    /// says so. It ends when the run is `over`.
    pub fn start(&'static self, over: &'static AtomicBool, time: Duration) {
        let tick = move || {
            while !over.load(Ordering::Acquire) {
                thread::sleep(time);
                self.present.fetch_add(1, Ordering::Relaxed);
            }
        };
        let _ = thread::Builder::new().name("lucce-verify".into()).spawn(tick);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tick_has_one_check_of_each_sort() {
        let (ticks, verify) = (VerifyTicks::default(), Verify::Each(Duration::from_millis(10)));
        for _ in 0..3 {
            assert_eq!([0; 3].map(|_| ticks.takes_entry(verify)), [true, false, false]);
            assert_eq!([0; 3].map(|_| ticks.takes_event(verify)), [true, false, false]);
            ticks.present.fetch_add(1, Ordering::Relaxed);
        }
        assert!(ticks.takes_entry(Verify::Every(7)) && ticks.takes_entry(Verify::Every(7)));
        assert!(!ticks.takes_event(Verify::Off));
    }
}
