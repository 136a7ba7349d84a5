//! `encoder=pcc` on real JVMs: no entry asks anything, and a hashed word never says another path
//! than the real one.
//!
//! Invariant: a check that is made never differs. What a word does not say is unknown and walked.
//! Source: docs/design/hashed-words.md.

use lucce_jvm_tests::{COMPARED, Counters, Jvm, Outcome, Run, Scratch, option, place, turn};

const EXCLUDED: &str = "exclude=hazards.plain.*";
/// All sources whose events stand anywhere.
const SOURCES: &str = "encoder=pcc,verify=1,alloc=16k,exceptions,locks,cpu=1ms";

/// A hazard under these options, none of whose checks differs, and its counters.
fn right(jvm: &Jvm, target: &str, options: &str, with: impl Fn(Run) -> Run) -> (Outcome, Counters) {
    let scratch = Scratch::new(&format!("pcc-{target}"), jvm.feature);
    let outcome = with(Run::hazard(jvm, target).within(&scratch)).agent(&format!("{options},{EXCLUDED}")).go();
    assert!(outcome.success(), "{target} fails on {}:\n{outcome}", jvm.feature);
    let counters = outcome.counters();
    assert_eq!(counters.mismatches(), 0, "{target}:\n{outcome}\n{counters}");
    (outcome, counters)
}

/// The same, with nothing lost, and most of its words known.
pub fn run(jvm: &Jvm, target: &str, options: &str, with: impl Fn(Run) -> Run) -> Outcome {
    let (outcome, counters) = right(jvm, target, options, with);
    let (checks, unknown) = (counters.counter("verify.checks"), counters.counter("verify.unknown"));
    assert_eq!((counters.lost(), counters.counter("panics")), (0, 0), "{target}:\n{outcome}\n{counters}");
    assert!(checks > 2 * unknown, "{target}: {unknown} of {checks} unknown\n{counters}");
    outcome
}

fn exact(target: &str, with: impl Fn(Run) -> Run) {
    for jvm in turn::of(target, &COMPARED) {
        run(&jvm, target, SOURCES, &with);
    }
}

macro_rules! exact {
    ($($name:ident: $target:literal $(, $with:expr)?;)*) => { $(
        #[test]
        fn $name() {
            let with = |run: Run| run;
            $(let with = |run: Run| with(run).option($with);)?
            exact($target, with);
        }
    )* };
}

exact! {
    self_and_mutual_recursion: "Recursion";
    exceptions_through_many_frames: "ExceptionUnwind";
    exceptions_out_of_constructors: "ConstructorThrows";
    exceptions_out_of_calls_of_super: "FailingSupers";
    early_returns_and_calls_that_lead_nowhere: "EarlyReturns";
    static_initialisers: "StaticInit";
    initialisers_between_a_static_site_and_its_method: "StaticInterposer";
    class_loaders_written_in_java: "Loaders";
    a_class_loader_too_large_for_hooks: "LargeLoader";
    condy_bootstraps_and_service_providers: "Condy";
    callbacks_out_of_collections_and_streams: "Callbacks";
    parallel_streams: "ParallelStreams";
    system_properties_of_its_own_below_calls_of_string: "OwnProperties";
    reflection_and_proxies: "Reflection";
    method_handles_and_lambdas: "Handles";
    delegation_between_methods_of_one_name: "Delegation";
    interface_methods_bridges_and_nested_classes: "Members";
    jni_upcalls: "JniUpcalls", option("-Dupcalls=", place().upcalls());
    finalizers_and_cleaners: "Cleaning";
    threads_racing_through_new_edges: "Races";
    thread_pools: "ThreadPools";
    thread_bases_and_monitors: "ThreadBases";
    retransformation_by_another_agent: "Retransform", place().other_agent("");
    large_methods_and_many_locals: "LargeMethods";
    old_class_files: "OldClasses";
    locals_that_a_method_does_not_have: "FarLocals";
    classes_with_bytes_changed_at_random: "Mutants";
    line_tables_with_one_index_twice: "LineTables";
    serialization_and_parsers: "Serialization";
    captured_contexts: "Captures";
    names_beyond_the_bmp: "WideNames";
    anonymous_and_hidden_classes: "AnonymousClasses";
    classes_that_come_and_go: "Unloading";
    one_name_in_two_loaders: "TwoLoaders";
}

/// What is unknown there is what constructors run that the JDK calls, up to the end of their
/// `super(...)`: more than half.
#[test]
fn constructors_called_by_the_jdk() {
    for jvm in Jvm::each(&COMPARED) {
        right(&jvm, "ConstructorReferences", SOURCES, |run| run);
    }
}

#[test]
fn every_allocation_and_every_entry_counts_for_its_context() {
    for target in [
        "Callbacks",
        "ConstructorThrows",
        "Reflection",
        "Recursion",
        "Unloading",
        "Races",
        "StaticInit",
        "FailingSupers",
    ] {
        for jvm in turn::of(target, &COMPARED) {
            run(&jvm, target, "encoder=pcc,verify=1,alloc=all,entries=hazards.*", |run| run);
        }
    }
}

/// With hooks in the JDK what the JVM calls of its own accord is met everywhere.
#[test]
fn the_jdks_own_methods() {
    for (feature, target) in [(17, "Callbacks"), (11, "ThreadPools"), (25, "VirtualThreads")] {
        if let Some(jvm) = Jvm::of(feature) {
            let fewer = |run: Run| if turn::is_whole() { run } else { run.option("-Dthreads=100") };
            run(&jvm, target, "encoder=pcc,verify=50,jdk=on,async=on,alloc=64k", fewer);
        }
    }
}

/// `Lucce.context()` where the thread's word means nothing: it is the word that the path would
/// have.
#[test]
fn a_word_that_is_asked_for_can_be_decoded_wherever_that_is() {
    for jvm in Jvm::each(&COMPARED) {
        let scratch = Scratch::new("pcc-asked", jvm.feature);
        let run = |options: &str| {
            let run = Run::hazard(&jvm, "Asked").within(&scratch).library("asm-9.7.1").agent(options);
            run.option(place().other_agent("")).go()
        };
        // What it prints is checked, and the same for any encoder.
        let [numbered, hashed] = ["lucce", "pcc"]
            .map(|encoder| run(&format!("encoder={encoder},hooks=all,verify=1,exclude=org.objectweb.*")));
        assert!(numbered.success() && hashed.success(), "{numbered}\n{hashed}");
        assert_eq!(numbered.stdout, hashed.stdout, "{hashed}");
        hashed.verified();
    }
}

/// What a constructor runs in its call of `super(...)` is never remembered if the JDK has called
/// it. A look at the frames on top tells it.
#[test]
fn counts_below_constructors_called_by_the_jdk_are_not_walked_for() {
    for jvm in Jvm::each(&COMPARED) {
        let (outcome, counters) = right(&jvm, "Beans", "encoder=pcc,verify=1,alloc=all", |run| run);
        assert_eq!(outcome.stdout, "1200\n");
        let counter = |name: &str| counters.counter(name);
        assert!(counter("tally.alloc") >= 1200 && counter("pcc.adrift") == 0, "on {}\n{counters}", jvm.feature);
        assert_eq!(counter("slow.event_walks"), 0, "on {}\n{counters}", jvm.feature);
    }
}

/// The JVM calls loaders by way of the JDK's own `loadClass(String)`, which has a Guard: words of
/// what that calls mean nothing, unless a loader looks where it is.
#[test]
fn exceptions_and_counts_below_class_loaders_are_not_walked_for() {
    for jvm in Jvm::each(&COMPARED) {
        let (_, counters) = right(&jvm, "Loaders", "encoder=pcc,verify=1,exceptions", |run| run);
        let [events, walks] = ["events", "walks"].map(|name| counters.counter(&format!("exceptions.{name}")));
        assert!(
            events > 100 && 10 * walks < events,
            "{walks} walks for {events} events on {}\n{counters}",
            jvm.feature
        );
        let (_, counters) = right(&jvm, "Loaders", "encoder=pcc,verify=1,alloc=all,entries=*", |run| run);
        let [counts, walks] = ["tally.records", "slow.event_walks"].map(|name| counters.counter(name));
        assert!(counts > 100 && 2 * walks < counts, "{walks} walks, {counts} sums on {}\n{counters}", jvm.feature);
    }
}

#[test]
fn virtual_threads_that_block_and_move() {
    for jvm in Jvm::each(&[21, 25]) {
        run(&jvm, "VirtualThreads", SOURCES, |run| run);
    }
}

#[test]
fn the_end_of_the_stack_at_every_depth() {
    for jvm in Jvm::each(&COMPARED) {
        run(&jvm, "StackOverflow", "encoder=pcc,verify=1000,alloc=16k", |run| run);
    }
}

/// Each mechanism is needed: without it a word says another path than the real one, or nothing
/// where it said something.
#[test]
fn without_any_mechanism_of_exactness_the_oracle_objects() {
    let Some(jvm) = Jvm::of(17) else { return };
    for mechanism in [
        "clear",
        "clear_at_start",
        "guard",
        "untrusted",
        "exceptional_store",
        "restore_at_exit",
        "handler_before_super",
        "handler_after_super",
        "constructor_exit_store",
    ] {
        let options = format!("encoder=pcc,verify=1,{EXCLUDED}");
        let scratch = Scratch::new(&format!("pcc-{mechanism}"), jvm.feature);
        let run = || Run::hazard(&jvm, "Mechanisms").within(&scratch).option(format!("-Dmechanism={mechanism}"));
        let right = run().agent(&options).go();
        assert!(right.success(), "{mechanism}:\n{right}");
        let with = right.counters();
        assert_eq!(with.mismatches(), 0, "{mechanism}:\n{right}");
        let wrong = run().without(&[mechanism], &options).go();
        let without = wrong.counters();
        let unknown = [&with, &without].map(|counters| counters.counter("verify.unknown"));
        assert!(
            without.mismatches() > 0 || unknown[1] > unknown[0],
            "nothing is wrong without {mechanism}:\n{wrong}\n{without}"
        );
    }
}

/// What an exception out of `super(...)` leaves behind is nobody's word, since it is known which
/// entries of constructors are odd.
#[test]
fn without_weak_sites_words_of_failed_constructors_are_believed() {
    let Some(jvm) = Jvm::of(17) else { return };
    let scratch = Scratch::new("pcc-weak", jvm.feature);
    let options = format!("encoder=pcc,verify=1,{EXCLUDED}");
    let wrong = Run::hazard(&jvm, "FailingSupers").within(&scratch).without(&["weak_init"], &options).go();
    assert!(wrong.counters().mismatches() > 0, "nothing is wrong:\n{wrong}");
}
