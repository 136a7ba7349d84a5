//! The members that the emitted code names, and where a class's pool holds them.
//!
//! Invariant: the names and descriptors are those of docs/design/thread-state.md,
//! docs/design/emitted-code.md and of the hooks class.
//! Source: JVMS 4.4.

use crate::SkipReason;
use crate::format::pool::{self, Additions, FIELD, METHOD, Mark, MemberRef, NAME_AND_TYPE, PoolView};

pub(crate) const THREAD: &[u8] = b"java/lang/Thread";
const THROWABLE: &[u8] = b"java/lang/Throwable";
pub(crate) const HOOKS: &[u8] = b"java/lang/LucceHooks";
pub(crate) const LAZY_ENTRY: &[u8] = b"java/lang/LucceLazyEntry";
pub(crate) const SHADOW_STACK: &[u8] = b"java/lang/LucceShadowStack";
pub(crate) const ORIGINS: &[u8] = b"java/lang/LucceOrigins";
pub(crate) const TALLIES: &[u8] = b"java/lang/LucceTallies";
pub(crate) const API: &[u8] = b"org/lucce/Lucce";

/// A member that emitted code uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ref {
    CurrentThread,
    Enter,
    EnterUntrusted,
    EnterLazy,
    EnterLazyUntrusted,
    PollBackEdge,
    Publish,
    CheckHashed,
    EnteredHashed,
    ResolveResume,
    Ctx,
    Site,
    Top,
    Slot,
    Version,
    Parking,
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
            Self::EnterLazy => (METHOD, LAZY_ENTRY, b"enter", b"(Ljava/lang/Thread;I)J"),
            Self::EnterLazyUntrusted => (METHOD, LAZY_ENTRY, b"enterUntrusted", b"(Ljava/lang/Thread;I)J"),
            Self::PollBackEdge => (METHOD, LAZY_ENTRY, b"pollBackEdge", b"(Ljava/lang/Thread;I)J"),
            Self::Publish => (METHOD, HOOKS, b"publish", b"(Ljava/lang/Thread;JI)V"),
            Self::CheckHashed => (METHOD, HOOKS, b"checkHashed", b"(Ljava/lang/Thread;IJ)V"),
            Self::EnteredHashed => (METHOD, HOOKS, b"enteredHashed", b"(Ljava/lang/Thread;IJ)V"),
            Self::ResolveResume => (METHOD, SHADOW_STACK, b"resolveResume", b"(Ljava/lang/Thread;)V"),
            Self::Ctx => (FIELD, THREAD, b"$lucce$ctx", b"J"),
            Self::Site => (FIELD, THREAD, b"$lucce$site", b"I"),
            Self::Top => (FIELD, THREAD, b"$lucce$top", b"I"),
            Self::Slot => (FIELD, THREAD, b"$lucce$slot", b"I"),
            Self::Version => (FIELD, THREAD, b"$lucce$version", b"I"),
            Self::Parking => (METHOD, b"java/lang/LucceLocks", b"parking", b"(Ljava/lang/Object;)J"),
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

/// What added fields are: `public transient synthetic`.
pub(crate) const ADDED: u16 = 0x0001 | 0x0080 | 0x1000;
const VOLATILE: u16 = 0x0040;

/// A field to add: name, descriptor and access flags.
pub(crate) type AddedField<'f> = (&'f [u8], &'f [u8], u16);

/// The fields of the thread state.
pub(crate) const STATE: [AddedField<'_>; 12] = [
    (b"$lucce$ctx", b"J", ADDED),
    (b"$lucce$site", b"I", ADDED),
    (b"$lucce$top", b"I", ADDED),
    (b"$lucce$slot", b"I", ADDED),
    (b"$lucce$stack", b"[J", ADDED),
    (b"$lucce$version", b"I", ADDED),
    (b"$lucce$started", b"I", ADDED),
    (b"$lucce$origin", b"I", ADDED),
    (b"$lucce$hooksEnabled", b"I", ADDED),
    (b"$lucce$doubted", b"I", ADDED),
    (b"$lucce$tick", b"I", ADDED),
    // Another thread writes it.
    (b"$lucce$sampled", b"I", ADDED | VOLATILE),
];

/// A class's pool with what the hooks append to it.
pub(crate) struct Constants<'k> {
    pub(crate) additions: Additions<'k>,
    /// Index of each member; 0 for one that nobody has asked for.
    members: [u16; Ref::COUNT],
    shared: Shared,
    /// See [`crate::RewriteOptions`].
    pub(crate) merged: bool,
}

/// What the members have in common, by name: few, so they are looked through.
#[derive(Default)]
struct Shared {
    texts: Vec<(&'static [u8], u16)>,
    classes: Vec<(&'static [u8], u16)>,
}

/// Memory that goes from class to class.
#[derive(Default)]
pub(crate) struct ConstantBuffers {
    additions: pool::AdditionsBuffers,
    shared: Shared,
}

impl<'k> Constants<'k> {
    pub(crate) fn new(pool: &'k PoolView<'_>) -> Self {
        Self::with(pool, ConstantBuffers::default())
    }

    /// With memory that another class has left.
    pub(crate) fn with(pool: &'k PoolView<'_>, buffers: ConstantBuffers) -> Self {
        let ConstantBuffers { additions, mut shared } = buffers;
        shared.texts.clear();
        shared.classes.clear();
        Self { additions: Additions::with(pool, additions), members: [0; Ref::COUNT], shared, merged: false }
    }

    /// Leaves the memory to another class.
    pub(crate) fn into_buffers(self) -> ConstantBuffers {
        ConstantBuffers { additions: self.additions.into_buffers(), shared: self.shared }
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
        let index = self.reference(tag, parts)?;
        self.members[member as usize] = index;
        Ok(index)
    }

    /// A reference to a member that nobody has asked for; `tag` is [`FIELD`] or [`METHOD`].
    pub(crate) fn reference(&mut self, tag: u8, member: MemberRef<'static>) -> Result<u16, SkipReason> {
        let (name, desc) = (self.text(member.name)?, self.text(member.desc)?);
        let name_and_type = self.additions.pair(NAME_AND_TYPE, name, desc)?;
        let owner = self.class(member.owner)?;
        self.additions.pair(tag, owner, name_and_type)
    }

    fn text(&mut self, text: &'static [u8]) -> Result<u16, SkipReason> {
        once(&mut self.shared.texts, text, || self.additions.new_utf8(text))
    }

    fn class(&mut self, name: &'static [u8]) -> Result<u16, SkipReason> {
        once(&mut self.shared.classes, name, || self.additions.class_of_hooks(name))
    }

    /// The class of threads.
    pub(crate) fn thread(&mut self) -> Result<u16, SkipReason> {
        self.class(THREAD)
    }

    /// The class of all that is thrown.
    pub(crate) fn thrown(&mut self) -> Result<u16, SkipReason> {
        self.class(THROWABLE)
    }

    pub(crate) fn integer(&mut self, value: u32) -> Option<u16> {
        self.additions.integer(value)
    }

    pub(crate) fn long(&mut self, value: u64) -> Result<u16, SkipReason> {
        self.additions.long(value)
    }

    pub(crate) fn mark(&self) -> Mark {
        self.additions.mark()
    }

    pub(crate) fn rewind(&mut self, mark: Mark) {
        self.additions.rewind(mark);
        self.members.iter_mut().filter(|index| usize::from(**index) >= mark.0).for_each(|index| *index = 0);
        // A class may be one of the original pool, below every mark.
        for list in [&mut self.shared.texts, &mut self.shared.classes] {
            list.retain(|known| usize::from(known.1) < mark.0);
        }
    }
}

fn once(
    list: &mut Vec<(&'static [u8], u16)>,
    name: &'static [u8],
    add: impl FnOnce() -> Result<u16, SkipReason>,
) -> Result<u16, SkipReason> {
    if let Some(known) = list.iter().find(|known| known.0 == name) {
        return Ok(known.1);
    }
    let index = add()?;
    list.push((name, index));
    Ok(index)
}
