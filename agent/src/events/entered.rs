//! `contexts`: each distinct context that a method was entered in, as an event, so that what two encoders know can be compared.
//!
//! Invariant: an entry's context is decoded from its word (Lucce, at the oracle's check) or from its node (`encoder=cct`, at the end), never
//! from the JVM's stack; its innermost frame stands at bytecode index 0.

use jvmti_bindings::sys::jni::jobject;
use lucce_encoding::{ChainEntry, Decoded, End};
use lucce_log::Record;
use lucce_words::{Bci, MethodId, NodeId, SiteId, Word};
use rustc_hash::FxHashSet;

use crate::jvm::jni::Jni;
use crate::options::Source;
use crate::state::agent::Agent;
use crate::support::kinds::Kind;
use crate::support::lock::Lock;

/// What such events are called.
const KIND: Kind<'_> = Kind::own("entered");

/// Contexts that were written.
#[derive(Default)]
pub struct Entered {
    known: Lock<FxHashSet<NodeId>>,
}

impl Entered {
    /// An entry that was just checked.
    pub fn checked(&self, agent: &Agent, jni: Jni, thread: jobject, method: MethodId, word: Word) {
        let Some(fields) = agent.fields.get() else { return };
        if !agent.options.contexts || agent.cct.is_some() || agent.algorithm1.is_some() {
            return;
        }
        let Some(chain) = fields.chain_of(jni, thread, word) else { return };
        let chain: Vec<ChainEntry> = chain.iter().map(|entry| entry.chain).collect();
        self.log(agent, &agent.core.snapshot().decode(method, word, &chain));
    }

    /// The run ends: the trees' contexts.
    pub fn finish(&self, agent: &Agent) {
        if let Some(cct) = agent.cct.as_ref().filter(|_| agent.options.contexts) {
            cct.contexts().iter().for_each(|context| self.log(agent, context));
        }
    }

    fn log(&self, agent: &Agent, context: &Decoded) {
        let Some(method) = context.frames.first().map(|frame| frame.method).filter(|_| context.end == End::Root) else {
            return;
        };
        let start = agent.catalog.method(method).and_then(|entry| agent.catalog.site_at(method, &entry, Bci(0)));
        let Some(site) = start else { return };
        let (node, kind) = agent.core.with(&agent.catalog, &agent.writer, |core, catalog| {
            let callers = context.frames.iter().rev().filter_map(|frame| frame.site);
            let node = callers.chain([site]).try_fold(NodeId(0), |parent, site| core.node(catalog, parent, site));
            (node, core.kind(KIND))
        });
        let Some(node) = node else { return };
        let mut known = self.known.lock();
        if known.is_empty() {
            agent.writer.queue(vec![Record::Thread { id: 0, name: String::new(), java_id: 0 }]);
        }
        let is_new = known.insert(node);
        drop(known);
        if is_new && agent.writer.has_place() {
            agent.writer.event(event(agent.now(), kind, site, node), Source::Events);
        }
    }
}

fn event(time_ns: u64, kind: u32, site: SiteId, node: NodeId) -> Record {
    let (word, chain) = (Word::NONE, NodeId(0));
    Record::Event { time_ns, thread: 0, kind, value: 1, word, site, chain, class: None, walked: [].into(), node }
}
