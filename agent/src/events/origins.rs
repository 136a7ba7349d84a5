//! Origins: where threads were started and tasks handed over, and what was in force there; each one number, the same for equal chains.
//!
//! Invariant: an origin's record is queued before its number is known to anybody; a chain has [`DEPTH`] origins at most, the nearest ones, and
//! says so where there were more. An origin whose context is not known has no node, and a reason.
//! Source: docs/design/origins.md; DACCE section 5.3.

use jvmti_bindings::sys::jni::jobject;
use lucce_log::{Ground, OriginKind, Record};
use lucce_words::{NodeId, OriginId, SiteId, Word};
use rustc_hash::FxHashMap;

use crate::encode::capture;
use crate::encode::walk;
use crate::hook_tables::context_table::ContextTable;
use crate::jvm::jni::Jni;
use crate::jvm::thread::ThreadFields;
use crate::state::agent::Agent;
use crate::support::lock::Lock;

/// Most origins of a chain.
const DEPTH: usize = 16;
/// Most origins of a run. A task of the JDK's keeps 24 bits of a number (`LucceTasks`).
const MOST: usize = 1 << 20;

/// All origins of a run.
pub struct Origins {
    known: Lock<Known>,
    /// Those with a context, for the hooks: the context's number stands in the word's place, the kind in the site's, the parent in the chain's.
    pub table: ContextTable,
}

#[derive(Default)]
struct Known {
    ids: FxHashMap<Origin, OriginId>,
    /// By id, from 1.
    all: Vec<(Origin, usize)>,
}

/// What an origin says.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Origin {
    node: NodeId,
    kind: OriginKind,
    ground: Ground,
    parent: OriginId,
    cut: bool,
}

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

impl Origins {
    /// Reserves the table; `None` if the address space does not allow it.
    pub fn reserve() -> Option<Self> {
        Some(Self { known: Lock::default(), table: ContextTable::reserve()? })
    }
}

impl Known {
    /// The id of an origin whose parent is one of these; `record` is told of each new one.
    fn id(&mut self, mut origin: Origin, record: &mut impl FnMut(Record)) -> OriginId {
        if let Some(&id) = self.ids.get(&origin) {
            return id;
        }
        if self.all.len() >= MOST {
            origin = Origin { node: NodeId(0), ground: Ground::Full, parent: OriginId(0), cut: true, ..origin };
            if let Some(&id) = self.ids.get(&origin) {
                return id;
            }
        }
        let (parent, missing) = self.shortened(origin.parent, DEPTH - 1, record);
        origin = Origin { parent, cut: origin.cut || missing, ..origin };
        if let Some(&id) = self.ids.get(&origin) {
            return id;
        }
        let id = OriginId(self.all.len() as u32 + 1);
        self.all.push((origin, self.depth(parent) + 1));
        self.ids.insert(origin, id);
        let Origin { node, kind, ground, parent, cut } = origin;
        record(Record::Origin { id, node, kind, ground, parent, cut });
        id
    }

    /// The first `most` origins of a chain; and is that none of several?
    fn shortened(&mut self, id: OriginId, most: usize, record: &mut impl FnMut(Record)) -> (OriginId, bool) {
        if self.depth(id) <= most {
            return (id, false);
        }
        let Some(origin) = self.get(id).filter(|_| most > 0) else { return (OriginId(0), true) };
        let (parent, missing) = self.shortened(origin.parent, most - 1, record);
        (self.id(Origin { parent, cut: origin.cut || missing, ..origin }, record), false)
    }

    fn get(&self, id: OriginId) -> Option<Origin> {
        self.all.get(id.index().checked_sub(1)?).map(|entry| entry.0)
    }

    fn depth(&self, id: OriginId) -> usize {
        id.index().checked_sub(1).and_then(|index| self.all.get(index)).map_or(0, |entry| entry.1)
    }
}

/// The origin of what the current thread starts or hands over now. `captured` is the number of its context if the hooks know it, else 0.
pub fn here(agent: &Agent, jni: Jni, thread: jobject, captured: i64, kind: OriginKind, parent: OriginId) -> OriginId {
    let node = u32::try_from(captured).ok().filter(|&node| node != 0).map(NodeId);
    match node.map_or_else(|| find(agent, jni, thread), Here::Known) {
        Here::Known(node) => id(agent, Origin { node, kind, ground: Ground::Known, parent, cut: false }),
        // The JDK's own code splits a task, or hands on one that it was given: as if whoever began it had done so.
        Here::Outside if kind == OriginKind::Submitted => parent,
        // What began with the JVM is no origin.
        Here::Outside if parent == OriginId(0) => parent,
        Here::Outside => without(agent, kind, Ground::Outside, parent),
        Here::Lost => without(agent, kind, Ground::Lost, parent),
    }
}

/// An origin without a context.
pub fn without(agent: &Agent, kind: OriginKind, ground: Ground, parent: OriginId) -> OriginId {
    id(agent, Origin { node: NodeId(0), kind, ground, parent, cut: false })
}

fn id(agent: &Agent, origin: Origin) -> OriginId {
    let encode = |core: &mut crate::state::core::Inner| {
        let mut known = agent.origins.known.lock();
        let parent = if origin.parent.index() <= known.all.len() { origin.parent } else { OriginId(0) };
        let id = known.id(Origin { parent, cut: origin.cut || parent != origin.parent, ..origin }, &mut |record| {
            core.record(record)
        });
        // Where there was no room for it, the number stands for all such.
        (id, known.get(id).is_some_and(|kept| kept.ground == Ground::Known))
    };
    agent.core.link(
        &agent.catalog,
        &agent.writer,
        |core, _| encode(core),
        |_, (id, has_context)| {
            if has_context {
                let (node, code) = (Word(origin.node.0.into()), SiteId(origin.kind as u32));
                agent.origins.table.publish(node, code, NodeId(origin.parent.0), NodeId(id.0));
            }
            id
        },
    )
}

/// The captured context of the current thread.
fn find(agent: &Agent, jni: Jni, thread: jobject) -> Here {
    if agent.encoder.weights().is_some() {
        let context = capture::current(agent, jni, thread);
        let node = context.and_then(|context| capture::keep(agent, jni, thread, &context));
        let is_outside = || walk::instrumented(agent, jni).is_some_and(|stack| stack.is_empty());
        return match node {
            Some(node) => Here::Known(node),
            None if !agent.is_dead() && is_outside() => Here::Outside,
            None => Here::Lost,
        };
    }
    let Some(fields) = agent.fields.get() else { return Here::Lost };
    let state = fields.state(jni, thread);
    if state.site == SiteId::ROOT {
        return Here::Outside;
    }
    let context = if state.is_known() {
        capture::current(agent, jni, thread)
    } else if agent.is_dead() {
        None
    } else {
        match walk::instrumented(agent, jni) {
            Some(stack) if stack.is_empty() => {
                at_base(agent, jni, thread, fields);
                return Here::Outside;
            }
            Some(stack) => capture::walked(agent, jni, thread, &stack),
            None => None,
        }
    };
    let node = context.and_then(|context| capture::keep(agent, jni, thread, &context));
    node.map_or(Here::Lost, Here::Known)
}

/// The thread has no frame with hooks, though something else was left in it: it is as it was when it began, so that the next hand-over by code of
/// the JDK's, as by threads that wake virtual ones, needs no walk.
fn at_base(agent: &Agent, jni: Jni, thread: jobject, fields: &ThreadFields) {
    if agent.options.jdk || agent.options.encoder.has_private_words() {
        return;
    }
    let class = jni.class_of(thread);
    let signature = agent.jvmti.class_signature(class);
    jni.release(class);
    // One that is being mounted or unmounted may have other frames than those that were walked.
    if signature.is_some_and(|signature| !signature.contains("VirtualThread")) {
        let root = agent.core.with(&agent.catalog, &agent.writer, |core, _| core.root());
        fields.publish(jni, thread, root, SiteId::ROOT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn submitted(node: u32, parent: OriginId) -> Origin {
        let (kind, ground) = (OriginKind::Submitted, Ground::Known);
        Origin { node: NodeId(node), kind, ground, parent, cut: false }
    }

    fn chain(known: &Known, mut id: OriginId) -> (Vec<u32>, bool) {
        let (mut nodes, mut cut) = (Vec::new(), false);
        while let Some(origin) = known.get(id) {
            nodes.push(origin.node.0);
            (id, cut) = (origin.parent, origin.cut);
        }
        (nodes, cut)
    }

    #[test]
    fn a_chain_keeps_its_nearest_origins_and_says_that_there_were_more() {
        let (mut known, mut written) = (Known::default(), 0);
        let mut last = OriginId(0);
        for node in 1..=40 {
            last = known.id(submitted(node, last), &mut |_| written += 1);
            let nodes: Vec<u32> = (1..=node).rev().take(DEPTH).collect();
            assert_eq!(chain(&known, last), (nodes, node as usize > DEPTH));
        }
        assert_eq!(written, known.all.len());
    }

    #[test]
    fn a_task_that_hands_itself_over_again_needs_no_more_origins_after_a_while() {
        let mut known = Known::default();
        let mut last = OriginId(0);
        for _ in 0..1000 {
            last = known.id(submitted(7, last), &mut |_| ());
        }
        assert!(known.all.len() <= 2 * DEPTH, "{} origins", known.all.len());
        assert_eq!(chain(&known, last), (vec![7; DEPTH], true));
    }
}
