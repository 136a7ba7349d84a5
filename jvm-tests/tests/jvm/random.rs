//! Random programs on every JVM: calls, throws, callbacks, initialisers, loaders, constructors and
//! threads in orders that nobody chose.
//!
//! Invariant: each seed prints the same as without the agent; every entry and every sampled
//! allocation is verified, and each check holds. `LUCCE_RANDOM_SEEDS` says how many seeds each test
//! runs (4 by default).
//! Source: docs/guide/verification.md.

use std::env;

use lucce_jvm_tests::{Jvm, MATRIX, Run, Scratch, place, turn};

/// One way to run seeds.
struct Way {
    name: &'static str,
    first: u32,
    steps: u32,
    threads: u32,
    agent: &'static str,
    options: &'static [&'static str],
    /// Does it have its classes redefined, by another agent?
    redefines: bool,
}

/// One program after the other, as the JVM likes it.
const MIXED: Way =
    Way { name: "mixed", first: 1, steps: 400, threads: 1, agent: "verify=1,alloc=4k", options: &[], redefines: false };
/// Several programs at once in the same fresh classes.
const SHARED: Way =
    Way { name: "shared", first: 1001, steps: 250, threads: 4, agent: "verify=1", options: &[], redefines: false };
/// Nothing compiled.
const INTERPRETED: Way = Way {
    name: "interpreted",
    first: 2001,
    steps: 150,
    threads: 1,
    agent: "verify=1,alloc=1k",
    options: &["-Xint"],
    redefines: false,
};
/// Everything compiled at once.
const COMPILED: Way = Way {
    name: "compiled",
    first: 3001,
    steps: 150,
    threads: 1,
    agent: "verify=1",
    options: &["-Xcomp", "-XX:TieredStopAtLevel=1"],
    redefines: false,
};

/// As long as walks do not wake them, all sleep; each event walks.
const WAKING: Way = Way {
    name: "waking",
    first: 4001,
    steps: 300,
    threads: 1,
    agent: "verify=1,hooks=demand,wake=0,alloc=4k",
    options: &[],
    redefines: false,
};
/// Much sleeps for long, in several programs at once.
const SLEEPY: Way = Way {
    name: "sleepy",
    first: 5001,
    steps: 200,
    threads: 4,
    agent: "verify=1,hooks=demand,wake=2000,awake=*.*n:*.*k,alloc=8k",
    options: &[],
    redefines: false,
};

/// What redefines its classes meanwhile, by another agent. Not on 11 and 17, which may crash where
/// stacks are asked for then (docs/guide/limitations.md). Nothing raises events: if something does,
/// all calls publish, also those of methods that are known to call nothing.
const SHIFTING: Way =
    Way { name: "shifting", first: 6001, steps: 400, threads: 1, agent: "verify=1", options: &[], redefines: true };
/// The same, where much sleeps.
const SHIFTING_ASLEEP: Way =
    Way { name: "shifting-asleep", first: 7001, agent: "verify=1,hooks=demand,wake=20,alloc=4k", ..SHIFTING };

impl Way {
    fn on(&self, feature: u32, share: u32) {
        let Some(jvm) = Jvm::of(feature) else { return };
        // The first way is gone on every JVM, another on one of each pair.
        if self.first != MIXED.first && !turn::of_pairs(self.name, &MATRIX).contains(&feature) {
            println!("{} does not run on {feature}: LUCCE_WHOLE=1 runs it", self.name);
            return;
        }
        let seeds = env::var("LUCCE_RANDOM_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(4_u32).div_ceil(share);
        let scratch = Scratch::new(&format!("random-{}", self.name), feature);
        let run = || {
            let run = Run::new(&jvm, "random.Programs", vec![place().set("main")]).within(&scratch);
            let run = run.limit(120 + 30 * u64::from(seeds)).option("-Xverify:all");
            // What C2 throws in hot code has no message, and which code is hot is not the program's
            // to say.
            let run = run.option("-XX:-OmitStackTraceInFastThrow");
            let run =
                if self.redefines { run.option(place().other_agent("")).option("-Drandom.shifts=true") } else { run };
            // Each runtime has seeds of its own.
            let first = self.first + 10_000 * feature;
            [first, seeds, self.steps, self.threads].iter().fold(run, |run, number| run.argument(number.to_string()))
        };
        let (name, plain) = (self.name, run().plain().go());
        assert!(plain.success(), "{name} fails without the agent on {feature}:\n{plain}");
        let whole = plain.stdout.lines().filter(|line| !line.ends_with("null")).count();
        assert_eq!(whole, seeds as usize, "one result a seed\n{plain}");
        let agent = self.options.iter().fold(run(), |run, option| run.option(*option));
        let agent = agent.agent(&format!("{},exclude=random.plain.*", self.agent)).go();
        assert!(agent.success(), "{name} fails under the agent on {feature}:\n{agent}");
        assert_eq!(plain.stdout, agent.stdout, "{name} goes another way under the agent on {feature}:\n{agent}");
        let counters = agent.verified();
        assert!(!self.agent.contains("alloc") || counters.figure("events") > 0, "no allocation was sampled\n{agent}");
        if self.redefines && !self.agent.contains("alloc") {
            // Those of subclasses that relied on it have no hooks, so no frame tells whether the
            // agent goes on relying on it: the log does.
            let loud = "calls something now: constructors of subclasses that were loaded before have no hooks";
            assert!(counters.skipped(loud) > 0, "no constructor was named that has begun to call something\n{agent}");
        }
        println!("{name} on {feature}: {} checks of {} distinct contexts", counters.checks(), counters.distinct());
    }
}

macro_rules! programs {
    (@tests $way:expr, $share:literal; ($($feature:literal $test:ident),*)) => { $(
        #[test]
        fn $test() {
            $way.on($feature, $share);
        }
    )* };
    ($jvms:tt $($name:ident: $way:expr, $share:literal;)*) => { $(
        mod $name {
            use super::*;

            programs!(@tests $way, $share; $jvms);
        }
    )* };
}

programs! {
    (11 on_11, 17 on_17, 21 on_21, 25 on_25)
    one_after_the_other: MIXED, 1;
    several_at_once: SHARED, 2;
    interpreted: INTERPRETED, 2;
    compiled_at_once: COMPILED, 2;
    asleep_until_the_first_walk: WAKING, 2;
    asleep_for_long: SLEEPY, 2;
}

programs! {
    (21 on_21, 25 on_25)
    redefined_meanwhile: SHIFTING, 2;
    redefined_meanwhile_and_asleep: SHIFTING_ASLEEP, 2;
}
