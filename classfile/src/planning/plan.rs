//! Which instructions get hooks, and which: the decision, before any byte is emitted.
//!
//! Invariant: every reached invocation publishes its site, but for those that can enter no
//! instrumented code ([`crate::Policy::jdk_leaf`], [`crate::analyze::leaf`]). What may initialise a
//! class clears the published site first (or publishes, at a `new` whose allocation is told of),
//! but for the own class, its superclass, inert classes of the JDK, and what the straight line has
//! used before. Unreached code gets nothing.
//! Source: docs/design/mechanisms.md ("Calling", "Clear", "Constructors"),
//! docs/design/emitted-code.md ("JDK leaf calls").

use crate::analyze::flow::{Flow, Receiver};
use crate::analyze::leaf::LeafAnalysis;
use crate::analyze::uses::Use;
use crate::emit::constants::API;
use crate::emit::tally::{Made, Tally};
use crate::format::class::ClassFile;
use crate::format::code::Code;
use crate::format::opcode::{self as op, *};
use crate::format::pool::MemberRef;
use crate::memory::vec_reuse::emptied;
use crate::{Faults, RewriteOptions, SiteKind, SkipReason};

/// What to do at one instruction. Sites are named by their place in [`Plan::sites`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Publish(usize),
    /// Before `super(...)` or `this(...)`.
    PublishSuper(usize),
    Clear,
    /// Nothing: what is counted behind the instruction needs the word.
    Stand,
    /// `Lucce.context()` becomes a read of the word; not where words are hashed.
    ReadContext,
    /// `Lucce.site()` becomes a constant; likewise.
    ReadSite(usize),
    Return,
}

/// An instruction that is a site.
pub(crate) struct Site<'a> {
    pub(crate) number: usize,
    pub(crate) kind: SiteKind,
    pub(crate) member: MemberRef<'a>,
}

/// The decisions for one method, by ascending instruction.
#[derive(Default)]
pub(crate) struct Plan<'a> {
    pub(crate) steps: Vec<(usize, Action)>,
    pub(crate) sites: Vec<Site<'a>>,
    /// What is counted behind its instruction, by ascending instruction; each has a step too.
    pub(crate) tallies: Vec<Tally>,
    /// The method itself, if it is entered at its start whatever it does; to be set before the plan
    /// is made.
    pub(crate) entered: Option<MemberRef<'a>>,
    /// The site of that entry, where its invocations may be counted: the first.
    pub(crate) entry: Option<usize>,
    /// Is there anything but returns?
    pub(crate) needs_hooks: bool,
    /// What the straight line at work has initialised.
    used: Vec<Use>,
    /// The `super(...)` and `this(...)` calls before which nothing is published, and whether they
    /// are calls of JDK leaves.
    silent: Vec<(usize, bool)>,
}

/// The memory of a plan, for those of the next class.
#[derive(Default)]
pub(crate) struct PlanBuffers(Plan<'static>);

/// What an instruction names that names nothing.
const NAMELESS: MemberRef<'static> = MemberRef { owner: b"", name: b"", desc: b"" };

impl<'a> Plan<'a> {
    /// No plan, in the memory of another class's.
    pub(crate) fn within(PlanBuffers(plan): PlanBuffers) -> Self {
        let Plan { steps, sites, tallies, used, silent, .. } = plan;
        Self { steps, sites: emptied(sites), tallies, used, silent, ..Plan::default() }
    }

    /// Its memory.
    pub(crate) fn into_buffers(self) -> PlanBuffers {
        let Self { steps, sites, tallies, used, silent, .. } = self;
        PlanBuffers(Plan { steps, sites: emptied(sites), tallies, used, silent, ..Plan::default() })
    }

    /// Makes the plan of a method in place of what was there.
    pub(crate) fn make(
        &mut self,
        class: &ClassFile<'a>,
        code: &Code<'a>,
        flow: &Flow,
        leaves: &mut LeafAnalysis<'_, 'a>,
        options: &RewriteOptions,
    ) -> Result<(), SkipReason> {
        let plan = self;
        plan.steps.clear();
        plan.sites.clear();
        plan.tallies.clear();
        plan.used.clear();
        plan.silent.clear();
        plan.needs_hooks = plan.entered.is_some();
        plan.entry = plan.entered.map(|member| plan.add(Site { number: 0, kind: SiteKind::Entry, member }));
        let mut last = 0;
        for number in code.points().iter().map(|number| *number as usize) {
            if !plan.used.is_empty() && code.has_label(last..number + 1) {
                plan.used.clear();
            }
            last = number + 1;
            if flow.depth(number).is_none() {
                continue;
            }
            let opcode = code.opcode(number);
            let error = || SkipReason::malformed("operand", code.at + code.bci(number));
            match opcode {
                INVOKEVIRTUAL..=INVOKEDYNAMIC => {
                    let index = code.operand(number);
                    let jdk_leaf =
                        !options.raises_events() && leaves.uses.is_jdk_leaf(opcode, index).ok_or_else(error)?;
                    let is_super = opcode == INVOKESPECIAL && flow.super_calls().binary_search(&number).is_ok();
                    if jdk_leaf && !options.count_allocations && !is_super {
                        continue;
                    }
                    let named = leaves.uses.members.get(index).ok_or_else(error)?;
                    let (member, declared) = (named.member, named.declared.is_some());
                    if is_super && (jdk_leaf || leaves.is_constructor(opcode, index)) {
                        plan.silent.push((number, jdk_leaf));
                        continue;
                    }
                    let made = options.count_allocations.then(|| Made::by_call(class, opcode, member)).flatten();
                    if made.is_none() && (jdk_leaf || declared && leaves.is_call(opcode, index)) {
                        continue;
                    }
                    plan.invocation(number, opcode, member, flow, options);
                    if let Some(made) = made {
                        plan.tallies.push(Tally { number, site: plan.sites.len() - 1, made });
                    }
                }
                IRETURN..=RETURN => plan.steps.push((number, Action::Return)),
                NEW..=ANEWARRAY | MULTIANEWARRAY if options.publish_allocations || options.count_allocations => {
                    let operand = code.operand(number);
                    let owner = match opcode {
                        NEWARRAY => primitive_array((operand >> 8) as u8).ok_or_else(error)?,
                        _ => class.pool.class(operand).ok_or_else(error)?,
                    };
                    let member = MemberRef { owner, name: b"", desc: b"" };
                    let site = plan.add(Site { number, kind: SiteKind::Allocation, member });
                    if options.count_allocations {
                        plan.tallies.push(Tally { number, site, made: Made::by(opcode) });
                    }
                    let mut cleared = || match opcode {
                        NEW => leaves.uses.initialises(opcode, operand).ok_or_else(error),
                        _ => Ok(None),
                    };
                    if options.publish_allocations {
                        plan.push(number, Action::Publish(site));
                    } else if let Some(one) = cleared()? {
                        plan.initialise(number, one, &options.faults);
                    }
                    if plan.steps.last().is_none_or(|step| step.0 != number) {
                        plan.push(number, Action::Stand);
                    }
                }
                ATHROW if options.publish_throws => plan.site(number, SiteKind::Throw, NAMELESS),
                MONITORENTER if options.publish_monitors => plan.site(number, SiteKind::Monitor, NAMELESS),
                _ => {
                    let index = match opcode {
                        LDC => u16::from(code.instruction(number)[1]),
                        LDC_W | LDC2_W | GETSTATIC | PUTSTATIC | NEW => code.operand(number),
                        _ => continue,
                    };
                    if let Some(one) = leaves.uses.initialises(opcode, index).ok_or_else(error)? {
                        plan.initialise(number, one, &options.faults);
                    }
                }
            }
        }
        plan.silence(flow);
        Ok(())
    }

    /// Before these `super(...)` and `this(...)` calls, those of JDK leaves and of leaf
    /// constructors, nothing is published. No handler watches them: what the constructor itself has
    /// published before must not be left by an exception; and what another agent puts under leaf
    /// constructors must not find what its caller has published.
    fn silence(&mut self, flow: &Flow) {
        if self.silent.is_empty() || !self.needs_hooks {
            return;
        }
        let before = |step: &(usize, Action)| {
            matches!(step.1, Action::Publish(_)) && flow.receiver(step.0) != Receiver::Initialised
        };
        let published = self.steps.iter().any(before);
        for (number, _) in self.silent.iter().filter(|(_, jdk_leaf)| published || !jdk_leaf) {
            let at = self.steps.partition_point(|step| step.0 < *number);
            self.steps.insert(at, (*number, Action::Clear));
        }
    }

    /// Does anything in the method read its word?
    pub(crate) fn needs_word(&self) -> bool {
        let reads = |step: &(usize, Action)| matches!(step.1, Action::ReadContext | Action::ReadSite(_));
        self.entered.is_some() || !self.tallies.is_empty() || self.steps.iter().any(reads)
    }

    fn invocation(&mut self, number: usize, opcode: u8, member: MemberRef<'a>, flow: &Flow, options: &RewriteOptions) {
        // A hashed word says nothing before it was learned, so that those are calls like others.
        if opcode == INVOKESTATIC && member.owner == API && options.hashed.is_none() {
            match (member.name, member.desc) {
                (b"context", b"()J") => return self.push(number, Action::ReadContext),
                (b"site", b"()I") => {
                    let site = self.add(Site { number, kind: SiteKind::Static, member });
                    return self.push(number, Action::ReadSite(site));
                }
                _ => {}
            }
        }
        let kind = match opcode {
            INVOKESTATIC => SiteKind::Static,
            INVOKEINTERFACE => SiteKind::Interface,
            INVOKEDYNAMIC => SiteKind::Dynamic,
            INVOKESPECIAL if flow.super_calls().binary_search(&number).is_ok() => {
                let kind = if options.faults.weak_init() { SiteKind::Special } else { SiteKind::WeakInit };
                let site = self.add(Site { number, kind, member });
                return self.push(number, Action::PublishSuper(site));
            }
            INVOKESPECIAL => SiteKind::Special,
            _ if is_polymorphic(member) => SiteKind::Polymorphic,
            _ => SiteKind::Virtual,
        };
        self.site(number, kind, member);
    }

    fn site(&mut self, number: usize, kind: SiteKind, member: MemberRef<'a>) {
        let site = self.add(Site { number, kind, member });
        self.push(number, Action::Publish(site));
    }

    /// Adds a site. The first instruction's is the entry's too, for one place has one site.
    fn add(&mut self, site: Site<'a>) -> usize {
        match self.sites.last_mut() {
            Some(last) if last.number == site.number => *last = site,
            _ => self.sites.push(site),
        }
        self.sites.len() - 1
    }

    /// Clears the published site before the first use on a straight line.
    fn initialise(&mut self, number: usize, one: Use, faults: &Faults) {
        if self.used.contains(&one) {
            return;
        }
        self.used.push(one);
        let at_start = || !self.steps.iter().any(|step| matches!(step.1, Action::Publish(_) | Action::PublishSuper(_)));
        if faults.clear() || faults.clear_at_start() && at_start() {
            self.needs_hooks = true;
        } else {
            self.push(number, Action::Clear);
        }
    }

    fn push(&mut self, number: usize, action: Action) {
        self.steps.push((number, action));
        self.needs_hooks = true;
    }
}

/// JVMS 2.9.3: the native varargs methods of MethodHandle and VarHandle.
fn is_polymorphic(member: MemberRef<'_>) -> bool {
    match member.owner {
        b"java/lang/invoke/MethodHandle" => {
            member.name.starts_with(b"invoke") && member.name != b"invokeWithArguments"
                || member.name.starts_with(b"linkTo")
        }
        b"java/lang/invoke/VarHandle" => {
            let prefixes: [&[u8]; 4] = [b"get", b"set", b"compareAnd", b"weakCompareAnd"];
            member.name != b"getClass" && prefixes.iter().any(|prefix| member.name.starts_with(prefix))
        }
        _ => false,
    }
}

fn primitive_array(kind: u8) -> Option<&'static [u8]> {
    let kinds: [&[u8]; 8] = [b"[Z", b"[C", b"[F", b"[D", b"[B", b"[S", b"[I", b"[J"];
    kinds.get(usize::from(kind.checked_sub(4)?)).copied()
}

/// Is `number` the last instruction, and a return that nothing but an instruction before it leads
/// to? No handler's range may begin there, for nothing would be left to watch.
pub(crate) fn falls_into_exit(code: &Code<'_>, number: usize) -> bool {
    number > 0
        && number + 1 == code.count()
        && op::is_return(code.opcode(number))
        && !code.is_label(number)
        && !code.is_watched_from(number)
}
