//! What is written as a trace is read again, up to any cut and any damage.
//!
//! Invariant: a cut file gives a prefix of the items and says where it was cut; no byte of it
//! changes an item.

use lucce_profiles::trace::{
    Cursor, Ending, Item, StackChange, TraceComposer, TraceContext, TraceNode, TracePaths, TraceReader, TraceRefused,
};
use lucce_words::{MethodId, SiteId};
use proptest::prelude::*;

/// A file of these items, a block for each `every` of them.
fn written(items: &[Item], every: usize, dropped: Option<u64>) -> Vec<u8> {
    let (mut composer, mut out) = (TraceComposer::new(), Vec::new());
    for (number, item) in items.iter().enumerate() {
        match item {
            Item::Method { id, class, name, desc } => composer.method(*id, class, name, desc),
            Item::Site { id, method, bci } => composer.site(*id, *method, *bci),
            Item::Context { id, node } => composer.context(*id, *node),
            Item::Entries { thread, time, contexts } => composer.entries(*thread, *time, contexts),
            Item::Ended { thread, time } => composer.ended(*thread, *time),
        }
        if number % every == 0 {
            out.extend(composer.take());
        }
    }
    if let Some(dropped) = dropped {
        composer.end(dropped);
    }
    out.extend(composer.take());
    out
}

fn read(bytes: &[u8]) -> (Vec<Item>, Ending) {
    let mut reader = TraceReader::new(bytes).expect("a head");
    let items = reader.by_ref().collect();
    (items, reader.ending().expect("it has ended"))
}

fn item() -> impl Strategy<Value = Item> {
    let entries = (0..3_u32, any::<u64>(), prop::collection::vec((0..40_u32).prop_map(TraceContext), 0..60));
    let context = (1..1000_u32, 0..1000_u32, any::<u32>(), any::<u32>());
    prop_oneof![
        (any::<u32>(), ".{0,8}", "[a-z]{0,8}", "[a-z()]{0,8}").prop_map(|(id, class, name, desc)| Item::Method {
            id: MethodId(id),
            class,
            name,
            desc
        }),
        (any::<u32>(), any::<u32>(), any::<u16>()).prop_map(|(id, method, bci)| Item::Site {
            id: SiteId(id),
            method: MethodId(method),
            bci
        }),
        context.prop_map(|(id, parent, site, method)| Item::Context {
            id: TraceContext(id),
            node: TraceNode { parent: TraceContext(parent), site: SiteId(site), method: MethodId(method) }
        }),
        entries.prop_map(|(thread, time, contexts)| Item::Entries { thread, time, contexts }),
        (any::<u32>(), any::<u64>()).prop_map(|(thread, time)| Item::Ended { thread, time }),
    ]
}

proptest! {
    #[test]
    fn items_come_back(items in prop::collection::vec(item(), 0..40), every in 1..5_usize, dropped in any::<u64>()) {
        prop_assert_eq!(read(&written(&items, every, Some(dropped))), (items, Ending::Whole { dropped }));
    }

    #[test]
    fn a_cut_file_gives_all_whole_blocks(items in prop::collection::vec(item(), 1..30), cut in 12..2000_usize) {
        let whole = written(&items, 1, Some(0));
        let cut = cut.min(whole.len() - 1);
        let (read, ending) = read(&whole[..cut]);
        prop_assert!(items.starts_with(&read));
        match ending {
            Ending::Cut { at } => prop_assert!(at as usize <= cut),
            other => prop_assert!(false, "{other:?}"),
        }
        // No whole block is left out: with the next one there would be one more item.
        let longer = written(&items[..(read.len() + 1).min(items.len())], 1, None);
        prop_assert!(longer.len() > cut || read.len() == items.len());
    }

    #[test]
    fn no_changed_byte_changes_an_item(items in prop::collection::vec(item(), 1..20), at in 12..2000_usize, bit in 0..8_u8) {
        let mut bytes = written(&items, 3, Some(0));
        let at = at.min(bytes.len() - 1);
        bytes[at] ^= 1_u8 << bit;
        let (read, ending) = read(&bytes);
        prop_assert!(items.starts_with(&read));
        prop_assert!(!matches!(ending, Ending::Whole { .. }), "{ending:?}");
    }
}

#[test]
fn what_is_no_trace_is_refused() {
    assert!(matches!(TraceReader::new(&b"LUCTRAC"[..]), Err(TraceRefused::NoTrace)));
    assert!(matches!(TraceReader::new(&b"a log of another kind"[..]), Err(TraceRefused::NoTrace)));
    assert!(matches!(TraceReader::new(&b"LUCTRACE\x09\0\0\0"[..]), Err(TraceRefused::Version(9))));
}

#[test]
fn a_loop_takes_hardly_any_bytes() {
    let contexts: Vec<_> = (0..10_000).map(|entry| TraceContext(1 + entry % 7)).collect();
    let bytes = written(&[Item::Entries { thread: 1, time: 5, contexts }], 1, Some(0));
    assert!(bytes.len() < 60, "{} bytes", bytes.len());
}

fn node(parent: u32, site: u32, method: u32) -> TraceNode {
    TraceNode { parent: TraceContext(parent), site: SiteId(site), method: MethodId(method) }
}

/// 1 is the base; 2 below it, 3 and 4 below 2, 5 below 4.
fn paths() -> TracePaths {
    let mut paths = TracePaths::default();
    let nodes = [(1, node(0, 0, 0)), (2, node(1, 1, 1)), (3, node(2, 2, 2)), (4, node(2, 3, 3)), (5, node(4, 4, 2))];
    assert!(nodes.into_iter().all(|(id, node)| paths.add(TraceContext(id), node)));
    paths
}

#[test]
fn returns_are_seen_at_the_next_entry() {
    let (paths, mut cursor, mut steps) = (paths(), Cursor::default(), Vec::new());
    for context in [2, 3, 3, 4, 5, 2] {
        assert!(cursor.enter(&paths, TraceContext(context), |step| steps.push(step)));
    }
    let shown: Vec<String> = steps
        .iter()
        .map(|step| match step {
            StackChange::Return(TraceContext(id), _) => format!("-{id}"),
            StackChange::Found(TraceContext(id), _) => format!("?{id}"),
            StackChange::Call(TraceContext(id), _) => format!("+{id}"),
        })
        .collect();
    assert_eq!(shown.join(" "), "?1 +2 +3 -3 +3 -3 +4 +5 -5 -4 -2 +2");
    assert_eq!(cursor.stack(), [1, 2].map(TraceContext));
}

#[test]
fn activations_whose_entries_are_missing_are_found() {
    let (paths, mut cursor, mut found) = (paths(), Cursor::default(), Vec::new());
    assert!(!cursor.enter(&paths, TraceContext(99), |_| unreachable!("it is not known")));
    assert!(cursor.enter(&paths, TraceContext(5), |step| found.push(step)));
    assert_eq!(found.len(), 4, "{found:?}");
    let calls: Vec<_> = paths.path(TraceContext(5)).map(|node| node.method.0).collect();
    assert_eq!(calls, [2, 3, 1]);
    assert_eq!((paths.count(), paths.deepest()), (4, 3));
}

#[test]
fn a_context_needs_its_parent() {
    let mut paths = paths();
    assert!(!paths.add(TraceContext(9), node(8, 1, 1)) && !paths.add(TraceContext(2), node(1, 1, 1)));
}
