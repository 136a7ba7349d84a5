//! The tables as the hooks see them: by address, offset and hash, and from another thread.
//!
//! Invariant: what is read here is read with the numbers of `layout`, which the hooks have too.
//! These tests run under Miri, which tells a data race and memory that is read as what it is not.
//! Source: docs/design/link-tables.md, docs/design/thread-state.md ("Captures").

use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU64, Ordering};

use lucce_hook_tables::cct::edges::Edges;
use lucce_hook_tables::cct::key;
use lucce_hook_tables::cct::tree::Trees;
use lucce_hook_tables::context_table::ContextTable;
use lucce_hook_tables::layout::{CONSTANTS, Number};
use lucce_hook_tables::links::{Links, NewLink, RecordKind, hash};
use lucce_hook_tables::memory::page;
use lucce_hook_tables::origin_keys::OriginKeys;
use lucce_hook_tables::tallies::{NewRecord, Size, Table, TallyKey, TallyKind};
use lucce_hook_tables::values::Values;
use lucce_words::{BLOCK, MethodId, NodeId, OriginId, SiteId, Value, Version, WAYS, Word};

const SITE: SiteId = SiteId(77);
const CALLEE: MethodId = MethodId(9);
const CTX: u64 = Word::new(Version(1), false, BLOCK + 9).0;

/// A number of the hooks'.
fn number(name: &str) -> u64 {
    let constant = CONSTANTS.iter().find(|constant| constant.name == name).expect(name);
    match constant.number {
        Number::Int(number) => u64::from(number as u32),
        Number::Long(number) => number as u64,
    }
}

fn long(address: u64) -> u64 {
    // SAFETY: an address that a table gave, or a field behind it.
    unsafe { &*(address as *const AtomicU64) }.load(Ordering::Acquire)
}

fn int(address: u64) -> i32 {
    // SAFETY: as above.
    unsafe { &*(address as *const AtomicI32) }.load(Ordering::Relaxed)
}

/// What a table of pointers holds for a hash.
fn bucket((first, mask): (i64, i32), hash: i32) -> u64 {
    long(first as u64 + 8 * (hash & mask) as u64)
}

/// What the values of a site say of a callee.
fn value(values: &Values, callee: MethodId) -> i64 {
    let way = u64::from(callee.0 % WAYS) << number("SITE_BITS");
    // SAFETY: as above.
    unsafe { &*((values.address() as u64 + way + 8 * u64::from(SITE.0)) as *const AtomicI64) }.load(Ordering::Relaxed)
}

fn predicted(callee: MethodId) -> Value {
    Value::new(Version(1), callee, 5).unwrap()
}

#[test]
fn what_is_found_often_takes_over_and_an_address_does_not() {
    let values = Values::reserve().unwrap();
    let other = MethodId(CALLEE.0 + WAYS);
    values.point(SITE, CALLEE, 64, true);
    assert_eq!(value(&values, CALLEE), i64::MIN | 65);
    values.predict(SITE, CALLEE, predicted(CALLEE));
    values.predict(SITE, other, predicted(other));
    values.point(SITE, CALLEE, 64, false);
    assert_eq!(value(&values, CALLEE), predicted(other).0);
    values.predict(SITE, CALLEE, predicted(CALLEE));
    assert_eq!(value(&values, CALLEE), predicted(CALLEE).0);
    assert_eq!(value(&values, MethodId(CALLEE.0 + 1)), 0);
}

#[test]
fn nothing_is_predicted_of_what_was_killed_or_cleared() {
    let values = Values::reserve().unwrap();
    let end: [fn(&Values); 2] = [|values| values.kill(SITE, CALLEE), Values::clear];
    for end in end {
        values.predict(SITE, CALLEE, predicted(CALLEE));
        end(&values);
        assert_eq!(value(&values, CALLEE), 0);
    }
}

fn link(callee: MethodId, lo: u64, kind: RecordKind) -> NewLink {
    NewLink { site: SITE, callee, lo, len: 8, av: 40, kind, value: None }
}

/// The record that the hooks find in the bucket of the link.
fn found(links: &Links, callee: MethodId, ctx: u64) -> Option<u64> {
    let mut at = bucket(links.buckets(), hash(SITE.0 as i32, callee.0 as i32));
    let field = |at: u64, name: &str| at + number(name);
    let holds = |at: u64| {
        let said = int(field(at, "LINK_CALLEE"));
        let ahead = ctx.wrapping_sub(long(field(at, "LINK_LO"))) as i64;
        let ends = said == callee.0 as i32 || said == !callee.0 as i32;
        ends && int(field(at, "LINK_SITE")) == SITE.0 as i32 && ahead < long(field(at, "LINK_LEN")) as i64
    };
    while at != 0 && !holds(at) {
        at = long(field(at, "LINK_NEXT"));
    }
    (at != 0).then_some(at)
}

#[test]
fn the_hooks_find_a_link_for_its_words_and_no_others() {
    let links = Links::reserve().unwrap();
    let record = links.publish(&link(CALLEE, CTX, RecordKind::Restoring)).unwrap();
    assert_eq!(
        [CTX - 1, CTX, CTX + 7, CTX + 8].map(|ctx| found(&links, CALLEE, ctx)),
        [None, Some(record), Some(record), None]
    );
    assert_eq!(found(&links, MethodId(CALLEE.0 + 1), CTX), None);
    assert_eq!(long(record + number("LINK_AV")), 40);
    assert_eq!(int(record + number("LINK_KIND")) as u64, number("PUSHED"));
    assert_eq!(value(&links.values, CALLEE) as u64 & number("ADDRESS"), record);
}

#[test]
fn a_link_that_includes_another_takes_its_place() {
    let links = Links::reserve().unwrap();
    let narrow = links.publish(&link(CALLEE, CTX, RecordKind::Plain)).unwrap();
    let wide = links.publish(&NewLink { len: 16, ..link(CALLEE, CTX - 8, RecordKind::Plain) }).unwrap();
    assert_eq!(found(&links, CALLEE, CTX), Some(wide));
    assert_eq!(int(narrow + number("LINK_CALLEE")), 0);
    links.kill(SITE, CALLEE);
    assert_eq!(found(&links, CALLEE, CTX), None);
}

#[test]
fn a_page_whose_links_are_forgotten_reads_as_zero() {
    let links = Links::reserve().unwrap();
    let callees: Vec<_> = (1..=page() as u32 / 64 + 1).map(MethodId).collect();
    let records: Vec<_> =
        callees.iter().map(|&callee| links.publish(&link(callee, CTX, RecordKind::Constructor)).unwrap()).collect();
    assert_eq!(links.constructor(SITE, callees[0], Word(CTX)), Some(Word(CTX + 40)));
    let last = *callees.last().unwrap();
    links.forget(|_, callee, lo, len| {
        assert_eq!((lo, len), (CTX, 8));
        callee != last
    });
    assert_eq!(long(records[0] + number("LINK_AV")), 0);
    assert_eq!(links.constructor(SITE, callees[0], Word(CTX)), None);
    assert_eq!(links.constructor(SITE, last, Word(CTX)), Some(Word(CTX + 40)));
}

#[test]
fn a_reader_beside_the_publisher_finds_the_right_word_or_none() {
    let links = Links::reserve().unwrap();
    std::thread::scope(|threads| {
        threads.spawn(|| {
            for lo in 0..50 {
                links.publish(&NewLink { len: 8 + 8 * lo, ..link(CALLEE, CTX - 8 * lo, RecordKind::Constructor) });
            }
        });
        threads.spawn(|| {
            for _ in 0..50 {
                let word = links.constructor(SITE, CALLEE, Word(CTX));
                assert!(word.is_none_or(|word| word.0 == CTX + 40));
                std::thread::yield_now();
            }
        });
    });
    assert_eq!(links.constructor(SITE, CALLEE, Word(CTX)), Some(Word(CTX + 40)));
}

#[test]
fn the_hooks_find_a_captured_context() {
    let table = ContextTable::reserve().unwrap();
    table.publish(Word(CTX), SITE, NodeId(3), NodeId(4));
    table.publish(Word(CTX), SITE, NodeId(3), NodeId(4));
    let hash = hash(SITE.0 as i32, (CTX ^ CTX >> 32) as i32 ^ 3);
    let record = bucket(table.buckets(), hash);
    assert_eq!((long(record), int(record + number("CAPTURE_SITE"))), (CTX, SITE.0 as i32));
    let fields = ["CAPTURE_BELOW", "CAPTURE_ID", "CAPTURE_NEXT"].map(|name| long(record + number(name)));
    assert_eq!(fields, [3, 4, 0]);
    table.close();
    assert_eq!(bucket(table.buckets(), hash), 0);
}

#[test]
fn a_count_is_found_until_it_is_taken_out() {
    let table = Table::reserve().unwrap();
    let origin = OriginId(0);
    let key = TallyKey { word: Word(CTX), site: SITE, kind: TallyKind::Alloc, below: NodeId(0), class: 0, origin };
    let new = NewRecord { key, node: NodeId(5), size: Size { base: 16, shift: 2, object: 0 } };
    let (record, fresh) = table.publish(&new).unwrap();
    assert!(fresh && table.publish(&new).is_some_and(|(again, fresh)| std::ptr::eq(again, record) && !fresh));
    let at = || bucket(table.buckets(), hash(SITE.0 as i32, (CTX ^ CTX >> 32) as i32));
    assert_eq!((at(), long(at())), (record.address(), CTX));
    assert_eq!(["TALLY_SITE", "TALLY_BASE", "TALLY_SHIFT"].map(|name| int(at() + number(name))), [77, 16, 2]);
    // SAFETY: the hooks' own cell.
    unsafe { &*((at() + number("TALLY_COUNT")) as *const AtomicU64) }.fetch_add(3, Ordering::Relaxed);
    assert_eq!((record.count(), record.nodes()), (3, (NodeId(5), NodeId(0))));
    // The same in a task of a measurement is counted apart, where no first look takes it for this.
    let of_task = NewRecord { key: TallyKey { origin: OriginId(6), ..key }, ..new };
    let (other, fresh) = table.publish(&of_task).unwrap();
    assert!(fresh && table.publish(&of_task).is_some_and(|(again, fresh)| std::ptr::eq(again, other) && !fresh));
    let found = bucket(table.buckets(), hash(SITE.0 as i32, (CTX ^ 6 ^ CTX >> 32) as i32));
    assert_eq!((found, long(found)), (other.address(), !CTX));
    assert_eq!(int(found + number("TALLY_ORIGIN")), 6);
    assert_eq!((record.count(), other.count()), (3, 0));
    // SAFETY: nobody else is here.
    unsafe { table.take_out(record) };
    assert_eq!(at(), 0);
}

#[test]
fn an_origin_has_the_key_that_was_said() {
    let keys = OriginKeys::reserve().unwrap();
    let last = OriginId(number("ORIGIN_KEYS") as u32 - 1);
    keys.set(OriginId(3), OriginId(3));
    keys.set(last, OriginId(5));
    keys.set(OriginId(last.0 + 1), OriginId(7));
    assert_eq!([0, 3, last.0, last.0 + 1, u32::MAX].map(|number| keys.get(OriginId(number)).0), [0, 3, 5, 0, 0]);
    assert_eq!([3, last.0].map(|number| int(keys.address() as u64 + u64::from(number) * 4)), [3, 5]);
}

#[test]
fn a_node_is_found_below_its_parent_and_by_its_word() {
    let trees = Trees::reserve(1 << 20).unwrap();
    let tree = trees.get(trees.adopt().unwrap()).unwrap();
    let calls: Vec<_> = (1..200).map(|callee| key(SITE, MethodId(callee))).collect();
    let nodes: Vec<_> = calls.iter().map(|&call| trees.add(tree, tree.root(), call).unwrap()).collect();
    for (&call, &node) in calls.iter().zip(&nodes) {
        assert!(tree.find(tree.root(), call).is_some_and(|found| std::ptr::eq(found, node)));
        assert!(trees.find(node.word()).is_some_and(|found| std::ptr::eq(found, node)));
        assert_eq!(node.word().0 << number("NODE_SHIFT"), node.address());
        assert_eq!(long(node.address() + number("NODE_PARENT")), tree.root().address());
    }
    // A node of no tree: the next place of a piece.
    assert!(trees.find(Word(nodes[198].word().0 + (size_of_node() >> number("NODE_SHIFT")))).is_none());
    assert_eq!(trees.numbers(&[Some(nodes[0]), None])[1], 0);
}

/// The bytes from one node to the next.
fn size_of_node() -> u64 {
    size_of::<lucce_hook_tables::cct::node::CctNode>() as u64
}

#[test]
fn a_demotion_makes_the_nodes_of_an_edge_ask() {
    let edges = Edges::reserve().unwrap();
    let trees = Trees::reserve(1 << 20).unwrap();
    let tree = trees.get(trees.adopt().unwrap()).unwrap();
    let edge = edges.edge(SITE, CALLEE, RecordKind::Plain);
    let node = trees.add(tree, tree.root(), edge.key()).unwrap();
    edge.join(node);
    assert_eq!(long(node.address()), key(SITE, CALLEE));
    edges.demote(SITE, CALLEE);
    assert_eq!(long(node.address()), key(SITE, CALLEE) | number("ASK"));
    assert!(node.has_edge() && edges.has(SITE, CALLEE) && edges.count() == 1);
}
