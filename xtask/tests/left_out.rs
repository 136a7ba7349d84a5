//! The last words of a plain `cargo test`: which tests it has left out, and how to run them.
//!
//! Invariant: the text names every layer of tests that needs more than Rust. Source:
//! CONTRIBUTING.md, "Test by layer".

fn main() {
    println!(
        "\nThese tests need more than Rust, and were left out:\n\
         \x20 the decoder and its exports (Go, Chromium, a JDK)   cargo xtask test -p lucce-decoder\n\
         \x20 agent, hooks and leak detector on real JVMs         cargo xtask test --test jvm\n\
         \x20 real programs                                       cargo xtask test --test programs\n\
         `cargo xtask test` fetches what they need, and runs everything.\n"
    );
}
