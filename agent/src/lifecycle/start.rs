//! Start-up: options, the JVM's abilities, the log, the callbacks.

mod abilities;
mod archive;
mod attach;
mod hook_classes;
mod phases;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use jvmti_bindings::sys::jni::{JavaVM, jint};
use jvmti_bindings::sys::jvmti::{
    JVMTI_EVENT_CLASS_LOAD, JVMTI_EVENT_CLASS_PREPARE, JVMTI_EVENT_COMPILED_METHOD_LOAD,
    JVMTI_EVENT_DYNAMIC_CODE_GENERATED, JVMTI_EVENT_THREAD_END, JVMTI_EVENT_THREAD_START,
    JVMTI_EVENT_VIRTUAL_THREAD_END, jvmtiError, jvmtiEventCallbacks,
};
use lucce_embed::Lucce;
use lucce_log::{FORMAT, Header};

use crate::control::socket::Socket;
use crate::encode::made;
use crate::events::context_dump::ContextDump;
use crate::events::origins::Origins;
use crate::events::profile::Profile;
use crate::events::sources::{Sources, cpu};
use crate::events::tallies::Tallies;
use crate::hook_tables::calls::Calls;
use crate::hook_tables::context_table::ContextTable;
use crate::hook_tables::heap;
use crate::hook_tables::links::Links;
use crate::jvm::attached::Invocation;
use crate::jvm::image::Image;
use crate::jvm::jni::Native;
use crate::jvm::jvmti::Jvmti;
use crate::jvm::vm::Vm;
use crate::options::labels;
use crate::options::{self, Options};
use crate::rewrite::classes::HiddenLoaders;
use crate::rewrite::jdk::Hidden;
use crate::stack::methods::Methods;
use crate::stack::{learned, redefinitions};
use crate::state::agent::{Agent, Counters, Foreign, Guarded};
use crate::state::cache::Cache;
use crate::state::demand::Demand;
use crate::state::graph::Graph;
use crate::state::interposable::Interposable;
use crate::state::leaf_constructors::LeafConstructors;
use crate::state::leaf_methods::LeafMethods;
use crate::state::names::Names;
use crate::state::origin::ClassOrigins;
use crate::state::switch::Switch;
use crate::state::threads::Threads;
use crate::state::unload::Unloading;
use crate::support::kinds::Kinds;
use crate::support::mark::Mark;
use crate::support::stays::Stays;
use crate::verify::oracle::Oracle;
use crate::writer::{Files, Host, Naming, Writer};
use crate::{control::report, lifecycle::end};

pub use attach::on_attach;
pub use phases::{on_vm_init, on_vm_start};

/// What the writer asks of the agent.
const HOST: Host = Host { say: crate::support::say::line, figures: report::progress, trim: heap::trim };

/// Where others come into the agent.
pub struct Entrances {
    /// The JVM.
    pub callbacks: jvmtiEventCallbacks,
    /// The agent's own parts that log as other agents do.
    pub own: Lucce,
    /// The Java API, where no class is rewritten.
    pub walks: fn() -> Vec<Native>,
}

/// Agent_OnLoad's result: 0, or nonzero to stop the JVM's start.
pub fn on_load(vm: *mut JavaVM, options: &str, entrances: &Entrances) -> jint {
    let options = match Options::parse(options) {
        Ok(options) => options,
        Err(error) => {
            say!("{error}");
            return 1;
        }
    };
    if options.help {
        crate::support::say::help(&options::help());
        std::process::exit(0);
    }
    let (jvmti, name) = match environment(vm) {
        Ok(environment) => environment,
        Err(problem) => {
            say!("{problem}; nothing is recorded");
            return 0;
        }
    };
    if let Some(option) = archive::recorded_by() {
        say!("{option} records an archive, in which rewritten classes would do harm; nothing is recorded here");
        return 0;
    }
    match claim().and_then(|mark| set_up(vm, jvmti, options, (&name, entrances), mark)) {
        Ok(_) => 0,
        Err(problem) => {
            say!("{problem}");
            1
        }
    }
}

/// An environment of the JVM's, and its name.
fn environment(vm: *mut JavaVM) -> Result<(Jvmti, String), String> {
    let jvmti = Jvmti::of(vm).ok_or("this JVM has no JVMTI 11; Lucce needs HotSpot 11 or newer")?;
    let name = jvmti.property("java.vm.name").unwrap_or_default();
    if name.contains("OpenJ9") { Err(format!("{name} is not supported, only HotSpot is")) } else { Ok((jvmti, name)) }
}

/// One Lucce is at work in a process at a time.
fn claim() -> Result<Mark, String> {
    if Agent::get().is_some_and(|before| !before.has_left()) {
        return Err("the agent is loaded twice; name -agentpath once".into());
    }
    Mark::set().ok_or_else(|| "another copy of liblucce.so is at work in this JVM; there is one at a time".into())
}

fn set_up(
    vm: *mut JavaVM,
    jvmti: Jvmti,
    options: Options,
    (vm_name, entrances): (&str, &Entrances),
    mark: Mark,
) -> Result<&'static Agent, String> {
    let failed = |what: &str| {
        let what = what.to_string();
        move |error: jvmtiError| format!("{what}: JVMTI error {error}; is another agent of this JVM in the way?")
    };
    // JEP 444.
    let feature = jvmti.property("java.vm.specification.version").and_then(|version| version.parse().ok());
    let has_virtual_threads = feature.is_some_and(|feature: u32| feature >= 21);
    let jvmti = if options.jdk || has_virtual_threads { jvmti.naming_the_thread() } else { jvmti };
    let jvmti = if has_virtual_threads { jvmti } else { jvmti.losing_ids() };
    jvmti
        .add_capabilities(&abilities::wanted(&options, has_virtual_threads))
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
        labels: labels::of_run(&options.labels, |name| std::env::var(name).ok()),
        part: 1,
        // Each file has its own.
        inode: 0,
        born: 0,
    };
    // The JVM knows its own default only once it runs Java.
    let temporary = jvmti.property("java.io.tmpdir").filter(|folder| !folder.is_empty());
    let temporary = PathBuf::from(temporary.unwrap_or_else(|| "/tmp".into()));
    let files = Files::new(naming.clone(), options.keep);
    let writer = Arc::new(Writer::start(files, &temporary, header, options.limits, HOST)?);
    let space = "no address space for the tables; raise the limit (ulimit -v)";
    let (links, contexts) = (Links::reserve().ok_or(space)?, ContextTable::reserve().ok_or(space)?);
    let origins = Origins::reserve(options.follows_tasks && options.has_tallies()).ok_or(space)?;
    let encoder = made::of_run(&options, &naming)?;
    let tallies = if options.has_tallies() { Some(Tallies::reserve().ok_or(space)?) } else { None };
    let profile = Profile::of(&options, random());
    let home = jvmti.property("java.home");
    let (origin, image) = (ClassOrigins::new(home.as_deref()), Image::of(home.as_deref()));
    let methods = if options.has_hooks() {
        Methods::new(options.jdk)
    } else {
        Methods::of_names(learned::Unshown::of(home.as_deref().filter(|_| !options.fault("unshown"))))
    };
    let starts = options.start;
    let before = Agent::get().filter(|_| !options.fault("handed_on"));
    let stays = Stays::of(!options.has_hooks());
    let demand = Demand::new(&options);
    let cache = options.cache.as_ref().and_then(|path| open_cache(path, &options, &demand));
    let catalog = before.map_or_else(Arc::default, |before| Arc::clone(&before.catalog));
    let start = Instant::now();
    let graph = Graph::new(start, Arc::clone(&catalog), Arc::clone(&writer));
    let agent = Agent {
        jvmti,
        options,
        catalog,
        cache,
        graph,
        encoder,
        links,
        contexts,
        writer,
        methods,
        foreign: Foreign::default(),
        names: Names::default(),
        interposable: Interposable::default(),
        leaf_methods: LeafMethods::default(),
        leaf_constructors: LeafConstructors::default(),
        demand,
        hidden: Hidden::default(),
        hidden_loaders: HiddenLoaders::default(),
        origin,
        image,
        guarded: Guarded::default(),
        sources: Sources::default(),
        origins,
        unloading: Unloading::default(),
        fields: OnceLock::new(),
        threads: Threads::default(),
        oracle: Oracle::default(),
        counters: Counters::default(),
        kinds: Kinds::default(),
        context_dump: ContextDump::default(),
        tallies,
        profile,
        abi: Default::default(),
        // SAFETY: the pointer that the agent's entry point was given.
        vm_of_agents: unsafe { Vm::new(vm) },
        calls: Calls::default(),
        has_virtual_threads,
        switch: Switch::new(starts),
        control: Socket::default(),
        // SAFETY: the JVM's own pointer.
        vm: unsafe { Invocation::new(vm) },
        start,
        run_id,
        pid,
        mark,
        stays,
        dead: AtomicBool::new(false),
    };
    let agent = Agent::install(agent).ok_or("the agent is loaded twice; name -agentpath once")?;
    end::at_exit_too();
    jvmti.set_callbacks(&entrances.callbacks).map_err(failed("callbacks"))?;
    for &event in abilities::events(&agent.options) {
        jvmti.enable(event, true).map_err(failed("events"))?;
    }
    if agent.options.encoder.hears_of_thread_ends() {
        jvmti.enable(JVMTI_EVENT_THREAD_END, true).map_err(failed("events"))?;
        // Only JVMs with virtual threads know it.
        let _ = jvmti.enable(JVMTI_EVENT_VIRTUAL_THREAD_END, true);
    }
    if !agent.options.has_hooks() {
        redefinitions::watch(agent);
    }
    if let Some(interval) = agent.options.cpu {
        // The program runs without it, and knows.
        if let Err(problem) = watch_threads(jvmti, interval) {
            say!("{problem}; the run goes on without cpu");
        }
    }
    if let Some(bytes) = agent.options.alloc {
        jvmti.sample_every(bytes as i32).map_err(failed("alloc"))?;
    }
    if let (true, Some(bytes)) = (agent.options.leaks, agent.options.alloc) {
        // SAFETY: the JVM's own pointer, as the agent's entry point was given it.
        unsafe { lucce_leaks::start(vm, entrances.own, bytes) }?;
    }
    Ok(agent)
}

/// What `cpu` needs from the beginning: threads as they come and go, and what the JVM does for who
/// looks at stacks.
fn watch_threads(jvmti: Jvmti, interval: Duration) -> Result<(), String> {
    cpu::set_up(interval)?;
    for event in [
        JVMTI_EVENT_THREAD_START,
        JVMTI_EVENT_THREAD_END,
        JVMTI_EVENT_CLASS_LOAD,
        JVMTI_EVENT_CLASS_PREPARE,
        JVMTI_EVENT_COMPILED_METHOD_LOAD,
        JVMTI_EVENT_DYNAMIC_CODE_GENERATED,
    ] {
        jvmti.enable(event, true).map_err(|error| format!("cpu: JVMTI error {error}"))?;
    }
    Ok(())
}

/// Opens the cache; a run does without one that is not to be had, after a line.
fn open_cache(path: &str, options: &Options, demand: &Demand) -> Option<Cache> {
    let rewriting = crate::rewrite::classes::rewrite_options(options);
    let Options { jdk, entries, awake, faults, .. } = options;
    let told =
        format!("{rewriting:?} jdk {jdk} entries {entries:?} awake {awake:?} sleep {} {faults:?}", demand.is_on());
    Cache::open(Path::new(path), &told, random()).inspect_err(|problem| say!("{problem}")).ok()
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
