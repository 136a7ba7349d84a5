//! Questions that the rewriter asked about what changes from run to run, and the answers.
//!
//! Invariant: of a class that is defined for the first time, what other questions of [`Policy`] are
//! answered with follows from names and options alone.

use std::cell::RefCell;

use super::names::{self, NameWriter};
use crate::format::reader::Reader;
use crate::instrument::Policy;
use crate::skip::SkipReason;

/// A question about names of the class file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question<'a> {
    Interposable(&'a [u8], &'a [u8]),
    Inert(&'a [u8]),
    LeafSuper(&'a [u8], &'a [u8]),
}

impl<'a> Question<'a> {
    pub(super) fn ask(&self, policy: &dyn Policy) -> bool {
        match *self {
            Self::Interposable(name, desc) => policy.interposable(name, desc),
            Self::Inert(class) => policy.inert(class),
            Self::LeafSuper(class, desc) => policy.leaf_super(class, desc),
        }
    }

    /// Is what was done when the answer was `then` right when it is `now`? Methods may always store
    /// UNKNOWN as if they were interposable; clearing the published site where nothing can read it
    /// does no harm, nor does publishing before a leaf.
    pub(super) fn allows(&self, then: bool, now: bool) -> bool {
        match self {
            Self::Interposable(..) => then || !now,
            Self::Inert(_) | Self::LeafSuper(..) => now || !then,
        }
    }

    fn write(&self, names: &mut NameWriter<'_>) -> Option<()> {
        let (kind, first, second) = match *self {
            Self::Interposable(name, desc) => (0, name, Some(desc)),
            Self::Inert(class) => (1, class, None),
            Self::LeafSuper(class, desc) => (2, class, Some(desc)),
        };
        names.out.push(kind);
        names.add(first)?;
        second.map_or(Some(()), |second| names.add(second))
    }

    fn read(original: &'a [u8], reader: &mut Reader<'a>) -> Result<Self, SkipReason> {
        let kind = reader.u1()?;
        let mut name = || names::name(original, reader);
        Ok(match kind {
            0 => Self::Interposable(name()?, name()?),
            1 => Self::Inert(name()?),
            2 => Self::LeafSuper(name()?, name()?),
            _ => return Err(reader.error("a question")),
        })
    }
}

/// A policy that hears what the rewriter asks another while it does one class.
pub struct PolicyTrace<'p> {
    policy: &'p dyn Policy,
    original: &'p [u8],
    heard: RefCell<Heard>,
}

#[derive(Default)]
struct Heard {
    /// The questions, each with its answer.
    written: Vec<u8>,
    count: usize,
    /// Was there one that could not be written?
    lost: bool,
}

impl<'p> PolicyTrace<'p> {
    /// `original`: the class file that is about to be rewritten.
    pub fn new(policy: &'p dyn Policy, original: &'p [u8]) -> Self {
        Self { policy, original, heard: RefCell::default() }
    }

    /// `None`: not all that was asked can be told.
    pub(super) fn write(&self, out: &mut Vec<u8>) -> Option<()> {
        let heard = self.heard.borrow();
        if heard.lost {
            return None;
        }
        NameWriter::new(self.original, out).count(heard.count)?;
        out.extend_from_slice(&heard.written);
        Some(())
    }

    fn hear(&self, question: Question<'_>) -> bool {
        let answer = question.ask(self.policy);
        let heard = &mut *self.heard.borrow_mut();
        heard.count += 1;
        heard.lost |= question.write(&mut NameWriter::new(self.original, &mut heard.written)).is_none();
        heard.written.push(u8::from(answer));
        answer
    }
}

/// Reads the questions, each with its answer.
pub(super) fn read<'a>(original: &'a [u8], reader: &mut Reader<'a>) -> Result<Vec<(Question<'a>, bool)>, SkipReason> {
    names::list(reader, |reader| Ok((Question::read(original, reader)?, reader.u1()? != 0)))
}

impl Policy for PolicyTrace<'_> {
    fn interposable(&self, name: &[u8], desc: &[u8]) -> bool {
        self.hear(Question::Interposable(name, desc))
    }

    fn inert(&self, class: &[u8]) -> bool {
        self.hear(Question::Inert(class))
    }

    fn leaf_super(&self, super_class: &[u8], desc: &[u8]) -> bool {
        self.hear(Question::LeafSuper(super_class, desc))
    }

    fn jdk_leaf(&self, owner: &[u8], name: &[u8], desc: &[u8], special: bool) -> bool {
        self.policy.jdk_leaf(owner, name, desc, special)
    }

    fn was_leaf(&self, class: &[u8], name: &[u8], desc: &[u8]) -> bool {
        self.policy.was_leaf(class, name, desc)
    }

    fn counts_entries(&self, class: &[u8], name: &[u8], desc: &[u8]) -> bool {
        self.policy.counts_entries(class, name, desc)
    }

    fn replaced(&self, annotation: &[u8]) -> bool {
        self.policy.replaced(annotation)
    }

    fn called_by_jvm(&self, class: &[u8], name: &[u8], desc: &[u8]) -> bool {
        self.policy.called_by_jvm(class, name, desc)
    }

    fn may_jdk_leaf_call(&self, super_class: &[u8], name: &[u8], desc: &[u8]) -> bool {
        self.policy.may_jdk_leaf_call(super_class, name, desc)
    }

    fn is_lazy(&self, class: &[u8], name: &[u8]) -> bool {
        self.policy.is_lazy(class, name)
    }

    fn stays_out(&self, annotation: &[u8]) -> bool {
        self.policy.stays_out(annotation)
    }
}
