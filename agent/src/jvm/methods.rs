//! Which rewriting a frame's method is: from the JVM's `jmethodID` to our [`MethodId`].
//!
//! The rewritten code says it itself: its prologue passes the id to `LucceHooks.enter`, so what GetBytecodes returns identifies
//! exactly the code that the frame runs, obsolete versions after a retransformation included.
//! Invariant: an answer is remembered only for methods of classes that were never redefined; a `jmethodID` is moved to the new
//! version by a redefinition.

use std::sync::RwLock;

use jvmti_bindings::sys::jni::{jclass, jmethodID};
use lucce_classfile::{PoolView, method_id_of};
use lucce_words::MethodId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::jni::Jni;
use super::jvmti::Jvmti;

/// What a frame's method is to Lucce.
pub type Identity = Option<MethodId>;

/// Remembers the identity of methods.
#[derive(Default)]
pub struct Methods {
    known: RwLock<FxHashMap<usize, Identity>>,
    /// Signatures of classes that were redefined at least once.
    redefined: RwLock<FxHashSet<String>>,
}

impl Methods {
    /// The method that rewritten code of `method` says it is; `None` for code without hooks.
    pub fn identify(&self, jvmti: Jvmti, jni: Jni, method: jmethodID) -> Identity {
        if let Some(&identity) = self.known.read().ok()?.get(&(method as usize)) {
            return identity;
        }
        let class = jvmti.declaring_class(method);
        if class.is_null() {
            return None;
        }
        let identity = self.resolve(jvmti, class, method);
        jni.release(class);
        identity
    }

    /// The class with this signature is being redefined: forget all, and never remember its methods again.
    pub fn redefining(&self, signature: String) {
        if let Ok(mut redefined) = self.redefined.write() {
            redefined.insert(signature);
        }
        if let Ok(mut known) = self.known.write() {
            known.clear();
        }
    }

    fn resolve(&self, jvmti: Jvmti, class: jclass, method: jmethodID) -> Identity {
        let boot = jvmti.class_loader(class).is_none_or(|loader| loader.is_null());
        if boot {
            self.remember(&[(method, None)]);
            return None;
        }
        let (count, pool) = jvmti.constant_pool(class)?;
        let view = PoolView::new(count, &pool);
        let identity_of = |method| jvmti.bytecodes(method).and_then(|code| method_id_of(&code, &view));
        if self.is_redefined(jvmti, class) {
            return identity_of(method);
        }
        let mut answers: Vec<_> =
            jvmti.class_methods(class).into_iter().map(|method| (method, identity_of(method))).collect();
        if !answers.iter().any(|(known, _)| *known == method) {
            answers.push((method, identity_of(method)));
        }
        // A redefinition may have begun meanwhile; it clears the table after it has marked the class, so mark, then look again.
        if self.is_redefined(jvmti, class) {
            return identity_of(method);
        }
        self.remember(&answers);
        answers.iter().find(|(known, _)| *known == method).and_then(|(_, identity)| *identity)
    }

    fn is_redefined(&self, jvmti: Jvmti, class: jclass) -> bool {
        let Ok(redefined) = self.redefined.read() else { return true };
        !redefined.is_empty() && jvmti.class_signature(class).is_none_or(|signature| redefined.contains(&signature))
    }

    fn remember(&self, answers: &[(jmethodID, Identity)]) {
        if let Ok(mut known) = self.known.write() {
            known.extend(answers.iter().map(|&(method, identity)| (method as usize, identity)));
        }
    }
}
