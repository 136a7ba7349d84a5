//! Appended numbers of the current version that no activation can have any more, because their
//! paths lead through unloaded classes.
//!
//! Invariant: a retired number is never given again, nor does any word of a live activation have
//! it; intervals of a method do not touch. So what is kept is at most one interval more for each
//! method than there are numbers in use between them, however many classes have come and gone.
//! Source: docs/design/unloading.md ("Retired numbers"); JVMS 12.7 (unloading of classes).

use std::collections::{BTreeMap, BTreeSet};

use lucce_words::MethodId;

/// Some numbers of a method: from the first to behind the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Numbers {
    pub method: MethodId,
    pub first: u64,
    pub end: u64,
}

/// The numbers that are retired.
#[derive(Default)]
pub(crate) struct Retired {
    /// From method and first number to behind the last.
    intervals: BTreeMap<(MethodId, u64), u64>,
}

impl Retired {
    /// Adds numbers, none of which was retired before.
    pub(crate) fn add(&mut self, numbers: Numbers) {
        let Numbers { method, mut first, mut end } = numbers;
        if let Some((&(_, before), &reach)) = self.intervals.range((method, 0)..(method, first)).next_back()
            && reach == first
        {
            first = before;
        }
        if let Some(reach) = self.intervals.remove(&(method, end)) {
            end = reach;
        }
        self.intervals.insert((method, first), end);
    }

    /// The numbers in use around one that is: from behind the retired ones below it to the first
    /// retired one above it.
    pub(crate) fn between(&self, method: MethodId, number: u64) -> (u64, u64) {
        let below = self.intervals.range((method, 0)..=(method, number)).next_back().map_or(0, |(_, &end)| end);
        let above = self.intervals.range((method, number)..=(method, u64::MAX)).next();
        (below, above.map_or(u64::MAX, |(&(_, first), _)| first))
    }

    /// Are all of them retired?
    pub(crate) fn covers(&self, numbers: Numbers) -> bool {
        let Numbers { method, first, end } = numbers;
        self.intervals.range((method, 0)..=(method, first)).next_back().is_some_and(|(_, &reach)| end <= reach)
    }

    /// Forgets all numbers of unloaded methods: nobody asks for them.
    pub(crate) fn forget(&mut self, methods: &BTreeSet<MethodId>) {
        self.intervals.retain(|(method, _), _| !methods.contains(method));
    }

    /// A new version begins.
    pub(crate) fn clear(&mut self) {
        self.intervals.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const METHOD: MethodId = MethodId(3);

    fn numbers(first: u64, end: u64) -> Numbers {
        Numbers { method: METHOD, first, end }
    }

    #[test]
    fn neighbours_become_one_and_what_is_between_stays_in_use() {
        let mut retired = Retired::default();
        for (first, end) in [(10, 12), (14, 20), (12, 13)] {
            retired.add(numbers(first, end));
        }
        assert_eq!(retired.intervals.len(), 2);
        assert_eq!(retired.between(METHOD, 13), (13, 14));
        assert_eq!((retired.between(METHOD, 5), retired.between(METHOD, 25)), ((0, 10), (20, u64::MAX)));
        assert!(retired.covers(numbers(10, 13)) && retired.covers(numbers(15, 16)) && !retired.covers(numbers(12, 15)));
        retired.add(numbers(13, 14));
        assert_eq!(retired.intervals.len(), 1);
        assert!(
            retired.covers(numbers(10, 20)) && !retired.covers(Numbers { method: MethodId(4), first: 10, end: 11 })
        );
        retired.forget(&BTreeSet::from([METHOD]));
        assert_eq!(retired.between(METHOD, 13), (0, u64::MAX));
    }
}
