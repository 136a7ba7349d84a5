//! `profile` and `hot`: which entries are sampled, and how many contexts are counted.
//!
//! Invariant: what is counted is bounded, whatever the program does. Source: docs/design/profiles.md.

use std::time::Duration;

use super::values::duration;
use super::{OptionError, Options, wrong};

/// Counters where `hot` does not say otherwise.
const MANY: usize = 1 << 20;
/// Counters for the reciprocal of `hot`: no count is off by more than a fifth of what makes a context hot.
const FOR_EACH: f64 = 5.0;
/// A thread counts its entries in an `int`, and jitter adds an eighth.
const LONGEST: u32 = 1 << 30;
/// The least share that is hot: with it there are as many counters as without the option.
const LEAST: f64 = FOR_EACH / MANY as f64;

/// Which entries are sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// All.
    All,
    /// About each n-th of a thread; n is at least 2.
    Each(u32),
    /// The first of a thread behind each tick.
    Time(Duration),
}

impl Profile {
    /// Entries of a thread from one sample to the next, on average; 0 where time says when.
    pub fn period(self) -> u32 {
        match self {
            Self::All => 1,
            Self::Each(n) => n,
            Self::Time(_) => 0,
        }
    }

    /// Are entries counted, so that all methods must have their hooks at work?
    pub fn counts(self) -> bool {
        self.period() > 0
    }

    pub(super) fn read(key: &str, text: &str) -> Result<Self, OptionError> {
        match (text.parse(), duration(text)) {
            _ if text == "all" => Ok(Self::All),
            (Ok(1), _) => Ok(Self::All),
            (Ok(n), _) if (2..=LONGEST).contains(&n) => Ok(Self::Each(n)),
            (_, Some(time)) => Ok(Self::Time(time)),
            _ => Err(wrong(key, text, "a number of entries such as 10007, a time such as 10ms, or all")),
        }
    }
}

/// The share that makes a context hot, as `hot` says it.
pub(super) fn share(key: &str, text: &str) -> Result<f64, OptionError> {
    let share = text.parse().ok().filter(|share| (LEAST..1.0).contains(share));
    share.ok_or_else(|| wrong(key, text, "a share from 5e-6 to 1 such as 1e-4"))
}

impl Options {
    /// Contexts that are counted at once.
    pub fn counters(&self) -> usize {
        self.hot.map_or(MANY, |share| (FOR_EACH / share).ceil() as usize)
    }
}
