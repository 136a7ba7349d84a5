//! Who holds a lock, and on which stack: what one look finds.
//!
//! Invariant: the owner is asked for before and after its stack is walked. Only if it is the same
//! thread, running the same task, the stack is told as the holder's; else the holder is unknown.
//! Between the two questions the owner may have left the lock and taken it again: then the stack
//! may be of a moment between. The context is encoded from that walk, as a sample's is, so it needs
//! nothing of the other thread.
//! Source: JVMTI GetObjectMonitorUsage, GetStackTrace;
//! `java.util.concurrent.locks.AbstractOwnableSynchronizer`.

use jvmti_bindings::sys::jni::jobject;
use lucce_words::{Lost, NodeId, OriginId, SiteId, Word};

use super::held::Holder;
use super::owner::Owned;
use crate::encode::walk;
use crate::events::recording::{self, KeptContext, walked_frames};
use crate::jvm::jni::Jni;
use crate::jvm::thread::JavaThread;
use crate::stack::frames::{Frame, StackView};
use crate::state::agent::Agent;
use crate::state::graph::Graph;
use crate::support::kinds::EventKind;

const KIND: EventKind<'_> = EventKind::own("holder");

impl Holder {
    /// Looks once. It makes local references.
    pub fn find(agent: &Agent, jni: Jni, lock: jobject, owned: Owned) -> Result<Self, Lost> {
        let owner = || match owned {
            Owned::Monitor => agent.jvm.jvmti.monitor_owner(jni, lock),
            Owned::Synchronizer(synchronizers) => synchronizers.owner(jni, lock),
        };
        let before = JavaThread::new(jni, owner().ok_or(Lost::Unheld)?);
        let origin = agent.events.threads.origin(before);
        let stack = StackView::of(agent, jni).of_thread(before.object);
        let is_same = |after: jobject| jni.same(before.object, after) && agent.events.threads.origin(before) == origin;
        if !owner().is_some_and(is_same) {
            return Err(Lost::Passed);
        }
        walk::note_foreign(agent);
        Self::of(agent, before, origin, &stack.ok_or(Lost::Unseen)?)
    }

    fn of(agent: &Agent, owner: JavaThread, origin: OriginId, stack: &[Frame]) -> Result<Self, Lost> {
        let hooked: Vec<Frame> = stack.iter().filter(|frame| frame.method.is_some()).copied().collect();
        let above = stack.iter().position(|frame| frame.method.is_some()).unwrap_or(stack.len());
        let view = StackView::of(agent, owner.jni);
        let context = agent.encoder.of_sample(view, stack, &hooked)?;
        let kept = recording::kept(agent, owner, &context).map_err(|_| Lost::Unseen)?;
        recording::check_walked(view, &context, &hooked);
        let walked = walked_frames(view, &stack[..above]).into();
        let (thread, kind) = recording::introduced(agent, owner, origin, KIND, context.site);
        Ok(Self { thread, kind, site: context.site, kept, walked })
    }

    /// One that is unknown, and why.
    pub fn unknown(graph: &Graph, reason: Lost) -> Self {
        let kind = graph.locked(|graph| graph.kind(KIND));
        let kept = KeptContext { word: Word::lost(reason), below: NodeId(0), node: NodeId(0) };
        Self { thread: 0, kind, site: SiteId::UNKNOWN, kept, walked: [].into() }
    }
}
