//! Which classes are to have hooks, by their names.
//!
//! Invariant: `exclude` goes before `include`; the class below which `Lucce.measure` runs has hooks
//! whatever they say. Source: docs/guide/options.md.

use crate::jvm::jni::Jni;
use crate::options::{Globs, Options};
use crate::state::agent::Agent;
use crate::state::origin::MEASURED_BELOW;

/// Is it a class of the boot loader's that a program or another agent has added there, to be left
/// as those of the JDK are?
pub fn is_appended(agent: &Agent, jni: Jni, name: &str) -> bool {
    !agent.options.jdk && agent.classes.origin.is_appended(agent.jvm.env(jni), name)
}

/// Do the options want hooks in the class?
pub(super) fn is_wanted(options: &Options, name: &str) -> bool {
    let include = &options.include;
    name == MEASURED_BELOW || (include.is_empty() || matches_any(include, name)) && !is_excluded(options, name)
}

/// Does `exclude` name the class?
pub fn is_excluded(options: &Options, name: &str) -> bool {
    matches_any(&options.exclude, name)
}

fn matches_any(globs: &Globs, name: &str) -> bool {
    if globs.is_empty() {
        return false;
    }
    globs.matches(&name.replace('/', "."))
}
