//! What the hooks ask once, when their class is initialised: addresses, masks, options. Constants
//! to the JIT.
//!
//! Invariant: what is said does not change as long as the JVM lives.

use jvmti_bindings::sys::jni::{JNIEnv, jboolean, jclass, jint, jlong};

use crate::events::profile::Profile;
use crate::options::Verify;
use crate::state::native_call::with;

pub(super) extern "system" fn values(_: *mut JNIEnv, _: jclass) -> jlong {
    with("values", 0, |agent| agent.tables.links.values.address())
}

pub(super) extern "system" fn link_buckets(_: *mut JNIEnv, _: jclass) -> jlong {
    with("linkBuckets", 0, |agent| agent.tables.links.buckets().0)
}

pub(super) extern "system" fn bucket_mask(_: *mut JNIEnv, _: jclass) -> jint {
    with("bucketMask", 0, |agent| agent.tables.links.buckets().1)
}

pub(super) extern "system" fn shortcuts(_: *mut JNIEnv, _: jclass) -> jlong {
    with("shortcuts", 0, |agent| agent.tables.links.shortcuts().0)
}

pub(super) extern "system" fn shortcut_mask(_: *mut JNIEnv, _: jclass) -> jint {
    with("shortcutMask", 0, |agent| agent.tables.links.shortcuts().1)
}

pub(super) extern "system" fn capture_buckets(_: *mut JNIEnv, _: jclass) -> jlong {
    with("captureBuckets", 0, |agent| agent.tables.contexts.buckets().0)
}

pub(super) extern "system" fn capture_mask(_: *mut JNIEnv, _: jclass) -> jint {
    with("captureMask", 0, |agent| agent.tables.contexts.buckets().1)
}

pub(super) extern "system" fn origin_buckets(_: *mut JNIEnv, _: jclass) -> jlong {
    with("originBuckets", 0, |agent| agent.events.origins.table.buckets().0)
}

pub(super) extern "system" fn origin_mask(_: *mut JNIEnv, _: jclass) -> jint {
    with("originMask", 0, |agent| agent.events.origins.table.buckets().1)
}

pub(super) extern "system" fn origin_keys(_: *mut JNIEnv, _: jclass) -> jlong {
    with("originKeys", 0, |agent| agent.events.origins.keys())
}

pub(super) extern "system" fn active(_: *mut JNIEnv, _: jclass) -> jlong {
    with("active", 0, |agent| agent.classes.demand.address())
}

pub(super) extern "system" fn verifying(_: *mut JNIEnv, _: jclass) -> jboolean {
    with("verifying", 0, |agent| agent.options.verify.is_on() as jboolean)
}

pub(super) extern "system" fn verify_interval(_: *mut JNIEnv, _: jclass) -> jint {
    with("verifyInterval", i32::MAX, |agent| match agent.options.verify {
        Verify::Every(n) => n as jint,
        Verify::Off | Verify::Each(_) => i32::MAX,
    })
}

pub(super) extern "system" fn verify_ticks(_: *mut JNIEnv, _: jclass) -> jlong {
    with("verifyTicks", 0, |agent| match agent.options.verify {
        Verify::Each(_) => agent.oracle.ticks.address(),
        Verify::Off | Verify::Every(_) => 0,
    })
}

pub(super) extern "system" fn encoder(_: *mut JNIEnv, _: jclass) -> jint {
    with("encoder", 0, |agent| agent.options.encoder.code())
}

pub(super) extern "system" fn profile_period(_: *mut JNIEnv, _: jclass) -> jint {
    with("profilePeriod", 0, |agent| agent.events.profile.as_ref().map_or(0, |profile| profile.period() as jint))
}

pub(super) extern "system" fn profile_ticks(_: *mut JNIEnv, _: jclass) -> jboolean {
    with("profileTicks", 0, |agent| agent.events.profile.as_ref().is_some_and(Profile::has_ticks).into())
}

pub(super) extern "system" fn profile_bursts(_: *mut JNIEnv, _: jclass) -> jboolean {
    with("profileBursts", 0, |agent| agent.events.profile.as_ref().is_some_and(Profile::in_bursts).into())
}
