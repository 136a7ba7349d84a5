//! The kill switch: all classes are given back as they were.
//!
//! Invariant: nothing is published any more before the first class is given back; a class that
//! keeps hooks is named.
//! Source: JVMTI RetransformClasses.

use std::thread::sleep;
use std::time::{Duration, Instant};

use jvmti_bindings::sys::jni::jclass;
use jvmti_bindings::sys::jvmti::JVMTI_EVENT_CLASS_PREPARE;

use super::{Loaded, has_hooks, is_among, loaded, retransform};
use crate::jvm::jni::Jni;
use crate::state::agent::Agent;

/// Classes given back at one safepoint.
const LOT: usize = 128;
/// For how long, how often at least and at which distance classes are looked for that were being
/// defined when the kill switch was used.
const SWEEP: Duration = Duration::from_millis(250);
const PASSES: usize = 2;
const PAUSE: Duration = Duration::from_millis(25);

/// Classes that the JVM has not taken back.
#[derive(Default)]
struct KeptClasses {
    /// For a reason of its own, or another agent's.
    refused: Vec<Loaded>,
    /// Their initialisation has failed: the JVM changes nothing of them any more.
    failed: Vec<Loaded>,
    /// They cannot be linked, and so have not run.
    unlinked: Vec<Loaded>,
}

impl KeptClasses {
    fn has(&self, jni: Jni, class: jclass) -> bool {
        [&self.refused, &self.failed, &self.unlinked].into_iter().any(|kept| is_among(jni, class, kept))
    }

    fn len(&self) -> usize {
        self.refused.len() + self.failed.len() + self.unlinked.len()
    }
}

/// Gives all classes back as they were. How many, and the names of those that the JVM refuses.
///
/// # Errors
/// It was done before.
pub fn kill(agent: &Agent, jni: Jni) -> Result<(usize, Vec<String>), String> {
    if !agent.run.switch.end() {
        return Err("it was killed before".into());
    }
    // Nothing can be found any more, and nothing is published: every entry asks the agent, which
    // answers "lost".
    agent.graph.locked(|_| {
        agent.tables.links.close();
        agent.tables.contexts.close();
        agent.events.origins.table.close();
    });
    if let Some(tallies) = &agent.events.tallies {
        // What is counted from now on has no reader.
        tallies.finish(agent);
    }
    agent.events.sources.end(&agent.jvm);
    let _ = agent.jvm.jvmti.enable(JVMTI_EVENT_CLASS_PREPARE, false);
    let mut kept = KeptClasses::default();
    let classes = loaded(&agent.jvm, jni, |class, name| is_changed(agent, jni, class, name));
    let count = classes.len();
    give_back(agent, jni, classes, &mut kept);
    sweep(agent, jni, &mut kept);
    let restored = count.saturating_sub(kept.len());
    agent.run.note(&told(restored, &kept));
    Ok((restored, kept.refused.into_iter().map(|loaded| loaded.name).collect()))
}

/// Gives back what was being defined when the loaded classes were asked for: its new code was made
/// before the end. No single look finds all, for a class may be anywhere between the two; whether
/// one that is not prepared has hooks cannot be asked, so it is given back in any case.
fn sweep(agent: &Agent, jni: Jni, kept: &mut KeptClasses) {
    let (began, mut passes) = (Instant::now(), 0);
    while passes < PASSES || began.elapsed() < SWEEP {
        sleep(PAUSE);
        let hooked = loaded(&agent.jvm, jni, |class, name| {
            is_changed(agent, jni, class, name)
                && (!agent.jvm.jvmti.is_prepared(class) || has_hooks(&agent.jvm, class))
                && !kept.has(jni, class)
        });
        give_back(agent, jni, hooked, kept);
        passes += 1;
    }
    // Linked meanwhile, by the program.
    let is_linked =
        |loaded: &mut Loaded| agent.jvm.jvmti.is_prepared(loaded.class) && has_hooks(&agent.jvm, loaded.class);
    let linked = kept.unlinked.extract_if(.., is_linked).collect();
    give_back(agent, jni, linked, kept);
}

/// Restores classes in lots, one by one where the JVM refuses them together.
fn give_back(agent: &Agent, jni: Jni, mut classes: Vec<Loaded>, kept: &mut KeptClasses) {
    keep_failed(agent, &mut classes, kept);
    let mut rest = classes.into_iter().peekable();
    while rest.peek().is_some() {
        let lot: Vec<Loaded> = rest.by_ref().take(LOT).collect();
        let is_done = retransform(&agent.jvm, &lot).is_ok();
        for loaded in lot {
            if is_done || retransform(&agent.jvm, std::slice::from_ref(&loaded)).is_ok() {
                jni.release(loaded.class);
            } else if !agent.jvm.jvmti.is_prepared(loaded.class) {
                kept.unlinked.push(loaded);
            } else {
                let mut refused = vec![loaded];
                // Meanwhile its initialisation may have failed.
                keep_failed(agent, &mut refused, kept);
                kept.refused.append(&mut refused);
            }
        }
    }
}

/// Takes those out whose initialisation has failed. They count if they have hooks.
fn keep_failed(agent: &Agent, classes: &mut Vec<Loaded>, kept: &mut KeptClasses) {
    let failed = classes.extract_if(.., |loaded| agent.jvm.jvmti.has_no_code(loaded.class));
    kept.failed.extend(failed.filter(|loaded| has_hooks(&agent.jvm, loaded.class)));
}

/// Was it rewritten or guarded? Of the program's own classes each may have been.
fn is_changed(agent: &Agent, jni: Jni, class: jclass, name: &str) -> bool {
    agent
        .classes
        .origin
        .is_jdk_class(agent.jvm.env(jni), class, name)
        .is_some_and(|jdk| !jdk || agent.run.switch.was_changed(name))
}

/// What the log says.
fn told(restored: usize, kept: &KeptClasses) -> String {
    let mut text = format!("killed: {restored} classes are as they were");
    for (classes, why) in [
        (&kept.refused, "but not, for the JVM refuses them,"),
        (&kept.failed, "but not, for their initialisation has failed,"),
        (&kept.unlinked, "and these, which the JVM cannot link, have not run:"),
    ] {
        if !classes.is_empty() {
            let names: Vec<&str> = classes.iter().map(|loaded| &*loaded.name).collect();
            text += &format!("; {why} {}", names.join(", "));
        }
    }
    text
}
