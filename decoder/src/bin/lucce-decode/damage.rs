//! The one line about what is wrong with a log.
//!
//! Invariant: present exactly when the log is not complete; it has the offset and what was lost.
//! Source: docs/FORMAT.md, "Damage".

use lucce_decoder::{Log, Loss, What};

use crate::state::State;
use crate::text;

/// Where the log is damaged or ends, and what that has cost, with so many undecodable events;
/// `None` for a complete log.
pub fn told(log: &Log, state: State, undecodable: u64) -> Option<String> {
    if log.is_complete() {
        return None;
    }
    let dropped = log.refusal().map(|refusal| {
        let number = text::plural(refusal.dropped, "event");
        if state == State::Full { format!("{number} dropped") } else { format!("the disk was full, {number} dropped") }
    });
    if state == State::Written {
        let so_far =
            format!("still being written, {} so far: what is said is of the run so far", text::size(log.bytes()));
        return Some([Some(so_far), dropped].into_iter().flatten().collect::<Vec<_>>().join("; "));
    }
    let mut parts = Vec::new();
    match log.damage() {
        [] if !log.ended() => {
            let offset = log.bytes();
            parts.push(match state {
                State::Full => format!("log without its end, offset {offset}: the disk was full"),
                State::Killed => format!("cut log, offset {offset}: no end record, the JVM was killed"),
                _ => format!("cut log, offset {offset}: no end record, the JVM was killed or still runs"),
            });
        }
        [] => parts.push("damaged log".to_owned()),
        [first, rest @ ..] => {
            parts.push(format!("damaged log, {first}"));
            // It is the last, and says what to do.
            let (another, rest) = match rest {
                [rest @ .., last] if last.what == What::Another => (Some(last.to_string()), rest),
                _ => (None, rest),
            };
            parts.extend(another);
            if !rest.is_empty() {
                parts.push(format!("{} more damaged", text::plural(rest.len() as u64, "place")));
            }
        }
    }
    let loss = log.loss();
    parts.extend(dropped);
    parts.extend(unusable(loss));
    parts.push(format!("{} undecodable", text::plural(undecodable, "event")));
    Some(parts.join("; "))
}

/// What whole blocks say in vain.
pub fn unusable(loss: &Loss) -> impl Iterator<Item = String> {
    [(loss.records, "record"), (loss.versions, "version"), (loss.malformed, "block")]
        .into_iter()
        .filter(|&(number, _)| number > 0)
        .map(|(number, noun)| format!("{} unusable", text::plural(number, noun)))
}
