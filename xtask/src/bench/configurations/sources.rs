//! The configurations of event sources, and of what else tells allocations with their contexts.
//!
//! Invariant: each of Lucce's has one option beside none, so that its cost over
//! [`super::ALL_HOOKS`] is that of the option alone.

use super::Loaded::{Agent, Counter, Profiler, Recorder};
use super::{Configuration, of};

/// Every allocation counted in a single iteration: by it, and by the same in many, allocations in
/// any number of iterations are known.
pub const ONE_ITERATION: &str = "lucce,alloc=all,once";

/// One fork of one iteration.
const ONCE: Option<(usize, u32)> = Some((1, 1));

/// JFR cuts stacks at 64 frames unless it is told; 2048 is the most. What it says of itself it
/// would say on standard output.
const RECORDER: &[&str] = &["-XX:FlightRecorderOptions=stackdepth=2048", "-Xlog:jfr+startup=off"];
const RECORDER_WITHOUT_BUFFERS: &[&str] =
    &["-XX:FlightRecorderOptions=stackdepth=2048", "-Xlog:jfr+startup=off", "-XX:-UseTLAB"];

/// In the order of tables.
pub const ALL: [Configuration; 15] = [
    of("lucce,exceptions", Agent("exceptions"), None, "an event with its context for every exception thrown"),
    of("lucce,locks", Agent("locks"), None, "an event for every wait for a monitor, and for every park"),
    of("lucce,cpu=10ms", Agent("cpu=10ms"), None, "an event for every 10 ms of a thread's CPU time"),
    of(
        "lucce,hooks=all,leaks",
        Agent("hooks=all,leaks"),
        None,
        "the leak detector, with an allocation sampled every 128 KiB",
    ),
    of(
        "lucce,entries",
        Agent("encoder=lucce,entries=*.execute*:*.next*:*.service*:*.start*:*.__call__*"),
        None,
        "the invocations of methods counted by context: `entries=*.execute*:*.next*:*.service*:*.start*:*.__call__*`",
    ),
    of(
        "lucce,alloc=all",
        Agent("encoder=lucce,alloc=all"),
        None,
        "every allocation of instrumented code counted by context and class",
    ),
    of(
        "encoder=pcc,entries",
        Agent("encoder=pcc,entries=*.execute*:*.next*:*.service*:*.start*:*.__call__*"),
        None,
        "the same invocations, with hashed words",
    ),
    of("encoder=pcc,alloc=all", Agent("encoder=pcc,alloc=all"), None, "the same allocations, with hashed words"),
    of(
        "lucce,hooks=all,async=on",
        Agent("hooks=all,async=on"),
        None,
        "events of tasks say where they were handed over",
    ),
    of("lucce,jdk=on", Agent("jdk=on"), None, "the JDK's own classes instrumented too, with hashed words"),
    of(
        ONE_ITERATION,
        Agent("alloc=all"),
        ONCE,
        "`alloc=all` in one fork of one iteration, to know the number of allocations in it",
    ),
    of(
        "StackWalker",
        Counter,
        ONCE,
        "an ASM agent that counts every allocation by context, with a `StackWalker` over the whole stack and a map (one fork of one iteration)",
    ),
    of(
        "async-profiler,alloc=1",
        Profiler("quiet,event=alloc,alloc=1,collapsed"),
        ONCE,
        "async-profiler with the shortest interval there is, one byte: counts by stack (one fork of one iteration)",
    ),
    Configuration {
        flags: RECORDER,
        ..of(
            "jfr",
            Recorder,
            Some((2, 16)),
            "JFR's `jdk.ObjectAllocationSample` without its throttle, stacks of up to 2048 frames: one for each \
            allocation that does not fit into its thread's buffer (two forks of few iterations)",
        )
    },
    Configuration {
        flags: RECORDER_WITHOUT_BUFFERS,
        ..of(
            "jfr,-XX:-UseTLAB",
            Recorder,
            ONCE,
            "the same in a JVM that is told to have no such buffers, so that each allocation is one (one fork \
            of one iteration)",
        )
    },
];

#[cfg(test)]
mod tests {
    use super::super::all;

    #[test]
    fn names_are_those_of_one_configuration_each() {
        let names: std::collections::BTreeSet<_> = all().map(|configuration| configuration.name).collect();
        assert_eq!(names.len(), all().count());
    }
}
