//! Commands and filters: each view of today by its command and by its old option, filters that mean
//! the same everywhere, and logs as one.
//!
//! Invariant: what a command prints is what its old option prints.
//! Source: docs/guide/decoder.md.

mod common;
#[path = "common/everything.rs"]
mod everything;
#[path = "commands/screen.rs"]
mod screen;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use common::shell::{BIN, folder, run_in, text};
use common::{Program, random};
use everything::{CLASS, METHOD, everything};
use lucce_encoding::Passage;
use lucce_log::Record;
use lucce_words::{NodeId, SiteId, Word};
use serde_json::Value;

fn printed(folder: &Path, args: &[&str]) -> String {
    let output = run_in(folder, args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {output:?}");
    text(&output.stdout)
}

#[test]
fn a_command_prints_what_its_old_option_prints() {
    let folder = folder("commands-old", &random(5, 12, 2_000, 4).file().0);
    for (new, old) in [
        (&["show", "events.log"][..], &["events.log"][..]),
        (&["events", "events.log"], &["events.log", "--events"]),
        (&["events", "events.log", "--format", "json"], &["events.log", "--format", "json"]),
        (&["top", "events.log"], &["events.log", "--top", "10"]),
        (&["top", "events.log", "-n", "3", "--format", "json"], &["events.log", "--top", "3", "--format", "json"]),
        (&["top", "events.log", "--format", "collapsed"], &["events.log", "--format", "collapsed"]),
        (&["stats", "events.log"], &["events.log", "--stats"]),
        (&["graph", "events.log", "--version", "1"], &["events.log", "--graph", "--version", "1"]),
        (&["versions", "events.log"], &["events.log", "--versions"]),
        (&["versions", "events.log", "--format", "json"], &["events.log", "--versions", "--format", "json"]),
        (&["follow", "events.log"], &["--follow", "events.log"]),
    ] {
        let (one, other) = (run_in(&folder, new), run_in(&folder, old));
        assert_eq!((text(&one.stdout), one.status.code()), (text(&other.stdout), other.status.code()), "{new:?}");
        assert!(!one.stdout.is_empty(), "{new:?}");
    }
}

#[test]
fn help_completions_and_manual_pages_have_every_command() {
    let here = Path::new(".");
    let help = printed(here, &["help"]);
    let commands = [
        "show", "events", "top", "tree", "export", "diff", "leaks", "stats", "graph", "versions", "ctl", "doctor",
        "follow",
    ];
    for shell in ["bash", "zsh", "fish"] {
        let completions = printed(here, &["completions", shell]);
        assert!(commands.iter().all(|command| completions.contains(command)), "{shell}");
    }
    let manual = printed(here, &["man"]);
    for command in commands {
        assert!(help.contains(&format!("\n  {command} ")), "{command}: {help}");
        assert!(manual.contains(&format!("lucce\\-decode\\-{command}(1)")), "{command}: {manual}");
        assert!(printed(here, &["man", command]).contains(&format!("lucce\\-decode\\-{command}")), "{command}");
        assert!(printed(here, &["help", command]).contains(&format!("Usage: lucce-decode {command} ")), "{command}");
    }
    assert_eq!(run_in(here, &["man", "nothing"]).status.code(), Some(1));
    let said = text(&run_in(here, &["evnts", "x.log"]).stderr);
    assert_eq!(said, "lucce-decode: no file evnts: did you mean lucce-decode events?\n");
}

#[test]
fn a_log_comes_from_the_standard_input() {
    let bytes = random(5, 12, 2_000, 4).file().0;
    let folder = folder("commands-stdin", &bytes);
    let mut child =
        Command::new(BIN).args(["top", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    child.stdin.take().expect("a pipe").write_all(&bytes).expect("written");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(text(&output.stdout), text(&run_in(&folder, &["top", "events.log"]).stdout));
    assert!(!output.stdout.is_empty());
}

/// Sums of collapsed stacks.
fn sums(folder: &Path, args: &[&str]) -> BTreeMap<String, i128> {
    let lines = printed(folder, &[&["top", "--format", "collapsed"], args].concat());
    let line = |line: &str| line.rsplit_once(' ').map(|(stack, sum)| (stack.into(), sum.parse().expect("a sum")));
    lines.lines().filter_map(line).collect()
}

#[test]
fn several_logs_and_a_pattern_are_one() {
    let folder = folder("commands-several", &everything().file().0);
    std::fs::copy(folder.join("events.log"), folder.join("events-2.log")).expect("a copy");
    let twice: BTreeMap<String, i128> =
        sums(&folder, &["events.log"]).into_iter().map(|(stack, sum)| (stack, 2 * sum)).collect();
    assert_eq!(sums(&folder, &["events.log", "events-2.log"]), twice);
    assert_eq!(sums(&folder, &["event*.log"]), twice);
    let events =
        |log: &str| printed(&folder, &["events", log]).lines().filter(|line| line.starts_with("event ")).count();
    assert_eq!(events("event*.log"), 2 * events("events.log"));
    let stats = printed(&folder, &["stats", "event*.log"]);
    assert!(stats.starts_with("events-2.log\n") && stats.contains("\nevents.log\n"), "{stats}");
}

/// How many events each view has with these filters: as JSON, as sums, and in an export.
fn counts(folder: &Path, filters: &[&str]) -> [u64; 3] {
    let events = printed(folder, &[&["events", "events.log", "--format", "json"], filters].concat());
    let object = |line: &str| serde_json::from_str::<Value>(line).expect("an object");
    let events = events.lines().map(|line| object(line)["count"].as_u64().expect("a number")).sum();
    let top = printed(folder, &[&["top", "events.log", "-n", "999", "--format", "json"], filters].concat());
    let top = top.lines().map(|line| object(line)["events"].as_u64().expect("a number")).sum();
    let same = printed(folder, &[&["diff", "events.log", "events.log", "--format", "json"], filters].concat());
    let kinds = object(&same)["kinds"].as_array().expect("kinds").clone();
    let diff = kinds.iter().map(|kind| kind["new"]["count"].as_u64().expect("a number")).sum();
    [events, top, diff]
}

#[test]
fn a_filter_means_the_same_in_every_view() {
    let folder = folder("commands-filters", &everything().file().0);
    let all = counts(&folder, &[]);
    assert_eq!(all, [3_000_000_000_048; 3]);
    for (filters, expected) in [
        (&["--kind", "cpu"][..], 6),
        (&["--kind", "cpu", "--kind", "park"], 12),
        (&["--class", "byte[]"], 6),
        (&["--class", "java.lang.*"], 12),
        (&["--thread", "worker;1*"], 24),
        (&["--thread", "main"], 24),
        (&["--include", "shop.Orders.outer"], 48),
        (&["--exclude", "shop.Orders.outer"], 3_000_000_000_000),
        (&["--include", "shop.*", "--kind", "monitor", "--thread", "main"], 3),
        (&["--focus", "shop.Orders.submit"], 3_000_000_000_000),
        (&["--include", "nothing.*"], 0),
    ] {
        assert_eq!(counts(&folder, filters), [expected; 3], "{filters:?}");
    }
    // Counted sums have no time, and a line says so.
    let output = run_in(&folder, &["top", "events.log", "--from", "0"]);
    assert!(!text(&output.stdout).contains("entry"), "{output:?}");
    let said = "lucce-decode: 3 000 000 000 000 counted events left out: sums have no time\n";
    assert_eq!(text(&output.stderr), said);
}

/// The events of a dictionary, as they are written in full.
fn resolved(printed: &str) -> Vec<Value> {
    let mut known: BTreeMap<(String, u64), Value> = BTreeMap::new();
    let (mut events, mut fields, mut time_ns) = (Vec::new(), Vec::new(), 0);
    for line in printed.lines() {
        let mut object: Value = serde_json::from_str(line).expect("an object or an array");
        if object["define"] == "event" {
            fields = object["fields"].as_array().expect("names").clone();
            continue;
        }
        if let Some(values) = object.as_array() {
            let name = |field: &Value| field.as_str().expect("a name").to_owned();
            object = fields.iter().map(name).zip(values.iter().cloned()).collect::<serde_json::Map<_, _>>().into();
            if let Some(after) = object["after_ns"].as_i64() {
                time_ns += after;
                object["time_ns"] = time_ns.into();
            }
        }
        let of = |what: &str, id: &Value| known[&(what.to_owned(), id.as_u64().expect("a number"))].clone();
        let frames = |stack: &Value| {
            let (mut stack, mut all) = (stack.clone(), Vec::new());
            loop {
                all.extend(stack["frames"].as_array().expect("frames").iter().map(|id| of("frame", id)));
                if stack["below"].is_null() {
                    return Value::Array(all);
                }
                stack = of("stack", &stack["below"]);
            }
        };
        if let Some(what) = object["define"].as_str().map(str::to_owned) {
            let id = object["id"].as_u64().expect("a number");
            object.as_object_mut().expect("an object").retain(|key, _| key != "define" && key != "id");
            assert!(known.insert((what, id), object).is_none(), "{line}");
            continue;
        }
        let stack = of("stack", &object["stack"]);
        let thread = if object["thread"].is_null() { Value::Null } else { of("thread", &object["thread"]) };
        let step = |step: &Value| {
            let stack = of("stack", &step["stack"]);
            serde_json::json!({"kind": step["kind"], "frames": frames(&stack), "unknown": stack["unknown"], "cut": step["cut"]})
        };
        let origins = thread["origins"].as_array().map(|steps| steps.iter().map(step).collect::<Vec<_>>());
        let class =
            if object["class"].is_null() { Value::Null } else { of("class", &object["class"])["class"].clone() };
        events.push(serde_json::json!({
            "seq": object["seq"], "time_ns": object["time_ns"], "thread": thread["thread"], "value": object["value"],
            "kind": of("kind", &object["kind"])["kind"], "frames": frames(&stack), "unknown": stack["unknown"],
            "class": class, "origins": origins.unwrap_or_default(), "count": object["count"].as_u64().unwrap_or(1),
            "fingerprint": stack["fingerprint"],
        }));
    }
    events
}

/// A method that calls itself, with an event at each depth, the deepest first.
fn deep(depth: usize) -> Program {
    let (mut program, _, at) = Program::running("deep");
    let sites = vec![at; depth];
    for depth in (1..=depth).rev() {
        let node = program.node(&sites[..depth]);
        let place = (Word::NONE, SiteId::UNKNOWN, NodeId(0), node);
        program.push_event(sites[..depth].to_vec(), place, ("program:deep", 1), None, Vec::new());
    }
    program.record(Record::End);
    program
}

#[test]
fn a_dictionary_of_deep_stacks_is_not_long() {
    let lengths = [500, 1_000].map(|depth| {
        let folder = folder(&format!("dictionary-{depth}"), &deep(depth).file().0);
        printed(&folder, &["events", "events.log", "--format", "json", "--stacks", "dictionary"]).len()
    });
    // Twice as deep is twice as long, not four times.
    assert!(lengths[1] < 5 * lengths[0] / 2, "{lengths:?}");
}

#[test]
fn a_dictionary_says_what_each_event_says_in_full() {
    for (test, bytes) in [
        ("dictionary-all", everything().file().0),
        ("dictionary", random(5, 12, 2_000, 4).file().0),
        ("dictionary-deep", deep(200).file().0),
    ] {
        let folder = folder(test, &bytes);
        let keys = [
            "seq",
            "time_ns",
            "thread",
            "value",
            "kind",
            "frames",
            "unknown",
            "class",
            "origins",
            "count",
            "fingerprint",
        ];
        let full = printed(&folder, &["events", "events.log", "--format", "json"]);
        let full = full.lines().map(|line| {
            let mut event: Value = serde_json::from_str(line).expect("an object");
            if event["seq"].is_null() {
                event["thread"] = Value::Null;
                event["origins"] = Value::Array(Vec::new());
            }
            event.as_object_mut().expect("an object").retain(|key, _| keys.contains(&key.as_str()));
            event
        });
        let short = printed(&folder, &["events", "events.log", "--format", "json", "--stacks", "dictionary"]);
        assert_eq!(resolved(&short), full.collect::<Vec<_>>());
    }
    let output = run_in(Path::new("."), &["events", "x.log", "--stacks", "dictionary"]);
    assert_eq!(text(&output.stderr), "lucce-decode: --stacks dictionary is for --format json\n");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn windows_of_time_add_up_to_the_whole() {
    let folder = folder("commands-time", &random(7, 12, 3_000, 6).file().0);
    let events = printed(&folder, &["events", "events.log", "--format", "json"]);
    let times: Vec<u64> = events
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("an object")["time_ns"].as_u64().expect("a time"))
        .collect();
    let middle = format!("{}ns", times[times.len() / 2]);
    let mut parts = sums(&folder, &["events.log", "--to", &middle]);
    let before: i128 = parts.values().sum();
    for (stack, sum) in sums(&folder, &["events.log", "--from", &middle]) {
        *parts.entry(stack).or_default() += sum;
    }
    let whole = sums(&folder, &["events.log"]);
    assert_eq!(parts, whole);
    assert!(before > 0 && before < whole.values().sum());
}

#[test]
fn stacks_begin_at_the_focus_and_lose_numbers_or_lines_as_asked() {
    let mut program = Program::default();
    let [main, proxied] =
        [("a/Main", "main"), ("jdk/proxy2/$Proxy5", "call")].map(|(class, name)| program.method(class, name, "()V"));
    let calls = [4, 9].map(|bci| program.site(main, bci, Some(u16::from(bci == 9) + 7)));
    let at = program.site(proxied, 2, Some(20));
    for call in calls {
        let mut stack = Vec::new();
        program.call(&mut stack, SiteId::ROOT, main, Passage::Plain);
        program.call(&mut stack, call, proxied, Passage::Plain);
        program.event(&mut stack, at, ("mark", 5), None, Vec::new());
    }
    program.record(Record::End);
    let folder = folder("commands-shape", &program.file().0);
    let one = |args: &[&str]| {
        let sums = sums(&folder, &[&["events.log"], args].concat());
        sums.into_iter().map(|(stack, sum)| format!("{stack} {sum}")).collect::<Vec<_>>()
    };
    assert_eq!(one(&[]), ["a.Main.main;jdk.proxy2.$Proxy5.call 10"]);
    assert_eq!(one(&["--norm"]), ["a.Main.main;jdk.proxy.$Proxy.call 10"]);
    let lines = ["a.Main.main:7;jdk.proxy2.$Proxy5.call:20 5", "a.Main.main:8;jdk.proxy2.$Proxy5.call:20 5"];
    assert_eq!(one(&["--lines"]), lines);
    assert_eq!(one(&["--focus", "jdk.*"]), ["jdk.proxy2.$Proxy5.call 10"]);
    let top = printed(&folder, &["top", "events.log", "--focus", "jdk.*"]);
    assert_eq!(top, " 1. c0     100.0 % mark: 10 in 2 events\n    at jdk.proxy2.$Proxy5.call(Proxy5.java:20)\n");
    let tree = printed(&folder, &["tree", "events.log"]);
    let expected =
        "mark: 10 in 2 events\n100.0 %          10 a.Main.main\n100.0 %          10   jdk.proxy2.$Proxy5.call\n";
    assert_eq!(tree, expected);
    let callers = printed(&folder, &["tree", "events.log", "--callers", "--lines", "--norm"]);
    assert!(callers.contains("\n 50.0 %           5   a.Main.main(Main.java:7)\n"), "{callers}");
    let shallow = printed(&folder, &["tree", "events.log", "--depth", "1"]);
    assert_eq!(shallow.lines().count(), 2, "{shallow}");
}

#[test]
fn sums_are_grouped_by_method_class_thread_root_and_line() {
    let folder = folder("commands-groups", &everything().file().0);
    let groups = |by: &str, kind: &str| {
        let lines = printed(&folder, &["top", "events.log", "--group", by, "--kind", kind, "--format", "json"]);
        let name =
            |line: &str| serde_json::from_str::<Value>(line).expect("an object")["group"].as_str().map(String::from);
        lines.lines().filter_map(name).collect::<Vec<_>>()
    };
    assert_eq!(groups("method", "park"), [format!("{CLASS}.{METHOD}")]);
    assert_eq!(groups("root", "park"), ["shop.Orders.outer"]);
    assert_eq!(groups("class", "alloc"), [format!("{CLASS}[]"), "byte[]".into()]);
    assert_eq!(groups("thread", "cpu"), ["main", everything::THREAD]);
    assert_eq!(groups("line", "entry"), ["shop.Orders.submit(Orders.java:7)"]);
    let text = printed(&folder, &["top", "events.log", "--group", "root", "--kind", "entry"]);
    assert_eq!(text, " 1.        100.0 % entry: 3 000 000 000 000 in 3 000 000 000 000 events at shop.Orders.submit\n");
}
