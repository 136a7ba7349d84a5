//! The paper's Algorithm 1 with 64-bit callIds, until they or the versions run out.
//!
//! Source: Lucce section 5; `encoding/src/algorithm1.rs`.

use std::collections::BTreeMap;

use lucce_encoding::algorithm1::{Algorithm1, Encoding};
use lucce_encoding::{DecodedFrame, End};
use lucce_profiles::trace::{TraceContext, TraceNode};
use lucce_words::{MethodId, SiteId, Version};

use super::super::replay::Subject;

/// Of each activation; `None` where the numbers ran out.
type Stack = Vec<(MethodId, Option<Encoding<u64>>)>;

/// The versions that a persistent history of them may take memory for.
const MOST_VERSIONS: u32 = 20_000_000;

pub struct Paper {
    graph: Algorithm1<u64>,
    threads: BTreeMap<u32, Stack>,
    calls: u64,
    /// The call at which it ended, and why.
    pub ended: Option<(u64, String)>,
}

impl Paper {
    pub fn new() -> Self {
        let mut graph = Algorithm1::new(Version(MOST_VERSIONS));
        graph.add_site(SiteId::ROOT, MethodId::ROOT);
        Self { graph, threads: BTreeMap::new(), calls: 0, ended: None }
    }

    pub fn versions(&self) -> u32 {
        self.graph.version().0
    }
}

impl Subject for Paper {
    fn method(&mut self, _: MethodId, _: bool, _: u64) {}

    fn context(&mut self, _: TraceContext, node: TraceNode, caller: MethodId) {
        self.graph.add_site(node.site, caller);
    }

    fn call(&mut self, thread: u32, _: TraceContext, node: TraceNode) {
        if self.ended.is_some() {
            return;
        }
        self.calls += 1;
        let root = self.graph.root();
        let stack = self.threads.entry(thread).or_default();
        let at = stack.last().map_or(Some(&root), |(_, at)| at.as_ref());
        let updated = at.map(|at| self.graph.update(node.site, node.method, at));
        if let Some(Err(refused)) = &updated {
            self.ended = Some((self.calls, refused.to_string()));
            self.threads.clear();
            return;
        }
        stack.push((node.method, updated.and_then(std::result::Result::ok)));
    }

    fn leave(&mut self, thread: u32, _: TraceNode) {
        self.threads.entry(thread).or_default().pop();
    }

    fn decode(&mut self, thread: u32, _: TraceContext) -> Option<Vec<DecodedFrame>> {
        let (method, at) = self.threads.get(&thread)?.last()?;
        let decoded = self.graph.history().decode(*method, at.as_ref()?);
        (decoded.end == End::Root).then_some(decoded.frames)
    }

    fn pause(&mut self, _: u64) {
        self.graph.take_events();
    }
}
