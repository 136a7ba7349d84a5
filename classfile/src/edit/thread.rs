//! The thread state: fields added to `java.lang.Thread`, which also tells the hooks of each thread
//! that it starts or stops.
//!
//! Invariant: the fields go behind the class's own; of its methods only those that start or stop a
//! thread change, by one call.
//! Source: docs/design/thread-state.md, docs/design/origins.md, JVMS 4.5.

use crate::edit::insertion::{Argument, Insertion, InsertionPoint, insertions, spliced, with_fields};
use crate::emit::constants::{Constants, STATE};
use crate::format::class::ClassFile;
use crate::{Inserted, SkipReason};

/// A thread is about to start: it is neither started already nor can another call of `start` come
/// between (JDK 11, 17: the method is synchronized; later: the call stands in a synchronized
/// block).
const START: [Insertion<'_>; 3] = [
    Insertion {
        method: Some((b"start", b"()V")),
        at: InsertionPoint::Call(b"start0"),
        argument: Argument::Local(0),
        hook: b"started",
    },
    // JDK 21 and later: for an executor, or another container of threads.
    Insertion {
        method: Some((b"start", b"(Ljdk/internal/vm/ThreadContainer;)V")),
        at: InsertionPoint::Call(b"start0"),
        argument: Argument::Locals(0, 1),
        hook: b"startedIn",
    },
    // JDK 11 and 17. Later ones stop no thread by themselves.
    Insertion {
        method: Some((b"stop", b"()V")),
        at: InsertionPoint::Call(b"stop0"),
        argument: Argument::Local(0),
        hook: b"stopped",
    },
];

/// `java/lang/Thread` with the state fields and the call before `start0`. A class that has the
/// fields already is given back as it is. Errors as [`crate::instrument()`] names them for a whole
/// class.
pub fn add_thread_state(bytes: &[u8]) -> Result<Inserted, SkipReason> {
    let class = ClassFile::read(bytes)?;
    if class.fields.iter().any(|field| field.name == STATE[0].0) {
        return Ok(Inserted { bytes: bytes.to_vec(), maps: Vec::new() });
    }
    let mut constants = Constants::new(&class.pool);
    let fields = with_fields(&class, &STATE, &mut constants)?;
    let calls = insertions(&class, &START, &mut constants)?;
    spliced(&class, &constants, fields, calls)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_thread_sees_at_once_what_is_asked_of_one() {
        let old = include_bytes!("../../tests/fixtures/Sample.class");
        let thread = add_thread_state(old).expect("it is well formed").bytes;
        let class = ClassFile::read(&thread).expect("it is well formed");
        let volatile = class.fields.iter().filter(|field| field.access & 0x0040 != 0).map(|field| field.name);
        assert_eq!(volatile.collect::<Vec<_>>(), [b"$lucce$sampled"]);
    }
}
