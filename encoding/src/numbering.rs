//! One numbering of the whole graph: every method gets a block of numbers, and every edge a clean
//! segment of its callee's block for each passage it is used with.
//!
//! Invariant: the result follows from the graph alone, and [`Numbering::digest`] covers all of it.
//! A segment's source is its caller's whole block. Source: Lucce section 2 (numCC, av);
//! docs/design/words-and-numbering.md ("Values"); docs/FORMAT.md, "Numbering".
//!
//! Memory: 32 bytes a range and 24 bytes a method that has numbers, kept for every version. Neither
//! it nor the time grows with ids: those of methods that are not in the graph, or have no edges
//! there, may lie between.

pub(crate) mod label;
pub(crate) mod order;
pub(crate) mod topology;

use lucce_words::{BLOCK, EdgeId, LONGEST_BLOCK, MethodId, NUMBER_LIMIT, Version};

use crate::graph::edge::{Edge, EdgeState};
use crate::graph::range::Range;
use crate::link::Passage;
use crate::numbering::topology::{Buckets, Nodes, TopologicalOrder};
use crate::stats::NumberingSize;

/// Appended segments of more than one number end below this, so that there is always room for
/// single ones.
pub(crate) const SEGMENT_LIMIT: u64 = NUMBER_LIMIT - (1 << 40);
/// Appended segments of one number end below this; what is above is for cut numbers, of which each
/// edge has one.
pub(crate) const SINGLE_LIMIT: u64 = NUMBER_LIMIT - (1 << 34);

#[derive(Debug, Default)]
pub(crate) struct Numbering {
    /// For each method that has any its block, and which of `ranges` are its; by ascending id.
    methods: Vec<(MethodId, Numbered)>,
    ranges: Vec<Range>,
}

/// The length of a method's block and the indices of its ranges.
#[derive(Clone, Copy, Debug)]
struct Numbered {
    block: u64,
    start: u32,
    end: u32,
}

impl Numbered {
    const NOT: Self = Self { block: 0, start: 0, end: 0 };
}

impl Numbering {
    /// Ranges of one method, by ascending base.
    pub(crate) fn ranges(&self, method: MethodId) -> &[Range] {
        let at = self.methods.binary_search_by_key(&method, |(id, _)| *id);
        let numbered = at.map_or(Numbered::NOT, |at| self.methods[at].1);
        &self.ranges[numbered.start as usize..numbered.end as usize]
    }

    pub(crate) fn find(&self, method: MethodId, number: u64) -> Option<&Range> {
        let ranges = self.ranges(method);
        let at = ranges.partition_point(|range| range.base <= number);
        ranges[..at].last().filter(|range| range.contains(number))
    }

    /// Every range with its method.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (MethodId, &Range)> {
        let of = |numbered: &Numbered| &self.ranges[numbered.start as usize..numbered.end as usize];
        self.methods.iter().flat_map(move |(method, numbered)| of(numbered).iter().map(|range| (*method, range)))
    }

    /// The lengths of the blocks of the methods that have one, by ascending id.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = (MethodId, u64)> {
        self.methods.iter().map(|(method, numbered)| (*method, numbered.block))
    }

    /// The same without what `gone` says of a method and an edge into it; `None` if that is
    /// everything.
    pub(crate) fn without(&self, gone: impl Fn(MethodId, EdgeId) -> bool) -> Option<Self> {
        if !self.iter().any(|(method, range)| gone(method, range.edge)) {
            return None;
        }
        let mut rest = Self::default();
        for (method, block) in self.blocks() {
            let start = rest.ranges.len();
            let ranges = self.ranges(method);
            rest.ranges.extend(ranges.iter().filter(|range| !gone(method, range.edge)));
            let end = rest.ranges.len();
            if end > start || ranges.is_empty() {
                rest.methods.push((method, Numbered { block, start: start as u32, end: end as u32 }));
            }
        }
        Some(rest)
    }

    /// Numbers the graph of these edges, which come by ascending id.
    pub(crate) fn new<'a>(
        edges: impl Iterator<Item = (EdgeId, &'a Edge)>,
        is_constructor: impl Fn(MethodId) -> bool,
    ) -> Self {
        let edges: Vec<(EdgeId, &Edge)> = edges.collect();
        let nodes = Nodes::of(edges.iter().map(|(_, edge)| *edge));
        let into = Buckets::new(nodes.len(), edges.iter().zip(0..).map(|((_, edge), at)| (nodes.at(edge.callee), at)));
        let order = TopologicalOrder::of(&nodes, edges.iter().map(|(_, edge)| *edge));

        let mut ranges = Vec::with_capacity(edges.len());
        let mut numbered = vec![Numbered::NOT; nodes.len()];
        for n in order.nodes {
            let (method, start) = (nodes.ids[n as usize], ranges.len());
            let mut len = u64::from(method == MethodId::ROOT);
            let callers = into.get(n).iter().map(|&at| {
                let (id, edge) = edges[at as usize];
                (id.0, edge, numbered[nodes.at(edge.caller) as usize].block)
            });
            let callers: Vec<_> = callers.collect();
            let most = match is_constructor(method) {
                true => (u64::MAX, 0),
                false => most(&callers, largest(order.heights[n as usize])),
            };
            for (id, edge, block) in callers {
                let cut = edge.state == EdgeState::Ordered && (block, id) > most;
                place(EdgeId(id), edge, block, cut, &mut len, &mut ranges);
            }
            numbered[n as usize] = Numbered { block: len, start: start as u32, end: ranges.len() as u32 };
        }
        let methods = nodes.ids.into_iter().zip(numbered).filter(|(_, numbered)| numbered.block > 0).collect();
        Self { methods, ranges }
    }

    /// What it came to.
    pub(crate) fn size(&self, version: Version) -> NumberingSize {
        let mut edges: Vec<EdgeId> = self.ranges.iter().map(|range| range.edge).collect();
        // Both passages of an edge stand side by side.
        edges.dedup();
        NumberingSize {
            version,
            methods: self.methods.len() as u64,
            edges: edges.len() as u64,
            largest: self.blocks().map(|(_, block)| block).max().unwrap_or(0),
            cut: self.ranges.iter().filter(|range| range.cut).count() as u64,
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
        for (method, range) in self.iter() {
            add(u64::from(method.0) << 32 | u64::from(range.edge.0));
            add(u64::from(range.restoring) << 1 | u64::from(range.cut));
            add(range.base);
            add(range.len);
            add(range.lo);
        }
        hash
    }
}

/// The numbers that a method's callers may bring it in all. Where they have more, the largest of
/// them are cut for this version, and numbers start anew. What lies low brings them to few others,
/// and may have more: it is called most often.
fn largest(height: u32) -> u64 {
    LONGEST_BLOCK >> height.min(4)
}

/// Length of the callers' block and id of the last edge, in that order, that a method with these
/// edges into it can have numbered.
fn most(callers: &[(u32, &Edge, u64)], largest: u64) -> (u64, u32) {
    let passages = |edge: &Edge| [Passage::Plain, Passage::Restoring].map(|passage| u64::from(edge.used(passage)));
    let ordered = callers.iter().filter(|(_, edge, _)| edge.state == EdgeState::Ordered);
    let mut sizes: Vec<_> =
        ordered.map(|(id, edge, block)| ((*block, *id), block * passages(edge).iter().sum::<u64>())).collect();
    if sizes.iter().map(|(_, size)| size).sum::<u64>() <= largest {
        return (u64::MAX, 0);
    }
    sizes.sort_unstable();
    let mut left = largest;
    let fitting = sizes.into_iter().take_while(|(_, size)| {
        let fits = *size <= left;
        left = left.saturating_sub(*size);
        fits
    });
    fitting.map(|(key, _)| key).last().unwrap_or_default()
}

/// Gives one edge its numbers at its callee, which has `len` so far: segments for the passages it
/// was used with; or, if it is to be cut, or is and was used so, a cut number. `callers` is the
/// length of the caller's block.
fn place(id: EdgeId, edge: &Edge, callers: u64, cut: bool, len: &mut u64, ranges: &mut Vec<Range>) {
    // What does not fit is appended in this version: a constructor's callers, into which nothing is
    // cut, may be too many.
    let mut take = |more: u64| {
        let base = BLOCK + *len;
        let fits = *len + more <= LONGEST_BLOCK;
        if fits {
            *len += more;
        }
        fits.then_some(base)
    };
    if cut || edge.state == EdgeState::Cut && edge.cut_used {
        ranges.extend(take(1).map(|base| Range::cut(id, base)));
    } else if edge.state == EdgeState::Ordered && callers > 0 {
        for passage in [Passage::Plain, Passage::Restoring].into_iter().filter(|&passage| edge.used(passage)) {
            if let Some(base) = take(callers) {
                let (lo, restoring) = (BLOCK, passage.restoring());
                ranges.push(Range { base, len: callers, lo, edge: id, restoring, cut: false });
            }
        }
    }
}
