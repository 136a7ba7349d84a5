//! `trace=<file>` on real JVMs: the stream of entries is the program's own, to the last entry.
//!
//! Invariant: by context a trace has as many entries as `entries=*` counts in the same program;
//! what the disk refuses is counted, and what is in the file is whole. Source:
//! `profiles/src/trace.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use lucce_jvm_tests::{COMPARED, Jvm, Outcome, Program, Run, Scratch, decode};
use lucce_profiles::trace::{Ending, Item, TraceContext, TracePaths, TraceReader};
use lucce_words::{MethodId, SiteId};
use serde_json::Value;

/// Frames from the innermost on: a method, and behind the first the index at which it has called.
type Context = Vec<String>;

/// What a trace says.
#[derive(Default)]
struct Traced {
    paths: TracePaths,
    methods: BTreeMap<MethodId, String>,
    sites: BTreeMap<SiteId, u16>,
    entries: BTreeMap<TraceContext, u64>,
    threads: BTreeSet<u32>,
    ended: BTreeSet<u32>,
    ending: Option<Ending>,
}

impl Traced {
    /// Reads it; times never go back within a thread, and nothing is used before it is defined.
    fn read(file: &Path) -> Self {
        let file = BufReader::new(File::open(file).expect("there is a trace"));
        let mut reader = TraceReader::new(file).expect("a trace");
        let mut traced = Self::default();
        let mut times = BTreeMap::new();
        for item in reader.by_ref() {
            match item {
                Item::Method { id, class, name, desc } => {
                    traced.methods.insert(id, format!("{}.{name}{desc}", class.replace('/', ".")));
                }
                Item::Site { id, method, bci } => {
                    assert!(traced.methods.contains_key(&method), "{id} is in a method without a name");
                    traced.sites.insert(id, bci);
                }
                Item::Context { id, node } => assert!(traced.paths.add(id, node), "{id:?}: {node:?}"),
                Item::Entries { thread, time, contexts } => {
                    assert!(times.insert(thread, time).is_none_or(|before| before <= time), "{thread} goes back");
                    assert!(!traced.ended.contains(&thread), "{thread} has ended");
                    traced.threads.insert(thread);
                    for context in contexts {
                        *traced.entries.entry(context).or_default() += 1;
                    }
                }
                Item::Ended { thread, .. } => assert!(traced.ended.insert(thread), "{thread} ends twice"),
            }
        }
        traced.ending = reader.ending();
        traced
    }

    fn total(&self) -> u64 {
        self.entries.values().sum()
    }

    /// Entries by context. Several trees have the same one.
    fn sums(&self) -> BTreeMap<Context, u64> {
        let mut sums = BTreeMap::new();
        for (&context, &entries) in &self.entries {
            let (mut frames, mut site) = (Vec::new(), None);
            for node in self.paths.path(context) {
                let method = &self.methods[&node.method];
                frames.push(site.map_or_else(|| method.clone(), |site| format!("{method} {}", self.sites[&site])));
                site = Some(node.site);
            }
            assert!(!frames.is_empty(), "an entry of no method: {context:?}");
            *sums.entry(frames).or_default() += entries;
        }
        sums
    }
}

/// Entries by context of a log.
fn counted(outcome: &Outcome) -> BTreeMap<Context, u64> {
    let mut sums = BTreeMap::new();
    for tally in decode(outcome.log()).events().iter().filter(|event| event["kind"] == "entry") {
        assert!(tally["unknown"].is_null(), "{tally}");
        let frames = tally["frames"].as_array().expect("frames").iter().enumerate();
        let frame = |(at, frame): (usize, &Value)| {
            let text = |key: &str| frame[key].as_str().unwrap_or("?");
            let method = format!("{}.{}{}", text("class"), text("method"), text("desc"));
            if at == 0 { method } else { format!("{method} {}", frame["bci"]) }
        };
        let frames: Context = frames.map(frame).collect();
        *sums.entry(frames).or_default() += tally["count"].as_u64().expect("a number");
    }
    sums
}

fn traced(jvm: &Jvm, target: &str, limit: Option<u64>) -> (Traced, Outcome) {
    let scratch = Scratch::new(&format!("trace-{target}"), jvm.feature);
    let run = Run::hazard(jvm, target).within(&scratch);
    let run = limit.into_iter().fold(run, Run::file_size);
    let outcome = run.agent(&format!("encoder=cct,trace={}", scratch.file("entries.trace").display())).go();
    assert!(outcome.success(), "{target} fails on {}:\n{outcome}", jvm.feature);
    (Traced::read(&scratch.file("entries.trace")), outcome)
}

/// The entries of a target are those that `entries=*` counts. Its own calls must not depend on what
/// the agent answers it.
fn equal(target: &str, at_least: u64) {
    for jvm in Jvm::each(&COMPARED) {
        let (traced, outcome) = traced(&jvm, target, None);
        assert_eq!(traced.ending, Some(Ending::Whole { dropped: 0 }), "{outcome}");
        let stream = traced.sums();
        let scratch = Scratch::new(&format!("traced-{target}"), jvm.feature);
        let sums = Run::hazard(&jvm, target).within(&scratch).agent("entries=*").go();
        assert!(sums.success(), "{target} fails on {}:\n{sums}", jvm.feature);
        let sums = counted(&sums);
        let differ = |one: &BTreeMap<Context, u64>, other: &BTreeMap<Context, u64>| -> Vec<String> {
            let lines = one.iter().filter(|(context, number)| other.get(*context) != Some(*number));
            lines.take(3).map(|(context, number)| format!("{number} {}", context.join(" < "))).collect()
        };
        assert!(stream == sums, "trace:\n{:#?}\nsums:\n{:#?}", differ(&stream, &sums), differ(&sums, &stream));
        assert!(traced.total() >= at_least, "{} entries only", traced.total());
    }
}

#[test]
fn entries_by_context_are_those_counted_in_threads_that_end() {
    equal("Counted", 60_000);
}

#[test]
fn entries_by_context_are_those_counted_through_callbacks_and_exceptions() {
    equal("Callbacks", 1_000);
    equal("ExceptionUnwind", 500);
}

#[test]
fn entries_by_context_are_those_counted_under_recursion() {
    equal("Recursion", 10_000);
}

#[test]
fn each_thread_has_a_stream_of_its_own_and_ends() {
    for jvm in Jvm::each(&COMPARED) {
        let (traced, outcome) = traced(&jvm, "Counted", None);
        let workers = if jvm.feature >= 21 { 8 } else { 4 };
        assert!(traced.threads.len() > workers, "{} threads\n{outcome}", traced.threads.len());
        assert!(traced.ended.len() >= workers, "{:?} of {:?}\n{outcome}", traced.ended, traced.threads);
    }
}

/// Such a file reads up to where it was full; what is not in it is counted, and the program is as
/// ever.
#[test]
fn a_full_disk_ends_the_trace_and_not_the_program() {
    let Some(jvm) = Jvm::of(17) else { return };
    let whole = traced(&jvm, "Recursion", None).0;
    let (cut, outcome) = traced(&jvm, "Recursion", Some(64 << 10));
    let said = outcome.stderr.lines().filter(|line| line.contains("the disk takes no more")).count();
    assert_eq!(said, 1, "{outcome}");
    let last = outcome.stderr.lines().find(|line| line.contains(" behind its end are not")).expect("it says so");
    let number = |text: Option<&str>| -> u64 { text.and_then(|text| text.parse().ok()).expect("a number") };
    let written = number(last.strip_prefix("lucce: ").and_then(|rest| rest.split(' ').next()));
    let missing = number(last.split_once(".trace, ").and_then(|(_, rest)| rest.split(' ').next()));
    assert_eq!(written + missing, whole.total(), "{outcome}");
    assert!(cut.total() > 0 && cut.total() <= written && missing > 0, "{} of {written}\n{outcome}", cut.total());
    assert!(!matches!(cut.ending, None | Some(Ending::Damaged { .. })), "{:?}", cut.ending);
}

#[test]
fn a_killed_program_leaves_a_trace_that_reads_up_to_the_cut() {
    let Some(jvm) = Jvm::of(17) else { return };
    let scratch = Scratch::new("trace-killed", jvm.feature);
    let file = scratch.file("entries.trace");
    let run = Run::hazard(&jvm, "Busy").within(&scratch);
    let run = run.agent(&format!("quiet,encoder=cct,trace={}", file.display()));
    let run = run.argument(scratch.file("times")).argument("0");
    let mut child = Program::start(run.command().stdout(Stdio::piped()).stderr(Stdio::null()));
    let mut started = String::new();
    BufReader::new(child.stdout.take().expect("piped")).read_line(&mut started).expect("its first line");
    while std::fs::metadata(&file).is_ok_and(|file| file.len() < 1 << 10) {
        std::thread::yield_now();
    }
    child.kill().expect("it still runs");
    child.wait();
    let traced = Traced::read(&file);
    assert!(matches!(traced.ending, Some(Ending::Cut { .. })) && traced.total() > 0, "{:?}", traced.ending);
}
