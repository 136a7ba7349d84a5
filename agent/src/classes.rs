//! ClassFileLoadHook and ClassPrepare: which class gets what.
//!
//! Invariant: whatever happens here, the JVM gets either the class as it came or a rewritten one whose ids are filed; what was left alone
//! is named in the log with the reason, and its signatures are learned as risky before it can run.
//! Source: JVMTI ClassFileLoadHook; DESIGN section 3 ("Guard", "Risky").

use std::ffi::CStr;
use std::sync::{Mutex, PoisonError};

use jvmti_bindings::sys::jni::{jclass, jobject};
use lucce_classfile::{Argument, At, Ids, Insertion, Options as RewriteOptions, Outcome, Policy, Scratch, SkipReason};
use lucce_log::Record;
use lucce_words::{ClassId, MethodId, SiteId};

use crate::agent::{Agent, count};
use crate::catalog::{Catalog, hooked};
use crate::jvm::jni::Jni;
use crate::options::glob_matches;
use crate::sources::locks::{self, LOCK_SUPPORT};
use crate::switch::Verdict;
use crate::{closed, jdk, restore, risk, tasks, unload};

const THREAD: &str = "java/lang/Thread";
const VIRTUAL_THREAD: &str = "java/lang/VirtualThread";
/// It is certain here that the thread had not been started (JDK 21 to 25: its state has just been changed from NEW).
const VIRTUAL_START: Insertion<'_> = Insertion {
    method: Some((b"start", b"(Ljdk/internal/vm/ThreadContainer;)V")),
    at: At::Call(b"setThreadContainer"),
    argument: Argument::Local(0),
    hook: b"started",
};
/// The Java entry points of the JVM's own loading (DESIGN section 3, "Guard").
const LOAD_CLASS: (&[u8], &[u8]) = (b"loadClass", b"(Ljava/lang/String;)Ljava/lang/Class;");
const CHECK_PACKAGE: (&[u8], &[u8]) = (b"checkPackageAccess", b"(Ljava/lang/Class;Ljava/security/ProtectionDomain;)V");
const TRANSFORM: (&[u8], &[u8]) = (
    b"transform",
    b"(Ljava/lang/Module;Ljava/lang/ClassLoader;Ljava/lang/String;Ljava/lang/Class;Ljava/security/ProtectionDomain;[BZ)[B",
);

/// What a carrier does between two of a virtual thread's turns. Meanwhile nothing is known of the carrier, for the virtual thread may use its
/// identity ([`crate::jvm::thread::ThreadFields::is_lent`]).
const RUN_CONTINUATION: (&[u8], &[u8]) = (b"runContinuation", b"()V");

/// The rewriter's memory, one for each class that was rewritten at the same time as others.
static SPARE: Mutex<Vec<Scratch>> = Mutex::new(Vec::new());

impl Ids for &Catalog {
    fn class(&mut self) -> Option<ClassId> {
        self.next_class()
    }

    fn method(&mut self) -> Option<MethodId> {
        self.next_method()
    }

    fn site(&mut self) -> Option<SiteId> {
        self.next_site()
    }
}

impl Policy for Agent {
    fn risky(&self, name: &[u8], desc: &[u8]) -> bool {
        self.risk.is_risky(name, desc)
    }

    fn inert(&self, class: &[u8]) -> bool {
        self.risk.is_inert(class)
    }

    fn closed(&self, owner: &[u8], name: &[u8], desc: &[u8], special: bool) -> bool {
        // With hooks in the JDK's classes it is the callee itself that is entered.
        !self.options.jdk && closed::is_closed(owner, name, desc, special)
    }

    fn was_quiet(&self, class: &[u8], name: &[u8], desc: &[u8]) -> bool {
        self.quiet.contains(class, name, desc)
    }

    fn counts_entries(&self, class: &[u8], name: &[u8], _desc: &[u8]) -> bool {
        if self.options.entries.is_empty() {
            return false;
        }
        let method = [String::from_utf8_lossy(class).replace('/', "."), String::from_utf8_lossy(name).into()].join(".");
        self.options.entries.iter().any(|glob| glob_matches(glob, &method))
    }

    fn called_by_jvm(&self, class: &[u8], name: &[u8], _: &[u8]) -> bool {
        self.options.jdk && jdk::is_called_by_jvm(class, name)
    }

    fn stays_out(&self, annotation: &[u8]) -> bool {
        self.options.jdk && jdk::annotation_stays_out(annotation)
    }
}

/// A class is about to be defined (or redefined): the bytes to define in its place, if others.
pub fn load(
    agent: &Agent,
    jni: Option<Jni>,
    redefined: jclass,
    loader: jobject,
    name: &str,
    bytes: &[u8],
) -> Option<Vec<u8>> {
    let redefined = is_redefined(agent, redefined, name);
    if redefined && loader.is_null() && name == LOCK_SUPPORT && agent.options.locks && !agent.switch.is_ended() {
        // By us, or by another agent. It has no hooks either way.
        agent.switch.note_changed(name);
        return locks::timed(bytes);
    }
    if redefined {
        if !agent.methods.is_own() {
            agent.methods.redefining(format!("L{name};"));
        }
        agent.names.forget();
    }
    if loader.is_null() && name == THREAD {
        return thread(agent, bytes);
    }
    if agent.switch.is_ended() {
        // A redefinition may not take fields away, ours or another agent's.
        return if loader.is_null() && agent.options.follows_tasks { tasks::with_field(name, bytes) } else { None };
    }
    if loader.is_null() && name == VIRTUAL_THREAD {
        learn(agent, bytes, true);
        agent.switch.note_changed(name);
        let started = inserted(agent, name, bytes, &[], &[VIRTUAL_START]);
        if !agent.options.jdk {
            return started;
        }
        return guard(agent, name, started.as_deref().unwrap_or(bytes), &[RUN_CONTINUATION]).or(started);
    }
    if loader.is_null() && agent.options.follows_tasks {
        match tasks::follow(name, bytes) {
            Ok(None) => {}
            Ok(Some(followed)) => {
                agent.switch.note_changed(name);
                learn(agent, bytes, true);
                return Some(followed);
            }
            Err(reason) => skip(agent, name, &format!("its tasks are not followed: {reason}")),
        }
    }
    let jdk = jni.is_none_or(|jni| agent.origin.is_jdk(agent.jvmti, jni, loader, name));
    if jdk && !loader.is_null() && !agent.origin.is_ready() && !agent.options.jdk && !name.starts_with("java/") {
        skip(agent, name, "loaded before the agent was ready");
    }
    let wanted = if jdk { jdk::is_wanted(agent, name) } else { is_wanted(agent, name) };
    if !wanted {
        let left = leave(agent, name, loader.is_null(), jdk, bytes);
        if jdk && left.is_some() {
            agent.switch.note_changed(name);
        }
        return left;
    }
    match agent.switch.verdict(name, redefined) {
        Verdict::Rewrite => {}
        Verdict::Wait => return None,
        Verdict::LeaveOut => {
            skip(agent, name, "loaded while Lucce was being started");
            learn(agent, bytes, false);
            return guard(agent, name, bytes, &[LOAD_CLASS]);
        }
    }
    if loader.is_null()
        && !redefined
        && let Ok(summary) = lucce_classfile::summary(bytes)
    {
        agent.risk.learn_boot(&summary);
    }
    let rewritten = rewrite(agent, jni, loader, name, bytes);
    if jdk && rewritten.is_some() {
        agent.switch.note_changed(name);
    }
    rewritten
}

/// `java.lang.Thread` gets its state whenever it is loaded, and hooks where other classes of the JDK do.
fn thread(agent: &Agent, bytes: &[u8]) -> Option<Vec<u8>> {
    let with_state = lucce_classfile::add_thread_state(bytes);
    let with_state = with_state.map_err(|reason| skip(agent, THREAD, &reason.to_string())).ok()?;
    if !agent.switch.is_ended() && jdk::is_wanted(agent, THREAD) {
        agent.switch.note_changed(THREAD);
        // The loader of the JDK's core is never unloaded.
        return rewrite(agent, None, std::ptr::null_mut(), THREAD, &with_state).or(Some(with_state));
    }
    learn(agent, bytes, true);
    Some(with_state)
}

/// The class with its hooks; where it cannot have any, it is named, learned and guarded.
fn rewrite(agent: &Agent, jni: Option<Jni>, loader: jobject, name: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    dump(agent, "before", name, bytes);
    let options = RewriteOptions {
        publish_allocations: agent.options.alloc.is_some(),
        publish_throws: agent.options.exceptions.is_some(),
        publish_monitors: agent.options.locks,
        count_allocations: agent.options.alloc_all,
        version_local: agent.algorithm1.is_some(),
        faults: crate::faults::of(&agent.options.faults),
    };
    let spare = || SPARE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut scratch = spare().pop().unwrap_or_default();
    let rewritten = lucce_classfile::instrument_with(&mut scratch, bytes, &mut &agent.catalog, agent, &options);
    spare().push(scratch);
    match rewritten {
        Ok(mut rewritten) => {
            if let Some(jni) = jni {
                let hooked = rewritten.methods.iter().filter_map(|method| hooked(&method.outcome));
                unload::defined(agent, jni, loader, rewritten.id, hooked.map(|(id, _)| id));
            }
            file(agent, name, &mut rewritten);
            dump(agent, "after", name, &rewritten.bytes);
            (rewritten.bytes != bytes).then_some(rewritten.bytes)
        }
        Err(reason) => {
            count(&agent.counters.classes_skipped);
            skip(agent, name, &reason.to_string());
            learn(agent, bytes, false);
            guard(agent, name, bytes, &[LOAD_CLASS])
        }
    }
}

/// Is the class with this name being redefined? HotSpot tells of a class being redefined, too, when another is loaded meanwhile by the same
/// thread (the JDK's own `Module$ReflectionData`, when a class of `java.base` is).
fn is_redefined(agent: &Agent, redefined: jclass, name: &str) -> bool {
    !redefined.is_null()
        && agent
            .jvmti
            .class_signature(redefined)
            .is_none_or(|signature| signature.strip_prefix('L').and_then(|class| class.strip_suffix(';')) == Some(name))
}

/// A class can run from now on. Hidden classes come only here: their signatures are learned from the JVM.
pub fn prepared(agent: &Agent, class: jclass) {
    let Some(signature) = agent.jvmti.class_signature(class) else { return };
    // A hidden class's signature holds a '.' behind its name (JVMTI GetClassSignature); that of JDK 11's VM-anonymous classes ends in
    // '/' and a number. A class that only looks like one costs an exit store.
    let anonymous = signature.rsplit('/').next().is_some_and(|last| last.starts_with(|c: char| c.is_ascii_digit()));
    if !signature.contains('.') && !anonymous && !is_late(agent, class, &signature) {
        return;
    }
    let mut learned = Vec::new();
    for method in agent.jvmti.class_methods(class) {
        let access = agent.jvmti.method_modifiers(method).unwrap_or(0) as u16;
        if let Some(name) = agent.jvmti.method_name(method)
            && risk::is_overridable(name.name.as_bytes(), access)
        {
            learned.push(risk::signature(name.name.as_bytes(), name.desc.as_bytes()));
        }
    }
    let fresh = agent.risk.add(learned.into_iter());
    convert(agent, &fresh);
}

/// Was the class loaded before a late start, but too late to be rewritten by it? Then it runs as it came.
fn is_late(agent: &Agent, class: jclass, signature: &str) -> bool {
    let Some(name) = signature.strip_prefix('L').and_then(|name| name.strip_suffix(';')) else { return false };
    if agent.options.start || !agent.switch.was_seen(name) || restore::has_hooks(agent, class) {
        return false;
    }
    skip(agent, name, "loaded while Lucce was being started");
    agent.switch.leave_out(name);
    true
}

/// Files what the rewriter said: metadata, sites, risks, skips.
fn file(agent: &Agent, name: &str, rewritten: &mut lucce_classfile::Instrumented<'_>) {
    agent.quiet.add(rewritten);
    agent.catalog.add(rewritten);
    agent.risk.unguarded(rewritten.methods.iter().filter_map(|method| {
        let exposed = !method.risky_exit && risk::is_overridable(method.name, method.access);
        hooked(&method.outcome).filter(|_| exposed).map(|(id, _)| (method.name, method.desc, id))
    }));
    let mut uninstrumented = Vec::new();
    for method in &rewritten.methods {
        if let Some((_, huge)) = hooked(&method.outcome) {
            if huge {
                note_method(agent, name, method.name, method.desc, "crosses the JVM's compile limit of 8000 bytes");
            }
            continue;
        }
        let native = method.access & 0x0100 != 0;
        match &method.outcome {
            Outcome::Skipped(SkipReason::StaysOut) => agent.hidden.add(name, method.name, method.desc),
            Outcome::Skipped(reason) => {
                count(&agent.counters.methods_skipped);
                note_method(agent, name, method.name, method.desc, &reason.to_string());
            }
            Outcome::NoCode if native => {}
            _ => continue,
        }
        if risk::is_overridable(method.name, method.access) {
            uninstrumented.push(risk::signature(method.name, method.desc));
        }
    }
    let fresh = agent.risk.add(uninstrumented.into_iter());
    convert(agent, &fresh);
    // A signature of this very class may have become risky between its rewriting and its filing.
    let late: Vec<_> = rewritten
        .methods
        .iter()
        .filter(|method| !method.risky_exit && agent.risk.is_risky(method.name, method.desc))
        .map(|method| risk::signature(method.name, method.desc))
        .collect();
    convert(agent, &late);
}

/// A rewritten method turned out to run code that another agent changed after us: from now on it counts as uninstrumented.
pub fn disown(agent: &Agent, class: &str, name: &str, desc: &str) {
    count(&agent.counters.methods_skipped);
    note_method(agent, class, name.as_bytes(), desc.as_bytes(), "changed by another agent after Lucce");
    let fresh = agent.risk.add(std::iter::once(risk::signature(name.as_bytes(), desc.as_bytes())));
    convert(agent, &fresh);
}

/// Leaves a class alone: learns its signatures, and guards its loading methods.
fn leave(agent: &Agent, name: &str, boot: bool, jdk: bool, bytes: &[u8]) -> Option<Vec<u8>> {
    learn(agent, bytes, boot);
    if name.starts_with("org/lucce/") || name == "java/lang/LucceHooks" {
        return None;
    }
    let methods: &[_] = match name {
        "java/lang/ClassLoader" => &[LOAD_CLASS, CHECK_PACKAGE],
        "sun/instrument/InstrumentationImpl" => &[TRANSFORM],
        _ => &[LOAD_CLASS],
    };
    if !jdk {
        skip(agent, name, "excluded");
    }
    if agent.fault("guard") {
        return None;
    }
    guard(agent, name, bytes, methods)
}

fn guard(agent: &Agent, name: &str, bytes: &[u8], methods: &[(&[u8], &[u8])]) -> Option<Vec<u8>> {
    match lucce_classfile::guard(bytes, methods) {
        Ok(guarded) => {
            if guarded.is_some() && agent.options.exceptions.is_some() {
                methods.iter().for_each(|method| agent.guarded.add(name, method.0));
            }
            guarded
        }
        Err(reason) => {
            skip(agent, name, &format!("not guarded: {reason}"));
            None
        }
    }
}

/// A class of the JDK with fields and calls of the hooks added.
fn inserted(
    agent: &Agent,
    name: &str,
    bytes: &[u8],
    fields: &[(&[u8], &[u8])],
    calls: &[Insertion<'_>],
) -> Option<Vec<u8>> {
    match lucce_classfile::insert(bytes, fields, calls) {
        Ok(Some(inserted)) => Some(inserted),
        Ok(None) => {
            skip(agent, name, "its threads and tasks are not followed: it is not as it is known");
            None
        }
        Err(reason) => {
            skip(agent, name, &format!("its threads and tasks are not followed: {reason}"));
            None
        }
    }
}

fn learn(agent: &Agent, bytes: &[u8], boot: bool) {
    // A class that cannot be read cannot be defined either.
    let Ok(summary) = lucce_classfile::summary(bytes) else { return };
    if boot {
        agent.risk.learn_boot(&summary);
    }
    let fresh = agent.risk.learn(&summary);
    convert(agent, &fresh);
}

/// Signatures have become risky: plain virtual links to methods that do not forget at exit become restoring ones.
fn convert(agent: &Agent, signatures: &[Box<[u8]>]) {
    if agent.fault("conversion") {
        return;
    }
    for signature in signatures {
        for method in agent.risk.exposed_by(signature) {
            count(&agent.counters.conversions);
            agent.core.with(&agent.catalog, &agent.writer, |core, _| {
                let sites = core.convert(&agent.links, method);
                if let Some(cct) = &agent.cct {
                    cct.convert(&sites, method);
                }
            });
        }
    }
}

fn is_wanted(agent: &Agent, name: &str) -> bool {
    let dotted = name.replace('/', ".");
    let included =
        agent.options.include.is_empty() || agent.options.include.iter().any(|glob| glob_matches(glob, &dotted));
    included && !is_excluded(agent, name)
}

/// Does `exclude` name the class?
pub fn is_excluded(agent: &Agent, name: &str) -> bool {
    let dotted = name.replace('/', ".");
    agent.options.exclude.iter().any(|glob| glob_matches(glob, &dotted))
}

/// Names a class in the log that is left as it is.
pub fn skip(agent: &Agent, class: &str, reason: &str) {
    let record = Record::Skip { class: class.into(), method: None, reason: reason.into() };
    agent.writer.queue(vec![record]);
}

fn note_method(agent: &Agent, class: &str, name: &[u8], desc: &[u8], reason: &str) {
    let method = format!("{}{}", String::from_utf8_lossy(name), String::from_utf8_lossy(desc));
    agent.writer.queue(vec![Record::Skip { class: class.into(), method: Some(method), reason: reason.into() }]);
}

/// Writes a class under the `dump` folder; a failure is one line, once.
fn dump(agent: &Agent, side: &str, name: &str, bytes: &[u8]) {
    static WARNED: std::sync::Once = std::sync::Once::new();
    let Some(folder) = &agent.options.dump else { return };
    if name.split('/').any(|part| part == "..") {
        return;
    }
    let path = std::path::Path::new(folder).join(side).join(format!("{name}.class"));
    let written = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(&path, bytes));
    if let Err(error) = written {
        WARNED.call_once(|| {
            eprintln!("lucce: cannot dump {}: {error}; name another folder with dump=<dir>", path.display())
        });
    }
}

/// The name of a class, from the hook's parameter or, where that is null, from the bytes.
pub fn name_of(given: Option<&CStr>, bytes: &[u8]) -> Option<String> {
    match given {
        Some(name) => Some(name.to_string_lossy().into_owned()),
        None => lucce_classfile::summary(bytes).ok().map(|class| String::from_utf8_lossy(class.name).into_owned()),
    }
}
