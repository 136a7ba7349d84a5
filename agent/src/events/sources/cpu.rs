//! `cpu=<interval>`: after each interval of CPU time that a thread has used, its context at that
//! very instruction, with the time since the last.
//!
//! A timer for each Java thread counts its CPU time and signals it. The handler has the JVM look at
//! the stack (`AsyncGetCallTrace`) and leaves what it has seen to the sampler's thread, which makes
//! a context of it ([`placing`]).
//! Invariant: the sum of all values is the CPU time that sampled threads have used, each nanosecond
//! once. What cannot be placed is an event, too, whose word says why. The handler allocates
//! nothing, takes no lock and does not panic; a fault in the JVM's look ends the look.
//! Source: timer_create(2), signal-safety(7), HotSpot's `forte.cpp`; docs/design/event-sources.md.

mod anchor;
mod classes;
mod guard;
mod handler;
mod placing;
mod registers;
mod samples;
mod sampling;
mod source;
mod stubs;
mod system;
mod threads;

use std::ffi::{CStr, c_void};
use std::mem::zeroed;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use jvmti_bindings::sys::jni::{JNIEnv, jclass};
use jvmti_bindings::sys::jvmti::jvmtiEnv;

use crate::jvm::jni::Jni;
use crate::jvm::thread::JavaThread;
use crate::options::Options;
use crate::state::agent::Agent;
use crate::state::run::Run;
use crate::support::boundary::guarded;
use anchor::Anchor;
use classes::Classes;
pub use placing::Unknown;
use placing::{KIND, Placing};
use samples::Samples;
use sampling::{SAMPLING, Sampling, sampling};
pub use source::Cpu;
use stubs::Stubs;
use system::Semaphore;
use threads::{ThreadTimers, Tick};

/// How long the sampler's thread waits for a sample before it looks after what has gone.
const HOUSEKEEPING: u64 = 1_000_000_000;
/// How long the end of the run waits for the sampler's thread.
const PATIENCE: Duration = Duration::from_secs(1);

/// Reserves what is needed, in Agent_OnLoad.
///
/// # Errors
/// One line that says what is missing.
pub fn set_up(interval: Duration) -> Result<(), String> {
    let signal = system::free_signal().ok_or("cpu: the process has no signal left for it")?;
    let walk = system::walk_function().ok_or("cpu: this JVM has no AsyncGetCallTrace")?;
    let space = "cpu: no address space for samples; raise the limit (ulimit -v)";
    let (threads, samples) = (ThreadTimers::reserve().ok_or(space)?, Samples::reserve().ok_or(space)?);
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

/// VMInit: the sampler's thread begins, and the timers of all threads. `main` is the running
/// thread.
fn start(agent: &Agent, main: JavaThread) {
    let Some(sampling) = sampling() else { return };
    began(main);
    sampling.anchor.get_or_init(|| Anchor::find(main.jni, main.object));
    guard::install();
    // SAFETY: a plain struct of the system's, whose fields are set below. The handler is
    // signal-safe, and the library is never unloaded.
    let code = unsafe {
        let mut action: libc::sigaction = zeroed();
        action.sa_sigaction = handler::on_tick as *const () as usize;
        // On the thread's own stack: an alternate one may be too small for the JVM's look, and Java
        // code leaves room on its own.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
        libc::sigaction(sampling.tick.signal, &action, null_mut())
    };
    if code != 0 || !agent.jvm.jvmti.run_agent_thread(main.jni, main.object, c"lucce-sampler", read) {
        say!("cpu: no thread to read samples; it is ignored");
        sampling.is_over.store(true, Ordering::Release);
        return;
    }
    resume(&agent.run);
}

/// Turns the timers on, if the source is wanted at present.
pub fn resume(run: &Run) {
    let Some(sampling) = sampling().filter(|sampling| !sampling.is_over.load(Ordering::Acquire)) else { return };
    if run.switch.takes(KIND) {
        sampling.threads.turn(true, sampling.tick);
    }
}

/// Turns them off, before the source is stopped: what was sampled until now, and what was used
/// since, is told first.
pub fn pause(agent: &Agent, jni: Jni) {
    let Some(sampling) = sampling().filter(|sampling| !sampling.is_over.load(Ordering::Acquire)) else { return };
    let rests = sampling.threads.turn(false, sampling.tick);
    let began = Instant::now();
    while sampling.samples.are_in_use() && began.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(1));
    }
    for (slot, rest) in rests {
        sampling.placing.unplaced(agent, JavaThread::new(jni, slot.thread()), (rest, agent.run.now()), Unknown::Rest);
    }
}

/// The classes that could run before anybody asked.
pub fn learn_loaded(agent: &Agent, jni: Jni) {
    if sampling().is_none() {
        return;
    }
    let loaded = agent.jvm.jvmti.loaded_classes();
    jni.reserve(i32::try_from(loaded.len()).unwrap_or(i32::MAX));
    for class in loaded {
        prepared(agent, jni, class);
        jni.release(class);
    }
}

/// A class can run from now on, or could before anybody asked.
pub fn prepared(agent: &Agent, jni: Jni, class: jclass) {
    if let Some(sampling) = sampling() {
        sampling.classes.learn(&agent.jvm, jni, class);
    }
}

/// JVMTI DynamicCodeGenerated.
///
/// # Safety
/// There is code of `length` bytes at `begin`, and it stays.
unsafe fn generated(options: &Options, name: &CStr, begin: *const c_void, length: usize) {
    // Elsewhere the return address is in a register, and stubs begin otherwise.
    let known = cfg!(target_arch = "x86_64") && !options.fault("stubs");
    if let Some(sampling) = sampling().filter(|_| known) {
        // SAFETY: the caller's promise.
        unsafe { sampling.stubs.add(name.to_bytes(), begin as usize, length) };
    }
}

/// JVMTI ThreadStart, on the thread itself.
fn began(thread: JavaThread) {
    let Some(sampling) = sampling() else { return };
    let reference = thread.jni.global(thread.object);
    if !reference.is_null() && !sampling.threads.begin(thread.jni.raw(), reference, sampling.tick) {
        thread.jni.delete_global(reference);
    }
}

/// JVMTI ThreadEnd, on the thread itself.
pub fn ended(agent: &Agent, thread: JavaThread) {
    let Some(sampling) = sampling() else { return };
    if let Some(rest) = sampling.threads.end() {
        sampling.placing.unplaced(agent, thread, (rest, agent.run.now()), Unknown::Rest);
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
        sampling.placing.unplaced(agent, JavaThread::new(jni, slot.thread()), (rest, agent.run.now()), Unknown::Rest);
    }
}

/// How often the place was not known, by reason.
fn figures(mut told: impl FnMut(&'static str, u64)) {
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
        let is_over = sampling.is_over.load(Ordering::SeqCst) || agent.run.is_dead();
        if !is_over {
            guarded("cpu", (), || {
                let Some(_stay) = agent.run.stays.enter() else { return };
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
