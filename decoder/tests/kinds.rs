//! Kinds of the agent and kinds of the program with the same names: what is said of one is never
//! said of the other.
//!
//! Invariant: a program that calls its events as the agent calls its own is shown its own numbers.
//! Source: docs/FORMAT.md, "Kinds".

mod common;

use common::shell::{run, text};
use common::{Program, header};
use lucce_decoder::{Contexts, Log, Unit, suspects};
use lucce_log::{Header, Record, encode_header};
use serde_json::Value;

/// One event of each of the agent's kinds and one of the program's kind of the same name, with
/// these two values.
const VALUES: [i64; 2] = [16, 7];
const KINDS: [&str; 6] = ["alloc", "cpu", "park", "entry", "leak", "leak.objects"];

fn bytes() -> Vec<u8> {
    let (mut program, mut stack, at) = Program::running("work");
    for kind in KINDS {
        let programs = format!("program:{kind}");
        program.event(&mut stack, at, (kind, VALUES[0]), Some("[B"), Vec::new());
        program.event(&mut stack, at, (&programs, VALUES[1]), Some("a/B"), Vec::new());
    }
    program.event(&mut stack, at, ("order", 9), None, Vec::new());
    program.record(Record::End);
    let (file, starts) = program.file();
    let header = Header { options: "alloc=64k,leaks".into(), ..header() };
    [encode_header(&header), file[starts[0]..].to_vec()].concat()
}

fn view(args: &[&str]) -> String {
    text(&run("kinds", &bytes(), args).stdout)
}

fn json(args: &[&str]) -> Vec<Value> {
    let printed = view(&[args, &["--format", "json"]].concat());
    printed.lines().map(|line| serde_json::from_str(line).expect("an object")).collect()
}

#[test]
fn only_the_agents_own_samples_stand_for_more_than_themselves() {
    let log = Log::read(&bytes(), |_| {}).expect("a log");
    for event in log.events() {
        let kind = log.kind_of(event.kind).expect("a kind");
        let scaled = log.weight(event) > i128::from(event.value);
        assert_eq!(scaled, kind.label == "alloc", "{kind:?}");
        let unit = match kind.label.as_str() {
            "alloc" => Unit::Bytes,
            "cpu" | "park" => Unit::Nanoseconds,
            _ => Unit::Count,
        };
        assert_eq!(kind.unit(), unit, "{kind:?}");
    }
    let found = suspects(log.events(), &log, &mut Contexts::new(&log));
    let looks: Vec<_> = found.iter().flat_map(|suspect| &suspect.history).collect();
    assert_eq!(looks.len(), 1, "the program's own \"leak\" is no look at a suspect");
    assert_eq!((looks[0].bytes, looks[0].objects), (VALUES[0], VALUES[0]));
}

#[test]
fn each_is_chosen_and_named_by_its_label() {
    for kind in KINDS {
        let programs = format!("program:{kind}");
        for (label, owner, value) in [(kind, "agent", VALUES[0]), (&programs, "program", VALUES[1])] {
            let [event] = &json(&["--events", "--kind", label])[..] else { panic!("{label}: one event") };
            let shown = (&event["kind"], &event["owner"], &event["value"]);
            assert_eq!(shown, (&label.into(), &owner.into(), &value.into()));
            let [top] = &json(&["--top", "9", "--kind", label])[..] else { panic!("{label}: one context") };
            assert_eq!((&top["kind"], &top["owner"]), (&label.into(), &owner.into()));
        }
    }
    assert_eq!(json(&["--events", "--kind", "order"]), json(&["--events", "--kind", "program:order"]));
    let stats = &json(&["--stats"])[0]["kinds"];
    assert_eq!((&stats["alloc"]["value"], &stats["program:alloc"]["value"]), (&16.into(), &7.into()));
    let collapsed = view(&["--format", "collapsed"]);
    for line in ["[program:alloc];a.A.work;a.B 7", "[program:cpu];a.A.work;a.B 7"] {
        assert!(collapsed.lines().any(|known| known == line), "{collapsed}");
    }
    let top = view(&["--top", "20"]);
    for line in ["program:alloc: 7 in 1 event, a.B", "program:cpu: 7 in 1 event, a.B", " cpu: 16 ns in 1 event"] {
        assert!(top.contains(line), "{top}");
    }
    let output = run("kinds", &bytes(), &["--kind", "exception"]);
    assert!(text(&output.stderr).contains("there is alloc, program:alloc, cpu,"), "{}", text(&output.stderr));
}
