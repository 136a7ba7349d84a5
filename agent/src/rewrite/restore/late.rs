//! The late start: everything that was loaded before is rewritten.
//!
//! Invariant: what cannot be rewritten is left out, and does not keep the others from it: its
//! signatures are interposable before the others have hooks, or before it can run. Source: JVMTI
//! RetransformClasses; HotSpot's `VM_RedefineClasses::load_new_class_versions`.

use std::cell::RefCell;

use jvmti_bindings::sys::jni::jclass;
use jvmti_bindings::sys::jvmti::JVMTI_EVENT_SAMPLED_OBJECT_ALLOC;

use super::{Loaded, has_hooks, is_among, loaded, retransform};
use crate::jvm::jni::Jni;
use crate::rewrite::classes::{self, LATE};
use crate::state::agent::Agent;
use crate::state::switch::{linking, rewriting};

/// Classes whose new code the JVM may refuse: each costs the rewriting of all others once more.
const REFUSALS: usize = 16;

thread_local! {
    /// What this thread has the JVM link, to rewrite it.
    static LISTED: RefCell<Vec<Loaded>> = const { RefCell::new(Vec::new()) };
}

/// Rewrites everything that was loaded before the start. How many classes.
///
/// # Errors
/// Why nothing was started.
pub fn start(agent: &Agent, jni: Jni) -> Result<usize, String> {
    if !agent.run.switch.begin() {
        return Err("it was started before".into());
    }
    let mut classes = Vec::new();
    agent.run.switch.start(|| {
        // After the mode has changed: what is not among these is learned as interposable before it
        // can run.
        classes = loaded(&agent.jvm, jni, |class, name| classes::is_own(agent, jni, class, name));
        leave_failed(agent, &mut classes);
        link(agent, &mut classes);
        rewrite(agent, &mut classes)
    })?;
    name_late(agent, jni, &classes);
    if agent.options.alloc.is_some() {
        // That it could be enabled was known when the JVM started.
        let _ = agent.jvm.jvmti.enable(JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, true);
    }
    let count = classes.len();
    agent.run.note(&format!("started late: {count} classes were rewritten"));
    Ok(count)
}

/// Is this thread having the JVM link the class, to rewrite it then?
fn is_listed(jni: Jni, class: jclass) -> bool {
    LISTED.with_borrow(|listed| is_among(jni, class, listed))
}

/// Was the class, which can run from now on, loaded too late to be rewritten by the start? Of one
/// that is prepared while the start goes on that is known, and said, behind it ([`name_late`]);
/// until then it counts as late.
pub fn is_late(agent: &Agent, jni: Jni, class: jclass, name: &str) -> bool {
    if agent.options.start
        || !agent.run.switch.awaits(name)
        || agent.run.switch.prepared(name, is_listed(jni, class))
        || has_hooks(&agent.jvm, class)
        || !classes::is_own(agent, jni, class, name)
    {
        return false;
    }
    if !agent.run.switch.doubt(name) {
        classes::skip(&agent.run, name, LATE);
        agent.run.switch.leave_out(name);
    }
    true
}

/// Leaves out classes whose initialisation has failed: the JVM takes no new code for them, but they
/// may have instances.
fn leave_failed(agent: &Agent, classes: &mut Vec<Loaded>) -> bool {
    let failed: Vec<Loaded> = classes.extract_if(.., |loaded| agent.jvm.jvmti.has_no_code(loaded.class)).collect();
    for loaded in &failed {
        classes::leave_loaded(agent, loaded.class, &loaded.name, "its initialisation has failed");
    }
    !failed.is_empty()
}

/// Has the JVM link the classes, by a retransformation that changes nothing: one that cannot be
/// linked would keep all from being rewritten. Such a class has not run. Should it be linked after
/// all, it is late.
fn link(agent: &Agent, classes: &mut Vec<Loaded>) {
    let is_linked = |loaded: &mut Loaded| agent.jvm.jvmti.is_prepared(loaded.class);
    let mut linked: Vec<Loaded> = classes.extract_if(.., is_linked).collect();
    LISTED.set(std::mem::take(classes));
    linking(|| {
        loop {
            // The events that come meanwhile read the list.
            let refused = LISTED.with_borrow(|left| !left.is_empty() && retransform(&agent.jvm, left).is_err());
            let mut left = LISTED.take();
            let count = left.len();
            linked.extend(left.extract_if(.., is_linked));
            // Those before the first one that is not linked now were, in this order.
            if !refused {
                linked.append(&mut left);
                return;
            }
            if left.len() == count {
                let first = left.remove(0);
                classes::skip(&agent.run, &first.name, "the JVM cannot link it");
            }
            LISTED.set(left);
        }
    });
    *classes = linked;
}

/// Rewrites the classes at one safepoint, without those that the JVM refuses.
fn rewrite(agent: &Agent, classes: &mut Vec<Loaded>) -> Result<(), String> {
    let mut refusals = 0;
    while !classes.is_empty() {
        let (result, asked) = rewriting(|| retransform(&agent.jvm, classes));
        let Err(error) = result else { break };
        // Meanwhile an initialisation may have failed.
        if leave_failed(agent, classes) {
            continue;
        }
        // The JVM takes one class after the other, asks for its new code and looks at that: what it
        // was asked for last is what it refuses.
        let last = asked.checked_sub(1).filter(|&last| last < classes.len() && refusals < REFUSALS);
        let Some(last) = last else {
            return Err(format!(
                "{error}: the JVM does not take the rewritten classes, perhaps because of another agent; nothing is started"
            ));
        };
        let Loaded { class, name } = classes.remove(last);
        refusals += 1;
        classes::leave_loaded(agent, class, &name, "the JVM refuses its new code, perhaps because of another agent");
        agent.run.switch.leave_out(&name);
    }
    Ok(())
}

/// Names those of the classes prepared during the start that were not rewritten by it.
fn name_late(agent: &Agent, jni: Jni, rewritten: &[Loaded]) {
    let doubtful = agent.run.switch.take_doubtful();
    if doubtful.is_empty() {
        return;
    }
    for Loaded { name, .. } in rewritten.iter().filter(|loaded| doubtful.contains(&*loaded.name)) {
        agent.run.switch.prepared(name, true);
    }
    let is_late = |class, name: &str| {
        doubtful.contains(name) && agent.jvm.jvmti.is_prepared(class) && !is_among(jni, class, rewritten)
    };
    for Loaded { class, name } in loaded(&agent.jvm, jni, is_late) {
        if !has_hooks(&agent.jvm, class) {
            classes::skip(&agent.run, &name, LATE);
            agent.run.switch.leave_out(&name);
        }
        jni.release(class);
    }
}
