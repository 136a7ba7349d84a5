//! What walks cost, method by method: which are worth activating, and which are dearer active.
//!
//! A method is activated when what was asked below it in a window of time has passed more frames
//! than few. Some pay for that with a walk at each of their own entries: who calls them is the JDK,
//! in a loop that began while its own caller was inactive, and nobody can give that activation a
//! word from without. So both rates are kept, in frames a second, and the method goes where it
//! costs less.
//!
//! Invariant: a method that was put back is activated again only when as much is asked below it as
//! its entries had cost; that is forgotten by half in each window in which it is asked for, so it
//! is tried again, ever so often. Source: docs/design/lazy-hooks.md.

use std::time::{Duration, Instant};

use lucce_words::MethodId;
use rustc_hash::FxHashMap;

use super::Passed;
use crate::support::dead::Dead;

/// How long walked frames are counted together.
const WINDOW: Duration = Duration::from_secs(1);
/// Entries are dear when they have passed so many times the frames that are too few to activate
/// anybody: callers in loops are activated first.
const PATIENCE: usize = 8;

/// Frames walked since the beginning of a window, and what earlier ones have taught.
pub struct WalkCosts {
    since: Instant,
    frames: usize,
    /// For what was asked below methods that were inactive.
    asked: FxHashMap<MethodId, usize>,
    /// At entries of methods that were active, below callers without a word.
    entered: FxHashMap<MethodId, usize>,
    rates: FxHashMap<MethodId, Rates>,
}

/// Frames in a window, when it last mattered.
#[derive(Default)]
struct Rates {
    /// Asked for while the method was inactive, when it was activated: as many as were seen, or,
    /// once it had been put back, at that rate.
    inactive: usize,
    /// At its entries while it was active, when it was put back.
    active: usize,
}

impl WalkCosts {
    /// Empty ones.
    pub fn from_now_on() -> Self {
        let (asked, entered, rates) = (FxHashMap::default(), FxHashMap::default(), FxHashMap::default());
        Self { since: Instant::now(), frames: 0, asked, entered, rates }
    }

    /// Begins another window, if this one is over.
    pub fn turn(&mut self) {
        if self.since.elapsed() <= WINDOW {
            return;
        }
        for (method, _) in self.asked.drain() {
            if let Some(rates) = self.rates.get_mut(&method) {
                rates.active /= 2;
            }
        }
        self.entered.clear();
        (self.since, self.frames) = (Instant::now(), 0);
    }

    /// A walk has found these methods inactive. Those that were put back are not to be activated
    /// for the entries of what they call.
    pub fn asked(&mut self, inactive: impl Iterator<Item = MethodId>, passed: &Passed) {
        // What a walk costs beside its frames is about that of one more.
        let frames = passed.frames + 1;
        self.frames = self.frames.saturating_add(frames);
        for method in inactive {
            let put_back = || self.rates.get(&method).is_some_and(|rates| rates.active > 0);
            if passed.entered.is_none() || !put_back() {
                *self.asked.entry(method).or_default() += frames;
            }
        }
        if let Some(method) = passed.entered {
            *self.entered.entry(method).or_default() += frames;
        }
    }

    /// Tells those of them that are worth activating, once more than `few` frames were walked.
    pub fn worth_activating(&mut self, few: usize, mut activate: impl FnMut(MethodId)) {
        if self.frames <= few {
            return;
        }
        let since = self.since;
        let rates = &mut self.rates;
        self.asked.retain(|&method, frames| {
            let rates = rates.entry(method).or_default();
            let rate = rate(since, *frames);
            if rate < rates.active {
                return true;
            }
            // The first time it is activated on credit: what a moment's walks would come to in a
            // whole window is no more than a guess.
            rates.inactive = if rates.active == 0 { *frames } else { rate };
            activate(method);
            false
        });
    }

    /// Have entries of this method, which is active, cost more than what was asked below it when it
    /// was inactive?
    pub fn is_dear(&mut self, method: MethodId, few: usize) -> bool {
        let frames = self.entered.get(&method).copied().unwrap_or(0);
        let rates = self.rates.entry(method).or_default();
        let rate = rate(self.since, frames);
        let dear = frames > few.saturating_mul(PATIENCE) && rate > rates.inactive;
        if dear {
            rates.active = rate;
        }
        dear
    }

    /// Forgets methods of unloaded classes.
    pub fn forget(&mut self, dead: &Dead) {
        self.rates.retain(|&method, _| !dead.has_method(method));
    }
}

/// So many frames since then, in a whole window.
fn rate(since: Instant, frames: usize) -> usize {
    let elapsed = since.elapsed().max(WINDOW / 100);
    (frames as f64 * WINDOW.as_secs_f64() / elapsed.as_secs_f64()) as usize
}
