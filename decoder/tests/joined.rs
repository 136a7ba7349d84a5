//! Logs that were put into one file: no event of the second is read with what the first one says.
//!
//! Invariant: the first is read whole, the second not at all, and where it begins is said.
//! Source: docs/FORMAT.md, "Damage".

mod common;

use common::Program;
use common::shell::{folder, run, run_in, text};
use lucce_decoder::{Contexts, Follow, Log, What};
use lucce_encoding::Passage;
use lucce_log::Record;
use lucce_words::SiteId;

/// A run with `events` events in a class; all ids are those of any other such run.
fn file(class: &str, events: i64) -> Vec<u8> {
    let mut program = Program::default();
    let [outer, inner] = ["outer", "inner"].map(|name| program.method(class, name, "()V"));
    let [call, at] = [outer, inner].map(|method| program.site(method, 0, Some(1)));
    let mut stack = Vec::new();
    program.call(&mut stack, SiteId::ROOT, outer, Passage::Plain);
    program.call(&mut stack, call, inner, Passage::Plain);
    for value in 0..events {
        program.next_block();
        program.event(&mut stack, at, ("mark", value), None, Vec::new());
    }
    program.record(Record::End);
    program.file().0
}

/// The classes of each event's frames.
fn classes(log: &Log) -> Vec<Vec<String>> {
    let mut contexts = Contexts::new(log);
    let mut of = |place| contexts.trace(place).frames.iter().map(|frame| frame.class.to_string()).collect();
    log.events().iter().map(|event| of(&event.place)).collect()
}

#[test]
fn of_two_logs_in_one_file_the_second_has_nothing_of_the_first() {
    let (first, second) = (file("a/First", 2), file("b/Second", 5));
    let bytes = [&first[..], &second].concat();
    let log = Log::read(&bytes, |_| {}).expect("a log");
    assert_eq!(classes(&log), vec![vec!["a.First"; 2]; 2]);
    assert!(log.ended() && !log.is_complete());
    let [damage] = log.damage() else { panic!("{:?}", log.damage()) };
    assert_eq!((damage.what, damage.offset), (What::Another, first.len() as u64));
    // What is in the chunk that holds the first one's end is no more than that either.
    let mut follow = Follow::new();
    let log = follow.grow(&bytes).expect("a log").expect("its header is whole");
    assert_eq!((classes(log), log.damage().len()), (vec![vec!["a.First".to_owned(); 2]; 2], 1));
}

#[test]
fn a_log_behind_a_cut_one_has_nothing_of_it() {
    let (first, second) = (file("a/First", 2), file("b/Second", 5));
    for cut in 8..first.len() {
        let bytes = [&first[..cut], &second].concat();
        let log = Log::read(&bytes, |_| {}).expect("a log");
        let alone = [classes(&Log::read(&first[..cut], |_| {}).expect("a log")), vec![vec!["b.Second".into(); 2]; 5]];
        // Where nothing of the first is left the second is one with a damaged header.
        let expected = &alone[usize::from(log.header().is_none())];
        assert_eq!(&classes(&log), expected, "cut at {cut}");
        assert!(!log.is_complete(), "cut at {cut}");
    }
}

#[test]
fn where_another_log_begins_is_said_in_one_line_and_reading_ends_with_3() {
    let first = file("a/First", 1);
    let bytes = [&first[..], &file("b/Second", 3)].concat();
    // The first one's end is there, or its JVM was killed before.
    for (at, name) in [(first.len(), "joined-ended"), (first.len() - 1, "joined-cut")] {
        let bytes = [&first[..at], &file("b/Second", 3)].concat();
        for args in [["--events"], ["--follow"]] {
            let output = run(name, &bytes, &args);
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(3), "{args:?}: {said}");
            assert!(!text(&output.stdout).contains("Second"), "{output:?}");
            assert!(said.contains(&format!("offset {at}: another log begins, split the file there")), "{said}");
        }
    }
    let said = text(&run_in(&folder("joined-doctor", &bytes), &["doctor", "events.log"]).stdout);
    assert!(said.contains("split the file where the other log begins"), "{said}");
}
