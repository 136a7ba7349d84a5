//! `cargo +nightly fuzz run rewrite`, with the classes of `tests/fixtures` as a corpus.
//!
//! Invariant: the properties are those of the smoke test (`tests/fixture.rs`).

#![no_main]

#[path = "../../tests/common/property.rs"]
mod property;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| property::check(bytes));
