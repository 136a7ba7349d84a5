//! A class that gets hooks: its rewriting, and what is filed of it.
//!
//! Invariant: ids, sites and risks are filed before the JVM gets the bytes, so before any hook can name them.

use std::sync::{Mutex, PoisonError};

use lucce_classfile::{Inserted, Options as RewriteOptions, Outcome, Scratch, SkipReason};
use lucce_log::Record;

use super::policy::Asked;
use super::{LOAD_CLASS, convert, guard, learn, skip};
use crate::agent::{Agent, count};
use crate::catalog::hooked;
use crate::jvm::text;
use crate::origin::Loader;
use crate::{risk, unload};

/// The rewriter's memory, one for each class that was rewritten at the same time as others.
static SPARE: Mutex<Vec<Scratch>> = Mutex::new(Vec::new());

/// The class with its hooks; where it cannot have any, it is named, learned and guarded. `inserted`: what these bytes are, if they are not as
/// the class came; `redefined`: whether the JVM has the class already.
pub(super) fn rewrite(
    agent: &Agent,
    loader: Option<Loader>,
    redefined: bool,
    name: &str,
    bytes: &[u8],
    inserted: Option<&Inserted>,
) -> Option<Vec<u8>> {
    dump(agent, "before", name, bytes);
    let options = RewriteOptions {
        publish_allocations: agent.options.alloc.is_some(),
        publish_throws: agent.options.exceptions.is_some(),
        publish_monitors: agent.options.locks,
        count_allocations: agent.options.alloc_all,
        version_local: agent.algorithm1.is_some(),
        faults: crate::faults::of(&agent.options.faults),
    };
    let spare = || SPARE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut scratch = spare().pop().unwrap_or_default();
    let known = loader.filter(|loader| unload::is_told(agent, *loader));
    let policy = Asked { agent, loader: known };
    let rewritten = lucce_classfile::instrument_with(&mut scratch, bytes, &mut &agent.catalog, &policy, &options);
    spare().push(scratch);
    match rewritten {
        Ok(mut rewritten) => {
            if let Some(loader) = loader {
                let hooked = rewritten.methods.iter().filter_map(|method| hooked(&method.outcome));
                unload::defined(agent, loader, rewritten.id, hooked.map(|(id, _)| id));
            }
            if redefined {
                note_loud(agent, name, &rewritten.quiet_constructors);
            } else if let Some(loader) = known {
                agent.supers.add(loader, &rewritten);
            }
            if let Some(inserted) = inserted {
                inserted.lead_back(&mut rewritten);
            }
            file(agent, name, &mut rewritten);
            dump(agent, "after", name, &rewritten.bytes);
            (rewritten.bytes != bytes).then_some(rewritten.bytes)
        }
        Err(reason) => {
            count(&agent.counters.classes_skipped);
            skip(agent, name, &reason.to_string());
            if redefined {
                note_loud(agent, name, &[]);
            }
            learn(agent, bytes, false);
            guard(agent, name, bytes, &[LOAD_CLASS])
        }
    }
}

/// Files what the rewriter said: metadata, sites, risks, skips.
fn file(agent: &Agent, name: &str, rewritten: &mut lucce_classfile::Instrumented<'_>) {
    agent.quiet.add(rewritten);
    agent.catalog.add(rewritten);
    let with_hooks = rewritten.methods.iter().filter_map(|method| Some((hooked(&method.outcome)?.0, method.sleeps)));
    agent.demand.file(with_hooks);
    agent.risk.unguarded(rewritten.methods.iter().filter_map(|method| {
        let exposed = !method.risky_exit && risk::is_overridable(method.name, method.access);
        hooked(&method.outcome).filter(|_| exposed).map(|(id, _)| (method.name, method.desc, id))
    }));
    let mut uninstrumented = Vec::new();
    for method in &rewritten.methods {
        if let Some((_, huge)) = hooked(&method.outcome) {
            if huge {
                note_method(agent, name, method.name, method.desc, "crosses the JVM's compile limit of 8000 bytes");
            }
            continue;
        }
        let native = method.access & 0x0100 != 0;
        match &method.outcome {
            Outcome::Skipped(SkipReason::StaysOut) => agent.hidden.add(name, method.name, method.desc),
            Outcome::Skipped(reason) => {
                count(&agent.counters.methods_skipped);
                note_method(agent, name, method.name, method.desc, &reason.to_string());
            }
            Outcome::NoCode if native => {}
            _ => continue,
        }
        if risk::is_overridable(method.name, method.access) {
            uninstrumented.push(risk::signature(method.name, method.desc));
        }
    }
    let fresh = agent.risk.add(uninstrumented.into_iter());
    convert(agent, &fresh);
    // A signature of this very class may have become risky between its rewriting and its filing.
    let late: Vec<_> = rewritten
        .methods
        .iter()
        .filter(|method| hooked(&method.outcome).is_some() && !method.risky_exit)
        .filter(|method| agent.risk.is_risky(method.name, method.desc))
        .map(|method| risk::signature(method.name, method.desc))
        .collect();
    convert(agent, &late);
}

/// A class was redefined that has these quiet constructors now: names those that call something, although subclasses rely on it that they do not.
fn note_loud(agent: &Agent, name: &str, quiet: &[&[u8]]) {
    for desc in agent.supers.redefined(name.as_bytes(), quiet) {
        let reason = "calls something now: constructors of subclasses that were loaded before have no hooks";
        note_method(agent, name, b"<init>", &desc, reason);
    }
}

/// Writes a class under the `dump` folder; a failure is one line, once.
fn dump(agent: &Agent, side: &str, name: &str, bytes: &[u8]) {
    static WARNED: std::sync::Once = std::sync::Once::new();
    let Some(folder) = &agent.options.dump else { return };
    if name.split('/').any(|part| part == "..") {
        return;
    }
    let path = std::path::Path::new(folder).join(side).join(format!("{name}.class"));
    let written = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(&path, bytes));
    if let Err(error) = written {
        WARNED.call_once(|| say!("cannot dump {}: {error}; name another folder with dump=<dir>", path.display()));
    }
}

pub(super) fn note_method(agent: &Agent, class: &str, name: &[u8], desc: &[u8], reason: &str) {
    let method = format!("{}{}", text::ours(name), text::ours(desc)).into();
    agent.writer.queue(vec![Record::Skip { class: class.into(), method: Some(method), reason: reason.into() }]);
}
