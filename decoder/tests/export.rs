//! `lucce-decode export`: files, exit status, collapsed stacks, and that streaming a log gives what
//! reading it gives.
//!
//! Invariant: what other tools make of the files is asked in `readers.rs`.
//! Source: docs/guide/decoder.md, "Other tools".

mod common;
#[path = "common/everything.rs"]
mod everything;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;

use common::shell::{folder, run, run_in, text};
use common::{Program, random};
use everything::{CLASS, everything, expected};
use lucce_decoder::export::{Gathered, Profile, jfr, otlp, speedscope};
use lucce_decoder::{Contexts, Log};
use lucce_log::Record;
use lucce_words::{SiteId, Word};
use opentelemetry_proto::tonic::profiles::v1development::ProfilesData;
use prost::Message;

/// `lucce-decode export ARGS` in the folder of a test.
fn export(folder: &Path, args: &[&str]) -> Output {
    run_in(folder, &[&["export"], args].concat())
}

fn profile(bytes: &[u8], origins: bool) -> Profile {
    let (mut profile, mut gathered) = (Profile::new(origins), Gathered::new());
    let log = Log::stream(bytes, |log, _| gathered.take(log)).expect("a log");
    profile.add(&log, gathered, "");
    profile
}

/// Sums by kind, frames and class.
type Lines = BTreeMap<String, (u64, i128)>;

fn add(lines: &mut Lines, key: String, (count, value): (u64, i128)) {
    let sum = lines.entry(key).or_default();
    *sum = (sum.0 + count, sum.1 + value);
}

/// Of a log that is streamed.
fn streamed(bytes: &[u8]) -> Lines {
    let (profile, mut lines) = (profile(bytes, false), Lines::new());
    for sum in profile.sums() {
        let frames = profile.stacks().outermost_first(sum.stack).into_iter();
        let frames: Vec<String> = frames
            .map(|frame| profile.stacks().frame(frame))
            .map(|frame| format!("{}{} {:?}", frame.name(), frame.desc, frame.line))
            .collect();
        let key = format!("{} {frames:?}", profile.kinds()[sum.kind].name);
        add(&mut lines, key, (sum.count, sum.value));
    }
    lines
}

/// Of the same log that is read whole.
fn whole(bytes: &[u8]) -> Lines {
    let log = Log::read(bytes, |_| {}).expect("a log");
    let (mut contexts, mut lines) = (Contexts::new(&log), Lines::new());
    for event in log.events() {
        let trace = contexts.trace(&event.place);
        let end = match trace.end {
            lucce_decoder::TraceEnd::Root => None,
            lucce_decoder::TraceEnd::Unknown(reason) => Some(format!("[{reason}] None")),
        };
        let frames = trace.frames.iter().rev();
        let frames = frames.map(|frame| format!("{}.{}{} {:?}", frame.class, frame.method, frame.desc, frame.line));
        let frames: Vec<String> = end.into_iter().chain(frames).collect();
        let key = format!("{} {frames:?}", log.kind(event.kind).unwrap_or("unknown kind"));
        add(&mut lines, key, (event.count, log.weight(event)));
    }
    lines
}

#[test]
fn a_log_that_is_streamed_has_the_sums_of_one_that_is_read() {
    for seed in 1..12 {
        let (bytes, starts) = random(seed, 12, 3_000, 6).file();
        assert!(streamed(&bytes).len() > 20);
        assert_eq!(streamed(&bytes), whole(&bytes), "seed {seed}");
        // Without a block, and cut within one.
        let holed = [&bytes[..starts[2]], &bytes[starts[3]..]].concat();
        assert_eq!(streamed(&holed), whole(&holed), "seed {seed}");
        let cut = &bytes[..starts[4] + 10];
        assert_eq!(streamed(cut), whole(cut), "seed {seed}");
    }
}

#[test]
fn collapsed_stacks_are_those_that_are_printed() {
    let bytes = everything().file().0;
    let folder = folder("export-collapsed", &bytes);
    for kind in [&[][..], &["--kind", "alloc"]] {
        let printed = text(&run("export-collapsed", &bytes, &[&["--format", "collapsed"], kind].concat()).stdout);
        let output = export(&folder, &[&["events.log", "--format", "collapsed", "-o", "-"], kind].concat());
        assert_eq!((text(&output.stdout), output.status.code()), (printed, Some(0)));
    }
}

#[test]
fn origins_stand_below_the_stack_of_their_task() {
    let folder = folder("export-origins", &everything().file().0);
    let output = export(&folder, &["events.log", "--origins", "--kind", "park", "-o", "app.collapsed"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let lines = std::fs::read_to_string(folder.join("app.collapsed")).expect("a file");
    let own = format!("shop.Orders.outer;{CLASS}.do \"it\"\\t\\u{{1}}\\u{{3b}}now 日本");
    // Three waits of a thread that began with the JVM, and three of the task.
    let mut expected = [format!("{own} 21000006"), format!("shop.Orders.submit;[submitted at];{own} 21000006")];
    expected.sort();
    assert_eq!(lines, expected.join("\n") + "\n");
}

#[test]
fn each_kind_has_its_pprof_file_unless_one_is_chosen() {
    let folder = folder("export-files", &everything().file().0);
    let output = export(&folder, &["events.log", "-o", "app.pb.gz"]);
    let mut files: Vec<String> = text(&output.stdout).lines().map(str::to_owned).collect();
    files.sort();
    let kinds = ["alloc", "cpu", "entry", "exception", "mine___kind____☕", "monitor", "park", "program_alloc"];
    let mut named = kinds.map(|kind| format!("app.{}.pb.gz", kind.replace('☕', "_")));
    named.sort();
    assert_eq!(files, named);
    assert!(files.iter().all(|file| folder.join(file).is_file()));
    let output = export(&folder, &["events.log", "-o", "one.pb.gz", "--kind", "cpu"]);
    assert_eq!((text(&output.stdout).as_str(), output.status.code()), ("one.pb.gz\n", Some(0)));
}

#[test]
fn several_logs_are_one() {
    let bytes = everything().file().0;
    let folder = folder("export-several", &bytes);
    std::fs::copy(folder.join("events.log"), folder.join("second.log")).expect("a copy");
    let sums = |logs: &[&str]| {
        let output = export(&folder, &[logs, &["--format", "collapsed", "-o", "-"]].concat());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let printed = text(&output.stdout);
        let line = |line: &str| line.rsplit_once(' ').map(|(stack, sum)| (stack.into(), sum.parse().expect("a sum")));
        printed.lines().filter_map(line).collect::<BTreeMap<String, i128>>()
    };
    let twice = sums(&["events.log"]).into_iter().map(|(stack, sum)| (stack, 2 * sum)).collect();
    assert_eq!(sums(&["events.log", "second.log"]), twice);
}

#[test]
fn a_cut_log_is_exported_as_far_as_it_goes_and_ends_with_3() {
    let (bytes, starts) = everything().file();
    let cut = &bytes[..starts[2] + 5];
    let folder = folder("export-cut", cut);
    for (file, written) in
        [("app.jfr", "app.jfr"), ("app.json", "app.json"), ("app.otlp", "app.otlp"), ("a.pb.gz", "a.cpu.pb.gz")]
    {
        let output = export(&folder, &["events.log", "-o", file]);
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        assert!(text(&output.stderr).contains("damaged log"), "{output:?}");
        assert!(std::fs::metadata(folder.join(written)).is_ok_and(|file| file.len() > 100));
    }
    let sums = expected("export-cut", cut);
    // Two of three rounds.
    assert_eq!(sums[&("cpu".into(), String::new())], (4, 40_000_002));
    let output = export(&folder, &["events.log", "--kind", "cpu", "--format", "collapsed", "-o", "-"]);
    let total: i128 =
        text(&output.stdout).lines().filter_map(|line| line.rsplit_once(' ')?.1.parse::<i128>().ok()).sum();
    assert_eq!((total, output.status.code()), (40_000_002, Some(3)));
}

#[test]
fn what_cannot_be_done_is_said_in_one_line() {
    let folder = folder("export-wrong", &everything().file().0);
    std::fs::write(folder.join("empty.log"), Program::default().file().0).expect("a log");
    std::fs::write(folder.join("none.log"), "text").expect("a file");
    for (args, status, line) in [
        (&["events.log", "-o", "app.xyz"][..], 2, "name it with --format"),
        (&["gone.log", "-o", "a.jfr"], 2, "cannot read gone.log"),
        (&["none.log", "-o", "a.jfr"], 2, "none.log"),
        (&["events.log", "-o", "a.jfr", "--kind", "gone"], 1, "no event kind gone: there is alloc"),
        (&["events.log", "-o", "nowhere/a.jfr"], 1, "cannot write nowhere/a.jfr"),
        (&["events.log", "-o", "-", "--format", "pprof"], 1, "one kind in a file"),
        (&["empty.log", "-o", "a.jfr"], 3, "no events"),
    ] {
        let output = export(&folder, args);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{args:?}: {said}");
        assert!(said.contains(line), "{args:?}: {said}");
        assert!(!folder.join("a.jfr").exists(), "{args:?}");
    }
}

#[test]
fn speedscope_is_spared_negative_weights() {
    let (mut program, mut stack, at) = Program::running("make");
    for value in [-5, 3] {
        program.event(&mut stack, at, (if value < 0 { "debt" } else { "gain" }, value), None, Vec::new());
    }
    let mut out = Vec::new();
    let left_out = speedscope::write(&profile(&program.file().0, false), None, &mut out).expect("written");
    let file: serde_json::Value = serde_json::from_slice(&out).expect("JSON");
    assert_eq!(left_out, 1);
    assert_eq!(file["profiles"][0]["weights"], serde_json::json!([]));
    assert_eq!(file["profiles"][1]["weights"], serde_json::json!([3]));
}

#[test]
fn a_recording_is_one_chunk_whose_head_says_where_everything_lies() {
    let mut bytes = Vec::new();
    jfr::write(&profile(&everything().file().0, false), None, &mut bytes).expect("written");
    let long = |at: usize| u64::from_be_bytes(bytes[at..at + 8].try_into().expect("eight"));
    assert_eq!(&bytes[..8], b"FLR\0\0\x02\0\x01");
    let [size, checkpoint, metadata] = [8, 16, 24].map(long);
    assert_eq!((size, long(32)), (bytes.len() as u64, 1_763_672_861_500_000_000));
    // Each record is as long as it says, in four bytes, and the last two are of types 1 and 0.
    let (mut at, mut types) = (68, Vec::new());
    while at < bytes.len() {
        let length = (0..4).fold(0, |sum, nth| sum | usize::from(bytes[at + nth] & 0x7f) << (7 * nth));
        assert!(bytes[at..at + 3].iter().all(|byte| byte & 0x80 != 0) && bytes[at + 3] & 0x80 == 0);
        types.push((at as u64, bytes[at + 4]));
        at += length;
    }
    assert_eq!(at, bytes.len());
    assert_eq!(types[types.len() - 2..], [(checkpoint, 1), (metadata, 0)]);
}

#[test]
fn labels_of_a_run_reach_other_tools() {
    let labels = [("service", "orders"), ("region", "eu-west")].map(|(name, value)| (name.into(), value.into()));
    let header = lucce_log::Header { labels: labels.into(), ..common::header() };
    let (bytes, _) = random(3, 6, 400, 2).file_with(&header);
    let profile = profile(&bytes, false);
    let mut file = Vec::new();
    otlp::write(&profile, None, &mut file).expect("it is written");
    let data = ProfilesData::decode(&*file).expect("OTLP");
    let resource = data.resource_profiles[0].resource.clone().expect("a resource");
    let attributes: Vec<String> =
        resource.attributes.iter().map(|pair| format!("{} {:?}", pair.key, pair.value)).collect();
    for (key, value) in [("service.name", "orders"), ("region", "eu-west")] {
        let is_it = |attribute: &&String| attribute.starts_with(&format!("{key} ")) && attribute.contains(value);
        assert_eq!(attributes.iter().filter(is_it).count(), 1, "{attributes:?}");
    }
    assert!(profile.comments(&profile.kinds()[0]).contains(&"label service: orders".to_owned()));
    let shown = text(&run("labels", &bytes, &[]).stdout);
    assert!(shown.contains("  labels region=eu-west service=orders\n"), "{shown}");
    // A log without any says nothing of them.
    let shown = text(&run("labels", &random(3, 6, 400, 2).file().0, &[]).stdout);
    assert!(!shown.contains("labels"), "{shown}");
}

#[test]
fn sums_have_the_time_until_which_they_hold() {
    let (mut program, _, site) = Program::running("alloc");
    let (node, kind) = (program.node(&[site]), program.kind("alloc"));
    let mut window = |until: Option<u64>, count| {
        if let Some(time_ns) = until {
            program.record(Record::SumsUntil { time_ns });
        }
        let (site, word) = (SiteId::UNKNOWN, Word::NONE);
        program.record(Record::Tally { kind, node, site, word, class: None, count, value: 16 * count });
    };
    window(None, 1);
    window(Some(5_000_000_000), 2);
    window(Some(9_000_000_000), 4);
    let (bytes, _) = program.file();
    // All, of which the first have no time.
    let whole: u64 = profile(&bytes, false).sums().iter().map(|sum| sum.count).sum();
    assert_eq!(whole, 7);
    let between = |from: &str, to: &str| {
        let args = ["--from", from, "--to", to, "--kind", "alloc", "--format", "json"];
        let out = run("windows", &bytes, &[&["--top", "9"][..], &args].concat());
        text(&out.stdout)
    };
    for (from, to, counts) in
        [("4s", "6s", "\"events\":2"), ("6s", "10s", "\"events\":4"), ("4s", "10s", "\"events\":6")]
    {
        let found = between(from, to);
        assert!(found.contains(counts), "{from} to {to}: {found}");
    }
}
