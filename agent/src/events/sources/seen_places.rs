//! The places of stacks that were seen before, where no class is rewritten.
//!
//! There a stack alone says the context, and a program allocates on few of them. So the frames, as
//! the JVM gives them, lead to what was found the last time, and nothing is named or encoded again.
//!
//! Invariant: equal frames have one place while no class of theirs is redefined. Stacks of classes
//! that were, whose `jmethodID`s the JVM moves at some moment, are not kept; and all are dropped
//! once a redefinition begins, or a turn of the captured contexts: so nobody finds a forgotten one.
//! Source: docs/design/attach.md ("Stacks seen before").

use lucce_log::WalkedFrame;
use rustc_hash::FxHashMap;

use crate::encode::context::Context;
use crate::stack::methods::{Methods, Moment};
use crate::support::lock::Lock;

/// What is known of an event's place.
#[derive(Clone)]
pub struct FoundPlace {
    /// The context of the innermost frame with hooks that has one.
    pub context: Context,
    /// The frames above it, as the log names them.
    pub walked: Vec<WalkedFrame>,
    /// How many of those above have hooks: 1 for a method that has not begun, else 0.
    pub above: usize,
    /// Where its innermost frame stands, in rewritten code.
    pub location: i64,
    /// Does it happen in the hooks, for their own purposes? `LucceApi.trace` makes what the program
    /// has asked for.
    pub by_hooks: bool,
}

/// At most so many frames are kept, of 16 bytes each.
const FRAMES: usize = 1 << 18;

/// The frames of a stack: each one's method for the JVM, and where it stands.
pub type Stack = Box<[(usize, i64)]>;

/// The places by stack.
#[derive(Default)]
pub struct SeenPlaces(Lock<Seen>);

#[derive(Default)]
struct Seen {
    /// Since when no redefinition has begun, and in which turn that is.
    since: Option<(Moment, u32)>,
    places: FxHashMap<Stack, FoundPlace>,
    /// Of all stacks.
    frames: usize,
}

impl SeenPlaces {
    /// What was found on an equal stack as this one, which was walked at that moment in that turn.
    pub fn get(&self, methods: &Methods, since: (Moment, u32), stack: &Stack) -> Option<FoundPlace> {
        let mut seen = self.0.lock();
        if seen.since != Some(since) {
            *seen = Seen { since: Some(since), ..Seen::default() };
        }
        // One that has begun since may have moved what these frames run.
        seen.places.get(stack).filter(|_| methods.is_still(since.0)).cloned()
    }

    /// Keeps what was found on a stack that was walked at that moment in that turn. None of its
    /// classes was redefined, and no redefinition has begun since.
    pub fn keep(&self, since: (Moment, u32), stack: Stack, place: &FoundPlace) {
        let mut seen = self.0.lock();
        if seen.since != Some(since) {
            return;
        }
        if seen.frames + stack.len() > FRAMES {
            (seen.places, seen.frames) = Default::default();
        }
        seen.frames += stack.len();
        seen.places.insert(stack, place.clone());
    }

    /// The run is over.
    pub fn clear(&self) {
        *self.0.lock() = Seen::default();
    }
}
