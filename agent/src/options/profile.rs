//! `profile` and `hot`: which entries are sampled, and how many contexts are counted.
//!
//! Invariant: what is counted is bounded, whatever the program does. Source:
//! docs/design/profiles.md.

use std::time::Duration;

use super::values::duration;
use super::{OptionError, wrong};

/// Counters where `hot` does not say otherwise.
const MANY: usize = 1 << 20;
/// Counters for the reciprocal of `hot`: no count is off by more than a fifth of what makes a
/// context hot.
const FOR_EACH: f64 = 5.0;
/// A thread counts its entries in an `int`, and jitter adds an eighth.
const LONGEST: u32 = 1 << 30;
/// The least share that is hot: with it there are as many counters as without the option.
const LEAST: f64 = FOR_EACH / MANY as f64;

/// Which entries are sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileOption {
    /// All.
    All,
    /// About each n-th of a thread; n is at least 2.
    Each(u32),
    /// The first of a thread behind each tick.
    Time(Duration),
    /// All in a burst of this length at the beginning of each interval.
    Bursts {
        /// Of a burst; at most half of the interval.
        length: Duration,
        /// From one to the next.
        interval: Duration,
    },
}

impl ProfileOption {
    /// Entries of a thread from one sample to the next, on average; 0 where time says when.
    pub fn period(self) -> u32 {
        match self {
            Self::All => 1,
            Self::Each(n) => n,
            Self::Time(_) | Self::Bursts { .. } => 0,
        }
    }

    /// For how many entries a sample stands, on average; 0 where that is unknown.
    pub fn weight(self) -> u32 {
        match self {
            Self::Bursts { length, interval } => (interval.as_secs_f64() / length.as_secs_f64()).round() as u32,
            other => other.period(),
        }
    }

    /// Must all methods have their hooks at work? Of a burst each entry would be walked otherwise.
    pub fn needs_words(self) -> bool {
        !matches!(self, Self::Time(_))
    }

    pub(super) fn read(key: &str, text: &str) -> Result<Self, OptionError> {
        match (text.parse(), duration(text)) {
            _ if text == "all" => Ok(Self::All),
            (Ok(1), _) => Ok(Self::All),
            (Ok(n), _) if (2..=LONGEST).contains(&n) => Ok(Self::Each(n)),
            (_, Some(time)) => Ok(Self::Time(time)),
            _ => bursts(text).ok_or_else(|| wrong(key, text, WANTED)),
        }
    }
}

const WANTED: &str = "a number of entries such as 10007, a time such as 10ms, all, or bursts such as 2ms/20ms (at most half of the time)";

/// `2ms/20ms`.
fn bursts(text: &str) -> Option<ProfileOption> {
    let (length, interval) = text.split_once('/')?;
    let (length, interval) = (duration(length)?, duration(interval)?);
    (2 * length <= interval).then_some(ProfileOption::Bursts { length, interval })
}

/// The share that makes a context hot, as `hot` says it.
pub(super) fn share(key: &str, text: &str) -> Result<f64, OptionError> {
    let share = text.parse().ok().filter(|share| (LEAST..1.0).contains(share));
    share.ok_or_else(|| wrong(key, text, "a share from 5e-6 to 1 such as 1e-4"))
}

/// Contexts that are counted at once, where a context of this share is hot.
pub(super) fn counters(hot: Option<f64>) -> usize {
    hot.map_or(MANY, |share| (FOR_EACH / share).ceil() as usize)
}
