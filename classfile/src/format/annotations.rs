//! The annotations of a method that the JVM looks at.
//!
//! Invariant: an attribute that does not parse has no annotations, as it has none to the JVM.
//! Source: JVMS 4.7.16.

use crate::SkipReason;
use crate::format::class::ClassFile;
use crate::format::members::Member;
use crate::format::reader::Reader;
use crate::format::type_annotations::annotation;

/// Has the method a visible annotation whose type descriptor is `wanted` of?
pub(crate) fn is_annotated(class: &ClassFile<'_>, method: &Member<'_>, wanted: impl Fn(&[u8]) -> bool) -> bool {
    types(class, method).is_ok_and(|types| types.into_iter().any(wanted))
}

fn types<'a>(class: &ClassFile<'a>, method: &Member<'a>) -> Result<Vec<&'a [u8]>, SkipReason> {
    let Some(attribute) = method.annotations() else { return Ok(Vec::new()) };
    let mut reader = Reader::within(class.bytes, attribute.body());
    (0..reader.u2()?)
        .map(|_| {
            let index = annotation(&mut reader)?;
            class.pool.utf8(index).ok_or_else(|| reader.error("annotation type"))
        })
        .collect()
}
