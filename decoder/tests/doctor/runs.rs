//! Runs that doctor looks at: one that is well, and one that has everything.

use lucce_encoding::Passage;
use lucce_log::{Header, Record, encode_header};
use lucce_words::{ClassId, Lost, MethodId, NodeId, SiteId, Word};

use crate::common::{Program, header};

/// A run with some events in one context.
pub fn program(events: usize) -> Program {
    let mut program = Program::default();
    let serve = program.method("com/example/Server", "serve", "()V");
    let at = program.site(serve, 7, Some(31));
    let mut stack = Vec::new();
    program.call(&mut stack, SiteId::ROOT, serve, Passage::Plain);
    for _ in 0..events {
        program.event(&mut stack, at, ("alloc", 524_288), Some("[B"), Vec::new());
    }
    program
}

pub fn count(program: &mut Program, counters: &[(&str, u64)]) {
    let values = counters.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    program.record(Record::Counters { values });
}

fn skip(program: &mut Program, class: &str, method: Option<&str>, reason: &str) {
    let (class, method, reason) = (class.into(), method.map(Into::into), reason.into());
    program.record(Record::Skip { class, method, reason });
}

/// What a run over hours looks like that is well.
pub fn well() -> Program {
    let mut program = program(8_000);
    skip(&mut program, "com.example.Parser", Some("parse()V"), "method-too-large (70123 bytes)");
    count(
        &mut program,
        &[
            ("alloc.events", 8_000),
            ("alloc.outside", 400),
            ("alloc.looks", 8_900),
            ("alloc.lost", 2),
            ("alloc.walks", 90),
            ("contexts.captured", 70_000),
            ("events", 8_000),
            ("events.dropped", 0),
            ("slow.chain_repairs", 12),
            ("slow.conversions", 160),
            ("slow.entries", 40_000),
            ("slow.event_walks", 90),
            ("slow.looks", 5_000),
            ("slow.walks", 700),
            ("stall.longest_ns", 10_500_000),
            ("stall.total_ns", 33_000_000),
        ],
    );
    program.record(Record::End);
    program
}

/// What a run looks like that has everything.
pub fn ill() -> Program {
    let mut program = program(8_000);
    let lost =
        [Lost::Memory, Lost::Ids, Lost::Hook, Lost::Chain, Lost::Death, Lost::Overflow, Lost::Foreign, Lost::OnCarrier];
    for (at, reason) in lost.into_iter().enumerate() {
        for _ in 0..=at {
            let place = (Word::lost(reason), SiteId(SiteId::FIRST.0), NodeId(0), NodeId(0));
            program.push_event(vec![], place, ("order", 1), None, Vec::new());
        }
    }
    let nowhere = (Word::NONE, SiteId(SiteId::FIRST.0), NodeId(0), NodeId(0));
    program.push_event(vec![], nowhere, ("order", 1), None, Vec::new());
    for (id, name) in [(90, "render"), (91, "<clinit>")] {
        let (id, class, name, desc) = (MethodId(id), ClassId(1), name.into(), "()V".into());
        program.record(Record::Method { id, class, name, desc, access: 1, huge: true });
    }
    for name in ["a()V", "b()V"] {
        skip(&mut program, "com.example.Parser", Some(name), "method-too-large (70123 bytes)");
        skip(&mut program, "com.example.Woven", Some(name), "changed by another agent after Lucce");
    }
    for class in ["a.A", "a.B", "a.C", "a.D", "a.E"] {
        skip(&mut program, class, None, "excluded");
    }
    for (class, reason) in [
        ("a.Odd", "malformed (tag at offset 12)"),
        ("a.New", "unsupported-version (70)"),
        ("a.Late", "ids-exhausted"),
        ("a.Early", "loaded before the agent was ready"),
        ("a.Loader", "not guarded: stack-too-deep (70000)"),
        ("java.util.Timer", "its tasks are not followed: malformed"),
        ("java.lang.Firm", "not retransformed: JVMTI error 79"),
        ("jdk.internal.misc.Unsafe", "the hooks call it"),
        ("java.lang.LucceHooks", "the hooks themselves"),
        ("a.Strange", "a reason of a newer agent"),
        ("com.example.Server", "crosses the JVM's compile limit of 8000 bytes"),
    ] {
        skip(&mut program, class, None, reason);
    }
    let sources = ["alloc", "exceptions", "locks", "cpu"];
    let of_sources: Vec<(String, u64)> = sources
        .iter()
        .zip(1..)
        .flat_map(|(source, at)| {
            let counters = [("events", 90), ("dropped", 10), ("outside", 110), ("lost", 3), ("walks", 60)];
            counters.map(|(name, value)| (format!("{source}.{name}"), value * at))
        })
        .collect();
    program.record(Record::Counters { values: of_sources });
    count(
        &mut program,
        &[
            ("contexts.captured", 6_000_000),
            ("events", 8_037),
            ("events.dropped", 123),
            ("events.outside", 17),
            ("events.stopped", 18),
            ("panics", 2),
            ("slow.chain_repairs", 20_000),
            ("slow.conversions", 3_000),
            ("slow.entries", 1_000_000),
            ("slow.event_walks", 30_000),
            ("slow.looks", 700_000),
            ("slow.walks", 40_000),
            ("stall.longest_ns", 250_000_000),
            ("stall.total_ns", 900_000_000),
            ("tally.alloc.lost", 5),
            ("tally.entry.lost", 6),
            ("verify.checks", 5_000),
            ("verify.lost", 4),
            ("verify.mismatches", 1),
            ("verify.unanswered", 2),
        ],
    );
    program.record(Record::Mismatch { text: "thread main: decoded a.A.b, walked a.A.c".into() });
    program.record(Record::Note { text: "another agent is present\nas it seems".into() });
    program.record(Record::Rotated { next: "events-2.log".into() });
    program
}

/// The log of a run of this version with these options.
pub fn bytes(program: &Program, change: impl FnOnce(&mut Header)) -> Vec<u8> {
    let mut header = Header {
        agent: concat!("lucce ", env!("CARGO_PKG_VERSION")).into(),
        options: "file=events.log,alloc=512k".into(),
        ..header()
    };
    change(&mut header);
    let (file, starts) = program.file();
    [encode_header(&header), file[starts[0]..].to_vec()].concat()
}
