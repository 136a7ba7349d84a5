//! What the steps of a path add to a word, by the catalogue's entries.
//!
//! Invariant: the steps are those of the rewritten code, which has its weights from here or from
//! the same functions.
//! Source: `lucce_words::hashed`, `lucce_words::weights`; docs/design/hashed-words.md,
//! docs/design/icpp.md.

use lucce_encoding::icpp::{Map, Sizes};
use lucce_words::hashed::constructor;
use lucce_words::weights::Scheme;
use lucce_words::{Bci, SiteId};
use rustc_hash::FxHashMap;

use crate::options::{self, Options};
use crate::state::catalog::{Member, MethodEntry, SiteEntry, SiteRole};
use crate::support::lock::Lock;

/// The weights of a run.
pub struct Weights {
    scheme: Scheme,
    /// What a trained map has changed.
    sizes: Sizes,
    /// How often each class was defined, or redefined, so far.
    definitions: Lock<FxHashMap<Box<str>, u32>>,
}

impl Weights {
    /// Those that were asked for.
    ///
    /// # Errors
    /// Words are not computed, or why the map cannot be used.
    pub fn of(options: &Options) -> Result<Self, String> {
        let scheme = options.scheme().ok_or("words are not computed")?;
        let sizes = match &options.icpp {
            Some(options::Weights::Map(path)) => sizes(path)?,
            _ => Sizes::default(),
        };
        Ok(Self { scheme, sizes, definitions: Lock::default() })
    }

    /// The number of this definition of a class. The first one has 0, so its words are the same in
    /// each run; those of further ones are so as long as they come in the same order.
    pub fn define(&self, class: &str) -> u32 {
        let mut definitions = self.definitions.lock();
        let next = definitions.entry(class.into()).or_default();
        *next += 1;
        *next - 1
    }

    /// By how much a frame is enlarged.
    pub fn resized(&self, class: &str, name: &str, desc: &str) -> u32 {
        self.sizes.resized(class, name, desc)
    }

    /// By how much a call is wrapped.
    pub fn wrapped(&self, class: &str, name: &str, desc: &str, bci: Bci) -> u32 {
        self.sizes.wrapped(class, name, desc, bci.0)
    }

    /// The base of a method that is entered where that is published.
    pub fn entered_with(&self, method: &MethodEntry, published: u64) -> u64 {
        published.wrapping_sub(self.constant_of(method))
    }

    /// What was published where a method was entered with this base.
    pub fn called_before(&self, method: &MethodEntry, base: u64) -> u64 {
        base.wrapping_add(self.constant_of(method))
    }

    /// The base of an activation whose local holds that.
    pub fn base_of_local(&self, method: &MethodEntry, kept: u64) -> u64 {
        self.scheme.base_of(kept, method.weight)
    }

    /// What an activation with this base publishes at a site of its method.
    pub fn published(&self, base: u64, method: &MethodEntry, (id, site): (SiteId, &SiteEntry)) -> u64 {
        self.scheme.kept(base, method.weight).wrapping_add(self.addition(method, id, site).into())
    }

    /// The base of the activation that has published that.
    pub fn base_of(&self, published: u64, method: &MethodEntry, (id, site): (SiteId, &SiteEntry)) -> u64 {
        self.base_of_local(method, published.wrapping_sub(self.addition(method, id, site).into()))
    }

    fn addition(&self, method: &MethodEntry, id: SiteId, site: &SiteEntry) -> u32 {
        let constant = if self.scheme.has_constants() && calls_constructor(site) { constant(&site.member) } else { 0 };
        match self.scheme {
            Scheme::Ids => id.0 + constant,
            Scheme::Natural if self.sizes.is_empty() => 0,
            Scheme::Natural => {
                let (class, name, desc) = (method.member.owner(), method.member.name(), method.member.desc());
                self.wrapped(class, name, desc, site.bci)
            }
            Scheme::Names | Scheme::Mixed => self.scheme.addition(method.weight, site.bci.0) + constant,
        }
    }

    fn constant_of(&self, method: &MethodEntry) -> u64 {
        if self.scheme.has_constants() && method.is_constructor() { constant(&method.member).into() } else { 0 }
    }
}

fn sizes(path: &str) -> Result<Sizes, String> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        format!(
            "cannot read the map {path}: {error}; icpp wants natural, names, mixed, or a map of lucce-decode icpp train"
        )
    })?;
    let map = Map::read(&text).map_err(|error| format!("the map {path} cannot be used: {error}"))?;
    if map.weights != "natural" {
        return Err(format!("the map {path} resizes nothing: it is of a run with icpp={0}; use icpp={0}", map.weights));
    }
    Ok(map.sizes())
}

/// Does the instruction at a site call a constructor that it names?
pub fn calls_constructor(site: &SiteEntry) -> bool {
    matches!(site.role, SiteRole::Published(_)) && site.member.name() == "<init>"
}

fn constant(member: &Member) -> u32 {
    constructor(member.owner().as_bytes(), member.desc().as_bytes())
}
