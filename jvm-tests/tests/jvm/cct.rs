//! `encoder=cct` on real JVMs: the calling context tree is exact, and it is the tree of Lucce's
//! words.
//!
//! Invariant: a check that is made never differs; at the memory's limit contexts are unknown, never
//! another frame.
//! Source: docs/design/published-encoders.md ("The calling context tree"); D'Elia, Demetrescu,
//! Finocchi, section 2.1.

use std::ffi::OsString;

use lucce_jvm_tests::{COMPARED, Jvm, Outcome, Run, Scratch, decode, option, place, turn};

const EXCLUDED: &str = "exclude=hazards.plain.*";

fn run(jvm: &Jvm, target: &str, options: &str, java: &[OsString]) -> (Scratch, Outcome) {
    let scratch = Scratch::new(&format!("cct-{target}"), jvm.feature);
    let run = java.iter().fold(Run::hazard(jvm, target).within(&scratch), |run, option| run.option(option));
    let outcome = run.agent(&format!("{options},{EXCLUDED}")).go();
    (scratch, outcome)
}

/// Runs a target on the one of these JVMs whose turn it is: it passes its own checks, and all of
/// the agent's.
fn exact_on(features: [u32; 2], target: &str, java: &[OsString]) {
    for jvm in turn::of(target, &features) {
        let (_scratch, outcome) = run(&jvm, target, "encoder=cct,verify=1", java);
        assert!(outcome.success(), "{target} fails on {}:\n{outcome}", jvm.feature);
        let counters = outcome.verified();
        let (nodes, trees) = (counters.counter("cct.nodes"), counters.counter("cct.trees"));
        assert!(nodes > 10 && trees > 0, "{nodes} nodes in {trees} trees\n{counters}");
        assert_eq!((counters.counter("panics"), counters.figure("segments")), (0, 0), "{counters}");
    }
}

fn exact(target: &str) {
    exact_on(COMPARED, target, &[]);
}

#[test]
fn exceptions_through_many_frames() {
    exact("ExceptionUnwind");
}

#[test]
fn exceptions_out_of_constructors() {
    exact("ConstructorThrows");
}

#[test]
fn exceptions_out_of_calls_of_super() {
    exact("FailingSupers");
}

#[test]
fn system_properties_of_its_own_below_calls_of_string() {
    exact("OwnProperties");
}

#[test]
fn callbacks_out_of_collections_and_streams() {
    exact("Callbacks");
}

#[test]
fn callbacks_compiled_at_once() {
    exact_on(COMPARED, "Callbacks", &["-Xcomp".into(), "-XX:TieredStopAtLevel=1".into()]);
}

#[test]
fn delegation_between_methods_of_one_name() {
    exact("Delegation");
}

#[test]
fn static_initialisers() {
    exact("StaticInit");
}

#[test]
fn initialisers_between_a_static_site_and_its_method() {
    exact("StaticInterposer");
}

#[test]
fn class_loaders_written_in_java() {
    exact("Loaders");
}

#[test]
fn self_and_mutual_recursion() {
    exact("Recursion");
}

#[test]
fn reflection_and_proxies() {
    exact("Reflection");
}

#[test]
fn method_handles_and_lambdas() {
    exact("Handles");
}

/// Signatures become interposable while nodes of their edges stand in the tree.
#[test]
fn serialization_and_parsers() {
    exact("Serialization");
}

#[test]
fn jni_upcalls() {
    exact_on(COMPARED, "JniUpcalls", &[option("-Dupcalls=", place().upcalls())]);
}

#[test]
fn retransformation_by_another_agent() {
    exact_on(COMPARED, "Retransform", &[place().other_agent("")]);
}

#[test]
fn threads_racing_through_new_edges() {
    exact("Races");
}

#[test]
fn parallel_streams() {
    exact("ParallelStreams");
}

#[test]
fn thread_bases_and_monitors() {
    exact("ThreadBases");
}

#[test]
fn virtual_threads_that_block_and_move() {
    exact_on([21, 25], "VirtualThreads", &[]);
}

/// The target compares numbers of `capture()`, traces and events among themselves, across threads
/// and versions.
#[test]
fn captured_contexts() {
    exact("Captures");
}

/// A node that is plain, or a restore that is left out, is wrong where a link would be: what makes
/// the words exact makes the tree exact.
#[test]
fn without_any_mechanism_of_exactness_the_oracle_objects() {
    let Some(jvm) = Jvm::of(17) else { return };
    for mechanism in
        ["clear", "guard", "untrusted", "look", "interposable_exit", "demotion", "exceptional_store", "restore_at_exit"]
    {
        let scratch = Scratch::new(&format!("cct-{mechanism}"), jvm.feature);
        let run = || Run::hazard(&jvm, "Mechanisms").within(&scratch).option(format!("-Dmechanism={mechanism}"));
        let options = format!("encoder=cct,verify=1,{EXCLUDED}");
        let right = run().agent(&options).go();
        assert!(right.success(), "{mechanism}:\n{right}");
        right.verified();
        let wrong = run().without(&[mechanism], &options).go();
        assert!(wrong.counters().mismatches() > 0, "nothing is wrong without {mechanism}:\n{wrong}");
    }
}

/// The frames of an event whose context is known, by what is exact of them, as the decoder prints
/// it: to parse a hundred megabytes takes longer than all else here.
fn frames(event: &str) -> String {
    let known = event.split_once(r#","frames":["#).and_then(|(_, rest)| rest.split_once(r#"],"unknown":null,"#));
    let (frames, _) = known.unwrap_or_else(|| panic!("unknown: {event}"));
    // What stood between, and whether the stack was walked, is said behind a frame, and is no part
    // of it.
    let behind = |piece| str::split_once(piece, '}').unwrap_or_else(|| panic!("no frame: {event}")).1;
    let mut pieces = frames.split(r#","via":["#);
    pieces.next().into_iter().chain(pieces.map(behind)).collect()
}

/// Every context that a method was entered in, as a line for each, sorted.
fn entered(jvm: &Jvm, target: &str, options: &str) -> Vec<String> {
    let (_scratch, outcome) = run(jvm, target, &format!("{options},contexts"), &[]);
    assert!(outcome.success(), "{target} fails on {}:\n{outcome}", jvm.feature);
    let counters = outcome.counters();
    assert_eq!((counters.counter("events.dropped"), counters.mismatches()), (0, 0), "{counters}");
    let (_, events, _) = decode(outcome.log()).view(&["--events", "--kind", "entered", "--format", "json"]);
    let mut contexts: Vec<String> = events.lines().map(frames).collect();
    contexts.sort();
    contexts
}

/// With one thread a program enters the same contexts in each run: those of the nodes, and those
/// decoded from Lucce's words at each entry.
fn same_contexts(target: &str, at_least: usize) {
    for jvm in turn::of(target, &COMPARED) {
        let tree = entered(&jvm, target, "encoder=cct");
        let words = entered(&jvm, target, "encoder=lucce,verify=1");
        assert!(tree.len() >= at_least, "{target} enters {} contexts only", tree.len());
        let only = |one: &[String], other: &[String]| {
            one.iter().filter(|context| other.binary_search(context).is_err()).take(3).cloned().collect::<Vec<_>>()
        };
        assert_eq!(tree.len(), words.len(), "{:#?}\n{:#?}", only(&tree, &words), only(&words, &tree));
        assert!(tree == words, "only nodes:\n{:#?}\nonly words:\n{:#?}", only(&tree, &words), only(&words, &tree));
    }
}

#[test]
fn its_tree_is_that_of_the_words_under_recursion() {
    same_contexts("Fib", 10_000);
    same_contexts("Recursion", 10_000);
}

#[test]
fn its_tree_is_that_of_the_words_with_callbacks_and_exceptions() {
    same_contexts("Callbacks", 400);
    same_contexts("ExceptionUnwind", 200);
    same_contexts("ConstructorThrows", 150);
}

#[test]
fn its_tree_is_that_of_the_words_while_classes_load() {
    same_contexts("StaticInit", 100);
    same_contexts("Loaders", 5_000);
}

#[test]
fn threads_that_have_ended_leave_their_trees_to_others() {
    for jvm in Jvm::all().filter(|jvm| jvm.feature >= 21) {
        let (_scratch, outcome) = run(&jvm, "VirtualThreads", "encoder=cct", &[]);
        let counters = outcome.counters();
        let trees = counters.counter("cct.trees");
        // 550 threads are started, of which 440 can be there at once.
        assert!(outcome.success() && trees > 1 && trees < 500, "{trees} trees\n{outcome}");
    }
}

#[test]
fn at_the_memory_limit_contexts_are_unknown_and_it_says_so_once() {
    for jvm in Jvm::all() {
        let (_scratch, outcome) = run(&jvm, "Fib", "encoder=cct,verify=1,cct-memory=64k", &[]);
        let counters = outcome.counters();
        let told = outcome.stderr.lines().filter(|line| line.contains("fill the memory of the trees")).count();
        assert_eq!((told, counters.mismatches()), (1, 0), "{outcome}\n{counters}");
        let (exact, lost) = (counters.distinct(), counters.lost());
        assert!(exact > 100 && lost > 1_000, "{exact} exact, {lost} lost\n{counters}");
        assert!(counters.counter("cct.bytes") <= 64 << 10 && counters.complete(), "{counters}");
    }
}
