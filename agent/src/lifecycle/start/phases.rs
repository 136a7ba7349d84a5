//! Start-up once there is Java: at VMStart the hooks class, at VMInit what else hooks need
//! ([`ready_hooks`]), and then the event sources ([`begin`]). Where no class is rewritten there are
//! only those, and the class by which the Java API asks ([`answer`]); an agent that is attached to
//! a running JVM begins with them.

use std::ffi::CStr;

use jvmti_bindings::sys::jni::{jint, jvalue};
use lucce_log::{Ground, OriginKind};
use lucce_words::{NodeId, signature};

use super::hook_classes;
use crate::events::origins::{self};
use crate::events::sources::{cpu, registered};
use crate::jvm::jni::{Jni, Native};
use crate::jvm::thread::{JavaThread, ThreadFields};
use crate::jvm::walks_class;
use crate::options::Verify;
use crate::rewrite::classes;
use crate::rewrite::jdk::{self};
use crate::stack::upcalls;
use crate::state::agent::Agent;

/// VMStart: the hooks class is defined in `java.base` before anything that was rewritten can run.
pub fn on_vm_start(agent: &Agent, jni: Jni) {
    let thread = jni.find_class(c"java/lang/Thread");
    // Nobody may ask for a field that is not there: its exception would come before the JVM can
    // make one.
    let continuations = agent.jvm.has_virtual_threads;
    let Some(fields) = ThreadFields::find(jni, thread, agent.options.encoder.has_versions(), continuations) else {
        say!("java.lang.Thread was loaded before the agent; nothing is recorded");
        return;
    };
    agent.events.threads.find(jni, thread, true);
    agent.jvm.knows_threads(jni, thread);
    // Set once: VMStart is posted once.
    let _ = agent.jvm.fields.set(fields);
    if !hook_classes::define_all(agent, jni) {
        say!("the hooks class cannot be defined in this JVM; nothing is recorded");
    }
}

/// VMInit. `natives`: those of the class by which the Java API asks where no class is rewritten.
pub fn on_vm_init(agent: &'static Agent, thread: JavaThread, natives: fn() -> Vec<Native>) {
    if !agent.options.has_hooks() {
        cpu::learn_loaded(agent, thread.jni);
    } else if !ready_hooks(agent, thread) {
        return;
    }
    begin(agent, thread, natives);
}

/// The loaders are known, and which boot classes are initialised. Do the hooks start?
fn ready_hooks(agent: &'static Agent, thread: JavaThread) -> bool {
    let jni = thread.jni;
    // Initialises the hooks. Without them nothing may be rewritten; as long as the loaders are not
    // known, nothing is.
    let hooks = jni.find_class(c"java/lang/LucceHooks");
    if hooks.is_null() || jni.static_method(hooks, c"enter", c"(Ljava/lang/Thread;I)J").is_null() {
        say!("the hooks class does not start in this JVM; nothing is recorded");
        return false;
    }
    if let Some(name) = agent.encoder.hook_class() {
        let class = jni.find_class(name);
        if class.is_null() || jni.static_method(class, c"enter", c"(Ljava/lang/Thread;I)J").is_null() {
            say!("the encoder's own hooks do not start in this JVM; nothing is recorded");
            return false;
        }
    }
    if let Some(counts) = &agent.events.tallies {
        let class = jni.find_class(c"java/lang/LucceTallies");
        if class.is_null() || jni.static_method(class, c"entered", c"(Ljava/lang/Thread;JI)V").is_null() {
            say!("the class of the tallies does not start in this JVM; nothing is recorded");
            return false;
        }
        counts.start(agent);
    }
    if let Some(profile) = &agent.events.profile {
        profile.start(&agent.jvm, thread);
    }
    let origins = jni.find_class(c"java/lang/LucceOrigins");
    if !origins.is_null() {
        let begin = jni.static_method(origins, c"begin", c"(IZ)V");
        if !begin.is_null() && agent.options.encoder.has_contexts() {
            let failed = origins::unknown(agent, OriginKind::Started, Ground::Lost);
            let follows_tasks = jvalue { z: agent.options.follows_tasks.into() };
            jni.call_static_void(origins, begin, &[jvalue { i: failed.0 as jint }, follows_tasks]);
        }
    }
    if agent.options.follows_tasks {
        // Initialises it: where the first task is handed over the stack may be about to end.
        let tasks = jni.find_class(c"java/lang/LucceTasks");
        if !tasks.is_null() {
            jni.static_method(tasks, c"ready", c"()V");
        }
    }
    agent.classes.origin.find_loaders(jni);
    hide_fields(jni, c"java/lang/Thread", &ThreadFields::NAMES);
    if agent.options.follows_tasks {
        for class in [c"java/util/concurrent/FutureTask", c"java/util/concurrent/ForkJoinTask", c"java/util/TimerTask"]
        {
            hide_fields(jni, class, &[c"$lucce$origin"]);
        }
    }
    jni.reserve(1 << 14);
    let loaded = agent.jvm.jvmti.loaded_classes();
    for &class in &loaded {
        cpu::prepared(agent, jni, class);
        let boot = agent.jvm.jvmti.class_loader(class).is_some_and(|loader| {
            jni.release(loader);
            loader.is_null()
        });
        if boot
            && let Some(signature) = agent.jvm.jvmti.class_signature(class)
            && let Some(name) = signature::class(&signature)
        {
            if agent.jvm.jvmti.is_initialised(class) {
                agent.classes.interposable.initialised(name.as_bytes());
            }
            if classes::is_appended(agent, jni, name) {
                classes::skip(&agent.run, name, classes::APPENDED);
            }
        }
    }
    if agent.options.jdk {
        jdk::retransform(agent, jni, &loaded);
    }
    loaded.into_iter().for_each(|class| jni.release(class));
    true
}

/// Events are taken from now on, and commands. `thread` is the running one, `natives` as above.
pub fn begin(agent: &'static Agent, thread: JavaThread, natives: fn() -> Vec<Native>) {
    if !agent.options.has_hooks() {
        let class = thread.jni.find_class(c"java/lang/Thread");
        agent.events.threads.find(thread.jni, class, false);
        agent.jvm.knows_threads(thread.jni, class);
        thread.jni.release(class);
        answer(agent, thread.jni, &natives());
    }
    if let Verify::Each(time) = agent.options.verify {
        agent.oracle.ticks.start(&agent.run.dead, time);
    }
    for registered in registered::on(&agent.options) {
        if let Some(name) = registered.body.hook_class().filter(|_| agent.options.has_hooks()) {
            hook_classes::define(thread.jni, name);
        }
        registered.body.start(agent, thread, registered.source.name());
    }
    if agent.options.has_hooks() {
        upcalls::watch(agent);
    }
    agent.control.open(agent, agent.jvm.invocation);
}

/// The Java API is answered from now on, where no class is rewritten.
fn answer(agent: &Agent, jni: Jni, natives: &[Native]) {
    let class = hook_classes::define(jni, walks_class::NAME);
    // Before the first number of this run is given.
    let given = walks_class::find(jni, class).inspect(|&given| {
        if !agent.fault("numbers") {
            agent.graph.locked(|graph| graph.go_on_behind(NodeId(given)));
        }
    });
    if given.is_none() || !walks_class::open(agent.jvm.jvmti, jni, natives) {
        say!("the class of what programs ask cannot be had in this JVM; nothing can be asked");
    }
}

/// Keeps the fields added to a class out of reflection: programs that look at all public fields
/// would meet them.
/// Source: `jdk.internal.reflect.Reflection.registerFieldsToFilter`; (Class, Set) since 12, (Class,
/// String...) in 11.
fn hide_fields(jni: Jni, class: &CStr, names: &[&CStr]) {
    let reflection = jni.find_class(c"jdk/internal/reflect/Reflection");
    let class = jni.find_class(class);
    let string = jni.find_class(c"java/lang/String");
    let set = jni.find_class(c"java/util/Set");
    if [reflection, class, string, set].iter().any(|class| class.is_null()) {
        return;
    }
    let array = jni.new_objects(names.len(), string);
    // JDK 11 compares by identity.
    let intern = jni.method(string, c"intern", c"()Ljava/lang/String;");
    for (index, name) in names.iter().enumerate() {
        let text = jni.string(name.to_str().ok());
        let interned = jni.call_object(text, intern);
        jni.set_element(array, index, interned);
        // A callback has room for few references.
        jni.release(interned);
        jni.release(text);
    }
    let of = jni.static_method(set, c"of", c"([Ljava/lang/Object;)Ljava/util/Set;");
    let register = c"registerFieldsToFilter";
    let by_set = jni.static_method(reflection, register, c"(Ljava/lang/Class;Ljava/util/Set;)V");
    if !by_set.is_null() && !of.is_null() {
        let names = jni.call_static_object_with(set, of, &[jvalue { l: array }]);
        jni.call_static_void(reflection, by_set, &[jvalue { l: class }, jvalue { l: names }]);
        return;
    }
    let by_names = jni.static_method(reflection, register, c"(Ljava/lang/Class;[Ljava/lang/String;)V");
    if !by_names.is_null() {
        jni.call_static_void(reflection, by_names, &[jvalue { l: class }, jvalue { l: array }]);
    }
}
