//! What an event source is to the agent, and all that are registered.
//!
//! Invariant: start-up, the callbacks, the counters and the kill switch go through this list, and
//! name no source. A source that is off asks the JVM for nothing. Source: `agent/src/registry.rs`;
//! JVMTI "Event Management"; `examples/toy-source` is the smallest one.

use std::ffi::CStr;

use jvmti_bindings::sys::jvmti::{jvmtiCapabilities, jvmtiEvent, jvmtiEventCallbacks};

use crate::jvm::part::Jvm;
use crate::jvm::thread::JavaThread;
use crate::options::{Options, Source};
use crate::state::agent::Agent;

/// An event source that the JVM reports to.
pub trait EventSource: Sync {
    /// Adds what the JVM must be capable of for it.
    fn capabilities(&self, _: &Options, _wanted: &mut jvmtiCapabilities) {}

    /// Adds the functions that the JVM calls for it.
    fn callbacks(&self, _: &mut jvmtiEventCallbacks) {}

    /// What the JVM tells it once the JVM is up.
    fn events(&self) -> &'static [jvmtiEvent] {
        &[]
    }

    /// A class of hooks that is defined before it starts.
    fn hook_class(&self) -> Option<&'static CStr> {
        None
    }

    /// Starts, in VMInit; `thread` is the running one.
    fn start(&self, agent: &'static Agent, _thread: JavaThread, name: &str) {
        if !enable(&agent.jvm, self.events()) {
            say!("this JVM does not tell of {name}; {name} is ignored");
        }
    }

    /// Counters of its own, by name.
    fn figures(&self, _: &Agent, _add: &mut dyn FnMut(&'static str, u64)) {}
}

/// Has the JVM send these events. Will it send all?
pub fn enable(jvm: &Jvm, events: &[jvmtiEvent]) -> bool {
    events.iter().filter(|event| jvm.jvmti.enable(**event, true).is_err()).count() == 0
}

/// The names of a source's counters.
pub struct CounterNames {
    pub events: &'static str,
    pub dropped: &'static str,
    pub outside: &'static str,
    pub lost: &'static str,
    pub walks: &'static str,
    /// `<name>.seen`
    pub seen: &'static str,
    pub looks: &'static str,
    pub frames: &'static str,
}

/// A line of the registry.
pub struct Registered {
    /// Which source.
    pub source: Source,
    /// Its counters.
    pub names: CounterNames,
    /// What it does.
    pub body: &'static dyn EventSource,
}

macro_rules! registered {
    ($($source:ident $name:literal [$($kind:literal),*] $(when ($on:expr))? $(by $of:expr)?;)*) => {
        /// The sources that the JVM reports to, in the order of their numbers.
        pub static ALL: &[Registered] = &[$($(
            Registered {
                source: Source::$source,
                names: CounterNames {
                    events: concat!($name, ".events"),
                    dropped: concat!($name, ".dropped"),
                    outside: concat!($name, ".outside"),
                    lost: concat!($name, ".lost"),
                    walks: concat!($name, ".walks"),
                    seen: concat!($name, ".seen"),
                    looks: concat!($name, ".looks"),
                    frames: concat!($name, ".frames"),
                },
                body: &$of,
            },
        )?)*];
    };
}
sources!(registered);

/// Those of a run with these options.
pub fn on(options: &Options) -> impl Iterator<Item = &'static Registered> {
    ALL.iter().filter(|registered| registered.source.is_on(options))
}
