//! Captured contexts: one number for a word together with its shadow stack, the same for equal
//! contexts whatever their words.
//!
//! Invariant: a captured number is a node of one tree of (parent, site); equal contexts are equal
//! paths, so they are equal nodes across versions, threads and shadow stacks. Source:
//! docs/design/thread-state.md ("Captures").

use lucce_encoding::{Decoded, DecodedFrame, End};
use lucce_words::{MethodId, NodeId, SiteId, Word};

use crate::encode::context::{Captured, Context};
use crate::encode::walk;
use crate::hook_tables::tables::HookTables;
use crate::jvm::thread::JavaThread;
use crate::stack::frames::{Frame, StackView};
use crate::state::agent::{Agent, count};
use crate::state::graph::Graph;

/// The published context of the current thread, or by a walk where none is. `None` outside
/// instrumented code, or when lost.
pub fn current(agent: &Agent, thread: JavaThread) -> Option<Context> {
    if !agent.options.encoder.has_contexts() || agent.run.switch.is_ended() {
        return None;
    }
    agent.encoder.current(agent, thread).or(|| published_or_walked(agent, thread))
}

/// The context of the current thread, whose word can be decoded from now on.
pub fn given(agent: &Agent, thread: JavaThread) -> Option<Context> {
    agent.encoder.give(agent, thread).or(|| published_or_walked(agent, thread))
}

/// The published context of the current thread where the hooks publish sites, or by a walk where
/// none is.
fn published_or_walked(agent: &Agent, thread: JavaThread) -> Option<Context> {
    if let Some(fields) = agent.jvm.fields.get() {
        let state = fields.state(thread);
        if state.site == SiteId::ROOT {
            return None;
        }
        if state.is_known()
            && let Some(context) = agent.encoder.of_state(fields, thread, &state)
        {
            return Some(context);
        }
    }
    if !agent.is_ready() || agent.run.is_dead() {
        return None;
    }
    walked(agent, thread, &walk::instrumented(StackView::of(agent, thread.jni))?)
}

/// The context of a walked stack whose innermost frame is `stack[0]`. `None` after the kill switch,
/// too: other frames may have lost their hooks.
pub fn walked(agent: &Agent, thread: JavaThread, stack: &[Frame]) -> Option<Context> {
    if stack.is_empty() || agent.run.switch.is_ended() {
        return None;
    }
    count(&agent.run.counters.event_walks);
    agent.encoder.walked(agent, thread, stack)
}

/// The captured node of a context, and the node below its topmost cut (0 if no cut lies on its
/// path). `None` if it does not decode.
pub fn node(agent: &Agent, thread: JavaThread, context: &Context) -> Option<(NodeId, NodeId)> {
    let all = agent.encoder.captured(agent, thread, context)?;
    all.last().map(|captured| (captured.node, captured.below))
}

/// The captured node of decoded frames, of which the innermost stands at `site`.
pub fn node_of(graph: &Graph, decoded: &Decoded, site: SiteId) -> Option<NodeId> {
    let callers = decoded.frames.iter().rev().filter_map(|frame| frame.site);
    graph.locked(|graph| callers.chain([site]).try_fold(NodeId(0), |parent, site| graph.node(parent, site)))
}

/// The number of a context, which the hooks find by themselves from now on if it was published.
/// `None` if it does not decode.
///
/// The hooks look for cut entries' nodes where they look for contexts, so those are published too:
/// a warm program that recurses asks no more.
pub fn keep(agent: &Agent, thread: JavaThread, context: &Context) -> Option<NodeId> {
    let all = agent.encoder.captured(agent, thread, context)?;
    let node = all.last()?.node;
    agent.graph.locked(|graph| {
        graph.give(node);
        if context.published {
            publish(&agent.tables, &all);
        }
    });
    Some(node)
}

/// Lets the hooks find captured contexts by themselves; only under the encoder's lock.
pub fn publish(tables: &HookTables, all: &[Captured]) {
    for &Captured { word, site, below, node } in all {
        tables.contexts.publish(word, site, below, node);
    }
}

/// `LucceApi.capture`'s slow way, and `LucceWalks.capture`: the captured number of what the caller
/// published, or of where it stands; 0 if there is none.
pub fn capture(agent: &Agent, thread: JavaThread) -> i64 {
    let node = current(agent, thread).and_then(|context| keep(agent, thread, &context));
    node.map_or(0, |node| node.0.into())
}

/// The sites of a captured number, innermost first.
pub fn sites(graph: &Graph, captured: i64) -> Vec<SiteId> {
    let Ok(mut node) = u32::try_from(captured).map(NodeId) else { return Vec::new() };
    graph.locked(|graph| {
        let mut sites = Vec::new();
        while let Some((parent, site)) = graph.node_at(node) {
            sites.push(site);
            node = parent;
        }
        sites
    })
}

/// The frames of a captured context, as an activation of `method` has them that stands in its
/// innermost frame, or (`entered`) was just called from there.
pub fn decoded(agent: &Agent, node: NodeId, method: MethodId, entered: bool) -> Decoded {
    let mut sites = sites(&agent.graph, i64::from(node.0));
    if !entered && !sites.is_empty() {
        sites.remove(0);
    }
    let called = |site: SiteId| DecodedFrame {
        method: agent.classes.catalog.site(site).map_or(MethodId::ROOT, |entry| entry.method),
        site: Some(site),
    };
    let frames = std::iter::once(DecodedFrame { method, site: None }).chain(sites.into_iter().map(called)).collect();
    Decoded { frames, end: End::Root }
}

/// The sites of `word` read at `site`, innermost first, without a shadow stack; and whether they
/// reach the thread base.
pub fn sites_of_word(agent: &Agent, word: Word, site: SiteId) -> (Vec<SiteId>, bool) {
    let Some(entry) = agent.classes.catalog.site(site) else { return (Vec::new(), false) };
    agent.encoder.sites(agent, word, entry.method, site)
}
