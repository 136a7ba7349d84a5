//! ClassFileLoadHook and ClassPrepare: which class gets what.
//!
//! Invariant: whatever happens here, the JVM gets either the class as it came or a rewritten one
//! whose ids are filed; what was left alone is named in the log with the reason, and its signatures
//! are learned as interposable before it can run.
//! Source: JVMTI ClassFileLoadHook; docs/design/mechanisms.md ("Guard", "Interposable",
//! "Demotion").

mod filing;
mod given;
mod left;
mod noted;
mod policy;
mod prepared;
mod rewritten;
mod wanted;

use jvmti_bindings::sys::jni::{jclass, jobject};
use lucce_classfile::Inserted;
use lucce_words::signature;

use crate::jvm::part::Jvm;
use crate::state::hidden_loaders::UNGUARDED;
pub use given::{came, give};
pub use left::is_called_below;
use left::{
    CONTINUES, INSTRUMENTATION, RUN_CONTINUATION, TRANSFORM, TRANSFORMER_ADDED, VIRTUAL_START, guard, guard_own,
    inserted, leave,
};
use noted::learn;
pub use noted::{LATE, give_up, mark_foreign, skip};
pub use prepared::{is_own, leave_loaded, prepared};
use rewritten::rewrite;
pub use rewritten::{recycle, rewrite_options};
use wanted::is_wanted;
pub use wanted::{is_appended, is_excluded};

use crate::jvm::jni::Jni;
use crate::rewrite::jdk::{self, LOCK_SUPPORT};
use crate::rewrite::tasks;
use crate::state::agent::Agent;
use crate::state::switch::LoadVerdict;

const THREAD: &str = "java/lang/Thread";
const VIRTUAL_THREAD: &str = "java/lang/VirtualThread";
const CONTINUATION: &str = "jdk/internal/vm/Continuation";
/// Why a class is left out that is in no module of the JDK, and of its loader.
pub const APPENDED: &str = "added to the boot loader's: it has hooks with jdk=on alone, as the JDK's classes";

/// A class is about to be defined (or redefined): the bytes to define in its place, if others.
pub fn load(
    agent: &Agent,
    jni: Option<Jni>,
    redefined: jclass,
    loader: jobject,
    name: &str,
    bytes: &[u8],
) -> Option<Vec<u8>> {
    assert!(!(agent.fault("panic") && name == "hazards/Waiting"), "fault=panic: {name}");
    let redefined = is_redefined(&agent.jvm, redefined, name);
    if redefined && loader.is_null() && name == LOCK_SUPPORT && agent.options.locks && !agent.run.switch.is_ended() {
        // By us, or by another agent. It has no hooks either way.
        agent.run.switch.note_changed(name);
        return jdk::timed(bytes);
    }
    if redefined {
        if !agent.stack.methods.is_own() {
            agent.stack.methods.redefining(format!("L{name};"));
        }
        agent.stack.names.redefining(name);
    }
    if loader.is_null() && name == THREAD {
        return thread(agent, redefined, bytes);
    }
    if agent.run.switch.is_ended() {
        // A redefinition may not take fields away, ours or another agent's.
        return if loader.is_null() && agent.options.follows_tasks { tasks::with_field(name, bytes) } else { None };
    }
    if loader.is_null() && name == VIRTUAL_THREAD {
        learn(agent, bytes, true);
        agent.run.switch.note_changed(name);
        let started = inserted(&agent.run, name, bytes, &[], &[VIRTUAL_START]);
        if !agent.options.jdk {
            return started;
        }
        return guard(agent, name, started.as_deref().unwrap_or(bytes), &[RUN_CONTINUATION]).or(started);
    }
    if loader.is_null() && name == CONTINUATION {
        learn(agent, bytes, true);
        agent.run.switch.note_changed(name);
        return inserted(&agent.run, name, bytes, &[], &[CONTINUES]);
    }
    if loader.is_null() && name == INSTRUMENTATION {
        match lucce_classfile::insert(bytes, &[], &[TRANSFORMER_ADDED]) {
            Ok(Some(watched)) => {
                agent.run.switch.note_changed(name);
                let bytes = with_hooks(agent, redefined, name, watched);
                let leaves = !jdk::is_wanted(agent, name) && !agent.fault("guard");
                let guarded = if leaves { guard(agent, name, &bytes, &[TRANSFORM]) } else { None };
                return Some(guarded.unwrap_or(bytes));
            }
            Ok(None) => skip(&agent.run, name, "not as it is known: what other agents change may be missed"),
            Err(reason) => skip(&agent.run, name, &format!("what other agents change may be missed: {reason}")),
        }
    }
    if loader.is_null() && agent.options.follows_tasks {
        match tasks::follow(name, bytes) {
            Ok(None) => {}
            Ok(Some(followed)) => {
                agent.run.switch.note_changed(name);
                return Some(with_hooks(agent, redefined, name, followed));
            }
            Err(reason) => skip(&agent.run, name, &format!("its tasks are not followed: {reason}")),
        }
    }
    let jdk = jni.is_none_or(|jni| agent.classes.origin.is_jdk(agent.jvm.env(jni), loader, name));
    if jdk && !loader.is_null() && !agent.classes.origin.is_ready() && !agent.options.jdk && !name.starts_with("java/")
    {
        skip(&agent.run, name, "loaded before the agent was ready");
    }
    if !redefined && loader.is_null() && jni.is_some_and(|jni| is_appended(agent, jni, name)) {
        skip(&agent.run, name, APPENDED);
    }
    if !jdk
        && !agent.fault("hidden_loader")
        && jni.is_some_and(|jni| agent.classes.hidden_loaders.has(agent.jvm.env(jni), loader))
    {
        skip(&agent.run, name, UNGUARDED);
        return guard_own(agent, name, bytes, learn(agent, bytes, false));
    }
    let wanted = if jdk { jdk::is_wanted(agent, name) } else { is_wanted(&agent.options, name) };
    if !wanted {
        let left = leave(agent, name, loader.is_null(), jdk, bytes);
        if jdk && left.is_some() {
            agent.run.switch.note_changed(name);
        }
        return left;
    }
    if redefined {
        agent.classes.leaf_constructors.redefining(name.as_bytes());
    }
    match agent.run.switch.verdict(name, redefined) {
        LoadVerdict::Rewrite => {}
        LoadVerdict::Wait => return None,
        LoadVerdict::LeaveOut => {
            skip(&agent.run, name, LATE);
            return guard_own(agent, name, bytes, learn(agent, bytes, false));
        }
    }
    if loader.is_null()
        && !redefined
        && let Ok(summary) = lucce_classfile::summary(bytes)
    {
        agent.classes.interposable.learn_boot(&summary);
    }
    let loader = jni.and_then(|jni| agent.classes.origin.loader(agent.jvm.env(jni), loader));
    let rewritten = rewrite(agent, loader, redefined, name, bytes, None);
    if jdk && rewritten.is_some() {
        agent.run.switch.note_changed(name);
    }
    rewritten
}

/// `java.lang.Thread` gets its state whenever it is loaded, and hooks where other classes of the
/// JDK do.
fn thread(agent: &Agent, redefined: bool, bytes: &[u8]) -> Option<Vec<u8>> {
    let with_state = lucce_classfile::add_thread_state(bytes);
    let with_state = with_state.map_err(|reason| skip(&agent.run, THREAD, &reason.to_string())).ok()?;
    Some(with_hooks(agent, redefined, THREAD, with_state))
}

/// A class of `java.base` into which something was inserted gets hooks on top of it where other
/// classes of the JDK do.
fn with_hooks(agent: &Agent, redefined: bool, name: &str, inserted: Inserted) -> Vec<u8> {
    if agent.run.switch.is_ended() || !jdk::is_wanted(agent, name) {
        learn(agent, &inserted.bytes, true);
        return inserted.bytes;
    }
    agent.run.switch.note_changed(name);
    // The loader of the JDK's core is never unloaded.
    rewrite(agent, None, redefined, name, &inserted.bytes, Some(&inserted)).unwrap_or(inserted.bytes)
}

/// Is the class with this name being redefined? HotSpot tells of a class being redefined, too, when
/// another is loaded meanwhile by the same thread (the JDK's own `Module$ReflectionData`, when a
/// class of `java.base` is).
fn is_redefined(jvm: &Jvm, redefined: jclass, name: &str) -> bool {
    !redefined.is_null()
        && jvm.jvmti.class_signature(redefined).is_none_or(|signature| signature::class(&signature) == Some(name))
}
