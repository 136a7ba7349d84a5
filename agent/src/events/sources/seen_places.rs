//! The places of stacks that were seen before, where no class is rewritten.
//!
//! There a stack alone says the context, and a program allocates on few of them. So the frames, as
//! the JVM gives them, lead to what was found the last time, and nothing is named or encoded again.
//!
//! Invariant: equal frames have one place while no class of theirs is redefined. Stacks of classes
//! that were, whose `jmethodID`s the JVM moves at some moment, are not kept; and all are dropped
//! once a redefinition begins.
//! Source: docs/design/attach.md ("Stacks seen before").

use rustc_hash::FxHashMap;

use super::Scene;
use super::place::FoundPlace;
use crate::stack::frames;
use crate::stack::methods::{Methods, Moment};
use crate::state::agent::count;
use crate::support::lock::Lock;

/// At most so many frames are kept, of 16 bytes each.
const FRAMES: usize = 1 << 18;

/// A frame: its method for the JVM, and where it stands.
type At = (usize, i64);

/// The places by stack.
#[derive(Default)]
pub struct SeenPlaces(Lock<Seen>);

#[derive(Default)]
struct Seen {
    /// Since when no redefinition has begun.
    since: Option<Moment>,
    places: FxHashMap<Box<[At]>, FoundPlace>,
    /// Of all stacks.
    frames: usize,
}

impl SeenPlaces {
    /// Where the running thread stands: as it was found on an equal stack, or else by `find`.
    pub fn of(&self, scene: Scene<'_>, find: impl FnOnce() -> Option<FoundPlace>) -> Option<FoundPlace> {
        let methods = &scene.agent.stack.methods;
        let moment = methods.moment();
        let raw = frames::raw(scene.agent.jvm.jvmti);
        let stack: Box<[At]> = raw.iter().map(|frame| (frame.method as usize, frame.location)).collect();
        let known = self.0.lock().get(methods, moment, &stack);
        if known.is_some() {
            count(&scene.figures.seen);
            return known;
        }
        let mut place = find()?;
        scene.agent.encoder.name_cuts(scene.agent, &mut place.context);
        let mut all = methods.all_remembered(raw.iter().map(|frame| frame.method)).into_iter();
        if all.all(|known| known.is_some()) && methods.is_still(moment) {
            self.0.lock().keep(moment, stack, &place);
        }
        Some(place)
    }

    /// The run is over.
    pub fn clear(&self) {
        *self.0.lock() = Seen::default();
    }
}

impl Seen {
    /// The place of a stack that was walked at that moment.
    fn get(&mut self, methods: &Methods, moment: Moment, stack: &[At]) -> Option<FoundPlace> {
        if self.since != Some(moment) {
            *self = Self { since: Some(moment), ..Self::default() };
        }
        // One that has begun since may have moved what these frames run.
        self.places.get(stack).filter(|_| methods.is_still(moment)).cloned()
    }

    fn keep(&mut self, moment: Moment, stack: Box<[At]>, place: &FoundPlace) {
        if self.since != Some(moment) {
            return;
        }
        if self.frames + stack.len() > FRAMES {
            (self.places, self.frames) = Default::default();
        }
        self.frames += stack.len();
        self.places.insert(stack, place.clone());
    }
}
