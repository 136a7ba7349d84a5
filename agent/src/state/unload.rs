//! Classes that the JVM has unloaded: when that is, and what is forgotten then.
//!
//! A class lives as long as its loader, and a loader as long as any frame of its classes. Each
//! loader that defines a class which we rewrite gets a JVMTI tag; when the garbage collector has
//! taken the loader, the JVM says so by the tag, from whatever thread it likes. A thread of our own
//! then forgets what belonged to its classes.
//!
//! Invariant: what is forgotten is asked for by nobody: no frame of it stands on any stack, and ids
//! are not given again. What captured contexts name is kept, by name and line alone. Source: JVMTI
//! SetTag, ObjectFree; JVMS 12.7; JLS 12.7.

mod loaders;

use std::sync::atomic::Ordering;
use std::time::Duration;

use lucce_words::{ClassId, MethodId};

use crate::state::agent::Agent;
use crate::state::classes::Classes;
use crate::state::origin::Loader;
use crate::support::dead::Dead;
use loaders::Defined;
pub use loaders::Unloading;

/// How long deaths gather: one collection brings many, and each round passes over the graph once.
const GATHER: Duration = Duration::from_millis(100);
/// Loaders of one round at most.
const ROUND: usize = 1 << 12;

/// Is it known when classes of this loader have gone, if ever?
pub fn is_told(agent: &Agent, loader: Loader) -> bool {
    !loader.may_die() || agent.encoder.forgets()
}

/// A class of this loader was rewritten. Not for loaders that live as long as the JVM.
pub fn defined(agent: &Agent, loader: Loader, class: ClassId, methods: impl Iterator<Item = MethodId>) {
    let Some(tag) = loader.tag().filter(|_| is_told(agent, loader)) else { return };
    let mut living = agent.classes.unloading.living.lock();
    let defined = living.entry(tag).or_default();
    defined.classes.push(class);
    defined.methods.extend(methods);
    drop(living);
    start(agent);
}

/// JVMTI ObjectFree: the loader with this tag is gone. Called in the middle of a collection on some
/// JVMs: it only notes it.
pub fn freed(classes: &Classes, tag: i64) {
    // The receiver lives as long as the process.
    let _ = classes.unloading.died.send(tag);
}

/// Starts the thread that forgets, once.
fn start(agent: &Agent) {
    let Some(deaths) = agent.classes.unloading.deaths.lock().take() else { return };
    let run = move || {
        while let Ok(first) = deaths.recv() {
            std::thread::sleep(GATHER);
            let Some(agent) = Agent::get() else { return };
            let round = std::iter::once(first).chain(deaths.try_iter()).take(ROUND).collect::<Vec<_>>();
            crate::support::boundary::guarded("unloading", (), || forget(agent, &round));
        }
    };
    // Without a thread nothing is forgotten, which costs memory alone.
    let _ = std::thread::Builder::new().name("lucce-unload".into()).spawn(run);
}

/// Forgets all that these loaders have defined.
fn forget(agent: &Agent, loaders: &[i64]) {
    if agent.run.is_dead() {
        return;
    }
    let mut gone = Defined::default();
    {
        let mut living = agent.classes.unloading.living.lock();
        for defined in loaders.iter().filter_map(|tag| living.remove(tag)) {
            gone.classes.extend(defined.classes);
            gone.methods.extend(defined.methods);
        }
    }
    if gone.classes.is_empty() {
        // Not a loader, but something else that had a tag.
        return;
    }
    let entries = gone.methods.iter().filter_map(|&method| agent.classes.catalog.method(method));
    let sites = entries.flat_map(|entry| entry.all_sites()).collect();
    let dead = Dead::new(gone.classes, gone.methods, sites);

    if let Some(tallies) = agent.events.tallies.as_ref().filter(|_| agent.events.profile.is_some()) {
        tallies.write_samples(agent);
    }
    let kept = agent.graph.locked(|graph| graph.unload(&agent.tables.links, &dead));
    agent.encoder.forget(agent);
    if let Some(tallies) = &agent.events.tallies {
        // What is counted of their sites has yet to be named.
        tallies.forget(agent, &dead);
    }
    agent.classes.catalog.forget(&dead.classes, &dead.methods, &dead.sites, &kept);
    agent.graph.locked(|_| {
        agent.tables.links.values.forget(|from, to| agent.classes.catalog.has_no_site(from, to), &dead.sites)
    });
    agent.classes.forget(&dead);
    agent.stack.forget(&dead);
    agent.classes.unloading.classes.fetch_add(dead.classes.len() as u64, Ordering::Relaxed);
}
