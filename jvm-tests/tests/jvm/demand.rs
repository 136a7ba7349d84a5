//! Hooks on demand: exact whatever sleeps, free as long as nothing is asked for, and fast again
//! where much is.
//!
//! Invariant: the hazards, with everything asleep at first and woken by each walk, hold as they do
//! when all is awake.
//! Source: docs/design/lazy-hooks.md.

use lucce_jvm_tests::{COMPARED, Counters, Hazard, Jvm, Run, Scratch, place, turn};

/// Each walk wakes what it finds asleep; one method of a few never sleeps, so that entries are
/// checked from the beginning.
const RESTLESS: &str = "verify=1,hooks=demand,wake=0,awake=*.*e";
/// Fewer are awake, and much sleeps for long.
const SLEEPY: &str = "verify=1,hooks=demand,wake=2000,awake=*.*n:*.*k";

/// Those whose turn it is on this JVM.
fn hazards(feature: u32, options: &str, targets: &[&'static str]) {
    for target in targets.iter().filter(|target| turn::is(target, &COMPARED, feature)) {
        Hazard::new(target).agent(options).on(feature, &COMPARED);
    }
}

macro_rules! asleep {
    ($($name:ident: [$($target:literal),*];)*) => { $(
        mod $name {
            #[test]
            fn on_17() {
                super::hazards(17, super::RESTLESS, &[$($target),*]);
            }

            #[test]
            fn on_25() {
                super::hazards(25, super::SLEEPY, &[$($target),*]);
            }
        }
    )* };
}

asleep! {
    calls_and_recursion: ["Recursion", "Fib", "EarlyReturns", "Delegation", "Members", "Captures"];
    exceptions_and_constructors: ["ExceptionUnwind", "ConstructorThrows", "ConstructorReferences", "FailingSupers", "StackOverflow"];
    calls_of_the_jvm: ["StaticInit", "Loaders", "Condy", "Cleaning", "StaticInterposer", "ShutdownHooks"];
    callbacks: ["Callbacks", "ParallelStreams", "Reflection", "Handles", "Serialization", "Returned"];
    threads: ["Races", "ThreadPools", "ThreadBases"];
    class_files: ["LargeMethods", "OldClasses", "LineTables", "TwoLoaders", "Unloading", "AnonymousClasses"];
}

#[test]
fn retransformation_by_another_agent() {
    for feature in COMPARED {
        Hazard::new("Retransform").option(place().other_agent("")).agent(RESTLESS).on(feature, &COMPARED);
    }
}

#[test]
fn virtual_threads() {
    for feature in [21, 25] {
        Hazard::new("VirtualThreads").agent(RESTLESS).on(feature, &[21, 25]);
    }
}

/// Rounds of the loop in `main`: many more than are walked before its methods wake.
const ROUNDS: u64 = 300_000;

/// What a target cost in so many rounds.
fn counted(feature: u32, target: &str, arguments: &[&str], sources: &str) -> Option<Counters> {
    let jvm = Jvm::of(feature)?;
    let scratch = Scratch::new(target, feature);
    let run = Run::hazard(&jvm, target).within(&scratch).argument(ROUNDS.to_string());
    let run = arguments.iter().fold(run, |run, argument| run.argument(argument));
    let outcome = run.agent(&format!("hooks=demand,wake=1000,quiet{sources}")).go();
    assert!(outcome.success(), "{outcome}");
    Some(outcome.counters())
}

/// The sleeper that has published last is woken, too, which is on no stack.
#[test]
fn who_returned_to_the_jdk_is_woken() {
    for counters in [17, 25].into_iter().filter_map(|feature| counted(feature, "Keys", &[], "")) {
        // main, looked, equals and hashCode.
        let (walks, woken) = (counters.counter("slow.walks"), counters.counter("demand.woken"));
        assert!(walks < 5000 && woken == 4, "{walks} walks in {ROUNDS} rounds, {woken} woken\n{counters}");
    }
}

/// What a constructor that failed has left is denied by the next one that sleeps (once it was told
/// as that one's own word).
#[test]
fn a_constructor_that_failed_is_not_taken_for_one_that_sleeps() {
    for feature in COMPARED {
        Hazard::new("Twins").agent("verify=1,hooks=demand,wake=100000000").on(feature, &COMPARED);
    }
}

/// What a thread is told at its base is not believed behind a sleeper, which clears it.
#[test]
fn who_started_threads_at_its_base_and_sleeps_is_in_the_trace() {
    for feature in COMPARED {
        Hazard::new("Starters").agent("verify=1,hooks=demand,wake=100000000,awake=*.wake").on(feature, &COMPARED);
    }
}

/// A thread that starts when methods are awake looks who is; else each of its first activations
/// would be walked for.
#[test]
fn threads_that_start_later_find_awake_what_others_have_woken() {
    for counters in [17, 25].into_iter().filter_map(|feature| counted(feature, "Newcomers", &[], "")) {
        // A few threads ask 64 times each before their methods are awake.
        let (walks, threads) = (counters.counter("slow.walks"), ROUNDS / 1000);
        assert!(walks < threads * 10, "{walks} walks of {threads} threads\n{counters}");
    }
}

/// What the JDK calls back below an activation that sleeps is put back to sleep, rather than walked
/// for each time.
#[test]
fn loops_of_the_jdk_below_sleepers_are_not_walked_for_ever() {
    for counters in [17, 25].into_iter().filter_map(|feature| counted(feature, "JdkLoops", &[], "")) {
        // One round in a hundred asks; each that is tried out awake costs a thousand walks at most.
        let walks = counters.counter("slow.walks");
        assert!(walks < ROUNDS / 10 && counters.counter("demand.put_back") > 0, "{walks} walks\n{counters}");
    }
}

/// Each activation of a deep recursion would walk all below it as its next round begins: that is
/// dearer than what was asked.
#[test]
fn a_recursion_that_was_asleep_when_it_went_deep_is_not_walked_at_each_step_back() {
    for counters in [17, 25].into_iter().filter_map(|feature| counted(feature, "Deepening", &[], "")) {
        let walks = counters.counter("slow.walks");
        assert!(walks < 500 && counters.counter("demand.put_back") > 0, "{walks} walks\n{counters}");
    }
}

/// Their paths are numbered whole, edges that are cut included.
#[test]
fn constructors_below_recursion_along_ever_new_paths() {
    for feature in COMPARED {
        for options in ["verify=1,hooks=demand,wake=100000000", "verify=100,hooks=demand,wake=1000"] {
            Hazard::new("Constructed").agent(options).on(feature, &COMPARED);
        }
    }
}

/// What `Awakening` cost in so many rounds.
fn awakening(feature: u32, asks: bool, sources: &str) -> Option<Counters> {
    counted(feature, "Awakening", &[&asks.to_string()], sources)
}

#[test]
fn as_long_as_nothing_is_asked_for_all_sleep() {
    for counters in [17, 25].into_iter().filter_map(|feature| awakening(feature, false, "")) {
        assert_eq!((counters.counter("demand.woken"), counters.counter("slow.looks")), (0, 0), "{counters}");
        // What the log's first words are about: the main thread.
        assert!(counters.counter("slow.walks") < 10, "{counters}");
    }
}

#[test]
fn an_endless_loop_is_woken_where_contexts_are_asked_for() {
    for counters in [17, 25].into_iter().filter_map(|feature| awakening(feature, true, "")) {
        // main, outer, even, odd, ask, and what the checks at the beginning pass.
        let woken = counters.counter("demand.woken");
        assert!((5..20).contains(&woken), "{woken} methods woke\n{counters}");
        let walks = counters.counter("slow.walks");
        assert!((20..2000).contains(&walks), "{walks} walks in {ROUNDS} rounds\n{counters}");
    }
}

#[test]
fn frequent_samples_are_walked_no_longer() {
    let sampled = |feature| awakening(feature, false, ",alloc=256,verify=1000000");
    for counters in [17, 25].into_iter().filter_map(sampled) {
        let (events, walks) = (counters.counter("alloc.events"), counters.counter("alloc.walks"));
        assert!(events > 10_000 && walks < 3000, "{walks} of {events} samples were walked\n{counters}");
        assert_eq!((counters.mismatches(), counters.lost()), (0, 0), "{counters}");
    }
}
