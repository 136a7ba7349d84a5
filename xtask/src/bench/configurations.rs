//! What is compared: the one list of configurations, each a set of options of an agent or of the
//! JVM.
//!
//! Tables, chart and report follow this list. What the agent refuses is left out of a run, with the
//! reason.

mod sampled;
mod sources;

pub use self::sources::ONE_ITERATION;
use Loaded::{Agent, Nothing, Profiler};

/// One way of running a program.
#[derive(Debug, PartialEq, Eq)]
pub struct Configuration {
    /// What tables and files call it.
    pub name: &'static str,
    /// What is loaded into the JVM.
    pub loaded: Loaded,
    /// Flags of the JVM beside those of all.
    pub flags: &'static [&'static str],
    /// At most so many forks, of at most so many iterations: for what is too slow, or only looked
    /// at.
    pub limit: Option<(usize, u32)>,
    /// Its colour in charts.
    pub colour: &'static str,
    /// What it is, for the report.
    pub what: &'static str,
}

/// What a configuration loads.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub enum Loaded {
    /// No agent.
    Nothing,
    /// Ours, with these options beside `file` and `quiet`.
    Agent(&'static str),
    /// async-profiler, with these options beside `file`.
    Profiler(&'static str),
    /// The JDK's flight recorder, with the allocations of `allocations.jfc`.
    Recorder,
    /// The harness's Java agent that counts allocations, each by a walk of its stack.
    Counter,
}

/// The name of the configuration that the others are divided by.
pub const BASE: &str = "no-agent";

/// That of start-up, as the agent switches the JVM's archive of classes off.
pub const BASE_WITHOUT_CDS: &str = "no-agent,-Xshare:off";

/// That of Lucce as it comes, without any event.
pub const LUCCE: &str = "lucce";

/// That of Lucce with all its hooks at work, which event sources have.
pub const ALL_HOOKS: &str = "lucce,hooks=all";

/// That of Lucce with the classes that an earlier start has rewritten.
pub const CACHED: &str = "lucce,cache";

/// That of the start that keeps them.
pub const CACHING: &str = "lucce,cache (first start)";

/// That of sampled allocations without hooks.
pub const WALKED: &str = "lucce,hooks=off,alloc=512k";

/// Those of programs, start-up, threads and recursion, in the order of tables and charts.
const OF_PROGRAMS: [Configuration; 15] = [
    Configuration { name: BASE, loaded: Nothing, flags: &[], limit: None, colour: "#9aa0a6", what: "no agent" },
    Configuration {
        name: BASE_WITHOUT_CDS,
        loaded: Nothing,
        flags: &["-Xshare:off"],
        limit: None,
        colour: "#5f6368",
        what: "no agent, and no archive of the JDK's classes (start-up alone)",
    },
    Configuration {
        name: "encoder=none",
        loaded: Agent("encoder=none"),
        flags: &[],
        limit: None,
        colour: "#f9ab00",
        what: "hooks that do nothing: the floor of instrumentation",
    },
    Configuration {
        name: LUCCE,
        loaded: Agent(""),
        flags: &[],
        limit: None,
        colour: "#12b5cb",
        what: "every context, by hooks that sleep until contexts are asked for often below them; no event",
    },
    Configuration {
        name: CACHED,
        loaded: Agent("cache=classes.lucce"),
        flags: &[],
        limit: None,
        colour: "#00796b",
        what: "the same, with the rewritten classes that an earlier start has kept (start-up alone)",
    },
    Configuration {
        name: CACHING,
        loaded: Agent("cache=classes.lucce"),
        flags: &[],
        limit: None,
        colour: "#80cbc4",
        what: "the start that keeps them (start-up alone)",
    },
    Configuration {
        name: ALL_HOOKS,
        loaded: Agent("hooks=all"),
        flags: &[],
        limit: None,
        colour: "#1a73e8",
        what: "every context, by hooks that are always at work; no event",
    },
    Configuration {
        name: "encoder=pcc",
        loaded: Agent("encoder=pcc"),
        flags: &[],
        limit: None,
        colour: "#00bfa5",
        what: "every context as a hashed word, without a look-up at entries; no event",
    },
    Configuration {
        name: "encoder=icpp",
        loaded: Agent("encoder=icpp"),
        flags: &[],
        limit: None,
        colour: "#7b5ea7",
        what: "every context as a word that is the same in every run; no event",
    },
    Configuration {
        name: "lucce,alloc=512k",
        loaded: Agent("hooks=demand,alloc=512k"),
        flags: &[],
        limit: None,
        colour: "#e8710a",
        what: "hooks that sleep (hooks=demand), and an event with its context for an allocation every 512 KiB",
    },
    Configuration {
        name: WALKED,
        loaded: Agent("hooks=off,alloc=512k"),
        flags: &[],
        limit: None,
        colour: "#f6aea9",
        what: "no hooks, and an event for an allocation every 512 KiB by a walk of its stack",
    },
    Configuration {
        name: "lucce,hooks=all,alloc=512k",
        loaded: Agent("hooks=all,alloc=512k"),
        flags: &[],
        limit: None,
        colour: "#e52592",
        what: "hooks that are always at work, and an event with its context for an allocation every 512 KiB",
    },
    Configuration {
        name: "encoder=cct",
        loaded: Agent("encoder=cct"),
        flags: &[],
        limit: None,
        colour: "#188038",
        what: "an exact calling context tree for each thread: a node looked up and stored for each call",
    },
    Configuration {
        name: "encoder=algorithm1",
        loaded: Agent("encoder=algorithm1"),
        flags: &[],
        limit: Some((5, 4)),
        colour: "#9334e6",
        what: "the paper's encoder, until its numbers run out (four iterations in each fork)",
    },
    Configuration {
        name: "async-profiler,alloc=512k",
        loaded: Profiler("quiet,event=alloc,alloc=512k,jfr"),
        flags: &[],
        limit: Some((5, 16)),
        colour: "#d93025",
        what: "async-profiler, an allocation sampled every 512 KiB with a walk of its stack (few iterations in each fork)",
    },
];

/// One without flags, and without a colour: programs alone have a chart.
const fn of(name: &'static str, loaded: Loaded, limit: Option<(usize, u32)>, what: &'static str) -> Configuration {
    Configuration { name, loaded, flags: &[], limit, colour: "", what }
}

/// All configurations, in the order of tables and charts.
pub fn all() -> impl Iterator<Item = &'static Configuration> {
    OF_PROGRAMS.iter().chain(&sampled::ALL).chain(&sources::ALL)
}

/// The configurations of these names.
///
/// # Errors
/// One line naming what is not in the list.
pub fn named(names: &[&str]) -> crate::Result<Vec<&'static Configuration>> {
    let known = || all().map(|configuration| configuration.name).collect::<Vec<_>>().join(", ");
    let find = |name: &&str| {
        all().find(|c| c.name == *name).ok_or_else(|| format!("no configuration {name}: there are {}", known()))
    };
    names.iter().map(find).collect()
}

/// Those that programs are run under when nothing else is asked for.
pub fn of_programs() -> Vec<&'static Configuration> {
    let of_starts = [BASE_WITHOUT_CDS, CACHED, CACHING, WALKED];
    OF_PROGRAMS.iter().filter(|configuration| !of_starts.contains(&configuration.name)).collect()
}

/// Those of encoders: each that is fast enough to be used, and what needs the word of every
/// activation.
///
/// # Errors
/// None but a list that lacks one.
pub fn of_encoders() -> crate::Result<Vec<&'static Configuration>> {
    named(&[
        BASE,
        "encoder=none",
        LUCCE,
        ALL_HOOKS,
        "encoder=pcc",
        "encoder=icpp",
        "encoder=cct",
        "encoder=pcc,entries",
        "encoder=pcc,alloc=all",
        "lucce,jdk=on",
    ])
}

/// Those of samples: profiles beside what they are compared with, and sampled allocations with
/// hooks, without, and by another tool.
///
/// # Errors
/// None but a list that lacks one.
pub fn of_sampled() -> crate::Result<Vec<&'static Configuration>> {
    named(&[
        BASE,
        LUCCE,
        "lucce,profile=10ms",
        "lucce,alloc=512k",
        WALKED,
        "async-profiler,alloc=512k",
        ALL_HOOKS,
        "profile=10007",
        "profile=2ms/20ms",
        "encoder=count",
        "encoder=cct",
        "profile=all",
    ])
}

/// Those of event sources: without, each alone, and what else gives allocations with their
/// contexts.
pub fn of_sources() -> Vec<&'static Configuration> {
    let shared = [BASE, ALL_HOOKS, "lucce,hooks=all,alloc=512k", "async-profiler,alloc=512k"];
    all().filter(|c| shared.contains(&c.name) || sources::ALL.iter().any(|source| source.name == c.name)).collect()
}

impl Configuration {
    /// No agent, whatever the flags?
    pub fn is_base(&self) -> bool {
        self.loaded == Nothing
    }
}
