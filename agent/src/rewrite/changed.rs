//! What other agents make of a class behind Lucce: its final code is looked at, and where that
//! calls what was not there before, guarded.
//!
//! HotSpot asks environments for a class's new code in the order in which they were made, so an
//! agent behind Lucce changes what Lucce has decided about. So Lucce has another environment behind
//! all others ([`last`]), which sees the class as the JVM will take it. HotSpot goes through the
//! list of environments as it is, so one that is made in Lucce's own hook is asked in the same turn
//! (JDK 11 to 25).
//! Invariant: a method whose calls are not those that Lucce has seen, or that the JDK's own have,
//! is surrounded by a Guard, which stands around whatever was inserted. What an agent adds that
//! begins only while the others are asked is not seen.
//! Source: `JvmtiClassFileLoadHookPoster` (jvmtiExport.cpp), which goes through the list of
//! environments as it is; docs/design/mechanisms.md ("Changed behind Lucce").

mod last;

use std::cell::RefCell;

use jvmti_bindings::sys::jvmti::jvmtiEnv;
use lucce_classfile::{MethodSummary, SkipReason};

use crate::jvm::jni::Jni;
use crate::jvm::jvmti::{Jvmti, no_frame};
use crate::jvm::others;
use crate::jvm::part::Jvm;
use crate::rewrite::classes;
use crate::stack::{frames::StackView, upcalls};
use crate::state::agent::{Agent, count};

/// A class that other agents are being asked about.
struct Pass {
    /// The environment that is asked last.
    last: Jvmti,
    name: String,
    /// The class as Lucce has left it.
    code: Vec<u8>,
    /// What other agents had changed before that, in a class of the JDK: names and descriptors of
    /// methods.
    before: Vec<(Vec<u8>, Vec<u8>)>,
}

thread_local! {
    /// The innermost one last: an agent that is asked may load classes itself.
    static PASSES: RefCell<Vec<Pass>> = const { RefCell::new(Vec::new()) };
}

/// A part of its name, as the JDK's recorder has several.
const RECORDER: &str = "jdk/jfr/internal/JVM";
/// In these the current thread changes while their methods run.
const CHANGES_THREAD: [&str; 2] = ["java/lang/VirtualThread", "jdk/internal/vm/Continuation"];

/// A class as it came to Lucce, and as Lucce has left it.
pub struct Left<'l> {
    /// Its name.
    pub name: &'l str,
    /// Does the JVM have it already?
    pub redefined: bool,
    /// Is it the boot loader's?
    pub boot: bool,
    /// As it came.
    pub came: &'l [u8],
    /// As it was left.
    pub code: &'l [u8],
}

/// Whatever other agents make of the class is looked at.
pub fn begin(agent: &Agent, jni: Jni, left: &Left<'_>) {
    let &Left { name, redefined, boot, came, code } = left;
    if name.starts_with(RECORDER) || redefined && !agent.jvm.jvmti.retransforms() {
        others::note();
    }
    if !others::exist() {
        return;
    }
    // A native one may come at any time.
    upcalls::watch(agent);
    if !agent.classes.origin.is_ready() || agent.run.switch.is_ended() || agent.fault("changed") || is_hooks(name) {
        return;
    }
    let native = redefined && !agent.jvm.jvmti.retransforms() && !is_java_agents(agent, jni);
    match last::begin(&agent.jvm, native) {
        Ok(last) => {
            let before = if boot { changed_before(&agent.jvm, name, came) } else { Vec::new() };
            let pass = Pass { last, name: name.into(), code: code.to_vec(), before };
            PASSES.with_borrow_mut(|passes| passes.push(pass));
        }
        Err(error) => {
            let why = format!("what other agents make of it is not looked at: JVMTI error {error}");
            classes::skip(&agent.run, name, &why);
        }
    }
}

/// Is the class redefined by a Java agent? Those are known to make environments in one way only.
fn is_java_agents(agent: &Agent, jni: Jni) -> bool {
    let mut top = [no_frame()];
    let view = StackView::of(agent, jni);
    let redefines =
        |method| view.named(method).is_some_and(|named| named.class == "sun/instrument/InstrumentationImpl");
    agent.jvm.jvmti.stack_trace(0, &mut top) == 1 && redefines(top[0].method)
}

/// The methods of a class of the JDK that call something else than the image has.
fn changed_before(jvm: &Jvm, name: &str, came: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    // A class that cannot be read cannot be defined either.
    let known = jvm.image.class(name).filter(|known| known != came);
    let changed = known.and_then(|known| lucce_classfile::changed(&known, came).ok()).unwrap_or_default();
    changed.into_iter().map(|method| (method.name.to_vec(), method.desc.to_vec())).collect()
}

/// All other agents were asked, and the class of that name will be `code`: what it becomes in place
/// of that.
pub fn finish(agent: &Agent, env: *mut jvmtiEnv, name: &str, code: &[u8]) -> Option<Vec<u8>> {
    // Any thread's classes come here as long as the environment is there.
    let is_this = |pass: &mut Pass| pass.last.is(env) && pass.name == name;
    let pass = PASSES.with_borrow_mut(|passes| passes.pop_if(is_this))?;
    last::end(pass.last);
    if pass.code == code && pass.before.is_empty() || agent.run.switch.is_ended() {
        return None;
    }
    let before =
        |method: &MethodSummary<'_>| pass.before.iter().any(|one| (&*one.0, &*one.1) == (method.name, method.desc));
    let guarded = lucce_classfile::changed(&pass.code, code).and_then(|mut changed| {
        let known = lucce_classfile::summary(code)?.methods.into_iter().filter(before);
        let more: Vec<_> = known.filter(|method| !changed.contains(method)).collect();
        changed.extend(more);
        guard(agent, name, code, &changed)
    });
    guarded.unwrap_or_else(|reason| {
        classes::skip(&agent.run, name, &format!("changed by another agent, and not guarded: {reason}"));
        None
    })
}

/// The class with Guards around these methods.
fn guard(agent: &Agent, name: &str, code: &[u8], changed: &[MethodSummary<'_>]) -> Result<Option<Vec<u8>>, SkipReason> {
    if changed.is_empty() {
        return Ok(None);
    }
    let changes_thread = CHANGES_THREAD.iter().any(|class| name.starts_with(class));
    let guarded = lucce_classfile::guard_changed(code, changed, changes_thread)?;
    agent.run.switch.note_changed(name);
    for method in changed {
        count(&agent.run.counters.methods_guarded);
        if agent.options.exceptions.is_some() {
            agent.classes.guarded.add(name, method.name);
        }
    }
    Ok(Some(guarded))
}

/// The hooks, which a Guard calls, and what they call.
fn is_hooks(name: &str) -> bool {
    name.starts_with("java/lang/Lucce") || name.starts_with("org/lucce/") || name == "jdk/internal/misc/Unsafe"
}
