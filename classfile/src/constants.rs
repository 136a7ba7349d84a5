//! The members that the emitted code names, and where a class's pool holds them.
//!
//! Invariant: the names and descriptors are those of ARCHITECTURE ("Thread state", "Emitted code") and of the hooks class.
//! Source: JVMS 4.4.

use crate::SkipReason;
use crate::pool::{Additions, FIELD, Held, METHOD, Mark, MemberRef, PoolView};

pub(crate) const THREAD: &[u8] = b"java/lang/Thread";
pub(crate) const HOOKS: &[u8] = b"java/lang/LucceHooks";
pub(crate) const CHAIN: &[u8] = b"java/lang/LucceChain";
pub(crate) const ORIGINS: &[u8] = b"java/lang/LucceOrigins";
pub(crate) const TALLIES: &[u8] = b"java/lang/LucceTallies";
pub(crate) const API: &[u8] = b"org/lucce/Lucce";

/// A member that emitted code uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ref {
    CurrentThread,
    Enter,
    EnterUntrusted,
    EnterAwake,
    EnterAwakeUntrusted,
    BeginRound,
    PublishAwake,
    PublishSuperAwake,
    Publish,
    Settle,
    Ctx,
    Site,
    Top,
    Slot,
    Version,
    NanoTime,
    Parked,
    Entered,
    Allocated,
    AllocatedArray,
    AllocatedArrays,
    Cloned,
    Origin,
    Started,
    Runs,
}

impl Ref {
    const COUNT: usize = Self::Runs as usize + 1;

    /// Pool tag, owner, name and descriptor.
    pub(crate) fn parts(self) -> (u8, MemberRef<'static>) {
        let (tag, owner, name, desc): (_, _, &[u8], &[u8]) = match self {
            Self::CurrentThread => (METHOD, THREAD, b"currentThread", b"()Ljava/lang/Thread;"),
            Self::Enter => (METHOD, HOOKS, b"enter", b"(Ljava/lang/Thread;I)J"),
            Self::EnterUntrusted => (METHOD, HOOKS, b"enterUntrusted", b"(Ljava/lang/Thread;I)J"),
            Self::EnterAwake => (METHOD, HOOKS, b"enterAwake", b"(Ljava/lang/Thread;I)J"),
            Self::EnterAwakeUntrusted => (METHOD, HOOKS, b"enterAwakeUntrusted", b"(Ljava/lang/Thread;I)J"),
            Self::BeginRound => (METHOD, HOOKS, b"beginRound", b"(Ljava/lang/Thread;I)J"),
            Self::PublishAwake => (METHOD, HOOKS, b"publishAwake", b"(Ljava/lang/Thread;JI)V"),
            Self::PublishSuperAwake => (METHOD, HOOKS, b"publishSuperAwake", b"(Ljava/lang/Thread;JI)V"),
            Self::Publish => (METHOD, HOOKS, b"publish", b"(Ljava/lang/Thread;JI)V"),
            Self::Settle => (METHOD, CHAIN, b"settle", b"(Ljava/lang/Thread;)V"),
            Self::Ctx => (FIELD, THREAD, b"$lucce$ctx", b"J"),
            Self::Site => (FIELD, THREAD, b"$lucce$site", b"I"),
            Self::Top => (FIELD, THREAD, b"$lucce$top", b"I"),
            Self::Slot => (FIELD, THREAD, b"$lucce$slot", b"I"),
            Self::Version => (FIELD, THREAD, b"$lucce$version", b"I"),
            Self::NanoTime => (METHOD, b"java/lang/System", b"nanoTime", b"()J"),
            Self::Parked => (METHOD, b"java/lang/LucceLocks", b"parked", b"(Ljava/lang/Object;J)V"),
            Self::Entered => (METHOD, TALLIES, b"entered", b"(Ljava/lang/Thread;JI)V"),
            Self::Allocated => (METHOD, TALLIES, b"allocated", b"(Ljava/lang/Class;Ljava/lang/Thread;JI)V"),
            Self::AllocatedArray => (METHOD, TALLIES, b"array", b"(Ljava/lang/Object;Ljava/lang/Thread;JI)V"),
            Self::AllocatedArrays => (METHOD, TALLIES, b"arrays", b"(Ljava/lang/Object;Ljava/lang/Thread;JI)V"),
            Self::Cloned => (METHOD, TALLIES, b"cloned", b"(Ljava/lang/Object;Ljava/lang/Thread;JI)V"),
            Self::Origin => (FIELD, THREAD, b"$lucce$origin", b"I"),
            Self::Started => (FIELD, THREAD, b"$lucce$started", b"I"),
            Self::Runs => (METHOD, ORIGINS, b"entered", b"(Ljava/lang/Object;)V"),
        };
        (tag, MemberRef { owner, name, desc })
    }
}

/// The fields of the thread state: name and descriptor.
pub(crate) const STATE: [(&[u8], &[u8]); 9] = [
    (b"$lucce$ctx", b"J"),
    (b"$lucce$site", b"I"),
    (b"$lucce$top", b"I"),
    (b"$lucce$slot", b"I"),
    (b"$lucce$stack", b"[J"),
    (b"$lucce$version", b"I"),
    (b"$lucce$tick", b"I"),
    (b"$lucce$started", b"I"),
    (b"$lucce$origin", b"I"),
];

/// A class's pool with what the hooks append to it.
pub(crate) struct Constants<'k> {
    pub(crate) additions: Additions<'k>,
    /// Index of each member; 0 for one that nobody has asked for.
    members: [u16; Ref::COUNT],
    /// Those of the classes that frames of the hooks name: the thread's, and what is thrown.
    thread: u16,
    thrown: u16,
}

impl<'k> Constants<'k> {
    pub(crate) fn new(pool: &'k PoolView<'_>) -> Self {
        Self::with(pool, Held::default())
    }

    /// With memory that another class has left.
    pub(crate) fn with(pool: &'k PoolView<'_>, held: Held) -> Self {
        Self { additions: Additions::with(pool, held), members: [0; Ref::COUNT], thread: 0, thrown: 0 }
    }

    #[inline]
    pub(crate) fn member(&mut self, member: Ref) -> Result<u16, SkipReason> {
        match self.members[member as usize] {
            0 => self.add(member),
            index => Ok(index),
        }
    }

    #[cold]
    fn add(&mut self, member: Ref) -> Result<u16, SkipReason> {
        let (tag, parts) = member.parts();
        let index = self.additions.member(tag, parts)?;
        self.members[member as usize] = index;
        Ok(index)
    }

    /// The class of threads.
    pub(crate) fn thread(&mut self) -> Result<u16, SkipReason> {
        if self.thread == 0 {
            self.thread = self.additions.class(THREAD)?;
        }
        Ok(self.thread)
    }

    /// The class of all that is thrown.
    pub(crate) fn thrown(&mut self) -> Result<u16, SkipReason> {
        if self.thrown == 0 {
            self.thrown = self.additions.class(b"java/lang/Throwable")?;
        }
        Ok(self.thrown)
    }

    pub(crate) fn integer(&mut self, value: u32) -> Option<u16> {
        self.additions.integer(value)
    }

    pub(crate) fn mark(&self) -> Mark {
        self.additions.mark()
    }

    pub(crate) fn rewind(&mut self, mark: Mark) {
        self.additions.rewind(mark);
        let known = self.members.iter_mut().chain([&mut self.thread, &mut self.thrown]);
        known.filter(|index| usize::from(**index) >= mark.0).for_each(|index| *index = 0);
    }
}
