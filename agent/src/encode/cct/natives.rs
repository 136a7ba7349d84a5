//! The natives of `java.lang.LucceTree`.
//!
//! Invariant: as for those of the hooks, each is one call into the boundary; without memory or
//! after a panic there is no node, and the hooks then ask the agent at each entry. Source:
//! `java-shim/hooks`, whose signatures these mirror.

use std::ffi::c_void;

use jvmti_bindings::sys::jni::{JNIEnv, jboolean, jclass, jint, jlong, jobject};

use super::Cct;
use crate::hook_tables::cct::edges::CctEdge;
use crate::hook_tables::cct::node;
use crate::jvm::jni::{Jni, Native};
use crate::state::agent::Agent;
use crate::state::native_call;

/// For RegisterNatives.
fn table() -> Vec<Native> {
    vec![
        Native::new(c"trees", c"()J", trees as *mut c_void),
        Native::new(c"edges", c"()J", edges as *mut c_void),
        Native::new(c"child", c"(IJJ)J", child as *mut c_void),
        Native::new(c"adopt", c"(Ljava/lang/Thread;)V", adopt as *mut c_void),
        Native::new(c"traces", c"()Z", traces as *mut c_void),
        Native::new(c"buffer", c"(Ljava/lang/Thread;I)J", buffer as *mut c_void),
    ]
}

/// Registers them; called from the class itself (see `crate::entry_points::natives`).
pub fn register(jni: Jni, class: jclass) -> bool {
    jni.register_natives(class, &table())
}

fn with<T: Copy>(place: &'static str, fallback: T, body: impl FnOnce(&'static Agent, &'static Cct) -> T) -> T {
    native_call::with(place, fallback, |agent| agent.encoder_as().map_or(fallback, |cct| body(agent, cct)))
}

extern "system" fn trees(_: *mut JNIEnv, _: jclass) -> jlong {
    with("trees", 0, |_, cct| cct.trees.address())
}

extern "system" fn edges(_: *mut JNIEnv, _: jclass) -> jlong {
    with("edges", 0, |_, cct| cct.edges.address())
}

/// The node of the call that `edge` names, in tree `tree` below the node `parent`, found or made,
/// with its edge; 0 if there is none.
extern "system" fn child(_: *mut JNIEnv, _: jclass, tree: jint, parent: jlong, edge: jlong) -> jlong {
    with("child", 0, |agent, cct| {
        if agent.run.switch.is_ended() {
            return 0;
        }
        let Some(tree) = cct.trees.get(tree as u32) else { return 0 };
        // SAFETY: the hooks pass the node that their thread published and an edge that they found
        // in the table.
        let (parent, edge) = unsafe { (node::at(parent as u64), CctEdge::at(edge as u64)) };
        // Without memory the slow way is taken, which says so and loses the context.
        let Ok(node) = cct.child(&agent.run, tree, parent, edge.key()) else { return 0 };
        edge.join(node);
        debug_assert!(node.has_edge());
        node.address() as jlong
    })
}

extern "system" fn adopt(env: *mut JNIEnv, _: jclass, thread: jobject) {
    with("adopt", (), |agent, cct| {
        cct.tree(&agent.jvm, native_call::java_thread(env, thread));
    });
}

extern "system" fn traces(_: *mut JNIEnv, _: jclass) -> jboolean {
    with("traces", 0, |_, cct| cct.trace.is_some().into())
}

/// The buffer of the thread's tree, with a place for an entry; 0 if the next entry is not traced.
/// `missed` entries were made before of which the hooks could not tell.
extern "system" fn buffer(env: *mut JNIEnv, _: jclass, thread: jobject, missed: jint) -> jlong {
    with("buffer", 0, |agent, cct| {
        let Some(trace) = cct.trace.as_ref().filter(|_| !agent.run.is_dead()) else { return 0 };
        let tree = cct.tree(&agent.jvm, native_call::java_thread(env, thread));
        tree.map_or(0, |tree| trace.room(&agent.run, tree, missed as u64) as jlong)
    })
}
