//! What the rewriter said about classes, methods and sites, by id.
//!
//! Invariant: an entry is complete before the rewritten class is handed to the JVM, and never changes; sites that only a walk met
//! (an instruction that initialises a class, say) are added later, each once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use lucce_classfile::{BciMap, LineTable, SiteKind};
use lucce_words::{Bci, ClassId, MethodId, Paged, SiteId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::lock::{Lock, Shared};
use crate::values::{MAX_METHODS, MAX_SITES};

/// A name of few distinct values, shared.
pub type Name = Arc<str>;

/// One rewritten class.
#[derive(Clone, Debug)]
pub struct ClassEntry {
    /// Internal name.
    pub name: Name,
    /// SourceFile.
    pub source: Option<Name>,
}

/// One hooked method.
#[derive(Debug)]
pub struct MethodEntry {
    /// Its class.
    pub class: ClassId,
    /// The class's internal name.
    pub class_name: Name,
    /// Simple name.
    pub name: Name,
    /// Descriptor.
    pub desc: Name,
    /// Access flags.
    pub access: u16,
    /// Does it cross HotSpot's compile limit?
    pub huge: bool,
    /// Does its normal exit store UNKNOWN?
    pub risky_exit: bool,
    /// Of the rewritten code: what the JVM runs must have the same, or another agent has changed it after us.
    pub skeleton: u64,
    /// The local that holds its word.
    pub word_local: u16,
    /// Rewritten to original bytecode indices.
    pub map: BciMap,
    /// Lines by original bytecode index.
    pub lines: LineTable,
    /// Its sites by original bytecode index: those of the rewriter, sorted, and those that walks met.
    sites: Vec<(Bci, SiteId)>,
    met: Lock<Vec<(Bci, SiteId)>>,
}

impl MethodEntry {
    /// Is it `<init>`?
    pub fn is_constructor(&self) -> bool {
        &*self.name == "<init>"
    }

    /// Its sites, those that walks met included.
    pub fn all_sites(&self) -> Vec<SiteId> {
        self.sites.iter().chain(self.met.lock().iter()).map(|&(_, site)| site).collect()
    }

    /// What is needed to name it, for captured contexts that lead through it after it was unloaded.
    fn name_only(&self) -> Self {
        Self {
            class: self.class,
            class_name: self.class_name.clone(),
            name: self.name.clone(),
            desc: self.desc.clone(),
            access: self.access,
            huge: self.huge,
            risky_exit: self.risky_exit,
            skeleton: self.skeleton,
            word_local: self.word_local,
            map: BciMap::default(),
            lines: LineTable::default(),
            sites: Vec::new(),
            met: Lock::default(),
        }
    }
}

/// What a site is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// An instruction the rewriter published.
    Published(SiteKind),
    /// An instruction met by a walk only.
    Met,
}

/// One site.
#[derive(Clone, Debug)]
pub struct SiteEntry {
    /// Its method.
    pub method: MethodId,
    /// Its original bytecode index.
    pub bci: Bci,
    /// Its line.
    pub line: Option<u16>,
    /// What it is.
    pub place: Place,
    /// What it names: owner, name, descriptor; empty for sites that walks met.
    pub owner: Name,
    /// See `owner`.
    pub name: Name,
    /// See `owner`.
    pub desc: Name,
}

/// Names by their bytes.
#[derive(Default)]
struct Names {
    known: FxHashMap<Vec<u8>, Name>,
    /// So many there were when those that nobody uses were thrown out last.
    used: usize,
}

impl Names {
    /// Throws out what nobody else holds, where that may be half of all.
    fn purge(&mut self) {
        if self.known.len() > 2 * self.used.max(1024) {
            self.known.retain(|_, name| Arc::strong_count(name) > 1);
            self.used = self.known.len();
        }
    }
}

/// The tables.
#[derive(Default)]
pub struct Catalog {
    names: Lock<Names>,
    classes: Shared<Paged<Option<ClassEntry>>>,
    methods: Shared<Paged<Option<Arc<MethodEntry>>>>,
    sites: Shared<Paged<Option<SiteEntry>>>,
    ids: IdCounters,
}

/// The next free ids.
struct IdCounters {
    class: AtomicU32,
    method: AtomicU32,
    site: AtomicU32,
}

impl Default for IdCounters {
    fn default() -> Self {
        Self { class: AtomicU32::new(1), method: AtomicU32::new(1), site: AtomicU32::new(SiteId::FIRST.0) }
    }
}

impl Catalog {
    /// A fresh class id.
    pub fn next_class(&self) -> Option<ClassId> {
        next(&self.ids.class, u32::MAX - 1).map(ClassId)
    }

    /// A fresh method id.
    pub fn next_method(&self) -> Option<MethodId> {
        next(&self.ids.method, MAX_METHODS - 1).map(MethodId)
    }

    /// A fresh site id.
    pub fn next_site(&self) -> Option<SiteId> {
        next(&self.ids.site, MAX_SITES - 1).map(SiteId)
    }

    /// One above the highest site id given.
    pub fn sites_end(&self) -> SiteId {
        SiteId(self.ids.site.load(Ordering::Relaxed).min(MAX_SITES))
    }

    /// Classes, methods and sites given so far.
    pub fn counts(&self) -> (u32, u32, u32) {
        let ids = &self.ids;
        (
            ids.class.load(Ordering::Relaxed) - 1,
            ids.method.load(Ordering::Relaxed) - 1,
            self.sites_end().0 - SiteId::FIRST.0,
        )
    }

    /// Files a rewritten class, and keeps its methods' maps and lines.
    pub fn add(&self, rewritten: &mut lucce_classfile::Instrumented<'_>) {
        let mut names = self.names.lock();
        let class_name = shared(&mut names, rewritten.name);
        let source = rewritten.source_file.map(|name| shared(&mut names, name));
        let entry = ClassEntry { name: class_name.clone(), source };
        put(&mut self.classes.write(), rewritten.id.index(), entry);
        let (mut sites, mut methods) = (self.sites.write(), self.methods.write());
        for method in &mut rewritten.methods {
            let Some((id, huge)) = hooked(&method.outcome) else { continue };
            for site in &method.sites {
                let entry = SiteEntry {
                    method: id,
                    bci: site.bci,
                    line: site.line,
                    place: Place::Published(site.kind),
                    owner: shared(&mut names, &site.owner),
                    name: shared(&mut names, site.name),
                    desc: shared(&mut names, site.desc),
                };
                put(&mut sites, site.id.index(), entry);
            }
            let mut places: Vec<_> = method.sites.iter().map(|site| (site.bci, site.id)).collect();
            places.sort_unstable();
            let entry = MethodEntry {
                class: rewritten.id,
                class_name: class_name.clone(),
                name: shared(&mut names, method.name),
                desc: shared(&mut names, method.desc),
                access: method.access,
                huge,
                risky_exit: method.risky_exit,
                skeleton: method.skeleton,
                word_local: method.word_local,
                map: std::mem::take(&mut method.map),
                lines: std::mem::take(&mut method.lines),
                sites: places,
                met: Lock::default(),
            };
            put(&mut methods, id.index(), Arc::new(entry));
        }
    }

    /// Forgets unloaded classes: these methods and sites, but for what the sites that are `kept` need to be named.
    pub fn forget(&self, classes: &[ClassId], methods: &[MethodId], sites: &[SiteId], kept: &FxHashSet<SiteId>) {
        let (mut all_classes, mut all_methods, mut all_sites) =
            (self.classes.write(), self.methods.write(), self.sites.write());
        let named = |site: &SiteId| all_sites[site.index()].as_ref().map(|entry| entry.method);
        let named: FxHashSet<MethodId> = kept.iter().filter_map(named).collect();
        let mut of = FxHashSet::default();
        for id in methods {
            let known = all_methods[id.index()].clone().filter(|_| named.contains(id));
            match known {
                Some(entry) => {
                    of.insert(entry.class);
                    all_methods[id.index()] = Some(Arc::new(entry.name_only()));
                }
                None => all_methods.forget(id.index()),
            }
        }
        for id in classes.iter().filter(|id| !of.contains(id)) {
            all_classes.forget(id.index());
        }
        for id in sites.iter().filter(|id| !kept.contains(id)) {
            all_sites.forget(id.index());
        }
        drop((all_classes, all_methods, all_sites));
        self.names.lock().purge();
    }

    /// Is nothing known of the sites `first..end`?
    pub fn has_no_site(&self, first: u32, end: u32) -> bool {
        self.sites.read().is_empty(first as usize, end as usize)
    }

    /// The class with this id.
    pub fn class(&self, id: ClassId) -> Option<ClassEntry> {
        self.classes.read()[id.index()].clone()
    }

    /// The method with this id.
    pub fn method(&self, id: MethodId) -> Option<Arc<MethodEntry>> {
        self.methods.read()[id.index()].clone()
    }

    /// The site with this id.
    pub fn site(&self, id: SiteId) -> Option<SiteEntry> {
        self.sites.read()[id.index()].clone()
    }

    /// The site at an original bytecode index of a method: the rewriter's, or one that walks met, made on the spot.
    /// `None` only when ids are exhausted.
    pub fn site_at(&self, id: MethodId, method: &MethodEntry, bci: Bci) -> Option<SiteId> {
        // Calls that were inserted before an instruction stand at its index, too: the last of them is its own.
        let behind = method.sites.partition_point(|site| site.0 <= bci);
        if let Some(&(_, site)) = method.sites[..behind].last().filter(|site| site.0 == bci) {
            return Some(site);
        }
        let mut met = method.met.lock();
        if let Some(&(_, site)) = met.iter().find(|site| site.0 == bci) {
            return Some(site);
        }
        let site = self.next_site()?;
        let none: Name = "".into();
        let entry = SiteEntry {
            method: id,
            bci,
            line: method.lines.line(bci),
            place: Place::Met,
            owner: none.clone(),
            name: none.clone(),
            desc: none,
        };
        put(&mut self.sites.write(), site.index(), entry);
        met.push((bci, site));
        Some(site)
    }
}

/// The shared form of a name. Modified UTF-8 that is not UTF-8 keeps its readable part.
fn shared(names: &mut Names, bytes: &[u8]) -> Name {
    if let Some(name) = names.known.get(bytes) {
        return name.clone();
    }
    let name: Name = String::from_utf8_lossy(bytes).into();
    names.known.insert(bytes.to_vec(), name.clone());
    name
}

/// The id of a method that got hooks, and whether it crosses the compile limit.
pub fn hooked(outcome: &lucce_classfile::Outcome) -> Option<(MethodId, bool)> {
    match outcome {
        lucce_classfile::Outcome::Hooked(id) => Some((*id, false)),
        lucce_classfile::Outcome::HookedHuge(id) => Some((*id, true)),
        _ => None,
    }
}

fn next(counter: &AtomicU32, last: u32) -> Option<u32> {
    counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |id| (id <= last).then_some(id + 1)).ok()
}

fn put<T: Clone>(table: &mut Paged<Option<T>>, index: usize, value: T) {
    table[index] = Some(value);
}
