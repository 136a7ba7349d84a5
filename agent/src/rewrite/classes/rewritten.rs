//! A class that gets hooks: its rewriting, and what is filed of it.
//!
//! Invariant: ids, sites and risks are filed before the JVM gets the bytes, so before any hook can
//! name them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use lucce_classfile::{
    HookOutcome, Inserted, Instrumented, Policy, PolicyTrace, Recorded, RewriteBuffers, RewriteOptions, SkipReason,
};

use super::filing::{self, note_non_leaf};
use super::left::{called_up, guard, guard_own};
use super::noted::{learn, skip};
use super::policy::AgentPolicy;
use crate::options::{EncoderKind, Options, ProfileOption};
use crate::state::agent::{Agent, count};
use crate::state::cache::Window;
use crate::state::catalog::Texts;
use crate::state::origin::Loader;
use crate::state::unload;

/// What the rewriting of one class leaves for the next: memory, and nothing else.
#[derive(Default)]
struct Memory {
    scratch: RewriteBuffers,
    texts: Texts,
    window: Window,
}

/// One for each class that was rewritten at the same time as others.
static SPARE: Mutex<Vec<Memory>> = Mutex::new(Vec::new());

/// The class with its hooks; where it cannot have any, it is named, learned and guarded.
/// `inserted`: what these bytes are, if they are not as the class came; `redefined`: whether the
/// JVM has the class already.
pub(super) fn rewrite(
    agent: &Agent,
    loader: Option<Loader>,
    redefined: bool,
    name: &str,
    bytes: &[u8],
    inserted: Option<&Inserted>,
) -> Option<Vec<u8>> {
    dump(&agent.options, "before", name, bytes);
    if let Some(cache) = &agent.classes.cache {
        cache.ready(&agent.classes.catalog);
    }
    let known = loader.filter(|loader| unload::is_told(agent, *loader));
    let weights = agent.encoder.weights().filter(|_| agent.options.encoder == EncoderKind::Icpp);
    let definition = weights.map_or(0, |weights| weights.define(name));
    let options = RewriteOptions { definition, merged: redefined, ..rewrite_options(&agent.options) };
    let mut memory = spare().pop().unwrap_or_default();
    let policy = AgentPolicy { agent, loader: known, redefined };
    // The boot loader's are few, and were changed before some of them come here.
    let kept = agent.classes.cache.as_ref().filter(|_| loader.is_some() && !redefined && inserted.is_none());
    let kept = kept.map(|cache| (cache, cache.hash(bytes)));
    if let Some((cache, hash)) = kept {
        let Memory { scratch, texts, window } = &mut memory;
        let found = cache.take(
            hash,
            bytes,
            &policy,
            &agent.classes.catalog,
            window,
            |Recorded { mut class, bytes: new, .. }| {
                filing::file(agent, texts, &mut class, loader, redefined, name);
                dump(&agent.options, "after", name, new.unwrap_or(bytes));
                new.map(|new| scratch.copy(new))
            },
        );
        if let Some(new) = found {
            spare().push(memory);
            return new;
        }
    }
    let trace = PolicyTrace::new(&policy, bytes);
    let kept = kept.filter(|(cache, hash)| cache.keeps(*hash));
    let policy: &dyn Policy = if kept.is_some() { &trace } else { &policy };
    let rewritten =
        lucce_classfile::instrument_with(&mut memory.scratch, bytes, &mut &*agent.classes.catalog, policy, &options);
    if let (Some((cache, hash)), Ok(rewritten)) = (kept, &rewritten)
        && let Some(record) = lucce_classfile::record(bytes, rewritten, &trace)
    {
        cache.keep(hash, rewritten, record);
    }
    match rewritten {
        Ok(mut rewritten) => {
            if let Some(inserted) = inserted {
                inserted.lead_back(&mut rewritten);
            }
            let new = guard_left(agent, name, &rewritten).unwrap_or_else(|| std::mem::take(&mut rewritten.bytes));
            filing::file(agent, &mut memory.texts, &mut rewritten, loader, redefined, name);
            memory.scratch.recycle_methods(rewritten.methods, rewritten.sites);
            spare().push(memory);
            dump(&agent.options, "after", name, &new);
            if new == bytes {
                recycle(new);
                return None;
            }
            Some(new)
        }
        Err(reason) => {
            spare().push(memory);
            count(&agent.run.counters.classes_skipped);
            skip(&agent.run, name, &reason.to_string());
            if redefined {
                note_non_leaf(agent, name, &[]);
            }
            guard_own(agent, name, bytes, learn(agent, bytes, false))
        }
    }
}

/// The class with guards of those methods that could not be rewritten and that are called up;
/// `None` if there is none.
fn guard_left(agent: &Agent, name: &str, class: &Instrumented<'_>) -> Option<Vec<u8>> {
    let failed =
        |outcome: &HookOutcome| matches!(outcome, HookOutcome::Skipped(reason) if *reason != SkipReason::StaysOut);
    let is_left =
        |name, desc| class.methods.iter().any(|one| failed(&one.outcome) && (one.name, one.desc) == (name, desc));
    let left: Vec<_> = called_up(&agent.options).filter(|&(name, desc)| is_left(name, desc)).collect();
    if left.is_empty() { None } else { guard(agent, name, &class.bytes, &left) }
}

fn spare() -> MutexGuard<'static, Vec<Memory>> {
    SPARE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes back the bytes of a class, for the memory.
pub fn recycle(bytes: Vec<u8>) {
    if let Some(memory) = spare().last_mut() {
        memory.scratch.recycle_bytes(bytes);
    }
}

/// What the rewriter is told of the agent's options.
pub fn rewrite_options(options: &Options) -> RewriteOptions {
    RewriteOptions {
        publish_allocations: options.alloc.is_some(),
        publish_throws: options.exceptions.is_some(),
        publish_monitors: options.locks,
        count_allocations: options.alloc_all,
        version_local: options.encoder.has_versions(),
        every_entry: options.trace.is_some() || options.profile == Some(ProfileOption::All),
        definition: 0,
        merged: false,
        hashed: options.scheme(),
        sample_entries: options.scheme().is_some() && options.profile.is_some(),
        check_entries: options.scheme().is_some() && options.verify.is_on(),
        faults: crate::support::faults::of(&options.faults),
    }
}

/// Writes a class under the `dump` folder; a failure is one line, once.
fn dump(options: &Options, side: &str, name: &str, bytes: &[u8]) {
    static WARNED: std::sync::Once = std::sync::Once::new();
    let Some(folder) = &options.dump else { return };
    if name.split('/').any(|part| part == "..") {
        return;
    }
    let path = std::path::Path::new(folder).join(side).join(format!("{name}.class"));
    let written = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(&path, bytes));
    if let Err(error) = written {
        WARNED.call_once(|| say!("cannot dump {}: {error}; name another folder with dump=<dir>", path.display()));
    }
}
