//! Which method of ours a frame runs where no class is rewritten: the JVM describes it, and the
//! catalogue learns it.
//!
//! Invariant: each frame that the JVM shows in its own traces is one of ours, native methods
//! included. Others are none, nor are those of Lucce's own classes: they are notes. Where the JVM
//! does not describe a method, it is none either.
//! Source: JVMTI GetMethodName, GetMethodModifiers, GetLineNumberTable, GetSourceFileName;
//! docs/design/attach.md ("Methods").

use std::sync::Arc;

use jvmti_bindings::sys::jni::{jclass, jmethodID};
use lucce_classfile::LineTable;
use lucce_words::signature;
use rustc_hash::FxHashMap;

use crate::jvm::image::Image;
use crate::jvm::jvmti::Jvmti;
use crate::stack::methods::Identity;
use crate::state::catalog::{Catalog, Described};
use crate::state::names;
use crate::support::lock::Shared;
use crate::support::text;

/// Annotations of methods that the JVM leaves out of its own traces (JDK 11; later). Only the JDK's
/// classes may have them.
const HIDDEN: [&[u8]; 2] = [b"Ljava/lang/invoke/LambdaForm$Hidden;", b"Ljdk/internal/vm/annotation/Hidden;"];

/// Methods of the JDK that the JVM leaves out of its own traces, by class, as the JDK's image has
/// them.
pub struct Unshown {
    image: Image,
    known: Shared<FxHashMap<Box<str>, Arc<[String]>>>,
}

impl Unshown {
    /// Those of the JDK in this folder.
    pub fn of(home: Option<&str>) -> Self {
        Self { image: Image::of(home), known: Shared::default() }
    }

    /// The run is over.
    pub fn clear(&self) {
        *self.known.write() = FxHashMap::default();
    }

    fn has(&self, class: &str, name: &str, desc: &str) -> bool {
        let known = self.known.read().get(class).cloned();
        let methods = known.unwrap_or_else(|| {
            let methods = self.read(class);
            self.known.write().insert(class.into(), Arc::clone(&methods));
            methods
        });
        methods.iter().any(|method| method.strip_prefix(name) == Some(desc))
    }

    /// Name and descriptor of each in one.
    fn read(&self, class: &str) -> Arc<[String]> {
        let bytes = self.image.class(class).unwrap_or_default();
        let methods = lucce_classfile::annotated(&bytes, &HIDDEN).unwrap_or_default();
        methods.into_iter().map(|method| text::ours(&[method.name, method.desc].concat()).into_owned()).collect()
    }
}

/// The method, learned if it is new.
pub fn identify(
    jvmti: Jvmti,
    catalog: &Catalog,
    unshown: &Unshown,
    (class, signature): (jclass, &str),
    method: jmethodID,
) -> Identity {
    let name = signature::class(signature).filter(|name| !names::is_hidden(name) && !names::is_own(name))?;
    let named = jvmti.method_name(method)?;
    if unshown.has(name, &named.name, &named.desc) {
        return None;
    }
    // Both are 16 bits in the class file.
    let lines = jvmti.line_numbers(method).into_iter().map(|(start, line)| (start as u16, line as u16)).collect();
    let source = jvmti.source_file(class);
    catalog.learn(Described {
        class: name,
        source: source.as_deref(),
        name: &named.name,
        desc: &named.desc,
        access: jvmti.method_modifiers(method)? as u16,
        lines: LineTable::new(lines),
    })
}
