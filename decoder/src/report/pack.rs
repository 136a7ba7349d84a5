//! What the page is given: names, stacks, sums and their bins of time, as bytes.
//!
//! Invariant: stacks of both runs share one tree, in which a node's parent stands before it. A sum
//! is one of a run, kind, stack, class and thread. The page reads the columns in the order in which
//! [`Pack::bytes`] writes them (`decoder/report/src/data.ts`).

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

mod head;

use super::Report;
use super::columns::Columns;
use crate::Unit;
use crate::export::{FrameId, FrameKind, NamedFrame, Profile, StackId, Sum, Timeline};
use crate::fingerprint::{normal_class, normal_desc, normal_method};
use crate::plain::plain;
use head::{Calls, Head, HeadKind, Leak, PackedRun, Side};

/// Most bins that a page shows.
const BINS: u64 = 1024;
/// Columns of a frame.
const FIELDS: usize = 10;
/// What JavaScript's numbers count exactly.
const EXACT: u128 = (1 << 53) - 1;

/// What a comparison has in place of any reason why nothing is known.
const UNKNOWN: &str = "[unknown here]";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    side: usize,
    kind: u32,
    own: u32,
    whole: u32,
    class: u32,
    thread: u32,
}

#[derive(Debug, Default)]
struct Total {
    /// Of events whose time is not known.
    count: u64,
    value: i128,
    timeline: Timeline,
}

/// The sides, the new one first.
fn profiles<'a>(report: &Report<'a>) -> impl Iterator<Item = &'a Profile> {
    [Some(report.new), report.base].into_iter().flatten()
}

/// What the thread of a sum is called; threads of one name are one.
fn thread_name<'a>(profile: &'a Profile, sum: &Sum) -> Cow<'a, str> {
    match profile.thread(sum).map(|thread| thread.name.as_str()) {
        None => "[sums of all threads]".into(),
        Some("") => "[threads without a name]".into(),
        Some(name) => plain(name),
    }
}

/// The data of a report.
pub struct Pack {
    head: Head,
    /// Names of classes are normal, so that both runs have the same.
    compared: bool,
    string_ids: HashMap<String, u32>,
    frames: Vec<[u32; FIELDS]>,
    frame_ids: HashMap<[u32; FIELDS], u32>,
    /// Parent and frame of node `i + 1`.
    nodes: Vec<(u32, u32)>,
    node_ids: HashMap<(u32, u32), u32>,
    sums: BTreeMap<Key, Total>,
    /// Nanoseconds since 1970 of the first moment of each side, and of the last.
    spans: Vec<(u64, u64)>,
}

impl Pack {
    /// Takes the sums of a report.
    pub fn new(report: &Report<'_>) -> Self {
        let head = Head {
            writer: concat!("lucce-decode ", env!("CARGO_PKG_VERSION")),
            per: report.per.map(|glob| Calls {
                glob: plain(glob).into_owned(),
                calls: profiles(report).map(|profile| profile.calls(glob).to_string()).collect(),
            }),
            sides: Vec::new(),
            kinds: Vec::new(),
            collections: report.new.runs().iter().filter_map(|run| run.old_collections).max(),
            leaks: Vec::new(),
            strings: Vec::new(),
            frames: 0,
            nodes: 0,
            sums: 0,
            shift: 0,
        };
        let mut pack = Self {
            head,
            compared: report.base.is_some(),
            string_ids: HashMap::new(),
            frames: Vec::new(),
            frame_ids: HashMap::new(),
            nodes: Vec::new(),
            node_ids: HashMap::new(),
            sums: BTreeMap::new(),
            spans: Vec::new(),
        };
        // Number 0 is the empty string.
        pack.string("");
        for (side, profile) in profiles(report).enumerate() {
            pack.add(side, profile);
        }
        for (kind, of) in profiles(report).flat_map(Profile::kinds).map(|kind| (plain(&kind.label), kind)) {
            let recorded = profiles(report).map(|profile| profile.has_recorded(of)).collect();
            if let Some(known) = pack.head.kinds.iter_mut().find(|known| known.label == kind) {
                known.recorded = recorded;
            }
        }
        let shift = pack.sums.values().map(|total| total.timeline.shift()).max().unwrap_or(0);
        let longest = pack.spans.iter().map(|(begin, end)| end - begin).max().unwrap_or(0);
        let fitting = (0..u64::BITS - 1).find(|shift| longest >> shift < BINS - 1).unwrap_or(u64::BITS - 1);
        pack.set_shift(shift.max(fitting));
        pack
    }

    /// Number of bins of all sums.
    pub fn bins(&self) -> usize {
        self.sums.values().map(|total| total.timeline.bins().len()).sum()
    }

    /// Makes bins twice as long. `false` if one is all there is.
    pub fn coarsen(&mut self) -> bool {
        let more = self.head.sides.iter().any(|side| side.bins > 2);
        if more {
            self.set_shift(self.head.shift + 1);
        }
        more
    }

    /// Keeps so many threads, those with the most events; all others are one. `false` if there were
    /// no more.
    pub fn keep_threads(&mut self, most: usize) -> bool {
        let mut events: BTreeMap<u32, u64> = BTreeMap::new();
        for (key, total) in &self.sums {
            let timed: u64 = total.timeline.bins().iter().map(|bin| bin.count).sum();
            *events.entry(key.thread).or_default() += total.count.saturating_add(timed);
        }
        if events.len() <= most + 1 {
            return false;
        }
        let mut order: Vec<(u32, u64)> = events.into_iter().collect();
        order.sort_by_key(|&(thread, events)| (Reverse(events), thread));
        let kept: BTreeSet<u32> = order.into_iter().take(most).map(|(thread, _)| thread).collect();
        let others = self.string(if most == 0 { "[all threads]" } else { "[other threads]" });
        for (key, total) in std::mem::take(&mut self.sums) {
            let thread = if kept.contains(&key.thread) { key.thread } else { others };
            let into = self.sums.entry(Key { thread, ..key }).or_default();
            into.count = into.count.saturating_add(total.count);
            into.value += total.value;
            into.timeline.merge(total.timeline);
        }
        true
    }

    fn set_shift(&mut self, shift: u32) {
        self.head.shift = shift;
        self.sums.values_mut().for_each(|total| total.timeline.coarsen(shift));
        for (side, (begin, end)) in self.head.sides.iter_mut().zip(&self.spans) {
            side.offset = (begin - (begin >> shift << shift)).to_string();
            side.bins = (end >> shift) - (begin >> shift) + 1;
        }
    }

    fn add(&mut self, side: usize, profile: &Profile) {
        let text = |text: &str| plain(text).into_owned();
        let (begin, end) = profile.span();
        self.spans.push((begin, end));
        let run = |run: &crate::export::AddedLog| {
            let header = run.header.as_ref();
            let of =
                |get: fn(&lucce_log::Header) -> &String| header.map_or_else(String::new, |header| text(get(header)));
            PackedRun {
                agent: of(|header| &header.agent),
                jvm: of(|header| &header.jvm),
                pid: header.map_or(0, |header| header.pid),
                host: of(|header| &header.host),
                options: of(|header| &header.options),
                begin: run.begin_ns.to_string(),
            }
        };
        self.head.sides.push(Side {
            title: text(&profile.title()),
            runs: profile.runs().iter().map(run).collect(),
            offset: String::new(),
            length: (end - begin).to_string(),
            bins: 0,
        });
        let mut known: HashMap<StackId, u32> = HashMap::new();
        let mut frames: HashMap<FrameId, u32> = HashMap::new();
        let mut sizes: HashMap<usize, (u128, u128)> = HashMap::new();
        let kinds: Vec<usize> = profile.kinds().iter().map(|kind| self.kind(profile, kind)).collect();
        for sum in profile.sums().iter().filter(|sum| !profile.kinds()[sum.kind].is_of_suspect()) {
            let kind = kinds[sum.kind];
            let own = self.stack(profile, sum.own_shown, &mut known, &mut frames);
            let whole = self.stack(profile, sum.stack, &mut known, &mut frames);
            let class = profile.class(sum).map(|class| if self.compared { normal_class(class) } else { class.into() });
            let class = class.map_or(0, |class| self.string(&plain(&class)));
            let thread = self.string(&thread_name(profile, sum));
            let total = self.sums.entry(Key { side, kind: kind as u32, own, whole, class, thread }).or_default();
            match &sum.timeline {
                Some(timeline) => total.timeline.merge(timeline.clone()),
                None => {
                    total.count = total.count.saturating_add(sum.count);
                    total.value += sum.value;
                }
            }
            let (count, value) = sizes.entry(kind).or_default();
            *count += u128::from(sum.count);
            *value = value.saturating_add(sum.value.unsigned_abs());
        }
        for leak in profile.leaks().iter().filter(|_| side == 0) {
            let node = self.stack(profile, leak.stack, &mut known, &mut frames);
            let look = |look: &crate::Look| {
                let crate::Look { time_ns, bytes, objects, generations, growth, collections, .. } = *look;
                [
                    i128::from(time_ns),
                    collections.into(),
                    bytes.into(),
                    objects.into(),
                    generations.into(),
                    growth.into(),
                ]
                .map(|number| number.to_string())
            };
            self.head.leaks.push(Leak {
                context: text(&leak.context),
                class: text(leak.class.as_deref().unwrap_or("unknown class")),
                node,
                withdrawn: leak.withdrawn_ns.map(|at| at.to_string()),
                history: leak.history.iter().map(look).collect(),
            });
        }
        for (kind, (count, value)) in sizes {
            self.head.kinds[kind].big |= count.max(value) > EXACT;
        }
    }

    fn kind(&mut self, profile: &Profile, kind: &crate::Kind) -> usize {
        let label = plain(&kind.label).into_owned();
        let interval = profile.sampling_interval(kind);
        if let Some(at) = self.head.kinds.iter().position(|known| known.label == label) {
            let known = &mut self.head.kinds[at];
            known.interval = known.interval.or(interval);
            return at;
        }
        self.head.kinds.push(HeadKind {
            label,
            name: plain(&kind.name).into_owned(),
            agents: kind.owner == lucce_log::Owner::Agent,
            unit: match kind.unit() {
                Unit::Bytes => "bytes",
                Unit::Nanoseconds => "nanoseconds",
                Unit::Count => "count",
            },
            interval,
            recorded: Vec::new(),
            big: false,
        });
        self.head.kinds.len() - 1
    }

    fn string(&mut self, text: &str) -> u32 {
        if let Some(&known) = self.string_ids.get(text) {
            return known;
        }
        let new = self.head.strings.len() as u32;
        self.head.strings.push(text.to_owned());
        self.string_ids.insert(text.to_owned(), new);
        new
    }

    fn frame(&mut self, frame: &NamedFrame) -> u32 {
        let mut string = |text: &str| self.string(&plain(text));
        let names = [&frame.class, &frame.method, &frame.desc].map(|name| string(name));
        let file = frame.file.as_deref().map_or(0, &mut string);
        let kind = match frame.kind {
            FrameKind::Instrumented => 0,
            FrameKind::Walked => 1,
            FrameKind::Native => 2,
            FrameKind::Mark | FrameKind::Unknown => 3,
        };
        let [class, method, desc] = names;
        // As the fingerprint of names has it: why nothing is known does not tell contexts apart.
        let normal = match frame.kind {
            FrameKind::Unknown => ["", UNKNOWN, ""].map(Cow::from),
            _ => [normal_class(&frame.class), normal_method(&frame.method), normal_desc(&frame.desc)],
        };
        let [normal_class, normal_method, normal_desc] = normal.map(|name| string(&name));
        let (line, bci) = (frame.line.map_or(0, |line| line + 1), frame.bci.map_or(0, |bci| u32::from(bci) + 1));
        let new = [class, method, desc, file, line, bci, kind, normal_class, normal_method, normal_desc];
        let frames = &mut self.frames;
        *self.frame_ids.entry(new).or_insert_with(|| {
            frames.push(new);
            frames.len() as u32 - 1
        })
    }

    fn stack(
        &mut self,
        profile: &Profile,
        stack: StackId,
        known: &mut HashMap<StackId, u32>,
        frames: &mut HashMap<FrameId, u32>,
    ) -> u32 {
        let mut pending = Vec::new();
        let mut at = stack;
        let mut node = loop {
            if let Some(&node) = known.get(&at) {
                break node;
            }
            let Some((parent, frame)) = profile.stacks().split(at) else { break 0 };
            pending.push((at, frame));
            at = parent;
        };
        while let Some((stack, frame)) = pending.pop() {
            let frame = match frames.get(&frame) {
                Some(&frame) => frame,
                None => *frames.entry(frame).or_insert(self.frame(profile.stacks().frame(frame))),
            };
            let nodes = &mut self.nodes;
            node = *self.node_ids.entry((node, frame)).or_insert_with(|| {
                nodes.push((node, frame));
                nodes.len() as u32
            });
            known.insert(stack, node);
        }
        node
    }

    /// The length of the head, the head, and the columns.
    pub fn bytes(&mut self) -> Vec<u8> {
        (self.head.frames, self.head.nodes, self.head.sums) = (self.frames.len(), self.nodes.len(), self.sums.len());
        let head = serde_json::to_vec(&self.head).unwrap_or_default();
        let mut columns = Columns::default();
        for field in 0..FIELDS {
            columns.put(self.frames.iter().map(|frame| frame[field]));
        }
        // The parent of most nodes was made just before.
        columns.put(self.nodes.iter().zip(1..).map(|(&(parent, _), node): (_, u32)| node - parent));
        columns.put(self.nodes.iter().map(|&(_, frame)| frame));
        columns.put(self.sums.keys().map(|key| key.side as u32));
        columns.put(self.sums.keys().map(|key| key.kind));
        columns.put(self.sums.keys().map(|key| key.own));
        columns.put(self.sums.keys().map(|key| key.whole));
        columns.put(self.sums.keys().map(|key| key.class));
        columns.put(self.sums.keys().map(|key| key.thread));
        columns.put(self.sums.values().map(|total| total.count));
        columns.put_signed(self.sums.values().map(|total| total.value));
        columns.put(self.sums.values().map(|total| total.timeline.bins().len() as u64));
        let bins = || self.sums.iter().flat_map(|(key, total)| total.timeline.bins().iter().map(|bin| (key.side, bin)));
        let mut last = 0;
        let mut sums = self.sums.iter().flat_map(|(key, total)| {
            let first = self.spans[key.side].0 >> self.head.shift;
            total.timeline.bins().iter().enumerate().map(move |(nth, bin)| (nth == 0, bin.at - first))
        });
        columns.put(std::iter::from_fn(|| {
            let (begins, at) = sums.next()?;
            let step = if begins { at } else { at - last };
            last = at;
            Some(step)
        }));
        columns.put(bins().map(|(_, bin)| bin.count));
        columns.put_signed(bins().map(|(_, bin)| bin.value));
        let length = (head.len() as u32).to_le_bytes();
        [&length, &*head, columns.bytes()].concat()
    }
}
