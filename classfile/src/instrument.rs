//! A class with hooks in every method that needs them.
//!
//! Invariant: a method that cannot be rewritten is left as it was, named, and the rest of the class is done; but a class that the JVM refuses because
//! of a method is left as a whole. A class in which nothing changed is given back byte for byte.
//! Source: ARCHITECTURE ("Mechanisms", "Emitted code").

mod outcome;
mod policy;

pub use outcome::{Instrumented, MethodInfo, Outcome, SiteInfo, SiteKind};
pub use policy::{Ids, Options, Policy};

use crate::absent::check_code;
use crate::annotations::is_annotated;
use crate::class::{self, Attribute, ClassFile, Member};
use crate::code::{Code, Tables};
use crate::constants::{self, Constants};
use crate::encode::read_frames;
use crate::flow::{self, Flow};
use crate::frames::Frames;
use crate::hooks::Entry;
use crate::method::{self, HUGE, Method};
use crate::opcode::ANEWARRAY;
use crate::plan::{self, Plan};
use crate::pool::MemberRef;
use crate::quiet::{self, Quiet};
use crate::recycled::emptied;
use crate::{BciMap, Faults, LineTable, SkipReason, tally};
use lucce_words::Bci;
use std::ops::Range;

/// What the rewriting of one class leaves for the next: memory, and nothing else.
#[derive(Default)]
pub struct Scratch {
    tables: Option<Box<Tables>>,
    flow: flow::Buffers,
    frames: Frames,
    plan: plan::Buffers,
    method: method::Buffers,
    constants: constants::Held,
    body: Vec<u8>,
    class: class::Buffers,
    quiet: quiet::Buffers,
    bytes: Vec<u8>,
    methods: Vec<MethodInfo<'static>>,
    sites: Vec<SiteInfo<'static>>,
}

impl Scratch {
    /// Takes back what was said of a class's methods and sites, for the memory.
    pub fn recycle_methods(&mut self, methods: Vec<MethodInfo<'_>>, sites: Vec<SiteInfo<'_>>) {
        self.methods = emptied(methods);
        self.sites = emptied(sites);
    }

    /// Takes back a class's bytes, once nobody needs them.
    pub fn recycle_bytes(&mut self, bytes: Vec<u8>) {
        self.bytes = bytes;
    }
}

/// Puts the hooks into a class. Errors concern the class as a whole; single methods are [`Outcome::Skipped`].
pub fn instrument<'a>(
    bytes: &'a [u8],
    ids: &mut dyn Ids,
    policy: &dyn Policy,
    options: &Options,
) -> Result<Instrumented<'a>, SkipReason> {
    instrument_with(&mut Scratch::default(), bytes, ids, policy, options)
}

/// [`instrument`] for many classes.
pub fn instrument_with<'a>(
    scratch: &mut Scratch,
    bytes: &'a [u8],
    ids: &mut dyn Ids,
    policy: &dyn Policy,
    options: &Options,
) -> Result<Instrumented<'a>, SkipReason> {
    let class = ClassFile::read_into(bytes, std::mem::take(&mut scratch.class))?;
    let quiet = Quiet::new(&class, policy, options, std::mem::take(&mut scratch.quiet));
    let id = ids.class().ok_or(SkipReason::IdsExhausted)?;
    scratch.body.clear();
    let (mut made, mut methods) = (std::mem::take(&mut scratch.bytes), std::mem::take(&mut scratch.methods));
    let plan = Plan::within(std::mem::take(&mut scratch.plan));
    let sites = std::mem::take(&mut scratch.sites);
    let mut job = Job {
        class: &class,
        constants: Constants::with(&class.pool, std::mem::take(&mut scratch.constants)),
        ids,
        policy,
        options,
        scratch,
        plan,
        sites,
        quiet,
        copied: class.pool_end(),
        malformed: None,
    };
    // All of them, also behind one that is malformed, for the memory is then given back as ever.
    methods.extend((0..class.methods.len()).map(|number| job.method(number)));
    job.check_left(&methods);
    let mut called = Vec::with_capacity(job.quiet.methods().count());
    called.extend(job.quiet.methods().map(|method| (method.name, method.desc)));
    let quiet_constructors = job.quiet.constructors();
    let Job { constants, quiet, scratch, plan, sites, copied, malformed, .. } = job;
    made.clear();
    if scratch.body.is_empty() {
        made.extend_from_slice(bytes);
    } else {
        scratch.body.extend_from_slice(&bytes[copied..]);
        class.with_body(&constants.additions, &scratch.body, &mut made);
    }
    scratch.constants = constants.into_held();
    scratch.quiet = quiet.into_buffers();
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
        quiet: called,
        quiet_constructors,
        methods,
        sites,
    })
}

fn source_file<'a>(class: &ClassFile<'a>) -> Option<&'a [u8]> {
    let attribute = class.attributes.iter().find(|attribute| attribute.name == b"SourceFile")?;
    let index = class.bytes.get(attribute.body())?;
    class.pool.utf8(u16::from_be_bytes([*index.first()?, *index.get(1)?]))
}

struct Job<'j, 's, 'a> {
    class: &'j ClassFile<'a>,
    constants: Constants<'j>,
    ids: &'j mut dyn Ids,
    policy: &'j dyn Policy,
    options: &'j Options,
    /// Its `body` holds what stands behind the pool, up to where the class is `copied`.
    scratch: &'s mut Scratch,
    plan: Plan<'a>,
    /// Those of all methods so far.
    sites: Vec<SiteInfo<'a>>,
    quiet: Quiet<'j, 'a>,
    copied: usize,
    /// What is wrong with a method, if something is that the JVM refuses the class for.
    malformed: Option<SkipReason>,
}

/// What [`Job::rewrite`] finds out besides the new code.
struct Hooked {
    outcome: Outcome,
    sleeps: bool,
    risky: bool,
    sites: Range<usize>,
    map: BciMap,
    skeleton: u64,
    word_local: u16,
}

impl Hooked {
    fn none(outcome: Outcome) -> Self {
        let map = BciMap::default();
        Self { outcome, sleeps: false, risky: false, sites: 0..0, map, skeleton: 0, word_local: 0 }
    }
}

const STATIC: u16 = 0x0008;

impl<'a> Job<'_, '_, 'a> {
    fn method(&mut self, number: usize) -> MethodInfo<'a> {
        let method = &self.class.methods[number];
        let mut lines = LineTable::default();
        let hooked = match method.code() {
            None => Ok(Hooked::none(Outcome::NoCode)),
            // Of most that need none this is seen without reading all that belongs to the code.
            Some(attribute) => match self.quiet.at_a_glance(number) {
                Some(true) => Ok(Hooked::none(Outcome::NoHooks)),
                glance => self.scan(number, attribute, glance.is_none(), &mut lines),
            },
        };
        let hooked = hooked.unwrap_or_else(|reason| {
            if let SkipReason::Malformed { .. } = reason {
                self.malformed.get_or_insert(reason);
            }
            Hooked::none(Outcome::Skipped(reason))
        });
        let Hooked { outcome, sleeps, risky, sites, map, skeleton, word_local } = hooked;
        let Member { name, desc, access, .. } = *method;
        MethodInfo { name, desc, access, outcome, sleeps, risky_exit: risky, sites, map, skeleton, word_local, lines }
    }

    /// Looks at what stays, now that it is known what was appended.
    fn check_left(&mut self, methods: &[MethodInfo<'_>]) {
        let added = usize::from(self.constants.additions.count()) - self.class.pool.count();
        if added == 0 || self.class.version.is_pre_release() {
            return;
        }
        let left = methods.iter().zip(self.class.methods.iter()).filter(|method| method.0.outcome == Outcome::NoHooks);
        let mut codes = left.filter_map(|(_, method)| method.code());
        let found = codes.try_for_each(|code| check_code(self.class, code, added));
        self.malformed = self.malformed.take().or(found.err());
    }

    /// `unsettled`: may it still turn out to be quiet?
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
            Some(&mut self.quiet.uses.members),
            class.bytes,
            &class.pool,
            class.version,
            attribute,
            tables,
        ) {
            Err(_) if unsettled && self.quiet.settle_unread(number) => return Ok(Hooked::none(Outcome::NoHooks)),
            code => code?,
        };
        let hooked = if unsettled && self.quiet.settle(number, &code) {
            Ok(Hooked::none(Outcome::NoHooks))
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
        let constructor = entry == Entry::Constructor;
        let flow = Flow::analyse(code, constructor, &mut self.quiet.uses.members, &mut self.scratch.flow)?;
        let own = MemberRef { owner: class.name, name: method.name, desc: method.desc };
        self.plan.counted = tally::counts_entries(class, method, self.policy).then_some(own);
        let count_allocations = self.options.count_allocations && !tally::is_replaced(class, method, self.policy);
        let options = Options { count_allocations, ..*self.options };
        self.plan.make(class, code, &flow, &mut self.quiet, &options)?;
        let hooked = if self.plan.needs_hooks {
            *lines = LineTable::read(code)?;
            self.hook(method, attribute, code, &flow, (entry, untrusted), lines)
        } else {
            Ok(Hooked::none(Outcome::NoHooks))
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
        (entry, untrusted): (Entry, bool),
        lines: &LineTable,
    ) -> Result<Hooked, SkipReason> {
        if is_annotated(self.class, method, |annotation| self.policy.stays_out(annotation)) {
            return Err(SkipReason::StaysOut);
        }
        read_frames(code, &mut self.scratch.frames)?;
        let constructor = entry == Entry::Constructor;
        let is_static = method.access & STATIC != 0;
        let (arguments, result) = code.own_slots(method.desc, is_static)?;
        let risky = !is_static && !constructor && self.policy.risky(method.name, method.desc);
        let risky = risky && !self.options.faults.risky_exit();
        let id = self.ids.method().ok_or(SkipReason::IdsExhausted)?;
        let sites = self.sites(code, lines)?;
        let known = sites.start;
        let sleeps = !self.plan.needs_word() && self.policy.sleeps(self.class.name, method.name);
        let Options { faults, version_local, publish_throws: reads_word, .. } = *self.options;
        let (class, desc) = (self.class, method.desc);
        let Scratch { frames, method: buffers, body, .. } = &mut *self.scratch;
        let job = Method {
            class,
            code,
            flow,
            frames,
            plan: &self.plan,
            desc,
            arguments,
            result,
            is_static,
            entry,
            untrusted,
            risky,
            sleeps,
            id,
            sites: &self.sites[sites.clone()],
            faults,
            version_local,
            reads_word,
        };
        let name = &class.bytes[attribute.whole.start..attribute.whole.start + 2];
        let before = body.len();
        body.extend_from_slice(&class.bytes[self.copied..attribute.whole.start]);
        let rewritten = job.rewrite(name, &mut self.constants, buffers, body);
        let rewritten = rewritten.inspect_err(|_| {
            body.truncate(before);
            self.sites.truncate(known);
        })?;
        self.copied = attribute.whole.end;
        let (skeleton, word_local) = (rewritten.skeleton, rewritten.word_local);
        let huge = rewritten.len > HUGE && code.bytes.len() <= HUGE;
        let outcome = if huge { Outcome::HookedHuge(id) } else { Outcome::Hooked(id) };
        let map = rewritten.map;
        Ok(Hooked { outcome, sleeps, risky: risky || constructor, sites, map, skeleton, word_local })
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
            self.sites.push(SiteInfo { id, bci, line: line(bci), kind: site.kind, owner, name, desc });
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
fn entry(class: &ClassFile<'_>, method: &Member<'_>, policy: &dyn Policy, faults: &Faults) -> (Entry, bool) {
    let called_by_jvm = || !faults.untrusted() && policy.called_by_jvm(class.name, method.name, method.desc);
    let asked = || {
        let of = |parent| policy.asked_below_closed(parent, method.name, method.desc);
        !faults.untrusted() && method.access & STATIC == 0 && class.super_name.is_some_and(of)
    };
    match (method.name, method.desc) {
        (b"<init>", _) if class.super_name.is_some() && method.access & STATIC == 0 => {
            (Entry::Constructor, called_by_jvm())
        }
        (b"<clinit>", _) | (b"loadClass", b"(Ljava/lang/String;)Ljava/lang/Class;") if !faults.untrusted() => {
            (Entry::Untrusted, true)
        }
        (name, desc) if policy.was_quiet(class.name, name, desc) || called_by_jvm() || asked() => {
            (Entry::Untrusted, true)
        }
        _ => (Entry::Ordinary, false),
    }
}
