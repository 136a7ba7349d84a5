//! `contexts`: each distinct context that a method was entered in, as an event, so that what two
//! encoders know can be compared.
//!
//! Invariant: an entry's context is decoded from its word (Lucce, at the oracle's check) or from
//! its node (`encoder=cct`, at the end), never from the JVM's stack; its innermost frame stands at
//! bytecode index 0.

mod written;

use lucce_encoding::{Decoded, End};
use lucce_log::Record;
use lucce_words::{Bci, MethodId, NodeId, SiteId, Word};

use crate::encode::capture;
use crate::jvm::thread::JavaThread;
use crate::options::Source;
use crate::state::agent::Agent;
use crate::support::kinds::EventKind;
pub use written::ContextDump;

/// What such events are called.
const KIND: EventKind<'_> = EventKind::own("entered");

impl ContextDump {
    /// An entry that was just checked.
    pub fn checked(&self, agent: &Agent, thread: JavaThread, method: MethodId, word: Word) {
        if agent.options.contexts
            && let Some(context) = agent.encoder.entry(agent, thread, method, word)
        {
            self.log(agent, &context);
        }
    }

    /// The run ends: the contexts that the encoder has kept.
    pub fn finish(&self, agent: &Agent) {
        if agent.options.contexts {
            agent.encoder.entries().iter().for_each(|context| self.log(agent, context));
        }
    }

    fn log(&self, agent: &Agent, context: &Decoded) {
        let Some(method) = context.frames.first().map(|frame| frame.method).filter(|_| context.end == End::Root) else {
            return;
        };
        let start = agent
            .classes
            .catalog
            .method(method)
            .and_then(|entry| agent.classes.catalog.site_at(method, &entry, Bci(0)));
        let Some(site) = start else { return };
        let Some(node) = capture::node_of(&agent.graph, context, site) else { return };
        let mut known = self.known.lock();
        if known.is_empty() {
            agent.run.writer.queue(vec![Record::Thread { id: 0, name: String::new(), java_id: 0 }]);
        }
        let is_new = known.insert(node);
        drop(known);
        if is_new && agent.run.writer.has_place() {
            let kind = agent.graph.locked(|graph| graph.kind(KIND));
            agent.run.writer.event(event(agent.run.now(), kind, site, node), Source::Events);
        }
    }
}

fn event(time_ns: u64, kind: u32, site: SiteId, node: NodeId) -> Record {
    let (word, chain) = (Word::NONE, NodeId(0));
    Record::Event { time_ns, thread: 0, kind, value: 1, word, site, chain, class: None, walked: [].into(), node }
}
