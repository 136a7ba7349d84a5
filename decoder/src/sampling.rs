//! What a sampled allocation stands for.
//!
//! The JVM samples with exponentially distributed gaps of `alloc=<bytes>` on average, so an object
//! of `size` bytes is seen with probability `1 - exp(-size/interval)`, and `size` divided by it is
//! an unbiased estimate of the bytes allocated per sample.
//! Invariant: events of other kinds stand for their own value.
//! Source: JEP 331 (low-overhead heap profiling), "geometric variable".

use lucce_log::size;

use crate::{Header, Log, LoggedEvent};

impl Log {
    /// What an event adds to the sum of its context: its value, or for a sampled allocation the
    /// bytes it stands for.
    pub fn weight(&self, event: &LoggedEvent) -> i128 {
        weight(event, self.interval_of(event.kind))
    }

    /// [`Self::sampling_interval`], for a kind whose events are samples.
    pub(crate) fn interval_of(&self, kind: u32) -> Option<f64> {
        let sampled = self.kind_of(kind).is_some_and(|kind| kind.is_agents("alloc"));
        self.sampling_interval().filter(|_| sampled)
    }

    /// The mean bytes between two sampled allocations, as the agent's options `alloc` and `leaks`
    /// say.
    pub fn sampling_interval(&self) -> Option<f64> {
        // As the agent reads them (agent/src/options/mod.rs). A log may say anything.
        let leaks = || self.option("leaks").map(|bytes| if bytes.is_empty() { "128k" } else { bytes });
        let text = self.option("alloc").or_else(leaks)?;
        size(text).map(f64::from)
    }

    /// The value of an option of the agent, the last one that was given; empty for one without a
    /// value or with `on`. `None` for one that is off or was not given.
    pub fn option(&self, name: &str) -> Option<&str> {
        option(self.header()?, name)
    }

    /// The same as it was written, `off` and `on` included.
    pub fn written_option(&self, name: &str) -> Option<&str> {
        written(self.header()?, name)
    }
}

/// [`Log::weight`], with [`Log::interval_of`] its kind.
pub(crate) fn weight(event: &LoggedEvent, interval: Option<f64>) -> i128 {
    match interval.filter(|_| event.value > 0 && !event.is_tally()) {
        Some(interval) => {
            let size = event.value as f64;
            (size / -(-size / interval).exp_m1()).round() as i128
        }
        None => i128::from(event.value),
    }
}

/// [`Log::option`], of a header.
pub(crate) fn option<'a>(header: &'a Header, name: &str) -> Option<&'a str> {
    match written(header, name)? {
        "off" => None,
        "on" => Some(""),
        value => Some(value),
    }
}

fn written<'a>(header: &'a Header, name: &str) -> Option<&'a str> {
    let options = header.options.split(',').rev();
    let mut named = options.map(|option| option.split_once('=').unwrap_or((option, "")));
    named.find(|(key, _)| *key == name).map(|(_, value)| value)
}
