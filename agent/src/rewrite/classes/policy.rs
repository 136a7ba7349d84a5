//! What the rewriter asks the agent: ids, and which methods and classes are special.

use lucce_classfile::{Ids, Policy};
use lucce_words::{Bci, ClassId, MethodId, SiteId};

use super::left::is_called_below;
use crate::options::method_matches;
use crate::state::agent::Agent;
use crate::state::catalog::Catalog;
use crate::state::origin::Loader;
use crate::support::text::ours;
use crate::{rewrite::jdk, rewrite::jdk_leaf_calls};

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

/// The agent, asked about a class that this loader defines; `None` where nothing follows from that.
pub struct AgentPolicy<'a> {
    pub agent: &'a Agent,
    pub loader: Option<Loader>,
    /// Whether the JVM has the class already.
    pub redefined: bool,
}

impl Policy for AgentPolicy<'_> {
    fn interposable(&self, name: &[u8], desc: &[u8]) -> bool {
        self.agent.classes.interposable.is_interposable(name, desc)
    }

    fn inert(&self, class: &[u8]) -> bool {
        self.agent.classes.interposable.is_inert(class)
    }

    fn jdk_leaf(&self, owner: &[u8], name: &[u8], desc: &[u8], special: bool) -> bool {
        // With hooks in the JDK's classes it is the callee itself that is entered.
        !self.agent.options.jdk && jdk_leaf_calls::is_jdk_leaf(owner, name, desc, special)
    }

    fn was_leaf(&self, class: &[u8], name: &[u8], desc: &[u8]) -> bool {
        // Before a class is defined none of its code runs.
        self.redefined && self.agent.classes.leaf_methods.contains(class, name, desc)
    }

    fn leaf_super(&self, super_class: &[u8], desc: &[u8]) -> bool {
        self.loader.is_some_and(|loader| self.agent.classes.leaf_constructors.is_leaf(loader, super_class, desc))
    }

    fn counts_entries(&self, class: &[u8], name: &[u8], _desc: &[u8]) -> bool {
        method_matches(&self.agent.options.entries, class, name)
    }

    fn is_lazy(&self, class: &[u8], name: &[u8]) -> bool {
        self.agent.classes.demand.is_on() && !method_matches(&self.agent.options.awake, class, name)
    }

    fn replaced(&self, annotation: &[u8]) -> bool {
        self.agent.options.jdk && jdk::is_replaced(annotation)
    }

    fn called_by_jvm(&self, class: &[u8], name: &[u8], desc: &[u8]) -> bool {
        let Agent { options, encoder, .. } = self.agent;
        // Below a Guard a hashed word says nothing, so the stack would be walked for each exception
        // and each count there. One walk at the entry saves those.
        let has_many = options.exceptions.is_some() || options.has_tallies();
        let below_guard = has_many && encoder.weights().is_some() && is_called_below(name, desc);
        below_guard || options.jdk && jdk::is_called_by_jvm(class, name)
    }

    fn may_jdk_leaf_call(&self, super_class: &[u8], name: &[u8], desc: &[u8]) -> bool {
        !self.agent.options.jdk && jdk_leaf_calls::may_be_called_back(super_class, name, desc)
    }

    fn resized(&self, class: &[u8], name: &[u8], desc: &[u8]) -> u32 {
        self.agent.encoder.weights().map_or(0, |weights| weights.resized(&ours(class), &ours(name), &ours(desc)))
    }

    fn wrapped(&self, class: &[u8], name: &[u8], desc: &[u8], bci: Bci) -> u32 {
        self.agent.encoder.weights().map_or(0, |weights| weights.wrapped(&ours(class), &ours(name), &ours(desc), bci))
    }

    fn stays_out(&self, annotation: &[u8]) -> bool {
        self.agent.options.jdk && jdk::annotation_stays_out(annotation)
    }
}
