//! Hashed words as `encoder=pcc` computes them, without what it adds for constructors: do two contexts of a method share one?
//!
//! A word is taken back to its context by what was learned at its first sight. So a wrong path is one whose word another had before.
//! Source: Bond and McKinley, "Probabilistic calling context"; `words/src/hashed.rs`.

use std::collections::BTreeMap;

use lucce_encoding::Frame;
use lucce_profiles::trace::{ContextId, Node};
use lucce_words::{MethodId, Paged, hashed};

use super::super::replay::Subject;

pub struct Hashed {
    bases: Paged<u64>,
    /// The first path with a word, at each method: as the word of its caller and the site of the call.
    first: BTreeMap<(MethodId, u64), (u64, Node)>,
    parents: Paged<Option<Node>>,
    /// Contexts whose word another context of the same method had before.
    pub shared: u64,
}

impl Hashed {
    pub fn new() -> Self {
        Self { bases: Paged::new(hashed::ROOT), first: BTreeMap::new(), parents: Paged::new(None), shared: 0 }
    }
}

impl Subject for Hashed {
    fn method(&mut self, _: MethodId, _: bool) {}

    fn context(&mut self, id: ContextId, node: Node, _: MethodId) {
        let caller = self.bases[node.parent.index()];
        let base = hashed::published(caller, node.site.0);
        self.bases[id.index()] = base;
        self.parents[id.index()] = Some(node);
        let known = self.first.entry((node.method, base)).or_insert((caller, node));
        // Threads have trees of their own: equal paths are no collision.
        self.shared += u64::from(known.0 != caller || known.1.site != node.site);
    }

    fn call(&mut self, _: u32, _: ContextId, _: Node) {}

    fn leave(&mut self, _: u32, _: Node) {}

    fn decode(&mut self, _: u32, id: ContextId) -> Option<Vec<Frame>> {
        let (mut frames, mut site, mut at) = (Vec::new(), None, self.parents[id.index()]?);
        let mut base = self.bases[id.index()];
        loop {
            frames.push(Frame { method: at.method, site });
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
