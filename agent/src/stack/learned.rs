//! Which method of ours a frame runs where no class is rewritten: the JVM describes it, and the catalogue learns it.
//!
//! Invariant: each frame that the JVM shows in its own traces is one of ours, native methods included. Frames of hidden classes are none, as in
//! those traces: they are notes. Where the JVM does not describe a method, it is none either.
//! Source: JVMTI GetMethodName, GetMethodModifiers, GetLineNumberTable, GetSourceFileName; docs/design/attach.md ("Methods").

use jvmti_bindings::sys::jni::{jclass, jmethodID};
use lucce_classfile::LineTable;
use lucce_words::signature;

use crate::jvm::jvmti::Jvmti;
use crate::stack::methods::Identity;
use crate::state::agent::Agent;
use crate::state::catalog::{Catalog, Described};
use crate::state::names;

/// The method, learned if it is new.
pub fn identify(jvmti: Jvmti, catalog: &Catalog, (class, signature): (jclass, &str), method: jmethodID) -> Identity {
    let name = signature::class(signature).filter(|name| !names::is_hidden(name))?;
    let named = jvmti.method_name(method)?;
    // Both are 16 bits in the class file.
    let lines = jvmti.line_numbers(method).into_iter().map(|(start, line)| (start as u16, line as u16)).collect();
    let source = jvmti.source_file(class);
    catalog.learn(Described {
        class: name,
        source: source.as_deref(),
        name: &named.name,
        desc: &named.desc,
        access: jvmti.method_modifiers(method)? as u16,
        lines: LineTable::new(lines),
    })
}

/// Sees from now on which classes are about to be redefined: what is known of their methods goes. Where that cannot be seen nothing is kept.
pub fn watch(agent: &Agent) {
    if !agent.jvmti.watch_redefinitions(redefining) {
        agent.methods.begin_own();
        agent.note("the JVM's table of functions cannot be written, so methods are asked for at each walk");
    }
}

fn redefining(classes: &[jclass]) {
    let Some(agent) = Agent::get().filter(|agent| !agent.options.has_hooks() && !agent.is_dead()) else { return };
    for signature in classes.iter().filter_map(|&class| agent.jvmti.class_signature(class)) {
        agent.names.redefining(signature::internal_name(&signature));
        agent.methods.redefining(signature);
    }
}
