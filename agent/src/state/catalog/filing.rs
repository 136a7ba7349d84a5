//! What is filed of a class that was rewritten.
//!
//! Invariant: nobody knows the ids before all entries are there, for the JVM gets the class behind
//! that.

use std::sync::Arc;

use lucce_classfile::Instrumented;

use super::entries::{ClassEntry, MethodEntry, SiteEntry, SiteRole};
use super::ids::hooked;
use super::names::ClassNames;
use super::{Tables, put};
use crate::support::lock::Lock;

impl Tables {
    /// Files what the rewriter said, by these names of the class; the methods' maps and lines are
    /// taken out.
    pub(super) fn file(&mut self, mut names: ClassNames<'_>, class: &mut Instrumented<'_>) {
        let Instrumented { methods, sites, .. } = class;
        for method in methods {
            let Some((id, huge)) = hooked(&method.outcome) else { continue };
            let member = names.member();
            let mut places = Vec::with_capacity(method.sites.len());
            for site in &sites[method.sites.clone()] {
                places.push((site.bci, site.id));
                let role = SiteRole::Published(site.kind);
                let member = names.member();
                put(
                    &mut self.sites,
                    site.id.index(),
                    SiteEntry { method: id, bci: site.bci, line: site.line, role, member },
                );
            }
            places.sort_unstable();
            let entry = MethodEntry {
                class: class.id,
                member,
                access: method.access,
                huge,
                interposable_exit: method.interposable_exit,
                opcode_hash: method.opcode_hash,
                word_local: method.word_local,
                weight: method.weight,
                map: std::mem::take(&mut method.map),
                lines: std::mem::take(&mut method.lines),
                sites: places,
                met: Lock::default(),
            };
            put(&mut self.methods, id.index(), Arc::new(entry));
        }
        let ClassNames { text, name, source, .. } = names;
        put(&mut self.classes, class.id.index(), ClassEntry { text, name, source });
    }
}
