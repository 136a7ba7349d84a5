//! Traces as the Java API gives them.
//!
//! Invariant: frames are those of the context, innermost first; what is missing at the end is said.

use jvmti_bindings::sys::jni::{jobject, jvalue};
use lucce_words::SiteId;

use crate::jvm::jni::Jni;
use crate::state::catalog::ClassEntry;
use crate::state::classes::Classes;

/// The line of a native method's frame, as `StackTraceElement` has it.
const NATIVE: i32 = -2;

/// Sites as StackTraceElement[]; a trace that does not reach the thread base ends with an element
/// that says so.
pub(super) fn elements(classes: &Classes, jni: Jni, sites: &[SiteId], whole: bool) -> jobject {
    let class = jni.find_class(c"java/lang/StackTraceElement");
    if class.is_null() {
        return class;
    }
    let constructor = jni.method(class, c"<init>", c"(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;I)V");
    let known: Vec<_> = sites.iter().filter_map(|site| classes.catalog.site(*site)).collect();
    let unknown = usize::from(!whole);
    let array = jni.new_objects(known.len() + unknown, class);
    if array.is_null() || constructor.is_null() {
        return array;
    }
    let put = |index: usize, class_name: &str, method: &str, file: Option<&str>, line: i32| {
        let (class_name, method, file) = (jni.string(Some(class_name)), jni.string(Some(method)), jni.string(file));
        let arguments = [jvalue { l: class_name }, jvalue { l: method }, jvalue { l: file }, jvalue { i: line }];
        let element = jni.new_object(class, constructor, &arguments);
        jni.set_element(array, index, element);
        for reference in [class_name, method, file, element] {
            jni.release(reference);
        }
    };
    for (index, site) in known.iter().enumerate() {
        let Some(method) = classes.catalog.method(site.method) else { continue };
        let class = classes.catalog.class(method.class);
        let source = class.as_ref().and_then(ClassEntry::source);
        let line = if method.is_native() { NATIVE } else { site.line.map_or(-1, i32::from) };
        put(index, &method.member.owner().replace('/', "."), method.member.name(), source, line);
    }
    if unknown == 1 {
        put(known.len(), "org.lucce.Unknown", "unknownHere", None, -1);
    }
    array
}
