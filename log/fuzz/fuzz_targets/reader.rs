//! Any bytes, as a file and as the payload of a valid block.
#![no_main]

#[path = "../target.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| target::reader(bytes));
