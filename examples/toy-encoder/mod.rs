//! `encoder=toy`: the smallest encoder. Every entry asks the agent, and the number of a word is the
//! captured context of the caller.
//!
//! Copy this folder to `agent/src/encode/toy`, and name it in `agent/src/encode/mod.rs`
//! (`pub mod toy;`). Its line in `agent/src/registry.rs` is
//! `Toy "toy" Asking [contexts] crate::encode::toy::Toy;`.
//! Invariant: a captured number is one path for ever, so a word means one context for ever.
//! Source: CONTRIBUTING ("Add an encoder"); docs/design/thread-state.md ("Captures").

use std::iter::once;

use lucce_encoding::{Activation, Decoded, DecodedFrame, End, Passage, Unknown};
use lucce_words::{Lost, MethodId, NodeId, Signal, SiteId, Version, Word};

use crate::encode::capture;
use crate::encode::context::{Captured, Context};
use crate::encode::encoder::{ContextEncoder, Entered, Expectation};
use crate::encode::entry::{self, CallEnds, StackCheck};
use crate::encode::walk;
use crate::jvm::thread::{Entry, JavaThread};
use crate::options::Options;
use crate::stack::frames::{Frame, StackView};
use crate::state::agent::Agent;
use crate::writer::Naming;

/// The version of all words.
const VERSION: Version = Version(1);

/// The encoder. Its graph is the tree of captured contexts, which the agent has anyway.
pub struct Toy;

impl ContextEncoder for Toy {
    fn of_run(_: &Options, _: &Naming) -> Result<Self, String> {
        Ok(Self)
    }

    fn enter(&self, agent: &Agent, thread: JavaThread, callee: MethodId, at: (Word, SiteId)) -> Entered {
        let entered = enter(agent, thread, callee, at);
        entered.unwrap_or_else(|reason| entry::mark_lost(agent, thread, callee, reason)).into()
    }

    fn walked(&self, agent: &Agent, _: JavaThread, stack: &[Frame]) -> Option<Context> {
        let site = walk::frame_site(&agent.classes, stack.first()?)?.site;
        let word = path(agent, &stack[1..]).map_or_else(Word::lost, word);
        Some(Context::alone(word, site))
    }

    fn captured(&self, agent: &Agent, _: JavaThread, context: &Context) -> Option<Vec<Captured>> {
        let node = node(agent, caller(context.word)?, context.site).ok()?;
        Some(Captured::alone(context, node))
    }

    fn decode(
        &self,
        agent: &Agent,
        expected: &Expectation<'_>,
        visit: &mut dyn FnMut(Activation) -> bool,
    ) -> Option<End> {
        let called = |site| {
            let method = agent.classes.catalog.site(site).map_or(MethodId::ROOT, |entry| entry.method);
            DecodedFrame { method, site: Some(site) }
        };
        let (callers, end) = match caller(expected.word) {
            Some(caller) => (capture::sites(&agent.graph, caller.0.into()), End::Root),
            None => (Vec::new(), End::Unknown(Unknown::None)),
        };
        let own = DecodedFrame { method: expected.method, site: None };
        let frames = once(own).chain(callers.into_iter().map(called)).collect();
        Expectation::visit(Decoded { frames, end }, visit)
    }
}

/// The word of an activation whose caller has this context.
fn word(caller: NodeId) -> Word {
    Word::new(VERSION, false, caller.0.into())
}

/// The context of the caller; `None` where the word says none.
fn caller(word: Word) -> Option<NodeId> {
    (word.version() == VERSION).then_some(NodeId(word.number() as u32))
}

/// The context of an activation that stands at `site`, called from `parent`.
fn node(agent: &Agent, parent: NodeId, site: SiteId) -> Result<NodeId, Lost> {
    agent.graph.locked(|graph| graph.node(parent, site)).ok_or(Lost::Ids)
}

/// The context of a walked stack, innermost frame first; that of the thread base has no frame.
fn path(agent: &Agent, stack: &[Frame]) -> Result<NodeId, Lost> {
    let called = |parent, frame| node(agent, parent, walk::frame_site(&agent.classes, frame).ok_or(Lost::Ids)?.site);
    stack.iter().rev().try_fold(NodeId(0), called)
}

/// Entry of `callee` from `ctx` at `site`, or from a walked caller if these cannot be believed.
fn enter(agent: &Agent, thread: JavaThread, callee: MethodId, (ctx, site): (Word, SiteId)) -> Result<Signal, Lost> {
    if agent.run.is_dead() {
        return Err(Lost::Death);
    }
    let target = agent.classes.catalog.method(callee).ok_or(Lost::Hook)?;
    let origin = if site == SiteId::ROOT { None } else { agent.classes.catalog.site(site) };
    let is_doubtful = origin.as_ref().is_some_and(|origin| origin.is_doubtful_for(&target));
    let published = match site {
        SiteId::UNKNOWN => None,
        SiteId::ROOT => Some(NodeId(0)),
        site => caller(ctx).filter(|_| !is_doubtful).map(|caller| node(agent, caller, site)).transpose()?,
    };
    let view = StackView::of(agent, thread.jni);
    let ends = CallEnds { site, origin: origin.as_ref(), callee, target: &target };
    let looked = published.map(|_| entry::decided(view, ends));
    let (caller, entries) = match (published, looked) {
        (_, Some(StackCheck::Absent)) => return Err(entry::absent(view, callee, &target)),
        (Some(caller), Some(StackCheck::Seen(Passage::Plain, _))) => return Ok(Signal::plain(word(caller))),
        // The exit goes back to what was published.
        (Some(caller), Some(StackCheck::Seen(Passage::Restoring, _))) => {
            (caller, vec![Entry::pushed(ctx, site, callee, word(caller), false)])
        }
        _ => {
            let stack = walk::instrumented(view).ok_or(Lost::Hook)?;
            if stack.first().and_then(|frame| frame.method) != Some(callee) {
                return Err(entry::absent(view, callee, &target));
            }
            let caller = path(agent, &stack[1..])?;
            // The exit says nothing, so the next entry walks, too.
            (caller, vec![Entry::barrier(), Entry::pushed(Word::NONE, SiteId::UNKNOWN, callee, word(caller), false)])
        }
    };
    let fields = agent.jvm.fields.get().ok_or(Lost::Hook)?;
    // A constructor has no exit of its own, and pushes nothing.
    if target.is_constructor() || fields.push(thread, &entries) {
        Ok(Signal::restoring(word(caller)))
    } else {
        Err(Lost::Memory)
    }
}
