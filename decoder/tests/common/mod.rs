//! A program that runs on paper: threads with explicit stacks, encoded by the real encoder and
//! written by the real writer.
//!
//! Invariant: the explicit stack is the truth; nothing here decodes.
//! Source: docs/design/thread-state.md, docs/design/log-files.md ("Write-ahead").

#![allow(dead_code, reason = "each test uses its part")]

pub mod shell;

use std::collections::HashMap;

use lucce_decoder::Log;
use lucce_decoder::export::{Gathered, Profile};
use lucce_encoding::algorithm1::HistoryEvent;
use lucce_encoding::{Change, Encoder, LinkKind, Passage};
use lucce_log::{BlockBuilder, Header, Owner, Record, WalkedFrame, encode_header};
use lucce_words::random::Random;
use lucce_words::{Bci, ClassId, MethodId, NodeId, SiteId, Word};

/// One activation: what the thread's shadow stack held when it was entered, and where it stands.
#[derive(Clone, Debug)]
pub struct Activation {
    pub method: MethodId,
    pub word: Word,
    /// The site of this activation that is being executed.
    pub site: SiteId,
    /// It was entered through a cut.
    pub cut: bool,
}

/// What an event's trace has to be: sites, innermost first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    pub sites: Vec<SiteId>,
    pub place: (Word, SiteId, NodeId, NodeId),
    pub block: usize,
}

pub struct Program {
    pub encoder: Encoder,
    pub blocks: Vec<Vec<Record>>,
    pub expected: Vec<Expected>,
    pub sites: HashMap<SiteId, MethodId>,
    methods: u32,
    classes: HashMap<String, ClassId>,
    nodes: HashMap<(NodeId, SiteId), NodeId>,
    kinds: Vec<String>,
    pub time_ns: u64,
}

impl Default for Program {
    fn default() -> Self {
        Self {
            encoder: Encoder::new(),
            blocks: vec![vec![Record::Thread { id: 1, name: "main".into(), java_id: 1 }]],
            expected: Vec::new(),
            sites: HashMap::new(),
            methods: 0,
            classes: HashMap::new(),
            nodes: HashMap::new(),
            kinds: Vec::new(),
            time_ns: 0,
        }
    }
}

/// The record of a change of Algorithm 1's graph.
pub fn paper_record(event: &HistoryEvent<u64>) -> Record {
    match *event {
        HistoryEvent::Edge { version, site, callee } => Record::PaperEdge { version, site, callee },
        HistoryEvent::Contexts { version, method, contexts } => Record::PaperContexts { version, method, contexts },
        HistoryEvent::LastVersion { version, method, last } => Record::PaperLastVersion { version, method, last },
    }
}

pub fn header() -> Header {
    Header {
        labels: Default::default(),
        format: lucce_log::FORMAT,
        run_id: 0xC0FF_EE00_1234_5678,
        agent: "lucce 0.1.0".into(),
        jvm: "OpenJDK 64-Bit Server VM 25.0.1+8".into(),
        options: "file=events.log,alloc=512k,verify=1000".into(),
        pid: 4711,
        host: "build-7".into(),
        start_unix_ns: 1_763_672_861_500_000_000,
        encoder: "lucce".into(),
        part: 0,
        inode: 0,
        born: 0,
    }
}

impl Program {
    /// One in whose thread a method of this name runs, `a/A.<name>()V`: its stack, and the place in
    /// it, in line 1.
    pub fn running(name: &str) -> (Self, Vec<Activation>, SiteId) {
        let mut program = Self::default();
        let method = program.method("a/A", name, "()V");
        let at = program.site(method, 0, Some(1));
        let mut stack = Vec::new();
        program.call(&mut stack, SiteId::ROOT, method, Passage::Plain);
        (program, stack, at)
    }

    pub fn record(&mut self, record: Record) {
        self.blocks.last_mut().expect("a block").push(record);
    }

    pub fn next_block(&mut self) {
        self.blocks.push(Vec::new());
    }

    /// A method `pkg/Cls.name(desc)`; its class is defined on first use.
    pub fn method(&mut self, class: &str, name: &str, desc: &str) -> MethodId {
        let next = ClassId(self.classes.len() as u32 + 1);
        let id = *self.classes.entry(class.into()).or_insert(next);
        if id == next {
            let simple = class.rsplit(['/', '$']).next().unwrap_or(class);
            let source = (simple != "Generated").then(|| format!("{simple}.java").into());
            self.record(Record::Class { id, name: class.into(), source, loader: 1 });
        }
        self.methods += 1;
        let method = MethodId(self.methods);
        self.encoder.add_method(method, name == "<init>");
        let (name, desc) = (name.into(), desc.into());
        self.record(Record::Method { id: method, class: id, name, desc, access: 1, huge: false });
        method
    }

    pub fn site(&mut self, method: MethodId, bci: u16, line: Option<u16>) -> SiteId {
        let site = SiteId(SiteId::FIRST.0 + self.sites.len() as u32);
        self.sites.insert(site, method);
        self.encoder.add_site(site, method);
        let [owner, name, desc] = ["x/Y", "z", "()V"].map(Into::into);
        self.record(Record::Site { id: site, method, bci: Bci(bci), line, kind: 1, owner, name, desc });
        site
    }

    /// Enters `callee` from the top of the stack, which stands at `site`; an empty stack is the
    /// thread's base.
    pub fn call(&mut self, stack: &mut Vec<Activation>, site: SiteId, callee: MethodId, passage: Passage) {
        let ctx = match stack.last_mut() {
            Some(top) => {
                top.site = site;
                top.word
            }
            None => self.encoder.root_word(),
        };
        let site = if stack.is_empty() { SiteId::ROOT } else { site };
        let link = self.encoder.enter(ctx, site, callee, passage).expect("a link");
        self.journal();
        stack.push(Activation {
            method: callee,
            word: link.word,
            site: SiteId::UNKNOWN,
            cut: link.kind == LinkKind::Cut,
        });
    }

    /// Writes what the encoder decided.
    pub fn journal(&mut self) {
        let changes = self.encoder.take_changes();
        self.changes(changes);
    }

    /// Repeats the graph and its current version.
    pub fn keyframe(&mut self) {
        let changes = self.encoder.snapshot().keyframe().collect();
        self.changes(changes);
    }

    fn changes(&mut self, changes: Vec<Change>) {
        for change in changes {
            self.record(match change {
                Change::Edge { edge, site, callee } => Record::Edge { id: edge, site, callee },
                Change::Cut { edge } => Record::Cut { edge },
                Change::Unrolled { edge } => Record::Unrolled { edge },
                Change::Unloaded { method } => Record::Unloaded { method },
                Change::Segment { edge, version, lo, len, restoring, base } => {
                    Record::Segment { edge, version, lo, len, restoring, base }
                }
                Change::CutNumber { edge, version, number } => Record::CutNumber { edge, version, number },
                Change::NewVersion { version, digest } => Record::NewVersion { version, digest },
            });
        }
    }

    pub fn renumber(&mut self) {
        self.encoder.renumber();
        self.journal();
    }

    /// The captured context of the frames given by their sites, outermost first.
    pub fn node(&mut self, sites: &[SiteId]) -> NodeId {
        let mut node = NodeId(0);
        for &site in sites {
            let next = NodeId(self.nodes.len() as u32 + 1);
            let parent = node;
            node = *self.nodes.entry((parent, site)).or_insert(next);
            if node == next {
                self.record(Record::Node { id: node, parent, site });
            }
        }
        node
    }

    /// A kind by its label.
    pub fn kind(&mut self, name: &str) -> u32 {
        if let Some(at) = self.kinds.iter().position(|known| known == name) {
            return at as u32 + 1;
        }
        self.kinds.push(name.into());
        let id = self.kinds.len() as u32;
        let (owner, name) = match name.strip_prefix("program:") {
            Some(programs) => (Owner::Program, programs),
            None => (Owner::of_name(name), name),
        };
        self.record(Record::Kind { id, owner, name: name.into() });
        id
    }

    /// An event at `site` in the top activation.
    pub fn event(
        &mut self,
        stack: &mut [Activation],
        site: SiteId,
        what: (&str, i64),
        class: Option<&str>,
        walked: Vec<WalkedFrame>,
    ) {
        let top = stack.last_mut().expect("an activation");
        top.site = site;
        let word = top.word;
        let sites: Vec<SiteId> = stack.iter().map(|activation| activation.site).collect();
        let topmost = stack.iter().rposition(|activation| activation.cut);
        let chain = match topmost {
            Some(at) if word.chained() => self.node(&sites[..at]),
            _ => NodeId(0),
        };
        self.push_event(sites, (word, site, chain, NodeId(0)), what, class, walked);
    }

    /// An event in a captured context: that of the whole stack.
    pub fn captured_event(&mut self, stack: &mut [Activation], site: SiteId, what: (&str, i64)) {
        stack.last_mut().expect("an activation").site = site;
        let sites: Vec<SiteId> = stack.iter().map(|activation| activation.site).collect();
        let node = self.node(&sites);
        self.push_event(sites, (Word::NONE, SiteId::UNKNOWN, NodeId(0), node), what, None, Vec::new());
    }

    /// An event whose word and site are given.
    pub fn push_event(
        &mut self,
        mut sites: Vec<SiteId>,
        place: (Word, SiteId, NodeId, NodeId),
        (kind, value): (&str, i64),
        class: Option<&str>,
        walked: Vec<WalkedFrame>,
    ) {
        let kind = self.kind(kind);
        self.time_ns += 1_500_000;
        sites.reverse();
        self.expected.push(Expected { sites, place, block: self.blocks.len() - 1 });
        let (word, site, chain, node) = place;
        let class = class.map(Into::into);
        let (time_ns, walked) = (self.time_ns, walked.into());
        self.record(Record::Event { time_ns, thread: 1, kind, value, word, site, chain, class, walked, node });
    }

    /// The file, and where each block begins.
    pub fn file(&self) -> (Vec<u8>, Vec<usize>) {
        self.file_with(&header())
    }

    /// The same with this header.
    pub fn file_with(&self, header: &Header) -> (Vec<u8>, Vec<usize>) {
        let mut builder = BlockBuilder::new();
        let mut bytes = encode_header(header);
        let mut starts = Vec::new();
        for (seq, block) in self.blocks.iter().enumerate() {
            block.iter().for_each(|record| builder.push(record));
            starts.push(bytes.len());
            bytes.extend(builder.finish(seq as u64));
        }
        (bytes, starts)
    }
}

/// The sums of a log that was read whole.
pub fn profile(log: &Log) -> Profile {
    let (mut profile, mut gathered) = (Profile::new(false), Gathered::new());
    gathered.extend(log, log.events());
    profile.add(log, gathered, "");
    profile
}

pub fn walked() -> Vec<WalkedFrame> {
    let frame = |class: &str, method: &str, line| WalkedFrame {
        class: class.into(),
        method: method.into(),
        desc: "(I)V".into(),
        line,
    };
    vec![frame("java/util/ArrayList", "grow", Some(237)), frame("java/util/Vector", "add", None)]
}

/// A random program over a random graph with recursion: `steps` calls, returns, events and
/// renumberings.
pub fn random(seed: u64, methods: usize, steps: usize, blocks: usize) -> Program {
    let mut random = Random::new(seed);
    let mut program = Program::default();
    let mut graph: Vec<(MethodId, Vec<SiteId>)> = Vec::new();
    let mut stacks: Vec<Vec<Activation>> = vec![Vec::new(), Vec::new()];
    for step in 0..steps {
        if step > 0 && step % (steps / blocks).max(1) == 0 {
            program.next_block();
        }
        if graph.len() < methods && (graph.is_empty() || random.index(6) == 0) {
            let (class, name) = (random.index(3), ["run", "<init>", "get"][random.index(3)]);
            let method = program.method(&format!("p/C{class}"), name, &format!("(I{})V", "J".repeat(graph.len())));
            let sites = (0..1 + random.index(3) as u16).map(|at| program.site(method, at * 4, Some(at + 10))).collect();
            graph.push((method, sites));
        }
        let thread = random.index(stacks.len());
        let stack = &mut stacks[thread];
        let here = stack.last().and_then(|top| graph.iter().find(|(method, _)| *method == top.method));
        let site = here.map_or(SiteId::ROOT, |(_, sites)| sites[random.index(sites.len())]);
        match random.index(12) {
            0..5 if stack.len() < 40 => {
                let callee = graph[random.index(graph.len())].0;
                let passage = if random.index(4) == 0 { Passage::Restoring } else { Passage::Plain };
                program.call(stack, site, callee, passage);
            }
            5..8 => {
                stack.pop();
            }
            8 if !stack.is_empty() && random.index(4) == 0 => program.captured_event(stack, site, ("mark", 1)),
            8..11 if !stack.is_empty() => {
                let walked = if random.index(3) == 0 { walked() } else { Vec::new() };
                program.event(stack, site, ("alloc", 16 + random.index(100) as i64), Some("[B"), walked);
            }
            11 if random.index(8) == 0 => program.renumber(),
            _ => {}
        }
    }
    program.record(Record::End);
    program
}
