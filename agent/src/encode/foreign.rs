//! Methods whose code another agent has changed after us.
//!
//! Invariant: such a method is named in the log and its signature is interposable, once. Source:
//! docs/design/mechanisms.md.

use lucce_words::MethodId;

use crate::rewrite::classes;
use crate::state::agent::Agent;
use crate::state::catalog::MethodEntry;

/// The callee's hooks run, but its frame is not one that Lucce emitted: another agent has changed
/// its code after us. From now on it counts as uninstrumented: named in the log, its signature
/// interposable.
pub fn note(agent: &Agent, callee: MethodId, target: &MethodEntry) {
    if agent.classes.foreign.add(callee) {
        classes::mark_foreign(agent, target.member.owner(), target.member.name(), target.member.desc());
    }
}
