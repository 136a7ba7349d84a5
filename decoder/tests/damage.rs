//! Damage at every offset of a small log: no panic, no wrong trace, every event whose dependencies
//! survive decoded, the others counted.
//!
//! Invariant: dependencies are worked out here from the records themselves, not by the decoder.
//! Source: docs/FORMAT.md, "Damage".

mod common;

use std::collections::HashMap;
use std::sync::Arc;

use common::{Expected, Program};
use lucce_decoder::{Contexts, Log, LoggedEvent, Stats, Trace, TraceEnd, TraceFrame};
use lucce_encoding::{Below, Passage, Snapshot};
use lucce_log::Record;
use lucce_words::{EdgeId, MethodId, NodeId, SiteId, Version, Word};

/// A set of blocks, one bit each.
type Blocks = u64;

/// In which block each thing is defined.
#[derive(Default)]
struct Origins {
    strings: HashMap<Arc<str>, Blocks>,
    walks: HashMap<Arc<[lucce_log::WalkedFrame]>, Blocks>,
    methods: HashMap<MethodId, Blocks>,
    sites: HashMap<SiteId, Blocks>,
    edges: HashMap<EdgeId, Blocks>,
    nodes: HashMap<NodeId, (NodeId, SiteId, Blocks)>,
    /// Segments and cut numbers: version, edge, and the numbers at the callee.
    ranges: Vec<(Version, EdgeId, std::ops::Range<u64>, Blocks)>,
    /// All that the numbering of a version rests on.
    versions: HashMap<Version, Blocks>,
    classes: HashMap<lucce_words::ClassId, Blocks>,
}

impl Origins {
    fn new(program: &Program) -> Self {
        let mut origins = Self::default();
        let mut graph: Blocks = 0;
        for (at, block) in program.blocks.iter().enumerate() {
            let here: Blocks = 1 << at;
            for record in block {
                let strings: Vec<&Arc<str>> = match record {
                    Record::Class { name, source, .. } => [name].into_iter().chain(source).collect(),
                    Record::Method { name, desc, .. } => vec![name, desc],
                    Record::Site { owner, name, desc, .. } => vec![owner, name, desc],
                    Record::Event { class, walked, .. } => {
                        let walked = walked.iter().flat_map(|frame| [&frame.class, &frame.method, &frame.desc]);
                        class.iter().chain(walked).collect()
                    }
                    _ => vec![],
                };
                let mut needs = here;
                for string in strings {
                    needs |= *origins.strings.entry(string.clone()).or_insert(here);
                }
                match record {
                    Record::Class { id, .. } => _ = origins.classes.insert(*id, needs),
                    Record::Method { id, class, .. } => {
                        graph |= needs;
                        origins.methods.insert(*id, needs | origins.classes[class]);
                    }
                    Record::Site { id, .. } => {
                        graph |= needs;
                        origins.sites.insert(*id, needs);
                    }
                    Record::Edge { id, .. } => {
                        graph |= here;
                        origins.edges.insert(*id, here);
                    }
                    Record::Segment { edge, version, base, len, .. } => {
                        graph |= here;
                        origins.ranges.push((*version, *edge, *base..base + len, here));
                    }
                    Record::CutNumber { edge, version, number } => {
                        graph |= here;
                        origins.ranges.push((*version, *edge, *number..number + 1, here));
                    }
                    Record::Cut { .. } | Record::Unrolled { .. } => graph |= here,
                    Record::NewVersion { version, .. } => {
                        graph |= here;
                        origins.versions.insert(*version, graph);
                    }
                    Record::Node { id, parent, site } => _ = origins.nodes.insert(*id, (*parent, *site, here)),
                    Record::Event { walked, .. } if !walked.is_empty() => {
                        _ = origins.walks.entry(walked.clone()).or_insert(needs);
                    }
                    _ => {}
                }
            }
        }
        origins
    }

    fn name(&self, program: &Program, site: SiteId) -> Blocks {
        self.sites[&site] | self.methods[&program.sites[&site]]
    }

    fn captured(&self, program: &Program, mut node: NodeId) -> Blocks {
        let mut needs = 0;
        while node != NodeId(0) {
            let (parent, site, block) = self.nodes[&node];
            needs |= block | self.name(program, site);
            node = parent;
        }
        needs
    }

    /// The blocks without which this event cannot be decoded.
    fn of(&self, program: &Program, graph: &Snapshot, expected: &Expected, event: &Record) -> Blocks {
        let mut needs: Blocks = 1 << expected.block;
        if let Record::Event { class, walked, .. } = event {
            needs |= class.as_ref().map_or(0, |class| self.strings[class]);
            needs |= self.walks.get(walked).copied().unwrap_or(0);
        }
        let (mut word, site, chain, node) = expected.place;
        if node != NodeId(0) {
            return needs | self.captured(program, node);
        }
        needs |= self.name(program, site);
        let mut method = program.sites[&site];
        loop {
            needs |= self.versions.get(&word.version()).copied().unwrap_or(0);
            let edge = match graph.step(method, word).expect("a step") {
                Below::Root => return needs,
                Below::Caller { edge, .. } | Below::ShadowStack { edge, .. } => edge,
            };
            needs |= self.edges[&edge] | self.range(edge, word);
            needs |= self.methods[&method];
            match graph.step(method, word).expect("a step") {
                Below::Caller { site, caller, word: callers, .. } => {
                    if site != SiteId::ROOT {
                        needs |= self.name(program, site);
                    }
                    (method, word) = (caller, callers);
                }
                Below::ShadowStack { site, .. } => {
                    if site != SiteId::ROOT {
                        needs |= self.name(program, site);
                    }
                    return needs | self.captured(program, chain);
                }
                Below::Root => return needs,
            }
        }
    }

    /// The block of the segment that holds the number, if it is not one of the version's own.
    fn range(&self, edge: EdgeId, word: Word) -> Blocks {
        let mut ranges = self.ranges.iter();
        let found = ranges.find(|(version, of, numbers, _)| {
            *version == word.version() && *of == edge && numbers.contains(&word.number())
        });
        found.map_or(0, |(.., block)| *block)
    }
}

/// A log with its true traces and what each event depends on.
struct Subject {
    bytes: Vec<u8>,
    starts: Vec<usize>,
    whole: Log,
    needs: Vec<Blocks>,
}

impl Subject {
    fn new(program: &Program) -> Self {
        let (bytes, starts) = program.file();
        let whole = Log::read(&bytes, |_| {}).expect("a log");
        let origins = Origins::new(program);
        let graph = program.encoder.snapshot();
        let events = program.blocks.iter().flatten().filter(|record| matches!(record, Record::Event { .. }));
        let needs =
            program.expected.iter().zip(events).map(|(expected, event)| origins.of(program, &graph, expected, event));
        let needs = needs.collect();
        Self { bytes, starts, whole, needs }
    }

    /// What a reader of the damaged bytes gets is right, and is all that can be had without the
    /// blocks in `lost`.
    fn check(&self, damaged: &[u8], lost: Blocks, what: &str) -> Log {
        let log = Log::read(damaged, |_| {}).unwrap_or_else(|error| panic!("{what}: {error}"));
        let mut whole = Contexts::new(&self.whole);
        let mut contexts = Contexts::new(&log);
        for event in log.events() {
            let original = self.whole.event(event.seq).expect("an event of the whole log");
            let plain = |event: &LoggedEvent| (event.time_ns, event.value, event.place.word, event.place.site);
            assert_eq!(plain(event), plain(original), "{what}: event {}", event.seq);
            let (trace, truth) = (contexts.trace(&event.place), whole.trace(&original.place));
            assert!(agrees(&trace, &truth), "{what}: event {} decoded wrongly:\n{trace:?}\n{truth:?}", event.seq);
        }
        for (seq, needs) in self.needs.iter().enumerate() {
            if needs & lost == 0 {
                let event = log.event(seq as u64).unwrap_or_else(|| panic!("{what}: event {seq} is gone"));
                let end = contexts.trace(&event.place).end;
                assert_eq!(end, TraceEnd::Root, "{what}: event {seq} needs {needs:b}, lost are {lost:b}");
            }
        }
        log
    }
}

/// The trace is the true one, or its innermost part with "unknown here".
fn agrees(trace: &Trace<'_>, truth: &Trace<'_>) -> bool {
    // Notes are outside the exactness contract.
    fn bare<'a>(trace: &Trace<'a>) -> Vec<TraceFrame<'a>> {
        trace.frames.iter().map(|frame| TraceFrame { via: &[], ..frame.clone() }).collect()
    }
    match trace.end {
        TraceEnd::Root => trace.end == truth.end && bare(trace) == bare(truth),
        TraceEnd::Unknown(reason) => reason.is_damage() && bare(truth).starts_with(&bare(trace)),
    }
}

fn subject() -> Subject {
    // Two versions in a small log of eight blocks.
    let seed = (1..500).find(|&seed| {
        let program = common::random(seed, 6, 160, 8);
        let chained = program.expected.iter().any(|expected| expected.place.2 != NodeId(0));
        program.encoder.version() == Version(2) && program.expected.len() > 20 && chained
    });
    Subject::new(&common::random(seed.expect("a program with two versions and chains"), 6, 160, 8))
}

#[test]
fn a_flipped_bit_anywhere_costs_only_what_depends_on_its_block() {
    let subject = subject();
    let total = subject.whole.events().len() as u64;
    let mut decoded_despite = 0;
    for at in 0..subject.bytes.len() {
        let hit = subject.starts.iter().rposition(|&start| at >= start);
        let lost = hit.map_or(0, |block| 1 << block);
        // One bit of each byte decodes every event; the crate `lucce-log` flips all eight.
        let mut damaged = subject.bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        let log = subject.check(&damaged, lost, &format!("flip at {at}"));
        assert!(!log.is_complete());
        let stats = Stats::new(&log, &mut Contexts::new(&log));
        assert_eq!(stats.counts.lost_events, 0);
        // Behind the last block nobody knows what was there.
        if hit != Some(subject.starts.len() - 1) {
            assert_eq!(
                stats.counts.decoded_events + stats.counts.undecodable_events,
                total,
                "flip at {at}: {:?}",
                log.loss()
            );
        }
        decoded_despite += stats.counts.decoded_events;
    }
    let all = total * subject.bytes.len() as u64;
    assert!(decoded_despite > all / 4, "{decoded_despite} of {all}: too little survives for a test");
}

#[test]
fn a_log_cut_anywhere_decodes_up_to_its_last_whole_block() {
    let subject = subject();
    for end in 8..subject.bytes.len() {
        let whole = subject.starts.iter().skip(1).chain([&subject.bytes.len()]).filter(|&&next| next <= end).count();
        let log = subject.check(&subject.bytes[..end], Blocks::MAX << whole, &format!("cut at {end}"));
        assert!(!log.ended());
        assert!(!log.is_complete());
        let mut contexts = Contexts::new(&log);
        assert!(log.events().iter().all(|event| contexts.trace(&event.place).end == TraceEnd::Root), "cut at {end}");
    }
}

#[test]
fn any_set_of_missing_blocks_costs_only_what_depends_on_them() {
    for seed in 1..20 {
        let program = common::random(seed * 31, 8, 300, 7);
        let subject = Subject::new(&program);
        let ends = subject.starts.iter().skip(1).copied().chain([subject.bytes.len()]);
        let spans: Vec<_> = subject.starts.iter().copied().zip(ends).collect();
        for lost in 1..1_u64 << spans.len() {
            if !lost.is_multiple_of(seed % 5 + 1) {
                continue;
            }
            let mut damaged = subject.bytes[..subject.starts[0]].to_vec();
            for (at, &(start, end)) in spans.iter().enumerate() {
                if lost & 1 << at == 0 {
                    damaged.extend(&subject.bytes[start..end]);
                }
            }
            subject.check(&damaged, lost, &format!("seed {seed}, without {lost:b}"));
        }
    }
}

#[test]
fn a_keyframe_ends_what_lost_records_of_the_graph_have_cost() {
    let mut program = Program::default();
    let methods = ["a", "b", "c"].map(|name| program.method("p/C", name, "()V"));
    let [a, b, c] = methods.map(|method| program.site(method, 0, Some(1)));
    let mut stack = Vec::new();
    program.next_block();
    program.call(&mut stack, SiteId::ROOT, methods[0], Passage::Plain);
    program.event(&mut stack, a, ("mark", 1), None, Vec::new());
    program.next_block();
    program.renumber();
    program.call(&mut stack, a, methods[1], Passage::Plain);
    program.event(&mut stack, b, ("mark", 1), None, Vec::new());
    program.next_block();
    program.keyframe();
    program.call(&mut stack, b, methods[2], Passage::Plain);
    program.event(&mut stack, c, ("mark", 1), None, Vec::new());
    program.record(Record::End);
    let (bytes, starts) = program.file();
    let whole = Log::read(&bytes, |_| {}).expect("a log");
    assert!(whole.is_complete(), "what a keyframe repeats is no damage: {:?}", whole.loss());
    for lost in [1, 2] {
        let damaged = [&bytes[..starts[lost]], &bytes[starts[lost + 1]..]].concat();
        let log = Log::read(&damaged, |_| {}).expect("a log");
        let last = log.event(2).expect("the last event");
        assert_eq!(log.context(last), whole.context(whole.event(2).expect("the last event")), "without block {lost}");
    }
}
