//! What reading takes: in proportion to the file, whatever its records name.
//!
//! Invariant: a small file, however made, does not become a large log. Counted by an allocator,
//! hence a file of its own.
//! Source: docs/FORMAT.md, "Tables".

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use lucce_decoder::Log;
use lucce_log::{BlockBuilder, Header, MAX_STRING, Record, WalkedFrame, encode_header};
use lucce_words::{Bci, ClassId, EdgeId, MethodId, NodeId, SiteId, Word};

thread_local! {
    /// Bytes that the thread ever asked for, given back or not: no more than these can lie there at
    /// once.
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call goes to the system's allocator as it came; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = ASKED.try_with(|asked| asked.set(asked.get() + layout.size()));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// A log of one block of these records.
fn file(records: &[Record]) -> Vec<u8> {
    let header = Header { format: lucce_log::FORMAT, encoder: "lucce".into(), ..Header::default() };
    let mut builder = BlockBuilder::new();
    records.iter().for_each(|record| builder.push(record));
    [encode_header(&header), builder.finish(0)].concat()
}

/// Reads it; the bytes that this asked for.
fn asked(file: &[u8]) -> (Log, usize) {
    let before = ASKED.get();
    let log = Log::read(file, |_| {}).expect("a log");
    (log, ASKED.get() - before)
}

#[test]
fn a_long_string_that_many_records_name_takes_no_more_than_a_few_times_its_length() {
    let long = "x/".repeat(MAX_STRING / 2);
    let name = || long.as_str().into();
    let frames: Vec<_> =
        (0..20).map(|line| WalkedFrame { class: name(), method: name(), desc: name(), line: Some(line) }).collect();
    let event = |time_ns| Record::Event {
        time_ns,
        thread: 1,
        kind: 1,
        value: 1,
        word: Word(0),
        site: SiteId(2),
        chain: NodeId(0),
        class: Some(name()),
        walked: frames.clone().into(),
        node: NodeId(0),
    };
    let mut records: Vec<Record> = (0..3).map(event).collect();
    for id in 2..12 {
        let (class, access, huge) = (ClassId(id), 0, false);
        records.push(Record::Class { id: class, name: name(), source: Some(name()), loader: 1 });
        records.push(Record::Method { id: MethodId(id), class, name: name(), desc: name(), access, huge });
        let (method, bci, line, kind) = (MethodId(id), Bci(0), None, 1);
        let (owner, name, desc) = (name(), name(), name());
        records.push(Record::Site { id: SiteId(id), method, bci, line, kind, owner, name, desc });
    }
    records.push(Record::Via { edge: EdgeId(1), frames: vec![name(); 10] });
    records.push(Record::Skip { class: name(), method: Some(name()), reason: "r".into() });
    let (log, asked) = asked(&file(&records));
    assert_eq!(log.events().len(), 3);
    // The payload, the string, what people read of it twice, and each while it is made.
    assert!(asked < 10 * MAX_STRING, "{} times the string", asked / MAX_STRING);
}
