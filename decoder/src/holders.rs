//! Who held the lock that a thread has waited for: an event of the agent's kind `holder` stands
//! directly before that of the wait.
//!
//! Invariant: a holder belongs to the event with the next number, and only if time and class are
//! the same. Where one of the two is lost, none is told.
//! Source: docs/FORMAT.md, "Holders".

use crate::LoggedEvent;

/// Finds the holders while the events of a log go by, all of them in their order.
#[derive(Clone, Debug, Default)]
pub struct Holders {
    last: Option<LoggedEvent>,
}

impl Holders {
    /// The holder of what the next event has waited for. `is_holder`: is the event one itself?
    pub fn of(&mut self, event: &LoggedEvent, is_holder: bool) -> Option<LoggedEvent> {
        if is_holder {
            self.last = Some(event.clone());
            return None;
        }
        let belongs = |holder: &LoggedEvent| {
            (holder.seq + 1, holder.time_ns, holder.class) == (event.seq, event.time_ns, event.class)
        };
        self.last.take().filter(belongs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Place;

    fn event(seq: u64, time_ns: u64, class: Option<u32>) -> LoggedEvent {
        LoggedEvent { seq, time_ns, thread: 1, kind: 1, value: 1, count: 1, place: Place::default(), class }
    }

    #[test]
    fn a_holder_belongs_to_the_next_event_alone() {
        let of = |next: &[LoggedEvent]| {
            let mut holders = Holders::default();
            assert_eq!(holders.of(&event(7, 10, Some(3)), true), None);
            next.iter().map(|event| holders.of(event, false).is_some()).collect::<Vec<_>>()
        };
        assert_eq!(of(&[event(8, 10, Some(3)), event(9, 10, Some(3))]), [true, false]);
        // One between them was lost, or they are of different waits.
        for other in [event(9, 10, Some(3)), event(8, 11, Some(3)), event(8, 10, None)] {
            assert_eq!(of(&[other]), [false]);
        }
    }
}
