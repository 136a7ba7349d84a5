//! The members that entries of the constant pool name: each is read once for a class, with the
//! stack effect of its instructions.
//!
//! Invariant: the same answers as [`crate::format::pool::PoolView::member`] and the look-ups in the
//! class's own methods give.
//! Source: JVMS 4.4.2, 4.4.6, 6.5.

use crate::format::class::ClassFile;
use crate::format::descriptor::{Slots, field_slots, method_slots};
use crate::format::pool::MemberRef;
use crate::memory::vec_reuse::emptied;

/// A member reference or dynamic call site, and what follows from it.
#[derive(Clone, Copy)]
pub(crate) struct Named<'a> {
    pub(crate) member: MemberRef<'a>,
    /// Slots, if it has a method descriptor.
    pub(crate) method: Option<Slots>,
    /// Is it a member of the class itself?
    pub(crate) own: bool,
    /// If so, the declared method of this name and descriptor.
    pub(crate) declared: Option<u16>,
}

/// What the entries of a class's pool name.
pub(crate) struct MemberRefs<'m, 'a> {
    class: &'m ClassFile<'a>,
    /// By pool index.
    entries: Vec<Entry>,
    list: Vec<Named<'a>>,
}

/// What is known of an entry of the pool.
#[derive(Clone, Copy, Default)]
struct Entry {
    /// One more than the place in the list, or [`UNREAD`] or [`NONE`].
    place: u32,
    effect: Effect,
}

/// What an instruction that names a member does to the stack, besides taking the receiver.
#[derive(Clone, Copy, Default)]
pub(crate) struct Effect {
    /// Slots; both are those of the value, for a field.
    pub(crate) popped: u8,
    pub(crate) pushed: u8,
    /// [`FIELD`] or [`METHOD`], by the descriptor; neither for what was not read.
    pub(crate) kind: u8,
}

/// It has a field descriptor.
pub(crate) const FIELD: u8 = 1;
/// It has a method descriptor, of as many slots as the JVM takes.
pub(crate) const METHOD: u8 = 2;

const UNREAD: u32 = 0;
const NONE: u32 = u32::MAX;

/// The memory, for the next class.
#[derive(Default)]
pub(crate) struct MemberRefBuffers {
    entries: Vec<Entry>,
    list: Vec<Named<'static>>,
}

impl<'m, 'a> MemberRefs<'m, 'a> {
    pub(crate) fn new(class: &'m ClassFile<'a>, MemberRefBuffers { mut entries, list }: MemberRefBuffers) -> Self {
        entries.clear();
        entries.resize(class.pool.count(), Entry::default());
        Self { class, entries, list: emptied(list) }
    }

    /// Its memory.
    pub(crate) fn into_buffers(self) -> MemberRefBuffers {
        MemberRefBuffers { entries: self.entries, list: emptied(self.list) }
    }

    /// What an entry names, if it is one that names a member.
    #[inline]
    pub(crate) fn get(&mut self, index: u16) -> Option<&Named<'a>> {
        let mut place = self.entries.get(usize::from(index))?.place;
        if place == UNREAD {
            place = self.read(index);
        }
        self.list.get(place.wrapping_sub(1) as usize)
    }

    /// What an instruction with this operand does to the stack; nothing, as far as is known, if
    /// nobody has asked for what the entry names. `None` if the pool has no such index.
    #[inline]
    pub(crate) fn effect(&self, index: u16) -> Option<Effect> {
        self.entries.get(usize::from(index)).map(|entry| entry.effect)
    }

    #[cold]
    fn read(&mut self, index: u16) -> u32 {
        let place = match self.class.pool.member(index) {
            None => NONE,
            Some(member) => {
                let own = member.owner == self.class.name;
                let declared = own.then(|| self.class.methods.find(member.name, member.desc)).flatten();
                let (method, declared) = (method_slots(member.desc), declared.map(|number| number as u16));
                self.entries[usize::from(index)].effect = effect(member.desc, method);
                self.list.push(Named { member, method, own, declared });
                self.list.len() as u32
            }
        };
        self.entries[usize::from(index)].place = place;
        place
    }
}

fn effect(desc: &[u8], method: Option<Slots>) -> Effect {
    if let Some(slots) = field_slots(desc) {
        return Effect { popped: slots as u8, pushed: slots as u8, kind: FIELD };
    }
    let method = method.and_then(|slots| Some((u8::try_from(slots.arguments).ok()?, slots.result as u8)));
    method.map_or(Effect::default(), |(popped, pushed)| Effect { popped, pushed, kind: METHOD })
}
