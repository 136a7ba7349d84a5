//! What a sampled allocation stands for.
//!
//! The JVM samples with exponentially distributed gaps of `alloc=<bytes>` on average, so an object of `size` bytes is seen with
//! probability `1 - exp(-size/interval)`, and `size` divided by it is an unbiased estimate of the bytes allocated per sample.
//! Invariant: events of other kinds stand for their own value.
//! Source: JEP 331 (low-overhead heap profiling), "geometric variable".

use lucce_log::size;

use crate::{Event, Log};

impl Log {
    /// What an event adds to the sum of its context: its value, or for a sampled allocation the bytes it stands for.
    pub fn weight(&self, event: &Event) -> i128 {
        let sampled = self.kind_of(event.kind).is_some_and(|kind| kind.is_agents("alloc")) && !event.is_tally();
        match self.sampling_interval().filter(|_| sampled && event.value > 0) {
            Some(interval) => {
                let size = event.value as f64;
                (size / -(-size / interval).exp_m1()).round() as i128
            }
            None => i128::from(event.value),
        }
    }

    /// The mean bytes between two sampled allocations, as the agent's options `alloc` and `leaks` say.
    pub fn sampling_interval(&self) -> Option<f64> {
        let options = &self.header()?.options;
        let named = |name: &str| options.split(',').rev().find_map(|option| option.strip_prefix(name));
        // As the agent reads them (agent/src/options.rs). A log may say anything.
        let alone = || options.split(',').any(|option| option == "leaks").then_some("128k");
        let text = named("alloc=").or_else(|| named("leaks=")).or_else(alone)?;
        size(text).map(f64::from)
    }
}
