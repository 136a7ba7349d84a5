//! Each event of a log decodes to the stack it happened on, whatever was renumbered, cut or
//! captured in between.
//!
//! Invariant: the explicit stack of `common::Program` is the oracle.
//! Source: ARCHITECTURE ("The contract").

mod common;

use std::sync::Arc;

use common::{Program, header, profile};
use lucce_decoder::{Contexts, Group, Log, Reason, Trace, TraceEnd, TraceFrame, ranking};
use lucce_encoding::Passage;
use lucce_log::Record;
use lucce_words::{APPENDED, Lost, NodeId, SiteId, Word};

/// What the sites of an expected trace read as.
fn sites_of(log: &Log, trace: &Trace<'_>) -> Vec<(String, String, u16)> {
    let _ = log;
    let instrumented = trace.frames.iter().filter(|frame| !frame.walked);
    instrumented.map(|frame| (frame.class.into(), frame.desc.into(), frame.bci.expect("an index").0)).collect()
}

fn reading(log: &Log, sites: &[SiteId]) -> Vec<(String, String, u16)> {
    sites
        .iter()
        .map(|&site| {
            let (site, method, class) = log.names().place(site).expect("named");
            (class.name.to_string(), method.desc.to_string(), site.bci.0)
        })
        .collect()
}

fn read(program: &Program) -> Log {
    Log::read(&program.file().0, |_| {}).expect("a log")
}

#[test]
fn every_event_of_random_programs_decodes_to_its_stack() {
    let (mut events, mut chained, mut versions) = (0, 0, 0);
    for seed in 1..120 {
        let program = common::random(seed * 0x9E37_79B9, 2 + seed as usize % 14, 600, 5);
        let log = read(&program);
        assert!(log.is_complete(), "seed {seed}: {:?}", log.loss());
        assert_eq!(log.events().len(), program.expected.len());
        let mut contexts = Contexts::new(&log);
        for (event, expected) in log.events().iter().zip(&program.expected) {
            let trace = contexts.trace(&event.place);
            assert_eq!(trace.end, TraceEnd::Root, "seed {seed}, event {}", event.seq);
            assert_eq!(sites_of(&log, &trace), reading(&log, &expected.sites), "seed {seed}, event {}", event.seq);
            assert_eq!(trace, log.context(event));
            events += 1;
            chained += usize::from(event.place.chain != NodeId(0));
        }
        versions = versions.max(log.versions().count());
    }
    // The programs do reach what this test is about.
    assert!(events > 1_000 && chained > 100 && versions > 3, "{events} events, {chained} chained, {versions} versions");
}

#[test]
fn equal_contexts_are_one_across_versions_and_captures() {
    let mut program = Program::default();
    let run = program.method("a/A", "run", "()V");
    let get = program.method("a/B", "get", "()I");
    let (call, at) = (program.site(run, 3, Some(1)), program.site(get, 0, Some(2)));
    let mut stack = Vec::new();
    program.call(&mut stack, SiteId::ROOT, run, Passage::Plain);
    program.call(&mut stack, call, get, Passage::Plain);
    program.event(&mut stack, at, ("mark", 1), None, Vec::new());
    program.captured_event(&mut stack, at, ("mark", 10));
    program.renumber();
    let mut again = Vec::new();
    program.call(&mut again, SiteId::ROOT, run, Passage::Plain);
    program.call(&mut again, call, get, Passage::Restoring);
    program.event(&mut again, at, ("mark", 100), None, Vec::new());
    let log = read(&program);
    let words: Vec<Word> = log.events().iter().map(|event| event.place.word).collect();
    assert!(words[0] != words[2] && words[1] == Word::NONE);
    let profile = profile(&log);
    let found = ranking(&profile, Group::Context);
    let rows = found.iter().flat_map(|ranking| &ranking.rows);
    let sums: Vec<(i128, u64, &str)> = rows.map(|row| (row.value, row.events, profile.context(row.first))).collect();
    assert_eq!(sums, [(111, 3, "c0")]);
}

#[test]
fn recursion_a_hundred_thousand_deep_decodes() {
    let mut program = Program::default();
    let run = program.method("a/A", "run", "()V");
    let (call, at) = (program.site(run, 3, Some(1)), program.site(run, 9, Some(2)));
    let mut stack = Vec::new();
    for _ in 0..100_000 {
        program.call(&mut stack, call, run, Passage::Plain);
    }
    program.event(&mut stack, at, ("mark", 1), None, Vec::new());
    let log = read(&program);
    let trace = log.context(&log.events()[0]);
    assert_eq!((trace.frames.len(), trace.end), (100_000, TraceEnd::Root));
    assert_eq!((trace.frames[0].line, trace.frames[99_999].line), (Some(2), Some(1)));
}

#[test]
fn via_stands_on_the_frame_that_was_called_back() {
    let mut program = Program::default();
    let run = program.method("a/A", "run", "()V");
    let back = program.method("a/A", "lambda", "()V");
    let (call, at) = (program.site(run, 3, Some(1)), program.site(back, 0, None));
    let mut stack = Vec::new();
    program.call(&mut stack, SiteId::ROOT, run, Passage::Plain);
    program.call(&mut stack, call, back, Passage::Restoring);
    let edge = lucce_words::EdgeId(1);
    program.record(Record::Via { edge, frames: vec!["java.util.ArrayList.forEach".into()] });
    program.event(&mut stack, at, ("mark", 1), None, common::walked());
    let log = read(&program);
    let trace = log.context(&log.events()[0]);
    let via: Vec<&[Arc<str>]> = trace.frames.iter().map(|frame| frame.via).collect();
    assert_eq!(via, [&[][..], &[], &["java.util.ArrayList.forEach".into()], &[]]);
    let walked = TraceFrame {
        class: "java.util.ArrayList",
        method: "grow",
        desc: "(I)V",
        file: None,
        line: Some(237),
        bci: None,
        via: &[],
        walked: true,
        native: false,
    };
    assert_eq!(trace.frames[0], walked);
    assert_eq!((trace.frames[2].file, trace.frames[2].line), (Some("A.java"), None));
}

#[test]
fn a_lost_context_keeps_its_innermost_frame_and_says_why() {
    let mut program = Program::default();
    let run = program.method("a/A", "run", "()V");
    let at = program.site(run, 3, Some(1));
    let lost = Word::lost(Lost::Memory);
    program.push_event(vec![], (lost, at, NodeId(0), NodeId(0)), ("mark", 1), None, Vec::new());
    program.push_event(vec![], (lost, SiteId::UNKNOWN, NodeId(0), NodeId(0)), ("mark", 1), None, Vec::new());
    program.push_event(vec![], (Word::NONE, SiteId::UNKNOWN, NodeId(0), NodeId(0)), ("mark", 1), None, Vec::new());
    program.push_event(vec![], (Word(7), SiteId::ROOT, NodeId(0), NodeId(0)), ("mark", 1), None, Vec::new());
    let log = read(&program);
    let traces: Vec<(usize, TraceEnd)> =
        log.events().iter().map(|event| log.context(event)).map(|trace| (trace.frames.len(), trace.end)).collect();
    let lost = TraceEnd::Unknown(Reason::Lost(Lost::Memory));
    assert_eq!(traces, [(1, lost), (0, lost), (0, TraceEnd::Unknown(Reason::NoContext)), (0, TraceEnd::Root)]);
    let stats = lucce_decoder::Stats::new(&log, &mut Contexts::new(&log));
    assert_eq!((stats.counts.decoded_events, stats.counts.lost_events, stats.counts.undecodable_events), (1, 3, 0));
}

#[test]
fn a_chained_word_with_the_wrong_chain_is_unknown() {
    let mut program = Program::default();
    let run = program.method("a/A", "run", "()V");
    let (one, two) = (program.site(run, 3, Some(1)), program.site(run, 9, Some(2)));
    let mut stack = Vec::new();
    program.call(&mut stack, SiteId::ROOT, run, Passage::Plain);
    program.call(&mut stack, one, run, Passage::Plain);
    program.event(&mut stack, two, ("mark", 1), None, Vec::new());
    program.captured_event(&mut stack, two, ("mark", 1));
    let place = program.expected[0].place;
    assert!(place.0.chained());
    // The captured context of event 1 is a node at another site than the cut edge's.
    let other = program.expected[1].place.3;
    for chain in [NodeId(0), other, NodeId(99)] {
        program.push_event(vec![], (place.0, place.1, chain, NodeId(0)), ("mark", 1), None, Vec::new());
    }
    let log = read(&program);
    for event in &log.events()[2..] {
        let trace = log.context(event);
        assert_eq!((trace.frames.len(), trace.end), (1, TraceEnd::Unknown(Reason::Chain)));
    }
}

#[test]
fn the_header_of_the_log_is_kept() {
    assert_eq!(read(&Program::default()).header(), Some(&header()));
}

#[test]
fn a_seeded_wrong_segment_is_seen_by_the_oracle() {
    let mut program = common::random(7, 8, 600, 5);
    let mut harmed = 0;
    for record in program.blocks.iter_mut().flatten() {
        if let Record::Segment { lo, len, .. } = record
            && *lo == APPENDED
            && *len > 1
        {
            *lo += 1;
            harmed += 1;
        }
    }
    assert!(harmed > 0);
    let log = read(&program);
    let same = |(event, expected): (&lucce_decoder::LoggedEvent, &common::Expected)| {
        let trace = log.context(event);
        trace.end == TraceEnd::Root && sites_of(&log, &trace) == reading(&log, &expected.sites)
    };
    assert!(!log.events().iter().zip(&program.expected).all(same));
}
