//! A run in several files: each begins with all definitions, events go on from file to file, and
//! the oldest files go.
//!
//! Source: docs/design/log-files.md ("Files of a run").

mod common;

use common::{ENDLESS, Folder, SOURCE, event, events, note, notes, said};
use lucce_log::Record;
use lucce_log_writer::{Limits, Writer};

const ROUNDS: usize = 30;
/// Events of a round; each round has one definition before them.
const EACH: usize = 2000;

fn write(writer: &Writer, rounds: usize) {
    for round in 0..rounds {
        writer.queue(vec![note(round)]);
        for number in round * EACH..(round + 1) * EACH {
            assert!(writer.has_place());
            writer.event(event(number), SOURCE);
        }
        writer.flush().unwrap();
    }
}

/// The file that a file names as the next.
fn next(records: &[Record]) -> Option<&str> {
    match records.last() {
        Some(Record::Rotated { next }) => Some(next),
        _ => None,
    }
}

#[test]
fn each_file_has_all_definitions_and_the_oldest_is_deleted() {
    let folder = Folder::new("rotation");
    let writer = folder.writer(Limits { bytes: Some(64 << 10), ..ENDLESS }, 3);
    write(&writer, ROUNDS);
    assert!(writer.stop(Vec::new()));
    let names = folder.files();
    assert_eq!(names.len(), 3, "{names:?}");
    assert!(!names.contains(&"a.log".to_string()) && said("a.log was deleted") == 1);
    let number = |name: &String| name["a-".len()..name.len() - ".log".len()].parse::<usize>().unwrap();
    let mut numbers: Vec<_> = names.iter().map(number).collect();
    numbers.sort_unstable();
    let logs: Vec<_> = numbers.iter().map(|number| folder.read(&format!("a-{number}.log"))).collect();
    let last = logs.iter().flat_map(|log| events(log)).collect::<Vec<_>>();
    assert!(last.len() > EACH && last == (ROUNDS * EACH - last.len()..ROUNDS * EACH).collect::<Vec<_>>());
    for (index, log) in logs.iter().enumerate() {
        let known = notes(log);
        assert_eq!(known, (0..known.len()).collect::<Vec<_>>());
        assert!(events(log).iter().all(|event| event / EACH < known.len()), "an event whose definition is not there");
        let following = numbers.get(index + 1).map(|number| format!("a-{number}.log"));
        assert_eq!(next(log), following.as_deref());
    }
    assert_eq!(logs.last().unwrap().last(), Some(&Record::End));
}

#[test]
fn a_file_is_followed_by_another_when_that_is_asked_for() {
    let folder = Folder::new("asked");
    let writer = folder.writer(Limits { bytes: Some(1 << 30), ..ENDLESS }, 9);
    write(&writer, 1);
    writer.rotate().unwrap();
    assert_eq!(writer.path().file_name().unwrap(), "a-2.log");
    assert!(writer.stop(Vec::new()));
    let [first, second] = ["a.log", "a-2.log"].map(|name| folder.read(name));
    assert_eq!((next(&first), events(&first).len()), (Some("a-2.log"), EACH));
    assert_eq!((notes(&second), events(&second)), (vec![0], vec![]));
}

#[test]
fn a_log_without_history_stays_in_its_file() {
    let folder = Folder::new("alone");
    let writer = folder.writer(ENDLESS, 9);
    write(&writer, 1);
    assert!(writer.rotate().unwrap_err().contains("definitions are not repeated"));
    assert!(writer.stop(Vec::new()));
    assert_eq!(folder.files(), ["a.log"]);
}
