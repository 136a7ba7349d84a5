//! The members that the emitted code names, and where a class's pool holds them.
//!
//! Invariant: the names and descriptors are those of ARCHITECTURE ("Thread state", "Emitted code") and of the hooks class.
//! Source: JVMS 4.4.

use crate::SkipReason;
use crate::pool::{Additions, FIELD, METHOD, Mark, MemberRef, PoolView};

pub(crate) const THREAD: &[u8] = b"java/lang/Thread";
pub(crate) const HOOKS: &[u8] = b"java/lang/LucceHooks";
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
            Self::Settle => (METHOD, HOOKS, b"settle", b"(Ljava/lang/Thread;)V"),
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
    members: [Option<u16>; Ref::COUNT],
}

impl<'k> Constants<'k> {
    pub(crate) fn new(pool: &'k PoolView<'_>) -> Self {
        Self { additions: Additions::new(pool), members: [None; Ref::COUNT] }
    }

    pub(crate) fn member(&mut self, member: Ref) -> Result<u16, SkipReason> {
        if let Some(index) = self.members[member as usize] {
            return Ok(index);
        }
        let (tag, parts) = member.parts();
        let index = self.additions.member(tag, parts)?;
        self.members[member as usize] = Some(index);
        Ok(index)
    }

    pub(crate) fn integer(&mut self, value: u32) -> Option<u16> {
        self.additions.integer(value)
    }

    pub(crate) fn mark(&self) -> Mark {
        self.additions.mark()
    }

    pub(crate) fn rewind(&mut self, mark: Mark) {
        self.additions.rewind(mark);
        for index in self.members.iter_mut().filter(|index| index.is_some_and(|index| usize::from(index) >= mark.0)) {
            *index = None;
        }
    }
}
