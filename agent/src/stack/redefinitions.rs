//! Redefinitions where no class is rewritten: what was learned of the methods of their classes
//! goes.
//!
//! Invariant: nothing that was learned of a class outlives a redefinition of it. Source: JVMTI
//! RedefineClasses; docs/design/attach.md ("Methods").

use jvmti_bindings::sys::jni::jclass;
use lucce_words::signature;

use crate::state::agent::Agent;

/// Sees from now on which classes are about to be redefined: what is known of their methods goes.
/// Where that cannot be seen nothing is kept.
pub fn watch(agent: &Agent) {
    if !agent.jvm.jvmti.watch_redefinitions(redefining) {
        agent.stack.methods.begin_own();
        agent.run.note("the JVM's table of functions cannot be written, so methods are asked for at each walk");
    }
}

fn redefining(classes: &[jclass]) {
    let Some(agent) = Agent::get().filter(|agent| !agent.options.has_hooks() && !agent.run.is_dead()) else { return };
    for signature in classes.iter().filter_map(|&class| agent.jvm.jvmti.class_signature(class)) {
        agent.stack.names.redefining(signature::internal_name(&signature));
        if !agent.fault("moved") {
            agent.stack.methods.redefining(signature);
        }
    }
}
