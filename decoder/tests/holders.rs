//! Who held a lock: what views print of an event of kind `holder` and of the wait behind it.
//!
//! Invariant: a holder is printed below its own wait, and nowhere else.
//! Source: docs/FORMAT.md, "Holders".

mod common;

use std::path::Path;
use std::process::Command;

use common::Program;
use common::shell::{BIN, folder, text};
use lucce_log::Record;
use lucce_words::{Lost, NodeId, SiteId, Word};
use serde_json::Value;

/// Six waits in `a.A.waits`: two for what `a.A.holds` held, three whose holder is unknown, and one
/// without a look.
fn log() -> Program {
    let (mut program, stack, at) = Program::running("waits");
    program.record(Record::Thread { id: 1, name: "waiter".into(), java_id: 11 });
    program.record(Record::Thread { id: 2, name: "holder".into(), java_id: 12 });
    let holds = program.method("a/A", "holds", "()V");
    let held_at = program.site(holds, 7, Some(40));
    let node = program.node(&[held_at]);
    let holder = program.kind("holder");
    let mut wait = |held: Option<(u32, Word, NodeId)>, value: i64| {
        let sites = vec![at];
        let word = stack.last().expect("an activation").word;
        let time_ns = program.time_ns + 1_500_000;
        if let Some((thread, word, node)) = held {
            let (site, chain, class, walked) = (SiteId::UNKNOWN, NodeId(0), Some("a/Lock".into()), [].into());
            let kind = holder;
            program.expected.push(common::Expected {
                sites: vec![held_at],
                place: (word, site, chain, node),
                block: 0,
            });
            program.record(Record::Event { time_ns, thread, kind, value, word, site, chain, class, walked, node });
        }
        program.push_event(sites, (word, at, NodeId(0), NodeId(0)), ("monitor", value), Some("a/Lock"), Vec::new());
    };
    wait(Some((2, Word::NONE, node)), 5_000_000);
    wait(Some((2, Word::NONE, node)), 1_000_000);
    for _ in 0..3 {
        wait(Some((0, Word::lost(Lost::Passed), NodeId(0))), 2_000_000);
    }
    wait(None, 3_000_000);
    program
}

fn printed(folder: &Path, args: &str) -> String {
    let output = Command::new(BIN).args(args.split(' ')).current_dir(folder).output().expect("it runs");
    text(&output.stdout)
}

#[test]
fn a_wait_says_who_held_the_lock() {
    let folder = folder("holders", &log().file().0);
    let events = printed(&folder, "events events.log --kind monitor");
    let first = "in \"waiter\"\n    at a.A.waits(A.java:1)\n    held by \"holder\"\n    at a.A.holds(A.java:40)\n";
    assert_eq!(events.matches(first).count(), 2, "{events}");
    let unknown = "at a.A.waits(A.java:1)\n    held by\n    [context lost: the lock changed hands during the look]\n";
    assert!(events.contains(unknown), "{events}");
    assert!(events.ends_with("in \"waiter\"\n    at a.A.waits(A.java:1)\n"), "{events}");
    let lines = printed(&folder, "events events.log --kind monitor --format json");
    let waits: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    let holder = &waits[0]["holder"];
    assert_eq!(
        (&holder["thread"], &holder["thread_id"], &holder["unknown"]),
        (&"holder".into(), &12.into(), &Value::Null)
    );
    assert_eq!(holder["frames"][0]["line"], 40);
    assert!(waits[2]["holder"]["thread"].is_null() && waits[2]["holder"]["unknown"].is_string(), "{lines}");
    assert!(waits[5].get("holder").is_none(), "{lines}");
}

#[test]
fn a_place_of_waits_says_who_held_most_often() {
    let folder = folder("holders-top", &log().file().0);
    let top = printed(&folder, "top events.log --kind monitor");
    let expected = "monitor: 15.0 ms in 6 events, a.Lock\n    at a.A.waits(A.java:1)\n    \
                    held by (2 of 5 looked at, of 6 waits)\n    at a.A.holds(A.java:40)\n    \
                    held by (3 of 5 looked at, of 6 waits)\n    [context lost: the lock changed hands during the look]\n";
    assert!(top.ends_with(expected), "{top}");
    let row: Value =
        serde_json::from_str(&printed(&folder, "top events.log --kind monitor --format json")).expect("one");
    let held: Vec<_> =
        row["holders"].as_array().expect("a list").iter().map(|held| (&held["events"], &held["value"])).collect();
    assert_eq!(held, [(&2.into(), &6_000_000.into()), (&3.into(), &6_000_000.into())]);
    // The holder's own ranking has what others have waited for it.
    let own = printed(&folder, "top events.log --kind holder");
    assert!(own.contains("holder: 6.0 ms in 2 events, a.Lock\n    at a.A.holds(A.java:40)\n"), "{own}");
}
