//! How long a log takes: to replay all of it, and to make traces of its events.
//!
//! `cargo bench -p lucce-decoder`. Invariant: the log is of a program that runs on paper, the same
//! each time.

#[path = "../tests/common/mod.rs"]
mod common;

use std::hint::black_box;

use common::{profile, random};
use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use lucce_decoder::Log;

/// Steps of the program.
const STEPS: usize = 20_000;

fn main() {
    divan::main();
}

fn log() -> Vec<u8> {
    random(5, 60, STEPS, 20).file().0
}

#[divan::bench]
fn replay(bencher: Bencher<'_, '_>) {
    let bytes = log();
    bencher.counter(BytesCount::of_slice(&bytes)).bench_local(|| Log::read(black_box(&bytes), |_| {}).is_ok());
}

#[divan::bench]
fn traces(bencher: Bencher<'_, '_>) {
    let log = Log::read(&log(), |_| {}).expect("a log");
    bencher.counter(ItemsCount::new(log.events().len())).bench_local(|| profile(black_box(&log)));
}
