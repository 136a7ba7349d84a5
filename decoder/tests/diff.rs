//! `lucce-decode diff`: what grew stands first, nothing is compared that was not recorded, and
//! rules end with status 1.
//!
//! Invariant: real JVMs are compared in `jvm-tests/tests/jvm/diff.rs`.
//! Source: docs/guide/decoder.md, "What changed".

mod common;

use std::path::{Path, PathBuf};
use std::process::Output;

use common::shell::{folder, run_in, text};
use common::{Program, header};
use lucce_encoding::Passage;
use lucce_log::Record;
use lucce_words::SiteId;
use serde_json::Value;

/// Events by method, kind, class and value.
type Events<'a> = [(&'a str, &'a str, Option<&'a str>, i64)];

/// A run with these events, a millisecond apart.
fn log(events: &Events<'_>, options: &str) -> Vec<u8> {
    let mut program = Program::default();
    let outer = program.method("shop/Orders", "handle", "()V");
    let calls = program.site(outer, 4, Some(10));
    let mut methods: Vec<(&str, _, _)> = Vec::new();
    for &(name, kind, class, value) in events {
        if !methods.iter().any(|(known, ..)| *known == name) {
            let method = program.method("shop/Orders", name, "()V");
            let line = 20 + methods.len() as u16;
            methods.push((name, method, program.site(method, 2, Some(line))));
        }
        let &(_, method, at) = methods.iter().find(|(known, ..)| *known == name).expect("a method");
        let mut stack = Vec::new();
        program.call(&mut stack, SiteId::ROOT, outer, Passage::Plain);
        program.call(&mut stack, calls, method, Passage::Plain);
        program.event(&mut stack, at, (kind, value), class, Vec::new());
    }
    program.record(Record::End);
    let header = lucce_log::Header { options: options.into(), ..header() };
    program.file_with(&header).0
}

/// A folder with both runs.
fn runs(test: &str, old: &[u8], new: &[u8]) -> PathBuf {
    let folder = folder(test, old);
    std::fs::write(folder.join("new.log"), new).expect("a log");
    folder
}

fn diff(folder: &Path, args: &[&str]) -> Output {
    run_in(folder, &[&["diff"], args].concat())
}

const OPTIONS: &str = "exceptions";
const OLD: &Events<'_> =
    &[("price", "work", None, 100), ("pack", "work", None, 70), ("price", "mark", None, 1), ("send", "work", None, 5)];
const NEW: &Events<'_> = &[
    ("price", "work", None, 100),
    ("pack", "work", None, 20),
    ("price", "mark", None, 1),
    ("bill", "work", None, 90),
    ("send", "work", None, 7),
];

#[test]
fn what_grew_most_is_the_first_line_and_what_is_gone_is_named() {
    let folder = runs("diff-order", &log(OLD, OPTIONS), &log(NEW, OPTIONS));
    let output = diff(&folder, &["events.log", "new.log"]);
    let printed = text(&output.stdout);
    let expected = "\
work: +90 in +1 events, new at shop.Orders.bill(Orders.java:22)
    at shop.Orders.handle(Orders.java:10)
work: +2 in +0 events, +40.0 % at shop.Orders.send(Orders.java:23)
    at shop.Orders.handle(Orders.java:10)
work: -50 in +0 events, -71.4 % at shop.Orders.pack(Orders.java:21)
    at shop.Orders.handle(Orders.java:10)
work: 175 in 3 events -> 217 in 4 events, +24.0 %; contexts: 1 new, 0 gone, 1 grown, 1 shrunk, 1 the same
mark: no difference, 1 events in 1 context
exception: no difference, 0 events in 0 contexts
";
    assert_eq!((printed.as_str(), output.status.code()), (expected, Some(0)));
    let swapped = text(&diff(&folder, &["new.log", "events.log", "--top", "1"]).stdout);
    assert!(swapped.starts_with("work: +50 in +0 events, +250.0 % at shop.Orders.pack("), "{swapped}");
    assert!(swapped.contains("\nwork: -90 in -1 events, gone at shop.Orders.bill("), "{swapped}");
    assert!(swapped.contains("\n1 context more shrank. work: 217 in 4 events -> 175 in 3 events"), "{swapped}");
}

#[test]
fn a_run_beside_itself_differs_in_nothing() {
    let bytes = common::random(3, 12, 3_000, 6).file().0;
    let folder = runs("diff-same", &bytes, &bytes);
    for args in [&[][..], &["--exact"], &["--per", "second"]] {
        let output = diff(&folder, &[&["events.log", "new.log", "--format", "json"], args].concat());
        let report: Value = serde_json::from_slice(&output.stdout).expect("an object");
        let kinds = report["kinds"].as_array().expect("kinds");
        assert!(kinds.iter().filter(|kind| kind["same"].as_u64() > Some(5)).count() > 1, "{report}");
        assert!(kinds.iter().all(|kind| kind["changes"] == Value::Array(Vec::new())), "{report}");
        assert_eq!(output.status.code(), Some(0));
    }
}

#[test]
fn a_rule_that_is_broken_names_its_contexts_and_ends_with_1() {
    let folder = runs("diff-rules", &log(OLD, OPTIONS), &log(NEW, OPTIONS));
    let rule = |rule: &str| diff(&folder, &["events.log", "new.log", "--fail-on", rule]);
    for kept in ["work.value>+24%", "work.value>42", "work.count>+34%", "new:mark", "new:exception", "work.value>1m"] {
        let output = rule(kept);
        assert!(output.status.success() && !text(&output.stdout).contains("broken"), "{kept}: {output:?}");
    }
    for (broken, named) in [
        (
            "work.value>23.9%",
            "broken: work.value>23.9%: by 2 contexts\n  work: +90 in +1 events, new at shop.Orders.bill",
        ),
        ("work.value>+41", "broken: work.value>+41: by 2 contexts\n"),
        ("work.count>+33%", "broken: work.count>+33%: by 1 context\n  work: +90 in +1 events, new at shop.Orders.bill"),
        (
            "new:work",
            "broken: new:work: by 1 context\n  work: +90 in +1 events, new at shop.Orders.bill(Orders.java:22)\n",
        ),
        ("nothing.count>5%", "broken: nothing.count>5%: neither run has events of this kind\n"),
    ] {
        let output = rule(broken);
        assert!(text(&output.stdout).contains(named), "{broken}: {}", text(&output.stdout));
        assert_eq!(output.status.code(), Some(1));
    }
    let output = rule("work>5");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn what_one_run_did_not_record_is_not_compared() {
    let thrown: &Events<'_> = &[("price", "exception", Some("java/lang/Error"), 1)];
    let folder = runs("diff-recorded", &log(OLD, "alloc=512k"), &log(&[OLD, thrown].concat(), OPTIONS));
    let output = diff(&folder, &["events.log", "new.log", "--fail-on", "new:exception"]);
    let printed = text(&output.stdout);
    let line = "exception: not compared, the old run did not record it (option exceptions of the agent)\n";
    assert!(printed.contains(line) && !printed.contains("java.lang.Error"), "{printed}");
    assert_eq!(output.status.code(), Some(1));
    // With the source on and nothing thrown it is.
    let folder = runs("diff-recorded-both", &log(OLD, OPTIONS), &log(&[OLD, thrown].concat(), OPTIONS));
    let output = diff(&folder, &["events.log", "new.log", "--fail-on", "new:exception"]);
    let printed = text(&output.stdout);
    assert!(printed.contains("\n  exception of java.lang.Error: +1 events, new at shop.Orders.price("), "{printed}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn sums_are_divided_by_counted_calls() {
    let entries = |calls: i64, value: i64| -> Vec<u8> {
        let mut events = vec![("price", "work", None, value)];
        events.extend((0..calls).map(|_| ("price", "entry", None, 1)));
        log(&events, "entries=shop.Orders.price")
    };
    // Twice as many calls, and as much for each.
    let folder = runs("diff-per", &entries(10, 500), &entries(20, 1_000));
    let per = |per: &str| diff(&folder, &["events.log", "new.log", "--per", per, "--fail-on", "work.value>0"]);
    let output = per("shop.Orders.pr*");
    let printed = text(&output.stdout);
    let line = "\nwork: 50.000 in 0.100 events -> 50.000 in 0.050 events a call of shop.Orders.pr*, +0.0 %; ";
    assert!(printed.contains(line), "{printed}");
    assert_eq!(output.status.code(), Some(0), "{printed}");
    // What else is chosen is divided by the same calls.
    for chosen in [&["--kind", "work"][..], &["--kind", "work", "--include", "*.price", "--focus", "*.price"]] {
        let args = [&["events.log", "new.log", "--per", "shop.Orders.pr*"], chosen].concat();
        let output = diff(&folder, &args);
        assert!(text(&output.stdout).contains(line.trim_start()), "{chosen:?}: {output:?}");
        assert!(!text(&output.stdout).contains("entry"), "{chosen:?}: {output:?}");
    }
    let output = per("shop.Orders.none");
    let said =
        "lucce-decode: the old run counted no call of shop.Orders.none: give the agent entries=shop.Orders.none\n";
    assert_eq!((text(&output.stderr).as_str(), output.status.code()), (said, Some(1)));
}

#[test]
fn a_cut_log_is_compared_as_far_as_it_goes_and_ends_with_3() {
    let old = log(OLD, OPTIONS);
    let folder = runs("diff-cut", &old, &old[..old.len() - 30]);
    let output = diff(&folder, &["events.log", "new.log"]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(text(&output.stderr).starts_with("lucce-decode: damaged log"), "{output:?}");
}
