//! The JVM's own stack walk, of the current thread or of another, as Lucce sees it.
//!
//! Invariant: frames come innermost first and none is left out; whoever compares filters by
//! `method`, nothing else.
//! Source: JVMTI GetStackTrace.

use std::cell::Cell;
use std::sync::Arc;

use jvmti_bindings::sys::jni::{jmethodID, jobject};
use jvmti_bindings::sys::jvmti::jvmtiFrameInfo;
use lucce_words::MethodId;
use rustc_hash::FxHashMap;

use crate::jvm::env::Env;
use crate::jvm::jni::Jni;
use crate::jvm::jvmti::{Jvmti, no_frame};
use crate::stack::methods::{Identity, Moment};
use crate::state::agent::Agent;
use crate::state::names::Named;

/// One physical frame.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The JVM's id of the method.
    pub raw: jmethodID,
    /// The rewriting that the frame runs, if its code has hooks.
    pub method: Option<MethodId>,
    /// Bytecode index in the rewritten code; -1 for native methods.
    pub location: i64,
    /// How many frames stand above it, if a walk gave it.
    pub depth: usize,
}

impl Frame {
    /// Is it the frame of a native method?
    pub fn is_native(&self) -> bool {
        self.location == -1
    }
}

/// Frames that a full walk asks for at first.
const BATCH: usize = 256;

/// Frames that a look asks for at first: the hooks' own, the callee, the caller, and one more.
const FEW: usize = 5;

/// The stacks as the current thread may ask for them, and what tells which methods their frames
/// are of.
#[derive(Clone, Copy)]
pub struct StackView<'a> {
    /// What knows the methods.
    pub agent: &'a Agent,
    /// The environment of the current thread.
    pub jni: Jni,
}

impl<'a> StackView<'a> {
    /// The stacks as the thread of this environment may ask for them.
    pub fn of(agent: &'a Agent, jni: Jni) -> Self {
        Self { agent, jni }
    }

    /// How the thread asks the JVM.
    pub fn env(self) -> Env {
        self.agent.jvm.env(self.jni)
    }

    /// The rewriting that a method's code is.
    pub fn identity(self, method: jmethodID) -> Identity {
        self.agent.stack.methods.identify(self.env(), &self.agent.classes.catalog, method)
    }

    /// A method's name, and its lines.
    pub fn named(self, method: jmethodID) -> Option<Arc<Named>> {
        self.agent.stack.names.of(self.env(), method)
    }

    /// Is the topmost frame one of the hooks' own, and does the JVM show it?
    pub fn shows_hooks(self) -> bool {
        let top = stretch(self.agent.jvm.jvmti, 0, 1);
        top.first().and_then(|frame| self.named(frame.raw)).is_some_and(|named| named.is_hook())
    }

    /// The topmost frames, down to the second one with hooks at least, but no more than `limit`.
    pub fn top(self, limit: usize) -> Vec<Frame> {
        let first = self.first(FEW.min(limit));
        let hooked = first.iter().filter(|frame| frame.method.is_some()).count();
        if first.len() < FEW || hooked > 1 { first } else { self.first(limit) }
    }

    /// The topmost `count` frames; fewer, if there are no more.
    pub fn first(self, count: usize) -> Vec<Frame> {
        self.identified(|| some(self.agent.jvm.jvmti, 0, count))
    }

    /// The topmost frames down to the first with hooks behind `skip` others; all, if there is none.
    /// They are asked for in lots that grow from one frame, and `seen` is told how many frames each
    /// has shown.
    pub fn innermost(self, skip: usize, mut seen: impl FnMut(usize)) -> Vec<Frame> {
        let mut asked = 1 + skip;
        loop {
            let mut frames = self.first(asked);
            seen(frames.len());
            let mut hooked = frames.iter().enumerate().filter(|(_, frame)| frame.method.is_some());
            if let Some((at, _)) = hooked.nth(skip) {
                frames.truncate(at + 1);
                return frames;
            }
            if frames.len() < asked {
                return frames;
            }
            asked *= LARGER;
        }
    }

    /// All frames.
    pub fn all(self) -> Vec<Frame> {
        self.identified(|| raw(self.agent.jvm.jvmti))
    }

    /// All frames of another thread at one moment. `None` if the JVM does not answer, or if it
    /// cannot be said what the frames run, for a class of one of them was redefined: the thread
    /// goes on, and a second walk would show other frames.
    pub fn of_thread(self, thread: jobject) -> Option<Vec<Frame>> {
        let methods = &self.agent.stack.methods;
        for _ in 0..ATTEMPTS {
            let before = methods.any_redefined();
            let moment = methods.moment();
            let raw = whole_of(self.agent.jvm.jvmti, thread);
            if raw.is_empty() {
                return None;
            }
            let (frames, lasting) = self.identify(&raw);
            if !before && !methods.any_redefined() || lasting && methods.is_still(moment) {
                return Some(frames);
            }
        }
        None
    }

    /// Walks, and identifies what was walked. A redefinition between the two would move a
    /// `jmethodID` from the code that a frame runs to its successor; a second walk then shows
    /// another id for that frame, so both are repeated until nothing moved. Where all methods are
    /// those of classes that were never redefined, one walk is enough.
    fn identified(self, walk: impl Fn() -> Vec<jvmtiFrameInfo>) -> Vec<Frame> {
        let moment = self.agent.stack.methods.moment();
        self.settled(moment, walk(), walk)
    }

    /// The frames of a whole walk of this very callback, which began at that moment.
    pub fn of_walk(self, moment: Moment, raw: Vec<jvmtiFrameInfo>) -> Vec<Frame> {
        self.settled(moment, raw, || self::raw(self.agent.jvm.jvmti))
    }

    fn settled(
        self,
        moment: Moment,
        mut raw: Vec<jvmtiFrameInfo>,
        walk: impl Fn() -> Vec<jvmtiFrameInfo>,
    ) -> Vec<Frame> {
        let methods = &self.agent.stack.methods;
        let before = moment.is_redefined();
        loop {
            let (frames, lasting) = self.identify(&raw);
            if !before && !methods.any_redefined() || lasting && methods.is_still(moment) {
                return frames;
            }
            let again = walk();
            let same = |(one, other): (&jvmtiFrameInfo, &jvmtiFrameInfo)| one.method == other.method;
            if raw.len() == again.len() && raw.iter().zip(&again).all(same) {
                return frames;
            }
            raw = again;
        }
    }

    /// What the frames are, and whether all of their methods were remembered.
    fn identify(self, raw: &[jvmtiFrameInfo]) -> (Vec<Frame>, bool) {
        let remembered = self.agent.stack.methods.all_remembered(raw.iter().map(|frame| frame.method));
        let lasting = remembered.iter().all(Option::is_some);
        // Once for each method: such a one may recur.
        let mut asked: FxHashMap<usize, Identity> = FxHashMap::default();
        let mut ask = |method: jmethodID| *asked.entry(method as usize).or_insert_with(|| self.identity(method));
        let frame = |(depth, (frame, known)): (usize, (&jvmtiFrameInfo, Option<Identity>))| {
            let method = known.unwrap_or_else(|| ask(frame.method));
            Frame { raw: frame.method, method, location: frame.location, depth }
        };
        let frames = raw.iter().zip(remembered).enumerate().map(frame).collect();
        (frames, lasting)
    }
}

/// How much larger each lot is than the one before.
const LARGER: usize = 4;

/// Up to `count` frames below the topmost `depth`, which are known to have no hooks.
pub fn stretch(jvmti: Jvmti, depth: usize, count: usize) -> Vec<Frame> {
    let frame = |(at, frame): (usize, jvmtiFrameInfo)| Frame {
        raw: frame.method,
        method: None,
        location: frame.location,
        depth: depth + at,
    };
    some(jvmti, depth, count).into_iter().enumerate().map(frame).collect()
}

/// Up to `asked` frames below the topmost `depth`.
fn some(jvmti: Jvmti, depth: usize, asked: usize) -> Vec<jvmtiFrameInfo> {
    let mut buffer = vec![no_frame(); asked];
    // Depths are limited by the JVM to those of an i32.
    let count = jvmti.stack_trace(depth as i32, &mut buffer);
    buffer.truncate(count);
    buffer
}

/// All frames, as the JVM gives them. As many as the thread's last walk found are asked for at
/// once: a walk begins at the top again for each lot.
pub fn raw(jvmti: Jvmti) -> Vec<jvmtiFrameInfo> {
    let mut frames = Vec::new();
    while lot(jvmti, &mut frames, LAST.get()) {}
    LAST.set(BATCH.max(frames.len() + BATCH / 4));
    frames
}

thread_local! {
    /// Somewhat more than the frames of the last whole walk.
    static LAST: Cell<usize> = const { Cell::new(BATCH) };
}

/// Asks for the frames below those in `buffer`: `first` at first, then twice as many as there are.
/// Are there perhaps more?
fn lot(jvmti: Jvmti, buffer: &mut Vec<jvmtiFrameInfo>, first: usize) -> bool {
    let start = buffer.len();
    let asked = first.max(start * 2);
    buffer.resize(start + asked, no_frame());
    // Depths are limited by the JVM to those of an i32.
    let count = jvmti.stack_trace(start as i32, &mut buffer[start..]);
    buffer.truncate(start + count);
    count == asked
}

/// How often another thread's stack is asked for. What the first time has told is remembered the
/// second time.
const ATTEMPTS: usize = 3;

/// All frames of another thread in one answer, for it goes on between two.
fn whole_of(jvmti: Jvmti, thread: jobject) -> Vec<jvmtiFrameInfo> {
    let mut frames = vec![no_frame(); BATCH];
    loop {
        let count = jvmti.stack_of(thread, 0, &mut frames);
        if count < frames.len() {
            frames.truncate(count);
            return frames;
        }
        frames.resize(count * 2, no_frame());
    }
}

/// The raw frames of the current thread, innermost first. The thread must stay in the native or
/// callback that began the walk, so that its stack does not change between two lots.
pub struct Walk {
    jvmti: Jvmti,
    frames: Vec<jvmtiFrameInfo>,
    next: usize,
    more: bool,
}

impl Walk {
    /// Asks for `first` frames, and for more in growing lots as they are needed. `None` if the JVM
    /// does not answer: a thread that runs our code has a frame at least.
    pub fn from_top(jvmti: Jvmti, first: usize) -> Option<Self> {
        let mut frames = Vec::new();
        let more = lot(jvmti, &mut frames, first);
        (!frames.is_empty()).then_some(Self { jvmti, frames, next: 0, more })
    }

    /// Asks for all at once. `None` as above.
    pub fn whole(jvmti: Jvmti) -> Option<Self> {
        let frames = raw(jvmti);
        (!frames.is_empty()).then_some(Self { jvmti, frames, next: 0, more: false })
    }
}

impl Iterator for Walk {
    type Item = jvmtiFrameInfo;

    fn next(&mut self) -> Option<jvmtiFrameInfo> {
        if self.next == self.frames.len() && self.more {
            self.more = lot(self.jvmti, &mut self.frames, BATCH);
        }
        let frame = self.frames.get(self.next).copied();
        self.next += 1;
        frame
    }
}
