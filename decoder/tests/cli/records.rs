//! Tallies and origins, as each view prints them.

use lucce_log::{Ground, OriginKind, Record};
use lucce_words::{Lost, NodeId, OriginId, Word};

use crate::common::Program;
use crate::common::shell::run;

#[test]
fn tallies_are_counted_in_every_report_and_summed_over_their_records() {
    let mut program = Program::default();
    let (runs, make) = (program.method("a/A", "run", "()V"), program.method("a/A", "make", "()V"));
    let (run_at, make_at) = (program.site(runs, 4, Some(7)), program.site(make, 0, Some(9)));
    let kinds = ["alloc", "entry"].map(|kind| program.kind(kind));
    for (id, parent, site) in [(1, 0, run_at), (2, 1, make_at)] {
        program.record(Record::Node { id: NodeId(id), parent: NodeId(parent), site });
    }
    let tally = |kind, node, class: Option<&str>, count, value| Record::Tally {
        kind,
        node: NodeId(node),
        site: make_at,
        word: if node == 0 { Word::lost(Lost::Memory) } else { Word::NONE },
        class: class.map(Into::into),
        count,
        value,
    };
    program.record(tally(kinds[0], 2, Some("[B"), 1_000, 24_000));
    program.record(tally(kinds[1], 2, None, 70, 70));
    program.next_block();
    program.record(tally(kinds[0], 2, Some("[B"), 500, 8_000));
    program.record(tally(kinds[0], 0, Some("a/B"), 3, 48));
    program.record(Record::End);
    let bytes = program.file().0;
    let view = |args: &[&str]| {
        let output = run("tallies", &bytes, args);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let events = view(&["--events"]);
    let expected = "tally t2: alloc 31.2 KiB in 1 500 events of byte[]\n    at a.A.make(A.java:9)\n    at a.A.run(A.java:7)\n\
        tally t2.1: entry 70 in 70 events\n";
    assert!(events.contains(expected), "{events}");
    assert!(
        events.contains("tally t0: alloc 48 B in 3 events of a.B\n    at a.A.make(A.java:9)\n    [context lost"),
        "{events}"
    );
    assert_eq!(
        view(&["--format", "collapsed", "--kind", "alloc"]).lines().next(),
        Some("a.A.run;a.A.make;byte[] 32000")
    );
    let top = view(&["--top", "1", "--kind", "alloc"]);
    assert!(top.starts_with(" 1. t2      99.9 % alloc: 31.2 KiB in 1 500 events, byte[]\n"), "{top}");
    assert!(view(&["--context", "t2"]).contains("tally t2.1: entry 70"));
    let json = view(&["--events", "--format", "json", "--kind", "entry"]);
    assert!(
        json.starts_with("{\"seq\":null,\"time_ns\":null,")
            && json.contains(",\"count\":70,\"word\":null,\"owner\":\"agent\",\"fingerprint\":\""),
        "{json}"
    );
    let stats = view(&["--stats", "--format", "json"]);
    for figure in [
        "\"events\":1573",
        "\"lost_events\":3",
        "\"tallies\":3",
        "\"alloc\":{\"events\":1503,\"value\":32048}",
        "\"reasons\":{\"context lost: no memory for the thread's chain\":3}",
    ] {
        assert!(stats.contains(figure), "{figure}: {stats}");
    }
    let stats = view(&["--stats"]);
    assert!(
        stats.contains(
            "\nevents whose traces end early, by reason\n  3 events: context lost: no memory for the thread's chain\n"
        ),
        "{stats}"
    );
}

#[test]
fn a_trace_goes_on_where_the_task_and_then_the_thread_came_from() {
    let (mut program, mut stack, at) = Program::running("run");
    program.record(Record::Node { id: NodeId(1), parent: NodeId(0), site: at });
    let (known, outside) = (Ground::Known, Ground::Outside);
    let origin = |id, node, kind, ground, parent, cut| {
        let (id, node, parent) = (OriginId(id), NodeId(node), OriginId(parent));
        Record::Origin { id, node, kind, ground, parent, cut }
    };
    program.record(origin(1, 0, OriginKind::Started, outside, 0, true));
    program.record(origin(2, 1, OriginKind::Submitted, known, 1, false));
    // Its parent is not older: no chain is a circle.
    program.record(origin(3, 1, OriginKind::Submitted, known, 3, false));
    program.record(Record::ThreadOf { id: 1, name: "worker".into(), java_id: 7, origin: OriginId(2) });
    program.event(&mut stack, at, ("mark", 1), None, Vec::new());
    program.record(Record::End);
    let output = run("origins", &program.file().0, &["--events"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let frame = "    at a.A.run(";
    let lines: Vec<&str> =
        text.lines().skip(1).map(|line| if line.starts_with(frame) { frame } else { line }).collect();
    let cut = "    [what came before is not kept]";
    assert_eq!(lines, [frame, "    submitted at", frame, "    started at", "    [no instrumented frame]", cut]);
    assert!(text.contains("in \"worker\""), "{text}");
}
