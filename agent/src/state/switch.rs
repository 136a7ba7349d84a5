//! Whether classes are rewritten and events are taken: `start=off`, the kill switch, and the
//! sources that are stopped.
//!
//! Invariants: what was loaded before the start is rewritten at the start, all at one safepoint, so
//! no activation without hooks ever stands above one with them unless its signature is known as
//! interposable; what is loaded meanwhile stays as it is and is learned as interposable, like an
//! excluded class. After the end no class is rewritten, no link or context is published, and no
//! event taken; there is no way back.
//! Source: docs/design/late-start-and-kill.md; JVMTI RetransformClasses.

mod late;
mod task;

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use rustc_hash::FxHashSet;

use crate::options::Source;
use crate::support::kinds::EventKind;
use crate::support::lock::Shared;
use late::Late;
use task::Task;
pub use task::{linking, rewriting};

/// How far the agent is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mode {
    /// `start=off`: nothing is rewritten yet.
    Waiting,
    /// What is loaded is being rewritten.
    Starting,
    /// Classes are rewritten as they are loaded.
    On,
    /// The kill switch was used.
    Ended,
}

/// What becomes of a class that would be rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadVerdict {
    /// It is.
    Rewrite,
    /// Not yet.
    Wait,
    /// Never, for it came while the others were being rewritten.
    LeaveOut,
}

/// The switch.
pub struct Switch {
    mode: AtomicU8,
    /// The sources that are stopped, a bit each.
    stopped: AtomicU32,
    late: Shared<Late>,
    /// Classes of the JDK that were changed: what the kill switch restores beside the program's
    /// own.
    changed: Shared<FxHashSet<Box<str>>>,
}

impl Switch {
    /// On from the beginning, or waiting.
    pub fn new(on: bool) -> Self {
        let mode = if on { Mode::On } else { Mode::Waiting };
        Self {
            mode: AtomicU8::new(mode as u8),
            stopped: AtomicU32::new(0),
            late: Shared::default(),
            changed: Shared::default(),
        }
    }

    /// How far the agent is.
    pub fn mode(&self) -> Mode {
        match self.mode.load(Ordering::Acquire) {
            0 => Mode::Waiting,
            1 => Mode::Starting,
            2 => Mode::On,
            _ => Mode::Ended,
        }
    }

    /// Was the kill switch used?
    pub fn is_ended(&self) -> bool {
        self.mode() == Mode::Ended
    }

    /// Is an event of this kind wanted?
    pub fn takes(&self, kind: EventKind<'_>) -> bool {
        let stopped = self.stopped.load(Ordering::Relaxed);
        self.mode() == Mode::On && (stopped == 0 || stopped & bit(Source::of(kind)) == 0)
    }

    /// Starts or stops a source, or all of them.
    pub fn set(&self, source: Option<Source>, on: bool) {
        let bits = source.map_or(u32::MAX, bit);
        if on {
            self.stopped.fetch_and(!bits, Ordering::Relaxed);
        } else {
            self.stopped.fetch_or(bits, Ordering::Relaxed);
        }
    }

    /// Is a source stopped?
    pub fn is_stopped(&self, source: Source) -> bool {
        self.stopped.load(Ordering::Relaxed) & bit(source) != 0
    }

    /// What becomes of a class that is about to be defined or redefined, and that would be
    /// rewritten?
    pub fn verdict(&self, name: &str, redefined: bool) -> LoadVerdict {
        match task::current().filter(|_| redefined) {
            Some(Task::Link) => return LoadVerdict::Wait,
            Some(Task::Rewrite) => {
                task::asked();
                return LoadVerdict::Rewrite;
            }
            None if self.mode() == Mode::On && self.late.read().left_out.is_empty() => return LoadVerdict::Rewrite,
            None => {}
        }
        // The start changes the mode under this lock, so that no class falls between.
        let mut late = self.late.write();
        match self.mode() {
            Mode::Waiting => {
                // One that is redefined was loaded before.
                if !redefined {
                    late.loading(name);
                }
                LoadVerdict::Wait
            }
            Mode::Starting => {
                late.leave_out(name);
                LoadVerdict::LeaveOut
            }
            Mode::On if late.left_out.contains(name) => LoadVerdict::LeaveOut,
            Mode::On => LoadVerdict::Rewrite,
            Mode::Ended => LoadVerdict::Wait,
        }
    }

    /// May a class of this name have begun to be loaded before the start, and not be prepared yet?
    pub fn awaits(&self, name: &str) -> bool {
        self.late.read().awaits(name)
    }

    /// A class of this name is prepared. Will it be, or is it, one of those that the start
    /// rewrites? So it is before the start, and if it is `listed` as one of them.
    pub fn prepared(&self, name: &str, listed: bool) -> bool {
        let mut late = self.late.write();
        let known = listed || self.mode() == Mode::Waiting;
        if known {
            late.prepared(name);
        }
        known
    }

    /// A class of this name is prepared without hooks. Is it not known yet whether the start has to
    /// do with it?
    pub fn doubt(&self, name: &str) -> bool {
        let mut late = self.late.write();
        let doubtful = self.mode() == Mode::Starting;
        if doubtful {
            late.doubtful.insert(name.into());
        }
        doubtful
    }

    /// Those that were doubtful while the start went on. There are no more behind it.
    pub fn take_doubtful(&self) -> FxHashSet<Box<str>> {
        std::mem::take(&mut self.late.write().doubtful)
    }

    /// The class stays as it is.
    pub fn leave_out(&self, name: &str) {
        self.late.write().leave_out(name);
    }

    /// Begins the start. `false` if it is not due.
    pub fn begin(&self) -> bool {
        let _late = self.late.write();
        let (from, to) = (Mode::Waiting as u8, Mode::Starting as u8);
        self.mode.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Runs `body`, in which this thread has classes linked and rewritten; then all is on, or waits
    /// on as before.
    pub fn start<E>(&self, body: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
        let result = body();
        let mut late = self.late.write();
        if result.is_err() {
            late.wait_on();
        }
        let to = if result.is_ok() { Mode::On } else { Mode::Waiting };
        // Unless it was ended meanwhile.
        let _ = self.mode.compare_exchange(Mode::Starting as u8, to as u8, Ordering::AcqRel, Ordering::Acquire);
        result
    }

    /// Ends everything. `false` if it had ended.
    pub fn end(&self) -> bool {
        let _late = self.late.write();
        self.mode.swap(Mode::Ended as u8, Ordering::AcqRel) != Mode::Ended as u8
    }

    /// A class of the JDK is defined otherwise than it came.
    pub fn note_changed(&self, name: &str) {
        if !self.changed.read().contains(name) {
            self.changed.write().insert(name.into());
        }
    }

    /// Was a class of the JDK of this name changed?
    pub fn was_changed(&self, name: &str) -> bool {
        self.changed.read().contains(name)
    }
}

const fn bit(source: Source) -> u32 {
    1 << source as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_while_the_others_are_rewritten_is_left_out_for_good() {
        let switch = Switch::new(false);
        assert_eq!(switch.verdict("early", false), LoadVerdict::Wait);
        assert!(switch.begin() && !switch.begin());
        assert_eq!(switch.verdict("between", false), LoadVerdict::LeaveOut);
        let rewriting: Result<(), ()> = switch.start(|| {
            assert_eq!(linking(|| switch.verdict("early", true)), LoadVerdict::Wait);
            let rewritten = rewriting(|| {
                assert_eq!(switch.verdict("first", false), LoadVerdict::LeaveOut);
                switch.verdict("early", true)
            });
            assert_eq!(rewritten, (LoadVerdict::Rewrite, 1));
            Ok(())
        });
        assert_eq!((rewriting, switch.mode()), (Ok(()), Mode::On));
        assert_eq!(
            ["early", "between", "late"].map(|name| switch.verdict(name, false)),
            [LoadVerdict::Rewrite, LoadVerdict::LeaveOut, LoadVerdict::Rewrite]
        );
        assert!(switch.awaits("early") && !switch.awaits("late"));
    }

    #[test]
    fn a_start_that_fails_changes_nothing() {
        let switch = Switch::new(false);
        assert!(switch.begin());
        switch.verdict("between", false);
        assert_eq!(switch.start(|| Err("no")), Err("no"));
        assert_eq!((switch.mode(), switch.verdict("between", false)), (Mode::Waiting, LoadVerdict::Wait));
        assert!(switch.begin());
        assert_eq!(switch.start(|| Ok::<(), ()>(())), Ok(()));
        assert_eq!(switch.verdict("between", false), LoadVerdict::Rewrite);
    }

    #[test]
    fn the_end_is_final() {
        let switch = Switch::new(true);
        let alloc = EventKind::own("alloc");
        assert!(switch.takes(alloc) && switch.end() && !switch.end());
        assert!(switch.is_ended() && !switch.takes(alloc) && !switch.begin());
        assert_eq!(switch.verdict("late", false), LoadVerdict::Wait);
    }

    #[test]
    fn sources_stop_alone_and_together() {
        let switch = Switch::new(true);
        let kinds =
            [EventKind::own("park"), EventKind::own("alloc"), EventKind::programs("park"), EventKind::programs("mine")];
        switch.set(Some(Source::Locks), false);
        assert_eq!(kinds.map(|kind| switch.takes(kind)), [false, true, true, true]);
        switch.set(None, false);
        switch.set(Some(Source::Events), true);
        assert_eq!(kinds.map(|kind| switch.takes(kind)), [false, false, true, true]);
        switch.set(None, true);
        assert!(kinds.iter().all(|kind| switch.takes(*kind)));
    }
}
