//! `--follow` from file to file: which file is the next one of a run.
//!
//! Invariant: whatever the files are named and say, it comes to an end, and prints events of one run, each once.
//! Source: docs/FORMAT.md, "Files and keyframes".

mod common;

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use common::{Program, header};
use lucce_encoding::Passage;
use lucce_log::{Header, Record, encode_header};
use lucce_words::SiteId;

/// A file of a run with one event of this value, and where it says that the run goes on.
fn file(run_id: u64, part: u32, value: i64, next: Option<&str>) -> Vec<u8> {
    let mut program = Program::default();
    let run = program.method("a/A", "run", "()V");
    let at = program.site(run, 0, Some(1));
    let mut stack = Vec::new();
    program.call(&mut stack, SiteId::ROOT, run, Passage::Plain);
    program.event(&mut stack, at, ("mark", value), None, Vec::new());
    program.record(next.map_or(Record::End, |next| Record::Rotated { next: next.into() }));
    let (bytes, starts) = program.file();
    [encode_header(&Header { run_id, part, ..header() }), bytes[starts[0]..].to_vec()].concat()
}

/// Follows `a.log` among these files: the values of the events printed, and what is said beside them.
fn follow(name: &str, files: &[(&str, Vec<u8>)]) -> (Vec<i64>, String) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("follow-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, bytes) in files {
        std::fs::write(folder.join(name), bytes).expect("written");
    }
    let files = ["out", "err"].map(|name| folder.join(name));
    let [out, err] = files.clone().map(|path| std::fs::File::create(path).expect("created"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_lucce-decode"))
        .args(["--follow", "--format", "json", "a.log"])
        .current_dir(&folder)
        .stdout(out)
        .stderr(err)
        .spawn()
        .expect("it runs");
    let begun = Instant::now();
    while child.try_wait().expect("waited for").is_none() {
        if begun.elapsed() > Duration::from_secs(20) {
            child.kill().and_then(|()| child.wait()).expect("killed");
            panic!("{name}: it does not end");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let [out, err] = files.map(|path| std::fs::read_to_string(path).expect("read"));
    let value = |line: &str| serde_json::from_str::<serde_json::Value>(line).expect("an object")["value"].as_i64();
    (out.lines().filter_map(value).collect(), err)
}

#[test]
fn a_log_goes_on_in_the_file_that_it_names() {
    let files = [("a.log", file(7, 1, 1, Some("b.log"))), ("b.log", file(7, 2, 2, None))];
    assert_eq!(follow("named", &files), (vec![1, 2], String::new()));
}

#[test]
fn a_log_that_names_itself_ends() {
    let (values, said) = follow("itself", &[("a.log", file(7, 1, 1, Some("a.log")))]);
    assert_eq!(values, [1]);
    assert!(said.contains("a.log is not the next file of this run"), "{said}");
}

#[test]
fn logs_that_name_each_other_end() {
    let files = [("a.log", file(7, 1, 1, Some("b.log"))), ("b.log", file(7, 2, 2, Some("a.log")))];
    assert_eq!(follow("each-other", &files).0, [1, 2]);
}

#[test]
fn a_file_of_another_run_is_not_followed_and_one_of_this_run_is_found_by_its_header() {
    let other = [("a.log", file(7, 1, 1, Some("b.log"))), ("b.log", file(8, 2, 2, None))];
    let (values, said) = follow("other", &other);
    assert_eq!(values, [1]);
    assert!(said.contains("b.log is not the next file of this run"), "{said}");
    let moved = [("b.log.2", file(7, 3, 4, None)), ("b.log.1", file(7, 2, 3, Some("b.log.2")))];
    assert_eq!(follow("moved", &[&other[..], &moved].concat()).0, [1, 3, 4]);
}
