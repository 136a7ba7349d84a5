//! Walked contexts as nodes, captured nodes of contexts, and all contexts of the trees.
//!
//! Invariant: a node is its path, so a captured number is made of it alone. Source: docs/design/thread-state.md ("Captures"), docs/design/published-encoders.md ("The calling context tree").

use jvmti_bindings::sys::jni::jobject;
use lucce_encoding::Decoded;
use lucce_words::{NodeId, Word};

use super::Cct;
use crate::encode::capture::Context;
use crate::encode::walk;
use crate::jvm::jni::Jni;
use crate::stack::frames::Frame;
use crate::state::agent::Agent;

impl Cct {
    /// The context of a walked stack whose innermost frame is `stack[0]`; a LOST word where it has no node.
    pub fn walked(&self, agent: &Agent, jni: Jni, thread: jobject, stack: &[Frame]) -> Option<Context> {
        let (word, site) = match self.walk(agent, jni, thread, stack) {
            Ok(caller) => (caller.node.word(), caller.site),
            Err(reason) => (Word::lost(reason), walk::standing(agent, stack.first()?)?.site),
        };
        Some(Context::alone(word, site))
    }

    /// The captured node of a context; `None` where it is lost.
    pub fn node(&self, agent: &Agent, context: &Context) -> Option<NodeId> {
        let decoded = self.decode(context.word)?;
        agent.core.with(&agent.catalog, &agent.writer, |core, catalog| {
            let callers = decoded.frames.iter().rev().filter_map(|frame| frame.site);
            callers.chain([context.site]).try_fold(NodeId(0), |parent, site| core.node(catalog, parent, site))
        })
    }

    /// The context of each node of each tree.
    pub fn contexts(&self) -> Vec<Decoded> {
        let mut nodes = Vec::new();
        self.trees.each(|node| nodes.push(node));
        nodes.into_iter().map(super::decoded).collect()
    }
}
