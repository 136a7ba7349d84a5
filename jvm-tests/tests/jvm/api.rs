//! The Java API on real JVMs: each call with a context that the target knows itself, and what the
//! log says of it afterwards.
//!
//! Invariant: without the agent the target prints the same.
//! Source: `java-shim/api`, docs/guide/java-api.md.

use std::collections::{BTreeMap, BTreeSet};

use lucce_jvm_tests::{Jvm, Outcome, Run, Scratch, decode, place};
use serde_json::Value;

/// Runs a part of the target `Api` both ways; its events.
fn api(feature: u32, part: &str) -> Option<Vec<Value>> {
    api_with(feature, part, "verify=1")
}

fn api_with(feature: u32, part: &str, options: &str) -> Option<Vec<Value>> {
    let jvm = Jvm::of(feature)?;
    let scratch = Scratch::new(&format!("api-{part}"), feature);
    let run = || Run::hazard(&jvm, "Api").within(&scratch).argument(part);
    let plain = run().go();
    assert!(plain.success(), "{part} on {feature}:\n{plain}");
    let agent = run().agent(options).go();
    assert!(agent.success(), "{part} on {feature}:\n{agent}");
    assert_eq!(plain.stdout, agent.stdout);
    agent.verified();
    Some(decode(agent.log()).events())
}

/// The same without hooks: each context is walked.
const WALKED: &str = "hooks=off,verify=1";

/// Kind, value, class and innermost frame of each event.
fn shown(events: &[Value]) -> Vec<String> {
    let show = |event: &Value| {
        let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        let frame = event["frames"].as_array().and_then(|frames| frames.first()).map(|frame| text(&frame["method"]));
        let (kind, class) = (text(&event["kind"]), text(&event["class"]));
        format!("{kind} {} {class} {}", event["value"], frame.unwrap_or_else(|| text(&event["unknown"])))
    };
    events.iter().map(show).collect()
}

const EVERYWHERE: [u32; 4] = lucce_jvm_tests::MATRIX;

#[test]
fn events_have_a_class_a_registered_kind_or_a_context_of_earlier() {
    for feature in EVERYWHERE {
        let Some(events) = api(feature, "shapes") else { continue };
        let expected = [
            "plain 1 - shapes",
            "typed 2 java.lang.String[] shapes",
            "typed 3 - shapes",
            "counted 4 - shapes",
            "captured 5 - earlier",
            "counted 6 - earlier",
            "captured 7 - unknown here: no context",
            "captured 8 - unknown here: no context",
        ];
        assert_eq!(shown(&events), expected, "{feature}");
        let walked = api_with(feature, "shapes", WALKED).unwrap_or_default();
        assert_eq!(shown(&walked), expected, "{feature}, without hooks");
    }
}

#[test]
fn listeners_hear_of_events_and_harm_nobody() {
    for feature in EVERYWHERE {
        let expected = [
            "heard 1 - listeners",
            "counted 2 - listeners",
            "other 3 - listeners",
            "heard 4 - earlier",
            "heard 5 - listeners",
        ];
        for options in ["verify=1", WALKED] {
            let Some(events) = api_with(feature, "listeners", options) else { continue };
            let mut shown = shown(&events);
            shown.retain(|event| !event.contains("lambda$listeners"));
            assert_eq!(shown, expected, "{feature}, {options}");
            assert_eq!(events.len(), 5 + 3, "what listeners log is logged, on {feature}, {options}");
        }
    }
}

#[test]
fn an_attribute_names_the_context_that_puts_it() {
    for feature in EVERYWHERE {
        api(feature, "bridges");
        api_with(feature, "bridges", &format!("{WALKED},alloc=4k"));
    }
}

#[test]
fn a_context_that_is_asked_for_by_reflection_is_found() {
    EVERYWHERE.into_iter().for_each(|feature| drop(api(feature, "reflected")));
    drop(api_with(17, "reflected", "verify=1,encoder=cct"));
    drop(api_with(17, "reflected", "verify=1,encoder=pcc"));
}

/// Whoever calls may not ask for the boot loader, which has the hooks.
#[test]
fn a_security_manager_keeps_nobody_from_the_api() {
    for jvm in Jvm::each(&[11, 17]) {
        let scratch = Scratch::new("managed", jvm.feature);
        let run = || {
            let run = Run::hazard(&jvm, "Steady").within(&scratch).option("-Djava.security.manager");
            run.argument("1").argument("20")
        };
        let plain = run().go();
        assert!(plain.success(), "{plain}");
        for options in ["verify=1", WALKED] {
            let agent = run().agent(options).go();
            assert!(agent.success() && agent.stdout == plain.stdout, "{agent}");
            assert_eq!(agent.verified().kind("steady"), 20, "{agent}");
        }
    }
}

#[test]
fn events_allocate_no_object() {
    for feature in EVERYWHERE {
        api(feature, "allocations");
        api_with(feature, "allocations", WALKED);
    }
}

#[test]
fn a_wrapped_task_comes_from_where_it_was_wrapped() {
    for feature in EVERYWHERE {
        let Some(events) = api(feature, "wrapped") else { continue };
        let steps = |event: &Value| -> Vec<String> {
            let text = |step: &Value| {
                format!("{} {}", step["kind"].as_str().unwrap(), step["frames"][0]["method"].as_str().unwrap())
            };
            event["origins"].as_array().unwrap().iter().map(text).collect()
        };
        let found: Vec<_> = events.iter().map(|event| (event["kind"].as_str().unwrap(), steps(event))).collect();
        let (started, submitted) = (vec!["started at wrapped".to_owned()], vec!["submitted at wrapped".to_owned()]);
        let expected = [
            ("unwrapped", &started),
            // The one that tells of it was started; whoever captured was not.
            ("carried", &Vec::new()),
            ("wrapped", &submitted),
            ("wrapped", &submitted),
            ("unwrapped", &started),
        ];
        assert_eq!(found.iter().map(|(kind, steps)| (*kind, steps)).collect::<Vec<_>>(), expected, "{feature}");
    }
}

#[test]
fn a_question_that_another_agent_inserts_behind_lucce_is_answered() {
    for jvm in Jvm::all() {
        let scratch = Scratch::new("asked", jvm.feature);
        let run = |agent: bool| {
            let run = Run::hazard(&jvm, "Asked").within(&scratch).library("asm-9.7.1");
            let run = if agent { run.agent("verify=1,exclude=org.objectweb.*") } else { run };
            run.option(place().other_agent("")).go()
        };
        let (plain, agent) = (run(false), run(true));
        assert!(plain.success() && agent.success(), "{plain}\n{agent}");
        assert_eq!(plain.stdout, agent.stdout, "{agent}");
        agent.verified();
    }
}

#[test]
fn a_recording_of_jfr_and_a_log_are_joined_by_the_number() {
    for jvm in Jvm::all() {
        let scratch = Scratch::new("jfr", jvm.feature);
        let outcome =
            Run::new(&jvm, "hazards.Recorded", vec![place().set("main"), place().api.clone(), place().jfr.clone()])
                .within(&scratch)
                .agent("verify=1")
                .go();
        assert!(outcome.success(), "{outcome}");
        let counters = outcome.verified();
        // Those that were emitted while there was no recording would be some three hundred more.
        assert!(counters.counter("contexts.captured") < 100, "{counters}");
        joined(&outcome);
    }
}

/// Each event's number, asked of the decoder, is the stack that the target printed when it was
/// emitted.
fn joined(outcome: &Outcome) {
    let lines = |prefix| outcome.stdout.lines().filter_map(move |line| line.strip_prefix(prefix));
    let stacks: Vec<_> = lines("stack ").collect();
    let events: Vec<Vec<_>> = lines("event ").map(|line| line.split(' ').collect()).collect();
    assert_eq!(
        events.iter().map(|event| event[0]).collect::<Vec<_>>(),
        ["plain", "recursive", "followed"],
        "{outcome}"
    );
    for (event, stack) in events.iter().zip(stacks) {
        assert_eq!(stack_of(outcome, event[2]), stack, "{outcome}");
    }
}

/// What the decoder says of a number, as the targets print stacks.
fn stack_of(outcome: &Outcome, number: &str) -> String {
    let (status, out, err) = decode(outcome.log()).view(&["--context", &format!("n{number}"), "--format", "json"]);
    assert_eq!(status, 0, "{err}");
    let context: Value = serde_json::from_str(&out).expect("one object");
    let frame = |frame: &Value| {
        format!("{}.{}:{};", frame["class"].as_str().unwrap(), frame["method"].as_str().unwrap(), frame["line"])
    };
    context["frames"].as_array().expect("frames").iter().map(frame).collect()
}

/// Runs a program that needs these jars without the agent, and with it.
fn both_ways(jvm: &Jvm, scratch: &Scratch, main: &str, jars: &[&str], options: &str) -> (Outcome, Outcome) {
    let run = || {
        let jars = jars.iter().map(|name| place().jar(name));
        let class_path = [place().set("programs"), place().api.clone()].into_iter().chain(jars).collect();
        Run::new(jvm, main, class_path).within(scratch)
    };
    let (plain, outcome) = (run().go(), run().agent(options).go());
    assert!(plain.success() && outcome.success(), "{plain}\n{outcome}");
    (plain, outcome)
}

#[test]
fn lines_of_a_log_by_slf4j_and_the_agents_log_are_joined_by_the_number() {
    for jvm in Jvm::all() {
        let scratch = Scratch::new("slf4j", jvm.feature);
        let jars = ["slf4j-api", "logback-core", "logback-classic"];
        let (plain, outcome) = both_ways(&jvm, &scratch, "programs.Logged", &jars, "quiet");
        let [plain, lines] = [&plain, &outcome].map(|outcome| outcome.stdout.lines().collect::<Vec<_>>());
        assert_eq!((plain.len(), lines.len()), (9, 9), "{outcome}");
        for (plain, lines) in plain.chunks(3).zip(lines.chunks(3)) {
            assert_eq!((plain[0], plain[1], lines[1]), ("handled []", "left []", "left []"), "{outcome}");
            assert_eq!(plain[2], lines[2], "{outcome}");
            let number = lines[0].strip_prefix("handled [").and_then(|line| line.strip_suffix("]")).unwrap_or_default();
            assert_eq!(number.len(), 16, "{outcome}");
            assert_eq!(Some(stack_of(&outcome, number).as_str()), lines[2].strip_prefix("stack "), "{outcome}");
        }
    }
}

#[test]
fn spans_of_opentelemetry_and_the_agents_log_are_joined_by_the_number() {
    for jvm in Jvm::all() {
        let scratch = Scratch::new("spans", jvm.feature);
        let jars =
            ["api", "api-incubator", "context", "sdk-common", "sdk-trace"].map(|name| format!("opentelemetry-{name}"));
        let jars: Vec<_> = jars.iter().map(String::as_str).collect();
        let (plain, outcome) = both_ways(&jvm, &scratch, "programs.Spans", &jars, "quiet,exclude=io.opentelemetry.*");
        let [plain, lines] = [&plain, &outcome].map(|outcome| outcome.stdout.lines().collect::<Vec<_>>());
        assert_eq!((plain.len(), lines.len()), (6, 6), "{outcome}");
        for (plain, lines) in plain.chunks(2).zip(lines.chunks(2)) {
            assert_eq!((plain[0], plain[1]), ("span null", lines[1]), "{outcome}");
            let number = lines[0].strip_prefix("span ").unwrap_or_default();
            assert_eq!(Some(stack_of(&outcome, number).as_str()), lines[1].strip_prefix("stack "), "{outcome}");
        }
    }
}

/// Names that no text can hold are the JVM's in traces (the target compares them), and apart in all
/// that is printed; so are the program's kinds and the agent's.
#[test]
fn odd_names_stay_apart() {
    let Some(jvm) = Jvm::of(17) else { return };
    let scratch = Scratch::new("odd-names", 17);
    let run = || Run::hazard(&jvm, "OddNames").within(&scratch);
    let plain = run().go();
    let agent = run().agent("quiet,verify=1,alloc=1k").go();
    assert!(plain.success() && agent.success(), "{plain}\n{agent}");
    assert_eq!(plain.stdout, agent.stdout);
    agent.verified();
    let events = decode(agent.log()).events();
    let named: Vec<_> = events.iter().filter(|event| event["kind"] == "named").collect();
    let of =
        |key: fn(&Value) -> &Value| named.iter().map(|event| key(event).to_string()).collect::<BTreeSet<_>>().len();
    let names = (
        of(|event| &event["frames"][1]["method"]),
        of(|event| &event["frames"][1]["class"]),
        of(|event| &event["thread"]),
    );
    assert_eq!((named.len(), names), (9, (9, 9, 9)), "{named:#?}");
    assert!(named.iter().all(|event| event["frames"][1]["file"] == "OddN\u{10FFFD}\u{E005}s.java"), "{named:#?}");
    // Text and collapsed stacks tell them apart, too, and show no character that is not seen.
    let (_, collapsed, _) = decode(agent.log()).view(&["--kind", "named", "--format", "collapsed"]);
    assert_eq!(collapsed.lines().collect::<BTreeSet<_>>().len(), 9, "{collapsed}");
    for name in [
        "$\\u{d800}.\\u{d800};",
        "$\\u{d801}.\\u{d801};",
        "$\\u{0}x.\\u{0}x;",
        "\\u{202e};",
        "$\\n\\u{5c}n.",
        "$\\u{5c}n\\n.",
    ] {
        assert_eq!(collapsed.lines().filter(|line| line.contains(name)).count(), 1, "{name}\n{collapsed}");
    }
    let (_, text, _) = decode(agent.log()).view(&["--events"]);
    let unseen = |c: char| c.is_control() && c != '\n' || matches!(c, '\u{2028}' | '\u{202E}' | '\u{10FFFD}');
    assert!(!text.contains(unseen) && !collapsed.contains(unseen), "{collapsed}");
    // The program's kinds: each with its two events and their values as they are.
    let mut kinds: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for event in events.iter().filter(|event| event["owner"] == "program" && event["kind"] != "named") {
        kinds.entry(event["kind"].as_str().expect("a name")).or_default().push(&event["value"]);
    }
    assert!(kinds.values().all(|values| values.len() == 2 && values.iter().all(|value| **value == 7)), "{kinds:?}");
    assert_eq!(kinds.len(), 9 + 10 + 1, "{:?}", kinds.keys().collect::<Vec<_>>());
    for kind in
        ["program:alloc", "program:leak.objects", "program:", "program:program:alloc", "program:entered", "a;b", "a:b"]
    {
        assert!(kinds.contains_key(kind), "{kind}");
        let (status, top, _) = decode(agent.log()).view(&["--kind", kind, "--top", "9", "--format", "json"]);
        let sums = top.lines().map(|line| serde_json::from_str::<Value>(line).expect("an object")["value"].clone());
        // The two calls of `Lucce.event`.
        assert_eq!((status, sums.collect::<Vec<_>>()), (0, vec![7.into(), 7.into()]), "{top}");
    }
    // What the agent itself has sampled is none of these.
    let own = events.iter().filter(|event| event["kind"] == "alloc");
    assert!(own.clone().count() > 0 && own.clone().all(|event| event["owner"] == "agent"));
    let (status, _, complaint) = decode(agent.log()).view(&["--kind", "park"]);
    assert_eq!((status, complaint.contains("program:park")), (1, true), "{complaint}");
}
