//! Code that only the newest Java has, compiled when the test runs, for the JDK of the build does
//! not know it.
//!
//! Invariant: as in `hazards.rs`: the same output and end as without the agent, every check right,
//! nothing left out.

use std::path::PathBuf;

use lucce_jvm_tests::{Jvm, Run, Scratch, place};

/// The targets of `java/java25`, compiled on that JVM.
fn compiled(jvm: &Jvm, scratch: &Scratch) -> PathBuf {
    let classes = scratch.path().join("classes");
    let compiler = Run::new(jvm, "org.eclipse.jdt.internal.compiler.batch.Main", vec![place().jar("compiler")]);
    let outcome = ["-source", "25", "-target", "25", "-g", "-nowarn", "-classpath"]
        .into_iter()
        .fold(compiler.within(scratch), |run, argument| run.argument(argument))
        .argument(place().set("main"))
        .argument("-d")
        .argument(&classes)
        .argument(place().source("java/java25"))
        .go();
    assert!(outcome.success(), "{outcome}");
    classes
}

/// Runs a target with each of these options.
fn exact(target: &str, options: &[&str]) {
    let Some(jvm) = Jvm::of(25) else { return };
    let scratch = Scratch::new(target, 25);
    let classes = compiled(&jvm, &scratch);
    let run = || {
        let class_path = vec![classes.clone(), place().set("main"), place().api.clone()];
        Run::new(&jvm, &format!("hazards.{target}"), class_path).option("-Xverify:all").within(&scratch)
    };
    let plain = run().go();
    assert!(plain.success(), "{plain}");
    for options in options {
        let agent = run().agent(&format!("{options},exclude=hazards.plain.*")).go();
        assert!(agent.success(), "{options}\n{agent}");
        assert_eq!(plain.stdout, agent.stdout, "{options}\n{agent}");
        let counters = agent.verified();
        // Of the JDK some methods are always left as they are.
        assert!(options.contains("jdk=on") || counters.counter("methods.skipped") == 0, "{options}\n{agent}");
    }
}

#[test]
fn statements_before_super() {
    exact(
        "EarlyStatements",
        &[
            "verify=1,hooks=all",
            "verify=1,hooks=demand,wake=2000",
            "verify=1,hooks=demand,wake=20",
            "verify=1,encoder=algorithm1",
            "verify=1,encoder=cct",
            "verify=1,encoder=pcc",
            "verify=1,alloc=all,entries=hazards.*,exceptions,locks",
            "verify=1,alloc=all,entries=hazards.*,exceptions,locks,encoder=lucce",
        ],
    );
}

#[test]
fn virtual_threads_that_block_with_monitors_held() {
    exact(
        "Unpinned",
        &[
            "verify=1,hooks=all",
            "verify=1,hooks=demand,wake=20",
            "verify=1,alloc=all,exceptions,locks,cpu=1ms,async=on",
            "verify=1,alloc=all,exceptions,locks,cpu=1ms,async=on,encoder=lucce",
            "verify=100,jdk=on,exceptions,locks",
        ],
    );
}
