//! Ladders whose contexts double at every rung: what happens when a method's numbers run out.
//!
//! Source: docs/design/words-and-numbering.md ("Running out", "Size"); docs/FORMAT.md, "Numbering"
//! (Cut for size).

use lucce_encoding::*;
use lucce_words::*;

/// Rung `n` calls rung `n + 1` from sites `2n` and `2n + 1`; the root calls rung 1.
const RUNGS: u32 = 64;

struct Ladder {
    encoder: Encoder,
    constructors: bool,
    random: u64,
    /// Links that are neither cut nor have a value.
    late: usize,
    checks: Vec<(MethodId, Word, Vec<ShadowEntry>, Vec<SiteId>)>,
}

impl Ladder {
    fn new(constructors: bool) -> Self {
        let mut encoder = Encoder::new();
        for rung in 1..=RUNGS {
            encoder.add_method(MethodId(rung), constructors);
            (0..2).for_each(|side| encoder.add_site(SiteId(2 * rung + side), MethodId(rung)));
        }
        Self { encoder, constructors, random: 1, late: 0, checks: Vec::new() }
    }

    fn bit(&mut self) -> u32 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 60) as u32 & 1
    }

    /// Climbs to the top, choosing sides at random; the cut entries made on the way.
    fn climb(&mut self) -> usize {
        let (mut word, mut shadow_stack, mut sites) = (self.encoder.root_word(), Vec::new(), Vec::new());
        for rung in 1..=RUNGS {
            let site = if rung == 1 { SiteId::ROOT } else { SiteId(2 * (rung - 1) + self.bit()) };
            let link = self.encoder.enter(word, site, MethodId(rung), Passage::Plain).unwrap();
            assert!(link.covers(word) && link.apply(word) == link.word);
            if link.kind == LinkKind::Cut {
                assert!(!self.constructors);
                shadow_stack.push(ShadowEntry { ctx: word, site, cut: true, method: MethodId(rung), barrier: false });
            }
            self.late += usize::from(link.kind == LinkKind::Plain && link.value.is_none());
            sites.push(site);
            word = link.word;
        }
        let cuts = shadow_stack.len();
        self.checks.push((MethodId(RUNGS), word, shadow_stack, sites));
        cuts
    }

    fn verify(&self) {
        let snapshot = self.encoder.snapshot();
        for (method, word, shadow_stack, sites) in &self.checks {
            let decoded = snapshot.decode(*method, *word, shadow_stack);
            assert_eq!(decoded.end, End::Root);
            assert!(decoded.frames.iter().filter_map(|frame| frame.site).eq(sites[1..].iter().rev().copied()));
        }
    }
}

#[test]
fn what_grows_often_is_cut_for_a_version_and_the_words_stay_exact() {
    let mut ladder = Ladder::new(false);
    for climb in 0..200 {
        ladder.climb();
        if climb == 100 {
            ladder.encoder.renumber();
        }
    }
    assert!(ladder.climb() > 0, "no rung gets a segment for each of its caller's");
    assert!(ladder.encoder.stats().cut_by_growth > 0);
    ladder.verify();
}

#[test]
fn a_full_space_of_a_constructor_goes_on_with_single_numbers() {
    let mut ladder = Ladder::new(true);
    for climb in 0..200 {
        ladder.climb();
        if climb == 100 {
            ladder.encoder.renumber();
        }
    }
    assert_eq!(ladder.encoder.stats().cut_by_size, 0);
    ladder.verify();
}

#[test]
fn a_new_version_cuts_where_numbers_would_run_out_and_numbers_all_else_in_blocks() {
    let mut ladder = Ladder::new(false);
    for _ in 0..100 {
        ladder.climb();
        // Before anything has grown so often that it is cut for that.
        ladder.encoder.renumber();
    }
    // Of one rung half of what would be too much, of the next both.
    assert_eq!(ladder.encoder.stats().cut_by_size, 3);
    ladder.late = 0;
    assert!((0..100).all(|_| ladder.climb() <= 2));
    assert_eq!(ladder.late, 0);
    ladder.verify();
}

#[test]
fn a_numbering_says_what_it_came_to() {
    let mut ladder = Ladder::new(false);
    let mut size = None;
    for nth in 0..60 {
        ladder.climb();
        // One edge is used in both ways: it has two ranges, and is one edge.
        ladder.encoder.enter(ladder.encoder.root_word(), SiteId::ROOT, MethodId(1), Passage::Restoring).unwrap();
        size = ladder.encoder.renumber();
        assert_eq!(size.map(|size| size.version), Some(Version(nth + 2)));
    }
    let snapshot = ladder.encoder.snapshot();
    let ranges = |method: u32| snapshot.ranges(MethodId(method), snapshot.version());
    let all: Vec<_> = (1..=RUNGS).flat_map(ranges).collect();
    let edges: std::collections::BTreeSet<_> = all.iter().map(|range| range.edge).collect();
    let block = |method| ranges(method).map(|range| range.len).sum::<u64>();
    let size = size.unwrap();
    assert_eq!((size.methods, size.edges), (u64::from(RUNGS) + 1, edges.len() as u64));
    assert_eq!(size.largest, (1..=RUNGS).map(block).max().unwrap());
    assert_eq!(size.cut, all.iter().filter(|range| range.source.is_none()).count() as u64);
    assert!(edges.len() < all.len() && size.cut == 3 && size.largest > 1 << 30, "{size:?}");
}
