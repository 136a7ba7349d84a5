//! What the rewriter said about classes, methods and sites, by id.
//!
//! Invariant: an entry is complete before the rewritten class is handed to the JVM, and never changes; sites that only a walk met
//! (an instruction that initialises a class, say) are added later, each once.

mod entries;
mod ids;
mod names;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use lucce_words::{Bci, ClassId, MethodId, Paged, SiteId};
use rustc_hash::FxHashSet;

pub use entries::{ClassEntry, MethodEntry, Name, Place, SiteEntry};
use ids::{IdCounters, next};
use names::{Names, shared};

use crate::lock::{Lock, Shared};
use crate::values::{MAX_METHODS, MAX_SITES};

/// The tables.
#[derive(Default)]
pub struct Catalog {
    names: Lock<Names>,
    classes: Shared<Paged<Option<ClassEntry>>>,
    methods: Shared<Paged<Option<Arc<MethodEntry>>>>,
    sites: Shared<Paged<Option<SiteEntry>>>,
    ids: IdCounters,
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
        let (mut all_classes, mut all_sites, mut all_methods) =
            (self.classes.write(), self.sites.write(), self.methods.write());
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
        drop((all_classes, all_sites, all_methods));
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

/// The id of a method that got hooks, and whether it crosses the compile limit.
pub fn hooked(outcome: &lucce_classfile::Outcome) -> Option<(MethodId, bool)> {
    match outcome {
        lucce_classfile::Outcome::Hooked(id) => Some((*id, false)),
        lucce_classfile::Outcome::HookedHuge(id) => Some((*id, true)),
        _ => None,
    }
}

fn put<T: Clone>(table: &mut Paged<Option<T>>, index: usize, value: T) {
    table[index] = Some(value);
}
