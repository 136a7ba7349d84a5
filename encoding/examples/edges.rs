//! What new edges cost up to 200 000 of them, and the longest operation but for new versions.
//!
//! `cargo run --release -p lucce-encoding --example edges`. Two graphs: one like a program's (each
//! method first entered by an older one, most calls going to a few widely used methods), and a
//! uniformly random one, which has far more cycles.

use std::time::{Duration, Instant};

use lucce_encoding::{Encoder, LinkKind, Passage};
use lucce_words::{MethodId, SiteId, Word};

const EDGES: usize = 200_000;
const METHODS: u32 = 40_000;

/// A linear congruential generator.
struct Lcg(u64);

impl Lcg {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(limit)) as u32
    }
}

/// Times of one kind of operation, in order; each run is the same, so the least over several is
/// free of what else the machine does.
#[derive(Default)]
struct Clock {
    times: Vec<Duration>,
}

impl Clock {
    fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.times.push(start.elapsed());
        result
    }

    fn least(&mut self, other: &Self) {
        assert!(self.times.is_empty() || self.times.len() == other.times.len(), "runs are alike");
        self.times.resize(other.times.len(), Duration::MAX);
        self.times.iter_mut().zip(&other.times).for_each(|(time, other)| *time = (*time).min(*other));
    }

    fn show(&self, name: &str) {
        let count = self.times.len().max(1);
        let mean = self.times.iter().sum::<Duration>() / count as u32;
        let longest = self.times.iter().max().copied().unwrap_or_default();
        println!("  {name:<12} {count:>8} times, mean {mean:>9.2?}, longest {longest:>9.2?}");
    }
}

/// New edges, known edges, new versions.
type Clocks = [Clock; 3];

fn run(like_a_program: bool) -> (Clocks, Encoder) {
    let mut random = Lcg(42);
    let mut encoder = Encoder::new();
    let [mut fresh, mut known, mut renumber] = Clocks::default();
    let (mut stack, mut sites, mut seen): (Vec<(MethodId, Word)>, u32, u32) = (Vec::new(), SiteId::FIRST.0, 0);
    let mut edges = 0;
    let mut snapshot = encoder.snapshot();
    let mut logged = 0;
    while edges < EDGES {
        // A new edge at a fresh site, from where the thread stands; now and then it returns some
        // frames.
        let (caller, ctx) = stack.last().copied().unwrap_or((MethodId::ROOT, encoder.root_word()));
        let site = match caller {
            MethodId::ROOT => SiteId::ROOT,
            caller => {
                sites += 1;
                encoder.add_site(SiteId(sites), caller);
                SiteId(sites)
            }
        };
        let unseen = seen < METHODS && (seen < 10 || random.below(4) == 0);
        let callee = match unseen {
            true => {
                seen += 1;
                encoder.add_method(MethodId(seen), random.below(8) == 0);
                seen
            }
            false if like_a_program && random.below(10) < 8 => {
                // A widely used method of the younger part of what the caller may know, more often
                // than a random one.
                let hub = 1 + random.below(seen.div_ceil(20)) * 19;
                hub.max(caller.0.saturating_sub(seen / 4)).min(seen)
            }
            false if like_a_program => caller.0.max(1) + random.below(seen - caller.0.max(1) + 1),
            false => 1 + random.below(seen),
        };
        let passage = Passage::of(random.below(8) == 0);
        let link = fresh.time(|| encoder.enter(ctx, site, MethodId(callee), passage)).expect("the context is known");
        // The root has one site, so an entry from there may be over a known edge.
        let before = std::mem::replace(&mut edges, encoder.stats().edges);
        if edges == before {
            known.times.extend(fresh.times.pop());
        }
        stack.push((MethodId(callee), link.word));
        if random.below(3) == 0 || stack.len() > 200 {
            let kept = random.below(stack.len() as u32) as usize;
            stack.truncate(kept);
        }
        // A second entry over the same edge with another word: segments for what the caller grew
        // by, and translations.
        if link.kind != LinkKind::Cut && random.below(2) == 0 {
            let _ = known.time(|| encoder.enter(ctx, site, MethodId(callee), Passage::Restoring));
        }
        if edges % 64 == 0 && edges > before {
            snapshot = encoder.snapshot();
            logged += encoder.take_changes().len();
        }
        if encoder.wants_renumbering() {
            renumber.time(|| encoder.renumber());
        }
    }
    assert!(logged > edges / 2 && snapshot.edges().count() > edges / 2);
    ([fresh, known, renumber], encoder)
}

fn main() {
    for (name, like_a_program) in [("like a program", true), ("uniformly random", false)] {
        let mut least = Clocks::default();
        let mut stats = None;
        for _ in 0..5 {
            let (clocks, encoder) = run(like_a_program);
            least.iter_mut().zip(&clocks).for_each(|(least, clock)| least.least(clock));
            stats = Some(encoder.stats());
        }
        println!("{name}");
        ["new edge", "known edge", "new version"].iter().zip(&least).for_each(|(name, clock)| clock.show(name));
        println!("  {stats:?}");
    }
}
