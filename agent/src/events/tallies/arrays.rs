//! What arrays take: `base + (length << shift)` bytes, and the padding to the next multiple at
//! which objects begin.
//!
//! Invariant: all three are found out from the sizes that the JVM says for arrays of some lengths;
//! what the hooks compute is what JVMTI GetObjectSize would say.
//! Source: JVMTI GetObjectSize; HotSpot `arrayOop.hpp` (elements begin at a multiple of their
//! size).

use super::layouts::{Arrays, ELEMENTS};
use crate::hook_tables::tallies::Size;
use crate::jvm::jni::Jni;
use crate::jvm::part::Jvm;

/// The largest alignment that HotSpot knows (`ObjectAlignmentInBytes`).
const WIDEST: usize = 256;
/// Elements that fill a whole number of alignments, whatever their size.
const MANY: usize = 4096;

impl Arrays {
    /// The layout of arrays of elements with this descriptor; `None` without memory to find it out.
    pub fn of(&self, jvm: &Jvm, jni: Jni, element: &str) -> Option<Size> {
        let kind = match element.chars().next()? {
            '[' => 'L',
            kind => kind,
        };
        let index = ELEMENTS.iter().position(|&known| known == kind)?;
        if let Some(&known) = self.0[index].get() {
            return Some(known);
        }
        let found = layout(&|length| size(jvm, jni, kind, length))?;
        Some(*self.0[index].get_or_init(|| found))
    }
}

/// Objects begin at multiples of this.
pub fn alignment(jvm: &Jvm, jni: Jni) -> Option<u64> {
    let size = |length| size(jvm, jni, 'B', length);
    let empty = size(0)?;
    let larger = (1..=WIDEST).map_while(size).find(|&size| size > empty)?;
    Some(larger - empty).filter(|step| step.is_power_of_two())
}

fn layout(size: &dyn Fn(usize) -> Option<u64>) -> Option<Size> {
    let empty = size(0)?;
    let scale = (size(MANY)? - empty) / MANY as u64;
    // So many elements find room in what pads the empty array.
    let room = (1..=WIDEST).find(|&length| size(length).is_none_or(|size| size > empty))? as u64 - 1;
    let base = i32::try_from(empty.checked_sub(room * scale)?).ok()?;
    scale.is_power_of_two().then(|| Size { base, shift: scale.trailing_zeros() as i32, object: 0 })
}

fn size(jvm: &Jvm, jni: Jni, kind: char, length: usize) -> Option<u64> {
    let array = jni.new_array(kind, length)?;
    let size = jvm.jvmti.object_size(array);
    jni.release(array);
    size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_follows_from_sizes() {
        for (base, scale, alignment) in
            [(16, 1, 8), (12, 4, 8), (20, 4, 8), (24, 8, 8), (16, 8, 256), (12, 2, 16), (16, 4, 32)]
        {
            let size = |length: usize| Some((base + length as u64 * scale).next_multiple_of(alignment));
            let found = layout(&size).expect("a layout");
            assert_eq!((found.base as u64, 1 << found.shift), (base, scale), "{alignment}");
        }
    }
}
