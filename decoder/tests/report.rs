//! `lucce-decode report`: the file is opened in Chromium, and what is to be read there is compared
//! with the log.
//!
//! Invariant: no report asks for anything outside its file, complains in the console, or has a flaw
//! that axe-core finds. `cargo xtask test` fetches the tools and says where they are.
//! Source: docs/guide/report.md.

mod common;
#[path = "report/difference.rs"]
mod difference;
#[path = "common/everything.rs"]
mod everything;
#[path = "report/many.rs"]
mod many;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::shell::{folder, run_in, text};
use common::{Activation, Program};
use everything::{CLASS, Sums, everything, expected, sampled};
use lucce_decoder::plain::plain;
use lucce_encoding::Passage;
use lucce_log::Record;
use lucce_words::SiteId;
use lucce_words::random::Random;
use lucce_words::text::of_units;
use serde_json::Value;

/// What `cargo xtask test` says.
fn place(name: &str) -> PathBuf {
    std::env::var_os(name).unwrap_or_else(|| panic!("{name} is not set: run the tests by `cargo xtask test`")).into()
}

/// `lucce-decode ARGS` in a folder, which ends well.
fn decode(folder: &Path, args: &[&str]) -> String {
    let output = run_in(folder, args);
    assert!(output.status.success(), "{args:?}: {output:?}");
    text(&output.stdout)
}

/// What Chromium shows of a report, for each state that is asked for (`tests/readers/report.mjs`).
fn open(folder: &Path, report: &str, states: &[&str]) -> Vec<Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/readers/report.mjs");
    let mut node = Command::new(place("LUCCE_NODE"));
    node.arg(script).arg(place("LUCCE_READERS")).arg(place("LUCCE_CHROMIUM")).arg(report).args(states);
    let output = node.current_dir(folder).output().expect("it runs");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let seen: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    for (page, state) in seen.iter().zip(states) {
        for complaint in ["errors", "requests", "flaws"] {
            assert_eq!(page[complaint], serde_json::json!([]), "{complaint} of {report}{state}");
        }
        assert_eq!((&page["failed"], &page["strangers"]), (&Value::from(""), &Value::from(0)), "{report}{state}");
    }
    assert_eq!(seen.len(), states.len());
    seen
}

fn number(value: &Value) -> i128 {
    value.as_str().and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("no number: {value}"))
}

/// The tabs with their sums.
fn tabs(page: &Value) -> BTreeMap<String, i128> {
    let tabs = page["tabs"].as_array().expect("tabs").iter();
    tabs.map(|tab| (tab["kind"].as_str().expect("a kind").to_owned(), number(&tab["value"]))).collect()
}

/// A column of a table, by the first one.
fn column(page: &Value, at: usize) -> BTreeMap<String, i128> {
    let rows = page["rows"].as_array().expect("rows").iter();
    rows.map(|row| (row["name"].as_str().expect("a name").to_owned(), number(&row["values"][at]))).collect()
}

/// The summed values of a kind, by class.
fn classes(sums: &Sums, kind: &str) -> BTreeMap<String, i128> {
    let of_kind = sums.iter().filter(|((of, class), _)| of == kind && !class.is_empty());
    of_kind.map(|((_, class), (_, value))| (class.clone(), *value)).collect()
}

#[test]
fn a_report_has_the_sums_of_each_kind_and_class() {
    let bytes = sampled().file().0;
    let folder = folder("report-sums", &bytes);
    assert_eq!(decode(&folder, &["report", "events.log", "-o", "app.html"]), "app.html\n");
    let pages = open(
        &folder,
        "app.html",
        &["#kind=park", "#kind=alloc&view=classes", "#kind=monitor&view=icicle&theme=dark", "#kind=alloc&view=methods"],
    );
    let expected = expected("report-sums", &bytes);
    let shown = tabs(&pages[0]);
    assert_eq!((shown.len(), shown["profile"]), (9, 3030));
    for (kind, sum) in &shown {
        let of = expected.iter().filter(|((name, _), _)| plain(name) == kind.as_str());
        assert_eq!(*sum, of.map(|(_, (_, value))| value).sum::<i128>(), "{kind}");
        let name = expected.keys().map(|(name, _)| name).find(|name| plain(name) == kind.as_str());
        let args = ["export", "events.log", "-o", "-", "--format", "collapsed", "--kind", name.expect("a kind")];
        let lines = decode(&folder, &args);
        let collapsed = lines.lines().filter_map(|line| line.rsplit_once(' ')?.1.parse::<i128>().ok()).sum::<i128>();
        assert_eq!(*sum, collapsed, "{kind}");
    }
    // The root of the graph.
    assert_eq!(number(&pages[0]["panel"]["values"][0]), shown["park"]);
    assert_eq!(column(&pages[1], 0), classes(&expected, "alloc"));
    assert_eq!(number(&pages[2]["panel"]["values"][0]), shown["monitor"]);
    assert_eq!(column(&pages[3], 0)["shop.Orders.outer"], shown["alloc"]);
    let accuracy = |kind: &str| {
        let tabs = pages[0]["tabs"].as_array().expect("tabs").iter();
        tabs.filter(|tab| tab["kind"] == kind).map(|tab| tab["accuracy"].clone()).next()
    };
    assert_eq!(
        ["alloc", "park", "program:alloc", "profile"].map(accuracy),
        ["estimated", "exact", "exact", "estimated"].map(|it| Some(it.into()))
    );
    assert!(classes(&expected, "alloc").contains_key(&format!("{CLASS}[]")));
}

#[test]
fn tables_sort_by_any_column_and_paper_is_light_and_without_controls() {
    let folder = folder("report-tables", &everything().file().0);
    decode(&folder, &["report", "events.log", "-o", "app.html"]);
    let classes = "#kind=alloc&view=classes&theme=dark";
    let by_name = format!("{classes} click:th:first-child>button");
    let states = [classes, &by_name, &format!("{by_name} click:th:first-child>button"), &format!("{classes} print")];
    let pages = open(&folder, "app.html", &states);
    let names = |page: &Value| -> Vec<String> {
        let rows = page["rows"].as_array().expect("rows").iter();
        rows.map(|row| row["name"].as_str().expect("a name").to_owned()).collect()
    };
    let values: Vec<i128> =
        pages[0]["rows"].as_array().expect("rows").iter().map(|row| number(&row["values"][0])).collect();
    assert!(values.len() > 1 && values.is_sorted_by(|one, next| one >= next), "{values:?}");
    let (up, mut down) = (names(&pages[1]), names(&pages[2]));
    down.reverse();
    assert!(up == down && up != names(&pages[0]), "{up:?}");
    let looks = |page: &Value| (page["theme"].as_str().map(str::to_owned), page["buttons"].as_u64());
    let (dark, light) = (looks(&pages[0]), looks(&pages[3]));
    assert!(dark.0.as_deref() == Some("dark") && dark.1 > Some(10), "{dark:?}");
    assert_eq!(light.0.as_deref(), Some("light"));
    assert!(light.1 < dark.1, "{light:?} of {dark:?}");
    assert_eq!(names(&pages[3]), names(&pages[0]));
}

#[test]
fn a_report_has_the_sums_of_each_thread_and_shows_one_alone() {
    let folder = folder("report-threads", &everything().file().0);
    decode(&folder, &["report", "events.log", "-o", "app.html"]);
    let threads = |kind: &str| -> BTreeMap<String, i128> {
        let args = ["top", "events.log", "--kind", kind, "--group", "thread", "-n", "99", "--format", "json"];
        let lines = decode(&folder, &args);
        let rows = lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("an object"));
        let value = |row: &Value| i128::from(row["value"].as_i64().expect("a number"));
        rows.map(|row| (plain(row["group"].as_str().expect("a name")).into_owned(), value(&row))).collect()
    };
    let alone = "#kind=cpu&thread=main";
    let states =
        ["#kind=cpu&view=threads", "#kind=entry&view=threads", alone, "#kind=cpu press:t click:td.name>button"];
    let pages = open(&folder, "app.html", &states);
    let cpu = threads("cpu");
    assert!(cpu.len() > 1, "{cpu:?}");
    assert_eq!(column(&pages[0], 0), cpu);
    assert_eq!(column(&pages[1], 0), threads("entry"));
    // The graph and the timeline follow.
    assert_eq!(number(&pages[2]["panel"]["values"][0]), cpu["main"]);
    assert_eq!(number(&pages[2]["total"]), cpu["main"]);
    let largest = cpu.values().max().expect("a thread");
    assert_eq!(number(&pages[3]["total"]), *largest, "{}", pages[3]["hash"]);
    assert!(pages[3]["hash"].as_str().is_some_and(|hash| hash.contains("thread=")), "{}", pages[3]["hash"]);
}

/// A program in whose thread `outer` calls each of the methods: the stack and the place of each.
fn calling(methods: &[(&str, &str)]) -> (Program, Vec<(Vec<Activation>, SiteId)>) {
    let mut program = Program::default();
    let outer = program.method("shop/Main", "main", "()V");
    let places = methods.iter().zip(1..).map(|(&(class, name), nth)| {
        let call = program.site(outer, nth * 4, Some(10 + nth));
        let method = program.method(class, name, "()V");
        let at = program.site(method, 2, Some(nth));
        let mut stack = Vec::new();
        program.call(&mut stack, SiteId::ROOT, outer, Passage::Plain);
        program.call(&mut stack, call, method, Passage::Plain);
        (stack, at)
    });
    let places = places.collect();
    (program, places)
}

#[test]
fn the_sum_of_a_selected_time_is_that_of_its_events() {
    let (mut program, mut places) = calling(&[("shop/Cart", "add"), ("shop/Cart", "pay")]);
    let mut random = Random::new(7);
    for _ in 0..1_500 {
        let nth = random.index(2);
        let (stack, at) = &mut places[nth];
        let value = 1 + random.index(1_000_000) as i64;
        program.event(stack, *at, ("park", value), None, Vec::new());
    }
    program.record(Record::End);
    let folder = folder("report-time", &program.file().0);
    decode(&folder, &["report", "events.log", "-o", "app.html"]);
    let states = [
        "#kind=park drag:0.2:0.6",
        "#kind=park&view=methods drag:0.9:0.5",
        "#from=3&to=3",
        "#kind=park&from=100&to=200&events=1",
    ];
    let pages = open(&folder, "app.html", &states);
    let events = |args: &[&str]| -> Vec<Value> {
        let lines = decode(&folder, &[&["events", "events.log", "--format", "json"], args].concat());
        lines.lines().map(|line| serde_json::from_str(line).expect("an object")).collect()
    };
    let value = |event: &Value| i128::from(event["value"].as_i64().expect("a number"));
    let sum = |page: &Value, of: Option<&str>, counted: bool| -> i128 {
        let [from, to] = [0, 1].map(|at| number(&page["range"][at]));
        assert!(from < to && to - from < 2_000_000_000, "{from} to {to}");
        let within = events(&["--from", &format!("{from}ns"), "--to", &format!("{to}ns")]);
        let of_method = within.iter().filter(|event| of.is_none_or(|method| event["frames"][0]["method"] == method));
        of_method.map(|event| if counted { 1 } else { value(event) }).sum()
    };
    assert!((850_000_000..950_000_000).contains(&(number(&pages[0]["range"][1]) - number(&pages[0]["range"][0]))));
    assert_eq!(number(&pages[0]["total"]), sum(&pages[0], None, false));
    assert_eq!(number(&pages[0]["panel"]["values"][0]), sum(&pages[0], None, false));
    for method in ["add", "pay"] {
        assert_eq!(column(&pages[1], 0)[&format!("shop.Cart.{method}")], sum(&pages[1], Some(method), false));
    }
    let all: i128 = events(&[]).iter().map(value).sum();
    assert_eq!((&pages[2]["range"], number(&pages[2]["total"])), (&Value::Null, all));
    assert_eq!(number(&pages[3]["total"]), sum(&pages[3], None, true));
    assert!(pages[1]["hash"].as_str().is_some_and(|hash| hash.contains("from=")));
}

#[test]
fn names_stay_text() {
    let hostile = "</script><img src=x onerror=alert(1)>";
    let class = format!("a/<img src=x onerror=alert(1)>{}\u{202e}", of_units([0xD800]));
    let (mut program, mut places) = calling(&[(&class, "run")]);
    let (stack, at) = &mut places[0];
    program.event(stack, *at, (hostile, 5), Some(&class), Vec::new());
    program.record(Record::End);
    let folder = folder("report-names", &program.file().0);
    decode(&folder, &["report", "events.log", "-o", "app.html"]);
    let written = std::fs::read_to_string(folder.join("app.html")).expect("a file");
    assert!(!written.contains("onerror"), "names are compressed");
    let states = [
        "",
        "#view=classes",
        "#view=methods&search=%3C/script%3E%3Cimg%20src=x%20onerror=alert(1)%3E",
        "#view=callers",
    ];
    let pages = open(&folder, "app.html", &states);
    assert_eq!(tabs(&pages[0]), BTreeMap::from([(hostile.to_owned(), 5)]));
    let shown = "a.<img src=x onerror=alert(1)>\\u{d800}\\u{202e}";
    assert_eq!(column(&pages[1], 0), BTreeMap::from([(shown.to_owned(), 5)]));
    assert_eq!(pages[3]["heading"]["head"], format!("{shown}.run"));
}

#[test]
fn sums_beyond_what_javascript_counts_are_exact() {
    let (mut program, mut places) = calling(&[("shop/Cart", "add"), ("shop/Cart", "pay")]);
    for value in [i64::MAX, i64::MAX - 1, i64::MAX - 2, -1] {
        let (stack, at) = &mut places[usize::from(value < 0)];
        program.event(stack, *at, ("mine", value), None, Vec::new());
    }
    program.record(Record::End);
    let folder = folder("report-big", &program.file().0);
    decode(&folder, &["report", "events.log", "-o", "app.html"]);
    let pages = open(&folder, "app.html", &["#view=methods", "#from=0&to=2000"]);
    let sum = 3 * i128::from(i64::MAX) - 3;
    assert_eq!(tabs(&pages[0])["mine"], sum - 1);
    assert_eq!(
        column(&pages[0], 0),
        [("shop.Cart.add", sum), ("shop.Cart.pay", -1), ("shop.Main.main", sum - 1)]
            .map(|(name, sum)| (name.to_owned(), sum))
            .into()
    );
    assert_eq!(number(&pages[1]["total"]), sum - 1);
}

#[test]
fn origins_stand_below_the_stacks_of_tasks() {
    let folder = folder("report-origins", &everything().file().0);
    decode(&folder, &["report", "events.log", "-o", "app.html"]);
    let states = [
        "#kind=park&view=methods",
        "#kind=park&view=methods&origins=1",
        "#kind=park&origins=1 focus:.sizer>canvas press:ArrowUp press:ArrowRight press:ArrowUp press:ArrowUp press:ArrowUp click:.actions>button:last-of-type text:.said",
    ];
    let pages = open(&folder, "app.html", &states);
    // Of two threads, one runs a task.
    assert_eq!(column(&pages[0], 0).get("shop.Orders.submit"), None);
    let with = column(&pages[1], 0);
    assert_eq!(
        [with["shop.Orders.submit"], with["[submitted at]"], with["shop.Orders.outer"]],
        [21_000_006, 21_000_006, 42_000_012]
    );
    let names: Vec<&str> =
        pages[2]["panel"]["trace"].as_array().expect("lines").iter().filter_map(Value::as_str).collect();
    assert_eq!(pages[2]["said"], "Copied.");
    let [own, outer, mark, submit] = names[..] else { panic!("{names:?}") };
    assert!(
        own.contains("do \"it\"")
            && outer.contains("outer")
            && mark.contains("[submitted at]")
            && submit.contains("submit"),
        "{names:?}"
    );
}

#[test]
fn keys_and_the_address_choose_what_is_shown() {
    let folder = folder("report-keys", &everything().file().0);
    decode(&folder, &["report", "events.log", "-o", "app.html"]);
    let wrong = "#view=nonsense&from=x&zoom=999999&chosen=-1&kind=gone&class=gone&theme=loud";
    let states = [
        "#kind=park press:i press:/ press:s",
        wrong,
        "#kind=park focus:.sizer>canvas press:ArrowUp press:Enter press:o",
    ];
    let pages = open(&folder, "app.html", &states);
    assert_eq!(pages[0]["hash"], "#kind=park&view=icicle&search=s");
    assert_eq!(number(&pages[1]["panel"]["values"][0]), 0, "no event is of that class");
    // Boxes have other numbers with origins, so nothing is chosen any more.
    assert_eq!(pages[2]["hash"], "#kind=park&origins=1");
    assert_eq!(pages[2]["panel"]["head"], "All stacks");
}

#[test]
fn suspects_of_the_leak_detector_have_their_curve_and_stack() {
    let (mut program, mut places) = calling(&[("shop/Cart", "keep"), ("shop/Cart", "hold")]);
    for (nth, look) in [(0, 1), (1, 1), (0, 2), (0, 3)] {
        let (stack, at) = &mut places[nth];
        let values = [
            ("leak", 1_000),
            ("leak.objects", 10),
            ("leak.generations", 3),
            ("leak.growth", 100 * (1 - nth as i64)),
            ("leak.collections", 6),
        ];
        for (kind, value) in values {
            program.event(stack, *at, (kind, value * look), Some("[B"), Vec::new());
        }
    }
    let (stack, at) = &mut places[1];
    program.event(stack, *at, ("leak.withdrawn", 0), Some("[B"), Vec::new());
    program.event(stack, *at, ("mine", 1), None, Vec::new());
    program.record(Record::End);
    let folder = folder("report-leaks", &program.file().0);
    decode(&folder, &["report", "events.log", "-o", "app.html"]);
    let page = &open(&folder, "app.html", &["#view=leaks"])[0];
    assert_eq!(tabs(page), BTreeMap::from([("mine".to_owned(), 1), ("leaks".to_owned(), 1)]));
    let leaks = page["leaks"].as_array().expect("suspects");
    assert_eq!(leaks[0]["values"], serde_json::json!(["3000", "30", "300", "9"]));
    assert_eq!(leaks[0]["trace"], serde_json::json!(["Cart.keep Cart.java:1", "Main.main Main.java:11"]));
    assert!(leaks[1]["head"].as_str().is_some_and(|head| head.starts_with("byte[]")) && leaks.len() == 2);
}
