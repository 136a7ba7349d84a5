//! What the walks of `encoder=icpp` have taught: the contexts of a run, each with its word, as a
//! map that decodes other runs.
//!
//! Invariant: a context whose names are lost is in no map, nor is what was called from it.
//! Source: docs/FORMAT.md, record Learned; docs/design/icpp.md.

use std::collections::HashMap;

use lucce_encoding::icpp::{GatheredContexts, Map};
use lucce_words::{NodeId, SiteId};

use crate::{Log, LoggedEvent};

/// The contexts of a run.
#[derive(Debug)]
pub struct Learned {
    /// As a map, in which nothing was resized.
    pub map: Map,
    /// Its contexts by the log's nodes.
    pub contexts: HashMap<NodeId, u32>,
    /// Did a map resize frames in this run?
    pub is_resized: bool,
}

impl Log {
    /// What words are made of: `natural`, `names` or `mixed`, and whether a map resized frames.
    /// `None` for another encoder.
    pub fn weights(&self) -> Option<(&str, bool)> {
        self.header().filter(|header| header.encoder == "icpp")?;
        Some(match self.written_option("icpp").unwrap_or("mixed") {
            weights @ ("natural" | "names" | "mixed") => (weights, false),
            _ => ("natural", true),
        })
    }

    /// Are events' contexts left to a map? Then none of them is lost, whatever its word looks like.
    pub(crate) fn has_bare_words(&self) -> bool {
        self.weights().is_some() && self.written_option("walks") == Some("off")
    }

    /// The contexts that walks have taught, and those below them. `None` for another encoder.
    pub fn learned(&self) -> Option<Learned> {
        let (weights, is_resized) = self.weights()?;
        let mut gathered = GatheredContexts::new(weights);
        let mut contexts = HashMap::from([(NodeId(0), None)]);
        let mut nodes: Vec<_> = self.nodes.iter().collect();
        nodes.sort_unstable();
        for (&node, &(parent, site)) in nodes {
            let Some((parent, place)) = contexts.get(&parent).copied().zip(self.names().place(site)) else { continue };
            let (site, method, class) = place;
            let site = gathered.site((&internal(&class.name), &method.name, &method.desc), site.bci.0);
            contexts.insert(node, Some(gathered.context(parent, site, self.learned.get(&node).copied())));
        }
        let contexts = contexts.into_iter().filter_map(|(node, context)| Some((node, context?))).collect();
        Some(Learned { map: gathered.finish(), contexts, is_resized })
    }

    /// The word of an event whose context a map says, and where it was published: class, method,
    /// descriptor and bytecode index. `None` where the log has the context itself, or none.
    pub fn bare_word(&self, event: &LoggedEvent) -> Option<(u64, [String; 3], u16)> {
        let place = &event.place;
        let has_word = place.node == NodeId(0) && place.site != SiteId::ROOT && self.has_bare_words();
        let (site, method, class) = self.names().place(place.site).filter(|_| has_word)?;
        let names = [internal(&class.name), method.name.to_string(), method.desc.to_string()];
        Some((place.word.0, names, site.bci.0))
    }
}

/// A class name as class files write it.
fn internal(readable: &str) -> String {
    readable.replace('.', "/")
}
