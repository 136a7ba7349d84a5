//! DACCE, for comparison: one id for an acyclic path, and a stack (the ccStack) for the calls that
//! have no encoding.
//!
//! The graph holds the calls that were made. A new call has no encoding: it pushes
//! `<id, site, target>`, and the id goes on at maxID+1. Re-encoding gives the acyclic calls
//! encodings, the hottest into a method the encoding 0. Each re-encoding has a timestamp.
//!
//! Invariants: an id is at most 2*maxID+1, and above maxID exactly if its sub-path begins behind an
//! entry of the ccStack. In one timestamp equal paths have equal contexts. A context decodes with
//! the dictionary of its timestamp, whatever is re-encoded later.
//! Source: Li, Wang, Wu, Hsu, Xu: Dynamic and Adaptive Calling Context Encoding (CGO 2014),
//! sections 3 and 4.
//!
//! Two points of the paper are read closer than they are written. A repeated call counts up the top
//! entry only if the target is the same, too: one site can call back two methods, and the second
//! would come out as the first (a named test shows it). And an edge whose numbers would pass 64
//! bits gets no encoding. What belongs to machine code has no place here: the hash of targets (Fig.
//! 4), shared libraries, tail calls (Fig. 7).

mod dictionary;
mod figures;

pub use dictionary::Dictionary;
pub use figures::Characteristics;

use std::collections::BTreeMap;

use lucce_words::{MethodId, SiteId};

use crate::decode::unknown::Unknown;
use crate::decode::{Decoded, End};

/// An entry of the ccStack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StackEntry {
    /// The id before the call.
    pub id: u64,
    /// The calling instruction.
    pub site: SiteId,
    /// The method called.
    pub target: MethodId,
    /// How often in a row this very entry was pushed.
    pub count: u64,
}

/// Where a thread stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DacceThread {
    method: MethodId,
    id: u64,
    stack: Vec<StackEntry>,
}

impl DacceThread {
    /// Entries on its ccStack.
    pub fn depth(&self) -> usize {
        self.stack.len()
    }
}

/// A recorded context.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DacceContext {
    /// gTimeStamp: which dictionary decodes it.
    pub timestamp: usize,
    /// The method at which it was recorded.
    pub method: MethodId,
    /// The id of the last sub-path.
    pub id: u64,
    /// The ccStack, its top last.
    pub stack: Vec<StackEntry>,
}

/// Why the graph is to be encoded anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trigger {
    /// So many calls are new.
    Edges,
    /// So many calls went by an edge that is now hotter than the one with encoding 0.
    Paths,
    /// The ccStack was accessed so often for calls that could have an encoding.
    Stack,
}

/// How much of each makes a re-encoding worth its price.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "named as the triggers are")]
pub struct Thresholds {
    pub edges: u64,
    pub paths: u64,
    pub stack: u64,
}

/// What has happened since the last re-encoding.
#[derive(Clone, Copy, Default)]
struct Since {
    edges: u64,
    paths: u64,
    stack: u64,
}

/// The encoder. Its owner serialises access.
pub struct Dacce {
    entry: MethodId,
    sites: BTreeMap<SiteId, MethodId>,
    /// How often each call was made, and by method the calls out of it in the order in which they
    /// were first made.
    calls: BTreeMap<(SiteId, MethodId), u64>,
    outgoing: BTreeMap<MethodId, Vec<(SiteId, MethodId)>>,
    /// By timestamp.
    dictionaries: Vec<Dictionary>,
    since: Since,
    figures: Characteristics,
}

impl Dacce {
    /// The graph with the method alone in which every thread begins.
    pub fn new(entry: MethodId) -> Self {
        let mut new = Self {
            entry,
            sites: BTreeMap::new(),
            calls: BTreeMap::new(),
            outgoing: BTreeMap::new(),
            dictionaries: Vec::new(),
            since: Since::default(),
            figures: Characteristics::default(),
        };
        new.dictionaries.push(Dictionary::new(entry, &new.outgoing, &new.calls));
        new
    }

    /// Makes a site of a method known.
    pub fn add_site(&mut self, site: SiteId, method: MethodId) {
        self.sites.insert(site, method);
    }

    /// A thread in the entry method.
    pub fn thread(&self) -> DacceThread {
        DacceThread { method: self.entry, id: 0, stack: Vec::new() }
    }

    /// The thread calls `target` at `site`.
    ///
    /// # Errors
    /// The site is not known, or of another method. Nothing has changed then.
    pub fn call(&mut self, thread: &mut DacceThread, site: SiteId, target: MethodId) -> Result<(), Unknown> {
        self.check(site, thread.method)?;
        let calls = self.calls.entry((site, target)).or_insert(0);
        *calls += 1;
        let calls = *calls;
        if calls == 1 {
            self.outgoing.entry(thread.method).or_default().push((site, target));
            self.since.edges += 1;
        }
        let dictionary = &self.dictionaries[self.dictionaries.len() - 1];
        let (encoded, back) = (dictionary.encoding(site, target).is_some(), dictionary.is_back(site, target));
        let hottest = dictionary.hottest(target).and_then(|edge| self.calls.get(&edge));
        self.since.paths += u64::from(encoded && hottest.is_some_and(|&hottest| hottest < calls));
        self.since.stack += u64::from(dictionary.is_new((site, target)));
        self.enter(thread, site, target);
        self.figures.called(encoded, back, thread.stack.len());
        Ok(())
    }

    /// The thread's method returns to `site`.
    ///
    /// # Errors
    /// The method was not called there. Nothing has changed then.
    pub fn leave(&self, thread: &mut DacceThread, site: SiteId) -> Result<(), Unknown> {
        let caller = *self.sites.get(&site).ok_or(Unknown::Edge)?;
        match self.dictionary().encoding(site, thread.method) {
            Some(value) => thread.id = thread.id.checked_sub(value).ok_or(Unknown::Number)?,
            None => {
                let top = thread.stack.last_mut().filter(|top| (top.site, top.target) == (site, thread.method));
                let top = top.ok_or(Unknown::Chain)?;
                thread.id = top.id;
                top.count -= 1;
                if top.count == 0 {
                    thread.stack.pop();
                }
            }
        }
        thread.method = caller;
        Ok(())
    }

    /// The context in which the thread is.
    pub fn capture(&self, thread: &DacceThread) -> DacceContext {
        let DacceThread { method, id, stack } = thread.clone();
        DacceContext { timestamp: self.timestamp(), method, id, stack }
    }

    /// The frames of a recorded context, innermost first.
    pub fn decode(&self, context: &DacceContext) -> Decoded {
        match self.dictionaries.get(context.timestamp) {
            Some(dictionary) => dictionary.decode(&self.sites, context),
            None => Decoded { frames: Vec::new(), end: End::Unknown(Unknown::Edge) },
        }
    }

    /// Is a re-encoding due?
    pub fn due(&self, thresholds: &Thresholds) -> Option<Trigger> {
        let Since { edges, paths, stack } = self.since;
        let causes = [
            (Trigger::Edges, edges, thresholds.edges),
            (Trigger::Paths, paths, thresholds.paths),
            (Trigger::Stack, stack, thresholds.stack),
        ];
        causes.into_iter().find(|(_, seen, threshold)| seen >= threshold).map(|(cause, ..)| cause)
    }

    /// Encodes the whole graph anew, and what all threads stand at. The paper stops them for that.
    ///
    /// # Errors
    /// The state of a thread is none of this encoder's. Nothing has changed then.
    pub fn reencode(&mut self, threads: &mut [DacceThread]) -> Result<(), Unknown> {
        let mut paths = Vec::with_capacity(threads.len());
        for thread in threads.iter() {
            let decoded = self.decode(&self.capture(thread));
            match decoded.end {
                End::Root => paths.push(decoded.frames),
                End::Unknown(unknown) => return Err(unknown),
            }
        }
        self.dictionaries.push(Dictionary::new(self.entry, &self.outgoing, &self.calls));
        self.since = Since::default();
        for (thread, path) in threads.iter_mut().zip(paths) {
            *thread = self.thread();
            for call in path.windows(2).rev() {
                if let Some(site) = call[1].site {
                    self.enter(thread, site, call[0].method);
                }
            }
        }
        Ok(())
    }

    /// gTimeStamp: how often the graph was encoded anew.
    pub fn timestamp(&self) -> usize {
        self.dictionaries.len() - 1
    }

    /// The dictionary in force.
    pub fn dictionary(&self) -> &Dictionary {
        &self.dictionaries[self.timestamp()]
    }

    /// A row of the paper's Table 1, for the calls so far.
    pub fn characteristics(&self) -> Characteristics {
        let mut hottest = BTreeMap::new();
        for (&(_, target), &calls) in &self.calls {
            let most = hottest.entry(target).or_insert(0);
            *most = calls.max(*most);
        }
        Characteristics {
            nodes: hottest.len() + usize::from(!hottest.contains_key(&self.entry)),
            edges: self.calls.len(),
            max_id: self.dictionary().max_id(),
            timestamps: self.timestamp(),
            by_hottest: hottest.values().sum(),
            ..self.figures
        }
    }

    /// What the instrumentation of a call does (Figs. 2, 3 and 5).
    fn enter(&self, thread: &mut DacceThread, site: SiteId, target: MethodId) {
        let dictionary = self.dictionary();
        match dictionary.encoding(site, target) {
            Some(value) => thread.id += value,
            None => {
                let entry = StackEntry { id: thread.id, site, target, count: 1 };
                match thread.stack.last_mut() {
                    Some(top) if dictionary.is_back(site, target) && (StackEntry { count: 1, ..*top }) == entry => {
                        top.count += 1;
                    }
                    _ => thread.stack.push(entry),
                }
                thread.id = dictionary.max_id() + 1;
            }
        }
        thread.method = target;
    }

    fn check(&self, site: SiteId, method: MethodId) -> Result<(), Unknown> {
        if self.sites.get(&site) == Some(&method) { Ok(()) } else { Err(Unknown::Edge) }
    }
}
