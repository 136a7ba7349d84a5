//! One numbering of the whole graph: every edge gets one clean segment for each passage and each source space it is used with.
//!
//! Invariant: the result follows from the graph alone, and [`Numbering::digest`] covers all of it.
//! Source: Lucce section 2 (numCC, av); DESIGN sections 4 and 6.
//!
//! Memory: 32 bytes a range and 32 bytes a method, kept for every version.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lucce_words::{EdgeId, MethodId, NUMBER_BITS, Space};

use crate::graph::{Edge, EdgeState};
use crate::link::Passage;

/// Segments of whole spaces end below this number, so that there is always room for single numbers.
pub(crate) const SEGMENT_LIMIT: u64 = (1 << NUMBER_BITS) - (1 << 40);
/// Segments of one number end below this; what is above is for cut numbers, of which each edge has one.
pub(crate) const SINGLE_LIMIT: u64 = (1 << NUMBER_BITS) - (1 << 34);
/// No number is larger.
pub(crate) const NUMBER_LIMIT: u64 = 1 << NUMBER_BITS;
/// Where cut numbers live.
pub(crate) const CUT_SPACE: Space = Space { restoring: true, chained: true };

/// The numbers `[base, base+len)` of one method's space and where they come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub base: u64,
    pub len: u64,
    pub lo: u64,
    pub edge: EdgeId,
    pub source: Space,
    /// A cut number: `len` 1; `lo` and `source` mean nothing.
    pub cut: bool,
}

impl Range {
    pub(crate) fn cut(edge: EdgeId, number: u64) -> Self {
        Self { base: number, len: 1, lo: 0, edge, source: Space::default(), cut: true }
    }

    pub(crate) fn contains(&self, number: u64) -> bool {
        number.wrapping_sub(self.base) < self.len
    }
}

/// Sizes of a method's four spaces.
pub(crate) type Sizes = [u64; 4];

/// The sizes of the root: the one number 0 in the space with no flags.
pub(crate) const ROOT_SIZES: Sizes = [1, 0, 0, 0];

#[derive(Debug, Default)]
pub(crate) struct Numbering {
    /// Indices into `ranges`, for each method: where it starts, and where each of its four spaces ends.
    spans: Vec<[u32; 5]>,
    ranges: Vec<Range>,
}

impl Numbering {
    /// Ranges of one space of one method, by ascending base.
    pub(crate) fn ranges(&self, method: MethodId, space: Space) -> &[Range] {
        let Some(span) = self.spans.get(method.index()) else { return &[] };
        &self.ranges[span[space.index()] as usize..span[space.index() + 1] as usize]
    }

    pub(crate) fn find(&self, method: MethodId, space: Space, number: u64) -> Option<&Range> {
        let ranges = self.ranges(method, space);
        let at = ranges.partition_point(|range| range.base <= number);
        ranges[..at].last().filter(|range| range.contains(number))
    }

    /// Every range with its method and space.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (MethodId, Space, &Range)> {
        (0..self.spans.len() as u32)
            .map(MethodId)
            .flat_map(|method| Space::ALL.map(|space| (method, space)))
            .flat_map(|(method, space)| self.ranges(method, space).iter().map(move |range| (method, space, range)))
    }

    /// Numbers a graph of `methods` methods with the given edges; `edges` yields them by ascending id, `None` for a lost one.
    pub(crate) fn new<'a>(methods: usize, edges: impl Iterator<Item = Option<&'a Edge>>) -> (Self, Vec<Sizes>) {
        let edges: Vec<Option<&Edge>> = edges.collect();
        let known = || edges.iter().enumerate().filter_map(|(id, edge)| Some((id as u32, (*edge)?)));
        let into = Buckets::new(methods, known().map(|(id, edge)| (edge.callee, id)));
        let ordered = || known().filter(|(_, edge)| edge.state == EdgeState::Ordered);
        let out = Buckets::new(methods, ordered().map(|(id, edge)| (edge.caller, id)));
        let mut waiting = vec![0u32; methods];
        ordered().for_each(|(_, edge)| waiting[edge.callee.index()] += 1);

        let mut numbering = Self { spans: vec![[0; 5]; methods], ranges: Vec::with_capacity(edges.len()) };
        let mut sizes: Vec<Sizes> = vec![[0; 4]; methods];
        let mut ready: BinaryHeap<Reverse<u32>> =
            (0..methods as u32).filter(|&n| waiting[n as usize] == 0).map(Reverse).collect();
        let mut spaces: [Vec<Range>; 4] = Default::default();
        while let Some(Reverse(n)) = ready.pop() {
            for &id in into.get(n) {
                let Some(edge) = edges[id as usize] else { continue };
                let callers = sizes[edge.caller.index()];
                place(EdgeId(id), edge, callers, &mut sizes[n as usize], &mut spaces);
            }
            if n == MethodId::ROOT.0 {
                sizes[0] = ROOT_SIZES;
            }
            numbering.append(n, &mut spaces);
            for &id in out.get(n) {
                let callee = edges[id as usize].map_or(0, |edge| edge.callee.index());
                waiting[callee] -= 1;
                if waiting[callee] == 0 {
                    ready.push(Reverse(callee as u32));
                }
            }
        }
        (numbering, sizes)
    }

    fn append(&mut self, n: u32, spaces: &mut [Vec<Range>; 4]) {
        let span = &mut self.spans[n as usize];
        span[0] = self.ranges.len() as u32;
        for (space, ranges) in spaces.iter_mut().enumerate() {
            self.ranges.append(ranges);
            span[space + 1] = self.ranges.len() as u32;
        }
    }

    /// A hash of all ranges and, with them, all sizes; stable over runs and releases.
    pub(crate) fn digest(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        let mut add = |value: u64| {
            // FNV-1a over whole words, with a fold because a product only carries upwards.
            hash = (hash ^ value).wrapping_mul(0x0000_0100_0000_01b3);
            hash ^= hash >> 29;
        };
        for (method, space, range) in self.iter() {
            add(u64::from(method.0) << 32 | u64::from(range.edge.0));
            add((space.index() as u64) << 8 | (range.source.index() as u64) << 1 | u64::from(range.cut));
            add(range.base);
            add(range.len);
            add(range.lo);
        }
        hash
    }
}

/// Gives one edge its numbers at its callee: segments for the passages it was used with, and a cut number if it is cut and was used so.
fn place(id: EdgeId, edge: &Edge, callers: Sizes, sizes: &mut Sizes, spaces: &mut [Vec<Range>; 4]) {
    match edge.state {
        EdgeState::Ordered => {
            for passage in [Passage::Plain, Passage::Restoring].into_iter().filter(|&passage| edge.used(passage)) {
                for source in Space::ALL {
                    let space = Space { restoring: passage.restoring(), chained: source.chained }.index();
                    let (base, len) = (sizes[space], callers[source.index()]);
                    // What does not fit is cut for its size in this version.
                    if len > 0 && base + len <= SEGMENT_LIMIT {
                        spaces[space].push(Range { base, len, lo: 0, edge: id, source, cut: false });
                        sizes[space] += len;
                    }
                }
            }
        }
        EdgeState::Cut if edge.cut_used => {
            let space = CUT_SPACE.index();
            if sizes[space] < NUMBER_LIMIT {
                spaces[space].push(Range::cut(id, sizes[space]));
                sizes[space] += 1;
            }
        }
        EdgeState::Cut | EdgeState::Unrolled => {}
    }
}

/// Edge ids grouped by a method, ascending within each group.
struct Buckets {
    starts: Vec<u32>,
    ids: Vec<u32>,
}

impl Buckets {
    fn new(methods: usize, pairs: impl Iterator<Item = (MethodId, u32)> + Clone) -> Self {
        let mut starts = vec![0u32; methods + 1];
        pairs.clone().for_each(|(method, _)| starts[method.index() + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut free = starts.clone();
        let mut ids = vec![0; starts[methods] as usize];
        for (method, id) in pairs {
            ids[free[method.index()] as usize] = id;
            free[method.index()] += 1;
        }
        Self { starts, ids }
    }

    fn get(&self, method: u32) -> &[u32] {
        &self.ids[self.starts[method as usize] as usize..self.starts[method as usize + 1] as usize]
    }
}
