//! Writes a log of as many events as are wanted, to see what reading it takes: `large EVENTS FILE`,
//! or `large --apart EVENTS FILE` for allocations of which no two share context and thread.
//!
//! Invariant: the words are those of the real encoder, over calls of up to 30 frames with
//! recursion, in two versions; the records lie in blocks as the agent writes them. 20 000 contexts,
//! 16 threads. Numbers come from a fixed sequence.
//! Source: docs/FORMAT.md.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Error, Write};
use std::sync::Arc;

use lucce_encoding::{Change, Encoder, LinkKind, Passage};
use lucce_log::{Composer, Header, Owner, Record, encode_header};
use lucce_words::{Bci, ClassId, MethodId, NodeId, SiteId, Word};

/// Bytes of one block, as in the agent.
const BLOCK: usize = 64 << 10;
const CONTEXTS: u64 = 20_000;
const THREADS: u64 = 16;
const CLASSES: usize = 200;
/// Methods call those of the next layer, and now and then one of an earlier layer.
const LAYERS: u32 = 30;
const METHODS_OF_LAYER: u32 = 60;
/// Sites of a method: calls, and the last one is that of its events.
const SITES: u32 = 4;

/// Where an event happens: word, site and chain.
type Place = (Word, SiteId, NodeId);

fn main() -> Result<(), Error> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let apart = arguments.first().is_some_and(|first| first == "--apart");
    if apart {
        arguments.remove(0);
    }
    let [events, file] = &arguments[..] else { return Err(Error::other("usage: large [--apart] EVENTS FILE")) };
    let events: u64 = events.parse().map_err(Error::other)?;
    let mut writing = Writing { out: BufWriter::new(File::create(file)?), composer: Composer::new(false) };
    let options = "alloc=512k,exceptions,locks".into();
    let header = Header { format: lucce_log::FORMAT, encoder: "lucce".into(), options, ..Header::default() };
    writing.out.write_all(&encode_header(&header))?;
    let mut program = PaperProgram::new();
    for id in 1..=THREADS as u32 {
        program.records.push(Record::Thread { id, name: format!("worker-{id}"), java_id: id.into() });
    }
    for (id, name) in [(1, "alloc"), (2, "monitor"), (3, "exception")] {
        program.records.push(Record::Kind { id, owner: Owner::Agent, name: name.into() });
    }
    let mut places = program.places();
    writing.push(&mut program)?;
    let classes: Vec<Arc<str>> = (0..CLASSES).map(|class| format!("shop/Class{class}").into()).collect();
    let mut random = Xorshift(88_172_645_463_325_252);
    let mut time_ns = 0;
    for event in 0..events {
        if event == events / 2 && !apart {
            program.encoder.renumber();
            program.journal();
            places = program.places();
            writing.push(&mut program)?;
        }
        // Few contexts have most of the events.
        let (some, other) = (random.below(CONTEXTS), random.below(CONTEXTS));
        let (context, thread) = if apart {
            (event / THREADS % CONTEXTS, event % THREADS)
        } else {
            (some * other / CONTEXTS, random.below(THREADS))
        };
        let kind = if apart { 1 } else { [1, 1, 1, 1, 1, 1, 1, 2, 2, 3][context as usize % 10] };
        let value = if kind == 3 { 1 } else { 16 + 8 * (random.below(64) * random.below(64)) as i64 };
        time_ns += random.below(2_000);
        let (word, site, chain) = places[context as usize];
        // A context has one kind and a class or two, as an instruction does.
        let class = Some(Arc::clone(&classes[(context as usize + usize::from(some == 0)) % CLASSES]));
        let (thread, node, walked) = (1 + thread as u32, NodeId(0), Default::default());
        writing.event(&Record::Event { time_ns, thread, kind, value, word, site, chain, class, walked, node })?;
    }
    writing.composer.push(&Record::End);
    writing.finish()?;
    writing.out.flush()
}

/// The file.
struct Writing {
    out: BufWriter<File>,
    composer: Composer,
}

impl Writing {
    /// Writes what the program has decided.
    fn push(&mut self, program: &mut PaperProgram) -> Result<(), Error> {
        program.records.drain(..).for_each(|record| self.composer.push(&record));
        self.finish()
    }

    fn event(&mut self, event: &Record) -> Result<(), Error> {
        self.composer.push(event);
        if self.composer.len() >= BLOCK { self.finish() } else { Ok(()) }
    }

    fn finish(&mut self) -> Result<(), Error> {
        self.composer.finish().iter().try_for_each(|block| self.out.write_all(block))
    }
}

/// A program that runs on paper.
struct PaperProgram {
    encoder: Encoder,
    records: Vec<Record>,
    nodes: HashMap<(NodeId, SiteId), NodeId>,
}

impl PaperProgram {
    /// All methods and sites, and no call yet.
    fn new() -> Self {
        let (encoder, nodes) = (Encoder::new(), HashMap::new());
        let mut program = Self { encoder, records: Vec::new(), nodes };
        for id in 1..=LAYERS * METHODS_OF_LAYER {
            let (class, name) = (ClassId(id), format!("shop/part{}/Service{id}", id % 40).into());
            program.records.push(Record::Class { id: class, name, source: Some("Service.java".into()), loader: 1 });
            let (method, name, desc) = (MethodId(id), format!("handle{}", id % 7).into(), "()V".into());
            program.encoder.add_method(method, false);
            program.records.push(Record::Method { id: method, class, name, desc, access: 1, huge: false });
            for nth in 0..SITES {
                let id = site(method, nth);
                program.encoder.add_site(id, method);
                let [owner, name, desc] = ["x/Y", "z", "()V"].map(Into::into);
                let (bci, line) = (Bci(4 * nth as u16), Some(10 + nth as u16));
                program.records.push(Record::Site { id, method, bci, line, kind: 1, owner, name, desc });
            }
        }
        program
    }

    /// Goes through all contexts. Each has its place.
    fn places(&mut self) -> Vec<Place> {
        let mut random = Xorshift(0x2545_F491_4F6C_DD1D);
        (0..CONTEXTS).map(|_| self.place(&mut random)).collect()
    }

    fn place(&mut self, random: &mut Xorshift) -> Place {
        let depth = 6 + random.below(24);
        let mut method = MethodId(1);
        let (mut word, mut sites, mut cut) =
            (self.enter(self.encoder.root_word(), SiteId::ROOT, method).0, Vec::new(), 0);
        for _ in 0..depth {
            let at = site(method, random.below(u64::from(SITES - 1)) as u32);
            let callee = callee(method, at);
            let (below, is_cut) = self.enter(word, at, callee);
            sites.push(at);
            (word, method) = (below, callee);
            if is_cut {
                cut = sites.len();
            }
        }
        self.journal();
        let mut chain = NodeId(0);
        if word.chained() {
            for &at in &sites[..cut] {
                let next = NodeId(self.nodes.len() as u32 + 1);
                let parent = chain;
                chain = *self.nodes.entry((parent, at)).or_insert(next);
                if chain == next {
                    self.records.push(Record::Node { id: chain, parent, site: at });
                }
            }
        }
        (word, site(method, SITES - 1), chain)
    }

    /// The word behind a call, and whether the call is cut.
    fn enter(&mut self, word: Word, at: SiteId, callee: MethodId) -> (Word, bool) {
        match self.encoder.enter(word, at, callee, Passage::Plain) {
            Ok(link) => (link.word, link.kind == LinkKind::Cut),
            Err(lost) => panic!("{lost:?}"),
        }
    }

    /// Records what the encoder has decided.
    fn journal(&mut self) {
        self.records.extend(self.encoder.take_changes().into_iter().map(|change| match change {
            Change::Edge { edge, site, callee } => Record::Edge { id: edge, site, callee },
            Change::Cut { edge } => Record::Cut { edge },
            Change::Unrolled { edge } => Record::Unrolled { edge },
            Change::Unloaded { method } => Record::Unloaded { method },
            Change::Segment { edge, version, lo, len, restoring, base } => {
                Record::Segment { edge, version, lo, len, restoring, base }
            }
            Change::CutNumber { edge, version, number } => Record::CutNumber { edge, version, number },
            Change::NewVersion { version, digest } => Record::NewVersion { version, digest },
        }));
    }
}

fn site(method: MethodId, nth: u32) -> SiteId {
    SiteId(SiteId::FIRST.0 + method.0 * SITES + nth)
}

/// What a site calls: it is always the same.
fn callee(method: MethodId, at: SiteId) -> MethodId {
    let layer = (method.0 - 1) / METHODS_OF_LAYER;
    let mut random = Xorshift((u64::from(at.0) * 0x9E37_79B9_7F4A_7C15) | 1);
    let back = random.below(20) == 0;
    let to = if back { random.below(u64::from(layer) + 1) as u32 } else { (layer + 1) % LAYERS };
    MethodId(1 + to * METHODS_OF_LAYER + random.below(METHODS_OF_LAYER.into()) as u32)
}

/// Xorshift.
struct Xorshift(u64);

impl Xorshift {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }
}
