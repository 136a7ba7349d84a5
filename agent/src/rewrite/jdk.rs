//! `jdk=on`: the JDK's own classes get hooks like any other, but for those that are named here.
//!
//! Nothing is rewritten before VMInit: the hooks cannot run before that. Then what was loaded is
//! retransformed, in one step, and what comes later is rewritten when it is loaded. Frames that are
//! active in old code meanwhile count as uninstrumented for as long as they last.
//! Invariant: a class stays out only for a reason that stands beside it; what stays out is
//! interposable, as all uninstrumented code is; and a method that the JVM calls at moments that no
//! instruction tells does not believe what is published.
//! Source: JVMTI RetransformClasses; docs/design/jdk-classes.md.

use jvmti_bindings::sys::jni::jclass;
use jvmti_bindings::sys::jvmti::jvmtiError;
use lucce_log::Record;
use lucce_words::signature;

use crate::jvm::jni::Jni;
use crate::jvm::thread::ThreadFields;
use crate::rewrite::classes;
use crate::state::agent::Agent;

/// The class whose methods park, as `jdk.internal.misc.Unsafe.park` is called by no other that
/// programs use.
pub const LOCK_SUPPORT: &str = "java/util/concurrent/locks/LockSupport";

/// What stays out: a class and those nested in it, or (with '/' or '*' at the end) all that begin
/// so; and why.
const OUT: &[(&str, &str)] = &[
    ("java/lang/Lucce*", "the hooks themselves"),
    ("org/lucce/", "Lucce's own"),
    ("jdk/internal/misc/Unsafe", "the hooks call it"),
    ("jdk/internal/misc/ScopedMemoryAccess", "the JVM throws into it when a memory segment is closed"),
    ("java/lang/VirtualThread", "its methods run on one thread and then on another"),
    ("jdk/internal/vm/Continuation", "its methods run on one thread and then on another"),
    ("java/lang/WeakPairMap", "the JVM loads it within the load of the first class that an agent has changed"),
    ("java/lang/invoke/VarHandle*", "leaves, which are entered through signature-polymorphic calls: each would push"),
    ("java/lang/invoke/LambdaForm", "the code of method handles, hidden from traces"),
];

/// The same, in JVMs with continuations.
const OUT_WITH_CONTINUATIONS: &[(&str, &str)] =
    &[("java/lang/System$*", "continuations call it (JavaLangAccess) while they change threads")];

/// Annotations of methods that stay out, as descriptors.
const OUT_ANNOTATIONS: &[&str] = &[
    // Not part of the traces that the JVM makes (StackWalker, Throwable).
    "Ljava/lang/invoke/LambdaForm$Compiled;",
    "Ljava/lang/invoke/LambdaForm$Hidden;",
    "Ljdk/internal/vm/annotation/Hidden;",
    // The current thread is not the same everywhere in them.
    "Ljdk/internal/vm/annotation/ChangesCurrentThread;",
    // JVMTI shows no stack, or another one, while they run.
    "Ljdk/internal/vm/annotation/JvmtiHideEvents;",
    "Ljdk/internal/vm/annotation/JvmtiMountTransition;",
];

/// Annotations of methods in whose place the JIT compilers may run code of their own (JDK 11;
/// later), as descriptors.
const REPLACED_ANNOTATIONS: &[&str] =
    &["Ljdk/internal/HotSpotIntrinsicCandidate;", "Ljdk/internal/vm/annotation/IntrinsicCandidate;"];

/// Methods that HotSpot calls (`JavaCalls`) while it loads, links, constructs or registers
/// something, whatever instruction wanted that; beside `<clinit>`, `loadClass(String)` and
/// constructors of exceptions. What it calls at the base of a thread needs no mention, nor what
/// natives call: their callers have published.
const CALLED_BY_JVM: &[(&str, &[&str])] = &[
    ("java/lang/ClassLoader", &["addClass", "checkPackageAccess", "findNative"]),
    ("java/lang/Throwable", &["addSuppressed", "initCause"]),
    (
        "java/lang/invoke/MethodHandleNatives",
        &["findMethodHandleType", "linkCallSite", "linkDynamicConstant", "linkMethod", "linkMethodHandleConstant"],
    ),
    ("java/lang/ref/Finalizer", &["register"]),
    ("jdk/internal/module/Modules", &["transformedByAgent"]),
    ("jdk/jfr/internal/JVMUpcalls", &["bytesForEagerInstrumentation", "createThread", "onRetransform"]),
    ("sun/instrument/InstrumentationImpl", &["transform"]),
];

/// Is this class of the JDK to be rewritten now? Its name goes to the log where it stays out.
pub fn is_wanted(agent: &Agent, name: &str) -> bool {
    if !agent.options.jdk || !agent.classes.origin.is_ready() || classes::is_excluded(&agent.options, name) {
        return false;
    }
    if agent.options.locks && name == LOCK_SUPPORT {
        classes::skip(&agent.run, name, "locks times its parks");
        return false;
    }
    match stays_out(name, agent.jvm.fields.get().is_some_and(ThreadFields::has_continuations)) {
        Some(reason) => {
            classes::skip(&agent.run, name, reason);
            false
        }
        None => true,
    }
}

/// The reason why a class stays out.
fn stays_out(name: &str, continuations: bool) -> Option<&'static str> {
    let matches = |pattern: &str| match pattern.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None if pattern.ends_with('/') => name.starts_with(pattern),
        None => name.strip_prefix(pattern).is_some_and(|rest| rest.is_empty() || rest.starts_with('$')),
    };
    let more = if continuations { OUT_WITH_CONTINUATIONS } else { &[] };
    OUT.iter().chain(more).find(|(pattern, _)| matches(pattern)).map(|(_, reason)| *reason)
}

/// Does a method stay out that has this annotation?
pub fn annotation_stays_out(annotation: &[u8]) -> bool {
    OUT_ANNOTATIONS.iter().any(|known| known.as_bytes() == annotation)
}

/// May the JIT compiler replace a method that has this annotation?
pub fn is_replaced(annotation: &[u8]) -> bool {
    REPLACED_ANNOTATIONS.iter().any(|known| known.as_bytes() == annotation)
}

/// Does the JVM call this method of its own accord?
pub fn is_called_by_jvm(class: &[u8], name: &[u8]) -> bool {
    if name == b"<init>" {
        // All that HotSpot constructs for itself are exceptions of the JDK's own, by name
        // (vmSymbols).
        let jdk = [&b"java/"[..], b"javax/", b"jdk/", b"sun/"].iter().any(|prefix| class.starts_with(prefix));
        return jdk && (class.ends_with(b"Exception") || class.ends_with(b"Error") || class.ends_with(b"Throwable"));
    }
    CALLED_BY_JVM
        .iter()
        .any(|(known, methods)| known.as_bytes() == class && methods.iter().any(|method| method.as_bytes() == name))
}

/// VMInit: hooks for the classes that were loaded before. Those that stay out are told apart by
/// [`classes::load`].
pub fn retransform(agent: &Agent, jni: Jni, loaded: &[jclass]) {
    let classes: Vec<jclass> = loaded.iter().copied().filter(|class| is_ours(agent, jni, *class)).collect();
    agent.stack.methods.begin_own();
    let mut refused = Vec::new();
    all_or_halves(agent, &classes, &mut refused);
    agent.stack.methods.end_own();
    for (class, error) in refused {
        let name = agent.jvm.jvmti.class_signature(class).unwrap_or_default();
        agent.run.writer.queue(vec![Record::Skip {
            class: signature::internal_name(&name).into(),
            method: None,
            reason: format!("not retransformed: JVMTI error {error}").into(),
        }]);
    }
}

fn is_ours(agent: &Agent, jni: Jni, class: jclass) -> bool {
    if agent.jvm.jvmti.has_no_code(class) || !agent.jvm.jvmti.is_modifiable(class) {
        return false;
    }
    let Some(signature) = agent.jvm.jvmti.class_signature(class) else { return false };
    let Some(name) = signature::class(&signature) else { return false };
    agent.classes.origin.is_jdk_class(agent.jvm.env(jni), class, name) == Some(true) && is_wanted(agent, name)
}

/// Retransforms all; where the JVM refuses, each half by itself, down to the classes that it
/// refuses.
fn all_or_halves(agent: &Agent, classes: &[jclass], refused: &mut Vec<(jclass, jvmtiError)>) {
    if classes.is_empty() {
        return;
    }
    let Err(error) = agent.jvm.jvmti.retransform(classes) else { return };
    if let [class] = classes {
        refused.push((*class, error));
        return;
    }
    let (one, other) = classes.split_at(classes.len() / 2);
    all_or_halves(agent, one, refused);
    all_or_halves(agent, other, refused);
}

/// LockSupport is being loaded again, after the hooks are there: its bytes with the waits timed.
pub fn timed(bytes: &[u8]) -> Option<Vec<u8>> {
    match lucce_classfile::time_parks(bytes) {
        Ok(timed) => timed.map(|class| class.bytes),
        Err(reason) => {
            say!("LockSupport cannot be rewritten: {reason}; locks knows no parks");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_stays_out_with_those_nested_in_it() {
        assert!(stays_out("jdk/internal/misc/Unsafe", true).is_some());
        assert!(stays_out("java/lang/VirtualThread$VThreadContinuation", true).is_some());
        assert!(stays_out("java/lang/LucceHooks", true).is_some());
        assert!(stays_out("jdk/internal/misc/UnsafeConstants", true).is_none());
        assert!(stays_out("java/util/ArrayList", true).is_none());
        assert!(stays_out("java/lang/System$2", true).is_some() && stays_out("java/lang/System$2", false).is_none());
    }

    #[test]
    fn the_jvm_makes_the_exceptions_of_the_jdk_and_no_others() {
        assert!(is_called_by_jvm(b"java/lang/NullPointerException", b"<init>"));
        assert!(is_called_by_jvm(b"java/lang/ref/Finalizer", b"register"));
        assert!(!is_called_by_jvm(b"java/lang/NullPointerException", b"getMessage"));
        assert!(!is_called_by_jvm(b"java/util/ArrayList", b"<init>"));
        assert!(!is_called_by_jvm(b"org/example/NullPointerException", b"<init>"));
    }
}
