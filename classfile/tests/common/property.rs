//! What holds for any input at all; shared by the smoke test and the fuzz target.
//!
//! Invariant: no panic; identity is exact wherever it succeeds; a class that could be read can be
//! read again with hooks, and what is recorded of it stands for it.
//! Source: STYLE ("identity rewriting must give identical bytes, fuzzed").

use lucce_classfile::{
    HookOutcome, Instrumented, Policy, PolicyTrace, Recorded, RewriteOptions, SequentialIds, add_thread_state, guard,
    identity, instrument, method_id_of, record, summary, time_parks,
};
use lucce_words::Bci;
use lucce_words::weights::Scheme;

struct Everything;

impl Policy for Everything {
    fn interposable(&self, name: &[u8], _: &[u8]) -> bool {
        name.len().is_multiple_of(2)
    }
    fn inert(&self, class: &[u8]) -> bool {
        class.len().is_multiple_of(3)
    }
}

/// Panics if a property does not hold for these bytes.
pub fn check(bytes: &[u8]) {
    let same = identity(bytes);
    if let Ok(same) = &same {
        assert!(same == bytes, "identity changes the class");
    }
    let declared = summary(bytes);
    let _ = add_thread_state(bytes);
    if let Ok(declared) = &declared {
        let all: Vec<_> = declared.methods.iter().map(|method| (method.name, method.desc)).collect();
        if let Ok(Some(guarded)) = guard(bytes, &all) {
            read_again(&guarded.bytes, all.len(), same.is_ok());
        }
    }
    if let Ok(Some(timed)) = time_parks(bytes) {
        read_again(&timed.bytes, declared.as_ref().map_or(0, |declared| declared.methods.len()), same.is_ok());
    }
    let all = RewriteOptions {
        publish_allocations: true,
        publish_throws: true,
        publish_monitors: true,
        ..RewriteOptions::default()
    };
    let throws = RewriteOptions { publish_throws: true, ..RewriteOptions::default() };
    let versions = RewriteOptions { version_local: true, ..RewriteOptions::default() };
    let hashed = |scheme| RewriteOptions {
        hashed: Some(scheme),
        check_entries: true,
        publish_allocations: true,
        ..RewriteOptions::default()
    };
    let entered = RewriteOptions { every_entry: true, ..RewriteOptions::default() };
    let sampled = RewriteOptions { every_entry: true, sample_entries: true, ..hashed(Scheme::Ids) };
    let hashed = [Scheme::Ids, Scheme::Natural, Scheme::Mixed].map(hashed);
    for options in [RewriteOptions::default(), all, throws, versions, entered, sampled].into_iter().chain(hashed) {
        // Ids beyond 16 bits, so that constants are appended.
        let mut ids = SequentialIds { method: 70_000, site: 70_000, ..SequentialIds::default() };
        let trace = PolicyTrace::new(&Everything, bytes);
        let Ok(done) = instrument(bytes, &mut ids, &trace, &options) else { continue };
        recorded(bytes, &done, &trace);
        read_again(&done.bytes, done.methods.len(), same.is_ok());
        for method in &done.methods {
            let _ = (method.map.original(9), method.map.original(u32::MAX), method.lines.line(Bci(9)));
        }
    }
    let _ = method_id_of(bytes);
}

/// What is recorded of a class stands for it.
fn recorded(bytes: &[u8], done: &Instrumented<'_>, trace: &PolicyTrace<'_>) {
    let Some(record) = record(bytes, done, trace) else {
        let left =
            done.methods.iter().any(|method| matches!(method.outcome, HookOutcome::Skipped(_)) || method.weight != 0);
        assert!(left, "a class of which nothing was left, and without weights, cannot be recorded");
        return;
    };
    let again = Recorded::read(bytes, &record).expect("a record can be read");
    assert_eq!(again.bytes.unwrap_or(bytes), done.bytes);
    assert!(again.holds(&Everything), "the same answers do not hold");
    let mut said = Instrumented { bytes: Vec::new(), ..done.clone() };
    said.methods.retain(|method| method.outcome != HookOutcome::NoHooks);
    assert_eq!(format!("{:?}", again.class), format!("{said:?}"));
}

fn read_again(bytes: &[u8], methods: usize, whole: bool) {
    let again = summary(bytes).expect("a rewritten class can be read");
    assert_eq!(again.methods.len(), methods);
    assert!(!whole || identity(bytes).as_deref() == Ok(bytes), "the new code cannot be read");
}
