//! The natives of `java.lang.LucceHooks`, and what registers those of the other classes.
//!
//! Invariant: each is one call into the boundary; the fallback of a panic is a LOST word or
//! nothing.
//! Source: `java-shim/hooks`, whose signatures these mirror.

mod api;
mod constants;
mod elements;
mod sums;
mod walks;

use std::ffi::c_void;

use jvmti_bindings::sys::jni::{JNIEnv, jboolean, jclass, jint, jlong, jobject};
use lucce_words::{Lost, MethodId, Signal, SiteId, Word};

use crate::encode::encoder::{ContextEncoder, Entered};
use crate::hook_tables::calls::Calls;
use crate::jvm::jni::Native;
use crate::jvm::thread::{CONSTRUCTING, JavaThread};
use crate::state::agent::Agent;
use crate::state::native_call::{java_thread, jni, with};
use crate::{encode::cct, encode::entry, events::tallies, verify::oracle};
pub use walks::table as walks;

/// For RegisterNatives.
fn table() -> Vec<Native> {
    vec![
        Native::new(c"values", c"()J", constants::values as *mut c_void),
        Native::new(c"linkBuckets", c"()J", constants::link_buckets as *mut c_void),
        Native::new(c"bucketMask", c"()I", constants::bucket_mask as *mut c_void),
        Native::new(c"shortcuts", c"()J", constants::shortcuts as *mut c_void),
        Native::new(c"shortcutMask", c"()I", constants::shortcut_mask as *mut c_void),
        Native::new(c"captureBuckets", c"()J", constants::capture_buckets as *mut c_void),
        Native::new(c"captureMask", c"()I", constants::capture_mask as *mut c_void),
        Native::new(c"originBuckets", c"()J", constants::origin_buckets as *mut c_void),
        Native::new(c"originMask", c"()I", constants::origin_mask as *mut c_void),
        Native::new(c"originKeys", c"()J", constants::origin_keys as *mut c_void),
        Native::new(c"active", c"()J", constants::active as *mut c_void),
        Native::new(c"verifying", c"()Z", constants::verifying as *mut c_void),
        Native::new(c"verifyInterval", c"()I", constants::verify_interval as *mut c_void),
        Native::new(c"verifyTicks", c"()J", constants::verify_ticks as *mut c_void),
        Native::new(c"encoder", c"()I", constants::encoder as *mut c_void),
        Native::new(c"profilePeriod", c"()I", constants::profile_period as *mut c_void),
        Native::new(c"profileTicks", c"()Z", constants::profile_ticks as *mut c_void),
        Native::new(c"untilTick", c"(Ljava/lang/Thread;)Z", until_tick as *mut c_void),
        Native::new(c"profileBursts", c"()Z", constants::profile_bursts as *mut c_void),
        Native::new(c"sample", c"(Ljava/lang/Thread;IJI)I", sample as *mut c_void),
        Native::new(c"countingCell", c"()J", counting_cell as *mut c_void),
        Native::new(c"enterSlow", c"(Ljava/lang/Thread;IJI)J", enter_slow as *mut c_void),
        Native::new(c"foundOften", c"(JI)V", found_often as *mut c_void),
        Native::new(c"enterWalk", c"(Ljava/lang/Thread;I)J", enter_walk as *mut c_void),
        Native::new(c"check", c"(Ljava/lang/Thread;IJJ)V", check as *mut c_void),
    ]
}

/// The one native that the JVM finds by name, in the agent's library; called by the class
/// initialiser of `LucceHooks`.
///
/// # Safety
/// Called by the JVM.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_LucceHooks_registerNatives(env: *mut JNIEnv, class: jclass) {
    with("registerNatives", (), |_| {
        if !jni(env).register_natives(class, &table()) {
            say!("the hooks' natives cannot be registered in this JVM; nothing is recorded");
        }
    });
}

/// As above, for the class `LucceApi`.
///
/// # Safety
/// Called by the JVM.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_LucceApi_registerNatives(env: *mut JNIEnv, class: jclass) {
    with("registerNatives", (), |_| {
        if !jni(env).register_natives(class, &api::table()) {
            say!("the natives of what programs ask cannot be registered in this JVM; nothing can be asked");
        }
    });
}

/// As above, for the class `LucceTree`.
///
/// # Safety
/// Called by the JVM.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_LucceTree_registerNatives(env: *mut JNIEnv, class: jclass) {
    with("registerNatives", (), |_| {
        if !cct::register(jni(env), class) {
            say!("the natives of the trees cannot be registered in this JVM; nothing is recorded");
        }
    });
}

/// As above, for the class `LucceTallies`.
///
/// # Safety
/// Called by the JVM.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_LucceTallies_registerNatives(env: *mut JNIEnv, class: jclass) {
    with("registerNatives", (), |_| {
        if !tallies::register(jni(env), class) {
            say!("the natives of the tallies cannot be registered in this JVM; nothing is recorded");
        }
    });
}

extern "system" fn counting_cell(_: *mut JNIEnv, _: jclass) -> jlong {
    // A native that cannot answer must still give an address that may be written.
    with("countingCell", Calls::spare(), |agent| agent.tables.calls.cell())
}

extern "system" fn sample(env: *mut JNIEnv, _: jclass, thread: jobject, n: jint, word: jlong, at: jint) -> jint {
    with("sample", jint::MAX, |agent| {
        let Some(profile) = &agent.events.profile else { return jint::MAX };
        profile.sample(agent, java_thread(env, thread), (MethodId(n as u32), word as u64), at)
    })
}

extern "system" fn until_tick(env: *mut JNIEnv, _: jclass, thread: jobject) -> jboolean {
    with("untilTick", 1, |agent| {
        agent.events.profile.as_ref().is_some_and(|profile| profile.until_tick(java_thread(env, thread))).into()
    })
}

extern "system" fn enter_slow(env: *mut JNIEnv, _: jclass, thread: jobject, n: jint, ctx: jlong, site: jint) -> jlong {
    let (callee, ctx) = (MethodId(n as u32), Word(ctx as u64));
    entered("enterSlow", env, thread, callee, |agent, thread, encoder| match site {
        CONSTRUCTING => encoder.enter_constructing(agent, thread, callee, ctx),
        site => encoder.enter(agent, thread, callee, (ctx, SiteId(site as u32))),
    })
}

/// What the encoder says of an entry, which the oracle compares if the encoder says so.
fn entered(
    place: &'static str,
    env: *mut JNIEnv,
    thread: jobject,
    callee: MethodId,
    enter: impl FnOnce(&Agent, JavaThread, &dyn ContextEncoder) -> Entered,
) -> jlong {
    with(place, lost(), |agent| {
        let (thread, encoder) = (java_thread(env, thread), &*agent.encoder);
        let ended = agent.run.switch.is_ended().then_some(Lost::Ended);
        let Entered { signal, due } = match ended.or_else(|| entry::adrift(agent, thread)) {
            Some(reason) => {
                let answer = encoder.enter_lost(agent, thread, callee, reason);
                answer.or(|| entry::mark_lost(agent, thread, callee, reason).into())
            }
            None => enter(agent, thread, encoder),
        };
        if due {
            oracle::check_entry(agent, thread, callee, signal.word());
        }
        signal.0 as jlong
    })
}

extern "system" fn found_often(_: *mut JNIEnv, _: jclass, record: jlong, entries: jint) {
    with("foundOften", (), |agent| {
        agent.graph.locked(|graph| {
            // SAFETY: the hooks give the address of a record that they have found in the table.
            unsafe { agent.tables.links.predict(record as u64) };
            graph.strained(&agent.tables.links, entries as u64);
        });
    });
}

extern "system" fn enter_walk(env: *mut JNIEnv, _: jclass, thread: jobject, n: jint) -> jlong {
    let callee = MethodId(n as u32);
    entered("enterWalk", env, thread, callee, |agent, thread, encoder| encoder.enter_untrusted(agent, thread, callee))
}

extern "system" fn check(env: *mut JNIEnv, _: jclass, thread: jobject, n: jint, word: jlong, _record: jlong) {
    with("check", (), |agent| {
        let method = MethodId(n as u32);
        // After the kill switch nothing is claimed that could be compared.
        if agent.run.switch.is_ended() || entry::adrift(agent, java_thread(env, thread)).is_some() {
            return;
        }
        if !agent.oracle.ticks.takes_entry(agent.options.verify) {
            return;
        }
        if agent.encoder.weights().is_some() {
            return oracle::check_hashed(agent, java_thread(env, thread), method, word as u64);
        }
        let word = Signal(word as u64).word();
        oracle::check_entry(agent, java_thread(env, thread), method, word);
        agent.events.context_dump.checked(agent, java_thread(env, thread), method, word);
    });
}

/// What a hook gets when the agent failed inside it: restored to UNKNOWN at exit is not possible
/// without a push, so it does not claim to.
fn lost() -> jlong {
    Signal::plain(Word::lost(Lost::Hook)).0 as jlong
}
