//! The journal: what the log knows already, and the records that are to be queued.
//!
//! Invariant: a class is described before its methods, a method before its sites, a site and a
//! callee before their edge; each once.
//! Source: docs/FORMAT.md, "Write-ahead"; docs/design/log-files.md ("Write-ahead").

use lucce_encoding::{Change, Encoder};
use lucce_log::Record;
use lucce_words::{ClassId, Lost, MethodId, SiteId};
use rustc_hash::FxHashSet;

use super::SkippedFrames;
use crate::state::catalog::{Catalog, SiteRole};

/// What the log knows already, and what is to be queued.
#[derive(Default)]
pub struct Journal {
    pub classes: FxHashSet<ClassId>,
    pub methods: FxHashSet<MethodId>,
    pub sites: FxHashSet<SiteId>,
    pub records: Vec<Record>,
    /// What was seen between the ends of calls: goes to the log with those that turn out to be new.
    pub skipped: Vec<SkippedFrames>,
    /// What numberings came to: goes to the log behind the versions that they have made.
    pub numberings: Vec<Record>,
}

impl Journal {
    /// Turns the encoder's changes into records; were there any?
    pub fn take_changes(&mut self, encoder: &mut Encoder, catalog: &Catalog) -> bool {
        let changes = encoder.take_changes();
        let changed = !changes.is_empty();
        for change in changes {
            if let Change::Edge { site, callee, .. } = change {
                // Known already, for the encoder cannot make an edge of ids it was not told.
                let _ = self.know_site(encoder, catalog, site);
                let _ = self.know_method(encoder, catalog, callee);
            }
            self.records.push(record_of(&change));
            if let Change::Edge { edge, site, callee } = change
                && let Some(at) = self.skipped.iter().position(|one| one.call == (site, callee))
            {
                let frames = self.skipped.swap_remove(at).frames.into_iter().map(Into::into).collect();
                self.records.push(Record::Via { edge, frames });
            }
        }
        self.records.append(&mut self.numberings);
        self.skipped.clear();
        changed
    }

    /// Describes a site, and its method, to log and encoder, if it is new to them.
    ///
    /// # Errors
    /// The reason why contexts through it are lost: it has no description.
    pub fn know_site(&mut self, encoder: &mut Encoder, catalog: &Catalog, site: SiteId) -> Result<(), Lost> {
        if site == SiteId::ROOT || self.sites.contains(&site) {
            return Ok(());
        }
        let entry = catalog.site(site).ok_or(Lost::Hook)?;
        self.know_method(encoder, catalog, entry.method)?;
        self.sites.insert(site);
        encoder.add_site(site, entry.method);
        self.records.push(Record::Site {
            id: site,
            method: entry.method,
            bci: entry.bci,
            line: entry.line,
            kind: role_code(entry.role),
            owner: entry.member.owner().into(),
            name: entry.member.name().into(),
            desc: entry.member.desc().into(),
        });
        Ok(())
    }

    /// The same of a method and its class.
    ///
    /// # Errors
    /// As [`Self::know_site`].
    pub fn know_method(&mut self, encoder: &mut Encoder, catalog: &Catalog, method: MethodId) -> Result<(), Lost> {
        if method == MethodId::ROOT || self.methods.contains(&method) {
            return Ok(());
        }
        let entry = catalog.method(method).ok_or(Lost::Hook)?;
        self.methods.insert(method);
        encoder.add_method(method, entry.is_constructor());
        if self.classes.insert(entry.class) {
            let class = catalog.class(entry.class).ok_or(Lost::Hook)?;
            let (name, source) = (class.name().into(), class.source().map(Into::into));
            self.records.push(Record::Class { id: entry.class, name, source, loader: 1 });
        }
        self.records.push(Record::Method {
            id: method,
            class: entry.class,
            name: entry.member.name().into(),
            desc: entry.member.desc().into(),
            access: entry.access,
            huge: entry.huge,
        });
        Ok(())
    }
}

/// The code of a site's kind in the log (docs/FORMAT.md, record Site).
fn role_code(role: SiteRole) -> u8 {
    use lucce_classfile::SiteKind;
    match role {
        SiteRole::Met => 0,
        SiteRole::Published(SiteKind::Static) => 1,
        SiteRole::Published(SiteKind::Special) => 2,
        SiteRole::Published(SiteKind::Virtual) => 3,
        SiteRole::Published(SiteKind::Interface) => 4,
        SiteRole::Published(SiteKind::Dynamic) => 5,
        SiteRole::Published(SiteKind::Polymorphic) => 6,
        SiteRole::Published(SiteKind::WeakInit) => 7,
        SiteRole::Published(SiteKind::Allocation) => 8,
        SiteRole::Published(SiteKind::Throw) => 9,
        SiteRole::Published(SiteKind::Monitor) => 10,
        SiteRole::Published(SiteKind::Entry) => 11,
    }
}

fn record_of(change: &Change) -> Record {
    match *change {
        Change::Edge { edge, site, callee } => Record::Edge { id: edge, site, callee },
        Change::Cut { edge } => Record::Cut { edge },
        Change::Unrolled { edge } => Record::Unrolled { edge },
        Change::Unloaded { method } => Record::Unloaded { method },
        Change::Segment { edge, version, lo, len, restoring, base } => {
            Record::Segment { edge, version, lo, len, restoring, base }
        }
        Change::CutNumber { edge, version, number } => Record::CutNumber { edge, version, number },
        Change::NewVersion { version, digest } => Record::NewVersion { version, digest },
    }
}
