//! A class with hooks in every method that needs them.
//!
//! Invariant: a method that cannot be rewritten is left as it was, named, and the rest of the class
//! is done; but a class that the JVM refuses because of a method is left as a whole. A class in
//! which nothing changed is given back byte for byte.
//! Source: docs/design/mechanisms.md, docs/design/emitted-code.md.

mod class_rewriter;
mod outcome;
mod policy;

pub use outcome::{HookOutcome, Instrumented, MethodOutcome, PublishedSite, SiteKind};
pub use policy::{Ids, Policy, RewriteOptions};

use crate::SkipReason;
use crate::analyze::flow;
use crate::analyze::leaf::{self, LeafAnalysis};
use crate::emit::constants::{self, Constants};
use crate::emit::method;
use crate::format::class::{self, ClassFile};
use crate::format::code::Tables;
use crate::memory::vec_reuse::emptied;
use crate::planning::plan::{self, Plan};
use crate::stack_maps::frames::Frames;
use class_rewriter::ClassRewriter;

/// What the rewriting of one class leaves for the next: memory, and nothing else.
#[derive(Default)]
pub struct RewriteBuffers {
    tables: Option<Box<Tables>>,
    flow: flow::FlowBuffers,
    frames: Frames,
    plan: plan::PlanBuffers,
    method: method::MethodBuffers,
    constants: constants::ConstantBuffers,
    body: Vec<u8>,
    class: class::ClassBuffers,
    leaves: leaf::LeafBuffers,
    bytes: Vec<u8>,
    methods: Vec<MethodOutcome<'static>>,
    sites: Vec<PublishedSite<'static>>,
}

impl RewriteBuffers {
    /// Takes back what was said of a class's methods and sites, for the memory.
    pub fn recycle_methods(&mut self, methods: Vec<MethodOutcome<'_>>, sites: Vec<PublishedSite<'_>>) {
        self.methods = emptied(methods);
        self.sites = emptied(sites);
    }

    /// A copy of the bytes of a class that was rewritten before.
    pub fn copy(&mut self, class: &[u8]) -> Vec<u8> {
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.clear();
        bytes.extend_from_slice(class);
        bytes
    }

    /// Takes back a class's bytes, once nobody needs them.
    pub fn recycle_bytes(&mut self, bytes: Vec<u8>) {
        self.bytes = bytes;
    }
}

/// Puts the hooks into a class. Errors concern the class as a whole; single methods are
/// [`HookOutcome::Skipped`].
pub fn instrument<'a>(
    bytes: &'a [u8],
    ids: &mut dyn Ids,
    policy: &dyn Policy,
    options: &RewriteOptions,
) -> Result<Instrumented<'a>, SkipReason> {
    instrument_with(&mut RewriteBuffers::default(), bytes, ids, policy, options)
}

/// [`instrument`] for many classes.
pub fn instrument_with<'a>(
    scratch: &mut RewriteBuffers,
    bytes: &'a [u8],
    ids: &mut dyn Ids,
    policy: &dyn Policy,
    options: &RewriteOptions,
) -> Result<Instrumented<'a>, SkipReason> {
    let class = ClassFile::read_into(bytes, std::mem::take(&mut scratch.class))?;
    let leaves = LeafAnalysis::new(&class, policy, options, std::mem::take(&mut scratch.leaves));
    let id = ids.class().ok_or(SkipReason::IdsExhausted)?;
    scratch.body.clear();
    let (mut made, mut methods) = (std::mem::take(&mut scratch.bytes), std::mem::take(&mut scratch.methods));
    let plan = Plan::within(std::mem::take(&mut scratch.plan));
    let sites = std::mem::take(&mut scratch.sites);
    let mut constants = Constants::with(&class.pool, std::mem::take(&mut scratch.constants));
    constants.merged = options.merged;
    let mut rewriter = ClassRewriter {
        class: &class,
        constants,
        ids,
        policy,
        options,
        scratch,
        plan,
        sites,
        leaves,
        copied: class.pool_end(),
        malformed: None,
    };
    // All of them, also behind one that is malformed, for the memory is then given back as ever.
    methods.extend((0..class.methods.len()).map(|number| rewriter.method(number)));
    rewriter.check_left(&methods);
    let mut called = Vec::with_capacity(rewriter.leaves.methods().count());
    called.extend(rewriter.leaves.methods().map(|method| (method.name, method.desc)));
    let leaf_constructors = rewriter.leaves.constructors();
    let ClassRewriter { constants, leaves, scratch, plan, sites, copied, malformed, .. } = rewriter;
    made.clear();
    if scratch.body.is_empty() {
        made.extend_from_slice(bytes);
    } else {
        scratch.body.extend_from_slice(&bytes[copied..]);
        class.with_body(&constants.additions, &scratch.body, &mut made);
    }
    scratch.constants = constants.into_buffers();
    scratch.leaves = leaves.into_buffers();
    scratch.plan = plan.into_buffers();
    let source_file = source_file(&class);
    let (name, super_name) = (class.name, class.super_name);
    scratch.class = class.into_buffers();
    if let Some(reason) = malformed {
        scratch.recycle_methods(methods, sites);
        scratch.recycle_bytes(made);
        return Err(reason);
    }
    Ok(Instrumented {
        bytes: made,
        id,
        name,
        super_name,
        source_file,
        leaf_methods: called,
        leaf_constructors,
        methods,
        sites,
    })
}

fn source_file<'a>(class: &ClassFile<'a>) -> Option<&'a [u8]> {
    let attribute = class.attributes.iter().find(|attribute| attribute.name == b"SourceFile")?;
    let index = class.bytes.get(attribute.body())?;
    class.pool.utf8(u16::from_be_bytes([*index.first()?, *index.get(1)?]))
}
