//! Methods of the own class, and constructors of the superclass, under which nothing is entered and
//! nothing initialised: they need no hooks, and nothing is published before they are called.
//!
//! Invariant: a leaf method has no hooks, nor has whatever its code can reach; and which method is
//! entered follows from the class file alone, or from what the superclass is known to be
//! ([`Policy::leaf_super`]). A redefinition may end that while activations of the old code still
//! call it: whoever redefines must then enter it untrusted ([`Policy::was_leaf`]). Constructors
//! cannot push, so they could not be: they are leaves for constructors alone. Those clear the
//! published site before `super(...)` and `this(...)` if they have hooks.
//! Source: docs/design/emitted-code.md ("JDK leaf calls").

use crate::analyze::points::{Points, Suspects};
use crate::analyze::uses::{self, Uses};
use crate::emit::tally::{self, Made};
use crate::format::class::ClassFile;
use crate::format::code::Code;
use crate::format::member_refs::Named;
use crate::format::members::Member;
use crate::format::opcode::{self as op, *};
use crate::{Policy, RewriteOptions};

const PRIVATE: u16 = 0x0002;
const STATIC: u16 = 0x0008;
const FINAL: u16 = 0x0010;

const INIT: &[u8] = b"<init>";

/// Chains of calls that are followed.
const DEPTH: usize = 8;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Unknown,
    /// Being looked at: who calls it from there counts as no leaf.
    Open,
    Leaf,
    NonLeaf,
}

/// The memory of what is known about a class, for the next.
#[derive(Default)]
pub(crate) struct LeafBuffers {
    verdicts: Vec<Verdict>,
    called: Vec<bool>,
    uses: uses::UseBuffers,
}

/// What is known about the methods of a class.
pub(crate) struct LeafAnalysis<'q, 'a> {
    class: &'q ClassFile<'a>,
    policy: &'q dyn Policy,
    pub(crate) uses: Uses<'q, 'a>,
    /// By the order of the file.
    verdicts: Vec<Verdict>,
    /// Those before whose calls nothing is published.
    called: Vec<bool>,
    wanted: bool,
    /// Allocations are counted, so a method that makes something needs its word.
    counts: bool,
}

impl<'q, 'a> LeafAnalysis<'q, 'a> {
    pub(crate) fn new(
        class: &'q ClassFile<'a>,
        policy: &'q dyn Policy,
        options: &RewriteOptions,
        buffers: LeafBuffers,
    ) -> Self {
        let (wanted, counts) = (!options.raises_events() && !options.every_entry, options.count_allocations);
        let LeafBuffers { mut verdicts, mut called, uses } = buffers;
        verdicts.clear();
        verdicts.resize(class.methods.len(), Verdict::Unknown);
        called.clear();
        called.resize(class.methods.len(), false);
        Self { class, policy, uses: Uses::new(class, policy, uses), verdicts, called, wanted, counts }
    }

    /// What it leaves for the next.
    pub(crate) fn into_buffers(self) -> LeafBuffers {
        LeafBuffers { verdicts: self.verdicts, called: self.called, uses: self.uses.into_buffers() }
    }

    /// Is this method, by the order of the file, a leaf? Then it needs no hooks. `None` if that
    /// depends on where its instructions begin: [`Self::settle`] must be told, before anything else
    /// is asked.
    pub(crate) fn at_a_glance(&mut self, method: usize) -> Option<bool> {
        match self.verdicts[method] {
            _ if !self.wanted => Some(false),
            Verdict::Unknown => match self.glance(method, DEPTH) {
                Some(false) => None,
                glance => Some(self.conclude(method, glance.is_some())),
            },
            verdict => Some(verdict == Verdict::Leaf),
        }
    }

    /// Is the method a leaf, to whose code a glance was not enough?
    pub(crate) fn settle(&mut self, method: usize, code: &Code<'_>) -> bool {
        let computes = self.class.pool.computes();
        let leaf = code.points().iter().all(|number| {
            let at = code.bci(*number as usize);
            let plain = !computes && matches!(code.bytes[at], LDC..=LDC2_W);
            plain || self.is_leaf_at(method, code.bytes, at, DEPTH).unwrap_or(false)
        });
        self.conclude(method, leaf)
    }

    /// The same if the code was not scanned.
    pub(crate) fn settle_unread(&mut self, method: usize) -> bool {
        self.walk(method, DEPTH)
    }

    /// Does the instruction call a leaf method of this class, and no other?
    pub(crate) fn is_call(&mut self, opcode: u8, index: u16) -> bool {
        let named = self.uses.members.get(index).copied().filter(|_| self.wanted);
        let target = named.and_then(|named| self.target(opcode, &named));
        target.is_some_and(|target| self.is_called(target, DEPTH))
    }

    /// Is it a leaf constructor of this class or its superclass that the instruction calls?
    pub(crate) fn is_constructor(&mut self, opcode: u8, index: u16) -> bool {
        let named = self.uses.members.get(index).copied().filter(|_| self.wanted);
        named.is_some_and(|named| self.calls_constructor(opcode, &named, DEPTH))
    }

    /// The descriptors of the leaf constructors that subclasses can call.
    pub(crate) fn constructors(&self) -> Vec<&'a [u8]> {
        if self.class.access & FINAL != 0 {
            return Vec::new();
        }
        let all = self.class.methods.iter().zip(&self.verdicts);
        let leaf = all.filter(|(method, verdict)| {
            method.name == INIT && method.access & (PRIVATE | STATIC) == 0 && **verdict == Verdict::Leaf
        });
        leaf.map(|(method, _)| method.desc).collect()
    }

    fn calls_constructor(&mut self, opcode: u8, named: &Named<'_>, depth: usize) -> bool {
        let member = named.member;
        if opcode != INVOKESPECIAL || member.name != INIT {
            return false;
        }
        if named.own {
            return named.declared.is_some_and(|target| self.verdict(target.into(), depth));
        }
        self.class.super_name == Some(member.owner) && self.policy.leaf_super(member.owner, member.desc)
    }

    fn is_called(&mut self, target: usize, depth: usize) -> bool {
        let leaf = self.verdict(target, depth);
        self.called[target] |= leaf;
        leaf
    }

    /// The methods before whose calls nothing is published.
    pub(crate) fn methods(&self) -> impl Iterator<Item = &'q Member<'a>> {
        self.class.methods.iter().zip(&self.called).filter(|method| *method.1).map(|method| method.0)
    }

    /// The method of this class that the instruction enters, whatever the receiver.
    fn target(&self, opcode: u8, named: &Named<'_>) -> Option<usize> {
        let target = usize::from(named.declared?);
        if named.member.name.first() == Some(&b'<') || named.member.name == b"loadClass" {
            return None;
        }
        let access = self.class.methods[target].access;
        let bound = match opcode {
            INVOKESTATIC => access & STATIC != 0,
            INVOKESPECIAL => access & (STATIC | PRIVATE) == PRIVATE,
            INVOKEVIRTUAL => {
                access & STATIC == 0 && (access & (PRIVATE | FINAL) != 0 || self.class.access & FINAL != 0)
            }
            INVOKEINTERFACE => access & (STATIC | PRIVATE) == PRIVATE,
            _ => false,
        };
        bound.then_some(target)
    }

    fn verdict(&mut self, target: usize, depth: usize) -> bool {
        match self.verdicts[target] {
            Verdict::Unknown if depth > 0 => {}
            verdict => return verdict == Verdict::Leaf,
        }
        match self.glance(target, depth) {
            Some(false) => self.walk(target, depth),
            glance => self.conclude(target, glance.is_some()),
        }
    }

    /// Goes through the code of a method to which a glance was not enough.
    fn walk(&mut self, target: usize, depth: usize) -> bool {
        let leaf = self.code(target).is_some_and(|code| self.all_leaf(target, code, depth).unwrap_or(false));
        self.conclude(target, leaf)
    }

    /// Opens a method. Most code has nothing in it that could speak against a leaf, even if what is
    /// no instruction is taken for one: is it so? `None` if the method is none.
    fn glance(&mut self, target: usize, depth: usize) -> Option<bool> {
        self.verdicts[target] = Verdict::Open;
        let counted = tally::counts_entries(self.class, &self.class.methods[target], self.policy);
        let code = self.code(target).filter(|_| !counted)?;
        let mut suspects = Suspects::new(code, self.class.pool.computes());
        Some(!self.counts && suspects.all(|at| self.is_leaf_at(target, code, at, depth).unwrap_or(false)))
    }

    fn conclude(&mut self, target: usize, leaf: bool) -> bool {
        self.verdicts[target] = if leaf { Verdict::Leaf } else { Verdict::NonLeaf };
        self.called[target] &= leaf;
        leaf
    }

    fn code(&self, target: usize) -> Option<&'a [u8]> {
        if self.class.version.is_pre_release() {
            return None;
        }
        let body = self.class.bytes.get(self.class.methods[target].code()?.body())?;
        let length = op::i4(body, 4)?;
        body.get(8..)?.get(..usize::try_from(length).ok()?)
    }

    /// `None` for code that cannot be read.
    fn all_leaf(&mut self, own: usize, code: &[u8], depth: usize) -> Option<bool> {
        let points = Points::new(self.class.pool.computes());
        let mut at = points.next(code, 0)?;
        while at < code.len() {
            let length = op::length(code, at)?;
            if !self.is_leaf_at(own, code, at, depth)? {
                return Some(false);
            }
            at = points.next(code, at + length)?;
        }
        Some(true)
    }

    /// May the instruction at `at` be in a leaf, if one begins there?
    fn is_leaf_at(&mut self, own: usize, code: &[u8], at: usize, depth: usize) -> Option<bool> {
        let opcode = code[at];
        let operand = || op::u2(code, at + 1);
        Some(match opcode {
            INVOKEDYNAMIC => false,
            NEW..=ANEWARRAY | MULTIANEWARRAY if self.counts => false,
            INVOKEVIRTUAL..=INVOKEINTERFACE => self.is_leaf_call(own, opcode, operand(), depth)?,
            LDC => self.uses.initialises(opcode, (*code.get(at + 1)?).into())?.is_none(),
            LDC_W | LDC2_W | GETSTATIC | PUTSTATIC | NEW => self.uses.initialises(opcode, operand())?.is_none(),
            _ => true,
        })
    }

    /// May a call in method `own` be in a leaf? `None` if the index is wrong.
    fn is_leaf_call(&mut self, own: usize, opcode: u8, index: u16, depth: usize) -> Option<bool> {
        let jdk_leaf = self.uses.is_jdk_leaf(opcode, index)?;
        if jdk_leaf && !self.counts {
            return Some(true);
        }
        let named = *self.uses.members.get(index)?;
        if self.counts && Made::by_call(self.class, opcode, named.member).is_some() {
            return Some(false);
        }
        Some(match self.target(opcode, &named) {
            _ if jdk_leaf => true,
            // So it is, if nothing else is against it.
            Some(target) if target == own => {
                self.called[own] = true;
                true
            }
            Some(target) => self.is_called(target, depth - 1),
            None => self.class.methods[own].name == INIT && self.calls_constructor(opcode, &named, depth - 1),
        })
    }
}
