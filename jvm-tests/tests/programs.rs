//! Six real programs under the agent, with the oracle at work, on two JVMs of the matrix each, and
//! every JVM runs some.
//!
//! Invariant: the same output as without the agent, and every check holds. `LUCCE_VERIFY=1` checks
//! every entry (an hour and more); `LUCCE_WITH=jdk=on,cpu=5ms` gives the agent other options.
//! Source: docs/guide/verification.md.

#![forbid(unsafe_code)]

use std::env;
use std::ffi::OsString;

use lucce_jvm_tests::{Counters, Jvm, Run, Scratch, decode, place, turn};

/// Entries between two checks, beside those at first uses and powers of two.
fn interval() -> u32 {
    env::var("LUCCE_VERIFY").ok().and_then(|n| n.parse().ok()).unwrap_or(300)
}

/// What the programs are run with: sampled allocations, for which every call publishes, or CPU
/// time, with which those that lead to no hooks do not, as by default; or the options of
/// `LUCCE_WITH`.
fn asked_for(feature: u32) -> String {
    let usual = || if feature == 11 || feature == 21 { "alloc=1m" } else { "cpu=2ms" }.into();
    env::var("LUCCE_WITH").unwrap_or_else(|_| usual())
}

/// Runs `programs.<main>` both ways; `arguments` may name files of the test's own folder.
fn program(feature: u32, main: &str, jars: &[&str], arguments: impl Fn(u32, &Scratch, &str) -> Vec<OsString>) {
    let options = format!("{},verify={}", asked_for(feature), interval());
    let Some(counters) = verified(feature, main, jars, arguments, &options) else { return };
    assert!(counters.figure("events") > 0, "nothing was taken\n{counters}");
}

/// As above, with every allocation and the invocations of methods of some names counted: each
/// count's context is checked like any other.
fn counted(feature: u32, main: &str, jars: &[&str], arguments: impl Fn(u32, &Scratch, &str) -> Vec<OsString>) {
    // Hashed words by default, and numbers.
    let encoder = if feature == 11 || feature == 21 { "lucce" } else { "auto" };
    let options = format!("encoder={encoder},alloc=all,entries=*.get*:*.<init>,verify={}", interval());
    let Some(counters) = verified(feature, main, jars, arguments, &options) else { return };
    let counter = |name: &str| counters.counter(name);
    assert!(counter("tally.alloc") > 10_000 && counter("tally.entry") > 10_000, "little was counted\n{counters}");
    assert_eq!((counter("tally.alloc.lost"), counter("tally.entry.lost")), (0, 0), "{counters}");
    assert_eq!(counters.figure("events"), counter("tally.alloc") + counter("tally.entry"), "{counters}");
}

/// `programs.<main>` with these jars.
fn run_of(jvm: &Jvm, scratch: &Scratch, main: &str, jars: &[&str]) -> Run {
    let mut class_path = vec![place().set("programs")];
    class_path.extend(jars.iter().map(|jar| place().jar(jar)));
    let run = Run::new(jvm, &format!("programs.{main}"), class_path).within(scratch).limit(1800);
    // Wait-for-garbage pauses and heap sizes that depend on the machine make no difference to what
    // is printed.
    run.option("-Xmx1g")
}

fn verified(
    feature: u32,
    main: &str,
    jars: &[&str],
    arguments: impl Fn(u32, &Scratch, &str) -> Vec<OsString>,
    options: &str,
) -> Option<Counters> {
    let jvm = Jvm::of(feature)?;
    let scratch = Scratch::new(main, feature);
    let run = |way: &str| {
        let run = run_of(&jvm, &scratch, main, jars);
        arguments(feature, &scratch, way).into_iter().fold(run, Run::argument)
    };
    let plain = run("plain").plain().go();
    assert!(plain.success(), "{main} fails without the agent on {feature}:\n{plain}");
    let agent = if with_c2(feature, main) { run("agent") } else { run("agent").plain() };
    let agent = agent.agent(options).go();
    assert!(agent.success(), "{main} fails under the agent on {feature}:\n{agent}");
    assert_eq!(plain.stdout, agent.stdout, "{main} prints something else under the agent on {feature}:\n{agent}");
    let counters = agent.verified();
    assert!(counters.complete(), "the log has no end\n{counters}");
    let (checked, edges) = (counters.counter("verify.edges"), counters.counter("graph.edges"));
    // Where methods sleep, walks make links that nobody has entered by.
    let asleep = options.contains("hooks=demand");
    // Hashed words are checked, and edges are those of what was captured.
    let hashed = checked == 0 && counters.counter("pcc.learned") > 0;
    assert!(
        checked == edges || asleep && checked < edges || hashed,
        "{checked} of {edges} edges of the final graph were checked\n{agent}\n{counters}"
    );
    let (checks, contexts) = (counters.checks(), counters.distinct());
    let (wrong, lost, unknown) = (counters.mismatches(), counters.lost(), counters.counter("verify.unknown"));
    println!(
        "{main} on {feature}: {checks} checks of {contexts} contexts, {wrong} mismatches, {lost} lost, {unknown} unknown"
    );
    Some(counters)
}

/// The same arguments both ways: how much the program does, in the usual run and in a whole one.
fn count(usual: &str, whole: &str) -> impl Fn(u32, &Scratch, &str) -> Vec<OsString> {
    let count: OsString = if turn::is_whole() { whole } else { usual }.into();
    move |_, _, _| vec![count.clone()]
}

/// Where ecj reads and writes. It compiles the random programs, or in a whole run all targets,
/// which takes twice as long.
fn sources(_: u32, scratch: &Scratch, way: &str) -> Vec<OsString> {
    let out = scratch.file(way);
    std::fs::create_dir_all(&out).expect("a folder of the test's own");
    let class_path = env::join_paths([&place().api, &place().set("agent")]).expect("no path has a colon");
    let sources = if turn::is_whole() { "java/main" } else { "java/main/random" };
    vec![place().source(sources).into(), out.into(), class_path]
}

/// Of each of these a program runs on one, and the nightly run takes all: on both of a pair it is
/// asked for the same ([`asked_for`]).
const OPTIONS_ALIKE: [[u32; 2]; 2] = [[11, 21], [17, 25]];

/// Those of them that this program runs on.
fn turns(main: &str) -> Vec<u32> {
    OPTIONS_ALIKE.iter().flat_map(|features| turn::of(main, features)).map(|jvm| jvm.feature).collect()
}

/// Does C2 compile it there? On one of those that it runs on, and where it is run for other
/// reasons.
fn with_c2(feature: u32, main: &str) -> bool {
    let turns = turns(main);
    !turns.contains(&feature) || turn::is(&format!("{main} with C2"), &turns, feature)
}

macro_rules! programs {
    ($($name:ident: $main:literal [$($jar:literal),*] $arguments:expr;)*) => { $(
        mod $name {
            use super::*;

            programs!(@tests $main, &[$($jar),*], $arguments; 11 on_11, 17 on_17, 21 on_21, 25 on_25);
        }
    )* };
    (@tests $main:expr, $jars:expr, $arguments:expr; $($feature:literal $test:ident),*) => { $(
        #[test]
        fn $test() {
            if turns($main).contains(&$feature) {
                program($feature, $main, $jars, $arguments);
            } else {
                println!("{} does not run on {}: LUCCE_WHOLE=1 runs it", $main, $feature);
            }
        }
    )* };
}

programs! {
    database: "Database" ["h2"] count("2", "4");
    search: "Search" ["lucene-core", "lucene-analysis", "lucene-queryparser"] count("200", "400");
    script: "Script" ["groovy"] count("1", "1");
    compiler: "Compile" ["ecj"] sources;
    transformer: "Transform" ["xalan", "xalan-serializer", "xerces", "xml-apis"] count("3", "5");
    server: "Server" ["tomcat", "tomcat-annotations"] count("40", "60");
}

/// What one run has taught decodes the words of another one, which walks nothing: hashes of names
/// as they are, and sizes of frames once they are trained.
mod icpp {
    use super::*;

    #[test]
    fn a_map_of_a_small_input_decodes_a_larger_one() {
        let Some(jvm) = Jvm::of(21) else { return };
        let scratch = Scratch::new("icpp-maps", jvm.feature);
        let run = |rounds: &str, options: &str| {
            let jars = ["xalan", "xalan-serializer", "xerces", "xml-apis"];
            let run = run_of(&jvm, &scratch, "Transform", &jars).argument(rounds);
            let outcome = run.agent(&format!("encoder=icpp,alloc=4k,{options}")).go();
            assert!(outcome.success(), "{outcome}");
            outcome
        };
        let map = scratch.path().join("transform.map");
        for weights in ["natural", "mixed"] {
            let said = decode(run("1", &format!("icpp={weights}")).log()).train(&map, &[]);
            let used = if weights == "natural" { map.display().to_string() } else { weights.into() };
            let decoded = decode(run("2", &format!("icpp={used},walks=off")).log()).by_map(&map);
            println!("{weights}: {said}\n{}", decoded["events"]);
            let events = |outcome: &str| decoded["events"][outcome].as_u64();
            assert!(events("precise") > Some(0) && events("incorrect").is_none(), "{}", decoded["events"]);
            let told = ["before", "after"].map(|when| said["by_sites"][when]["precise"].as_u64());
            assert!(
                told[0] <= told[1] && (weights == "natural" || events("ambiguous") == Some(0)),
                "{said}\n{}",
                decoded["events"]
            );
        }
    }
}

#[test]
fn a_search_with_all_its_allocations_counted() {
    counted(21, "Search", &["lucene-core", "lucene-analysis", "lucene-queryparser"], count("30", "30"));
}

#[test]
fn a_server_with_all_its_allocations_counted() {
    counted(17, "Server", &["tomcat", "tomcat-annotations"], count("40", "60"));
}
