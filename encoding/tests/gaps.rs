//! Method ids with gaps between them, as they are where few of the methods that were loaded have a
//! part in something.
//!
//! Invariant: a method with any id that a run gives is encoded, numbered and replayed; a gap costs
//! little, however wide.
//! Source: `encoding/src/graph/pages.rs`; `MethodId::LIMIT`. Counted by an allocator, hence a file
//! of its own.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use lucce_encoding::*;
use lucce_words::*;

thread_local! {
    /// Bytes that the thread has, and the most that it ever had.
    static HELD: Cell<(isize, isize)> = const { Cell::new((0, 0)) };
}

struct Counting;

fn count(bytes: isize) {
    let _ = HELD.try_with(|held| {
        let now = held.get().0 + bytes;
        held.set((now, held.get().1.max(now)));
    });
}

// SAFETY: every call goes to the system's allocator as it came; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Most bytes held at once by what `action` does.
fn peak<T>(action: impl FnOnce() -> T) -> (T, isize) {
    let before = HELD.get().0;
    HELD.set((before, before));
    let result = action();
    (result, HELD.get().1 - before)
}

/// The root calls a method with this id, in a few versions; all that is said of it, and its last
/// word.
fn far(method: MethodId) -> (Vec<Change>, Word) {
    let mut encoder = Encoder::new();
    encoder.add_method(method, false);
    let mut word = Word::NONE;
    for _ in 0..VERSIONS {
        word = encoder.enter(encoder.root_word(), SiteId::ROOT, method, Passage::Plain).expect("a link").word;
        encoder.renumber();
    }
    (encoder.take_changes(), word)
}

const VERSIONS: u32 = 20;

#[test]
fn a_method_with_any_id_of_a_run_is_encoded_and_replayed() {
    for method in [(1 << 22) + 100, MethodId::LIMIT - 1].map(MethodId) {
        let (changes, word) = far(method);
        let mut replay = Replay::new();
        replay.add_method(method, false).expect("known");
        changes.iter().for_each(|change| replay.apply(change).expect("as the encoder did"));
        assert_eq!(replay.version(), Version(VERSIONS + 1));
        let below = replay.snapshot().step(method, word).expect("a step");
        assert!(matches!(below, Below::Caller { site: SiteId::ROOT, caller: MethodId::ROOT, .. }), "{below:?}");
        // Smaller ones come later.
        replay.add_method(MethodId(5), false).expect("known");
    }
}

#[test]
fn an_id_that_no_run_gives_is_refused() {
    let beyond = MethodId(MethodId::LIMIT);
    let mut encoder = Encoder::new();
    encoder.add_method(beyond, false);
    assert!(encoder.enter(encoder.root_word(), SiteId::ROOT, beyond, Passage::Plain).is_err());
    assert_eq!(Replay::new().add_method(beyond, false), Err(ReplayError::Leap));
}

#[test]
fn a_gap_costs_little_in_the_encoder_and_in_the_replay_whatever_is_numbered() {
    let last = MethodId(MethodId::LIMIT - 1);
    let ((changes, _), encoding) = peak(|| far(last));
    assert!(encoding < 64 << 20, "{encoding} bytes");
    let (_, replaying) = peak(|| {
        let mut replay = Replay::new();
        replay.add_method(last, false).expect("known");
        changes.iter().for_each(|change| replay.apply(change).expect("as the encoder did"));
        replay
    });
    assert!(replaying < 16 << 20, "{replaying} bytes");
    println!("{encoding} bytes to encode, {replaying} to replay");
    let (_, paper) = peak(|| {
        let mut graph: algorithm1::Algorithm1<u64> = algorithm1::Algorithm1::default();
        let root = graph.root();
        graph.update(SiteId::ROOT, last, &root).expect("an encoding")
    });
    assert!(paper < 16 << 20, "{paper} bytes");
}
