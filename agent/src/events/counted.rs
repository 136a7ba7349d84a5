//! Are the calls of a method counted (`entries`), and has it hooks at all?
//!
//! Invariant: yes only if each of its overloads that has code has hooks, and the option names it:
//! so no call of it stays uncounted.
//! Source: docs/guide/counting.md.

use jvmti_bindings::sys::jni::jclass;
use lucce_words::signature;

use crate::jvm::jni::Jni;
use crate::options::method_matches;
use crate::stack::frames::StackView;
use crate::state::agent::Agent;

/// Flags of methods without code: `ACC_NATIVE`, `ACC_ABSTRACT` (JVMS 4.6).
const NO_CODE: i32 = 0x0100 | 0x0400;

/// Is each call of the methods of that name counted which this class declares? Not so of a class
/// that is not linked.
pub fn counts_calls(agent: &Agent, jni: Jni, class: jclass, name: &str) -> bool {
    let Some(signature) = agent.jvm.jvmti.class_signature(class) else { return false };
    let class_name = signature::class(&signature);
    let named =
        class_name.is_some_and(|class| method_matches(&agent.options.entries, class.as_bytes(), name.as_bytes()));
    named && has_hooks(agent, jni, class, name)
}

/// Have all methods of that name hooks which this class declares with code, and is there one?
pub fn has_hooks(agent: &Agent, jni: Jni, class: jclass, name: &str) -> bool {
    if agent.run.switch.is_ended() {
        return false;
    }
    let methods = agent.jvm.jvmti.class_methods(class).into_iter();
    let mut named = methods.filter(|method| {
        let has_name = agent.jvm.jvmti.method_name(*method).is_some_and(|method| method.name == name);
        has_name && agent.jvm.jvmti.method_modifiers(*method).is_some_and(|flags| flags & NO_CODE == 0)
    });
    let view = StackView::of(agent, jni);
    let is_ours = |method| view.identity(method).is_some();
    named.next().is_some_and(is_ours) && named.all(is_ours)
}
