//! Methods whose classes the JVM has unloaded leave the graph, in all its versions.
//!
//! Invariant: an unloaded method has no activation on any stack, so no word of a live one leads through it: what is forgotten is never
//! asked for again by a hook. Numbers are not given again, so a word that somebody kept is unknown from then on, never wrong. The log keeps
//! everything: a decoder reads such words as before. Source: JVMS 12.7 (unloading of classes); DESIGN section 4.

use std::collections::BTreeSet;

use lucce_words::{EdgeId, MethodId, SiteId};

use crate::change::Change;
use crate::encoder::Encoder;

impl Encoder {
    /// Forgets these methods with their sites, which are all that were made known of them. The edges that went with them.
    ///
    /// Takes one pass over the graph, so many are best unloaded at once.
    pub fn unload(&mut self, methods: &[MethodId], sites: &[SiteId]) -> BTreeSet<EdgeId> {
        let known = methods.iter().copied().filter(|&method| method != MethodId::ROOT && self.graph.is_method(method));
        let methods: BTreeSet<MethodId> = known.collect();
        let mut gone = BTreeSet::new();
        for (id, edge) in self.graph.edges() {
            if methods.contains(&edge.caller) || methods.contains(&edge.callee) {
                gone.insert(id);
                self.edges.remove(&(edge.site, edge.callee));
                self.segments.forget(id);
                self.cut_by_size.remove(&id);
            }
        }
        for &method in &methods {
            self.change(Change::Unloaded { method });
            self.rooms.forget(method.index());
        }
        self.order.forget(&methods);
        self.translations.clear();
        self.graph.forget(&methods, sites, &gone);
        gone
    }
}
