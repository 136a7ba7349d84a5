//! The C ABI for other agents: `lucce_get_api` and the functions of its table.
//!
//! Invariant: each function runs inside the boundary, checks its arguments before it uses them, and
//! leaves a pending exception as it was. An environment is compared with the current thread's own
//! before anything is done with it.
//! Source: `embed/include/lucce.h`, the contract; `embed/src/raw.rs`, the same in Rust.

mod frames;
mod hot;
mod logging;

use std::ffi::{c_char, c_void};

use lucce_embed::raw::{self, Api, Env, OnCount, OnFrame, OnHot, Reference};
use lucce_embed::{Error, Lucce};
use lucce_log::Owner;
use lucce_words::{SiteId, Word, hashed};

use crate::encode::context::Context;
use crate::jvm::part::Jvm;
use crate::jvm::thread::{JavaThread, ThreadState};
use crate::stack::frames::StackView;
use crate::state::agent::{Agent, count};
use crate::state::run::Run;
use crate::support::boundary::guarded;
use crate::support::text::zero_terminated;
use crate::{control::report, encode::capture, encode::current_context, events::recording};

static TABLE: Api = table(log);

/// For the leak detector, which is another agent to all else: what it logs are the agent's own
/// kinds.
static OWN_TABLE: Api = table(log_own);

const fn table(log: unsafe extern "C" fn(Env, *const raw::NewEvent) -> i32) -> Api {
    Api {
        size: size_of::<Api>() as u32,
        version: raw::VERSION,
        run,
        context,
        capture: captured,
        decode,
        decode_word,
        log,
        add_consumer,
        remove_consumer,
        statistics,
        hot: hot_contexts,
    }
}

/// The functions with which the agent's own parts log.
pub fn own() -> Lucce {
    Lucce::of(&OWN_TABLE)
}

/// The table of functions; null for a version that is not known.
#[unsafe(no_mangle)]
pub extern "C" fn lucce_get_api(version: u32) -> *const Api {
    if version == raw::VERSION { &raw const TABLE } else { std::ptr::null() }
}

/// Runs `body` with the agent, inside the boundary.
fn with<T>(place: &'static str, body: impl FnOnce(&'static Agent) -> Result<T, Error>) -> Result<T, Error> {
    guarded(place, Err(Error::Internal), || body(Agent::get().ok_or(Error::NotStarted)?))
}

/// Likewise on the thread of `env`, with a reference to its Thread, which may be null.
fn with_env<T>(
    place: &'static str,
    env: Env,
    body: impl FnOnce(&'static Agent, JavaThread) -> Result<T, Error>,
) -> Result<T, Error> {
    with(place, |agent| {
        if env.is_null() {
            return Err(Error::Argument);
        }
        let jni = agent.jvm.invocation.own(env).ok_or(Error::Thread)?;
        // What it learns must not come behind what the end takes away. The others only read.
        let _stay = agent.run.stays.enter().ok_or(Error::Over)?;
        if is_over(&agent.run) {
            return Err(Error::Over);
        }
        if !agent.is_ready() {
            return Err(Error::NotStarted);
        }
        let exception = jni.take_exception();
        // The caller may be native code that returns to Java never: what the JVM gives us there
        // would never be freed.
        let has_room = jni.open_frame();
        let thread = agent.jvm.jvmti.current_thread();
        // The boundary again: the references and the exception must be put back whatever happens.
        let result = guarded(place, Err(Error::Internal), || body(agent, JavaThread::new(jni, thread)));
        if has_room {
            jni.close_frame();
        } else {
            jni.release(thread);
        }
        jni.throw_again(exception);
        result
    })
}

/// Has the JVM ended, or was the kill switch used?
fn is_over(run: &Run) -> bool {
    run.is_dead() || run.switch.is_ended()
}

/// The code of a result.
fn code(result: Result<(), Error>) -> i32 {
    result.err().map_or(0, Error::code)
}

unsafe extern "C" fn run() -> u64 {
    with("run", |agent| Ok(agent.run.id)).unwrap_or(0)
}

unsafe extern "C" fn context(env: Env, thread: Reference, word: *mut u64, site: *mut i32) -> i32 {
    code(with_env("context", env, |agent, current| {
        if word.is_null() || site.is_null() {
            return Err(Error::Argument);
        }
        let thread = if thread.is_null() { current.object } else { thread };
        let state = state(&agent.jvm, JavaThread::new(current.jni, thread))?;
        let is_current = || current.jni.same(thread, current.object);
        let (published, at) = match (agent.encoder.weights(), &state) {
            (Some(_), _) if is_current() => {
                let context = capture::given(agent, current).ok_or(Error::Outside)?;
                (context.word, context.site)
            }
            // Where another thread stands, its word says, if it was learned. Else only its stack
            // would.
            (Some(_), Some((state, _))) if state.ctx.0 == hashed::ROOT => return Err(Error::Outside),
            (Some(_), Some((state, false))) => (state.ctx, agent.encoder.site_of(state.ctx).ok_or(Error::Lost)?),
            (Some(_), _) => return Err(Error::Lost),
            (None, state) => match state.as_ref().map_or(Ok(None), |(state, _)| published(state))? {
                Some(known) => known,
                // Nothing is published below inactive methods, nor where none has hooks.
                None if (agent.classes.demand.is_on() || !agent.options.has_hooks()) && is_current() => {
                    let context = context_here(agent, current)?;
                    (agent.encoder.word(agent, &context), context.site)
                }
                None => return Err(Error::Outside),
            },
        };
        // SAFETY: not null, and the caller's promise that they are places for these.
        unsafe { (*word, *site) = (published.0, at.0 as i32) };
        Ok(())
    }))
}

/// What a thread has in its fields, and whether that is doubted; `None` where it has no such
/// fields.
fn state(jvm: &Jvm, thread: JavaThread) -> Result<Option<(ThreadState, bool)>, Error> {
    let class = jvm.thread_class().ok_or(Error::NotStarted)?;
    let thread = JavaThread::new(thread.jni, thread.jni.local(thread.object));
    if thread.object.is_null() || !thread.jni.is_instance(thread.object, class) {
        thread.release();
        return Err(Error::Argument);
    }
    let state = jvm.fields.get().map(|fields| (fields.state(thread), fields.is_doubted(thread)));
    thread.release();
    Ok(state)
}

/// What a thread has published; `None` if nothing.
fn published(state: &ThreadState) -> Result<Option<(Word, SiteId)>, Error> {
    match state.site {
        SiteId::UNKNOWN | SiteId::ROOT => Ok(None),
        _ if state.of_inactive().is_some() => Ok(None),
        _ if !state.is_known() => Err(Error::Lost),
        site => Ok(Some((state.ctx, site))),
    }
}

unsafe extern "C" fn captured(env: Env) -> u64 {
    let node = with_env("capture", env, |agent, thread| {
        count(&agent.run.counters.abi_captures);
        let context = context_here(agent, thread)?;
        recording::check(StackView::of(agent, thread.jni), &context);
        capture::keep(agent, thread, &context).ok_or_else(|| {
            agent.run.count_lost(None);
            Error::Lost
        })
    });
    node.map_or(0, |node| node.0.into())
}

/// The exact context of the current thread.
fn context_here(agent: &Agent, thread: JavaThread) -> Result<Context, Error> {
    if thread.object.is_null() || !agent.options.encoder.has_contexts() {
        return Err(Error::Outside);
    }
    let innermost = current_context::innermost(StackView::of(agent, thread.jni)).ok_or(Error::Outside)?;
    current_context::context(agent, thread, &innermost).ok_or_else(|| {
        agent.run.count_lost(None);
        Error::Lost
    })
}

unsafe extern "C" fn decode(captured: u64, on_frame: Option<OnFrame>, data: *mut c_void) -> i32 {
    code(with("decode", |agent| {
        let sites =
            i64::try_from(captured).map_or_else(|_| Vec::new(), |captured| capture::sites(&agent.graph, captured));
        if sites.is_empty() {
            return Err(Error::Unknown);
        }
        frames::each(&agent.classes, &sites, on_frame.ok_or(Error::Argument)?, data)
    }))
}

unsafe extern "C" fn decode_word(word: u64, site: i32, on_frame: Option<OnFrame>, data: *mut c_void) -> i32 {
    code(with("decode_word", |agent| {
        let (sites, whole) = capture::sites_of_word(agent, Word(word), SiteId(site as u32));
        if sites.is_empty() {
            return Err(Error::Unknown);
        }
        frames::each(&agent.classes, &sites, on_frame.ok_or(Error::Argument)?, data)?;
        if whole { Ok(()) } else { Err(Error::Partial) }
    }))
}

unsafe extern "C" fn log(env: Env, event: *const raw::NewEvent) -> i32 {
    // SAFETY: the caller's promise.
    unsafe { log_of(Owner::Program, env, event) }
}

unsafe extern "C" fn log_own(env: Env, event: *const raw::NewEvent) -> i32 {
    // SAFETY: the caller's promise.
    unsafe { log_of(Owner::Agent, env, event) }
}

/// # Safety
/// `event` is null or a struct that begins with its size.
unsafe fn log_of(owner: Owner, env: Env, event: *const raw::NewEvent) -> i32 {
    code(with_env("log", env, |agent, thread| {
        // SAFETY: this function's contract.
        unsafe { logging::log(agent, thread, owner, event) }
    }))
}

unsafe extern "C" fn add_consumer(consumer: *const raw::Consumer, id: *mut u64) -> i32 {
    code(with("add_consumer", |agent| {
        if consumer.is_null() || id.is_null() {
            return Err(Error::Argument);
        }
        // SAFETY: not null; a struct that begins with its size, by the caller's promise.
        let size = unsafe { (&raw const (*consumer).size).read() };
        if (size as usize) < size_of::<raw::Consumer>() {
            return Err(Error::Argument);
        }
        if is_over(&agent.run) {
            return Err(Error::Over);
        }
        // SAFETY: it is as large as this version's.
        let number = agent.events.consumers.add(unsafe { consumer.read() })?;
        // SAFETY: not null, and the caller's promise that it is a place for it.
        unsafe { *id = number };
        Ok(())
    }))
}

unsafe extern "C" fn remove_consumer(id: u64) -> i32 {
    code(with("remove_consumer", |agent| agent.events.consumers.remove(id)))
}

unsafe extern "C" fn statistics(on_count: Option<OnCount>, data: *mut c_void) -> i32 {
    code(with("statistics", |agent| {
        let on_count = on_count.ok_or(Error::Argument)?;
        for (name, value) in report::counters(agent) {
            let name = zero_terminated(&name);
            // SAFETY: the caller's function, with what it is declared for.
            unsafe { on_count(name.as_ptr() as *const c_char, value, data) };
        }
        Ok(())
    }))
}

unsafe extern "C" fn hot_contexts(share: f64, on_hot: Option<OnHot>, data: *mut c_void) -> i32 {
    code(with("hot", |agent| hot::each(agent, share, on_hot.ok_or(Error::Argument)?, data)))
}
