//! Origins: where threads were started and tasks handed over, and what was in force there; each one
//! number, the same for equal chains.
//!
//! Invariant: an origin's record is queued before its number is known to anybody; a chain has
//! [`table::DEPTH`] origins at most, the nearest ones, and says so where there were more. An origin
//! whose context is not known has no node, and a reason.
//! Source: docs/design/origins.md; DACCE section 5.3.

mod measured;
mod table;

use lucce_log::{Ground, OriginKind};
use lucce_words::{NodeId, OriginId, SiteId, Word};

use crate::encode::capture;
use crate::encode::walk;
use crate::jvm::thread::{JavaThread, ThreadFields};
use crate::stack::frames::StackView;
use crate::state::agent::Agent;
use crate::state::graph::LockedGraph;
pub use measured::HandedOver;
use table::Origin;
pub use table::Origins;

/// The context of the thread that asks.
enum Here {
    Known(NodeId),
    Outside,
    Lost,
}

/// The code of a kind in the hooks.
pub fn kind(code: i32) -> OriginKind {
    if code == 0 { OriginKind::Started } else { OriginKind::Submitted }
}

/// The origin of what the current thread starts or hands over now. `captured` is the number of its
/// context if the hooks know it, else 0; `force` is what is in force on it, an origin or a
/// measurement.
pub fn here(agent: &Agent, thread: JavaThread, captured: i64, kind: OriginKind, force: OriginId) -> OriginId {
    let node = u32::try_from(captured).ok().filter(|&node| node != 0).map(NodeId);
    let (parent, of) = agent.events.origins.known.lock().in_force(force);
    // A number that nobody has given: what went before is not known.
    let cut = force != OriginId(0) && (parent, of) == (OriginId(0), OriginId(0));
    let without = |ground| id(agent, Origin { node: NodeId(0), kind, ground, parent, cut, of }, force);
    match node.map_or_else(|| find(agent, thread), Here::Known) {
        Here::Known(node) => id(agent, Origin { node, kind, ground: Ground::Known, parent, cut, of }, force),
        // The JDK's own code splits a task, or hands on one that it was given: as if whoever began
        // it had done so.
        Here::Outside if kind == OriginKind::Submitted && force == parent => parent,
        // What began with the JVM is no origin.
        Here::Outside if force == OriginId(0) => force,
        Here::Outside => without(Ground::Outside),
        Here::Lost => without(Ground::Lost),
    }
}

/// An origin of which nothing is known but the reason.
pub fn unknown(agent: &Agent, kind: OriginKind, ground: Ground) -> OriginId {
    without(agent, kind, ground, agent.events.origins.any())
}

/// The origin of a task that was handed over with one of these two, and maybe in both places at
/// once.
pub fn ambiguous(agent: &Agent, one: OriginId, other: OriginId) -> OriginId {
    let [one, other] = {
        let known = agent.events.origins.known.lock();
        [one, other].map(|force| known.in_force(force).1)
    };
    let of = if one == other { one } else { agent.events.origins.any() };
    without(agent, OriginKind::Submitted, Ground::Ambiguous, of)
}

fn without(agent: &Agent, kind: OriginKind, ground: Ground, of: OriginId) -> OriginId {
    let origin = Origin { node: NodeId(0), kind, ground, parent: OriginId(0), cut: false, of };
    id(agent, origin, OriginId(0))
}

/// The number of an origin; `force` is what the hooks look it up by where its context is known.
fn id(agent: &Agent, origin: Origin, force: OriginId) -> OriginId {
    let encode = |graph: &mut LockedGraph| {
        let mut known = agent.events.origins.known.lock();
        let id = known.id(origin, &mut |record| graph.record(record));
        // Where there was no room for it, the number stands for all such.
        (id, known.get(id).is_some_and(|kept| kept.ground == Ground::Known))
    };
    agent.graph.link(encode, |_, (id, has_context)| {
        if has_context {
            let (node, code) = (Word(origin.node.0.into()), SiteId(origin.kind as u32));
            agent.events.origins.table.publish(node, code, NodeId(force.0), NodeId(id.0));
        }
        id
    })
}

/// The captured context of the current thread.
fn find(agent: &Agent, thread: JavaThread) -> Here {
    if agent.encoder.weights().is_some() {
        let context = capture::current(agent, thread);
        let node = context.and_then(|context| capture::keep(agent, thread, &context));
        let is_outside = || walk::instrumented(StackView::of(agent, thread.jni)).is_some_and(|stack| stack.is_empty());
        return match node {
            Some(node) => Here::Known(node),
            None if !agent.run.is_dead() && is_outside() => Here::Outside,
            None => Here::Lost,
        };
    }
    let Some(fields) = agent.jvm.fields.get() else { return Here::Lost };
    let state = fields.state(thread);
    if state.site == SiteId::ROOT {
        return Here::Outside;
    }
    let context = if state.is_known() {
        capture::current(agent, thread)
    } else if agent.run.is_dead() {
        None
    } else {
        match walk::instrumented(StackView::of(agent, thread.jni)) {
            Some(stack) if stack.is_empty() => {
                at_base(agent, thread, fields);
                return Here::Outside;
            }
            Some(stack) => capture::walked(agent, thread, &stack),
            None => None,
        }
    };
    let node = context.and_then(|context| capture::keep(agent, thread, &context));
    node.map_or(Here::Lost, Here::Known)
}

/// The thread has no frame with hooks, though something else was left in it: it is as it was when
/// it began, so that the next hand-over by code of the JDK's, as by threads that wake virtual ones,
/// needs no walk.
fn at_base(agent: &Agent, thread: JavaThread, fields: &ThreadFields) {
    if agent.options.jdk || agent.options.encoder.has_private_words() {
        return;
    }
    let class = thread.class();
    let signature = agent.jvm.jvmti.class_signature(class);
    thread.jni.release(class);
    // One that is being mounted or unmounted may have other frames than those that were walked.
    if signature.is_some_and(|signature| !signature.contains("VirtualThread")) {
        let root = agent.graph.locked(|graph| graph.root());
        fields.publish(thread, root, SiteId::ROOT);
    }
}
