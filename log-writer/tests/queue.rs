//! The queue: what was queued is written in order, and is on the disk when a flush returns.
//!
//! Source: docs/design/log-files.md ("Write-ahead").

mod common;

use common::{ENDLESS, Folder, SOURCE, event, events, note, notes};
use lucce_log::Record;

#[test]
fn a_flush_brings_what_was_queued_before_to_the_disk_in_order() {
    let folder = Folder::new("flush");
    let writer = folder.writer(ENDLESS, 1);
    let (threads, each) = (4, 500);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let writer = &writer;
            scope.spawn(move || {
                for number in 0..each {
                    writer.queue(vec![note(thread * each + number)]);
                    writer.pace();
                }
            });
        }
    });
    writer.flush().unwrap();
    let written = notes(&folder.read("a.log"));
    for thread in 0..threads {
        let own: Vec<_> = written.iter().copied().filter(|number| number / each == thread).collect();
        assert_eq!(own, (thread * each..(thread + 1) * each).collect::<Vec<_>>());
    }
    assert_eq!(written.len(), threads * each);
    assert!(writer.stop(Vec::new()));
}

#[test]
fn what_comes_behind_the_end_is_not_written_and_a_flush_says_so() {
    let folder = Folder::new("stop");
    let writer = folder.writer(ENDLESS, 1);
    writer.queue(vec![note(0)]);
    assert!(writer.has_place());
    writer.event(event(0), SOURCE);
    assert!(writer.stop(vec![note(1)]));
    writer.queue(vec![note(2)]);
    writer.flush().unwrap_err();
    let records = folder.read("a.log");
    assert_eq!((notes(&records), events(&records)), (vec![0, 1], vec![0]));
    assert_eq!(records.last(), Some(&Record::End));
    assert_eq!((writer.events(), writer.dropped()), (1, 0));
}
