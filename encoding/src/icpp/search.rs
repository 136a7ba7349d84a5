//! The seeded search: frames are resized, and calls wrapped where that is asked, until identifiers
//! tell paths apart.
//!
//! Invariant: the outcome tells at least as many paths as the sizes at the beginning did. The same
//! seed gives the same outcome.
//! Source: "Inferred Call Path Profiling", section 5.1.1, for sizes; section 5.2 for calls, in the
//! same loop.

use std::collections::BTreeMap;

use lucce_words::random::Random;

use super::{Label, PathOutcome, Paths, WordFigures};

/// By how much the first of the differing frames grows; the second by twice as much, and so on.
const STEP: u64 = 16;

/// How to search.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// Of the pseudo-random choices.
    pub seed: u64,
    /// Are calls wrapped where frames alone cannot help?
    pub wraps: bool,
    /// Percent of the paths that are enough.
    pub enough: u64,
    /// After so many choices without progress a change for the worse is taken.
    pub patience: u64,
    /// After so many choices without progress the search ends.
    pub limit: u64,
}

impl Default for Search {
    /// The paper's.
    fn default() -> Self {
        Self { seed: 1, wraps: false, enough: 97, patience: 100, limit: 2000 }
    }
}

/// What a search has come to.
#[derive(Clone, Debug)]
pub struct Searched {
    /// Before it.
    pub before: WordFigures,
    /// Behind it.
    pub after: WordFigures,
    /// How many pairs of paths were chosen.
    pub rounds: u64,
    /// The greatest height before and behind it.
    pub heights: (u64, u64),
}

/// A change that can be undone.
enum SizeChange {
    Method(u32, u64),
    Label(Label, u64),
}

impl Search {
    /// Changes the sizes of these paths.
    pub fn run(&self, paths: &mut Paths) -> Searched {
        let mut order = PathOrder::new(paths);
        let (mut now, before, lowest) = (order.sort(paths), order.figures(), highest(paths));
        let mut best = (now, paths.sizes().to_vec(), paths.wraps().to_vec());
        let mut random = Random::new(self.seed);
        let (mut rounds, mut idle, mut stalled) = (0, 0, 0);
        while now * 100 < self.enough * paths.count() as u64 && stalled < self.limit && !order.shared.is_empty() {
            (rounds, idle, stalled) = (rounds + 1, idle + 1, stalled + 1);
            let changes = self.tell_apart(paths, order.pair(&mut random));
            if changes.is_empty() {
                continue;
            }
            let then = order.sort(paths);
            if then > now || idle > self.patience {
                (now, idle) = (then, 0);
                if now > best.0 {
                    (best, stalled) = ((now, paths.sizes().to_vec(), paths.wraps().to_vec()), 0);
                }
            } else {
                undo(paths, changes);
                order.sort(paths);
            }
        }
        best.1.into_iter().enumerate().for_each(|(method, size)| paths.resize(method as u32, size));
        best.2.into_iter().enumerate().for_each(|(label, size)| paths.wrap(Label(label as u32), size));
        order.sort(paths);
        Searched { before, after: order.figures(), rounds, heights: (lowest, highest(paths)) }
    }

    /// Changes sizes until two paths of one height have different ones.
    fn tell_apart(&self, paths: &mut Paths, (one, other): (u32, u32)) -> Vec<SizeChange> {
        let labels = [one, other].map(|path| paths.labels(path));
        let methods = labels.each_ref().map(|labels| labels.iter().map(|label| paths.method_of(*label)));
        let mut changes = Vec::new();
        let mut gap = 0i128;
        for (method, surplus) in surplus(methods) {
            let (size, step) = (paths.sizes()[method as usize], STEP * (changes.len() as u64 + 1));
            paths.resize(method, size + step);
            changes.push(SizeChange::Method(method, size));
            gap += i128::from(surplus) * i128::from(step);
            if gap != 0 {
                return changes;
            }
        }
        // The same methods as often: only what they stand at can tell.
        let labels = if self.wraps { surplus(labels.map(Vec::into_iter)) } else { Vec::new() };
        if let Some(&(label, _)) = labels.first() {
            let size = paths.wraps()[label.0 as usize];
            paths.wrap(label, size + STEP);
            changes.push(SizeChange::Label(label, size));
        }
        changes
    }
}

fn undo(paths: &mut Paths, changes: Vec<SizeChange>) {
    for change in changes {
        match change {
            SizeChange::Method(method, size) => paths.resize(method, size),
            SizeChange::Label(label, size) => paths.wrap(label, size),
        }
    }
}

fn highest(paths: &Paths) -> u64 {
    paths.heights().into_iter().max().unwrap_or(0)
}

/// What one of two sequences has more often than the other, and by how much, in the order in which
/// they have it.
fn surplus<T: Ord + Copy>([one, other]: [impl Iterator<Item = T> + Clone; 2]) -> Vec<(T, i64)> {
    let mut counts = BTreeMap::<T, i64>::new();
    one.clone().for_each(|item| *counts.entry(item).or_default() += 1);
    other.clone().for_each(|item| *counts.entry(item).or_default() -= 1);
    one.chain(other).filter_map(|item| Some((item, counts.remove(&item).filter(|surplus| *surplus != 0)?))).collect()
}

/// The paths in the order of their identifiers, each label's in a stretch of its own.
struct PathOrder {
    paths: Vec<u32>,
    /// Where the paths of each label begin.
    starts: Vec<usize>,
    heights: Vec<u64>,
    /// The stretches of paths that share an identifier.
    shared: Vec<(usize, usize)>,
}

impl PathOrder {
    fn new(paths: &Paths) -> Self {
        let mut order: Vec<u32> = (0..paths.count() as u32).collect();
        order.sort_by_key(|path| paths.top(*path));
        let mut starts: Vec<usize> =
            (0..order.len()).filter(|&at| at == 0 || paths.top(order[at]) != paths.top(order[at - 1])).collect();
        starts.push(order.len());
        Self { paths: order, starts, heights: Vec::new(), shared: Vec::new() }
    }

    /// Sorts by heights as they are now; how many paths have an identifier of their own.
    fn sort(&mut self, paths: &Paths) -> u64 {
        let Self { paths: order, starts, heights, shared } = self;
        *heights = paths.heights();
        shared.clear();
        let mut precise = 0;
        for bounds in starts.windows(2) {
            let stretch = &mut order[bounds[0]..bounds[1]];
            // By number, too, so that the seed alone decides.
            stretch.sort_unstable_by_key(|path| (heights[*path as usize], *path));
            let mut start = bounds[0];
            for group in stretch.chunk_by(|one, other| heights[*one as usize] == heights[*other as usize]) {
                match group.len() {
                    1 => precise += 1,
                    _ => shared.push((start, start + group.len())),
                }
                start += group.len();
            }
        }
        precise
    }

    /// Two different paths with one identifier.
    fn pair(&self, random: &mut Random) -> (u32, u32) {
        let mut below = |count: usize| random.below(count as u64) as usize;
        let (start, end) = self.shared[below(self.shared.len())];
        let one = start + below(end - start);
        let other = start + below(end - start - 1);
        (self.paths[one], self.paths[if other < one { other } else { other + 1 }])
    }

    /// Of all paths, evaluated by themselves.
    fn figures(&self) -> WordFigures {
        let mut figures = WordFigures::default();
        let shared: usize = self.shared.iter().map(|(start, end)| end - start).sum();
        figures.add(PathOutcome::Precise, (self.paths.len() - shared) as u64);
        for (start, end) in &self.shared {
            let degree = end - start;
            figures.add(PathOutcome::of(degree as u32, true), degree as u64);
        }
        figures
    }
}
