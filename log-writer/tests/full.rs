//! A disk that takes no more, and then takes more again.
//!
//! Invariant: this binary has one test, for the limit on the size of files is the whole process's.
//! Source: setrlimit(2), RLIMIT_FSIZE; docs/design/log-files.md ("A log that takes nothing").

mod common;

use common::{ENDLESS, Folder, SOURCE, event, events, note, notes, said, until};
use lucce_log::Record;

/// How large files may be from now on.
fn limit(bytes: libc::rlim_t) {
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: a structure of our own, for this process.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit) }, 0);
}

#[test]
fn definitions_wait_for_room_and_events_are_counted() {
    // SAFETY: the process takes the error in place of the signal.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    limit(64 << 10);
    let folder = Folder::new("full");
    let writer = folder.writer(ENDLESS, 1);
    let mut sent = 0;
    until("full", || {
        for _ in 0..1000 {
            writer.queue(vec![note(sent)]);
            if writer.has_place() {
                writer.event(event(sent), SOURCE);
            }
            sent += 1;
        }
        writer.was_full() == (true, true)
    });
    assert!(!writer.has_place());
    let refused = writer.flush().unwrap_err();
    assert!(refused.contains("the disk takes no more"), "{refused}");
    writer.queue(vec![note(sent)]);
    limit(libc::RLIM_INFINITY);
    until("written", || writer.flush().is_ok());
    assert_eq!(writer.was_full(), (true, false));
    assert!(writer.has_place());
    writer.event(event(sent + 1), SOURCE);
    assert!(writer.stop(Vec::new()));
    let records = folder.read("a.log");
    assert_eq!(notes(&records), (0..=sent).collect::<Vec<_>>());
    let written = events(&records);
    assert!(written.is_sorted() && written.last() == Some(&(sent + 1)));
    // One place was asked for in vain, and then one taken.
    assert_eq!((written.len() as u64, writer.events() + writer.dropped()), (writer.events(), sent as u64 + 2));
    assert_eq!((records.last(), said("cannot write")), (Some(&Record::End), 1));
}
