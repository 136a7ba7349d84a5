//! Classes that get no hooks, but a guard or a few calls where they touch what is published.
//!
//! Source: docs/design/mechanisms.md ("Guard"), docs/design/origins.md.

use lucce_classfile::{Argument, Insertion, InsertionPoint, Summary};

use super::noted::{learn, skip};
use crate::options::Options;
use crate::rewrite::jdk_leaf_calls;
use crate::state::agent::Agent;
use crate::state::run::Run;

/// It is certain here that the thread had not been started (JDK 21 to 25: its state has just been
/// changed from NEW).
pub(super) const VIRTUAL_START: Insertion<'_> = Insertion {
    method: Some((b"start", b"(Ljdk/internal/vm/ThreadContainer;)V")),
    at: InsertionPoint::Call(b"setThreadContainer"),
    argument: Argument::Locals(0, 1),
    hook: b"startedIn",
};

/// The Java entry points of the JVM's own loading in docs/design/mechanisms.md ("Guard").
pub(super) const LOAD_CLASS: (&[u8], &[u8]) = (b"loadClass", b"(Ljava/lang/String;)Ljava/lang/Class;");

/// What the JDK's own [`LOAD_CLASS`], which has a Guard, calls of a class loader.
const CALLED_BELOW: [(&[u8], &[u8]); 2] = [
    (b"loadClass", b"(Ljava/lang/String;Z)Ljava/lang/Class;"),
    (b"findClass", b"(Ljava/lang/String;)Ljava/lang/Class;"),
];

const CHECK_PACKAGE: (&[u8], &[u8]) = (b"checkPackageAccess", b"(Ljava/lang/Class;Ljava/security/ProtectionDomain;)V");

pub(super) const TRANSFORM: (&[u8], &[u8]) = (
    b"transform",
    b"(Ljava/lang/Module;Ljava/lang/ClassLoader;Ljava/lang/String;Ljava/lang/Class;Ljava/security/ProtectionDomain;[BZ)[B",
);

/// The class of an agent's `Instrumentation`.
pub(super) const INSTRUMENTATION: &str = "sun/instrument/InstrumentationImpl";

/// The JDK makes an agent's environment that can retransform when it adds its first such
/// transformer.
pub(super) const TRANSFORMER_ADDED: Insertion<'_> = Insertion {
    method: Some((b"addTransformer", b"(Ljava/lang/instrument/ClassFileTransformer;Z)V")),
    at: InsertionPoint::Return,
    argument: Argument::None,
    hook: b"transformerAdded",
};

/// What a carrier does between two of a virtual thread's turns. Meanwhile nothing is known of the
/// carrier, for the virtual thread may use its identity.
pub(super) const RUN_CONTINUATION: (&[u8], &[u8]) = (b"runContinuation", b"()V");

/// Continuations that are no virtual threads' are told of as they are about to go on (JDK 21 to
/// 25).
pub(super) const CONTINUES: Insertion<'_> = Insertion {
    method: Some((b"run", b"()V")),
    at: InsertionPoint::Start,
    argument: Argument::Local(0),
    hook: b"continues",
};

/// Leaves a class alone: learns its signatures, and guards its loading methods.
pub(super) fn leave(agent: &Agent, name: &str, boot: bool, jdk: bool, bytes: &[u8]) -> Option<Vec<u8>> {
    let summary = learn(agent, bytes, boot);
    if name.starts_with("org/lucce/") || name.starts_with("java/lang/Lucce") {
        return None;
    }
    let methods: &[_] = match name {
        "java/lang/ClassLoader" => &[LOAD_CLASS, CHECK_PACKAGE],
        INSTRUMENTATION => &[TRANSFORM],
        _ => &[LOAD_CLASS],
    };
    if !jdk {
        skip(&agent.run, name, "excluded");
    }
    if agent.fault("guard") {
        return None;
    }
    if jdk { guard_declared(agent, name, bytes, summary, methods) } else { guard_own(agent, name, bytes, summary) }
}

/// Guards whatever of a class may be called up; `class` as for [`guard_declared`].
pub(super) fn guard_own(agent: &Agent, name: &str, bytes: &[u8], class: Option<Summary<'_>>) -> Option<Vec<u8>> {
    let methods: Vec<_> = called_up(&agent.options).collect();
    guard_declared(agent, name, bytes, class, &methods)
}

/// Guards a class that `class` tells of, as far as it could be read: nearly all declare none of the
/// methods, and are not read again.
fn guard_declared(
    agent: &Agent,
    name: &str,
    bytes: &[u8],
    class: Option<Summary<'_>>,
    methods: &[(&[u8], &[u8])],
) -> Option<Vec<u8>> {
    let declares_none = |class: Summary<'_>| !class.methods.iter().any(|one| methods.contains(&(one.name, one.desc)));
    if class.is_some_and(declares_none) { None } else { guard(agent, name, bytes, methods) }
}

/// What the JVM and, below JDK leaf calls, the JDK may call up where nothing is published for that:
/// name and descriptor.
pub(super) fn called_up(options: &Options) -> impl Iterator<Item = (&'static [u8], &'static [u8])> {
    let asked = if options.jdk { &[] } else { jdk_leaf_calls::CALLED_BACK };
    std::iter::once(LOAD_CLASS).chain(asked.iter().copied())
}

pub(super) fn guard(agent: &Agent, name: &str, bytes: &[u8], methods: &[(&[u8], &[u8])]) -> Option<Vec<u8>> {
    match lucce_classfile::guard(bytes, methods) {
        Ok(guarded) => {
            if guarded.is_some() && agent.options.exceptions.is_some() {
                methods.iter().for_each(|method| agent.classes.guarded.add(name, method.0));
            }
            guarded.map(|class| class.bytes)
        }
        Err(reason) => {
            skip(&agent.run, name, &format!("not guarded: {reason}"));
            None
        }
    }
}

/// A class of the JDK with fields and calls of the hooks added.
pub(super) fn inserted(
    run: &Run,
    name: &str,
    bytes: &[u8],
    fields: &[(&[u8], &[u8])],
    calls: &[Insertion<'_>],
) -> Option<Vec<u8>> {
    match lucce_classfile::insert(bytes, fields, calls) {
        Ok(Some(inserted)) => Some(inserted.bytes),
        Ok(None) => {
            skip(run, name, "its threads and tasks are not followed: it is not as it is known");
            None
        }
        Err(reason) => {
            skip(run, name, &format!("its threads and tasks are not followed: {reason}"));
            None
        }
    }
}

/// Is it a method that the Guard of the JDK's `loadClass(String)` stands above, where the JVM loads
/// a class?
pub fn is_called_below(name: &[u8], desc: &[u8]) -> bool {
    CALLED_BELOW.contains(&(name, desc))
}
