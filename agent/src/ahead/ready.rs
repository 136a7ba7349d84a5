//! A class that was rewritten ahead.
//!
//! Invariant: nothing else of the agent knows of it yet, but that its ids are taken.

use lucce_classfile::{Policy, Scratch};

use crate::agent::Agent;
use crate::catalog::Texts;
use crate::classes::{Asked, Filing, Told, rewrite_options};
use crate::jvm::text;
use crate::origin::Loader;

/// See above.
pub struct Ready {
    /// As it is on the class path.
    bytes: Vec<u8>,
    /// What is defined in its place, if other bytes.
    new: Option<Vec<u8>>,
    filing: Filing,
    name: Box<[u8]>,
    super_name: Box<[u8]>,
    /// What the rewriter was told of the superclass.
    told: Vec<(Box<[u8]>, bool)>,
}

impl Ready {
    /// Rewrites the class; `None` if it gets no hooks at all.
    pub(super) fn make(agent: &Agent, scratch: &mut Scratch, texts: &mut Texts, bytes: Vec<u8>) -> Option<Self> {
        let told = Told::default();
        let policy = Asked { agent, loader: Some(Loader::APPLICATION), ahead: Some(&told) };
        let options = rewrite_options(agent);
        let class = lucce_classfile::instrument_with(scratch, &bytes, &mut &agent.catalog, &policy, &options);
        let mut class = class.ok()?;
        let (name, super_name) = (class.name.into(), class.super_name.unwrap_or_default().into());
        let filing = Filing::of(texts, &mut class);
        scratch.recycle_methods(class.methods);
        let new = (class.bytes != bytes).then_some(class.bytes);
        Some(Self { bytes, new, filing, name, super_name, told: told.into_inner() })
    }

    /// Internal name, as text of ours.
    pub(super) fn name(&self) -> String {
        text::ours(&self.name).into_owned()
    }

    /// About how many bytes it takes: what is kept beside the two class files is guessed.
    pub(super) fn size(&self) -> usize {
        2 * (self.bytes.len() + self.new.as_ref().map_or(0, Vec::len))
    }

    /// Would the rewriter make the same of these bytes, for a class of this loader?
    pub(super) fn holds(&self, agent: &Agent, loader: Option<Loader>, bytes: &[u8]) -> bool {
        let now = Asked { agent, loader, ahead: None };
        self.bytes == bytes
            && !agent.quiet.knows(&self.name)
            && self.told.iter().all(|(desc, quiet)| now.quiet_super(&self.super_name, desc) == *quiet)
            && !agent.risk.has_risky(self.filing.exposed.iter().map(|(signature, _)| signature))
    }

    /// Its class file, once nobody compares it any more.
    pub(super) fn take_bytes(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    /// The bytes to define in place of its own, if others, and what is to be filed.
    pub fn into_parts(self) -> (Option<Vec<u8>>, Filing) {
        (self.new, self.filing)
    }

    /// Its class, methods and sites, which have ids.
    pub(super) fn ids(&self) -> (u32, u32, u32) {
        self.filing.ids()
    }
}

/// A class of that name and of so many bytes, with a method that has five sites.
#[cfg(test)]
pub(super) fn made_up(name: &str, bytes: usize) -> Ready {
    use lucce_classfile::{Instrumented, MethodInfo, Outcome, SiteInfo, SiteKind};
    use lucce_words::{Bci, MethodId, SiteId};

    let site = |bci: u16| SiteInfo {
        id: SiteId(bci.into()),
        bci: Bci(bci),
        line: None,
        kind: SiteKind::Static,
        owner: b"B".into(),
        name: b"run",
        desc: b"()V",
    };
    let method = MethodInfo {
        name: b"go",
        desc: b"()V",
        access: 0,
        outcome: Outcome::Hooked(MethodId(1)),
        sleeps: true,
        risky_exit: false,
        sites: (1..=5).map(site).collect(),
        map: Default::default(),
        skeleton: 0,
        word_local: 0,
        lines: Default::default(),
    };
    let mut class = Instrumented {
        bytes: Vec::new(),
        id: lucce_words::ClassId(1),
        name: name.as_bytes(),
        super_name: None,
        source_file: None,
        quiet: Vec::new(),
        quiet_constructors: Vec::new(),
        methods: vec![method],
    };
    let (filing, name) = (Filing::of(&mut Texts::default(), &mut class), name.as_bytes().into());
    Ready { bytes: vec![0; bytes], new: None, filing, name, super_name: Box::default(), told: Vec::new() }
}
