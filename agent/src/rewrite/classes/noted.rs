//! What is said of a class or method that has no hooks, and what its signatures make interposable.
//!
//! Invariant: a signature is interposable before a method with it can run without hooks. Source:
//! docs/design/mechanisms.md ("Interposable", "Demotion").

use lucce_classfile::Summary;
use lucce_log::Record;

use crate::state::agent::Agent;
use crate::state::run::Run;
use crate::support::counters::count;
use crate::support::text;

/// Why a class that came while the others were being rewritten is left out.
pub const LATE: &str = "loaded while Lucce was being started";

/// Names a class in the log that is left as it is.
pub fn skip(run: &Run, class: &str, reason: &str) {
    let record = Record::Skip { class: class.into(), method: None, reason: reason.into() };
    run.writer.queue(vec![record]);
}

pub(super) fn note_method(run: &Run, class: &str, name: &[u8], desc: &[u8], reason: &str) {
    let method = format!("{}{}", text::ours(name), text::ours(desc)).into();
    run.writer.queue(vec![Record::Skip { class: class.into(), method: Some(method), reason: reason.into() }]);
}

/// A rewritten method turned out to run code that another agent changed after us: from now on it
/// counts as uninstrumented.
pub fn mark_foreign(agent: &Agent, class: &str, name: &str, desc: &str) {
    count(&agent.run.counters.methods_skipped);
    note_method(&agent.run, class, name.as_bytes(), desc.as_bytes(), "changed by another agent after Lucce");
    let fresh = agent.classes.interposable.add(std::iter::once((name.as_bytes(), desc.as_bytes())));
    demote(agent, &fresh);
}

/// The class stays as it came, whatever was made of it: its methods may stand between a call and
/// what that is thought to enter.
pub fn give_up(agent: &Agent, name: &str, bytes: &[u8], boot: bool, reason: &str) {
    skip(&agent.run, name, reason);
    learn(agent, bytes, boot);
}

/// Makes the signatures interposable of a class that gets no hooks; what there is to know of it.
pub(super) fn learn<'a>(agent: &Agent, bytes: &'a [u8], boot: bool) -> Option<Summary<'a>> {
    // A class that cannot be read cannot be defined either.
    let summary = lucce_classfile::summary(bytes).ok()?;
    if boot {
        agent.classes.interposable.learn_boot(&summary);
    }
    let fresh = agent.classes.interposable.learn(&summary);
    demote(agent, &fresh);
    Some(summary)
}

/// Signatures have become interposable: plain virtual links to methods that do not clear the site
/// at exit become restoring ones.
pub(super) fn demote(agent: &Agent, signatures: &[Box<[u8]>]) {
    if agent.fault("demotion") {
        return;
    }
    for signature in signatures {
        for method in agent.classes.interposable.exposed_by(signature) {
            count(&agent.run.counters.demotions);
            agent.graph.locked(|graph| {
                let sites = graph.demote(&agent.tables.links, method);
                agent.encoder.demote(&sites, method);
            });
        }
    }
}
