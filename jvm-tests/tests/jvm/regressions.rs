//! Defects that were found once, each with the smallest program that shows it, on every JVM.
//!
//! Invariant: each program prints the same and ends the same with the agent as without; where
//! contexts are at stake, all are checked and right. Hazards that the issue names are in
//! `hazards.rs`.

use std::cell::OnceCell;
use std::ffi::OsString;

use lucce_jvm_tests::{Jvm, MATRIX, Outcome, Run, Scratch, option, place, turn};

/// Every entry verified, the uninstrumented helpers left out.
const OPTIONS: &str = "verify=1,exclude=hazards.plain.*";
/// The same, where much sleeps.
const ASLEEP: &str = "verify=1,exclude=hazards.plain.*,hooks=demand,wake=20";

/// A target of the package `hazards`, to be run without and with the agent.
struct Target<'a> {
    jvm: &'a Jvm,
    scratch: Scratch,
    name: &'a str,
    /// The agent's.
    options: &'a str,
    /// The JVM's, in front of `-agentpath` and behind it.
    before: Vec<OsString>,
    behind: Vec<OsString>,
    /// How it ends without the agent: the same with any options of the agent's.
    plain: OnceCell<Outcome>,
}

impl<'a> Target<'a> {
    fn new(jvm: &'a Jvm, name: &'a str, options: &'a str) -> Self {
        let scratch = Scratch::new(name, jvm.feature);
        Self { jvm, scratch, name, options, before: Vec::new(), behind: Vec::new(), plain: OnceCell::new() }
    }

    fn run(&self, agent: bool) -> Outcome {
        let run = Run::hazard(self.jvm, self.name).within(&self.scratch).library("asm-9.7.1");
        let run = self.before.iter().fold(run, |run, option| run.option(option));
        let run = if agent { run.agent(self.options) } else { run };
        self.behind.iter().fold(run, |run, option| run.option(option)).go()
    }

    /// Runs it with the mechanisms switched off.
    fn without(&self, mechanisms: &[&str]) -> Outcome {
        let run = Run::hazard(self.jvm, self.name).within(&self.scratch).library("asm-9.7.1");
        let run = self.before.iter().fold(run, |run, option| run.option(option)).without(mechanisms, self.options);
        self.behind.iter().fold(run, |run, option| run.option(option)).go()
    }

    /// Runs it both ways: with the same output and status. The second outcome.
    fn same(&self) -> Outcome {
        let (plain, agent) = (self.plain.get_or_init(|| self.run(false)), self.run(true));
        let end = |outcome: &Outcome| (outcome.status.and_then(|status| status.code()), outcome.stdout.clone());
        let (name, feature) = (self.name, self.jvm.feature);
        assert_eq!(end(plain), end(&agent), "{name} is not the same under the agent on {feature}:\n{agent}");
        agent
    }
}

/// The link of a recursive call holds for every word of the caller, and was taken for one that is
/// lost, too.
#[test]
fn what_is_called_where_contexts_are_lost_is_walked() {
    for jvm in Jvm::all() {
        let scratch = Scratch::new("memory-comes-back", jvm.feature);
        let run = Run::hazard(&jvm, "MemoryComesBack").within(&scratch);
        let small = ["-Xmx32m", "-Xss8m", "-XX:+UseSerialGC"].into_iter().fold(run, |run, option| run.option(option));
        let outcome = small.agent("hooks=all").go();
        assert!(outcome.success(), "{outcome}");
        assert_eq!(outcome.stdout.trim(), "true 4202 main", "{outcome}");
    }
}

#[test]
fn a_loader_may_have_its_own_class_under_a_name_of_the_jdk() {
    for jvm in Jvm::all() {
        let target = Target::new(&jvm, "OwnNames", "verify=1,exclude=hazards.plain.*:org.xml.*");
        let outcome = target.same();
        assert!(outcome.success(), "{outcome}");
        outcome.verified();
    }
}

#[test]
fn reflection_does_not_see_the_fields_that_threads_were_given() {
    for jvm in Jvm::all() {
        let outcome = Target::new(&jvm, "ThreadFields", "quiet").same();
        assert!(outcome.success() && outcome.stdout.contains("ctx absent absent"), "{outcome}");
        assert!(outcome.stdout.contains("int hazards.ThreadFields$Worker.number"), "others are seen\n{outcome}");
    }
}

#[test]
fn methods_that_another_agent_changes_behind_lucce_count_as_uninstrumented() {
    for jvm in Jvm::all() {
        let modes: &[&str] = match jvm.feature {
            25 => &["=none", "=quiet", "=enter", "=middle", "=wrap"],
            _ if turn::is_whole() => &["=none", "=wrap"],
            17 => &["=none"],
            _ => &["=wrap"],
        };
        for &mode in modes {
            let mut target = Target::new(&jvm, "Reshaped", "verify=1,exclude=hazards.plain.*:org.objectweb.*");
            target.behind.push(place().other_agent(mode));
            let outcome = target.same();
            assert!(outcome.success(), "{outcome}");
            let counters = outcome.verified();
            let changed = counters.skipped("changed by another agent after Lucce");
            assert!(changed > 1, "{changed} methods are named{mode} on {}\n{counters}", jvm.feature);
        }
    }
}

/// Ids above 32767 were pushed by `ldc`. HotSpot lengthens it where it merges constant pools, and
/// then the code seemed another agent's.
#[test]
fn code_with_large_ids_is_known_again_where_another_agent_retransforms() {
    for jvm in turn::of("large ids", &MATRIX) {
        let mut target = Target::new(&jvm, "ManyIds", OPTIONS);
        target.behind.push(place().other_agent(""));
        let outcome = target.same();
        assert!(outcome.success(), "{outcome}");
        assert_eq!(outcome.verified().skipped("changed by another agent after Lucce"), 0, "{outcome}");
    }
}

/// Runs the target, which has the other agent redefine a class, on every JVM: with all methods
/// awake, and with most asleep.
fn redefined(name: &str, shown: impl Fn(&Outcome, &str)) {
    for jvm in Jvm::all() {
        let mut target = Target::new(&jvm, name, OPTIONS);
        target.behind.push(place().other_agent(""));
        for options in [OPTIONS, ASLEEP] {
            target.options = options;
            let outcome = target.same();
            assert!(outcome.success(), "{outcome}");
            shown(&outcome, &format!("on {} with {options}\n{outcome}", jvm.feature));
        }
    }
}

/// So do constructors that were left without hooks, for that of the superclass called nothing, once
/// it does.
#[test]
fn constructors_that_begin_to_call_something() {
    redefined("Supers", |outcome, run| {
        let reason = "calls something now: constructors of subclasses that were loaded before have no hooks";
        assert_eq!(outcome.verified().skipped(reason), 3, "{run}");
    });
}

/// A method that called nothing is entered untrusted once it does: activations of the class's old
/// code publish nothing for it.
#[test]
fn methods_that_begin_to_call_something() {
    redefined("Loudly", |outcome, run| assert!(outcome.verified().checks() > 100, "{run}"));
}

/// What was judged by code that another agent has changed since: calls of the JDK's that led to
/// nothing of the program's, methods that called nothing, the place right behind Lucce's own call.
#[test]
fn code_that_another_agent_puts_calls_into_is_judged_anew() {
    for jvm in Jvm::all() {
        let mut target = Target::new(&jvm, "Judged", OPTIONS);
        target.behind.push(place().other_agent(""));
        for options in [ASLEEP, OPTIONS] {
            target.options = options;
            let outcome = target.same();
            assert!(outcome.success(), "{outcome}");
            let counters = outcome.verified();
            assert!(counters.counter("methods.guarded") > 3, "on {} with {options}\n{counters}", jvm.feature);
        }
        let wrong = target.without(&["changed"]);
        assert!(wrong.counters().mismatches() > 0, "nothing is wrong without it on {}\n{wrong}", jvm.feature);
    }
}

/// What the other agent adds has no hooks, and none of its calls was seen when the class came to
/// Lucce.
#[test]
fn a_method_that_another_agent_adds_may_override_one_with_hooks() {
    for jvm in Jvm::all() {
        let mut target = Target::new(&jvm, "Overridden", OPTIONS);
        target.behind.push(place().other_agent(""));
        let outcome = target.same();
        assert!(outcome.success(), "{outcome}");
        let counters = outcome.verified();
        assert!(counters.counter("methods.guarded") > 0, "on {}\n{counters}", jvm.feature);
        let wrong = target.without(&["changed"]);
        assert!(wrong.counters().mismatches() > 0, "nothing is wrong without it on {}\n{wrong}", jvm.feature);
    }
}

/// One that sleeps asks nobody at its entry: a walk finds out, before what it calls can be taken
/// for what its caller calls.
#[test]
fn methods_that_another_agent_changes_behind_lucce_may_sleep() {
    for jvm in Jvm::each(&[17, 25]) {
        let awake = "awake=hazards.Reshaped.*:hazards.Reshaped$Inner.*:hazards.Check.*";
        let options = format!("verify=1,hooks=demand,wake=100000000,{awake},exclude=hazards.plain.*:org.objectweb.*");
        for mode in ["=enter", "=middle", "=wrap"] {
            let mut target = Target::new(&jvm, "Reshaped", &options);
            target.behind.push(place().other_agent(mode));
            let outcome = target.same();
            assert!(outcome.success(), "{outcome}");
            outcome.verified();
        }
    }
}

#[test]
fn the_jvm_s_checks_of_jni_have_nothing_to_say() {
    const PROGRAMS: [&str; 3] = ["Callbacks", "Captures", "Hello"];
    for (nth, jvm) in Jvm::all().enumerate() {
        // Each JVM has one of them, unless the run is a whole one.
        let programs = if turn::is_whole() { &PROGRAMS[..] } else { &PROGRAMS[nth % PROGRAMS.len()..][..1] };
        for &name in programs {
            let mut target = Target::new(&jvm, name, "verify=7,alloc=64k,exclude=hazards.plain.*");
            // Without handlers of SIGHUP and the like: the checks complain where one is ignored, as
            // under nohup.
            target.before.extend(["-Xcheck:jni".into(), "-Xrs".into()]);
            let outcome = target.same();
            assert!(outcome.success(), "{outcome}");
            let warned = |text: &str| text.contains("WARNING") || text.contains("JNI local refs");
            assert!(!warned(&outcome.stdout) && !warned(&outcome.stderr), "{name} on {}:\n{outcome}", jvm.feature);
        }
    }
}

#[test]
fn classes_loaded_before_the_agent_is_ready_are_named_in_the_log() {
    for jvm in Jvm::all() {
        let mut target = Target::new(&jvm, "Hello", "quiet");
        // Its premain runs first.
        target.before.push(place().other_agent(""));
        let outcome = target.same();
        let counters = outcome.counters();
        assert!(counters.skipped("loaded before the agent was ready") > 0, "on {}\n{counters}", jvm.feature);
    }
}

/// They are left as the JDK's are, which nobody expects who has put them there.
#[test]
fn classes_added_to_those_of_the_boot_loader_are_named_in_the_log() {
    let reason = "added to the boot loader's: it has hooks with jdk=on alone, as the JDK's classes";
    for jvm in Jvm::all() {
        let named = |options: &str, other: Option<OsString>| {
            let mut target = Target::new(&jvm, "Hello", options);
            let classes = [place().set("main"), place().set("agent"), place().jar("asm-9.7.1")];
            let classes = std::env::join_paths(classes).expect("no path has a colon");
            target.before.push(option("-Xbootclasspath/a:", classes.into()));
            // Its premain runs before Lucce is ready.
            target.before.extend(other);
            target.same().counters().skipped(reason)
        };
        let (quiet, jdk) = (named("quiet", None), named("jdk=on,verify=200", None));
        assert_eq!((quiet, jdk), (1, 0), "on {}", jvm.feature);
        let before = named("quiet", Some(place().other_agent("")));
        assert!(before > 2, "{before} on {}", jvm.feature);
    }
}

/// It is not shown to agents, so it has no guard: the JVM may call it wherever a class that it has
/// defined stands.
#[test]
fn classes_whose_loader_is_a_hidden_class_get_no_hooks() {
    const UNGUARDED: &str = "its class loader is a hidden class, which cannot be guarded";
    // JDK 11 has none, and its VM-anonymous classes cannot load any, for the verifier takes their
    // name for that of another class.
    for jvm in Jvm::each(&[17, 21, 25]) {
        let target = Target::new(&jvm, "HiddenLoader", OPTIONS);
        let outcome = target.same();
        assert!(outcome.success(), "{outcome}");
        assert_eq!(outcome.verified().skipped(UNGUARDED), 1, "on {}\n{outcome}", jvm.feature);
        let scratch = Scratch::new("unguarded", jvm.feature);
        let wrong = Run::hazard(&jvm, "HiddenLoader").within(&scratch).without(&["hidden_loader"], OPTIONS).go();
        assert!(wrong.counters().mismatches() > 0, "on {}\n{wrong}", jvm.feature);
    }
}

#[test]
fn daemon_threads_that_run_while_the_jvm_ends_are_no_mismatch_and_lose_nothing() {
    let mut late = 0;
    for jvm in Jvm::all() {
        let target = Target::new(&jvm, "Dying", OPTIONS);
        let plain = target.run(false);
        assert!(plain.status.is_some() && plain.stdout == "hook\n", "{plain}");
        for _ in 0..5 {
            let outcome = target.run(true);
            assert_eq!((outcome.status, &outcome.stdout), (plain.status, &plain.stdout), "{outcome}");
            late += outcome.verified().counter("entries.late");
            assert!(!outcome.stderr.contains("MISMATCH"), "on {}\n{outcome}", jvm.feature);
        }
    }
    assert!(late > 0, "in no run a thread has outlived the JVM's end: nothing was tested");
}
