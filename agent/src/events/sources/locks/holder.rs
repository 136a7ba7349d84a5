//! Who holds a lock, and on which stack: what one look finds.
//!
//! Invariant: the owner is asked for before and after its stack is walked. Only if it is the same thread, running the same task, the stack is
//! told as the holder's; else the holder is unknown. Between the two questions the owner may have left the lock and taken it again: then the
//! stack may be of a moment between. The context is encoded from that walk, as a sample's is, so it needs nothing of the other thread.
//! Source: JVMTI GetObjectMonitorUsage, GetStackTrace; `java.util.concurrent.locks.AbstractOwnableSynchronizer`.

use std::sync::Arc;

use jvmti_bindings::sys::jni::{jclass, jfieldID, jobject};
use lucce_log::{Record, WalkedFrame};
use lucce_words::{Lost, NodeId, OriginId, SiteId, Word};

use crate::encode::walk;
use crate::events::recording::{self, Kept, walked_frames};
use crate::jvm::jni::Jni;
use crate::stack::frames::{self, Frame};
use crate::state::agent::Agent;
use crate::support::kinds::Kind;

const KIND: Kind<'_> = Kind::own("holder");

/// Where `AbstractOwnableSynchronizer` keeps its owner. The class is a global reference.
#[derive(Clone, Copy)]
pub struct Synchronizers {
    class: jclass,
    owner: jfieldID,
}

// SAFETY: a global reference and the id of a field, which all threads may use.
unsafe impl Send for Synchronizers {}
// SAFETY: as above.
unsafe impl Sync for Synchronizers {}

impl Synchronizers {
    /// Finds the field; `None` if it has another name in this JVM.
    pub fn find(jni: Jni) -> Option<Self> {
        let class = jni.find_class(c"java/util/concurrent/locks/AbstractOwnableSynchronizer");
        if class.is_null() {
            return None;
        }
        let owner = jni.field(class, c"exclusiveOwnerThread", c"Ljava/lang/Thread;");
        let global = jni.global(class);
        jni.release(class);
        (!owner.is_null() && !global.is_null()).then_some(Self { class: global, owner })
    }

    /// Is the object one?
    pub fn is(self, jni: Jni, object: jobject) -> bool {
        !object.is_null() && jni.is_instance(object, self.class)
    }

    /// A local reference to the thread that it names as its owner.
    pub fn owner(self, jni: Jni, object: jobject) -> Option<jobject> {
        let owner = jni.object(object, self.owner);
        (!owner.is_null()).then_some(owner)
    }
}

/// What says who owns a lock.
#[derive(Clone, Copy)]
pub enum Owned {
    /// The JVM, of a monitor.
    Monitor,
    /// Its own field, which is read without a lock.
    Synchronizer(Synchronizers),
}

/// What a look has found: an event that lacks its time, class and value, which it has in common with that of the wait.
#[derive(Clone)]
pub struct Holder {
    thread: u32,
    kind: u32,
    site: SiteId,
    kept: Kept,
    walked: Arc<[WalkedFrame]>,
}

impl Holder {
    /// Looks once. It makes local references.
    pub fn find(agent: &Agent, jni: Jni, lock: jobject, owned: Owned) -> Result<Self, Lost> {
        let owner = || match owned {
            Owned::Monitor => agent.jvmti.monitor_owner(jni, lock),
            Owned::Synchronizer(synchronizers) => synchronizers.owner(jni, lock),
        };
        let before = owner().ok_or(Lost::Unheld)?;
        let origin = agent.threads.origin(jni, before);
        let stack = frames::of_thread(agent.jvmti, jni, &agent.methods, &agent.catalog, before);
        let is_same = |after: jobject| jni.same(before, after) && agent.threads.origin(jni, before) == origin;
        if !owner().is_some_and(is_same) {
            return Err(Lost::Passed);
        }
        walk::note_foreign(agent);
        Self::of(agent, jni, (before, origin), &stack.ok_or(Lost::Unseen)?)
    }

    fn of(agent: &Agent, jni: Jni, (owner, origin): (jobject, OriginId), stack: &[Frame]) -> Result<Self, Lost> {
        let hooked: Vec<Frame> = stack.iter().filter(|frame| frame.method.is_some()).copied().collect();
        let above = stack.iter().position(|frame| frame.method.is_some()).unwrap_or(stack.len());
        let context = agent.encoder.of_sample(agent, jni, stack, &hooked)?;
        let kept = recording::kept(agent, jni, owner, &context).map_err(|_| Lost::Unseen)?;
        recording::check_walked(agent, jni, &context, &hooked);
        let walked = walked_frames(agent, jni, &stack[..above]).into();
        let (thread, kind) = recording::introduced(agent, jni, owner, origin, KIND, context.site);
        Ok(Self { thread, kind, site: context.site, kept, walked })
    }

    /// One that is unknown, and why.
    pub fn unknown(agent: &Agent, reason: Lost) -> Self {
        let kind = agent.core.with(&agent.catalog, &agent.writer, |core, _| core.kind(KIND));
        let kept = Kept { word: Word::lost(reason), chain: NodeId(0), node: NodeId(0) };
        Self { thread: 0, kind, site: SiteId::UNKNOWN, kept, walked: [].into() }
    }

    /// The event that stands before that of the wait.
    pub fn event(&self, time_ns: u64, value: i64, class: Option<Arc<str>>) -> Record {
        let Self { thread, kind, site, kept: Kept { word, chain, node }, .. } = *self;
        Record::Event { time_ns, thread, kind, value, word, site, chain, class, walked: Arc::clone(&self.walked), node }
    }
}
