//! How long the graph takes: to enter first edges, to number all of them, to replay the log's
//! changes, and to decode a word.
//!
//! `cargo bench -p lucce-encoding`. Invariant: the graph is made by the same steps each time, so
//! figures of two commits are of the same graph.

use std::hint::black_box;

use divan::Bencher;
use divan::counter::ItemsCount;
use lucce_encoding::{Change, Encoder, Passage, Replay};
use lucce_words::{MethodId, SiteId, Word};

/// Methods of the graphs, each with four sites.
const METHODS: [u32; 2] = [1_000, 10_000];
const SITES: u32 = 4;
/// Depth of the stack that is decoded.
const DEPTH: usize = 40;

fn main() {
    divan::main();
}

fn site(method: u32, nth: u32) -> SiteId {
    SiteId(2 + method * SITES + nth)
}

/// A graph in which each method calls four of those behind it, entered along random stacks; the
/// changes, and the last word.
fn graph(methods: u32) -> (Encoder, Vec<Change>, (MethodId, Word)) {
    let mut encoder = Encoder::new();
    for method in 1..=methods {
        encoder.add_method(MethodId(method), false);
        (0..SITES).for_each(|nth| encoder.add_site(site(method, nth), MethodId(method)));
    }
    let mut random = 7_u64;
    let mut below = |most: u32| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as u32 % most
    };
    let mut last = (MethodId::ROOT, encoder.root_word());
    for _ in 0..methods {
        let (mut at, mut method, mut word) = (SiteId::ROOT, 1, encoder.root_word());
        for _ in 0..DEPTH {
            let link = encoder.enter(word, at, MethodId(method), Passage::Plain).expect("there are numbers");
            (word, last) = (link.word, (MethodId(method), link.word));
            let nth = below(SITES);
            at = site(method, nth);
            // Each site has one callee, so that few numbers are needed.
            method = (method * 7 + nth * 131 + 1) % methods + 1;
            if method <= 1 {
                break;
            }
        }
        if encoder.wants_renumbering() {
            encoder.renumber();
        }
    }
    let changes = encoder.take_changes();
    (encoder, changes, last)
}

#[divan::bench(args = METHODS)]
fn numbering(bencher: Bencher<'_, '_>, methods: u32) {
    bencher.with_inputs(|| graph(methods).0).bench_values(|mut encoder| {
        encoder.renumber();
        encoder
    });
}

#[divan::bench(args = METHODS)]
fn replay(bencher: Bencher<'_, '_>, methods: u32) {
    let (_, changes, _) = graph(methods);
    bencher.counter(ItemsCount::new(changes.len())).bench_local(|| {
        let mut replay = Replay::new();
        for method in 1..=methods {
            replay.add_method(MethodId(method), false).expect("an id");
            (0..SITES).for_each(|nth| replay.add_site(site(method, nth), MethodId(method)));
        }
        black_box(&changes).iter().for_each(|change| replay.apply(change).expect("it follows"));
        replay
    });
}

#[divan::bench(args = METHODS)]
fn decode(bencher: Bencher<'_, '_>, methods: u32) {
    let (encoder, _, (method, word)) = graph(methods);
    let snapshot = encoder.snapshot();
    let frames = snapshot.decode(method, word, &[]).frames.len();
    bencher.counter(ItemsCount::new(frames)).bench(|| snapshot.decode(black_box(method), black_box(word), &[]));
}
