//! `lucce-decode hot`: what it says of a log whose contexts and samples are known.
//!
//! Invariant: bounds, intervals and verdicts are those of `lucce_profiles::hot`; what was not
//! sampled is named, and of bursts nothing is claimed of the entries between them. Source:
//! docs/guide/profiles.md; docs/FORMAT.md, "Profile".

mod common;

use std::process::Output;

use common::shell::{folder, run_in, text};
use common::{Program, header};
use lucce_log::{Header, Record};
use lucce_words::{NodeId, SiteId, Word};
use serde_json::Value;

/// `main` calls `a` from two lines; from the first of them `a` calls `b`. So many of a hundred
/// samples are of each of these three contexts.
fn log(period: u64, options: &str) -> Vec<u8> {
    let mut program = Program::default();
    let [main, a, b] = ["main", "a", "b"].map(|name| program.method("p/A", name, "()V"));
    let [first, second] = [(4, 8), (9, 9)].map(|(bci, line)| program.site(main, bci, Some(line)));
    let [in_a, calls_b] = [(0, 12), (2, 13)].map(|(bci, line)| program.site(a, bci, Some(line)));
    let in_b = program.site(b, 0, Some(20));
    let kind = program.kind("profile");
    program.record(Record::Profile {
        period,
        counters: 50,
        entries: 100 * period,
        samples: 100,
        dropped: 0,
        lost: 0,
        replaced: 0,
        unseen: 0,
    });
    for (sites, count) in [(&[first, in_a][..], 50), (&[second, in_a], 5), (&[first, calls_b, in_b], 45)] {
        let node = program.node(sites);
        let (site, word) = (SiteId::UNKNOWN, Word::NONE);
        program.record(Record::Tally { kind, node, site, word, class: None, count, value: count * period.max(1) });
    }
    program.record(Record::End);
    program.file_with(&Header { options: options.into(), ..header() }).0
}

fn hot(test: &str, bytes: &[u8], args: &[&str]) -> Output {
    run_in(&folder(test, bytes), &[&["hot", "events.log"], args].concat())
}

#[test]
fn the_hot_tree_has_hot_contexts_and_what_leads_to_them() {
    let bytes = log(1, "profile=all");
    let shown = |phi: &str| {
        let output = hot("hot-tree", &bytes, &["--phi", phi, "--tree"]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        text(&output.stdout).split_once("\n\n").expect("a head").1.to_owned()
    };
    let all = "\
100.000 % p.A.main
 95.000 %   p.A.a, called at A.java:8 [50.000 %: hot, 50 samples]
 45.000 %     p.A.b, called at A.java:13 [45.000 %: hot, 45 samples]
  5.000 %   p.A.a, called at A.java:9 [5.000 %: hot, 5 samples]
";
    assert_eq!(shown("0.01"), all);
    let most = [" 50.000 % p.A.main", " 50.000 %   p.A.a, called at A.java:8 [50.000 %: hot, 50 samples]", ""];
    assert_eq!(shown("0.5"), most.join("\n"));
    let output = hot("hot-tree", &bytes, &["--tree", "--depth", "2", "--format", "json"]);
    let nodes: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    let found: Vec<_> = nodes.iter().map(|node| (node["depth"].clone(), node["own_samples"].clone())).collect();
    assert_eq!(found, [(0.into(), Value::Null), (1.into(), 50.into()), (1.into(), 5.into())]);
    let output = hot("hot-tree", &bytes, &["--tree", "--format", "collapsed"]);
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(1), ""), "{output:?}");
}

#[test]
fn a_context_that_lost_its_counter_and_came_again_is_one() {
    let mut program = Program::default();
    let [main, a] = ["main", "a"].map(|name| program.method("p/A", name, "()V"));
    let (call, in_a) = (program.site(main, 4, Some(8)), program.site(a, 0, Some(12)));
    let kind = program.kind("profile");
    let stream = |samples| Record::Profile {
        period: 1,
        counters: 1,
        entries: samples,
        samples,
        dropped: 0,
        lost: 0,
        replaced: 30,
        unseen: 50,
    };
    program.record(stream(60));
    let first = program.node(&[call, in_a]);
    let (site, word) = (SiteId::UNKNOWN, Word::NONE);
    let tally = |node, count| Record::Tally { kind, node, site, word, class: None, count, value: count };
    program.record(tally(first, 30));
    // What only the log names has large numbers, and again ones that were not given before.
    let [parent, again] = [NodeId(1 << 31), NodeId((1 << 31) + 1)];
    program.record(Record::Node { id: parent, parent: NodeId(0), site: call });
    program.record(Record::Node { id: again, parent, site: in_a });
    program.record(stream(100));
    program.record(Record::ProfileContext { node: again, count: 72, error: 32 });
    program.record(tally(again, 40));
    program.record(Record::End);
    let bytes = program.file_with(&Header { part: 1, ..header() }).0;
    let lines = text(&hot("hot-again", &bytes, &["--format", "json"]).stdout);
    let rows: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    assert_eq!(rows.len(), 1, "{lines}");
    // Both parts of its samples are written; the bound of its counter is that of the number that it
    // has now.
    assert_eq!((rows[0]["samples"].as_u64(), rows[0]["most_samples"].as_u64()), (Some(70), Some(72)), "{lines}");
    assert_eq!(rows[0]["frames"].as_array().map(Vec::len), Some(2), "{lines}");
}

#[test]
fn what_is_not_in_the_stream_is_said_unless_all_entries_are() {
    let said = "not sampled: calls of methods without hooks";
    for (period, options, says) in [
        (101, "profile=101", true),
        (0, "profile=10ms", true),
        (101, "profile=101,entries=*", false),
        (1, "profile=all", false),
    ] {
        let output = hot("hot-stream", &log(period, options), &[]);
        assert_eq!(text(&output.stdout).contains(said), says, "{options}: {output:?}");
    }
}

#[test]
fn of_bursts_nothing_is_claimed_of_other_entries() {
    let bytes = log(10, "hot=1e-4,profile=2ms/20ms");
    let lines = text(&hot("hot-bursts", &bytes, &["--format", "json"]).stdout);
    let rows: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    assert_eq!(rows.len(), 3, "{lines}");
    assert!(rows.iter().all(|row| row["share_of_entries"].is_null() && row["verdict"] == "hot"), "{lines}");
    assert_eq!(rows[0]["share_of_samples"], serde_json::json!([0.5, 0.5]));
    let shown = text(&hot("hot-bursts", &bytes, &[]).stdout);
    assert!(shown.contains("what lies between bursts is unknown here"), "{shown}");
    assert!(!shown.contains("of all entries"), "{shown}");
}
