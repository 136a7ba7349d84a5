//! The trees as an encoder: walked contexts as nodes, captured nodes of contexts, and all contexts
//! of the trees.
//!
//! Invariant: a node is its path, so a captured number is made of it alone.
//! Source: docs/design/thread-state.md ("Captures"), docs/design/published-encoders.md ("The
//! calling context tree").

use std::ffi::CStr;
use std::sync::atomic::Ordering;

use lucce_encoding::{Activation, Decoded, DecodedFrame, End, Unknown};
use lucce_words::{MethodId, SiteId, Word};

use super::{Cct, EntryTrace};
use crate::encode::capture;
use crate::encode::context::{Captured, Context};
use crate::encode::encoder::{ContextEncoder, Entered, Expectation, GraphFigures};
use crate::encode::{entry, walk};
use crate::jvm::thread::JavaThread;
use crate::options::Options;
use crate::stack::frames::Frame;
use crate::state::agent::{Agent, count};
use crate::writer::Naming;

impl ContextEncoder for Cct {
    fn of_run(options: &Options, naming: &Naming) -> Result<Self, String> {
        let trace = match &options.trace {
            Some(pattern) => {
                let (file, path) =
                    Naming { pattern: pattern.clone(), ..naming.clone() }.create().map_err(|(path, kind)| {
                        format!("cannot create the trace {}: {kind}; name another with trace=<file>", path.display())
                    })?;
                Some(EntryTrace::start(file, path)?)
            }
            None => None,
        };
        Self::reserve(options.cct_memory.into(), trace).ok_or_else(|| "no address space for the trees".into())
    }

    fn enter(&self, agent: &Agent, thread: JavaThread, callee: MethodId, at: (Word, SiteId)) -> Entered {
        count(&agent.run.counters.slow_entries);
        let entered = self.entered(agent, thread, callee, at);
        entered.unwrap_or_else(|reason| entry::mark_lost(agent, thread, callee, reason)).into()
    }

    fn walked(&self, agent: &Agent, thread: JavaThread, stack: &[Frame]) -> Option<Context> {
        let (word, site) = match self.walk(agent, thread, stack) {
            Ok(caller) => (caller.node.word(), caller.site),
            Err(reason) => (Word::lost(reason), walk::frame_site(&agent.classes, stack.first()?)?.site),
        };
        Some(Context::alone(word, site))
    }

    fn captured(&self, agent: &Agent, _: JavaThread, context: &Context) -> Option<Vec<Captured>> {
        let node = capture::node_of(&agent.graph, &Self::frames(context.word)?, context.site)?;
        Some(Captured::alone(context, node))
    }

    fn sites(&self, _: &Agent, word: Word, _: MethodId, site: SiteId) -> (Vec<SiteId>, bool) {
        // Of unknown descent.
        let Some(node) = self.trees.find(word) else { return (vec![site], false) };
        let callers = super::decoded(node).frames.into_iter().filter_map(|frame| frame.site);
        (std::iter::once(site).chain(callers).collect(), true)
    }

    fn decode(&self, _: &Agent, expected: &Expectation<'_>, visit: &mut dyn FnMut(Activation) -> bool) -> Option<End> {
        let nothing = || {
            let frames = vec![DecodedFrame { method: expected.method, site: None }];
            Decoded { frames, end: End::Unknown(Unknown::None) }
        };
        Expectation::visit(Self::frames(expected.word).unwrap_or_else(nothing), visit)
    }

    fn saw(&self, _: &Agent, caller: SiteId, callee: MethodId, _: Word) {
        self.checked.lock().insert((caller, callee));
    }

    fn demote(&self, sites: &[SiteId], callee: MethodId) {
        for &site in sites {
            self.edges.demote(site, callee);
        }
    }

    /// The thread's tree goes to the next one that begins.
    fn thread_ended(&self, agent: &Agent, thread: JavaThread) {
        let Some(fields) = agent.jvm.fields.get() else { return };
        let id = fields.tree(thread);
        if id != 0 {
            fields.publish(thread, Word::NONE, SiteId::UNKNOWN);
            fields.set_tree(thread, 0);
            if let (Some(trace), Some(tree)) = (&self.trace, self.trees.get(id)) {
                trace.release(&agent.run, tree);
            }
            self.trees.release(id);
        }
    }

    fn finish(&self, agent: &Agent) {
        if let Some(trace) = &self.trace {
            trace.finish(agent, self.trees.all());
        }
    }

    fn hook_class(&self) -> Option<&'static CStr> {
        Some(c"java/lang/LucceTree")
    }

    fn entries(&self) -> Vec<Decoded> {
        let mut nodes = Vec::new();
        self.trees.each(|node| nodes.push(node));
        nodes.into_iter().map(super::decoded).collect()
    }

    fn graph_figures(&self) -> Option<GraphFigures> {
        let undecided = self.walked.lock().iter().filter(|(site, callee)| !self.edges.has(*site, *callee)).count();
        let edges = (self.edges.count() + undecided) as u64;
        Some(GraphFigures { edges, versions: 0, checked: self.checked.lock().len() as u64 })
    }

    fn figures(&self) -> Vec<(&'static str, u64)> {
        let (trees, bytes) = self.trees.sizes();
        let traced = self.trace.as_ref().map(EntryTrace::figures);
        let traced = |of: fn(&super::trace::TraceFigures) -> u64| traced.as_ref().map_or(0, of);
        vec![
            ("cct.nodes", self.nodes.load(Ordering::Relaxed)),
            ("cct.trees", trees as u64),
            ("cct.bytes", bytes),
            ("trace.entries", traced(|trace| trace.entries)),
            ("trace.dropped", traced(|trace| trace.dropped)),
            ("trace.bytes", traced(|trace| trace.bytes)),
        ]
    }
}
