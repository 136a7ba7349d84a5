//! ClassPrepare: what holds of a class once it can run, and what is learned of classes that are
//! loaded already.
//!
//! Source: JVMTI ClassPrepare; docs/design/mechanisms.md ("Interposable"),
//! docs/design/late-start-and-kill.md.

use jvmti_bindings::sys::jni::jclass;
use lucce_words::signature;

use super::left::LOAD_CLASS;
use super::noted::{demote, skip};
use super::wanted::is_wanted;
use crate::jvm::jni::Jni;
use crate::state::agent::Agent;
use crate::state::hidden_loaders::is_hidden;
use crate::support::text;
use crate::{rewrite::restore, state::interposable};

/// A class can run from now on. Hidden classes come only here: their signatures are learned from
/// the JVM.
pub fn prepared(agent: &Agent, jni: Jni, class: jclass) {
    if !agent.options.has_hooks() {
        return;
    }
    agent.jvm.jvmti.read_signature(class, |signature| {
        let name = signature::class_of_bytes(signature);
        if let Some(name) = name {
            settle(agent, jni, class, name);
        }
        let hidden = is_hidden(signature);
        // All others were learned of when they were loaded.
        if hidden || !agent.options.start {
            learn_prepared(agent, jni, class, &text::ours(name.unwrap_or(signature)), hidden);
        }
    });
}

fn learn_prepared(agent: &Agent, jni: Jni, class: jclass, name: &str, hidden: bool) {
    if hidden {
        if learn_methods(agent, class) {
            agent.classes.hidden_loaders.note();
            skip(&agent.run, name, "a hidden class that loads classes: those that it defines get no hooks");
        }
    } else if restore::is_late(agent, jni, class, name) {
        learn_methods(agent, class);
    }
}

/// What was filed of the class's constructors when it was to be defined holds from now on.
fn settle(agent: &Agent, jni: Jni, class: jclass, name: &[u8]) {
    if !agent.classes.leaf_constructors.awaits(name) {
        return;
    }
    let Some(object) = agent.jvm.jvmti.class_loader(class) else { return };
    if let Some(loader) = agent.classes.origin.loader(agent.jvm.env(jni), object) {
        agent.classes.leaf_constructors.prepared(loader, name);
    }
    jni.release(object);
}

/// Leaves a class as it is that is loaded already, and may have run.
pub fn leave_loaded(agent: &Agent, class: jclass, name: &str, reason: &str) {
    skip(&agent.run, name, reason);
    learn_methods(agent, class);
}

/// Is the loaded class one that is rewritten when it is loaded, and none of the JDK's?
pub fn is_own(agent: &Agent, jni: Jni, class: jclass, name: &str) -> bool {
    is_wanted(&agent.options, name) && agent.classes.origin.is_jdk_class(agent.jvm.env(jni), class, name) == Some(false)
}

/// Is there one among them that loads classes?
fn learn_methods(agent: &Agent, class: jclass) -> bool {
    let mut learned = Vec::new();
    for method in agent.jvm.jvmti.class_methods(class) {
        let access = agent.jvm.jvmti.method_modifiers(method).unwrap_or(0) as u16;
        let named = agent.jvm.jvmti.method_name(method);
        learned.extend(named.filter(|named| interposable::is_overridable(named.name.as_bytes(), access)));
    }
    let learned = || learned.iter().map(|named| (named.name.as_bytes(), named.desc.as_bytes()));
    let loads = learned().any(|named| named == LOAD_CLASS);
    let fresh = agent.classes.interposable.add(learned());
    demote(agent, &fresh);
    loads
}
