//! The class by which the Java API asks an agent that rewrites no class.
//!
//! Invariant: there is one in the JVM, whichever copies of this library come and leave. It answers
//! only while a run of this copy is open ([`open`]), and the numbers that earlier runs have given
//! are known before that.
//! Source: `java-shim/hooks` (`LucceWalks`), `java-shim/api` (`Walks`); docs/design/attach.md
//! ("The Java API").

use std::ffi::CStr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use jvmti_bindings::sys::jni::{jclass, jvalue};

use super::global::GlobalClass;
use super::jni::{Jni, Native};
use super::jvmti::Jvmti;

/// Its internal name.
pub const NAME: &CStr = c"org/lucce/walks/LucceWalks";

/// The class of the API that asks it. Each loader of the program may have one.
const ASKS: &[u8] = b"Lorg/lucce/Walks;";

/// How many numbers were given by runs that have ended.
const GIVEN: &CStr = c"given";

static CLASS: OnceLock<GlobalClass> = OnceLock::new();
static OPEN: AtomicBool = AtomicBool::new(false);

/// Finds the class: as it was just defined, or, if that is null, that of an earlier run. How many
/// numbers earlier runs have given. `None` if there is no such class.
pub fn find(jni: Jni, defined: jclass) -> Option<u32> {
    if CLASS.get().is_none() {
        let class = if defined.is_null() { jni.find_class(NAME) } else { defined };
        if class.is_null() {
            return None;
        }
        // Where two threads come here, one of the two references stays for nothing.
        let _ = CLASS.set(GlobalClass::of(jni, class));
    }
    let class = CLASS.get()?.raw();
    u32::try_from(jni.static_int(class, GIVEN)?).ok()
}

/// It answers from now on, and all who may have looked for it before are told. Could its natives be
/// registered?
pub fn open(jvmti: Jvmti, jni: Jni, natives: &[Native]) -> bool {
    let Some(class) = CLASS.get().map(GlobalClass::raw) else { return false };
    // Those of another copy of this library answer nothing any more.
    if !jni.register_natives(class, natives) {
        return false;
    }
    OPEN.store(true, Ordering::SeqCst);
    tell(jvmti, jni, class);
    true
}

/// Does it answer?
pub fn is_open() -> bool {
    OPEN.load(Ordering::SeqCst)
}

/// It answers nothing from now on.
pub fn close() {
    OPEN.store(false, Ordering::SeqCst);
}

/// The run has given numbers up to this one. The next one, of this copy or another, goes on behind
/// it.
pub fn keep_given(jni: Jni, last: u32) {
    let Some(class) = CLASS.get().map(GlobalClass::raw) else { return };
    let before = jni.static_int(class, GIVEN).unwrap_or(0);
    jni.set_static_int(class, GIVEN, before.max(i32::try_from(last).unwrap_or(i32::MAX)));
}

/// Classes of the API that were initialised before have not found the class. The others find it by
/// its name.
fn tell(jvmti: Jvmti, jni: Jni, class: jclass) {
    let loaded = jvmti.loaded_classes();
    jni.reserve(i32::try_from(loaded.len()).unwrap_or(i32::MAX));
    for asks in loaded {
        if jvmti.read_signature(asks, |signature| signature == ASKS) == Some(true) {
            let come = jni.static_method(asks, c"come", c"(Ljava/lang/Class;)V");
            if !come.is_null() {
                jni.call_static_void(asks, come, &[jvalue { l: class }]);
            }
        }
        jni.release(asks);
    }
}
