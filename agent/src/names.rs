//! Names and lines of methods by `jmethodID`, for what the log says of frames that are not instrumented, and for the oracle's lines.

use std::sync::{Arc, MutexGuard};

use jvmti_bindings::sys::jni::jmethodID;
use rustc_hash::FxHashMap;

use crate::jvm::jni::Jni;
use crate::jvm::jvmti::Jvmti;
use crate::lock::Lock;

/// A method of any class.
#[derive(Debug)]
pub struct Named {
    /// Internal class name.
    pub class: String,
    /// Simple name.
    pub method: String,
    /// Descriptor.
    pub desc: String,
    /// (start bci, line), as the JVM has them.
    lines: Vec<(i64, i32)>,
}

impl Named {
    /// The line at a location of the code that runs; `None` if the class file does not say.
    pub fn line(&self, location: i64) -> Option<u32> {
        let covering = self.lines.iter().filter(|(start, _)| *start <= location);
        covering.max_by_key(|(start, _)| *start).and_then(|(_, line)| u32::try_from(*line).ok())
    }

    /// `pkg.Class.method`.
    pub fn dotted(&self) -> String {
        format!("{}.{}", self.class.replace('/', "."), self.method)
    }
}

/// Remembers names.
#[derive(Default)]
pub struct Names {
    known: Lock<FxHashMap<usize, Arc<Named>>>,
}

impl Names {
    /// The name of a method. A redefined class keeps its names, and its lines are asked for again after [`Self::forget`].
    pub fn of(&self, jvmti: Jvmti, jni: Jni, method: jmethodID) -> Option<Arc<Named>> {
        if let Some(named) = self.lock().get(&(method as usize)) {
            return Some(named.clone());
        }
        let class = jvmti.declaring_class(method);
        let signature = jvmti.class_signature(class);
        jni.release(class);
        let name = jvmti.method_name(method)?;
        let class = signature?;
        let class = class.strip_prefix('L').and_then(|class| class.strip_suffix(';')).unwrap_or(&class).to_string();
        let lines = jvmti.line_numbers(method);
        let named = Arc::new(Named { class, method: name.name, desc: name.desc, lines });
        self.lock().insert(method as usize, named.clone());
        Some(named)
    }

    /// A class is being redefined: lines may change.
    pub fn forget(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, FxHashMap<usize, Arc<Named>>> {
        self.known.lock()
    }
}
