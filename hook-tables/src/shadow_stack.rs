//! A thread's shadow stack as the hooks and the agent store it: a Java array of longs, so many for
//! each entry.
//!
//! Invariant: every push stores all longs of its entry. Source: layout in
//! docs/design/thread-state.md ("The shadow stack").

/// Longs of an entry.
pub const ENTRY: usize = 4;
/// The long of an entry that holds the pushed method and the caller's site; the first holds the
/// caller's word.
pub const CALL: usize = 1;
/// That which holds the pushed activation's own word.
pub const WORD: usize = 2;
/// That which holds the captured node, in its low half.
pub const NODE: usize = 3;
/// Flag in `$lucce$top` and `$lucce$slot`: the frame that is leaving found no memory to save a
/// state, so its RESUME means UNKNOWN. A shadow stack never grows that long.
pub const UNSAVED: i32 = 1 << 30;
