//! Who is inside what may end before the JVM does: in a run, threads of the JVM in callbacks, other
//! agents', and the agent's own; in a consumer of events, those that give it one.
//!
//! Invariant: once it is closed nobody comes in. Who comes announces it before looking whether it
//! is closed, and who closes looks in the other order. So when it is closed and empty, what only
//! those look at may go.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The count of those that are inside. A run that ends with the JVM counts none.
pub struct Stays {
    counts: bool,
    inside: AtomicUsize,
    closed: AtomicBool,
}

/// One that is inside, until it is dropped.
pub struct Stay<'a>(Option<&'a AtomicUsize>);

impl Stays {
    /// Of a run that may end before the JVM does, or not.
    pub fn of(counts: bool) -> Self {
        Self { counts, inside: AtomicUsize::new(0), closed: AtomicBool::new(false) }
    }

    /// Comes in; `None` if it is closed.
    pub fn enter(&self) -> Option<Stay<'_>> {
        if !self.counts {
            return Some(Stay(None));
        }
        self.inside.fetch_add(1, Ordering::SeqCst);
        let stay = Stay(Some(&self.inside));
        (!self.is_closed()).then_some(stay)
    }

    /// Was it closed?
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    /// Closes it. Are all gone within that time, but for so many of the caller's own?
    pub fn close(&self, own: usize, patience: Duration) -> bool {
        self.closed.store(true, Ordering::SeqCst);
        let began = Instant::now();
        while self.inside.load(Ordering::SeqCst) > own {
            if began.elapsed() > patience {
                return false;
            }
            sleep(Duration::from_millis(1));
        }
        true
    }
}

impl Drop for Stay<'_> {
    fn drop(&mut self) {
        if let Some(inside) = self.0 {
            inside.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_comes_in_once_it_is_closed_and_who_was_inside_is_waited_for() {
        let stays = Stays::of(true);
        let stay = stays.enter().expect("it is open");
        assert!(!stays.close(0, Duration::ZERO) && stays.enter().is_none());
        assert!(stays.is_closed() && stays.close(1, Duration::ZERO));
        drop(stay);
        assert!(stays.close(0, Duration::ZERO));
        let all = Stays::of(false);
        assert!(all.close(0, Duration::ZERO) && all.enter().is_some());
    }
}
