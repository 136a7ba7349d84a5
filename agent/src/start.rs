//! Start-up: options, the JVM's abilities, the log, the callbacks; at VMStart the hooks class, at VMInit the rest.

use std::ffi::CStr;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use jvmti_bindings::sys::jni::{JavaVM, jint, jvalue};
use jvmti_bindings::sys::jvmti::{
    JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, JVMTI_EVENT_CLASS_PREPARE, JVMTI_EVENT_EXCEPTION,
    JVMTI_EVENT_MONITOR_CONTENDED_ENTER, JVMTI_EVENT_MONITOR_CONTENDED_ENTERED, JVMTI_EVENT_OBJECT_FREE,
    JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, JVMTI_EVENT_THREAD_END, JVMTI_EVENT_VIRTUAL_THREAD_END, JVMTI_EVENT_VM_DEATH,
    JVMTI_EVENT_VM_INIT, JVMTI_EVENT_VM_START, jvmtiCapabilities, jvmtiError,
};
use lucce_log::{FORMAT, Ground, Header, OriginKind};
use lucce_words::OriginId;

use crate::abi::Abi;
use crate::agent::{Agent, Counters, Foreign, Guarded};
use crate::algorithm1::Paper;
use crate::callbacks;
use crate::calls::Calls;
use crate::catalog::Catalog;
use crate::cct::Cct;
use crate::context_table::ContextTable;
use crate::control::Socket;
use crate::core::Core;
use crate::entered::Entered;
use crate::jdk::{self, Hidden};
use crate::jvm::attached::Invocation;
use crate::jvm::jni::Jni;
use crate::jvm::jvmti::Jvmti;
use crate::jvm::methods::Methods;
use crate::jvm::thread::ThreadFields;
use crate::kinds::Kinds;
use crate::links::Links;
use crate::names::Names;
use crate::options::{EncoderKind, HELP, Options};
use crate::oracle::Oracle;
use crate::origin::Origin;
use crate::origins::{self, Origins};
use crate::quiet::Quiet;
use crate::report;
use crate::risk::Risk;
use crate::sources::{Sources, cpu};
use crate::switch::{Mode, Switch};
use crate::tallies::Tallies;
use crate::threads::Threads;
use crate::unload::Unloading;
use crate::writer::{Files, Naming, Writer};

/// The compiled `java.lang.LucceHooks`.
static HOOKS: &[u8] = include_bytes!(env!("LUCCE_HOOKS_CLASS_FILE"));
/// The compiled `java.lang.LucceOrigins`.
static ORIGINS: &[u8] = include_bytes!(env!("LUCCE_ORIGINS_CLASS_FILE"));
/// The compiled `java.lang.LucceTask` and `java.lang.LucceTasks`, for `async=on`.
static TASK: &[u8] = include_bytes!(env!("LUCCE_TASK_CLASS_FILE"));
static TASKS: &[u8] = include_bytes!(env!("LUCCE_TASKS_CLASS_FILE"));
/// The compiled `java.lang.LucceTree`, for `encoder=cct`.
static TREE: &[u8] = include_bytes!(env!("LUCCE_TREE_CLASS_FILE"));
/// The compiled `java.lang.LucceLocks`, for `locks`.
static LOCKS: &[u8] = include_bytes!(env!("LUCCE_LOCKS_CLASS_FILE"));
/// The compiled `java.lang.LucceTallies` and `java.lang.LucceClass`, for `alloc=all` and `entries`.
static TALLIES: &[u8] = include_bytes!(env!("LUCCE_TALLIES_CLASS_FILE"));
static CLASS: &[u8] = include_bytes!(env!("LUCCE_CLASS_CLASS_FILE"));
/// JVMTI_CLASS_STATUS_INITIALIZED.
const INITIALIZED: i32 = 4;

/// Agent_OnLoad's result: 0, or nonzero to stop the JVM's start.
pub fn on_load(vm: *mut JavaVM, options: &str) -> jint {
    let options = match Options::parse(options) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("lucce: {error}");
            return 1;
        }
    };
    if options.help {
        println!("{HELP}");
        std::process::exit(0);
    }
    let Some(jvmti) = Jvmti::of(vm) else {
        eprintln!("lucce: this JVM has no JVMTI 11; Lucce needs HotSpot 11 or newer; nothing is recorded");
        return 0;
    };
    let name = jvmti.property("java.vm.name").unwrap_or_default();
    if name.contains("OpenJ9") {
        eprintln!("lucce: {name} is not supported, only HotSpot is; nothing is recorded");
        return 0;
    }
    match set_up(vm, jvmti, options, &name) {
        Ok(()) => 0,
        Err(problem) => {
            eprintln!("lucce: {problem}");
            1
        }
    }
}

fn set_up(vm: *mut JavaVM, jvmti: Jvmti, options: Options, vm_name: &str) -> Result<(), String> {
    let algorithm1 = options.encoder == EncoderKind::Algorithm1;
    let jvmti = if options.jdk { jvmti.naming_the_thread() } else { jvmti };
    let failed = |what: &str| {
        let what = what.to_string();
        move |error: jvmtiError| format!("{what}: JVMTI error {error}; is another agent of this JVM in the way?")
    };
    // JEP 444.
    let feature = jvmti.property("java.vm.specification.version").and_then(|version| version.parse().ok());
    let has_virtual_threads = feature.is_some_and(|feature: u32| feature >= 21);
    jvmti
        .add_capabilities(&capabilities(&options, has_virtual_threads))
        .map_err(failed("the JVM refuses the abilities Lucce needs"))?;
    let version = jvmti.property("java.vm.version").unwrap_or_default();
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let host = host_name();
    let pid = std::process::id();
    let run_id = random() >> 1 | 1;
    let naming = Naming { pattern: options.file.clone(), pid, time: since_epoch.as_secs(), host: host.clone() };
    let header = Header {
        format: FORMAT,
        run_id,
        agent: concat!("lucce ", env!("CARGO_PKG_VERSION")).into(),
        jvm: format!("{vm_name} {version}"),
        options: options.text.clone(),
        pid,
        host,
        start_unix_ns: since_epoch.as_nanos() as u64,
        encoder: options.encoder.name().into(),
        part: 1,
    };
    // The JVM knows its own default only once it runs Java.
    let temporary = jvmti.property("java.io.tmpdir").filter(|folder| !folder.is_empty());
    let temporary = PathBuf::from(temporary.unwrap_or_else(|| "/tmp".into()));
    let files = Files::new(naming, options.keep);
    let writer = Writer::start(files, &temporary, header, options.limits, report::progress)?;
    let space = "no address space for the tables; raise the limit (ulimit -v)";
    let (links, contexts) = (Links::reserve().ok_or(space)?, ContextTable::reserve().ok_or(space)?);
    let origins = Origins::reserve().ok_or(space)?;
    let cct = match options.encoder {
        EncoderKind::Cct => Some(Cct::reserve(options.cct_memory.into()).ok_or("no address space for the trees")?),
        _ => None,
    };
    let tallies = if options.has_tallies() { Some(Tallies::reserve().ok_or(space)?) } else { None };
    let origin = Origin::new(jvmti.property("java.home").as_deref());
    let (alloc, leaks, jdk, starts) = (options.alloc, options.leaks, options.jdk, options.start);
    let agent_has_trees = cct.is_some();
    let agent = Agent {
        jvmti,
        options,
        catalog: Catalog::default(),
        core: Core::new(),
        algorithm1: algorithm1.then(Paper::default),
        cct,
        links,
        contexts,
        writer,
        methods: Methods::new(jdk),
        foreign: Foreign::default(),
        names: Names::default(),
        risk: Risk::default(),
        quiet: Quiet::default(),
        hidden: Hidden::default(),
        origin,
        guarded: Guarded::default(),
        sources: Sources::default(),
        origins,
        unloading: Unloading::default(),
        fields: OnceLock::new(),
        threads: Threads::default(),
        oracle: Oracle::default(),
        counters: Counters::default(),
        kinds: Kinds::default(),
        entered: Entered::default(),
        tallies,
        abi: Abi::new(vm),
        calls: Calls::default(),
        has_virtual_threads,
        switch: Switch::new(starts),
        control: Socket::default(),
        // SAFETY: the JVM's own pointer.
        vm: unsafe { Invocation::new(vm) },
        start: Instant::now(),
        run_id,
        dead: AtomicBool::new(false),
    };
    Agent::install(agent).ok_or("the agent is loaded twice; name -agentpath once")?;
    jvmti.set_callbacks(&callbacks::table()).map_err(failed("callbacks"))?;
    for event in [
        JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
        JVMTI_EVENT_CLASS_PREPARE,
        JVMTI_EVENT_OBJECT_FREE,
        JVMTI_EVENT_VM_START,
        JVMTI_EVENT_VM_INIT,
        JVMTI_EVENT_VM_DEATH,
    ] {
        jvmti.enable(event, true).map_err(failed("events"))?;
    }
    if agent_has_trees {
        jvmti.enable(JVMTI_EVENT_THREAD_END, true).map_err(failed("events"))?;
        // Only JVMs with virtual threads know it.
        let _ = jvmti.enable(JVMTI_EVENT_VIRTUAL_THREAD_END, true);
    }
    if let Some(bytes) = alloc {
        jvmti.sample_every(bytes as i32).map_err(failed("alloc"))?;
    }
    if let (true, Some(bytes)) = (leaks, alloc) {
        // SAFETY: the JVM's own pointer, as Agent_OnLoad was given it.
        unsafe { lucce_leaks::start(vm, bytes) }?;
    }
    Ok(())
}

/// VMStart: the hooks class is defined in `java.base` before anything that was rewritten can run.
pub fn on_vm_start(agent: &Agent, jni: Jni) {
    let thread = jni.find_class(c"java/lang/Thread");
    // Nobody may ask for a field that is not there: its exception would come before the JVM can make one.
    let continuations = agent.options.jdk && agent.has_virtual_threads;
    let Some(fields) = ThreadFields::find(jni, thread, agent.algorithm1.is_some(), continuations) else {
        eprintln!("lucce: java.lang.Thread was loaded before the agent; nothing is recorded");
        return;
    };
    agent.threads.find(jni, thread);
    agent.abi.knows_threads(jni, thread);
    // Set once: VMStart is posted once.
    let _ = agent.fields.set(fields);
    let hooks = jni.define_boot_class(c"java/lang/LucceHooks", HOOKS);
    let origins = jni.define_boot_class(c"java/lang/LucceOrigins", ORIGINS);
    let tree = agent.cct.is_none() || !jni.define_boot_class(c"java/lang/LucceTree", TREE).is_null();
    let define = |name, bytes| !jni.define_boot_class(name, bytes).is_null();
    let tallies =
        agent.tallies.is_none() || define(c"java/lang/LucceClass", CLASS) && define(c"java/lang/LucceTallies", TALLIES);
    let tasks =
        !agent.options.follows_tasks || define(c"java/lang/LucceTask", TASK) && define(c"java/lang/LucceTasks", TASKS);
    if hooks.is_null() || origins.is_null() || !tree || !tallies || !tasks {
        eprintln!("lucce: the hooks class cannot be defined in this JVM; nothing is recorded");
    }
}

/// VMInit: the loaders are known, and which boot classes are initialised.
pub fn on_vm_init(agent: &'static Agent, jni: Jni) {
    // Initialises the hooks. Without them nothing may be rewritten; as long as the loaders are not known, nothing is.
    let hooks = jni.find_class(c"java/lang/LucceHooks");
    if hooks.is_null() || jni.static_method(hooks, c"enter", c"(Ljava/lang/Thread;I)J").is_null() {
        eprintln!("lucce: the hooks class does not start in this JVM; nothing is recorded");
        return;
    }
    if agent.cct.is_some() {
        let tree = jni.find_class(c"java/lang/LucceTree");
        if tree.is_null() || jni.static_method(tree, c"enter", c"(Ljava/lang/Thread;I)J").is_null() {
            eprintln!("lucce: the class of the trees does not start in this JVM; nothing is recorded");
            return;
        }
    }
    if let Some(counts) = &agent.tallies {
        let class = jni.find_class(c"java/lang/LucceTallies");
        if class.is_null() || jni.static_method(class, c"entered", c"(Ljava/lang/Thread;JI)V").is_null() {
            eprintln!("lucce: the class of the tallies does not start in this JVM; nothing is recorded");
            return;
        }
        counts.start(agent);
    }
    let origins = jni.find_class(c"java/lang/LucceOrigins");
    if !origins.is_null() {
        let begin = jni.static_method(origins, c"begin", c"(I)V");
        if !begin.is_null() && agent.options.encoder.has_contexts() {
            let failed = origins::without(agent, OriginKind::Started, Ground::Lost, OriginId(0));
            jni.call_static_void(origins, begin, &[jvalue { i: failed.0 as jint }]);
        }
    }
    agent.origin.find_loaders(jni);
    hide_fields(jni, c"java/lang/Thread", &ThreadFields::NAMES);
    if agent.options.follows_tasks {
        for class in [c"java/util/concurrent/FutureTask", c"java/util/concurrent/ForkJoinTask", c"java/util/TimerTask"]
        {
            hide_fields(jni, class, &[c"$lucce$origin"]);
        }
    }
    jni.reserve(1 << 14);
    let loaded = agent.jvmti.loaded_classes();
    for &class in &loaded {
        let boot = agent.jvmti.class_loader(class).is_some_and(|loader| {
            jni.release(loader);
            loader.is_null()
        });
        if boot
            && agent.jvmti.class_status(class) & INITIALIZED != 0
            && let Some(signature) = agent.jvmti.class_signature(class)
            && let Some(name) = signature.strip_prefix('L').and_then(|name| name.strip_suffix(';'))
        {
            agent.risk.initialised(name.as_bytes());
        }
    }
    if agent.options.jdk {
        jdk::retransform(agent, jni, &loaded);
    }
    loaded.into_iter().for_each(|class| jni.release(class));
    if agent.options.alloc.is_some()
        && agent.switch.mode() == Mode::On
        && agent.jvmti.enable(JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, true).is_err()
    {
        eprintln!("lucce: this JVM does not sample allocations; alloc is ignored");
    }
    if agent.options.exceptions.is_some() && agent.jvmti.enable(JVMTI_EVENT_EXCEPTION, true).is_err() {
        eprintln!("lucce: this JVM does not tell of exceptions; exceptions is ignored");
    }
    if agent.options.locks {
        watch_locks(agent, jni);
    }
    cpu::start(agent);
    agent.control.open(agent, agent.vm);
}

/// Contended monitors; and, once what they call is there, the parks of LockSupport.
fn watch_locks(agent: &Agent, jni: Jni) {
    for event in [JVMTI_EVENT_MONITOR_CONTENDED_ENTER, JVMTI_EVENT_MONITOR_CONTENDED_ENTERED] {
        if agent.jvmti.enable(event, true).is_err() {
            eprintln!("lucce: this JVM does not tell of monitors; locks knows none");
        }
    }
    let hook = c"parked";
    let locks = jni.define_boot_class(c"java/lang/LucceLocks", LOCKS);
    let support = jni.find_class(c"java/util/concurrent/locks/LockSupport");
    let initialised = !locks.is_null() && !jni.static_method(locks, hook, c"(Ljava/lang/Object;J)V").is_null();
    if !initialised || support.is_null() || agent.jvmti.retransform(&[support]).is_err() {
        eprintln!("lucce: this JVM does not let LockSupport be rewritten; locks knows no parks");
    }
}

/// Keeps the fields added to a class out of reflection: programs that look at all public fields would meet them.
/// Source: `jdk.internal.reflect.Reflection.registerFieldsToFilter`; (Class, Set) since 12, (Class, String...) in 11.
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
        jni.set_element(array, index, jni.call_object(jni.string(name.to_str().ok()), intern));
    }
    let of = jni.static_method(set, c"of", c"([Ljava/lang/Object;)Ljava/util/Set;");
    let register = c"registerFieldsToFilter";
    let by_set = jni.static_method(reflection, register, c"(Ljava/lang/Class;Ljava/util/Set;)V");
    let by_names = jni.static_method(reflection, register, c"(Ljava/lang/Class;[Ljava/lang/String;)V");
    if !by_set.is_null() && !of.is_null() {
        let names = jni.call_static_object_with(set, of, &[jvalue { l: array }]);
        jni.call_static_void(reflection, by_set, &[jvalue { l: class }, jvalue { l: names }]);
    } else if !by_names.is_null() {
        jni.call_static_void(reflection, by_names, &[jvalue { l: class }, jvalue { l: array }]);
    }
}

fn capabilities(options: &Options, has_virtual_threads: bool) -> jvmtiCapabilities {
    let mut wanted = jvmtiCapabilities::default();
    let reports_threads = options.encoder == EncoderKind::Cct || options.exceptions.is_some() || options.locks;
    wanted.set_can_support_virtual_threads(reports_threads && has_virtual_threads);
    wanted.set_can_generate_all_class_hook_events(true);
    wanted.set_can_generate_early_class_hook_events(true);
    wanted.set_can_generate_early_vmstart(true);
    wanted.set_can_retransform_classes(true);
    wanted.set_can_tag_objects(true);
    wanted.set_can_generate_object_free_events(true);
    wanted.set_can_get_bytecodes(true);
    wanted.set_can_get_line_numbers(true);
    wanted.set_can_generate_sampled_object_alloc_events(options.alloc.is_some());
    wanted.set_can_generate_exception_events(options.exceptions.is_some());
    wanted.set_can_access_local_variables(options.reads_locals());
    wanted.set_can_generate_monitor_events(options.locks);
    wanted
}

fn host_name() -> String {
    let mut buffer = [0_u8; 256];
    // SAFETY: the buffer is as long as stated, and its last byte stays zero.
    let code = unsafe { libc::gethostname(buffer.as_mut_ptr().cast(), buffer.len() - 1) };
    let end = buffer.iter().position(|&byte| byte == 0).unwrap_or(0);
    if code == 0 { String::from_utf8_lossy(&buffer[..end]).into_owned() } else { "host".into() }
}

/// A random number for the run, from the hasher's own seed.
fn random() -> u64 {
    use std::hash::{BuildHasher, Hasher, RandomState};
    RandomState::new().build_hasher().finish()
}
