//! Names and lines of methods by `jmethodID`, for what the log says of frames that are not
//! instrumented, and for the oracle's lines.
//!
//! Invariant: nothing is remembered of a class that was ever redefined: its `jmethodID`s are moved
//! to other lines while somebody asks. What is kept of obsolete code is kept for good, for the JVM
//! cannot be asked about it once its frames have gone.

use std::sync::Arc;

use jvmti_bindings::sys::jni::jmethodID;
use lucce_classfile::LineTable;
use lucce_words::{Bci, signature};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::jvm::env::Env;
use crate::support::lock::{Lock, Locked};

/// Methods of obsolete code that are kept: some 10 MiB.
const MOST_OBSOLETE: usize = 1 << 16;

/// A method of any class.
#[derive(Debug)]
pub struct Named {
    /// Internal class name.
    pub class: String,
    /// Simple name.
    pub method: String,
    /// Descriptor.
    pub desc: String,
    /// Of the code that runs.
    lines: LineTable,
}

/// Is the class of this name hidden, so that the JVM leaves its methods out of its own traces? The
/// names of hidden classes hold a '.', and those of the anonymous ones of JDK 11 end in '/' and a
/// number. Classes named `$Holder` have the code of method handles that was made with the JDK.
pub fn is_hidden(class: &str) -> bool {
    let last = class.rsplit('/').next().unwrap_or_default();
    class.contains('.')
        || last.starts_with(|c: char| c.is_ascii_digit())
        || class.starts_with("java/lang/invoke/") && last.ends_with("$Holder")
}

/// Is it a class of Lucce's own, of the hooks or of the API?
pub fn is_own(class: &str) -> bool {
    class.starts_with("org/lucce/") || is_of_hooks(class)
}

fn is_of_hooks(class: &str) -> bool {
    class.starts_with("java/lang/Lucce") || class.starts_with("org/lucce/walks/")
}

impl Named {
    /// Is it one of the hooks' classes?
    pub fn is_hook(&self) -> bool {
        is_of_hooks(&self.class)
    }

    /// The line at a location of the code that runs; `None` if the class file does not say.
    pub fn line(&self, location: i64) -> Option<u32> {
        self.lines.line(Bci(u16::try_from(location).ok()?)).map(u32::from)
    }

    /// `pkg.Class.method`.
    pub fn dotted(&self) -> String {
        format!("{}.{}", self.class.replace('/', "."), self.method)
    }
}

/// Remembers names.
#[derive(Default)]
pub struct Names {
    known: Lock<NamedMethods>,
}

#[derive(Default)]
struct NamedMethods {
    methods: FxHashMap<usize, Arc<Named>>,
    /// Methods of obsolete code.
    obsolete: FxHashMap<usize, Arc<Named>>,
    /// Internal names.
    redefined: FxHashSet<String>,
}

impl NamedMethods {
    fn get(&self, method: jmethodID) -> Option<Arc<Named>> {
        let key = method as usize;
        self.methods.get(&key).or_else(|| self.obsolete.get(&key)).cloned()
    }
}

impl Names {
    /// The name of a method, and its lines.
    pub fn of(&self, env: Env, method: jmethodID) -> Option<Arc<Named>> {
        if let Some(named) = self.lock().get(method) {
            return Some(named);
        }
        let named = Self::asked(env, method)?;
        let mut known = self.lock();
        if !known.redefined.contains(&named.class) {
            known.methods.insert(method as usize, named.clone());
        }
        Some(named)
    }

    /// Keeps the name of a method whose code is obsolete, and stands in a frame now. False if that
    /// is not to be had, or too many are kept.
    pub fn keep(&self, env: Env, method: jmethodID) -> bool {
        let named = Self::asked(env, method);
        let mut known = self.lock();
        let kept = named.filter(|_| known.obsolete.len() < MOST_OBSOLETE);
        kept.is_some_and(|named| {
            known.obsolete.insert(method as usize, named);
            true
        })
    }

    fn asked(Env { jvmti, jni }: Env, method: jmethodID) -> Option<Arc<Named>> {
        let class = jvmti.declaring_class(method);
        let signature = jvmti.class_signature(class);
        jni.release(class);
        let name = jvmti.method_name(method)?;
        let class = signature?;
        let class = signature::internal_name(&class).to_owned();
        let lines = jvmti.line_numbers(method).into_iter();
        // Both are 16 bits in the class file.
        let lines = LineTable::new(lines.map(|(start, line)| (start as u16, line as u16)).collect());
        Some(Arc::new(Named { class, method: name.name, desc: name.desc, lines }))
    }

    /// The class with this internal name is being redefined.
    pub fn redefining(&self, class: &str) {
        let mut known = self.lock();
        known.redefined.insert(class.into());
        known.methods.clear();
    }

    /// Classes were unloaded, whose `jmethodID`s others may get.
    pub fn forget(&self) {
        self.lock().methods.clear();
    }

    /// The run is over.
    pub fn clear(&self) {
        *self.lock() = NamedMethods::default();
    }

    fn lock(&self) -> Locked<'_, NamedMethods> {
        self.known.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_that_the_jvm_gives_in_its_traces() {
        let lines = LineTable::new(vec![(3, 12), (0, 10), (0, 11), (9, 13), (9, 14)]);
        let named = Named { class: String::new(), method: String::new(), desc: String::new(), lines };
        let found = [0, 1, 3, 8, 9, 20].map(|location| named.line(location));
        assert_eq!(found, [10, 11, 12, 12, 13, 14].map(Some));
        assert_eq!(named.line(-1), None);
    }
}
