//! `encoder=lucce`: versioned words of one graph, which is in [`crate::state::graph`]; slow entries
//! are [`crate::encode::entry`]'s.
//!
//! Invariant: what a CHAINED word needs of the thread's shadow stack goes with it wherever the word
//! goes.
//! Source: docs/design/words-and-numbering.md, docs/design/mechanisms.md.

mod captures;

use std::cell::RefCell;

use lucce_encoding::{Activation, Below, Decoded, End, ShadowEntry};
use lucce_words::{EdgeId, Lost, MethodId, SiteId, Word};
use rustc_hash::FxHashSet;

use crate::encode::context::{Captured, Context};
use crate::encode::encoder::{ContextEncoder, Entered, Expectation};
use crate::encode::entry;
use crate::encode::walk::{self, Need};
use crate::jvm::thread::{Entry, JavaThread, ThreadFields, ThreadState};
use crate::options::Options;
use crate::stack::frames::{Frame, StackView};
use crate::state::agent::Agent;
use crate::writer::Naming;

/// The encoder of words whose graph is the agent's own.
pub struct Lucce;

thread_local! {
    /// Edges that this thread has reported as checked.
    static CHECKED: RefCell<FxHashSet<EdgeId>> = RefCell::default();
}

impl ContextEncoder for Lucce {
    fn of_run(_: &Options, _: &Naming) -> Result<Self, String> {
        Ok(Self)
    }

    fn enter(&self, agent: &Agent, thread: JavaThread, callee: MethodId, at: (Word, SiteId)) -> Entered {
        entry::enter(agent, thread, callee, at.0, at.1).into()
    }

    fn enter_untrusted(&self, agent: &Agent, thread: JavaThread, callee: MethodId) -> Entered {
        entry::enter_untrusted(agent, thread, callee).into()
    }

    fn enter_constructing(&self, agent: &Agent, thread: JavaThread, callee: MethodId, ctx: Word) -> Entered {
        entry::enter_super(agent, thread, callee, ctx).into()
    }

    fn of_state(&self, fields: &ThreadFields, thread: JavaThread, state: &ThreadState) -> Option<Context> {
        let shadow_stack = fields.shadow_stack_of(thread, state.ctx)?;
        Some(Context::chained(state.ctx, state.site, shadow_stack, true))
    }

    fn of_local(&self, agent: &Agent, thread: JavaThread, word: Word, site: SiteId) -> Option<Context> {
        let fields = agent.jvm.fields.get().filter(|_| word.version().0 != 0)?;
        Some(Context::chained(word, site, fields.shadow_stack_of(thread, word)?, true))
    }

    fn walked(&self, agent: &Agent, thread: JavaThread, stack: &[Frame]) -> Option<Context> {
        let walked = walk::encode(agent, thread, stack, Need::Event).ok()?;
        let mut shadow_stack = agent.jvm.fields.get().map_or_else(Vec::new, |fields| fields.shadow_stack(thread));
        shadow_stack.extend(walked.extra);
        Some(Context::chained(walked.ctx, walked.site, shadow_stack, false))
    }

    fn of_sample(&self, view: StackView<'_>, all: &[Frame], hooked: &[Frame]) -> Result<Context, Lost> {
        walk::of_sample(view, all, hooked)
    }

    fn captured(&self, agent: &Agent, thread: JavaThread, context: &Context) -> Option<Vec<Captured>> {
        captures::captured(agent, thread, context)
    }

    fn sites(&self, agent: &Agent, word: Word, method: MethodId, site: SiteId) -> (Vec<SiteId>, bool) {
        let none: [ShadowEntry; 0] = [];
        let decoded = agent.graph.snapshot().decode(method, word, &none);
        let callers = decoded.frames.iter().filter_map(|frame| frame.site);
        (std::iter::once(site).chain(callers).collect(), decoded.end == End::Root)
    }

    fn decode(
        &self,
        agent: &Agent,
        expected: &Expectation<'_>,
        visit: &mut dyn FnMut(Activation) -> bool,
    ) -> Option<End> {
        let snapshot = agent.graph.snapshot();
        let links = links(expected.shadow_stack);
        let mut descent = snapshot.descend(expected.method, expected.word, &links);
        descent.all(visit).then(|| descent.end())
    }

    fn saw(&self, agent: &Agent, _: SiteId, callee: MethodId, word: Word) {
        let below = agent.graph.snapshot().step(callee, word);
        let Ok(Below::Caller { edge, .. } | Below::ShadowStack { edge, .. }) = below else { return };
        if CHECKED.with_borrow_mut(|edges| edges.insert(edge)) {
            agent.graph.locked(|graph| graph.checked(edge));
        }
    }

    fn forgets(&self) -> bool {
        true
    }

    fn has_shadow_stack(&self) -> bool {
        true
    }

    fn entry(&self, agent: &Agent, thread: JavaThread, method: MethodId, word: Word) -> Option<Decoded> {
        let shadow_stack = agent.jvm.fields.get()?.shadow_stack_of(thread, word)?;
        Some(agent.graph.snapshot().decode(method, word, &links(&shadow_stack)))
    }
}

fn links(shadow_stack: &[Entry]) -> Vec<ShadowEntry> {
    shadow_stack.iter().map(|entry| entry.shadow).collect()
}
