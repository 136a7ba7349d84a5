//! Algorithm 1 as an encoder: published and walked contexts, their captured nodes, its figures.
//!
//! Invariant: a node is made of decoded frames only; a context that does not reach the thread base
//! has none.
//! Source: Lucce section 5 (De); docs/design/thread-state.md ("Captures"),
//! docs/design/published-encoders.md ("Algorithm 1").

use lucce_encoding::{Activation, End};
use lucce_words::{Lost, MethodId, Signal, SiteId, Version, Word};

use super::entry::Here;
use super::{Paper, encoding};
use crate::encode::capture;
use crate::encode::context::{Captured, Context};
use crate::encode::encoder::{ContextEncoder, Entered, Expectation, GraphFigures};
use crate::encode::{entry, walk};
use crate::jvm::thread::{JavaThread, ThreadFields, ThreadState};
use crate::options::Options;
use crate::stack::frames::Frame;
use crate::state::agent::{Agent, count};
use crate::writer::Naming;

impl ContextEncoder for Paper {
    fn of_run(_: &Options, _: &Naming) -> Result<Self, String> {
        Ok(Self::default())
    }

    fn enter(&self, agent: &Agent, thread: JavaThread, callee: MethodId, at: (Word, SiteId)) -> Entered {
        count(&agent.run.counters.slow_entries);
        let Some(fields) = agent.jvm.fields.get() else { return Signal::plain(Word::lost(Lost::Hook)).into() };
        let here = Here { agent, fields, thread };
        let version = fields.version(thread);
        fields.set_version(thread, Version(0));
        match self.entered(here, callee, encoding(at.0, version), at.1) {
            Ok((signal, due)) => Entered { signal, due },
            Err(reason) => entry::mark_lost(agent, thread, callee, reason).into(),
        }
    }

    /// Hooks do not look for such contexts: a word alone does not say its version.
    fn of_state(&self, _: &ThreadFields, _: JavaThread, state: &ThreadState) -> Option<Context> {
        Some(Context { version: state.version, ..Context::alone(state.ctx, state.site) })
    }

    fn walked(&self, agent: &Agent, thread: JavaThread, stack: &[Frame]) -> Option<Context> {
        let here = Here { agent, fields: agent.jvm.fields.get()?, thread };
        let (word, site, version) = match self.walk(here, stack) {
            Ok(caller) => (Word(caller.at.call_id), caller.site, caller.at.version),
            Err(reason) => (Word::lost(reason), walk::frame_site(&agent.classes, stack.first()?)?.site, Version(0)),
        };
        Some(Context { version, ..Context::alone(word, site) })
    }

    fn captured(&self, agent: &Agent, _: JavaThread, context: &Context) -> Option<Vec<Captured>> {
        let method = agent.classes.catalog.site(context.site)?.method;
        let decoded = self.frames(method, context.word, context.version);
        let node = if decoded.end == End::Root { capture::node_of(&agent.graph, &decoded, context.site) } else { None };
        node.map(|node| Captured::alone(context, node))
    }

    fn decode(&self, _: &Agent, expected: &Expectation<'_>, visit: &mut dyn FnMut(Activation) -> bool) -> Option<End> {
        Expectation::visit(self.frames(expected.method, expected.word, expected.version), visit)
    }

    fn is_lost(&self, _: Word, version: Version) -> bool {
        version.0 == 0
    }

    fn saw(&self, _: &Agent, caller: SiteId, callee: MethodId, _: Word) {
        self.lock().checked.insert((caller, callee));
    }

    fn graph_figures(&self) -> Option<GraphFigures> {
        let inner = self.lock();
        let (edges, checked) = (inner.edges.len() as u64, inner.checked.len() as u64);
        Some(GraphFigures { edges, versions: inner.graph.version().0.into(), checked })
    }
}
