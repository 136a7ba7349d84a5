//! Profiles of programs with more contexts than counters: each exact, in memory that follows the
//! counters.
//!
//! Invariant: the agent holds a node for each frame of a context with a counter, once, and nothing
//! of the others, whatever was sampled before.
//! Source: docs/guide/profiles.md ("Memory"); docs/design/profiles.md ("Memory").

use lucce_jvm_tests::{Counters, Jvm, Outcome, Run, Scratch};

use super::{sums, within_bounds};

/// KiB that a process holds at the end of a recursion with millions of contexts, in a Java heap of
/// fixed size; and its counters.
fn held(jvm: &Jvm, options: &str) -> (u64, Counters) {
    let scratch = Scratch::new("profile-branches", jvm.feature);
    let run = Run::hazard(jvm, "Branches").within(&scratch).plain();
    let run = ["-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC"].into_iter().fold(run, Run::option);
    let outcome = run.agent(options).go();
    assert!(outcome.success(), "{options}\n{outcome}");
    let held = outcome.stdout.lines().find_map(|line| line.strip_prefix("anonymous ")?.parse().ok());
    (held.unwrap_or_else(|| panic!("{outcome}")), outcome.counters())
}

#[test]
fn a_recursion_that_is_too_large_for_a_tree_is_profiled_in_64_mib_more() {
    let Some(jvm) = Jvm::of(17) else { return };
    let scratch = Scratch::new("profile-tree", jvm.feature);
    let tree = Run::hazard(&jvm, "Branches").within(&scratch).agent("encoder=cct,cct-memory=64m").go();
    assert!(tree.success() && tree.stderr.contains("fill the memory of the trees"), "{tree}");
    let (without, _) = held(&jvm, "hooks=all");
    let (with, counters) = held(&jvm, "profile=1009,hot=1e-4");
    assert_eq!(counters.counter("tally.profile.lost"), 0, "{counters}");
    assert!(counters.counter("tally.profile") > 7_000, "{counters}");
    println!("KiB: {without} without, {with} with a profile");
    assert!(with < without + (64 << 10), "{with} KiB with a profile, {without} without");
}

/// A recursion of that depth, which takes one of two calls at each level: each context is entered
/// once.
fn branches(jvm: &Jvm, depth: u64, options: &str) -> (Scratch, Outcome) {
    let scratch = Scratch::new("profile-branches", jvm.feature);
    let run = Run::hazard(jvm, "Branches").within(&scratch).agent(options);
    let outcome = run.argument(depth.to_string()).argument("1").go();
    assert!(outcome.success(), "{options} on {}:\n{outcome}", jvm.feature);
    (scratch, outcome)
}

#[test]
fn millions_of_contexts_are_sampled_in_the_memory_of_some_counters() {
    // hot=1e-3 has so many.
    let (depth, counters) = (20, 5000);
    for jvm in [11, 25].into_iter().filter_map(Jvm::of) {
        for encoder in ["lucce", "pcc"] {
            // A window keeps a context for each counter at most, and a quick run takes a second.
            let options = format!("profile=7,hot=1e-3,window=100ms,encoder={encoder}");
            let (_scratch, outcome) = branches(&jvm, depth, &options);
            let told = outcome.counters();
            let [written, replaced, lost] =
                ["tally.profile", "profile.replaced", "tally.profile.lost"].map(|name| told.counter(name));
            assert!(written + replaced > (1 << depth) / 7 && replaced > counters && lost == 0, "{told}");
            // Each level is a frame, and `main` is one.
            let most = told.counter("profile.nodes.most");
            assert!(counters < most && most <= (counters + 1) * (depth + 2), "{most} nodes\n{told}");
            assert!(told.counter("contexts.captured") < 100 && told.counter("pcc.learned") < 100, "{told}");
            let sampled = sums(outcome.log(), "profile");
            assert_eq!(sampled.values().sum::<u64>(), written);
            // A context that is told for another one would be there twice, and none is unknown
            // further down.
            let visits = || sampled.iter().filter(|(context, _)| context.contains("\"visit\""));
            let wrong: Vec<_> =
                visits().filter(|(context, count)| **count != 1 || !context.ends_with(" null")).take(3).collect();
            assert!(wrong.is_empty() && visits().count() > 5000, "{encoder} on {}: {wrong:#?}", jvm.feature);
        }
    }
}

#[test]
fn the_bounds_of_few_counters_hold_where_contexts_come_and_go() {
    for jvm in [11, 25].into_iter().filter_map(Jvm::of) {
        for encoder in ["lucce", "pcc"] {
            let options = format!("profile=all,hot=0.05,window=100ms,entries=*,encoder={encoder}");
            let (_scratch, outcome) = branches(&jvm, 9, &options);
            let (all, sampled) = (sums(outcome.log(), "entry"), sums(outcome.log(), "profile"));
            let wrong: Vec<_> = sampled.iter().filter(|(context, count)| all.get(*context) < Some(*count)).collect();
            assert!(wrong.is_empty(), "{encoder} on {}: {wrong:#?}", jvm.feature);
            assert!(all.len() > 1000 && outcome.counters().counter("profile.replaced") > 0, "{}", all.len());
            within_bounds(outcome.log(), &all);
        }
    }
}
