//! Other agents beside Lucce, named before and after it on the command line: each does its own job
//! as it does alone, and Lucce's oracle finds nothing; nor is anything amiss where Lucce runs as it
//! comes, without its oracle.
//!
//! Invariant: what the other agent makes (coverage, spans, a profile) is compared with what it
//! makes without Lucce, or with what the program must give.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use lucce_jvm_tests::{Jvm, Outcome, Run, Scratch, decode, place};

/// Where an option stands that loads another agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Before Lucce's.
    BeforeLucce,
    /// Behind Lucce's.
    AfterLucce,
}

/// Both orders, one after the other.
pub const ORDERS: [Order; 2] = [Order::BeforeLucce, Order::AfterLucce];

/// `hazards.Beside` under Lucce and the other agent.
fn beside(jvm: &Jvm, scratch: &Scratch, other: &str, order: Order, lucce: &str) -> Run {
    let run = Run::hazard(jvm, "Beside").within(scratch);
    match order {
        Order::BeforeLucce => run.option(other).agent(lucce),
        Order::AfterLucce => run.agent(lucce).option(other),
    }
}

/// With methods that sleep, as they do where nothing is asked for, and many sampled allocations.
pub const USUAL: &str = "hooks=demand,alloc=16k";

fn ended(outcome: &Outcome, order: Order, lucce: &str) {
    assert!(outcome.success(), "{order:?}, {lucce}\n{outcome}");
    told(outcome.log(), order, lucce);
}

/// Under `verify` every check held; otherwise there are events, and all of them have their traces.
pub fn told(log: &Path, order: Order, lucce: &str) {
    let counters = decode(log).counters();
    assert!(counters.complete(), "{order:?}, {lucce}\n{counters}");
    assert_eq!((counters.mismatches(), counters.lost()), (0, 0), "{order:?}, {lucce}\n{counters}");
    if lucce.contains("verify") {
        assert!(counters.checks() > 0, "{order:?}, {lucce}\n{counters}");
        return;
    }
    assert_eq!(counters.checks(), 0, "{order:?}, {lucce}\n{counters}");
    let events = decode(log).events();
    assert!(counters.counter("demand.sleepers") > 0, "{order:?}, {lucce}\n{counters}");
    let sampled = events.iter().filter(|event| event["kind"] == "alloc");
    assert!(sampled.count() > 20, "{} events, {order:?}, {lucce}\n{counters}", events.len());
    let unknown = events.iter().find(|event| !event["unknown"].is_null());
    assert_eq!((unknown, counters.figure("undecodable_events")), (None, 0), "{order:?}, {lucce}\n{counters}");
}

/// What JaCoCo wrote: of each class the id (a checksum of its file) and which probes were passed.
/// Format: `org.jacoco.core.data.ExecutionDataWriter`.
fn coverage(file: &Path) -> BTreeMap<String, (u64, Vec<u8>)> {
    let bytes = fs::read(file).unwrap_or_else(|e| panic!("no coverage in {}: {e}", file.display()));
    let mut rest = bytes.as_slice();
    let mut classes = BTreeMap::new();
    let take = |rest: &mut &[u8], count: usize| {
        let mut taken = vec![0; count];
        rest.read_exact(&mut taken).expect("the file is whole");
        taken
    };
    let text = |rest: &mut &[u8]| {
        let length = take(rest, 2);
        let length = usize::from(length[0]) << 8 | usize::from(length[1]);
        String::from_utf8(take(rest, length)).expect("names are ASCII")
    };
    while !rest.is_empty() {
        match take(&mut rest, 1)[0] {
            0x01 => drop(take(&mut rest, 4)),
            0x10 => {
                text(&mut rest);
                take(&mut rest, 16);
            }
            0x11 => {
                let id = take(&mut rest, 8).iter().fold(0, |id, &byte| id << 8 | u64::from(byte));
                let name = text(&mut rest);
                let (mut probes, mut shift) = (0, 0);
                loop {
                    let byte = take(&mut rest, 1)[0];
                    probes |= usize::from(byte & 0x7F) << shift;
                    shift += 7;
                    if byte & 0x80 == 0 {
                        break;
                    }
                }
                classes.insert(name, (id, take(&mut rest, probes.div_ceil(8))));
            }
            other => panic!("block {other:#x} in {}", file.display()),
        }
    }
    classes
}

fn jacoco(feature: u32, lucce: &str) {
    let Some(jvm) = Jvm::of(feature) else { return };
    let run = |order: Option<Order>| {
        let scratch = Scratch::new("jacoco", feature);
        let file = scratch.file("jacoco.exec");
        let jar = place().jar("jacoco-agent");
        let other = format!("-javaagent:{}=destfile={},includes=hazards.*", jar.display(), file.display());
        let outcome = match order {
            None => Run::hazard(&jvm, "Beside").within(&scratch).option(other).go(),
            Some(order) => beside(&jvm, &scratch, &other, order, lucce).go(),
        };
        match order {
            None => assert!(outcome.success(), "{outcome}"),
            Some(order) => ended(&outcome, order, lucce),
        }
        (coverage(&file), outcome.stdout)
    };
    let alone = run(None);
    let (_, probes) = &alone.0["hazards/Beside"];
    assert!(probes.iter().any(|&byte| byte != 0) && alone.1.starts_with("busy "), "{alone:?}");
    for order in ORDERS {
        assert_eq!(run(Some(order)), alone, "{order:?}");
    }
}

#[test]
fn jacoco_covers_the_same_on_11() {
    jacoco(11, "verify=20");
}

#[test]
fn jacoco_covers_the_same_on_25() {
    jacoco(25, "verify=20");
}

#[test]
fn jacoco_covers_the_same_where_methods_sleep_on_17_and_21() {
    jacoco(17, USUAL);
    jacoco(21, USUAL);
}

fn open_telemetry(feature: u32, orders: &[Order], lucce: &str) {
    let Some(jvm) = Jvm::of(feature) else { return };
    for &order in orders {
        let scratch = Scratch::new("opentelemetry", feature);
        let other = format!("-javaagent:{}", place().jar("opentelemetry-agent").display());
        // The agent's own classes are its own loader's: left out, so that the test is of the
        // program and not of them.
        let lucce = format!("{lucce},exclude=io.opentelemetry.*:net.bytebuddy.*");
        let mut run = beside(&jvm, &scratch, &other, order, &lucce).argument("request");
        for option in [
            "-Dotel.traces.exporter=console",
            "-Dotel.metrics.exporter=none",
            "-Dotel.logs.exporter=none",
            "-Dotel.service.name=beside",
            // What it instruments besides takes seconds to prepare, and adds nothing.
            "-Dotel.instrumentation.common.default-enabled=false",
            "-Dotel.instrumentation.java-http-server.enabled=true",
            "-Dotel.instrumentation.http-url-connection.enabled=true",
        ] {
            run = run.option(option);
        }
        let outcome = run.go();
        ended(&outcome, order, &lucce);
        assert!(outcome.stdout.starts_with("request "), "{order:?}\n{outcome}");
        let printed = outcome.stdout.clone() + &outcome.stderr;
        let spans: Vec<_> = printed.lines().filter(|line| line.contains("LoggingSpanExporter")).collect();
        for kind in ["CLIENT", "SERVER"] {
            let one = spans.iter().any(|span| span.contains("'GET") && span.contains(kind));
            assert!(one, "no span of kind {kind}, {order:?}\n{spans:?}\n{outcome}");
        }
    }
}

#[test]
fn open_telemetry_has_its_spans_on_17() {
    open_telemetry(17, &ORDERS, "verify=50");
}

#[test]
fn open_telemetry_has_its_spans_where_methods_sleep_on_25() {
    open_telemetry(25, &[Order::BeforeLucce], "hooks=demand,alloc=4k");
}

/// The library of async-profiler, out of its loader's jar.
fn profiler(scratch: &Scratch) -> PathBuf {
    let machine = if cfg!(target_arch = "x86_64") { "linux-x64" } else { "linux-arm64" };
    let name = format!("libs/libasyncProfiler-4.5-{machine}.so");
    let mut jar = Command::new(place().jdk_program("jar"));
    let unpacked = jar.current_dir(scratch.path()).arg("xf").arg(place().jar("ap-loader")).arg(&name).status();
    assert!(unpacked.is_ok_and(|status| status.success()), "cannot unpack {name}");
    scratch.file(&name)
}

fn async_profiler(feature: u32, lucce: &str) {
    let Some(jvm) = Jvm::of(feature) else { return };
    for order in ORDERS {
        let scratch = Scratch::new("async-profiler", feature);
        let (library, profile) = (profiler(&scratch), scratch.file("profile.collapsed"));
        let options = format!("start,event=itimer,interval=1ms,collapsed,file={}", profile.display());
        let other = format!("-agentpath:{}={options}", library.display());
        let outcome = beside(&jvm, &scratch, &other, order, lucce).go();
        ended(&outcome, order, lucce);
        let counters = outcome.counters();
        assert!(counters.figure("events") > 0, "no allocation was sampled, {order:?}\n{counters}");
        let profile = fs::read_to_string(&profile).unwrap_or_else(|e| panic!("no profile: {e}\n{outcome}"));
        let whole = profile.lines().any(|line| line.contains("hazards/Beside.main;hazards/Beside.busy"));
        assert!(whole, "no stack of the program, {order:?}\n{profile}");
    }
}

#[test]
fn async_profiler_writes_its_profile_on_17() {
    async_profiler(17, "verify=20,alloc=64k");
}

#[test]
fn async_profiler_writes_its_profile_on_25() {
    async_profiler(25, "verify=20,alloc=64k");
}

#[test]
fn async_profiler_writes_its_profile_where_methods_sleep_on_11_and_21() {
    async_profiler(11, USUAL);
    async_profiler(21, USUAL);
}

/// Mockito changes the JDK's own classes when the first of them is mocked: methods and constructors
/// that Lucce knew to call nothing.
fn mockito(feature: u32, lucce: &str) {
    let Some(jvm) = Jvm::of(feature) else { return };
    let scratch = Scratch::new("mockito", feature);
    let jars = ["mockito", "byte-buddy", "byte-buddy-agent", "objenesis"].map(|jar| place().jar(jar));
    let class_path = [place().set("programs")].into_iter().chain(jars).collect();
    let outcome = Run::new(&jvm, "programs.Mocked", class_path).within(&scratch).agent(lucce).go();
    assert!(outcome.success(), "{lucce}\n{outcome}");
    assert_eq!(outcome.stdout.trim(), "mocked 35", "{lucce}\n{outcome}");
    let counters = outcome.verified();
    assert!(counters.counter("methods.guarded") > 70, "{lucce}\n{counters}");
}

#[test]
fn mockito_mocks_classes_of_the_jdk_on_17() {
    mockito(17, "include=programs.*:org.mockito.*,verify=1");
}

#[test]
fn mockito_mocks_classes_of_the_jdk_on_25() {
    mockito(25, "include=programs.*:org.mockito.*,verify=1000000,hooks=all");
}
