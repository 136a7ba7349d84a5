//! From a sample to an event: which activation was interrupted, and in which context.
//!
//! The frames of the sample are the whole context: no published word is needed, so methods may be
//! inactive. Its path is encoded from the thread's base, as that of any walked stack is.
//! Invariant: a context is told only down from the thread's base, for which there is proof
//! ([`Placing::is_base`]): the JVM's look may end early, and says nothing of it. Frames above one
//! that is not known are named, and not believed; what is not known is an event, too, with the
//! reason in its word.
//! Source: HotSpot's `forte.cpp` (its codes); docs/FORMAT.md, "Words".

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use jvmti_bindings::sys::jni::{jmethodID, jobject};
use jvmti_bindings::sys::jvmti::jvmtiFrameInfo;
use lucce_log::WalkedFrame;
use lucce_words::{Lost, SiteId, Word};
use rustc_hash::{FxHashMap, FxHashSet};

use super::classes::{Classes, FoundMethod};
use super::samples::{DEPTH, FAULT, RawFrame, Sample};
use super::threads::{self, Slot};
use crate::encode::context::Context;
use crate::encode::walk;
use crate::events::recording::{self, Happening, Then, walked_frames};
use crate::events::sources::Scene;
use crate::jvm::jni::Jni;
use crate::jvm::jvmti::no_frame;
use crate::jvm::part::Jvm;
use crate::jvm::thread::JavaThread;
use crate::options::Source;
use crate::stack::frames::{Frame, StackView};
use crate::state::agent::{Agent, count};
use crate::support::kinds::EventKind;
use crate::support::lock::Lock;

/// Its events.
pub(super) const KIND: EventKind<'_> = EventKind::own("cpu");
/// Why the place of some CPU time is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Unknown {
    /// The collector was at work.
    Collector,
    /// In code of the JVM's or a native library's, and the JVM found no way to the Java code below.
    Native,
    /// In Java code, at an instruction where its frame is half built, or in a stub.
    Java,
    /// A frame was being deoptimised.
    Deoptimised,
    /// The thread was beginning or ending, or in a state that the JVM does not know.
    State,
    /// The JVM's look ended by a fault.
    Fault,
    /// More frames than are kept.
    Deep,
    /// The frames end above the thread's base.
    Truncated,
    /// A virtual thread's frames were still with its continuation.
    Continuation,
    /// Too many samples waited.
    Room,
    /// Used since the thread's last sample, when it ended, or cpu was stopped.
    Rest,
    /// The stack is known, the context could not be kept.
    Kept,
}

impl Unknown {
    /// All, with their counters.
    const NAMES: [&str; 12] = [
        "cpu.unknown.collector",
        "cpu.unknown.native",
        "cpu.unknown.java",
        "cpu.unknown.deoptimised",
        "cpu.unknown.state",
        "cpu.unknown.fault",
        "cpu.unknown.deep",
        "cpu.unknown.truncated",
        "cpu.unknown.continuation",
        "cpu.unknown.room",
        "cpu.unknown.rest",
        "cpu.unknown.kept",
    ];

    /// By what the JVM says in place of a number of frames.
    fn of(code: i32) -> Self {
        match code {
            FAULT => Self::Fault,
            -2 => Self::Collector,
            -3 | -4 => Self::Native,
            -5 | -6 => Self::Java,
            -9 => Self::Deoptimised,
            _ => Self::State,
        }
    }
}

/// What placing remembers.
#[derive(Default)]
pub struct Placing {
    /// Events without a context, by reason.
    unknown: [AtomicU64; Unknown::NAMES.len()],
    /// Their CPU time, in nanoseconds.
    unknown_ns: AtomicU64,
    /// Events whose topmost frames are not known.
    partial: AtomicU64,
    /// Outermost methods of threads, by slot and generation, that the JVM has confirmed.
    bases: Lock<FxHashMap<(usize, u32), FxHashSet<usize>>>,
    /// Threads whose stacks were asked for since so many redefinitions.
    met: Lock<FxHashMap<(usize, u32), u32>>,
    marks: OnceLock<Marks>,
}

/// Methods of the JDK that say where a stack ends.
struct Marks {
    /// `Thread.run`.
    run: usize,
    /// `Continuation.enter`, the outermost of a virtual thread; 0 in JVMs without any.
    enter: usize,
    /// `Continuation.run`, the innermost of its carrier.
    carry: usize,
}

impl Marks {
    fn find(jvm: &Jvm, jni: Jni) -> Self {
        let thread = jni.find_class(c"java/lang/Thread");
        let run = if thread.is_null() { 0 } else { jni.method(thread, c"run", c"()V") as usize };
        let class = c"jdk/internal/vm/Continuation";
        let class = if jvm.has_virtual_threads { jni.find_class(class) } else { std::ptr::null_mut() };
        let (enter, carry) = match class.is_null() {
            true => (0, 0),
            false => (
                jni.static_method(class, c"enter", c"(Ljdk/internal/vm/Continuation;Z)V") as usize,
                jni.method(class, c"run", c"()V") as usize,
            ),
        };
        jni.release(class);
        jni.release(thread);
        Self { run, enter, carry }
    }
}

/// A stack as far as it is known.
struct Stack {
    /// All frames, innermost first.
    frames: Vec<Frame>,
    /// So many of the topmost are not believed.
    above: usize,
    /// Those of the topmost that have no name.
    nameless: Vec<bool>,
}

impl Placing {
    /// Logs a sample. Local references are left behind.
    pub fn place(&self, agent: &Agent, jni: Jni, classes: &Classes, sample: &Sample) {
        // SAFETY: slots are never given back.
        let slot = unsafe { &*sample.slot };
        let thread = JavaThread::new(jni, jni.local(slot.thread()));
        if thread.object.is_null() {
            return;
        }
        let now = threads::time(libc::CLOCK_MONOTONIC);
        let time_ns = agent.run.now().saturating_sub(now.saturating_sub(sample.time));
        let unplaced = slot.unplaced.swap(0, Ordering::Relaxed);
        self.unplaced(agent, thread, (unplaced, time_ns), Unknown::Room);
        let view = StackView::of(agent, jni);
        match self.stack(view, classes, (slot, thread.object), sample, now) {
            Ok(stack) => self.log(agent, thread, (sample.value, time_ns), &stack),
            Err(unknown) => self.unplaced(agent, thread, (sample.value, time_ns), unknown),
        }
    }

    /// Logs CPU time, in nanoseconds, whose place is not known; nothing for none.
    pub fn unplaced(&self, agent: &Agent, thread: JavaThread, (value, time_ns): (u64, u64), why: Unknown) {
        if value == 0 || thread.object.is_null() || !agent.run.switch.takes(KIND) || agent.run.is_dead() {
            return;
        }
        if let Some(counter) = self.unknown.get(why as usize) {
            count(counter);
        }
        self.unknown_ns.fetch_add(value, Ordering::Relaxed);
        let lost = if why == Unknown::Rest { Lost::Rest } else { Lost::Unseen };
        let context = Context::alone(Word::lost(lost), SiteId::UNKNOWN);
        let then = Then { time_ns, stack: &[] };
        let scene = Scene { agent, thread, figures: agent.events.sources.of(Source::Cpu) };
        recording::log(scene, &happening(value, Vec::new(), then), &context);
    }

    /// Tells how often the place was not known, by reason.
    pub fn figures(&self, mut told: impl FnMut(&'static str, u64)) {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        for (name, counter) in Unknown::NAMES.into_iter().zip(&self.unknown) {
            told(name, load(counter));
        }
        told("cpu.unknown_ns", load(&self.unknown_ns));
        told("cpu.partial", load(&self.partial));
    }

    fn stack(
        &self,
        view: StackView<'_>,
        classes: &Classes,
        (slot, thread): (&Slot, jobject),
        sample: &Sample,
        now: u64,
    ) -> Result<Stack, Unknown> {
        if sample.trace.count < 0 {
            return Err(Unknown::of(sample.trace.count));
        }
        let raw = sample.frames();
        if raw.len() == DEPTH {
            return Err(Unknown::Deep);
        }
        let raw = self.own_frames(view, (slot, thread), raw)?;
        let times = (sample.time, now);
        let find = |frame: &RawFrame| classes.find(view, frame.method, times);
        let mut found: Vec<FoundMethod> = raw.iter().map(find).collect();
        if found.contains(&FoundMethod::NoId) && self.meets(view, classes, (slot, thread)) {
            found = raw.iter().map(find).collect();
        }
        walk::note_foreign(view.agent);
        let frame = |(depth, (raw, found)): (usize, (&RawFrame, &FoundMethod))| Frame {
            raw: raw.method,
            method: if let FoundMethod::Method(identity) = found { *identity } else { None },
            location: location(raw.bci),
            depth,
        };
        let frames: Vec<Frame> = raw.iter().zip(&found).enumerate().map(frame).collect();
        let is_known = |(frame, found): (&Frame, &FoundMethod)| {
            matches!(found, FoundMethod::Method(_))
                && (frame.method.is_none() || walk::frame_site(&view.agent.classes, frame).is_some())
        };
        let above = frames.iter().zip(&found).rposition(|known| !is_known(known)).map_or(0, |last| last + 1);
        let nameless = found.iter().map(|found| matches!(found, FoundMethod::NoId | FoundMethod::Gone)).collect();
        Ok(Stack { frames, above, nameless })
    }

    /// The frames that are the thread's own: those of a virtual thread without its carrier's.
    fn own_frames<'f>(
        &self,
        view: StackView<'_>,
        (slot, thread): (&Slot, jobject),
        raw: &'f [RawFrame],
    ) -> Result<&'f [RawFrame], Unknown> {
        let agent = view.agent;
        let Some(outermost) = raw.last() else { return Ok(raw) };
        let marks = self.marks.get_or_init(|| Marks::find(&agent.jvm, view.jni));
        let is = |mark: usize| move |frame: &RawFrame| mark != 0 && frame.method as usize == mark;
        if let Some(enter) = raw.iter().position(is(marks.enter)) {
            return Ok(&raw[..=enter]);
        }
        if let Some(carry) = raw.iter().position(is(marks.carry)) {
            // What it mounts is on the stack, and its outermost frames are not: they come back one
            // by one as their callees return.
            let is_jdk = |frame: &RawFrame| {
                view.named(frame.method).is_some_and(|named| named.class.starts_with("jdk/internal/vm/"))
            };
            if raw[..carry].iter().any(|frame| frame.method.is_null() || !is_jdk(frame)) {
                return Err(Unknown::Continuation);
            }
        }
        let is_base =
            marks.run == outermost.method as usize || self.is_base(&agent.jvm, slot, thread, outermost.method);
        if is_base || agent.fault("base") { Ok(raw) } else { Err(Unknown::Truncated) }
    }

    /// Is the method the outermost of the thread, as the JVM's own walk says it? It is asked once
    /// for each.
    fn is_base(&self, jvm: &Jvm, slot: &Slot, thread: jobject, method: jmethodID) -> bool {
        if method.is_null() {
            return false;
        }
        let key = (std::ptr::from_ref(slot) as usize, slot.generation.load(Ordering::Relaxed));
        if self.bases.lock().get(&key).is_some_and(|bases| bases.contains(&(method as usize))) {
            return true;
        }
        let mut bottom = [no_frame()];
        let is_base = jvm.jvmti.stack_of(thread, -1, &mut bottom) == 1 && bottom[0].method == method;
        if is_base {
            let mut bases = self.bases.lock();
            if bases.len() >= REMEMBERED {
                bases.clear();
            }
            bases.entry(key).or_default().insert(method as usize);
        }
        is_base
    }

    /// Has the JVM name the methods that run on a thread without an id, since a class was
    /// redefined. Perhaps there are some now.
    fn meets(&self, view: StackView<'_>, classes: &Classes, (slot, thread): (&Slot, jobject)) -> bool {
        let agent = view.agent;
        let key = (std::ptr::from_ref(slot) as usize, slot.generation.load(Ordering::Relaxed));
        let redefinitions = agent.stack.methods.redefinitions();
        {
            let mut met = self.met.lock();
            if met.len() >= REMEMBERED {
                met.clear();
            }
            if redefinitions == 0 || met.insert(key, redefinitions) == Some(redefinitions) {
                return false;
            }
        }
        let mut frames: Vec<jvmtiFrameInfo> = vec![no_frame(); DEPTH];
        let count = agent.jvm.jvmti.stack_of(thread, 0, &mut frames);
        frames.iter().take(count).for_each(|frame| classes.meet(view, frame.method));
        true
    }

    fn log(&self, agent: &Agent, thread: JavaThread, (value, time_ns): (u64, u64), stack: &Stack) {
        let view = StackView::of(agent, thread.jni);
        let (above, below) = stack.frames.split_at(stack.above);
        let innermost = below.iter().position(|frame| frame.method.is_some());
        let hooked: Vec<Frame> = below.iter().filter(|frame| frame.method.is_some()).copied().collect();
        let bare = innermost.map_or(below, |at| &below[..at]);
        let mut walked = Vec::new();
        for (frame, nameless) in above.iter().zip(&stack.nameless).take(WALKED) {
            match nameless {
                true => walked.push(unknown_frame()),
                false => walked.extend(walked_frames(view, std::slice::from_ref(frame))),
            }
        }
        let bare = &bare[..bare.len().min(WALKED.saturating_sub(walked.len()))];
        bare.iter().for_each(|frame| walked.extend(walked_frames(view, std::slice::from_ref(frame))));
        if !above.is_empty() {
            count(&self.partial);
        }
        match agent.encoder.of_sample(view, &stack.frames, &hooked) {
            Ok(context) => {
                let scene = Scene { agent, thread, figures: agent.events.sources.of(Source::Cpu) };
                let then = Then { time_ns, stack: &hooked };
                recording::log(scene, &happening(value, walked, then), &context);
            }
            Err(_) => self.unplaced(agent, thread, (value, time_ns), Unknown::Kept),
        }
    }
}

/// Frames without hooks that an event names, innermost first: CPU time may be far below the last
/// frame with hooks.
const WALKED: usize = 64;
/// Threads of which something is remembered.
const REMEMBERED: usize = 1 << 12;

fn happening(value: u64, walked: Vec<WalkedFrame>, then: Then<'_>) -> Happening<'_> {
    Happening { walked, then: Some(then), ..Happening::here(KIND, value as i64, None) }
}

/// A location as JVMTI has it. One that is not known is no location of any method.
fn location(bci: i32) -> i64 {
    match bci {
        -3 => -1,
        bci if bci < 0 => -2,
        bci => bci.into(),
    }
}

/// A frame of which nothing is known.
fn unknown_frame() -> WalkedFrame {
    WalkedFrame { class: "".into(), method: "[unknown here]".into(), desc: "".into(), line: None }
}
