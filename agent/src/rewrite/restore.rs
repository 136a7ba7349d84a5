//! The late start and the kill switch: classes that are loaded already, rewritten or given back as
//! they were.
//!
//! Invariants: at the start all classes change at one safepoint, or none does. The kill switch ends
//! all events, links and captured contexts first, so what an activation in half-restored code would
//! find out is kept nowhere; what was recorded stays exact.
//! Source: JVMTI RetransformClasses; docs/design/late-start-and-kill.md.

mod kill;
mod late;

use jvmti_bindings::sys::jni::jclass;
use lucce_classfile::method_id_of;
use lucce_words::signature;

pub use kill::kill;
pub use late::{is_late, start};

use crate::jvm::jni::Jni;
use crate::jvm::part::Jvm;

/// A loaded class and its internal name.
struct Loaded {
    class: jclass,
    name: String,
}

/// The loaded classes that can be retransformed and are wanted.
fn loaded(jvm: &Jvm, jni: Jni, wanted: impl Fn(jclass, &str) -> bool) -> Vec<Loaded> {
    let classes = jvm.jvmti.loaded_classes();
    jni.reserve(i32::try_from(classes.len()).unwrap_or(i32::MAX));
    let named = classes.into_iter().filter_map(|class| {
        let named = named(jvm, class);
        if named.is_none() {
            jni.release(class);
        }
        named
    });
    let (wanted, others): (Vec<Loaded>, Vec<Loaded>) =
        named.partition(|loaded| wanted(loaded.class, &loaded.name) && jvm.jvmti.is_modifiable(loaded.class));
    others.into_iter().for_each(|loaded| jni.release(loaded.class));
    wanted
}

/// A class that has a name, and no array.
fn named(jvm: &Jvm, class: jclass) -> Option<Loaded> {
    let signature = jvm.jvmti.class_signature(class)?;
    let name = signature::class(&signature)?.to_owned();
    Some(Loaded { class, name })
}

/// RetransformClasses: all of them or none. The JVMTI error.
fn retransform(jvm: &Jvm, classes: &[Loaded]) -> Result<(), String> {
    let classes: Vec<jclass> = classes.iter().map(|loaded| loaded.class).collect();
    jvm.jvmti.retransform(&classes).map_err(|error| format!("JVMTI error {error}"))
}

/// Is it one of these very classes?
fn is_among(jni: Jni, class: jclass, classes: &[Loaded]) -> bool {
    classes.iter().any(|one| jni.same(one.class, class))
}

/// Has any of its methods hooks? Nobody can tell of a class that is not prepared: no.
fn has_hooks(jvm: &Jvm, class: jclass) -> bool {
    let methods = jvm.jvmti.class_methods(class);
    methods.into_iter().filter_map(|method| jvm.jvmti.bytecodes(method)).any(|code| method_id_of(&code).is_some())
}
