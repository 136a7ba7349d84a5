//! Attach: the agent comes into a JVM that runs, or that is about to run `main`, and rewrites no
//! class (`hooks=off`).
//!
//! Invariant: what cannot be had leaves the JVM as it was: nothing is begun before the JVM has
//! given all abilities. The line that says why goes to standard error, and to the file that the
//! attaching program has made for it.
//! Source: JVMTI "Agent Start-Up (live phase)"; docs/design/attach.md.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;

use jvmti_bindings::sys::jni::{JavaVM, jint};
use jvmti_bindings::sys::jvmti::JVMTI_EVENT_VM_INIT;

use super::{Entrances, abilities, claim, environment, phases, set_up};
use crate::control::ending;
use crate::jvm::attached::Invocation;
use crate::jvm::jvmti::Jvmti;
use crate::jvm::thread::JavaThread;
use crate::options::Options;
use crate::state::agent::Agent;

/// Before the options: the file that takes the answer. `lucce-decode attach` makes it, empty, and
/// reads it.
const ANSWER: &str = "answer=";

const STARTING: &str = "the JVM is still starting: try again";

/// Agent_OnAttach's result: 0, or nonzero where nothing was begun.
pub fn on_attach(vm: *mut JavaVM, options: &str, entrances: &Entrances) -> jint {
    let (answer, options) = match options.strip_prefix(ANSWER) {
        Some(rest) => rest.split_once(',').map_or((Some(rest), ""), |(file, options)| (Some(file), options)),
        None => (None, options),
    };
    let (code, line) = match begin(vm, options, entrances) {
        Ok(agent) => {
            let log = agent.run.writer.path();
            (0, format!("log {}", std::path::absolute(&log).unwrap_or(log).display()))
        }
        Err(problem) => {
            say!("{problem}; nothing was changed");
            (1, problem)
        }
    };
    if let Some(file) = answer {
        // Where it cannot be written, the code says enough.
        let _ = write(file, &line);
    }
    code
}

fn begin(vm: *mut JavaVM, text: &str, entrances: &Entrances) -> Result<&'static Agent, String> {
    let before = match Agent::get() {
        Some(agent) if agent.run.has_left() => Some(agent.jvm.jvmti),
        Some(agent) if agent.run.switch.is_ended() && !agent.options.has_hooks() => {
            return Err("Lucce is leaving this JVM: try again".into());
        }
        Some(agent) if agent.run.switch.is_ended() => {
            return Err("Lucce was killed here, but its hooks stay: start the JVM again".into());
        }
        Some(agent) => {
            let (pid, log) = (agent.run.pid, agent.run.writer.path());
            return Err(format!(
                "Lucce is there already and writes {}: see lucce-decode ctl {pid} status",
                log.display()
            ));
        }
        None => None,
    };
    let options = Options::parse_attached(text).map_err(|error| error.to_string())?;
    // The JVM keeps each environment that it has given, and asks it at each event.
    let of_before = before.map(|jvmti| (jvmti, jvmti.property("java.vm.name").unwrap_or_default()));
    let (jvmti, name) =
        of_before.map_or_else(|| environment(vm), Ok).map_err(|problem| format!("{STARTING}; else {problem}"))?;
    come(vm, jvmti, options, (&name, entrances)).inspect_err(|_| match Agent::get() {
        // Nothing was told to it.
        None => jvmti.dispose(),
        Some(_) => jvmti.relinquish(),
    })
}

/// The agent begins in this environment.
fn come(
    vm: *mut JavaVM,
    jvmti: Jvmti,
    options: Options,
    (name, entrances): (&str, &Entrances),
) -> Result<&'static Agent, String> {
    if !jvmti.is_live() {
        return Err(STARTING.into());
    }
    // SAFETY: the JVM's own pointer.
    let jni = unsafe { Invocation::new(vm) }.current().ok_or("the JVM attaches by a thread that is not its own")?;
    let mark = claim()?;
    abilities::given_late(jvmti, &options)?;
    // A `premain` runs before all agents have been told VMInit, and this one begins now.
    let set_up = set_up(vm, jvmti, options, (name, entrances), mark).and_then(|agent| {
        let silent = jvmti.enable(JVMTI_EVENT_VM_INIT, false);
        silent.map(|()| agent).map_err(|error| format!("VMInit: JVMTI error {error}"))
    });
    let agent = set_up.inspect_err(|_| {
        if let Some(agent) = Agent::get() {
            // Where it had not begun there is nothing to leave.
            let _ = ending::leave(agent, jni);
        }
    })?;
    let thread = agent.jvm.jvmti.current_thread();
    phases::begin(agent, JavaThread::new(jni, thread), entrances.walks);
    if agent.options.leaks {
        // SAFETY: the current thread's environment, and a reference of this very call.
        unsafe { lucce_leaks::begin(jni.raw(), thread) };
    }
    jni.release(thread);
    Ok(agent)
}

/// Writes the line to a file that is there, and no symbolic link.
fn write(file: &str, line: &str) -> std::io::Result<()> {
    let mut file = OpenOptions::new().append(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(file)?;
    file.write_all(format!("{line}\n").as_bytes())
}
