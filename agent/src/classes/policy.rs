//! What the rewriter asks the agent: ids, and which methods and classes are special.

use lucce_classfile::{Ids, Policy};
use lucce_words::{ClassId, MethodId, SiteId};

use crate::agent::Agent;
use crate::catalog::Catalog;
use crate::options::method_matches;
use crate::{closed, jdk};

impl Ids for &Catalog {
    fn class(&mut self) -> Option<ClassId> {
        self.next_class()
    }

    fn method(&mut self) -> Option<MethodId> {
        self.next_method()
    }

    fn site(&mut self) -> Option<SiteId> {
        self.next_site()
    }
}

impl Policy for Agent {
    fn risky(&self, name: &[u8], desc: &[u8]) -> bool {
        self.risk.is_risky(name, desc)
    }

    fn inert(&self, class: &[u8]) -> bool {
        self.risk.is_inert(class)
    }

    fn closed(&self, owner: &[u8], name: &[u8], desc: &[u8], special: bool) -> bool {
        // With hooks in the JDK's classes it is the callee itself that is entered.
        !self.options.jdk && closed::is_closed(owner, name, desc, special)
    }

    fn was_quiet(&self, class: &[u8], name: &[u8], desc: &[u8]) -> bool {
        self.quiet.contains(class, name, desc)
    }

    fn counts_entries(&self, class: &[u8], name: &[u8], _desc: &[u8]) -> bool {
        method_matches(&self.options.entries, class, name)
    }

    fn sleeps(&self, class: &[u8], name: &[u8]) -> bool {
        self.demand.is_on() && !method_matches(&self.options.awake, class, name)
    }

    fn replaced(&self, annotation: &[u8]) -> bool {
        self.options.jdk && jdk::is_replaced(annotation)
    }

    fn called_by_jvm(&self, class: &[u8], name: &[u8], _: &[u8]) -> bool {
        self.options.jdk && jdk::is_called_by_jvm(class, name)
    }

    fn stays_out(&self, annotation: &[u8]) -> bool {
        self.options.jdk && jdk::annotation_stays_out(annotation)
    }
}
