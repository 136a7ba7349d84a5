//! The late start and the kill switch: classes that are loaded already, rewritten or given back as they were.
//!
//! Invariants: at the start all classes change at one safepoint, or none does. The kill switch ends all events, links and captured
//! contexts first, so what an activation in half-restored code would find out is kept nowhere; what was recorded stays exact.
//! Source: JVMTI RetransformClasses; ARCHITECTURE, "Starting late and ending early".

use jvmti_bindings::sys::jni::jclass;
use jvmti_bindings::sys::jvmti::{
    JVMTI_EVENT_CLASS_PREPARE, JVMTI_EVENT_EXCEPTION, JVMTI_EVENT_MONITOR_CONTENDED_ENTER,
    JVMTI_EVENT_MONITOR_CONTENDED_ENTERED, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, jvmtiEvent,
};
use lucce_classfile::method_id_of;
use lucce_log::Record;

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

/// A loaded class and its internal name.
struct Loaded {
    class: jclass,
    name: String,
}

/// Rewrites everything that was loaded before the start. How many classes.
///
/// # Errors
/// Why nothing was started.
pub fn start(agent: &Agent, jni: Jni) -> Result<usize, String> {
    if !agent.switch.begin() {
        return Err("it was started before".into());
    }
    let mut count = 0;
    agent.switch.start(|| {
        // After the mode has changed: what is not among these is learned as risky before it can run.
        let classes: Vec<jclass> = loaded(agent, jni, |_, name| agent.switch.was_seen(name));
        count = classes.len();
        if classes.is_empty() {
            return Ok(());
        }
        agent.jvmti.retransform(&classes).map_err(|error| {
            format!("JVMTI error {error}: the JVM does not take the rewritten classes, perhaps because of another agent; nothing is started")
        })
    })?;
    if agent.options.alloc.is_some() {
        // That it could be enabled was known when the JVM started.
        let _ = agent.jvmti.enable(JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, true);
    }
    agent.writer.queue(vec![Record::Note { text: format!("started late: {count} classes were rewritten") }]);
    Ok(count)
}

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
fn give_back(agent: &Agent, classes: &[jclass], refused: &mut Vec<String>) {
    if agent.jvmti.retransform(classes).is_ok() {
        return;
    }
    for class in classes {
        if agent.jvmti.retransform(&[*class]).is_err()
            && let Some(loaded) = named(agent, *class)
        {
            refused.push(loaded.name);
        }
    }
}

/// The loaded classes that can be retransformed and are wanted.
fn loaded(agent: &Agent, jni: Jni, wanted: impl Fn(jclass, &str) -> bool) -> Vec<jclass> {
    let classes = agent.jvmti.loaded_classes();
    jni.reserve(i32::try_from(classes.len()).unwrap_or(i32::MAX));
    let named = classes.into_iter().filter_map(|class| {
        let named = named(agent, class);
        if named.is_none() {
            jni.release(class);
        }
        named
    });
    let (wanted, others): (Vec<Loaded>, Vec<Loaded>) =
        named.partition(|loaded| wanted(loaded.class, &loaded.name) && agent.jvmti.is_modifiable(loaded.class));
    others.into_iter().for_each(|loaded| jni.release(loaded.class));
    wanted.into_iter().map(|loaded| loaded.class).collect()
}

/// A class that has a name, and no array.
fn named(agent: &Agent, class: jclass) -> Option<Loaded> {
    let signature = agent.jvmti.class_signature(class)?;
    let name = signature.strip_prefix('L')?.strip_suffix(';')?.to_owned();
    Some(Loaded { class, name })
}

/// Was it rewritten or guarded? Of the program's own classes each may have been.
fn is_changed(agent: &Agent, jni: Jni, class: jclass, name: &str) -> bool {
    let Some(loader) = agent.jvmti.class_loader(class) else { return false };
    let jdk = agent.origin.is_jdk(agent.jvmti, jni, loader, name);
    jni.release(loader);
    if jdk { agent.switch.was_changed(name) } else { true }
}

/// Has any of its methods hooks?
pub fn has_hooks(agent: &Agent, class: jclass) -> bool {
    let methods = agent.jvmti.class_methods(class);
    methods.into_iter().filter_map(|method| agent.jvmti.bytecodes(method)).any(|code| method_id_of(&code).is_some())
}
