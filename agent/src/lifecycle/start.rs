//! Start-up: options, the JVM's abilities, the log, the callbacks.

mod abilities;
mod archive;
mod attach;
mod hook_classes;
mod phases;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
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
use crate::control::{ending, report};
use crate::encode::made;
use crate::events::{part::Events, sources::cpu};
use crate::hook_tables::heap;
use crate::hook_tables::tables::HookTables;
use crate::jvm::jni::Native;
use crate::jvm::jvmti::Jvmti;
use crate::jvm::part::Jvm;
use crate::lifecycle::end;
use crate::options::labels;
use crate::options::{self, Options};
use crate::stack::{part::FrameMethods, redefinitions};
use crate::state::agent::{Agent, Counters};
use crate::state::cache::Cache;
use crate::state::classes::Classes;
use crate::state::demand::Demand;
use crate::state::graph::Graph;
use crate::state::run::Run;
use crate::state::switch::Switch;
use crate::support::mark::Mark;
use crate::support::stays::Stays;
use crate::verify::oracle::Oracle;
use crate::writer::{Files, Host, Naming, Writer};

pub use attach::on_attach;
pub use phases::{on_vm_init, on_vm_start};

/// What the writer asks of the agent.
const HOST: Host =
    Host { say: crate::support::say::line, figures: report::progress, trim: heap::trim, ended: ending::log_has_ended };

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
    if Agent::get().is_some_and(|before| !before.run.has_left()) {
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
    // JEP 444.
    let feature = jvmti.property("java.vm.specification.version").and_then(|version| version.parse().ok());
    let has_virtual_threads = feature.is_some_and(|feature: u32| feature >= 21);
    let jvmti = if options.jdk || has_virtual_threads { jvmti.naming_the_thread() } else { jvmti };
    let jvmti = if has_virtual_threads { jvmti } else { jvmti.losing_ids() };
    jvmti
        .add_capabilities(&abilities::wanted(&options, has_virtual_threads))
        .map_err(failed("the JVM refuses the abilities Lucce needs"))?;
    let home = jvmti.property("java.home");
    // SAFETY: the pointer that the agent's entry point was given.
    let jvm = unsafe { Jvm::new(vm, jvmti, has_virtual_threads, home.as_deref()) };
    let agent = parts(jvm, options, vm_name, home.as_deref(), mark)?;
    let agent = Agent::install(agent).ok_or("the agent is loaded twice; name -agentpath once")?;
    end::at_exit_too();
    listen(agent, &entrances.callbacks)?;
    if let (true, Some(bytes)) = (agent.options.leaks, agent.options.alloc) {
        // SAFETY: the JVM's own pointer, as the agent's entry point was given it.
        unsafe { lucce_leaks::start(vm, entrances.own, bytes) }?;
    }
    Ok(agent)
}

/// Why the run cannot start where the JVM refuses this.
fn failed(what: &str) -> impl FnOnce(jvmtiError) -> String {
    move |error| format!("{what}: JVMTI error {error}; is another agent of this JVM in the way?")
}

/// The parts of a run, whose log begins here.
fn parts(jvm: Jvm, options: Options, vm_name: &str, home: Option<&str>, mark: Mark) -> Result<Agent, String> {
    let version = jvm.jvmti.property("java.vm.version").unwrap_or_default();
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let pid = std::process::id();
    let naming = Naming { pattern: options.file.clone(), pid, time: since_epoch.as_secs(), host: host_name() };
    let header = Header {
        format: FORMAT,
        run_id: random() >> 1 | 1,
        agent: concat!("lucce ", env!("CARGO_PKG_VERSION")).into(),
        jvm: format!("{vm_name} {version}"),
        options: options.text.clone(),
        pid,
        host: naming.host.clone(),
        start_unix_ns: since_epoch.as_nanos() as u64,
        encoder: options.encoder.name().into(),
        labels: labels::of_run(&options.labels, |name| std::env::var(name).ok()),
        part: 1,
        // Each file has its own.
        inode: 0,
        born: 0,
    };
    let id = header.run_id;
    // The JVM knows its own default only once it runs Java.
    let temporary = jvm.jvmti.property("java.io.tmpdir").filter(|folder| !folder.is_empty());
    let temporary = PathBuf::from(temporary.unwrap_or_else(|| "/tmp".into()));
    let files = Files::new(naming.clone(), options.keep);
    let writer = Arc::new(Writer::start(files, &temporary, header, options.limits, HOST)?);
    let space = "no address space for the tables; raise the limit (ulimit -v)";
    let tables = HookTables::reserve().ok_or(space)?;
    let events = Events::reserve(&options, random()).ok_or(space)?;
    let encoder = made::of_run(&options, &naming)?;
    let stack = FrameMethods::of_run(&options, home);
    let before = Agent::get().filter(|_| !options.fault("handed_on"));
    let catalog = before.map_or_else(Arc::default, |before| Arc::clone(&before.classes.catalog));
    let demand = Demand::new(&options);
    let cache = options.cache.as_ref().and_then(|path| open_cache(path, &options, &demand));
    let classes = Classes::of_run(home, Arc::clone(&catalog), cache, demand);
    let start = Instant::now();
    let graph = Graph::new(start, catalog, Arc::clone(&writer));
    let run = Run {
        id,
        pid,
        start,
        writer,
        switch: Switch::new(options.start),
        counters: Counters::default(),
        mark,
        stays: Stays::of(!options.has_hooks()),
        dead: AtomicBool::new(false),
    };
    let (oracle, control) = (Oracle::default(), Socket::default());
    Ok(Agent { jvm, options, classes, graph, encoder, tables, stack, oracle, events, control, run })
}

/// Has the JVM call the agent from now on.
fn listen(agent: &Agent, callbacks: &jvmtiEventCallbacks) -> Result<(), String> {
    let jvmti = agent.jvm.jvmti;
    jvmti.set_callbacks(callbacks).map_err(failed("callbacks"))?;
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
    Ok(())
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
