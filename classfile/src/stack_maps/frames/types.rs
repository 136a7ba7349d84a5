//! Verification types: those of frames, of descriptors, and of the locals at method entry.
//!
//! Invariant: an `Uninitialized` type names its `new` by instruction, until it is written with the
//! offset it has then.
//! Source: JVMS 4.7.4, 4.10.1.2.

use super::Frames;
use crate::emit::layout::Layout;
use crate::format::code::Code;
use crate::format::pool::Additions;
use crate::format::reader::Reader;
use crate::{SkipReason, format::descriptor};
use std::ops::Range;

/// A verification type: tag, and class index or instruction number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Type {
    pub(super) tag: u8,
    data: u32,
}

const OBJECT: u8 = 7;
const UNINITIALIZED: u8 = 8;

impl Type {
    pub(crate) const TOP: Self = Self { tag: 0, data: 0 };
    pub(crate) const INTEGER: Self = Self { tag: 1, data: 0 };
    pub(crate) const FLOAT: Self = Self { tag: 2, data: 0 };
    pub(crate) const DOUBLE: Self = Self { tag: 3, data: 0 };
    pub(crate) const LONG: Self = Self { tag: 4, data: 0 };
    pub(crate) const NULL: Self = Self { tag: 5, data: 0 };
    pub(crate) const UNINITIALIZED_THIS: Self = Self { tag: 6, data: 0 };

    pub(crate) const fn object(class: u16) -> Self {
        Self { tag: OBJECT, data: class as u32 }
    }

    /// Is it an object on which no constructor has returned yet?
    pub(crate) fn is_uninitialised(self) -> bool {
        self.tag == UNINITIALIZED || self == Self::UNINITIALIZED_THIS
    }

    pub(crate) fn slots(self) -> usize {
        if matches!(self.tag, 3 | 4) { 2 } else { 1 }
    }
}

impl Frames {
    pub(super) fn read_types(
        &mut self,
        code: &Code<'_>,
        reader: &mut Reader<'_>,
        count: u16,
    ) -> Result<Range<usize>, SkipReason> {
        let start = self.types.len();
        for _ in 0..count {
            let tag = reader.u1()?;
            let data = match tag {
                0..=6 => 0,
                OBJECT => {
                    let class = reader.u2()?;
                    if usize::from(class) >= code.entries {
                        return Err(reader.error("class of a frame"));
                    }
                    u32::from(class)
                }
                UNINITIALIZED => {
                    let number = code.number(u32::from(reader.u2()?)).filter(|number| *number < code.count());
                    number.ok_or_else(|| reader.error("Uninitialized offset"))? as u32
                }
                _ => return Err(reader.error("verification type")),
            };
            self.types.push(Type { tag, data });
        }
        Ok(start..self.types.len())
    }
}

pub(super) fn write_types(out: &mut Vec<u8>, layout: &Layout, types: &[Type]) {
    for one in types {
        match one.tag {
            OBJECT => {
                let [high, low] = (one.data as u16).to_be_bytes();
                out.extend_from_slice(&[OBJECT, high, low]);
            }
            UNINITIALIZED => {
                let [high, low] = (layout.here(one.data as usize) as u16).to_be_bytes();
                out.extend_from_slice(&[UNINITIALIZED, high, low]);
            }
            tag => out.push(tag),
        }
    }
}

/// The locals at method entry. `this` is its type, if there is a receiver. What `locals` holds
/// goes.
pub(crate) fn entry_locals(
    desc: &[u8],
    this: Option<Type>,
    additions: &mut Additions<'_>,
    mut locals: Vec<Type>,
) -> Result<Vec<Type>, SkipReason> {
    locals.clear();
    locals.extend(this);
    for one in descriptor::arguments(desc) {
        locals.push(value_type(one, additions)?);
    }
    Ok(locals)
}

/// The verification type of a field descriptor that is well formed.
pub(crate) fn value_type(desc: &[u8], additions: &mut Additions<'_>) -> Result<Type, SkipReason> {
    Ok(match desc {
        b"J" => Type::LONG,
        b"D" => Type::DOUBLE,
        b"F" => Type::FLOAT,
        [b'L', name @ .., b';'] => Type::object(additions.class(name)?),
        [b'[', ..] => Type::object(additions.class(desc)?),
        _ => Type::INTEGER,
    })
}
