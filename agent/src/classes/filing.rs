//! What the agent keeps of a rewritten class.
//!
//! Invariant: it is filed before the JVM gets the bytes, so before any hook can name what it speaks of.

use lucce_classfile::{Instrumented, Outcome, SkipReason};
use lucce_words::MethodId;

use super::{convert, note_method};
use crate::agent::{Agent, count};
use crate::catalog::{Entries, Texts, hooked};
use crate::origin::Loader;
use crate::quiet::Called;
use crate::risk::{self, Signature};
use crate::supers::Constructors;
use crate::unload;

/// See above.
pub struct Filing {
    /// For the catalogue.
    entries: Entries,
    /// Its methods with hooks, and whether each may sleep.
    pub hooked: Vec<(MethodId, bool)>,
    /// Those of them that a virtual call reaches and that do not forget at exit, by signature.
    pub exposed: Vec<(Signature, MethodId)>,
    /// Its methods that are called with nothing published.
    called: Called,
    constructors: Constructors,
    /// Signatures of its overridable methods that run as they came though they may call.
    uninstrumented: Vec<Signature>,
    /// Methods that are known by name.
    named: Vec<Named>,
}

struct Named {
    method: Box<[u8]>,
    desc: Box<[u8]>,
    why: Why,
}

enum Why {
    Huge,
    Hidden,
    Skipped(SkipReason),
}

const NATIVE: u16 = 0x0100;

impl Filing {
    /// Takes it from what the rewriter said.
    pub fn of(texts: &mut Texts, class: &mut Instrumented<'_>) -> Self {
        let (mut with_hooks, mut exposed, mut uninstrumented) = (Vec::new(), Vec::new(), Vec::new());
        let mut named = Vec::new();
        for method in &class.methods {
            let mut name = |why| named.push(Named { method: method.name.into(), desc: method.desc.into(), why });
            let overridable = risk::is_overridable(method.name, method.access);
            if let Some((id, huge)) = hooked(&method.outcome) {
                with_hooks.push((id, method.sleeps));
                if overridable && !method.risky_exit {
                    exposed.push((risk::signature(method.name, method.desc), id));
                }
                if huge {
                    name(Why::Huge);
                }
                continue;
            }
            match &method.outcome {
                Outcome::Skipped(SkipReason::StaysOut) => name(Why::Hidden),
                Outcome::Skipped(reason) => name(Why::Skipped(*reason)),
                Outcome::NoCode if method.access & NATIVE != 0 => {}
                _ => continue,
            }
            if overridable {
                uninstrumented.push(risk::signature(method.name, method.desc));
            }
        }
        let (called, constructors) = (Called::of(class), Constructors::of(class));
        let entries = Entries::of(texts, class);
        Self { entries, hooked: with_hooks, exposed, called, constructors, uninstrumented, named }
    }

    /// Could the method of this name and descriptor not be rewritten?
    pub fn has_skipped(&self, name: &[u8], desc: &[u8]) -> bool {
        let is = |one: &Named| matches!(one.why, Why::Skipped(_)) && *one.method == *name && *one.desc == *desc;
        self.named.iter().any(is)
    }

    /// Files it: the class is about to be defined by this loader. `name`: the class's; `redefined`: whether the JVM has it already.
    pub fn file(self, agent: &Agent, loader: Option<Loader>, redefined: bool, name: &str) {
        let id = self.entries.class();
        agent.catalog.file(self.entries);
        if let Some(loader) = loader {
            unload::defined(agent, loader, id, self.hooked.iter().map(|(id, _)| *id));
        }
        if redefined {
            note_loud(agent, name, self.constructors.quiet());
        } else if let Some(loader) = loader.filter(|loader| unload::is_told(agent, *loader)) {
            agent.supers.add(loader, id, self.constructors);
        }
        let mortal = loader.is_none_or(Loader::may_die);
        agent.quiet.add(mortal.then_some(id), self.called);
        agent.demand.file(self.hooked.into_iter());
        // A signature of this very class may have become risky since it was rewritten.
        let late = agent.risk.unguarded(self.exposed);
        for Named { method, desc, why } in self.named {
            let note = |reason: &str| note_method(agent, name, &method, &desc, reason);
            match why {
                Why::Huge => note("crosses the JVM's compile limit of 8000 bytes"),
                Why::Hidden => agent.hidden.add(name, &method, &desc),
                Why::Skipped(reason) => {
                    count(&agent.counters.methods_skipped);
                    note(&reason.to_string());
                }
            }
        }
        let fresh = agent.risk.add(self.uninstrumented.into_iter());
        convert(agent, &fresh);
        convert(agent, &late);
    }
}

/// A class was redefined that has these quiet constructors now: names those that call something, although subclasses rely on it that they do not.
pub(super) fn note_loud(agent: &Agent, name: &str, quiet: &[Box<[u8]>]) {
    for desc in agent.supers.redefined(name.as_bytes(), quiet) {
        let reason = "calls something now: constructors of subclasses that were loaded before have no hooks";
        note_method(agent, name, b"<init>", &desc, reason);
    }
}
