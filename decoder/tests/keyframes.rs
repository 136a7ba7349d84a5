//! Keyframes and files of a run: damage ends at the next keyframe, and each file is decoded alone.
//!
//! Invariant: a trace is the program's own stack, or ends where what it needs is lost.
//! Source: docs/FORMAT.md, "Files and keyframes".

mod common;

use std::iter;

use common::{Program, header, random};
use lucce_decoder::{Contexts, Follow, Log, TraceEnd};
use lucce_log::{Composer, Header, Owner, Record, encode_header};
use lucce_words::{NodeId, SiteId, Word};

/// The events of a log whose traces are whole, with their sites, innermost first.
fn decoded(log: &Log) -> Vec<(u64, Vec<u16>)> {
    let mut contexts = Contexts::new(log);
    let traces = log.events().iter().map(|event| (event, contexts.trace(&event.place)));
    let whole = traces.filter(|(_, trace)| trace.end == TraceEnd::Root);
    whole
        .map(|(event, trace)| {
            let lines = trace.frames.iter().filter(|frame| !frame.walked).map(|frame| frame.line.unwrap_or(0) as u16);
            (event.time_ns, lines.collect())
        })
        .collect()
}

/// The blocks of a program, with a keyframe behind every `interval` of its batches, and where each
/// begins.
fn composed(program: &Program, interval: usize) -> (Vec<u8>, Vec<usize>) {
    let mut composer = Composer::new(true);
    let (mut bytes, mut starts) = (encode_header(&header()), Vec::new());
    for (at, batch) in program.blocks.iter().enumerate() {
        batch.iter().for_each(|record| composer.push(record));
        let mut blocks = composer.finish();
        if at % interval == interval - 1 {
            blocks.append(&mut composer.keyframe());
            blocks.extend(iter::from_fn(|| composer.repeated()));
        }
        for block in blocks {
            starts.push(bytes.len());
            bytes.extend(block);
        }
    }
    (bytes, starts)
}

fn programs() -> impl Iterator<Item = Program> {
    [3, 11, 29, 104].into_iter().map(|seed| random(seed, 24, 1500, 12))
}

#[test]
fn keyframes_change_nothing_in_a_whole_log() {
    for program in programs() {
        let plain = decoded(&Log::read(&program.file().0, |_| {}).expect("a log"));
        let (bytes, _) = composed(&program, 3);
        let log = Log::read(&bytes, |_| {}).expect("a log");
        assert!(log.is_complete(), "{:?}", log.loss());
        assert_eq!(decoded(&log), plain);
        assert_eq!(plain.len(), program.expected.len());
    }
}

#[test]
fn what_any_damaged_block_takes_away_the_next_keyframe_gives_back() {
    for program in programs() {
        let (bytes, starts) = composed(&program, 3);
        let all = decoded(&Log::read(&bytes, |_| {}).expect("a log"));
        let ends = starts.iter().skip(1).copied().chain([bytes.len()]);
        let spans: Vec<(usize, usize)> = starts.iter().copied().zip(ends).collect();
        // Behind the last keyframe nothing comes that would give it back.
        let last = starts.len() - 3;
        for &(start, end) in &spans[..last] {
            let mut damaged = bytes.clone();
            damaged[(start + end) / 2] ^= 0x55;
            let log = Log::read(&damaged, |_| {}).expect("a log");
            let left = decoded(&log);
            assert_eq!(left.len(), log.events().len(), "every event that is left is decoded: {:?}", log.damage());
            assert!(left.iter().all(|event| all.contains(event)), "and right");
            assert_eq!((log.damage().len(), log.loss().records, log.loss().versions), (1, 0, 0));
        }
    }
}

#[test]
fn lost_sums_are_counted_whatever_a_keyframe_gives_back() {
    let tally = |count| Record::Tally {
        kind: 1,
        node: NodeId(1),
        site: SiteId(0),
        word: Word::NONE,
        class: Some("a/B".into()),
        count,
        value: 8,
    };
    let kind = Record::Kind { id: 1, owner: Owner::Agent, name: "alloc".into() };
    let mut program = Program::default();
    program.blocks = vec![vec![kind, tally(1)], vec![tally(2)], vec![tally(4), Record::End]];
    let (bytes, starts) = composed(&program, 2);
    let counted = |bytes: &[u8]| {
        let log = Log::read(bytes, |_| {}).expect("a log");
        (log.events().iter().map(|event| event.count).sum::<u64>(), log.loss().records)
    };
    assert_eq!(counted(&bytes), (7, 0));
    // Behind the kind's block the first sum names the class. The second needs that, and no keyframe
    // says it again; those behind it name it anew.
    let mut damaged = bytes;
    damaged[starts[2] - 1] ^= 0x55;
    assert_eq!(counted(&damaged), (4, 1));
}

#[test]
fn each_file_of_a_run_is_decoded_alone_and_together_they_have_every_event() {
    for program in programs() {
        let plain = decoded(&Log::read(&program.file().0, |_| {}).expect("a log"));
        let mut composer = Composer::new(true);
        let mut files = vec![encode_header(&header())];
        for (at, batch) in program.blocks.iter().enumerate() {
            batch.iter().for_each(|record| composer.push(record));
            files.last_mut().expect("a file").extend(composer.finish().concat());
            if at + 1 < program.blocks.len() {
                composer.push(&Record::Rotated { next: format!("part-{}", at + 2) });
                files.last_mut().expect("a file").extend(composer.finish().concat());
                let header = Header { part: at as u32 + 2, ..header() };
                composer.next_file();
                let mut file = encode_header(&header);
                iter::from_fn(|| composer.repeated()).for_each(|block| file.extend(block));
                files.push(file);
            }
        }
        let mut together = Vec::new();
        for (at, bytes) in files.iter().enumerate() {
            let log = Log::read(bytes, |_| {}).expect("a log");
            assert!(log.is_complete(), "file {at}: {:?} {:?}", log.damage(), log.loss());
            assert_eq!(log.next().is_some(), at + 1 < files.len());
            assert_eq!(decoded(&log).len(), log.events().len());
            together.extend(decoded(&log));
        }
        assert_eq!(together, plain);
    }
}

#[test]
fn a_log_that_is_followed_gives_each_event_once_with_the_trace_that_it_has_at_the_end() {
    for program in programs() {
        let (bytes, _) = composed(&program, 4);
        let plain = decoded(&Log::read(&bytes, |_| {}).expect("a log"));
        let (mut follow, mut events) = (Follow::new(), Vec::new());
        for piece in bytes.chunks(333) {
            if let Some(log) = follow.grow(piece).expect("a log") {
                events.extend(decoded(log));
            }
        }
        assert_eq!(events, plain);
    }
}
