//! Numbers of any size, as only a hostile log has them: sums stay the largest number, none is
//! negative or small.
//!
//! Invariant: whatever a header, a block's head or a counter says, reading and printing end without
//! a panic.
//! Source: docs/FORMAT.md, "Header", "Blocks" and "Records".

mod common;

use common::shell::{folder, run, run_in, text};
use common::{Program, header};
use lucce_decoder::{Contexts, Group, Log, Stats, ranking};
use lucce_log::{Header, Record, encode_header};

/// A run with two sampled allocations in one context, and these counters.
fn program(counters: &[&str]) -> Program {
    let (mut program, mut stack, at) = Program::running("make");
    for _ in 0..2 {
        program.event(&mut stack, at, ("alloc", 16), Some("[B"), Vec::new());
    }
    let values = counters.iter().map(|&name| (name.to_owned(), u64::MAX)).collect();
    program.record(Record::Counters { values });
    program
}

/// Its log with these options in the header.
fn with_options(options: &str) -> Log {
    let (bytes, starts) = program(&[]).file();
    let header = encode_header(&Header { options: options.into(), ..header() });
    Log::read(&[header, bytes[starts[0]..].to_vec()].concat(), |_| {}).expect("a log")
}

#[test]
fn the_interval_of_samples_is_read_as_the_agent_reads_it() {
    for (options, interval) in [
        ("alloc=512", Some(512.0)),
        ("alloc=512K", Some(524_288.0)),
        ("alloc=2147483647", Some(2_147_483_647.0)),
        ("leaks", Some(131_072.0)),
        ("leaks=1m", Some(1_048_576.0)),
        ("alloc=1e38", None),
        ("alloc=1.5k", None),
        ("alloc=inf", None),
        ("alloc=nan", None),
        ("alloc=0", None),
        ("alloc=2g", None),
        ("alloc=2147483648", None),
        ("alloc=18446744073709551615g", None),
        ("alloc=all", None),
        ("alloc=1kk", None),
        ("alloc=", None),
    ] {
        let log = with_options(options);
        assert_eq!(log.sampling_interval(), interval, "{options}");
        let profile = common::profile(&log);
        let value = ranking(&profile, Group::Context)[0].rows[0].value;
        assert!(value >= 32, "{options}: {value}");
    }
}

#[test]
fn events_that_a_head_claims_are_no_more_than_can_be_counted() {
    let (mut bytes, starts) = program(&[]).file();
    // As many events before the block as there can be, and more in it than it holds.
    let block = &mut bytes[starts[0]..];
    block[24..32].copy_from_slice(&(u64::MAX - 10).to_le_bytes());
    block[32..36].copy_from_slice(&100_u32.to_le_bytes());
    let checksum = crc32fast::hash(&block[8..]).to_le_bytes();
    block[4..8].copy_from_slice(&checksum);
    let log = Log::read(&bytes, |_| {}).expect("a log");
    assert_eq!(log.loss().events, u64::MAX);
    assert_eq!(Stats::new(&log, &mut Contexts::new(&log)).counts.undecodable_events, u64::MAX);
}

#[test]
fn shares_of_counters_of_any_size_are_told() {
    let counters = ["alloc.events", "alloc.dropped", "alloc.lost", "alloc.outside", "cpu.dropped", "cpu.lost"];
    let most = "18 446 744 073 709 551 615";
    let output = run("sums-sources", &program(&counters).file().0, &[]);
    assert!(output.status.code() == Some(3), "{output:?}");
    for (test, counters, line) in [
        ("sums-doctor", &counters[..], format!("alloc: {most} of {most} events (100.0 %) dropped")),
        ("sums-all", &["events", "events.dropped"], format!("events: {most} of {most} events (100.0 %) dropped")),
    ] {
        let bytes = program(counters).file().0;
        let output = run_in(&folder(test, &bytes), &["doctor", "events.log"]);
        assert!(text(&output.stdout).contains(&line), "{output:?}");
    }
}
