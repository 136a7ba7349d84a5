//! The JVM's table of JVMTI functions.
//!
//! JVMTI lets nobody replace its functions. But HotSpot has one table of them for all environments,
//! in memory that may be written (JDK 11 to 25). So an address that is put there is called in place
//! of the JVM's own, whichever agent calls.
//! Invariant: where the memory may not be written, nothing is. Source: `jvmti_Interface` in
//! HotSpot's jvmtiEnter.cpp.

use std::fs;

use jvmti_bindings::sys::jvmti::jvmtiInterface_1_;

use super::Jvmti;

/// The table, if it may be written.
pub(super) fn writable(jvmti: Jvmti) -> Option<*mut jvmtiInterface_1_> {
    // SAFETY: the environment lives as long as the JVM, and so do its functions.
    let table = unsafe { (*jvmti.env).functions }.cast_mut();
    is_writable(table as usize, size_of::<jvmtiInterface_1_>()).then_some(table)
}

/// May so many bytes from that address on be written?
fn is_writable(first: usize, bytes: usize) -> bool {
    let Ok(maps) = fs::read_to_string("/proc/self/maps") else { return false };
    maps.lines().any(|line| {
        let mut parts = line.split([' ', '-']);
        let mut address = || usize::from_str_radix(parts.next()?, 16).ok();
        let (Some(start), Some(end)) = (address(), address()) else { return false };
        start <= first && first + bytes <= end && parts.next().is_some_and(|may| may.as_bytes().get(1) == Some(&b'w'))
    })
}
