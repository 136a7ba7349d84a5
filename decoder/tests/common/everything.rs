//! A log with events of every kind, with and without class, of a task with an origin, and with
//! names that formats could break.
//!
//! Invariant: what is expected of other tools is what `--format json` prints of it, weighed as
//! docs/FORMAT.md says.
//! Source: docs/FORMAT.md, "What lucce-decode prints".

#![allow(dead_code, reason = "each test uses its part")]

use std::collections::BTreeMap;

use lucce_encoding::Passage;
use lucce_log::{Ground, OriginKind, Record};
use lucce_words::{NodeId, OriginId, SiteId, Word};

use crate::common::Program;
use crate::common::shell::{run, text};

/// A kind of the program's own.
pub const KIND: &str = "mine; \"kind\" \u{7} ☕";
/// Without the `;` that ends a class in a descriptor (JVMS 4.2.2): Mission Control takes it for
/// that end.
pub const CLASS: &str = "shop.Ünï \"quoted\" 注文";
pub const METHOD: &str = "do \"it\"\t\u{1};now 日本";
pub const THREAD: &str = "worker;1 \"x\"\n日本";
/// The mean bytes between samples that the header says.
const INTERVAL: f64 = 524_288.0;

/// The program. Its second thread runs a task that the method `submit` has handed over.
pub fn everything() -> Program {
    ended(running())
}

/// The same, a part of whose entries was sampled.
pub fn sampled() -> Program {
    let mut program = running();
    let kind = program.kind("profile");
    let (node, site, word) = (NodeId(900), SiteId::UNKNOWN, Word::NONE);
    program.record(Record::Tally { kind, node, site, word, class: None, count: 30, value: 30 * 101 });
    ended(program)
}

fn ended(mut program: Program) -> Program {
    program.record(Record::End);
    program
}

fn running() -> Program {
    let mut program = Program::default();
    let internal = CLASS.replace('.', "/");
    let [submit, outer] = ["submit", "outer"].map(|name| program.method("shop/Orders", name, "()V"));
    let inner = program.method(&internal, METHOD, "(I)V");
    let handed = program.site(submit, 4, Some(7));
    let call = program.site(outer, 8, Some(10));
    let at = [12, 16].map(|bci| program.site(inner, bci, Some(20)));
    program.record(Record::Node { id: NodeId(900), parent: NodeId(0), site: handed });
    let (kind, ground) = (OriginKind::Submitted, Ground::Known);
    program.record(Record::Origin {
        id: OriginId(1),
        node: NodeId(900),
        kind,
        ground,
        parent: OriginId(0),
        cut: false,
    });
    program.record(Record::ThreadOf { id: 2, name: THREAD.into(), java_id: 42, origin: OriginId(1) });
    let mut stack = Vec::new();
    program.call(&mut stack, SiteId::ROOT, outer, Passage::Plain);
    program.call(&mut stack, call, inner, Passage::Plain);
    let array = format!("[L{internal};");
    for round in 0..3 {
        for (kind, value, class) in [
            ("alloc", 1_000, Some("[B")),
            ("alloc", 524_288, Some(array.as_str())),
            ("exception", 1, Some("java/lang/IllegalStateException")),
            ("monitor", 5_000_000, Some("java/lang/Object")),
            ("park", 7_000_001, None),
            ("cpu", 10_000_000, None),
            (KIND, 8, None),
            // Whatever the program calls it, this is no allocation.
            ("program:alloc", 7, None),
        ] {
            for (thread, at) in [(1, at[0]), (2, at[1])] {
                program.event(&mut stack, at, (kind, value + round), class, Vec::new());
                let last = program.blocks.last_mut().and_then(|block| block.last_mut());
                if let Some(Record::Event { thread: of, .. }) = last {
                    *of = thread;
                }
            }
        }
        let kind = program.kind("entry");
        let (count, value) = (1_000_000_000_000, 1_000_000_000_000);
        let (node, site, word) = (NodeId(900), SiteId::UNKNOWN, Word::NONE);
        program.record(Record::Tally { kind, node, site, word, class: None, count, value });
        program.next_block();
    }
    program
}

/// Number of events and their summed value, by kind and class; an empty class for none.
pub type Sums = BTreeMap<(String, String), (i128, i128)>;

/// What `lucce-decode` says of the log in JSON.
pub fn expected(test: &str, bytes: &[u8]) -> Sums {
    let mut sums = Sums::new();
    let output = run(test, bytes, &["--format", "json"]);
    for line in text(&output.stdout).lines() {
        let event: serde_json::Value = serde_json::from_str(line).expect("an object");
        let name = |key: &str| event[key].as_str().unwrap_or("").to_owned();
        let value = event["value"].as_i64().expect("a number");
        let sampled = event["kind"] == "alloc" && !event["seq"].is_null();
        let stands_for = |size: f64| (size / (1.0 - (-size / INTERVAL).exp())).round() as i128;
        let value = if sampled { stands_for(value as f64) } else { i128::from(value) };
        let sum = sums.entry((name("kind"), name("class"))).or_default();
        sum.0 += i128::from(event["count"].as_u64().expect("a number"));
        sum.1 += value;
    }
    sums
}
