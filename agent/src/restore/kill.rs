//! The kill switch: all classes are given back as they were.
//!
//! Invariant: nothing is published any more before the first class is given back; a class that keeps hooks is named.
//! Source: JVMTI RetransformClasses.

use jvmti_bindings::sys::jni::jclass;
use jvmti_bindings::sys::jvmti::{
    JVMTI_EVENT_CLASS_PREPARE, JVMTI_EVENT_EXCEPTION, JVMTI_EVENT_MONITOR_CONTENDED_ENTER,
    JVMTI_EVENT_MONITOR_CONTENDED_ENTERED, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, jvmtiEvent,
};
use lucce_log::Record;

use super::{Loaded, has_hooks, loaded, retransform};
use crate::agent::Agent;
use crate::jvm::jni::Jni;

/// What the JVM need not tell any more once the kill switch was used.
const EVENTS: [jvmtiEvent; 5] = [
    JVMTI_EVENT_SAMPLED_OBJECT_ALLOC,
    JVMTI_EVENT_EXCEPTION,
    JVMTI_EVENT_MONITOR_CONTENDED_ENTER,
    JVMTI_EVENT_MONITOR_CONTENDED_ENTERED,
    JVMTI_EVENT_CLASS_PREPARE,
];
/// Classes given back at one safepoint.
const LOT: usize = 128;
/// How often classes are looked for that were being defined when the kill switch was used.
const PASSES: usize = 5;

/// Gives all classes back as they were. How many, and the names of those that the JVM refuses.
///
/// # Errors
/// It was done before.
pub fn kill(agent: &Agent, jni: Jni) -> Result<(usize, Vec<String>), String> {
    if !agent.switch.end() {
        return Err("it was killed before".into());
    }
    // Nothing can be found any more, and nothing is published: every entry asks the agent, which answers "lost".
    agent.core.with(&agent.catalog, &agent.writer, |_, _| {
        agent.links.close();
        agent.contexts.close();
        agent.origins.table.close();
    });
    if let Some(tallies) = &agent.tallies {
        // What is counted from now on has no reader.
        tallies.finish(agent);
    }
    // A JVM that refuses sends events that are not taken.
    for event in EVENTS {
        let _ = agent.jvmti.enable(event, false);
    }
    let mut refused = Vec::new();
    let classes = loaded(agent, jni, |class, name| is_changed(agent, jni, class, name));
    for lot in classes.chunks(LOT) {
        give_back(agent, lot, &mut refused);
    }
    for _ in 0..PASSES {
        std::thread::sleep(std::time::Duration::from_millis(20));
        let hooked =
            loaded(agent, jni, |class, name| !refused.iter().any(|known| known == name) && has_hooks(agent, class));
        if hooked.is_empty() {
            break;
        }
        give_back(agent, &hooked, &mut refused);
    }
    let text = match &refused[..] {
        [] => format!("killed: {} classes are as they were", classes.len()),
        some => {
            let restored = classes.len().saturating_sub(some.len());
            format!("killed: {restored} classes are as they were, but not {}", some.join(", "))
        }
    };
    agent.writer.queue(vec![Record::Note { text }]);
    Ok((classes.len().saturating_sub(refused.len()), refused))
}

/// Restores a lot of classes, one by one if the JVM refuses them together.
fn give_back(agent: &Agent, classes: &[Loaded], refused: &mut Vec<String>) {
    if retransform(agent, classes).is_ok() {
        return;
    }
    for class in classes {
        if retransform(agent, std::slice::from_ref(class)).is_err() {
            refused.push(class.name.clone());
        }
    }
}

/// Was it rewritten or guarded? Of the program's own classes each may have been.
fn is_changed(agent: &Agent, jni: Jni, class: jclass, name: &str) -> bool {
    let Some(loader) = agent.jvmti.class_loader(class) else { return false };
    let jdk = agent.origin.is_jdk(agent.jvmti, jni, loader, name);
    jni.release(loader);
    if jdk { agent.switch.was_changed(name) } else { true }
}
