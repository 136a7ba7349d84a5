//! How long a class takes: to scan what it declares, and to rewrite it.
//!
//! `cargo bench -p lucce-classfile`. Invariant: the classes are those of the tests, so that figures
//! of two commits are of the same bytes.

use std::hint::black_box;

use divan::Bencher;
use divan::counter::BytesCount;
use lucce_classfile::{Policy, RewriteBuffers, RewriteOptions, SequentialIds, instrument_with, summary};

const CLASSES: [(&str, &[u8]); 2] = [
    ("Sample", include_bytes!("../tests/fixtures/Sample.class")),
    ("Sample17", include_bytes!("../tests/fixtures/Sample17.class")),
];

/// No class is special.
struct Plain;

impl Policy for Plain {
    fn interposable(&self, _: &[u8], _: &[u8]) -> bool {
        false
    }

    fn inert(&self, _: &[u8]) -> bool {
        false
    }
}

fn main() {
    divan::main();
}

fn bytes(name: &str) -> &'static [u8] {
    CLASSES.iter().find(|(known, _)| *known == name).expect("a fixture").1
}

#[divan::bench(args = CLASSES.map(|(name, _)| name))]
fn scan(bencher: Bencher<'_, '_>, name: &str) {
    let bytes = bytes(name);
    bencher.counter(BytesCount::of_slice(bytes)).bench(|| summary(black_box(bytes)).is_ok());
}

#[divan::bench(args = CLASSES.map(|(name, _)| name))]
fn rewrite(bencher: Bencher<'_, '_>, name: &str) {
    let bytes = bytes(name);
    let (mut scratch, options) = (RewriteBuffers::default(), RewriteOptions::default());
    bencher.counter(BytesCount::of_slice(bytes)).bench_local(|| {
        let done = instrument_with(&mut scratch, black_box(bytes), &mut SequentialIds::default(), &Plain, &options);
        done.map(|done| done.bytes.len()).ok()
    });
}
