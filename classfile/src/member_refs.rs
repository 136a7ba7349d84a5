//! The members that entries of the constant pool name: each is read once for a class, with the stack effect of its instructions.
//!
//! Invariant: the same answers as [`crate::pool::PoolView::member`] and the look-ups in the class's own methods give.
//! Source: JVMS 4.4.2, 4.4.6, 6.5.

use crate::class::ClassFile;
use crate::descriptor::{Slots, field_slots, method_slots};
use crate::pool::MemberRef;
use crate::recycled::emptied;

/// A member reference or dynamic call site, and what follows from it.
#[derive(Clone, Copy)]
pub(crate) struct Named<'a> {
    pub(crate) member: MemberRef<'a>,
    /// Slots, if it has a field descriptor.
    pub(crate) field: Option<u8>,
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
    /// By pool index: one more than the place in the list, or [`UNREAD`] or [`NONE`].
    places: Vec<u32>,
    list: Vec<Named<'a>>,
}

const UNREAD: u32 = 0;
const NONE: u32 = u32::MAX;

/// The memory, for the next class.
#[derive(Default)]
pub(crate) struct Buffers {
    places: Vec<u32>,
    list: Vec<Named<'static>>,
}

impl<'m, 'a> MemberRefs<'m, 'a> {
    pub(crate) fn new(class: &'m ClassFile<'a>, Buffers { mut places, list }: Buffers) -> Self {
        places.clear();
        places.resize(class.pool.count(), UNREAD);
        Self { class, places, list: emptied(list) }
    }

    /// Its memory.
    pub(crate) fn into_buffers(self) -> Buffers {
        Buffers { places: self.places, list: emptied(self.list) }
    }

    /// What an entry names, if it is one that names a member.
    #[inline]
    pub(crate) fn get(&mut self, index: u16) -> Option<&Named<'a>> {
        let mut place = *self.places.get(usize::from(index))?;
        if place == UNREAD {
            place = self.read(index);
        }
        self.list.get(place.wrapping_sub(1) as usize)
    }

    #[cold]
    fn read(&mut self, index: u16) -> u32 {
        let place = match self.class.pool.member(index) {
            None => NONE,
            Some(member) => {
                let own = member.owner == self.class.name;
                let declared = own.then(|| self.class.methods.find(member.name, member.desc)).flatten();
                let field = field_slots(member.desc).map(|slots| slots as u8);
                let (method, declared) = (method_slots(member.desc), declared.map(|number| number as u16));
                self.list.push(Named { member, field, method, own, declared });
                self.list.len() as u32
            }
        };
        self.places[usize::from(index)] = place;
        place
    }
}
