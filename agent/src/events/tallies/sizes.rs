//! What an object takes: asked of the JVM once for each site and class, so that the hooks only
//! count.
//!
//! Invariant: the size that JVMTI GetObjectSize says for an instance of that very class; of an
//! array what [`super::arrays`] says. The instance that is asked is made without a constructor, and
//! HotSpot registers finalizers in that of `Object` (`RegisterFinalizersAtInit`), so nothing ever
//! knows of it.
//! Source: JNI AllocObject; JVMTI GetObjectSize, GetClassLoaderClasses; JVMS 6.5 (invokespecial).

use jvmti_bindings::sys::jni::jclass;
use lucce_classfile::SiteKind;
use lucce_words::SiteId;

use super::layouts::Sizes;
use crate::hook_tables::tallies::Size;
use crate::jvm::jni::Jni;
use crate::jvm::part::Jvm;
use crate::stack::frames::StackView;
use crate::state::agent::Agent;
use crate::state::catalog::{SiteEntry, SiteRole};

/// Frames between the hooks and the method that called them, at most.
const LOOK: usize = 16;

impl Sizes {
    /// The size of what `site` makes; `Some(None)` for a call of `clone` that makes nothing itself;
    /// `None` if it cannot be told.
    #[allow(clippy::option_option, reason = "whether there is an answer, and what it is")]
    pub fn of(&self, agent: &Agent, jni: Jni, site: SiteId, class: jclass, number: u32) -> Option<Option<Size>> {
        if let Some(known) = self.known.lock().get(&(site, number)) {
            return Some(*known);
        }
        let entry = agent.classes.catalog.site(site)?;
        let signature = if class.is_null() { None } else { Some(agent.jvm.jvmti.class_signature(class)?) };
        if let Some(element) = signature.as_ref().and_then(|signature| signature.strip_prefix('[')) {
            let size = Some(self.arrays.of(&agent.jvm, jni, element)?);
            self.known.lock().insert((site, number), size);
            return Some(size);
        }
        let clones = match entry.role {
            SiteRole::Published(SiteKind::Virtual) => is_objects_clone(&agent.jvm, jni, class),
            SiteRole::Published(SiteKind::Special) => {
                is_objects_clone(&agent.jvm, jni, jni.superclass(caller(agent, jni)?))
            }
            _ => true,
        };
        let size = if clones {
            let class = if class.is_null() { named(agent, jni, &entry)? } else { class };
            let object = object_size(&agent.jvm, jni, class)?;
            Some(Size { object, ..Size::NONE })
        } else {
            None
        };
        self.known.lock().insert((site, number), size);
        Some(size)
    }
}

fn object_size(jvm: &Jvm, jni: Jni, class: jclass) -> Option<u32> {
    let object = jni.instance(class)?;
    let size = jvm.jvmti.object_size(object);
    jni.release(object);
    // One that is no array has some 65 535 fields at most.
    size.and_then(|size| u32::try_from(size).ok())
}

/// Is the `clone` of a class that of `Object`?
fn is_objects_clone(jvm: &Jvm, jni: Jni, class: jclass) -> bool {
    if class.is_null() {
        return false;
    }
    let method = jni.method(class, c"clone", c"()Ljava/lang/Object;");
    if method.is_null() {
        return false;
    }
    let declaring = jvm.jvmti.declaring_class(method);
    jvm.jvmti.class_signature(declaring).is_some_and(|name| name == "Ljava/lang/Object;")
}

/// The class whose method has called the hooks.
fn caller(agent: &Agent, jni: Jni) -> Option<jclass> {
    let frames = StackView::of(agent, jni).top(LOOK);
    let innermost = frames.iter().find(|frame| frame.method.is_some())?;
    Some(agent.jvm.jvmti.declaring_class(innermost.raw)).filter(|class| !class.is_null())
}

/// The class that a `new` names in a class file without class constants. It has just been resolved,
/// so the loader of the calling class is one that initiated its loading.
fn named(agent: &Agent, jni: Jni, site: &SiteEntry) -> Option<jclass> {
    let loader = agent.jvm.jvmti.class_loader(caller(agent, jni)?)?;
    let signature = format!("L{};", site.member.owner());
    jni.reserve(1 << 14);
    let mut classes = agent.jvm.jvmti.classes_of(loader).into_iter();
    let found = classes.find(|&class| {
        let same = agent.jvm.jvmti.class_signature(class).is_some_and(|name| name == signature);
        if !same {
            jni.release(class);
        }
        same
    });
    classes.for_each(|class| jni.release(class));
    found
}
