//! Methods whose classes the JVM has unloaded leave the graph, in all its versions.
//!
//! Invariant: an unloaded method has no activation on any stack, so no word of a live one leads
//! through it: what is forgotten is never asked for again by a hook. Numbers are not given again,
//! so a word that somebody kept is unknown from then on, never wrong. The log keeps everything: a
//! decoder reads such words as before. Source: JVMS 12.7 (unloading of classes);
//! docs/design/unloading.md.
//!
//! What an unloaded class has called goes on existing, and has numbers for having been called from
//! there; and so has what that calls. In the current version those numbers are *retired*, and all
//! that is kept about them goes, down the edges that are in the order. (Others are few: they have
//! numbers of their own only where constructors recur.) Those of a numbering stay: they are as many
//! as the graph has edges.

use std::collections::BTreeSet;

use lucce_words::{APPENDED, EdgeId, MethodId, SiteId, Word};

use crate::change::Change;
use crate::encoder::Encoder;
use crate::graph::retired::Numbers;

impl Encoder {
    /// Forgets these methods with their sites, which are all that were made known of them. The
    /// edges that went with them.
    ///
    /// Takes one pass over the graph, so many are best unloaded at once.
    pub fn unload(&mut self, methods: &[MethodId], sites: &[SiteId]) -> BTreeSet<EdgeId> {
        let known = methods.iter().copied().filter(|&method| method != MethodId::ROOT && self.graph.is_method(method));
        let methods: BTreeSet<MethodId> = known.collect();
        let mut gone = BTreeSet::new();
        let mut retired = Vec::new();
        for (id, edge) in self.graph.edges() {
            if methods.contains(&edge.caller) || methods.contains(&edge.callee) {
                gone.insert(id);
                self.edges.remove(&(edge.site, edge.callee));
                let numbers = self.segments.forget(id).into_iter();
                retired.extend(numbers.map(|(first, end)| Numbers { method: edge.callee, first, end }));
                self.cut_by_size.remove(&id);
                self.cut_by_growth.remove(&id);
            }
        }
        for &method in &methods {
            self.change(Change::Unloaded { method });
            self.rooms.forget(method.index());
        }
        self.order.forget(&methods);
        self.translations.clear();
        self.graph.forget(&methods, sites, &gone);
        retired.retain(|numbers| !methods.contains(&numbers.method) && numbers.first >= APPENDED);
        self.retire(retired);
        self.retired.forget(&methods);
        gone
    }

    /// Has no activation any of the words `lo..lo+len` any more that those of the site's method
    /// had?
    pub fn is_retired(&self, site: SiteId, lo: u64, len: u64) -> bool {
        let (first, Some(last)) = (Word(lo), len.checked_sub(1).and_then(|more| lo.checked_add(more)).map(Word)) else {
            return false;
        };
        let current = [first, last].iter().all(|word| word.version() == self.version());
        current
            && self.graph.site_method(site).is_some_and(|method| {
                self.retired.covers(Numbers { method, first: first.number(), end: last.number() + 1 })
            })
    }

    /// No word has these numbers any more, nor any that they lead to.
    fn retire(&mut self, mut open: Vec<Numbers>) {
        while let Some(numbers) = open.pop() {
            self.retired.add(numbers);
            self.graph.retire(numbers);
            for (edge, method) in self.order.callees(numbers.method) {
                let led = self.segments.retire(edge, numbers.first, numbers.end).into_iter();
                open.extend(led.map(|(first, end)| Numbers { method, first, end }));
            }
        }
    }
}
