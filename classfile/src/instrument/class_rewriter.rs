//! What becomes of each method of a class: none of its business, a leaf, rewritten, or left for a
//! reason.
//!
//! Invariant: a method that is given up leaves nothing behind, neither in the body nor in the pool
//! nor among the sites.
//! Source: docs/design/mechanisms.md, docs/design/emitted-code.md.

use std::ops::Range;

use lucce_words::Bci;
use lucce_words::hashed::mixed;
use lucce_words::weights::{Scheme, natural, of_method};

use super::{HookOutcome, Ids, MethodOutcome, Policy, PublishedSite, RewriteBuffers, RewriteOptions};
use crate::analyze::flow::Flow;
use crate::analyze::leaf::LeafAnalysis;
use crate::emit::constants::Constants;
use crate::emit::encode::read_frames;
use crate::emit::hooks::EntryHook;
use crate::emit::method::{HUGE, Method};
use crate::format::annotations::is_annotated;
use crate::format::attribute::Attribute;
use crate::format::class::ClassFile;
use crate::format::code::Code;
use crate::format::members::Member;
use crate::format::opcode::ANEWARRAY;
use crate::format::pool::MemberRef;
use crate::planning::idle_returns::drop_idle_returns;
use crate::planning::plan::Plan;
use crate::validate::untouched::{check_code, check_unreached};
use crate::{BciMap, Faults, LineTable, SkipReason, emit::tally};

/// The methods of a class, one behind the other.
pub(super) struct ClassRewriter<'j, 's, 'a> {
    pub(super) class: &'j ClassFile<'a>,
    pub(super) constants: Constants<'j>,
    pub(super) ids: &'j mut dyn Ids,
    pub(super) policy: &'j dyn Policy,
    pub(super) options: &'j RewriteOptions,
    /// Its `body` holds what stands behind the pool, up to where the class is `copied`.
    pub(super) scratch: &'s mut RewriteBuffers,
    pub(super) plan: Plan<'a>,
    /// Those of all methods so far.
    pub(super) sites: Vec<PublishedSite<'a>>,
    pub(super) leaves: LeafAnalysis<'j, 'a>,
    pub(super) copied: usize,
    /// What is wrong with a method, if something is that the JVM refuses the class for.
    pub(super) malformed: Option<SkipReason>,
}

/// What [`ClassRewriter::rewrite`] finds out besides the new code.
struct Hooked {
    outcome: HookOutcome,
    is_lazy: bool,
    interposable: bool,
    sites: Range<usize>,
    map: BciMap,
    opcode_hash: u64,
    word_local: u16,
    weight: u64,
}

impl Hooked {
    fn none(outcome: HookOutcome) -> Self {
        let map = BciMap::default();
        Self {
            outcome,
            is_lazy: false,
            interposable: false,
            sites: 0..0,
            map,
            opcode_hash: 0,
            word_local: 0,
            weight: 0,
        }
    }
}

const STATIC: u16 = 0x0008;

impl<'a> ClassRewriter<'_, '_, 'a> {
    /// Puts hooks into the method of this number, if it needs any.
    pub(super) fn method(&mut self, number: usize) -> MethodOutcome<'a> {
        let method = &self.class.methods[number];
        let mut lines = LineTable::default();
        let hooked = match method.code() {
            None => Ok(Hooked::none(HookOutcome::NoCode)),
            // Of most that need none this is seen without reading all that belongs to the code.
            Some(attribute) => match self.leaves.at_a_glance(number) {
                Some(true) => Ok(Hooked::none(HookOutcome::NoHooks)),
                glance => self.scan(number, attribute, glance.is_none(), &mut lines),
            },
        };
        let hooked = hooked.unwrap_or_else(|reason| {
            if let SkipReason::Malformed { .. } = reason {
                self.malformed.get_or_insert(reason);
            }
            Hooked::none(HookOutcome::Skipped(reason))
        });
        let Hooked { outcome, is_lazy, interposable, sites, map, opcode_hash, word_local, weight } = hooked;
        let Member { name, desc, access, .. } = *method;
        MethodOutcome {
            name,
            desc,
            access,
            outcome,
            is_lazy,
            interposable_exit: interposable,
            sites,
            map,
            opcode_hash,
            word_local,
            weight,
            lines,
        }
    }

    /// Looks at what stays, now that it is known what was appended.
    pub(super) fn check_left(&mut self, methods: &[MethodOutcome<'_>]) {
        let added = usize::from(self.constants.additions.count()) - self.class.pool.count();
        if added == 0 || self.class.version.is_pre_release() {
            return;
        }
        let is_new = |outcome: &HookOutcome| matches!(outcome, HookOutcome::Hooked(_) | HookOutcome::HookedHuge(_));
        let left = methods.iter().zip(self.class.methods.iter()).filter(|method| !is_new(&method.0.outcome));
        let mut codes = left.filter_map(|(_, method)| method.code());
        let found = codes.try_for_each(|code| check_code(self.class, code, added));
        self.malformed = self.malformed.take().or(found.err());
    }

    /// `unsettled`: may it still turn out to be a leaf?
    fn scan(
        &mut self,
        number: usize,
        attribute: &Attribute<'a>,
        unsettled: bool,
        lines: &mut LineTable,
    ) -> Result<Hooked, SkipReason> {
        let class = self.class;
        let tables = self.scratch.tables.take().unwrap_or_default();
        let code = match Code::read_with(
            Some(&mut self.leaves.uses.members),
            class.bytes,
            &class.pool,
            class.version,
            attribute,
            tables,
        ) {
            Err(_) if unsettled && self.leaves.settle_unread(number) => return Ok(Hooked::none(HookOutcome::NoHooks)),
            code => code?,
        };
        let hooked = if unsettled && self.leaves.settle(number, &code) {
            Ok(Hooked::none(HookOutcome::NoHooks))
        } else {
            self.rewrite(&class.methods[number], attribute, &code, lines)
        };
        self.scratch.tables = Some(code.into_tables());
        hooked
    }

    fn rewrite(
        &mut self,
        method: &Member<'a>,
        attribute: &Attribute<'a>,
        code: &Code<'a>,
        lines: &mut LineTable,
    ) -> Result<Hooked, SkipReason> {
        let class = self.class;
        let (entry, untrusted) = entry(class, method, self.policy, &self.options.faults);
        let constructor = entry == EntryHook::Constructor;
        let flow = Flow::analyse(code, constructor, &mut self.leaves.uses.members, &mut self.scratch.flow)?;
        check_unreached(code, &flow)?;
        let own = MemberRef { owner: class.name, name: method.name, desc: method.desc };
        let counts_entries = tally::counts_entries(class, method, self.policy);
        // Where each entry is to be seen, every method is entered at its start, whatever it does.
        let is_entered = counts_entries || self.options.every_entry && !tally::is_replaced(class, method, self.policy);
        self.plan.entered = is_entered.then_some(own);
        let count_allocations = self.options.count_allocations && !tally::is_replaced(class, method, self.policy);
        let options = RewriteOptions { count_allocations, ..*self.options };
        self.plan.make(class, code, &flow, &mut self.leaves, &options)?;
        let hooked = if self.plan.needs_hooks {
            *lines = LineTable::read(code)?;
            self.hook(method, attribute, code, &flow, (entry, untrusted, counts_entries), lines)
        } else {
            Ok(Hooked::none(HookOutcome::NoHooks))
        };
        flow.recycle(&mut self.scratch.flow);
        hooked
    }

    fn hook(
        &mut self,
        method: &Member<'a>,
        attribute: &Attribute<'a>,
        code: &Code<'a>,
        flow: &Flow,
        (entry, untrusted, counts_entries): (EntryHook, bool, bool),
        lines: &LineTable,
    ) -> Result<Hooked, SkipReason> {
        if is_annotated(self.class, method, |annotation| self.policy.stays_out(annotation)) {
            return Err(SkipReason::StaysOut);
        }
        read_frames(code, &mut self.scratch.frames)?;
        let constructor = entry == EntryHook::Constructor;
        let is_static = method.access & STATIC != 0;
        let (arguments, result) = code.own_slots(method.desc, is_static)?;
        let interposable = !is_static && !constructor && self.policy.interposable(method.name, method.desc);
        let interposable = interposable && !self.options.faults.interposable_exit();
        let id = self.ids.method().ok_or(SkipReason::IdsExhausted)?;
        let sites = self.sites(code, lines)?;
        let known = sites.start;
        let is_lazy = !self.plan.needs_word() && self.policy.is_lazy(self.class.name, method.name);
        let RewriteOptions {
            faults,
            version_local,
            publish_throws: reads_word,
            hashed,
            check_entries,
            sample_entries,
            ..
        } = *self.options;
        let (class, desc) = (self.class, method.desc);
        let weight = hashed.map_or(0, |scheme| self.weight(scheme, method, code));
        let policy = self.policy;
        let RewriteBuffers { frames, method: buffers, body, .. } = &mut *self.scratch;
        if hashed.is_some() {
            drop_idle_returns(code, flow, &mut self.plan, &mut buffers.graph);
        }
        let rewriter = Method {
            class,
            code,
            flow,
            frames,
            plan: &self.plan,
            name: method.name,
            desc,
            arguments,
            result,
            is_static,
            entry,
            untrusted,
            interposable,
            is_lazy,
            id,
            sites: &self.sites[sites.clone()],
            faults,
            version_local,
            hashed,
            weight,
            policy,
            check_entries,
            sample_entries,
            counts_entries,
            reads_word,
        };
        let attribute_name = &class.bytes[attribute.whole.start..attribute.whole.start + 2];
        let before = body.len();
        body.extend_from_slice(&class.bytes[self.copied..attribute.whole.start]);
        let rewritten = rewriter.rewrite(attribute_name, &mut self.constants, buffers, body);
        let rewritten = rewritten.inspect_err(|_| {
            body.truncate(before);
            self.sites.truncate(known);
        })?;
        self.copied = attribute.whole.end;
        let (opcode_hash, word_local) = (rewritten.opcode_hash, rewritten.word_local);
        let huge = rewritten.len > HUGE && code.bytes.len() <= HUGE;
        let outcome = if huge { HookOutcome::HookedHuge(id) } else { HookOutcome::Hooked(id) };
        let map = rewritten.map;
        Ok(Hooked {
            outcome,
            is_lazy,
            interposable: interposable || constructor,
            sites,
            map,
            opcode_hash,
            word_local,
            weight,
        })
    }

    /// What a method adds to a computed word at its entry.
    fn weight(&self, scheme: Scheme, method: &Member<'_>, code: &Code<'_>) -> u64 {
        let (class, name, desc) = (self.class.name, method.name, method.desc);
        match scheme {
            Scheme::Ids => 0,
            Scheme::Natural => {
                let frame = natural(u32::from(code.max_locals) + u32::from(code.max_stack));
                frame + u64::from(self.policy.resized(class, name, desc))
            }
            Scheme::Names | Scheme::Mixed => {
                of_method(class, name, desc).wrapping_add(mixed(self.options.definition.into()))
            }
        }
    }

    /// Adds the sites of a method; gives their places.
    fn sites(&mut self, code: &Code<'a>, lines: &LineTable) -> Result<Range<usize>, SkipReason> {
        let first = self.sites.len();
        let mut line = lines.ascending();
        for site in &self.plan.sites {
            let bci = Bci(code.bci(site.number) as u16);
            let owner = match code.opcode(site.number) {
                ANEWARRAY => array_of(site.member.owner).into(),
                _ => site.member.owner.into(),
            };
            let (name, desc) = (site.member.name, site.member.desc);
            let Some(id) = self.ids.site() else {
                self.sites.truncate(first);
                return Err(SkipReason::IdsExhausted);
            };
            self.sites.push(PublishedSite { id, bci, line: line(bci), kind: site.kind, owner, name, desc });
        }
        Ok(first..self.sites.len())
    }
}

fn array_of(element: &[u8]) -> Vec<u8> {
    match element.first() {
        Some(b'[') => [b"[", element].concat(),
        _ => [b"[L", element, b";"].concat(),
    }
}

/// How a method is entered, and whether what is published then is not believed.
fn entry(class: &ClassFile<'_>, method: &Member<'_>, policy: &dyn Policy, faults: &Faults) -> (EntryHook, bool) {
    let called_by_jvm = || !faults.untrusted() && policy.called_by_jvm(class.name, method.name, method.desc);
    let asked = || {
        let of = |parent| policy.may_jdk_leaf_call(parent, method.name, method.desc);
        !faults.untrusted() && method.access & STATIC == 0 && class.super_name.is_some_and(of)
    };
    match (method.name, method.desc) {
        (b"<init>", _) if class.super_name.is_some() && method.access & STATIC == 0 => {
            (EntryHook::Constructor, called_by_jvm())
        }
        (b"<clinit>", _) | (b"loadClass", b"(Ljava/lang/String;)Ljava/lang/Class;") if !faults.untrusted() => {
            (EntryHook::Untrusted, true)
        }
        (name, desc) if policy.was_leaf(class.name, name, desc) || called_by_jvm() || asked() => {
            (EntryHook::Untrusted, true)
        }
        _ => (EntryHook::Ordinary, false),
    }
}
