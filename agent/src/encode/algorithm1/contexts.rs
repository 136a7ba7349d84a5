//! Published and walked contexts under Algorithm 1, and their captured nodes.
//!
//! Invariant: a node is made of decoded frames only; a context that does not reach the thread base has none.
//! Source: Lucce section 5 (De); docs/design/thread-state.md ("Captures"), docs/design/published-encoders.md ("Algorithm 1").

use jvmti_bindings::sys::jni::jobject;
use lucce_encoding::End;
use lucce_words::{NodeId, Version, Word};

use super::Paper;
use super::entry::Here;
use crate::encode::capture::Context;
use crate::encode::walk;
use crate::jvm::jni::Jni;
use crate::stack::frames::Frame;
use crate::state::agent::Agent;

impl Paper {
    /// The context of a walked stack whose innermost frame is `stack[0]`; a LOST word where it cannot be encoded.
    pub fn walked(&self, agent: &Agent, jni: Jni, thread: jobject, stack: &[Frame]) -> Option<Context> {
        let here = Here { agent, fields: agent.fields.get()?, jni, thread };
        let (word, site, version) = match self.walk(here, stack) {
            Ok(caller) => (Word(caller.at.call_id), caller.site, caller.at.version),
            Err(reason) => (Word::lost(reason), walk::standing(agent, stack.first()?)?.site, Version(0)),
        };
        Some(Context { version, ..Context::alone(word, site) })
    }

    /// The captured node of a context; `None` where it is lost.
    pub fn node(&self, agent: &Agent, context: &Context) -> Option<NodeId> {
        let method = agent.catalog.site(context.site)?.method;
        let decoded = self.decode(method, context.word, context.version);
        if decoded.end != End::Root {
            return None;
        }
        agent.core.with(&agent.catalog, &agent.writer, |core, catalog| {
            let callers = decoded.frames.iter().rev().filter_map(|frame| frame.site);
            callers.chain([context.site]).try_fold(NodeId(0), |parent, site| core.node(catalog, parent, site))
        })
    }
}
