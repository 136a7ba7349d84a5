//! Hashed words as `encoder=pcc` and `encoder=icpp` compute them, without what they add for
//! constructors: do two contexts of a method share one?
//!
//! A word is taken back to its context by what was learned at its first sight. So a wrong path is
//! one whose word another had before.
//! Source: Bond and McKinley, "Probabilistic calling context"; `words/src/hashed.rs`,
//! `words/src/weights.rs`.

use std::collections::BTreeMap;

use lucce_encoding::DecodedFrame;
use lucce_profiles::trace::{TraceContext, TraceNode};
use lucce_words::weights::Scheme;
use lucce_words::{MethodId, Paged, SiteId, hashed};

use super::super::replay::Subject;

pub struct Hashed {
    scheme: Scheme,
    /// The weight of each method.
    weights: Paged<u64>,
    /// The bytecode index of each site.
    indices: Paged<u16>,
    bases: Paged<u64>,
    /// The first path with a word, at each method: as the word of its caller and the site of the
    /// call.
    first: BTreeMap<(MethodId, u64), (u64, TraceNode)>,
    parents: Paged<Option<TraceNode>>,
    /// Contexts whose word another context of the same method had before.
    pub shared: u64,
}

impl Hashed {
    pub fn new(scheme: Scheme) -> Self {
        Self {
            scheme,
            weights: Paged::new(0),
            indices: Paged::new(0),
            bases: Paged::new(hashed::ROOT),
            first: BTreeMap::new(),
            parents: Paged::new(None),
            shared: 0,
        }
    }

    fn published(&self, base: u64, method: MethodId, site: SiteId) -> u64 {
        let weight = self.weights[method.index()];
        let addition = match self.scheme {
            Scheme::Ids => site.0,
            scheme => scheme.addition(weight, self.indices[site.index()]),
        };
        self.scheme.kept(base, weight).wrapping_add(addition.into())
    }
}

impl Subject for Hashed {
    fn method(&mut self, method: MethodId, _: bool, weight: u64) {
        self.weights[method.index()] = if self.scheme == Scheme::Ids { 0 } else { weight };
    }

    fn site(&mut self, site: SiteId, index: u16) {
        self.indices[site.index()] = index;
    }

    fn context(&mut self, id: TraceContext, node: TraceNode, method: MethodId) {
        let caller = self.bases[node.parent.index()];
        let base = self.published(caller, method, node.site);
        self.bases[id.index()] = base;
        self.parents[id.index()] = Some(node);
        let known = self.first.entry((node.method, base)).or_insert((caller, node));
        // Threads have trees of their own: equal paths are no collision.
        self.shared += u64::from(known.0 != caller || known.1.site != node.site);
    }

    fn call(&mut self, _: u32, _: TraceContext, _: TraceNode) {}

    fn leave(&mut self, _: u32, _: TraceNode) {}

    fn decode(&mut self, _: u32, id: TraceContext) -> Option<Vec<DecodedFrame>> {
        let (mut frames, mut site, mut at) = (Vec::new(), None, self.parents[id.index()]?);
        let mut base = self.bases[id.index()];
        loop {
            frames.push(DecodedFrame { method: at.method, site });
            let (caller, node) = self.first.get(&(at.method, base))?;
            (base, site) = (*caller, Some(node.site));
            match self.parents[node.parent.index()] {
                Some(next) => at = next,
                None => return Some(frames),
            }
        }
    }

    fn pause(&mut self, _: u64) {}
}

#[cfg(test)]
mod tests {
    use lucce_profiles::trace::TracePaths;

    use super::*;

    /// A subject of methods 2 to 4 with these weights, in the contexts of a tree: f (2) calls g
    /// (3), and each of the two calls h (4).
    fn with(scheme: Scheme, weights: [u64; 3]) -> Hashed {
        let (mut hashed, mut paths) = (Hashed::new(scheme), TracePaths::default());
        (2..).zip(weights).for_each(|(id, weight)| hashed.method(MethodId(id), false, weight));
        (2..=6).for_each(|id| hashed.site(SiteId(id), id as u16));
        for (id, parent, method) in [(1, 0, 0), (2, 1, 2), (3, 2, 3), (4, 3, 4), (5, 2, 4)] {
            let node = TraceNode { parent: TraceContext(parent), site: SiteId(id), method: MethodId(method) };
            assert!(paths.add(TraceContext(id), node));
            if let Some(caller) = paths.node(node.parent) {
                hashed.context(TraceContext(id), node, caller.method);
            }
        }
        hashed
    }

    #[test]
    fn contexts_have_words_of_their_own_unless_weights_say_nothing() {
        for scheme in [Scheme::Ids, Scheme::Names, Scheme::Mixed] {
            let mut hashed = with(scheme, [7, 77, 777]);
            assert_eq!(hashed.shared, 0, "{scheme:?}");
            let frames = hashed.decode(1, TraceContext(5)).unwrap();
            assert_eq!(frames.iter().map(|frame| frame.method.0).collect::<Vec<_>>(), [4, 2]);
        }
        // Frames without a size have one height.
        let mut flat = with(Scheme::Natural, [0; 3]);
        assert_eq!(flat.shared, 1);
        assert_eq!(
            flat.decode(1, TraceContext(5)).map(|frames| frames.len()),
            Some(3),
            "g's call of h was learned first"
        );
    }
}
