//! Class loaders that are hidden classes: JVMTI does not show them, so their `loadClass(String)`
//! has no guard.
//!
//! Invariant: the JVM calls a loader, whatever instruction runs, only for a class that this loader
//! has defined. Such classes get no hooks, so they publish nothing that could be taken for the
//! caller of what the loader calls.
//! Source: JVMS 5.3 (the defining loader resolves); JVMTI ClassFileLoadHook (not sent for hidden
//! classes); docs/design/mechanisms.md ("Guard").

use std::sync::atomic::{AtomicBool, Ordering};

use jvmti_bindings::sys::jni::jobject;

use crate::jvm::env::Env;

/// Why the classes of such a loader are left out.
pub const UNGUARDED: &str = "its class loader is a hidden class, which cannot be guarded";

/// Whether there is one. It is known before the loader exists, for its class is prepared first.
#[derive(Default)]
pub struct HiddenLoaders(AtomicBool);

impl HiddenLoaders {
    /// A hidden class with a `loadClass(String)` can run from now on.
    pub fn note(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Is `loader` one? Costs a load while there is none.
    pub fn has(&self, Env { jvmti, jni }: Env, loader: jobject) -> bool {
        if loader.is_null() || !self.0.load(Ordering::Acquire) {
            return false;
        }
        let class = jni.class_of(loader);
        let hidden = jvmti.class_signature(class).is_none_or(|signature| is_hidden(signature.as_bytes()));
        jni.release(class);
        hidden
    }
}

/// A hidden class's signature holds a '.' behind its name (JVMTI GetClassSignature); that of JDK
/// 11's VM-anonymous classes ends in '/' and a number. A class that only looks like one costs an
/// exit store.
pub fn is_hidden(signature: &[u8]) -> bool {
    let last = signature.iter().rposition(|byte| *byte == b'/').map_or(signature, |slash| &signature[slash + 1..]);
    last.first().is_some_and(u8::is_ascii_digit) || signature.contains(&b'.')
}
