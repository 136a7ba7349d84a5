//! The natives of `java.lang.LucceTallies`.
//!
//! Invariant: as for those of the hooks, each is one call into the boundary; after a panic uses are
//! counted as lost.
//! Source: `java-shim/hooks`, whose signatures these mirror.

use std::ffi::c_void;

use jvmti_bindings::sys::jni::{JNIEnv, jclass, jint, jlong, jobject};

use super::{Tallies, TallyKind, Use, arrays, check};
use crate::hook_tables::tallies::{Table, TallyRecord};
use crate::jvm::jni::{Jni, Native};
use crate::state::agent::Agent;
use crate::state::native_call::{self, java_thread, jni};

/// For RegisterNatives.
fn table() -> Vec<Native> {
    vec![
        Native::new(c"buckets", c"()J", buckets as *mut c_void),
        Native::new(c"bucketMask", c"()I", bucket_mask as *mut c_void),
        Native::new(c"alignment", c"()I", alignment as *mut c_void),
        Native::new(c"record", c"(Ljava/lang/Thread;ILjava/lang/Class;I)J", record as *mut c_void),
        Native::new(c"check", c"(Ljava/lang/Thread;J)V", check_use as *mut c_void),
        Native::new(c"classNumber", c"(Ljava/lang/Class;)I", class_number as *mut c_void),
    ]
}

/// Registers them; called from the class itself (see `crate::entry_points::natives`).
pub fn register(jni: Jni, class: jclass) -> bool {
    jni.register_natives(class, &table())
}

fn with<T: Copy>(place: &'static str, fallback: T, body: impl FnOnce(&'static Agent, &'static Tallies) -> T) -> T {
    native_call::with(place, fallback, |agent| {
        agent.events.tallies.as_ref().map_or(fallback, |tallies| body(agent, tallies))
    })
}

extern "system" fn buckets(_: *mut JNIEnv, _: jclass) -> jlong {
    with("buckets", 0, |_, tallies| tallies.table.buckets().0)
}

extern "system" fn bucket_mask(_: *mut JNIEnv, _: jclass) -> jint {
    with("bucketMask", 0, |_, tallies| tallies.table.buckets().1)
}

extern "system" fn alignment(env: *mut JNIEnv, _: jclass) -> jint {
    // What HotSpot has unless it is told otherwise.
    with("alignment", 8, |agent, _| arrays::alignment(&agent.jvm, jni(env)).map_or(8, |alignment| alignment as jint))
}

extern "system" fn record(
    env: *mut JNIEnv,
    _: jclass,
    thread: jobject,
    key: jint,
    class: jclass,
    number: jint,
) -> jlong {
    let kind = if key < 0 { TallyKind::Entry } else { TallyKind::Alloc };
    with("record", Table::lost(kind).address() as jlong, |agent, tallies| {
        if agent.run.switch.is_ended() {
            return Table::sink().address() as jlong;
        }
        let Ok(number) = u32::try_from(number) else { return Table::lost(kind).address() as jlong };
        tallies.record(agent, java_thread(env, thread), &Use { kind, class, number }) as jlong
    })
}

extern "system" fn check_use(env: *mut JNIEnv, _: jclass, thread: jobject, record: jlong) {
    with("check", (), |agent, _| {
        if agent.run.switch.is_ended() {
            return;
        }
        // SAFETY: the hooks give the address of a record that they have found or been given.
        let record = unsafe { TallyRecord::at(record as u64) };
        check::check(agent, java_thread(env, thread), record);
    });
}

extern "system" fn class_number(_: *mut JNIEnv, _: jclass, class: jclass) -> jint {
    // Objects of a class without a number are counted as lost.
    with("classNumber", -1, |agent, tallies| {
        let number = tallies.classes.number(agent.jvm.jvmti, class);
        number.and_then(|number| jint::try_from(number).ok()).unwrap_or(-1)
    })
}
