//! `cpu=<interval>`: after each interval of CPU time that a thread has used, its context at that very instruction, with the time since the last.
//!
//! A timer for each Java thread counts its CPU time and signals it. The handler has the JVM look at the stack (`AsyncGetCallTrace`) and
//! leaves what it has seen to the sampler's thread, which makes a context of it ([`placing`]).
//! Invariant: the sum of all values is the CPU time that sampled threads have used, each nanosecond once. What cannot be placed is an event,
//! too, whose word says why. The handler allocates nothing, takes no lock and does not panic; a fault in the JVM's look ends the look.
//! Source: timer_create(2), signal-safety(7), HotSpot's `forte.cpp`; docs/design/event-sources.md.

mod anchor;
mod classes;
mod guard;
mod placing;
mod registers;
mod samples;
mod stubs;
mod threads;

use std::ffi::{CStr, c_void};
use std::mem::{MaybeUninit, transmute, zeroed};
use std::ptr::{null, null_mut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use jvmti_bindings::sys::jni::{JNIEnv, jclass, jobject};
use jvmti_bindings::sys::jvmti::jvmtiEnv;

use crate::jvm::jni::Jni;
use crate::state::agent::Agent;
use crate::support::boundary::guarded;
use crate::support::kinds::Kind;
use anchor::Anchor;
use classes::Classes;
use guard::Walk;
use placing::Placing;
pub use placing::Unknown;
use registers::Registers;
use samples::{DEPTH, Samples, Trace};
use stubs::Stubs;
use threads::{Slot, Threads, Tick};

const KIND: Kind<'_> = Kind::own("cpu");
/// A look that a fault has ended, in place of a number of frames. The JVM's own go from -1 to -10.
const FAULT: i32 = -100;
/// The JVM's codes for Java code whose topmost frame it cannot walk.
const NOT_WALKABLE: [i32; 2] = [-5, -6];
/// Its code for a thread in the JVM's own code whose Java frames it cannot find.
const NOT_ANCHORED: i32 = -3;
/// How long the sampler's thread waits for a sample before it looks after what has gone.
const HOUSEKEEPING: u64 = 1_000_000_000;
/// How long the end of the run waits for the sampler's thread.
const PATIENCE: Duration = Duration::from_secs(1);

/// What sampling needs.
struct Sampling {
    walk: Walk,
    tick: Tick,
    threads: Threads,
    samples: Samples,
    classes: Classes,
    placing: Placing,
    stubs: Stubs,
    anchor: OnceLock<Option<Anchor>>,
    /// Samples wait.
    full: Semaphore,
    /// Samples are being read.
    is_reading: AtomicBool,
    /// Nobody reads samples any more.
    is_over: AtomicBool,
}

static SAMPLING: OnceLock<Sampling> = OnceLock::new();

fn sampling() -> Option<&'static Sampling> {
    SAMPLING.get()
}

/// Reserves what is needed, in Agent_OnLoad.
///
/// # Errors
/// One line that says what is missing.
pub fn set_up(interval: Duration) -> Result<(), String> {
    let signal = free_signal().ok_or("cpu: the process has no signal left for it")?;
    let walk = walk_function().ok_or("cpu: this JVM has no AsyncGetCallTrace")?;
    let space = "cpu: no address space for samples; raise the limit (ulimit -v)";
    let (threads, samples) = (Threads::reserve().ok_or(space)?, Samples::reserve().ok_or(space)?);
    let sampling = Sampling {
        walk,
        tick: Tick { signal, interval },
        threads,
        samples,
        classes: Classes::default(),
        placing: Placing::default(),
        stubs: Stubs::new(),
        anchor: OnceLock::new(),
        full: Semaphore::new(),
        is_reading: AtomicBool::new(false),
        is_over: AtomicBool::new(false),
    };
    // Agent_OnLoad is called once.
    let _ = SAMPLING.set(sampling);
    Ok(())
}

/// VMInit: the sampler's thread begins, and the timers of all threads. `main` is the running thread.
pub fn start(agent: &Agent, jni: Jni, main: jobject) {
    let Some(sampling) = sampling().filter(|_| agent.options.cpu.is_some()) else { return };
    began(jni, main);
    sampling.anchor.get_or_init(|| Anchor::find(jni, main));
    guard::install();
    // SAFETY: a plain struct of the system's, whose fields are set below. The handler is signal-safe, and the library is never unloaded.
    let code = unsafe {
        let mut action: libc::sigaction = zeroed();
        action.sa_sigaction = on_tick as *const () as usize;
        // On the thread's own stack: an alternate one may be too small for the JVM's look, and Java code leaves room on its own.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
        libc::sigaction(sampling.tick.signal, &action, null_mut())
    };
    if code != 0 || !agent.jvmti.run_agent_thread(jni, main, c"lucce-sampler", read) {
        say!("cpu: no thread to read samples; it is ignored");
        sampling.is_over.store(true, Ordering::Release);
        return;
    }
    resume(agent);
}

/// Turns the timers on, if the source is wanted at present.
pub fn resume(agent: &Agent) {
    let Some(sampling) = sampling().filter(|sampling| !sampling.is_over.load(Ordering::Acquire)) else { return };
    if agent.switch.takes(KIND) {
        sampling.threads.turn(true, sampling.tick);
    }
}

/// Turns them off, before the source is stopped: what was sampled until now, and what was used since, is told first.
pub fn pause(agent: &Agent, jni: Jni) {
    let Some(sampling) = sampling().filter(|sampling| !sampling.is_over.load(Ordering::Acquire)) else { return };
    let rests = sampling.threads.turn(false, sampling.tick);
    let began = Instant::now();
    while sampling.samples.are_in_use() && began.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(1));
    }
    for (slot, rest) in rests {
        sampling.placing.unplaced(agent, jni, slot.thread(), (rest, agent.now()), Unknown::Rest);
    }
}

/// The classes that could run before anybody asked.
pub fn learn_loaded(agent: &Agent, jni: Jni) {
    if sampling().is_none() {
        return;
    }
    let loaded = agent.jvmti.loaded_classes();
    jni.reserve(i32::try_from(loaded.len()).unwrap_or(i32::MAX));
    for class in loaded {
        prepared(agent, jni, class);
        jni.release(class);
    }
}

/// A class can run from now on, or could before anybody asked.
pub fn prepared(agent: &Agent, jni: Jni, class: jclass) {
    if let Some(sampling) = sampling() {
        sampling.classes.learn(agent, jni, class);
    }
}

/// JVMTI DynamicCodeGenerated.
///
/// # Safety
/// There is code of `length` bytes at `begin`, and it stays.
pub unsafe fn generated(agent: &Agent, name: &CStr, begin: *const c_void, length: usize) {
    // Elsewhere the return address is in a register, and stubs begin otherwise.
    let known = cfg!(target_arch = "x86_64") && !agent.fault("stubs");
    if let Some(sampling) = sampling().filter(|_| known) {
        // SAFETY: the caller's promise.
        unsafe { sampling.stubs.add(name.to_bytes(), begin as usize, length) };
    }
}

/// JVMTI ThreadStart, on the thread itself.
pub fn began(jni: Jni, thread: jobject) {
    let Some(sampling) = sampling() else { return };
    let reference = jni.global(thread);
    if !reference.is_null() && !sampling.threads.begin(jni.raw(), reference, sampling.tick) {
        jni.delete_global(reference);
    }
}

/// JVMTI ThreadEnd, on the thread itself.
pub fn ended(agent: &Agent, jni: Jni, thread: jobject) {
    let Some(sampling) = sampling() else { return };
    if let Some(rest) = sampling.threads.end() {
        sampling.placing.unplaced(agent, jni, thread, (rest, agent.now()), Unknown::Rest);
    }
}

/// The running thread's time is the agent's.
pub fn leave_out() {
    if let Some(sampling) = sampling() {
        let _ = sampling.threads.end();
    }
}

/// The run ends: what was sampled is read, and what was used since is told as unplaced.
pub fn finish(agent: &Agent, jni: Jni) {
    let Some(sampling) = sampling() else { return };
    let rests = sampling.threads.turn(false, sampling.tick);
    sampling.is_over.store(true, Ordering::SeqCst);
    let began = Instant::now();
    while sampling.is_reading.load(Ordering::SeqCst) {
        if began.elapsed() > PATIENCE {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    sampling.read(agent, jni);
    for (slot, rest) in rests {
        sampling.placing.unplaced(agent, jni, slot.thread(), (rest, agent.now()), Unknown::Rest);
    }
}

/// How often the place was not known, by reason.
pub fn figures(mut told: impl FnMut(&'static str, u64)) {
    if let Some(sampling) = sampling() {
        sampling.placing.figures(&mut told);
    }
}

impl Sampling {
    /// Reads all samples that are full.
    fn read(&self, agent: &Agent, jni: Jni) {
        let ended = self.threads.ended();
        self.samples.drain(|sample| {
            // What reading it has made of local references goes with it.
            jni.within_frame(|| self.placing.place(agent, jni, &self.classes, sample));
        });
        for reference in self.threads.free(ended) {
            jni.delete_global(reference);
        }
    }
}

/// The sampler's thread.
unsafe extern "system" fn read(_: *mut jvmtiEnv, env: *mut JNIEnv, _: *mut c_void) {
    let (Some(agent), Some(sampling)) = (Agent::get(), sampling()) else { return };
    leave_out();
    // SAFETY: the thread's own environment, used by this thread alone.
    let jni = unsafe { Jni::new(env) };
    loop {
        let has_come = sampling.full.wait(HOUSEKEEPING);
        sampling.is_reading.store(true, Ordering::SeqCst);
        let is_over = sampling.is_over.load(Ordering::SeqCst) || agent.is_dead();
        if !is_over {
            guarded("cpu", (), || {
                sampling.read(agent, jni);
                if !has_come {
                    sampling.classes.forget(jni);
                }
            });
        }
        sampling.is_reading.store(false, Ordering::SeqCst);
        if is_over {
            return;
        }
    }
}

/// The handler: a thread has used an interval of CPU time.
extern "C" fn on_tick(_: libc::c_int, info: *mut libc::siginfo_t, ucontext: *mut c_void) {
    // SAFETY: the running thread's own, and the system's information.
    unsafe {
        let errno = libc::__errno_location();
        let before = *errno;
        if (*info).si_code == libc::SI_TIMER {
            tick((*info).si_value().sival_ptr as usize, ucontext);
        }
        *errno = before;
    }
}

fn tick(address: usize, ucontext: *mut c_void) {
    let Some(sampling) = sampling() else { return };
    let Some(slot) = sampling.threads.slot(address) else { return };
    let tid = threads::own_tid();
    if !sampling.threads.on.load(Ordering::Acquire) || slot.tid.load(Ordering::Acquire) != tid {
        return;
    }
    let value = slot.charge(threads::time(libc::CLOCK_THREAD_CPUTIME_ID));
    let Some(taken) = sampling.samples.take() else {
        slot.unplaced.fetch_add(value, Ordering::Relaxed);
        return;
    };
    let time = threads::time(libc::CLOCK_MONOTONIC);
    let env = slot.env.load(Ordering::Relaxed).cast();
    taken.fill(slot as *const Slot, (tid, env), (value, time), |trace, landing| {
        // SAFETY: in the handler of this signal; the trace has room for so many frames, and the environment is that of the running thread, which
        // has not ended. What a second look is told of the registers is put back.
        unsafe {
            let ucontext = registers::interrupted(ucontext);
            look(sampling.walk, trace, ucontext, landing);
            let again: Walk = match trace.count {
                NOT_ANCHORED => anchored,
                count if NOT_WALKABLE.contains(&count) => settled,
                _ => return,
            };
            let (before, first) = (Registers::of(ucontext), trace.count);
            look(again, trace, ucontext, landing);
            before.set(ucontext);
            trace.count = if trace.count > 0 { trace.count } else { first };
        }
    });
    sampling.full.post();
}

/// Walks the stack into the trace.
///
/// # Safety
/// As of [`guard::look`].
unsafe fn look(walk: Walk, trace: &mut Trace, ucontext: *mut c_void, landing: &AtomicUsize) {
    // SAFETY: the caller's promise; there is room for so many frames.
    if !unsafe { guard::look(walk, trace, DEPTH as i32, ucontext, landing) } {
        trace.count = FAULT;
    }
}

/// Walks with registers with which the frame is whole.
unsafe extern "C" fn settled(trace: *mut Trace, depth: i32, ucontext: *mut c_void) {
    let Some(sampling) = sampling() else { return };
    // SAFETY: called by `look` in a handler, with its arguments; a fault ends the look.
    unsafe {
        let at = Registers::of(ucontext);
        let called = || Some((sampling.stubs.caller(at)?, None));
        let Some((registers, saved)) = called().or_else(|| at.settled()) else { return };
        if let Some((address, word)) = saved {
            // What the prologue does next.
            (address as *mut usize).write(word);
        }
        registers.set(ucontext);
        (sampling.walk)(trace, depth, ucontext);
    }
}

/// Walks once the frames below the JVM's own code are readable.
unsafe extern "C" fn anchored(trace: *mut Trace, depth: i32, ucontext: *mut c_void) {
    let Some(sampling) = sampling() else { return };
    let Some(anchor) = sampling.anchor.get().copied().flatten() else { return };
    // SAFETY: called by `look` in a handler, with its arguments; a fault ends the look.
    unsafe {
        if anchor.settle((*trace).env) {
            (sampling.walk)(trace, depth, ucontext);
        }
    }
}

/// A real-time signal that nobody uses. Such a one is never taken away from a program or another profiler, which use others by custom.
fn free_signal() -> Option<libc::c_int> {
    // The lowest and the highest are taken first by others (the JDK takes SIGRTMAX - 2).
    (libc::SIGRTMIN() + 4..=libc::SIGRTMAX() - 4).find(|&signal| {
        let mut known = MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: only asks; all zeroes, or what the system has said.
        unsafe {
            libc::sigaction(signal, null(), known.as_mut_ptr()) == 0
                && known.assume_init().sa_sigaction == libc::SIG_DFL
        }
    })
}

/// `AsyncGetCallTrace`, from the JVM that is loaded.
fn walk_function() -> Option<Walk> {
    let function = of_jvm(c"AsyncGetCallTrace");
    // SAFETY: its type, as `forte.cpp` has it.
    (!function.is_null()).then(|| unsafe { transmute::<*mut c_void, Walk>(function) })
}

/// A symbol of the JVM that is loaded; null for none.
fn of_jvm(name: &CStr) -> *mut c_void {
    // SAFETY: names end with zero. The library is loaded, and stays so; nothing is run.
    unsafe {
        let library = libc::dlopen(c"libjvm.so".as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        let library = if library.is_null() { libc::RTLD_DEFAULT } else { library };
        libc::dlsym(library, name.as_ptr())
    }
}

/// Counts what waits.
struct Semaphore(std::cell::UnsafeCell<libc::sem_t>);

// SAFETY: semaphores are for use by several threads.
unsafe impl Send for Semaphore {}
// SAFETY: as above.
unsafe impl Sync for Semaphore {}

impl Semaphore {
    fn new() -> Self {
        // SAFETY: zeroes are a free semaphore of this process on Linux (sem_init with 0 writes the same), which may be moved before its first use.
        Self(unsafe { zeroed() })
    }

    /// In a signal handler, too.
    fn post(&self) {
        // SAFETY: ours; its address does not change any more.
        unsafe { libc::sem_post(self.0.get()) };
    }

    /// Waits until somebody has posted, and takes all posts. Had somebody, within so many nanoseconds?
    fn wait(&self, nanos: u64) -> bool {
        let now = threads::time(libc::CLOCK_REALTIME).saturating_add(nanos);
        let until = libc::timespec {
            tv_sec: (now / 1_000_000_000) as libc::time_t,
            tv_nsec: (now % 1_000_000_000) as libc::c_long,
        };
        // SAFETY: as above.
        unsafe {
            let has_come = libc::sem_timedwait(self.0.get(), &until) == 0;
            while libc::sem_trywait(self.0.get()) == 0 {}
            has_come
        }
    }
}
