//! The oracle: does the decoded context equal the JVM's own stack walk at this very moment?
//!
//! Invariant: left out of the walk are frames without hooks (the JDK's, native and hidden ones, what the log names as skipped), nothing
//! else; every other frame must agree in method, bytecode index and line. A disagreement is counted, logged and printed, never filtered.
//! Source: issue "Oracle"; DESIGN section 1.

use std::cell::RefCell;
use std::fmt::Write;
use std::hash::{BuildHasher, BuildHasherDefault};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use jvmti_bindings::sys::jni::jobject;
use lucce_encoding::{Below, ChainEntry, End};
use lucce_log::Record;
use lucce_words::{Lost, MethodId, SiteId, Version, Word};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::agent::{Agent, count};
use crate::capture::Context;
use crate::jvm::frames::Frame;
use crate::jvm::jni::Jni;
use crate::jvm::thread::Entry;
use crate::walk;

/// Mismatches that are printed and logged in full.
const SHOWN: u64 = 10;

/// What was compared.
#[derive(Default)]
pub struct Oracle {
    /// Comparisons.
    pub checks: AtomicU64,
    /// Comparisons that disagreed.
    pub mismatches: AtomicU64,
    /// Checks that were due while the JVM gave no stack to compare with.
    pub unanswered: AtomicU64,
    /// Comparisons of a LOST word.
    pub lost: AtomicU64,
    distinct: Mutex<FxHashSet<u64>>,
}

/// One frame of either side, for comparison and print.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Place {
    method: MethodId,
    /// Original bytecode index; `None` for the innermost frame of an entry, which has not begun.
    bci: Option<u16>,
    line: Option<u32>,
}

impl Oracle {
    /// Distinct contexts compared.
    pub fn distinct(&self) -> usize {
        self.distinct.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

/// Compares the entry of `method` with `word`.
pub fn check_entry(agent: &Agent, jni: Jni, thread: jobject, method: MethodId, word: Word) {
    if agent.is_dead() || word.lost_reason() == Some(Lost::Foreign) {
        return;
    }
    let Some(fields) = agent.fields.get() else { return };
    let chain = fields.chain(jni, thread);
    let version = fields.version(jni, thread);
    let Some(stack) = walk::instrumented(agent, jni) else {
        count(&agent.oracle.unanswered);
        return;
    };
    compare(agent, jni, method, None, (word, version), &chain, &stack);
}

/// Compares the context of an event.
pub fn check_event(agent: &Agent, jni: Jni, context: &Context, stack: &[Frame]) {
    let Some(entry) = agent.catalog.site(context.site) else { return };
    let word = (context.word, context.version);
    compare(agent, jni, entry.method, Some(context.site), word, &context.chain, stack);
}

fn compare(
    agent: &Agent,
    jni: Jni,
    method: MethodId,
    site: Option<SiteId>,
    (word, version): (Word, Version),
    chain: &[Entry],
    stack: &[Frame],
) {
    count(&agent.oracle.checks);
    let lost = if agent.algorithm1.is_some() { version.0 == 0 } else { word.lost_reason().is_some() };
    if lost {
        count(&agent.oracle.lost);
        return;
    }
    let snapshot = agent.core.snapshot();
    let tree = agent.cct.as_ref().and_then(|cct| cct.decode(word));
    let decoded = match (&agent.algorithm1, tree) {
        (Some(paper), _) => paper.decode(method, word, version),
        (None, Some(decoded)) => decoded,
        (None, None) => {
            let chain: Vec<ChainEntry> = chain.iter().map(|entry| entry.chain).collect();
            snapshot.decode(method, word, &chain)
        }
    };
    let ours: Vec<Place> = decoded
        .frames
        .iter()
        .enumerate()
        .map(|(index, frame)| place_of_site(agent, frame.method, if index == 0 { site } else { frame.site }))
        .collect();
    let theirs: Vec<Place> = stack
        .iter()
        .enumerate()
        .filter_map(|(index, frame)| place_of_frame(agent, jni, frame, index == 0 && site.is_none()))
        .collect();
    if decoded.end == End::Root && ours == theirs {
        let hash = BuildHasherDefault::<FxHasher>::default().hash_one(&ours);
        crate::lock::count();
        agent.oracle.distinct.lock().unwrap_or_else(PoisonError::into_inner).insert(hash);
        let site = decoded.frames.get(1).and_then(|caller| caller.site).unwrap_or(SiteId::ROOT);
        if let Some(paper) = &agent.algorithm1 {
            paper.checked(site, method);
        } else if let Some(cct) = &agent.cct {
            cct.saw(site, method);
        } else if let Ok(Below::Caller { edge, .. } | Below::Chain { edge, .. }) = snapshot.step(method, word) {
            agent.core.with(&agent.catalog, &agent.writer, |core, _| core.checked(edge));
        }
        return;
    }
    if agent.oracle.mismatches.fetch_add(1, Ordering::Relaxed) < SHOWN {
        let text = report(agent, (word, version), &decoded.end, &ours, &theirs);
        eprint!("lucce: {text}");
        agent.core.with(&agent.catalog, &agent.writer, |core, _| core.record(Record::Mismatch { text }));
    }
}

thread_local! {
    /// Places of sites, which never change, and of the frames' code, which does when a class is redefined.
    static SITES: RefCell<FxHashMap<SiteId, Place>> = RefCell::default();
    static FRAMES: RefCell<FxHashMap<(usize, i64), Option<Place>>> = RefCell::default();
}

fn place_of_site(agent: &Agent, method: MethodId, site: Option<SiteId>) -> Place {
    let Some(site) = site else { return Place { method, bci: None, line: None } };
    SITES.with_borrow_mut(|known| {
        *known.entry(site).or_insert_with(|| {
            let entry = agent.catalog.site(site);
            Place {
                method,
                bci: entry.as_ref().map(|entry| entry.bci.0),
                line: entry.and_then(|entry| entry.line).map(u32::from),
            }
        })
    })
}

fn place_of_frame(agent: &Agent, jni: Jni, frame: &Frame, entering: bool) -> Option<Place> {
    let method = frame.method?;
    if entering {
        return Some(Place { method, bci: None, line: None });
    }
    let place = || {
        let entry = agent.catalog.method(method)?;
        let bci = u32::try_from(frame.location).ok().map(|location| entry.map.original(location).0);
        // The line is the JVM's own, from the rewritten class's table.
        let line = agent.names.of(agent.jvmti, jni, frame.raw).and_then(|named| named.line(frame.location));
        Some(Place { method, bci, line })
    };
    if agent.methods.any_redefined() {
        return place();
    }
    FRAMES.with_borrow_mut(|known| *known.entry((frame.raw as usize, frame.location)).or_insert_with(place))
}

/// Both sides, aligned from the base.
fn report(agent: &Agent, (word, version): (Word, Version), end: &End, ours: &[Place], theirs: &[Place]) -> String {
    let packed = agent.algorithm1.is_none();
    let mut text = format!(
        "MISMATCH: <{}, {}> decodes to {} frames ({end:?}), the JVM has {}\n",
        if packed { word.version() } else { version },
        if packed { word.call_id() } else { word.0 },
        ours.len(),
        theirs.len()
    );
    let show = |place: Option<&Place>| {
        place.map_or_else(String::new, |place| match agent.catalog.method(place.method) {
            Some(entry) => {
                let bci = place.bci.map_or(-1, i32::from);
                let line = place.line.map_or(-1, |line| line as i32);
                format!("{}.{}{} bci {bci} line {line}", entry.class_name, entry.name, entry.desc)
            }
            None => format!("method {}", place.method),
        })
    };
    let depth = ours.len().max(theirs.len());
    let common = ours.iter().rev().zip(theirs.iter().rev()).take_while(|(one, other)| one == other).count();
    for height in (common.saturating_sub(3)..depth).rev().take(60) {
        let at = |side: &[Place]| side.len().checked_sub(height + 1).map(|index| side[index]);
        let (one, other) = (at(ours), at(theirs));
        let sign = if one == other { ' ' } else { '!' };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  {sign} {:<80} | {}", show(one.as_ref()), show(other.as_ref()));
    }
    text
}
