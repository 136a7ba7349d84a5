//! What says who owns a lock.
//!
//! Invariant: a question makes at most one local reference. Source:
//! `java.util.concurrent.locks.AbstractOwnableSynchronizer`.

use jvmti_bindings::sys::jni::{jclass, jfieldID, jobject};

use crate::jvm::jni::Jni;

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
