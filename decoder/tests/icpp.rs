//! Maps of words: how they are trained, what they say of the words of a log, and what is refused.
//!
//! Invariant: each word of the logs here follows from its path by the rule of the weights; so what
//! a map must say is known beforehand.
//! Source: docs/design/icpp.md; "Inferred Call Path Profiling", sections 5 and 8.4.

mod common;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Output;

use common::shell::{folder, run_in, text};
use common::{Program, header};
use lucce_log::{Header, Record};
use lucce_words::{MethodId, NodeId, SiteId, Word};
use serde_json::{Value, json};

/// A run of `encoder=icpp`: methods are letters, and each calls each other one from a site of its
/// own.
struct IcppRun {
    options: &'static str,
    program: Program,
    methods: BTreeMap<char, MethodId>,
    sites: BTreeMap<(char, char), SiteId>,
    told: Vec<NodeId>,
}

impl IcppRun {
    fn new(options: &'static str) -> Self {
        let (methods, sites) = Default::default();
        Self { options, program: Program::default(), methods, sites, told: Vec::new() }
    }

    /// Where `caller` calls `callee`, or, with a blank, where it has its events.
    fn site(&mut self, caller: char, callee: char) -> SiteId {
        let program = &mut self.program;
        let mut named = || program.method("a/A", &caller.to_string(), "()V");
        let method = *self.methods.entry(caller).or_insert_with(&mut named);
        *self.sites.entry((caller, callee)).or_insert_with(|| program.site(method, callee as u16 - ' ' as u16, None))
    }

    fn path(&mut self, path: &str) -> Vec<SiteId> {
        let callees = path.chars().skip(1).chain([' ']);
        path.chars().zip(callees).map(|(caller, callee)| self.site(caller, callee)).collect()
    }

    /// A walk has told the words of this path, the outermost activation's first.
    fn walked(mut self, path: &str, words: &[u64]) -> Self {
        let sites = self.path(path);
        for (depth, (&word, method)) in (1..).zip(words.iter().zip(path.chars())) {
            let node = self.program.node(&sites[..depth]);
            if !self.told.contains(&node) {
                self.told.push(node);
                let method = self.methods[&method];
                self.program.record(Record::Learned { word, method, node, ambiguous: false });
            }
        }
        self
    }

    /// A walk has told the word of this path alone, and none of those that it was called from.
    fn told(mut self, path: &str, word: u64) -> Self {
        let (sites, last) = (self.path(path), path.chars().last().expect("a method"));
        let (node, method) = (self.program.node(&sites), self.methods[&last]);
        self.program.record(Record::Learned { word, method, node, ambiguous: false });
        self
    }

    /// The same of all, in a run of `icpp=natural`, all of whose frames have 16 bytes.
    fn natural(self, path: &str) -> Self {
        let words: Vec<u64> = (1..=path.len() as u64).map(|depth| depth * 16).collect();
        self.walked(path, &words)
    }

    /// So many events of a path that was walked or looked up.
    fn events(mut self, path: &str, count: u64) -> Self {
        let sites = self.path(path);
        let (site, node) = (sites[sites.len() - 1], self.program.node(&sites));
        (0..count).for_each(|_| {
            self.program.push_event(sites.clone(), (Word(0), site, NodeId(0), node), ("e", 1), None, vec![])
        });
        self
    }

    /// So many events of a run without walks.
    fn bare(mut self, method: char, word: u64, count: u64) -> Self {
        let site = self.site(method, ' ');
        let place = (Word(word), site, NodeId(0), NodeId(0));
        (0..count).for_each(|_| self.program.push_event(vec![site], place, ("e", 1), None, vec![]));
        self
    }

    /// The log, in a folder of that test.
    fn log(mut self, test: &str) -> Log {
        self.program.record(Record::End);
        let header = Header { encoder: "icpp".into(), options: self.options.into(), ..header() };
        Log { folder: folder(&format!("icpp-{test}"), &self.program.file_with(&header).0) }
    }
}

/// A log in a folder, and what is done with it.
struct Log {
    folder: PathBuf,
}

impl Log {
    fn run(&self, args: &[&str]) -> Output {
        run_in(&self.folder, args)
    }

    fn right(&self, args: &[&str]) -> Value {
        let output = self.run(args);
        assert_eq!(text(&output.stderr), "");
        serde_json::from_slice(&output.stdout).expect("an object")
    }

    /// What the search says, and the map.
    fn train(&self, args: &[&str]) -> (Value, String) {
        let said = self.right(&[&["icpp", "train", "events.log", "-o", "map", "--format", "json"], args].concat());
        (said, std::fs::read_to_string(self.folder.join("map")).expect("a map"))
    }

    /// With this map.
    fn with(self, map: &str) -> Self {
        std::fs::write(self.folder.join("map"), map).expect("it can be written");
        self
    }

    fn decoded(&self) -> Value {
        self.right(&["events.log", "--map", "map", "--format", "json"])
    }

    /// The line with which it is refused.
    fn refused(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let line = text(&output.stderr);
        assert_eq!((output.status.code(), &*text(&output.stdout), line.lines().count()), (Some(1), "", 1), "{line}");
        line
    }
}

/// Figures 3 and 4 in one: BAD and BED; BAD and ABD.
fn figures(test: &str) -> Log {
    IcppRun::new("encoder=icpp,icpp=natural").natural("BAD").natural("BED").natural("ABD").log(test)
}

#[test]
fn a_seed_gives_one_map() {
    let log = figures("seed");
    let all: Vec<_> =
        ["7", "7", "8"].iter().map(|seed| log.train(&["--seed", seed, "--wrap", "--enough", "100"])).collect();
    assert_eq!(all[0], all[1]);
    // Another search, which tells all, too.
    assert_ne!(all[0].1, all[2].1);
    assert_eq!([&all[0].0, &all[2].0].map(|said| said["by_sites"]["after"]["ambiguous"].clone()), [json!(0), json!(0)]);
}

#[test]
fn larger_frames_tell_methods_apart_and_wrapped_calls_their_order() {
    let log = figures("search");
    let ambiguous = |said: &Value| ["before", "after"].map(|when| said["by_sites"][when]["degrees"].clone());
    // At D's event stand three paths; of the calls, each has one.
    let natural = json!({"1": 6, "3": 3});
    for (args, degrees) in [(&[][..], json!({"1": 7, "2": 2})), (&["--wrap"], json!({"1": 9}))] {
        let (said, map) = log.train(&[args, &["--enough", "100"]].concat());
        assert_eq!(ambiguous(&said), [natural.clone(), degrees], "{said}");
        let count = |kind: &str| {
            let changed = |line: &&str| {
                line.starts_with(kind) && line.split('\t').nth(if kind == "m" { 1 } else { 3 }) != Some("0")
            };
            map.lines().filter(changed).count()
        };
        assert_eq!([&said["resized"], &said["wrapped"]], [count("m"), count("s")]);
        assert_eq!(count("s") == 0, args.is_empty());
    }
}

/// P, Q, R and S stand at the base. The map has P alone, Q there and below P, R below P alone, and
/// no S.
const MAP: &str = "lucce-icpp-map 1 names
m\t0\ta/A\tP\t()V
m\t0\ta/A\tQ\t()V
m\t0\ta/A\tR\t()V
s\t0\t0\t0
s\t1\t0\t0
s\t2\t0\t0
c\t1\t-\t0
c\t2\t-\t1
c\t2\t0\t1
c\t3\t0\t2
";
const WORDS: [(char, u64, u64); 4] = [('P', 1, 5), ('Q', 2, 3), ('R', 3, 2), ('S', 4, 1)];

#[test]
fn each_outcome_is_counted_by_event_and_by_context() {
    let walked = |run: IcppRun, (method, word, events)| {
        let path = String::from(method);
        run.walked(&path, &[word]).events(&path, events)
    };
    let log = WORDS.into_iter().fold(IcppRun::new("encoder=icpp,icpp=names"), walked).log("outcomes").with(MAP);
    let counts = |precise, ambiguous, incorrect, missing| {
        let degrees = json!({"1": precise, "2": ambiguous});
        json!({"precise": precise, "ambiguous": ambiguous, "incorrect": incorrect, "missing": missing, "degrees": degrees})
    };
    let decoded = log.decoded();
    assert_eq!(decoded["events"], counts(5, 3, 2, 1));
    assert_eq!(decoded["contexts"], counts(1, 1, 1, 1));
    assert_eq!(decoded["words"], json!([]));
    const TEXT: &str = "\
11 events
  precise               5   45.5 %
  ambiguous             3   27.3 %
  incorrect             2   18.2 %
  missing               1    9.1 %
4 contexts
  precise               1   25.0 %
  ambiguous             1   25.0 %
  incorrect             1   25.0 %
  missing               1   25.0 %
";
    assert_eq!(text(&log.run(&["events.log", "--map", "map"]).stdout), TEXT);
}

/// Nobody has walked, so that R's word seems to tell a context.
#[test]
fn without_walks_what_is_incorrect_is_unknown() {
    let bare = |run: IcppRun, (method, word, events)| run.bare(method, word, events);
    let log = WORDS.into_iter().fold(IcppRun::new("encoder=icpp,icpp=names,walks=off"), bare).log("bare").with(MAP);
    let decoded = log.decoded();
    let degrees = json!({"1": 7, "2": 3});
    let counts = json!({"precise": 7, "ambiguous": 3, "incorrect": null, "missing": 1, "degrees": degrees});
    assert_eq!((&decoded["events"], &decoded["contexts"]), (&counts, &Value::Null));
    let words = decoded["words"].as_array().expect("words");
    let said: Vec<_> = words.iter().map(|word| (word["method"].as_str(), &word["events"], &word["degree"])).collect();
    let expected = [("P", 5, 1), ("Q", 3, 2), ("R", 2, 1), ("S", 1, 0)];
    for (said, (method, events, degree)) in said.into_iter().zip(expected) {
        assert_eq!(said, (Some(method), &json!(events), &json!(degree)));
    }
    let methods = |context: &Value| -> Vec<String> {
        context.as_array().expect("frames").iter().map(|frame| frame["method"].as_str().unwrap_or("").into()).collect()
    };
    let of_q: Vec<_> = words[1]["contexts"].as_array().expect("contexts").iter().map(methods).collect();
    assert_eq!(of_q, [vec!["Q"], vec!["Q", "P"]]);
    let text = text(&log.run(&["events.log", "--map", "map"]).stdout);
    for line in [
        "  incorrect  unknown here: nothing was walked, so precise ones may be wrong, too",
        " 2. 3 events, ambiguous: one of 2 contexts",
        "    [unknown here: the map has no such word]",
    ] {
        assert!(text.lines().any(|printed| printed == line), "{text}");
    }
}

/// As of a constructor that reflection calls: its path has a node, but no walk tells its word.
#[test]
fn a_method_whose_word_nothing_tells_is_left_out() {
    let log = IcppRun::new("encoder=icpp,icpp=natural").natural("BAD").natural("BED").events("BX", 1).log("untold");
    let (said, map) = log.train(&["--enough", "100"]);
    assert_eq!(said["by_sites"]["after"]["degrees"], json!({"1": 6}), "{said}");
    assert_eq!(map.lines().filter(|line| line.starts_with("c\t-")).count(), 2, "{map}");
}

/// There is nothing to resize; the run with the map says that it had one all the same.
#[test]
fn a_map_that_resizes_nothing_is_for_the_runs_with_it() {
    let (said, map) = IcppRun::new("encoder=icpp,icpp=natural").natural("AD").log("alone").train(&[]);
    assert_eq!(said["resized"], 0);
    let later = IcppRun::new("encoder=icpp,icpp=a.map,walks=off").bare('D', 32, 1).log("alone-later").with(&map);
    assert_eq!(later.decoded()["events"]["precise"], 1);
}

#[test]
fn maps_that_cannot_be_used_are_refused_with_one_line() {
    const SHOW: [&str; 3] = ["events.log", "--map", "map"];
    let names = || IcppRun::new("encoder=icpp,icpp=names,walks=off").bare('P', 1, 1);
    let line = names().log("none").refused(&["events.log", "--map", "absent"]);
    assert!(line.contains("cannot use the map absent: No such file"), "{line}");
    let natural = "lucce-icpp-map 1 natural\nm\t16\ta/A\tP\t()V\n";
    for (test, map, says) in [
        (
            "no-map",
            "#!/bin/sh\n",
            "line 1 is none of a map of this release; train it anew with lucce-decode icpp train",
        ),
        ("torn", &MAP[..MAP.len() - 3], "line 11 is none of a map"),
        ("others", &MAP.replace("a/A", "b/B"), "the map names no method of the log: it is of another program"),
        (
            "mixed",
            &MAP.replace("names", "mixed"),
            "the map is for runs with icpp=mixed, the log of one with icpp=names",
        ),
        ("natural", natural, "the map is for runs with a trained map, the log of one with icpp=names"),
    ] {
        let line = names().log(test).with(map).refused(&SHOW);
        assert!(line.contains(says), "{line}");
    }
    let untrained = IcppRun::new("encoder=icpp,icpp=natural,walks=off").bare('P', 16, 1).log("untrained").with(natural);
    let line = untrained.refused(&SHOW);
    assert!(line.contains("the map is for runs with a trained map, the log of one with icpp=natural"), "{line}");
}

#[test]
fn logs_that_teach_nothing_are_refused_with_one_line() {
    const TRAIN: [&str; 5] = ["icpp", "train", "events.log", "-o", "map"];
    for (test, run, says) in [
        (
            "passive",
            IcppRun::new("encoder=icpp,icpp=natural,walks=off").bare('P', 16, 1),
            "no walk has taught a word: run without walks=off",
        ),
        ("trained", IcppRun::new("encoder=icpp,icpp=a.map").natural("AD"), "the log is of a run with a trained map"),
        // What is left of a log that was damaged.
        (
            "damaged",
            IcppRun::new("encoder=icpp,icpp=natural").told("AD", 32),
            "the log lacks the heights of all contexts",
        ),
    ] {
        let line = run.log(test).refused(&TRAIN);
        assert!(line.contains(says), "{line}");
    }
    let (mut program, _, _) = Program::running("run");
    program.record(Record::End);
    let other = Log { folder: folder("icpp-other-encoder", &program.file().0) }.with(MAP);
    for args in [&TRAIN[..], &["events.log", "--map", "map"]] {
        let line = other.refused(args);
        assert!(line.contains("the log is of another encoder; run with encoder=icpp"), "{line}");
    }
    let line = figures("nowhere").refused(&["icpp", "train", "events.log", "-o", "absent/map"]);
    assert!(line.contains("cannot write absent/map"), "{line}");
}
