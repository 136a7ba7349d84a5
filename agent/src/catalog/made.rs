//! The entries of a class that was rewritten and is not filed yet.
//!
//! Invariant: they are complete, and nobody else knows their ids.

use std::sync::Arc;

use lucce_classfile::Instrumented;
use lucce_words::{ClassId, MethodId, SiteId};

use super::entries::{ClassEntry, MethodEntry, Place, SiteEntry};
use super::hooked;
use super::names::{Member, Texts};
use crate::lock::Lock;

/// See above.
pub struct Entries {
    pub(super) class: (ClassId, ClassEntry),
    pub(super) methods: Vec<(MethodId, Arc<MethodEntry>)>,
    pub(super) sites: Vec<(SiteId, SiteEntry)>,
}

impl Entries {
    /// Takes them from what the rewriter said, and with them the methods' maps and lines.
    pub fn of(texts: &mut Texts, class: &mut Instrumented<'_>) -> Self {
        // First the text, then the entries, which are named by parts of it in this order.
        let name = texts.part(class.name);
        let source = class.source_file.map(|source| texts.part(source));
        let with_hooks = || class.methods.iter().filter(|method| hooked(&method.outcome).is_some());
        let counts = with_hooks().fold((0, 0), |(methods, sites), method| (methods + 1, sites + method.sites.len()));
        let mut parts = Vec::with_capacity(counts.0 + counts.1);
        for method in with_hooks() {
            parts.push(texts.member(class.name, method.name, method.desc));
            parts.extend(method.sites.iter().map(|site| texts.member(&site.owner, site.name, site.desc)));
        }
        let text = texts.take();
        let mut members = parts.into_iter().map(|parts| Member::new(&text, parts));
        let mut next = || members.next().unwrap_or_else(Member::none);
        let (mut methods, mut sites) = (Vec::with_capacity(counts.0), Vec::with_capacity(counts.1));
        for method in &mut class.methods {
            let Some((id, huge)) = hooked(&method.outcome) else { continue };
            let member = next();
            let mut places = Vec::with_capacity(method.sites.len());
            for site in &method.sites {
                places.push((site.bci, site.id));
                let place = Place::Published(site.kind);
                sites.push((site.id, SiteEntry { method: id, bci: site.bci, line: site.line, place, member: next() }));
            }
            places.sort_unstable();
            let entry = MethodEntry {
                class: class.id,
                member,
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
            methods.push((id, Arc::new(entry)));
        }
        Self { class: (class.id, ClassEntry { text, name, source }), methods, sites }
    }

    /// The class.
    pub fn class(&self) -> ClassId {
        self.class.0
    }
}
