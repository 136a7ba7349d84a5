//! A list of nodes with "insert before" and constant-time "which comes first": labels that are
//! spread anew where they get dense.
//!
//! Invariant: labels increase strictly along the list.
//! Source: Bender, Cole, Demaine, Farach-Colton, Zito: Two Simplified Algorithms for Maintaining
//! Order in a List (2002).

use lucce_words::Paged;

/// "No node".
const NIL: u32 = u32::MAX;
/// Distance of labels at the end of the list.
const STRIDE: u64 = 1 << 24;
/// Labels stay below 2^BITS.
const BITS: u32 = 62;
/// A node that is not in the order.
const ABSENT: Labelled = Labelled { label: 0, before: NIL, after: NIL, listed: false };

#[derive(Clone, Copy)]
struct Labelled {
    label: u64,
    before: u32,
    after: u32,
    listed: bool,
}

/// Nodes 0, 1, ... in an order; node 0 is in it from the start and always first.
pub(crate) struct Labels {
    places: Paged<Labelled>,
    last: u32,
}

impl Labels {
    pub(crate) fn new() -> Self {
        let mut places = Paged::new(ABSENT);
        places[0] = Labelled { listed: true, ..ABSENT };
        Self { places, last: 0 }
    }

    pub(crate) fn listed(&self, node: u32) -> bool {
        self.places[node as usize].listed
    }

    /// The position of a listed node; comparable until the next insertion.
    pub(crate) fn label(&self, node: u32) -> u64 {
        self.places[node as usize].label
    }

    pub(crate) fn push_last(&mut self, node: u32) {
        self.insert_after(node, self.last);
    }

    pub(crate) fn insert_before(&mut self, node: u32, anchor: u32) {
        let before = self.places[anchor as usize].before;
        debug_assert_ne!(before, NIL, "nothing is placed before the root");
        self.insert_after(node, before);
    }

    pub(crate) fn insert_after(&mut self, node: u32, anchor: u32) {
        let mut label = self.label_after(anchor);
        if label.is_none() {
            self.spread(anchor);
            label = self.label_after(anchor);
        }
        let after = self.places[anchor as usize].after;
        let label = label.expect("spreading leaves a gap behind every label");
        self.places[node as usize] = Labelled { label, before: anchor, after, listed: true };
        self.places[anchor as usize].after = node;
        match after {
            NIL => self.last = node,
            after => self.places[after as usize].before = node,
        }
    }

    pub(crate) fn remove(&mut self, node: u32) {
        let Labelled { before, after, .. } = self.places[node as usize];
        self.places[before as usize].after = after;
        match after {
            NIL => self.last = before,
            after => self.places[after as usize].before = before,
        }
        self.places.forget(node as usize);
    }

    /// A free label between `anchor` and its successor.
    fn label_after(&self, anchor: u32) -> Option<u64> {
        let Labelled { label, after, .. } = self.places[anchor as usize];
        let limit = match after {
            NIL if label + STRIDE < 1 << BITS => return Some(label + STRIDE),
            NIL => 1 << BITS,
            after => self.label(after),
        };
        let gap = limit - label;
        (gap >= 2).then(|| label + gap / 2)
    }

    /// Spreads the labels evenly over the smallest aligned interval around `node` that is sparse
    /// enough.
    fn spread(&mut self, node: u32) {
        let label = self.label(node);
        let (mut first, mut last, mut count) = (node, node, 1u64);
        let mut capacity = 1.0f64;
        for bits in 1..=BITS {
            capacity *= 4.0 / 3.0;
            let low = label >> bits << bits;
            let high = low + (1 << bits);
            while self.places[first as usize].before != NIL && self.label(self.places[first as usize].before) >= low {
                first = self.places[first as usize].before;
                count += 1;
            }
            while self.places[last as usize].after != NIL && self.label(self.places[last as usize].after) < high {
                last = self.places[last as usize].after;
                count += 1;
            }
            let step = (1 << bits) / count;
            if count as f64 <= capacity && step >= 2 || bits == BITS {
                let mut at = first;
                for nth in 0..count {
                    self.places[at as usize].label = low + nth * step;
                    at = self.places[at as usize].after;
                }
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_insertions_at_one_place_keep_labels_increasing() {
        let mut labels = Labels::new();
        labels.push_last(1);
        for node in 2..=20_000 {
            labels.insert_before(node, if node % 3 == 0 { node - 1 } else { 1 });
        }
        let (mut at, mut seen) = (0u32, 1);
        while labels.places[at as usize].after != NIL {
            let next = labels.places[at as usize].after;
            assert!(labels.label(at) < labels.label(next), "{at} before {next}");
            at = next;
            seen += 1;
        }
        assert_eq!(seen, 20_001);
    }
}
