//! How much waits in memory where nobody takes it.

use std::io::Read;
use std::process::Command;

use lucce_log::FORMAT;
use lucce_words::{NodeId, SiteId, Word};

use super::*;

/// A host that says nothing and counts nothing.
pub(super) const HOST: Host = Host { say: |_| (), figures: Vec::new, trim: || (), ended: || () };

/// Sums that wait for nothing but room, as many as are queued at once.
fn sums() -> Vec<Record> {
    let sum = |number| Record::Tally {
        kind: 1,
        node: NodeId(number),
        site: SiteId(number.wrapping_mul(0x9E37_79B1)),
        word: Word::NONE,
        class: None,
        count: u64::from(number) << 20,
        value: 1,
    };
    (1..20_000).map(sum).collect()
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(60), "not {what} after a minute");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn sums_are_not_taken_while_others_wait() {
    let folder = std::env::temp_dir().join(format!("lucce-writer-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let pipe = folder.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let opened = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::File::open(pipe).unwrap()
    });
    let naming = Naming { pattern: pipe.display().to_string(), pid: 1, time: 1, host: "box".into() };
    let header = Header { format: FORMAT, encoder: "lucce".into(), ..Header::default() };
    let limits = Limits { bytes: None, every: None, keyframe: None };
    let writer = Writer::start(Files::new(naming, 2), &folder, header, limits, HOST).unwrap();
    let mut reader = opened.join().unwrap();
    assert!(writer.takes_sums());
    // The writer takes one lot and stops in the kernel, for nobody reads; the other stays.
    writer.queue_sums(sums());
    until("taken", || writer.takes_sums());
    until("stuck", || writer.status.still() > Duration::from_millis(300));
    writer.queue_sums(sums());
    assert!(!writer.takes_sums());
    let read = std::thread::spawn(move || reader.read_to_end(&mut Vec::new()).unwrap());
    until("taken when it is read", || writer.takes_sums());
    assert!(writer.stop(Vec::new()));
    drop(writer);
    assert!(read.join().unwrap() > 64 << 10, "more than a pipe holds");
    std::fs::remove_dir_all(folder).unwrap();
}
