//! Logs of `encoder=algorithm1`: the graph comes back with all its versions, traces need only their
//! nodes, and lost contexts say so.
//!
//! Source: docs/FORMAT.md, "Algorithm 1".

mod common;

use common::{Program, paper_record};
use lucce_decoder::{Contexts, Log, Reason, Stats, TraceEnd};
use lucce_encoding::algorithm1::{Algorithm1, Encoding};
use lucce_log::Record;
use lucce_words::{Lost, MethodId, NodeId, SiteId, Version, Word};

/// `main` calls itself from one site and `leaf` from another, each way twice; the encodings of
/// `leaf`, and the number of changes.
fn recursion(program: &mut Program) -> (Vec<Encoding<u64>>, usize) {
    let [main, leaf] = ["main", "leaf"].map(|name| program.method("app/Main", name, "()V"));
    let [again, call] = [3, 9].map(|bci| program.site(main, bci, Some(bci)));
    let mut graph = Algorithm1::<u64>::default();
    [again, call].into_iter().for_each(|site| graph.add_site(site, main));
    let mut leaves = Vec::new();
    let mut at = graph.root();
    for site in [SiteId::ROOT, again, again] {
        at = graph.update(site, main, &at).expect("a number");
        leaves.push(graph.update(call, leaf, &at).expect("a number"));
    }
    let events = graph.take_events();
    for event in &events {
        program.record(paper_record(event));
    }
    program.record(Record::Node { id: NodeId(1), parent: NodeId(0), site: call });
    for (word, node) in [(Word::NONE, NodeId(1)), (Word::lost(Lost::Overflow), NodeId(0))] {
        let kind = program.kind("point");
        program.record(Record::Event {
            time_ns: 1,
            thread: 1,
            kind,
            value: 1,
            word,
            site: call,
            chain: NodeId(0),
            class: None,
            walked: [].into(),
            node,
        });
    }
    program.record(Record::End);
    (leaves, events.len())
}

fn read(program: &Program) -> Log {
    Log::read(&program.file().0, |_| {}).expect("a log")
}

#[test]
fn the_graph_comes_back_with_every_version() {
    let mut program = Program::default();
    let (leaves, changes) = recursion(&mut program);
    let log = read(&program);
    let graph = log.paper().expect("a graph of Algorithm 1");
    assert_eq!(graph.version(), Version(changes as u32));
    for (depth, at) in leaves.iter().enumerate() {
        let decoded = graph.decode(MethodId(2), at);
        assert_eq!((decoded.end, decoded.frames.len()), (lucce_encoding::End::Root, depth + 2));
    }
    let stats = Stats::new(&log, &mut Contexts::new(&log));
    assert_eq!((stats.edges, stats.versions), (3, changes as u64));
    assert!(log.is_complete(), "{:?}", log.loss());
}

#[test]
fn a_trace_is_its_node_and_a_lost_context_says_why() {
    let mut program = Program::default();
    recursion(&mut program);
    let log = read(&program);
    let traces: Vec<_> = log.events().iter().map(|event| log.context(event)).collect();
    assert_eq!((traces[0].end, traces[0].frames.len()), (TraceEnd::Root, 1));
    assert_eq!((traces[1].end, traces[1].frames.len()), (TraceEnd::Unknown(Reason::Lost(Lost::Overflow)), 1));
}

#[test]
fn a_lost_change_is_counted_and_costs_no_trace() {
    let mut program = Program::default();
    let (_, changes) = recursion(&mut program);
    let block = program.blocks.iter_mut().find(|block| block.iter().any(is_edge)).expect("an edge");
    let at = block.iter().position(is_edge).expect("an edge");
    block.remove(at);
    let log = read(&program);
    assert_eq!(log.loss().records, changes as u64 - 1);
    assert_eq!(log.context(&log.events()[0]).end, TraceEnd::Root);
}

fn is_edge(record: &Record) -> bool {
    matches!(record, Record::PaperEdge { .. })
}
