//! The ticks of `profile=<time>` and of bursts: a number that the hooks compare, and the threads
//! that wait for the next one.
//!
//! Invariant: the tick follows from the time since the start alone. With a time each differs from
//! the one before, and none is 0, which is what a thread has that has entered nothing. Of bursts it
//! is odd while one lasts, and even between them. A thread that waits is told of the next tick.
//! Source: docs/design/profiles.md; HCCT, section 5 (static bursting).

use std::time::Duration;

use jvmti_bindings::sys::jni::jobject;

use crate::jvm::jni::Jni;
use crate::jvm::thread::{JavaThread, ThreadFields};
use crate::options::ProfileOption;
use crate::support::lock::Lock;

/// Threads that were sampled since the last tick. Their inactive methods look at nothing meanwhile.
#[derive(Default)]
pub(super) struct ProfileTicks(Lock<Vec<Sampled>>);

/// A global reference to a `java.lang.Thread`.
struct Sampled(jobject);

// SAFETY: global references are valid on all threads.
unsafe impl Send for Sampled {}

impl ProfileTicks {
    /// The thread waits for the next tick. False without memory.
    pub(super) fn wait(&self, thread: JavaThread) -> bool {
        let reference = thread.jni.global(thread.object);
        if reference.is_null() {
            return false;
        }
        self.0.lock().push(Sampled(reference));
        true
    }

    /// There was a tick. Threads that wait from now on have seen it.
    pub(super) fn tell(&self, fields: &ThreadFields, jni: Jni) {
        let sampled = std::mem::take(&mut *self.0.lock());
        for Sampled(reference) in sampled {
            fields.expect_sample(JavaThread::new(jni, reference));
            jni.delete_global(reference);
        }
    }
}

/// The tick at that time, and when the next one is.
pub(super) fn at(which: ProfileOption, since: Duration) -> (i32, Duration) {
    let (length, interval) = match which {
        ProfileOption::Time(time) => (time, time),
        ProfileOption::Bursts { length, interval } => (length, interval),
        ProfileOption::All | ProfileOption::Each(_) => return (0, Duration::MAX),
    };
    let past = since.as_nanos() / interval.as_nanos().max(1);
    // A run of centuries would not fit.
    let begin = Duration::from_nanos((past * interval.as_nanos()) as u64);
    let is_burst = since.saturating_sub(begin) < length;
    let next = begin.saturating_add(if is_burst { length } else { interval });
    // They wrap around.
    let tick = match (which, (past as i32).wrapping_add(1)) {
        (ProfileOption::Time(_), 0) => 1,
        (ProfileOption::Time(_), tick) => tick,
        (_, tick) => tick.wrapping_mul(2).wrapping_sub(i32::from(is_burst)),
    };
    (tick, next)
}

#[cfg(test)]
mod tests {
    use lucce_profiles::schedule::{Bursts, Schedule};

    use super::*;

    const fn ms(time: u64) -> Duration {
        Duration::from_millis(time)
    }

    #[test]
    fn a_tick_is_odd_while_the_schedule_of_static_bursting_takes_entries() {
        let (length, interval) = (ms(2), ms(20));
        let which = ProfileOption::Bursts { length, interval };
        let mut schedule = Bursts::of_time(length.as_nanos() as u64, interval.as_nanos() as u64);
        let mut since = Duration::ZERO;
        for step in 0..2000_u64 {
            let (tick, next) = at(which, since);
            let takes = Schedule::<()>::takes(&mut schedule, &(), since.as_nanos() as u64);
            assert_eq!(tick & 1 == 1, takes, "{since:?}");
            assert!(next > since && at(which, next).0 == tick + 1, "{since:?}");
            assert_eq!(at(which, next - Duration::from_nanos(1)).0, tick, "{since:?}");
            since += Duration::from_micros(137 * (step % 11) + 1);
        }
    }

    #[test]
    fn each_tick_of_a_time_differs_from_the_one_before_and_none_is_0() {
        let which = ProfileOption::Time(ms(10));
        assert_eq!(
            [0, 9, 10, 25].map(|since| at(which, ms(since))),
            [(1, ms(10)), (1, ms(10)), (2, ms(20)), (3, ms(30))]
        );
        let last = ms(10) * (u32::MAX - 1);
        let around = [last, last + ms(10), last + ms(20)].map(|since| at(which, since).0);
        assert_eq!(around, [-1, 1, 1]);
    }
}
