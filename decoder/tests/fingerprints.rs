//! Fingerprints: the same context has the same one in every log, and every view and export names
//! it.
//!
//! Invariant: two runs of these tests enter, name and number their contexts in different orders.
//! Source: docs/FORMAT.md, "Fingerprints".

mod common;

use std::collections::BTreeMap;

use common::Program;
use common::shell::{run, text};
use lucce_decoder::{Contexts, Fingerprints, Log};
use lucce_encoding::Passage;
use lucce_log::{Record, WalkedFrame};
use lucce_words::SiteId;
use serde_json::Value;

/// A proxy's number, a hidden class's address, and in what order things are met: what differs
/// between two runs.
fn log(proxy: &str, hidden: &str, reversed: bool) -> Vec<u8> {
    let mut program = Program::default();
    let mut names = ["one", "two"];
    if reversed {
        program.method("other/Unrelated", "first", "()V");
        names.reverse();
    }
    let outer = program.method("a/A", "outer", "()V");
    let proxied = program.method(proxy, "call", "()V");
    let at_proxy = program.site(proxied, 3, Some(1));
    for name in names {
        let inner = program.method("a/A", name, "()V");
        let calls = program.site(outer, if name == "one" { 5 } else { 9 }, Some(7));
        let at = program.site(inner, 2, Some(20));
        let walked = |class: &str, line| {
            vec![WalkedFrame { class: class.into(), method: "run".into(), desc: "()V".into(), line }]
        };
        let mut stack = Vec::new();
        program.call(&mut stack, SiteId::ROOT, outer, Passage::Plain);
        program.call(&mut stack, calls, proxied, Passage::Plain);
        program.call(&mut stack, at_proxy, inner, Passage::Plain);
        program.event(&mut stack, at, (name, 1), None, Vec::new());
        program.event(&mut stack, at, ("walked", 1), None, walked(hidden, Some(5)));
        program.event(&mut stack, at, ("native", 1), None, walked("b/B", Some(WalkedFrame::NATIVE)));
    }
    program.record(Record::End);
    program.file().0
}

/// The frames by exact fingerprint, and what both are by kind.
fn contexts(bytes: &[u8]) -> BTreeMap<String, Vec<Fingerprints>> {
    let log = Log::read(bytes, |_| {}).expect("a log");
    let (mut contexts, mut all) = (Contexts::new(&log), BTreeMap::<_, Vec<_>>::new());
    for event in log.events() {
        let context = contexts.find(&event.place);
        let both = contexts.fingerprints(context);
        assert_eq!(both, Fingerprints::of(&contexts.show(context)));
        all.entry(log.kind(event.kind).expect("a kind").to_owned()).or_default().push(both);
    }
    all.values_mut().for_each(|list| list.sort());
    all
}

#[test]
fn a_context_has_the_same_fingerprints_in_every_run() {
    let (proxy, hidden) = ("jdk/proxy2/$Proxy5", "a/A$$Lambda.0x000001");
    let first = contexts(&log(proxy, hidden, false));
    assert_eq!(first, contexts(&log(proxy, hidden, true)));
    let exact: std::collections::HashSet<_> = first.values().flatten().map(|both| both.exact).collect();
    assert_eq!(exact.len(), 6, "each context has its own");
    // With other numbers in names only the fingerprints of names are the same.
    let other = contexts(&log("jdk/proxy1/$Proxy77", "a/A$$Lambda$9.0x000002", true));
    let names = |of: &BTreeMap<String, Vec<Fingerprints>>| -> Vec<_> {
        let mut names: Vec<_> = of.values().flatten().map(|both| both.names).collect();
        names.sort();
        names
    };
    assert_eq!(names(&first), names(&other));
    assert!(other.values().flatten().all(|both| !exact.contains(&both.exact)));
}

#[cfg(feature = "export")]
#[test]
fn stacks_have_the_fingerprints_of_their_contexts() {
    use lucce_decoder::export::{Gathered, Profile};
    let bytes = log("jdk/proxy2/$Proxy5", "a/A$$Lambda.0x000001", false);
    let (mut profile, mut gathered) = (Profile::new(false), Gathered::new());
    let streamed = Log::stream(&bytes, |log, _| gathered.take(log)).expect("a log");
    profile.add(&streamed, gathered, "");
    let mut all = BTreeMap::<String, Vec<Fingerprints>>::new();
    for sum in profile.sums() {
        all.entry(profile.kinds()[sum.kind].label.clone()).or_default().push(profile.fingerprints(sum));
    }
    all.values_mut().for_each(|list| list.sort());
    assert_eq!(all, contexts(&bytes));
}

#[test]
fn a_fingerprint_of_one_log_finds_the_context_in_another() {
    let first = log("jdk/proxy2/$Proxy5", "a/A$$Lambda.0x000001", false);
    let other = log("jdk/proxy2/$Proxy6", "a/A$$Lambda.0x000002", true);
    let printed = text(&run("fingerprints-json", &first, &["--format", "json", "--kind", "two"]).stdout);
    let event: Value = serde_json::from_str(&printed).expect("an object");
    let key = |name: &str| event[name].as_str().expect("a fingerprint").to_owned();
    let output = run("fingerprints-exact", &other, &["--context", &key("fingerprint")]);
    assert_eq!(output.status.code(), Some(1));
    let output = run("fingerprints-names", &other, &["--context", &key("fingerprint_of_names")]);
    let found = text(&output.stdout);
    assert!(found.starts_with("at a.A.two(A.java:20)\nat jdk.proxy2.$Proxy6.call("), "{found}");
    assert_eq!(found.lines().filter(|line| line.starts_with("event ")).count(), 1, "{found}");
    let top = text(&run("fingerprints-top", &first, &["--top", "9", "--format", "json"]).stdout);
    assert!(top.contains(&key("fingerprint")), "{top}");
}
