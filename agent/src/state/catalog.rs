//! What the rewriter said about classes, methods and sites, by id.
//!
//! Invariant: an entry is complete before the rewritten class is handed to the JVM, and never
//! changes; sites that only a walk met (an instruction that initialises a class, say) are added
//! later, each once.

mod entries;
mod filing;
mod ids;
mod learned;
mod names;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use lucce_classfile::Instrumented;
use lucce_words::{Bci, ClassId, MethodId, Paged, SiteId};
use rustc_hash::FxHashSet;

pub use entries::{ClassEntry, MethodEntry, SiteEntry, SiteRole};
pub use ids::hooked;
use ids::{IdCounters, next};
pub use learned::Described;
use learned::LearnedNames;
pub use names::{Member, Texts};

use crate::hook_tables::values::{MAX_METHODS, MAX_SITES};
use crate::support::lock::{Lock, Shared};

/// The tables.
#[derive(Default)]
pub struct Catalog {
    tables: Shared<Tables>,
    learned: Lock<LearnedNames>,
    ids: IdCounters,
}

#[derive(Default)]
struct Tables {
    classes: Paged<Option<ClassEntry>>,
    methods: Paged<Option<Arc<MethodEntry>>>,
    sites: Paged<Option<SiteEntry>>,
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
        let [classes, methods, sites] = self.ids.counts();
        (classes, methods, sites)
    }

    /// Gives no ids below these numbers (classes, methods, sites), which classes of the cache have.
    /// To be called before any is given.
    pub fn set_aside(&self, ends: [u32; 3]) {
        self.ids.set_aside(ends);
    }

    /// A class has come whose ids were set aside, to be filed next; false if they were not, or are
    /// another's.
    pub fn has_come(&self, class: &Instrumented<'_>) -> bool {
        let methods = || class.methods.iter().filter_map(|method| hooked(&method.outcome)).map(|(id, _)| id);
        let sites = || class.sites.iter().map(|site| site.id);
        let set_aside = methods().all(|id| self.ids.is_aside(1, id.0))
            && sites().all(|id| self.ids.is_aside(2, id.0))
            && self.ids.is_aside(0, class.id.0);
        let is_free = set_aside && {
            let tables = self.tables.read();
            tables.classes[class.id.index()].is_none()
                && methods().all(|id| tables.methods[id.index()].is_none())
                && sites().all(|id| tables.sites[id.index()].is_none())
        };
        if is_free {
            self.ids.come([1, methods().count(), class.sites.len()]);
        }
        is_free
    }

    /// Files a rewritten class; its methods' maps and lines are taken out.
    pub fn file(&self, texts: &mut Texts, class: &mut Instrumented<'_>) {
        let names = texts.names(class);
        self.tables.write().file(names, class);
    }

    /// Forgets unloaded classes: these methods and sites, but for what the sites that are `kept`
    /// need to be named.
    pub fn forget(&self, classes: &[ClassId], methods: &[MethodId], sites: &[SiteId], kept: &FxHashSet<SiteId>) {
        let tables = &mut *self.tables.write();
        let Tables { classes: all_classes, methods: all_methods, sites: all_sites } = tables;
        let named = |site: &SiteId| all_sites[site.index()].as_ref().map(|entry| entry.method);
        let named: FxHashSet<MethodId> = kept.iter().filter_map(named).collect();
        let mut of = FxHashSet::default();
        for id in methods {
            let left = all_methods[id.index()].as_ref().filter(|_| named.contains(id)).map(|entry| entry.name_only());
            of.extend(left.as_ref().map(|entry| entry.class));
            keep(all_methods, id.index(), left.map(Arc::new));
        }
        // What is left is named by a text of its own, so that those of the classes go.
        for id in classes {
            let left = all_classes[id.index()].as_ref().filter(|_| of.contains(id)).map(ClassEntry::alone);
            keep(all_classes, id.index(), left);
        }
        for id in sites {
            let left = all_sites[id.index()].as_ref().filter(|_| kept.contains(id)).map(SiteEntry::alone);
            keep(all_sites, id.index(), left);
        }
    }

    /// Is nothing known of the sites `first..end`?
    pub fn has_no_site(&self, first: u32, end: u32) -> bool {
        self.tables.read().sites.is_empty(first as usize, end as usize)
    }

    /// The class with this id.
    pub fn class(&self, id: ClassId) -> Option<ClassEntry> {
        self.tables.read().classes[id.index()].clone()
    }

    /// The method with this id.
    pub fn method(&self, id: MethodId) -> Option<Arc<MethodEntry>> {
        self.tables.read().methods[id.index()].clone()
    }

    /// The methods of a stack's frames, with one taking of the lock.
    pub fn methods(&self, ids: impl Iterator<Item = Option<MethodId>>) -> Vec<Option<Arc<MethodEntry>>> {
        let tables = self.tables.read();
        ids.map(|id| tables.methods[id?.index()].clone()).collect()
    }

    /// The sites with these ids, likewise; `None` if one of them is not known.
    pub fn sites(&self, ids: impl Iterator<Item = SiteId>) -> Option<Vec<SiteEntry>> {
        let tables = self.tables.read();
        ids.map(|id| tables.sites[id.index()].clone()).collect()
    }

    /// The site with this id.
    pub fn site(&self, id: SiteId) -> Option<SiteEntry> {
        self.tables.read().sites[id.index()].clone()
    }

    /// The site at an original bytecode index of a method: the rewriter's, or one that walks met,
    /// made on the spot. `None` only when ids are exhausted.
    pub fn site_at(&self, id: MethodId, method: &MethodEntry, bci: Bci) -> Option<SiteId> {
        // Calls that were inserted before an instruction stand at its index, too: the last of them
        // is its own.
        let behind = method.sites.partition_point(|site| site.0 <= bci);
        if let Some(&(_, site)) = method.sites[..behind].last().filter(|site| site.0 == bci) {
            return Some(site);
        }
        let mut met = method.met.lock();
        if let Some(&(_, site)) = met.iter().find(|site| site.0 == bci) {
            return Some(site);
        }
        let site = self.next_site()?;
        let entry =
            SiteEntry { method: id, bci, line: method.lines.line(bci), role: SiteRole::Met, member: Member::none() };
        put(&mut self.tables.write().sites, site.index(), entry);
        met.push((bci, site));
        Some(site)
    }
}

/// Leaves this of an entry, or nothing.
fn keep<T: Clone>(table: &mut Paged<Option<T>>, index: usize, entry: Option<T>) {
    match entry {
        Some(entry) => put(table, index, entry),
        None => table.forget(index),
    }
}

fn put<T: Clone>(table: &mut Paged<Option<T>>, index: usize, value: T) {
    table[index] = Some(value);
}
