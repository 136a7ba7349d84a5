//! What the agent keeps of a rewritten class.
//!
//! Invariant: it is filed before the JVM gets the bytes, so before any hook can name what it speaks
//! of.

use lucce_classfile::{HookOutcome, Instrumented, MethodOutcome, SkipReason};

use super::noted::{demote, note_method};
use crate::state::agent::{Agent, count};
use crate::state::catalog::{Texts, hooked};
use crate::state::origin::Loader;
use crate::{state::interposable, state::unload};

const NATIVE: u16 = 0x0100;

/// Files what the rewriter said of the class of this name, which is about to be defined by this
/// loader. `redefined`: whether the JVM has it already.
pub(super) fn file(
    agent: &Agent,
    texts: &mut Texts,
    class: &mut Instrumented<'_>,
    loader: Option<Loader>,
    redefined: bool,
    name: &str,
) {
    agent.classes.catalog.file(texts, class);
    let class = &*class;
    let with_hooks = || class.methods.iter().filter_map(|method| Some((method, hooked(&method.outcome)?.0)));
    if let Some(loader) = loader {
        unload::defined(agent, loader, class.id, with_hooks().map(|(_, id)| id));
    }
    if redefined {
        note_non_leaf(agent, name, &class.leaf_constructors);
    } else if let Some(loader) = loader.filter(|loader| unload::is_told(agent, *loader)) {
        agent.classes.leaf_constructors.add(loader, class);
    }
    agent.classes.leaf_methods.add(class);
    agent.classes.demand.file(with_hooks().map(|(method, id)| (id, method.is_lazy)));
    // Those that a virtual call reaches and that do not clear the site at exit. A signature of this
    // very class may have become interposable since it was rewritten.
    let exposed = with_hooks().filter(|(method, _)| is_overridable(method) && !method.interposable_exit);
    let late = agent.classes.interposable.unguarded(exposed.map(|(method, id)| (method.name, method.desc, id)));
    class.methods.iter().for_each(|method| note(agent, name, method));
    let left = class.methods.iter().filter(|method| is_overridable(method) && runs_as_it_came(method));
    let fresh = agent.classes.interposable.add(left.map(|method| (method.name, method.desc)));
    demote(agent, &fresh);
    demote(agent, &late);
}

fn is_overridable(method: &MethodOutcome<'_>) -> bool {
    interposable::is_overridable(method.name, method.access)
}

/// Has the method no hooks, though it may call?
fn runs_as_it_came(method: &MethodOutcome<'_>) -> bool {
    match method.outcome {
        HookOutcome::Skipped(_) => true,
        HookOutcome::NoCode => method.access & NATIVE != 0,
        _ => false,
    }
}

/// Names the method in the log, or where frames are looked for, if it is one that is known by name.
fn note(agent: &Agent, class: &str, method: &MethodOutcome<'_>) {
    let note = |reason: &str| note_method(&agent.run, class, method.name, method.desc, reason);
    match &method.outcome {
        HookOutcome::HookedHuge(_) => note("crosses the JVM's compile limit of 8000 bytes"),
        HookOutcome::Skipped(SkipReason::StaysOut) => agent.classes.hidden_methods.add(class, method.name, method.desc),
        HookOutcome::Skipped(reason) => {
            count(&agent.run.counters.methods_skipped);
            note(&reason.to_string());
        }
        _ => {}
    }
}

/// A class was redefined that has these leaf constructors now: names those that call something,
/// although subclasses rely on it that they do not.
pub(super) fn note_non_leaf(agent: &Agent, name: &str, leaves: &[&[u8]]) {
    for desc in agent.classes.leaf_constructors.redefined(name.as_bytes(), leaves) {
        let reason = "calls something now: constructors of subclasses that were loaded before have no hooks";
        note_method(&agent.run, name, b"<init>", &desc, reason);
    }
}
