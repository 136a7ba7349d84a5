//! An attribute of a class, member or method's code: its name, and where it stands.
//!
//! Invariant: nothing is copied. Source: JVMS 4.7.

use std::ops::Range;

use crate::SkipReason;
use crate::format::pool::PoolView;
use crate::format::reader::Reader;

/// An attribute: its name, and where it stands.
#[derive(Clone)]
pub(crate) struct Attribute<'a> {
    pub(crate) name: &'a [u8],
    /// The whole attribute, name index and length included.
    pub(crate) whole: Range<usize>,
}

impl Attribute<'_> {
    /// The contents, behind name index and length.
    pub(crate) fn body(&self) -> Range<usize> {
        self.whole.start + 6..self.whole.end
    }
}

/// Reads one attribute.
pub(crate) fn attribute<'a>(reader: &mut Reader<'a>, pool: &PoolView<'a>) -> Result<Attribute<'a>, SkipReason> {
    let start = reader.at();
    let name = reader.u2()?;
    let name = pool.utf8(name).ok_or_else(|| reader.error("attribute name"))?;
    let len = reader.u4()?;
    reader.skip(len as usize)?;
    Ok(Attribute { name, whole: start..reader.at() })
}
