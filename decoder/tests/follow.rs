//! `--follow` from file to file: which file is the next one of a run.
//!
//! Invariant: whatever the files are named and say, it comes to an end, and prints events of one
//! run, each once.
//! Source: docs/FORMAT.md, "Files and keyframes".

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::{Program, header};
use lucce_decoder::{Follow, Log, LoggedEvent};
use lucce_log::{Header, Record, encode_header};
use lucce_words::{EdgeId, NodeId, Word};

/// A program with one event of this value.
fn program(value: i64) -> Program {
    let (mut program, mut stack, at) = Program::running("run");
    program.event(&mut stack, at, ("mark", value), None, Vec::new());
    program
}

/// A file of a run with one event of this value, and where it says that the run goes on.
fn file(run_id: u64, part: u32, value: i64, next: Option<&str>) -> Vec<u8> {
    let mut program = program(value);
    program.record(next.map_or(Record::End, |next| Record::Rotated { next: next.into() }));
    let (bytes, starts) = program.file();
    [encode_header(&Header { run_id, part, ..header() }), bytes[starts[0]..].to_vec()].concat()
}

/// An empty folder of a test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("follow-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Follows `a.log` among these files: the values of the events printed, and what is said beside
/// them.
fn follow(name: &str, files: &[(&str, Vec<u8>)]) -> (Vec<i64>, String) {
    let folder = folder(name);
    for (name, bytes) in files {
        std::fs::write(folder.join(name), bytes).expect("written");
    }
    let (_, values, said) = follow_in(&folder, "a.log", Stdio::null());
    (values, said)
}

/// Follows this log from that folder. The exit status comes first.
fn follow_in(folder: &Path, log: &str, input: Stdio) -> (Option<i32>, Vec<i64>, String) {
    Followed::start(folder, log, input).end()
}

/// A log that is followed.
struct Followed {
    child: Child,
    log: String,
    /// What is printed and what is said.
    files: [PathBuf; 2],
}

impl Followed {
    fn start(folder: &Path, log: &str, input: Stdio) -> Self {
        let files = ["out", "err"].map(|name| folder.join(name));
        let [out, err] = files.clone().map(|path| std::fs::File::create(path).expect("created"));
        let child = Command::new(env!("CARGO_BIN_EXE_lucce-decode"))
            .args(["--follow", "--format", "json", log])
            .current_dir(folder)
            .stdin(input)
            .stdout(out)
            .stderr(err)
            .spawn()
            .expect("it runs");
        Self { child, log: log.into(), files }
    }

    fn end(mut self) -> (Option<i32>, Vec<i64>, String) {
        let status = end(&mut self.child, &self.log);
        let [out, err] = self.files.map(|path| std::fs::read_to_string(path).expect("read"));
        let value = |line: &str| serde_json::from_str::<serde_json::Value>(line).expect("an object")["value"].as_i64();
        (status, out.lines().filter_map(value).collect(), err)
    }
}

/// Waits until it has a handler for an interrupt, and sleeps.
fn wait_until_it_waits(child: &Child) {
    let begun = Instant::now();
    let waits = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).expect("it runs");
        let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).expect("a field").trim();
        let caught = u64::from_str_radix(field("SigCgt:"), 16).expect("a mask");
        caught & 1 << 1 != 0 && field("State:").starts_with('S')
    };
    while !waits() {
        assert!(begun.elapsed() < Duration::from_secs(20), "it does not wait");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Its exit status, which it has to come to.
fn end(child: &mut Child, name: &str) -> Option<i32> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("waited for") {
            return status.code();
        }
        if begun.elapsed() > Duration::from_secs(20) {
            child.kill().and_then(|()| child.wait()).expect("killed");
            panic!("{name}: it does not end");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
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

#[test]
fn a_log_behind_a_link_goes_on_in_the_folder_where_it_is() {
    let folder = folder("link");
    let logs = folder.join("logs");
    std::fs::create_dir(&logs).expect("a folder");
    for (name, bytes) in [("a.log", file(7, 1, 1, Some("b.log"))), ("b.log", file(7, 2, 2, None))] {
        std::fs::write(logs.join(name), bytes).expect("written");
    }
    std::os::unix::fs::symlink("logs/a.log", folder.join("cur.log")).expect("linked");
    assert_eq!(follow_in(&folder, "cur.log", Stdio::null()), (Some(0), vec![1, 2], String::new()));
    let input = std::fs::File::open(logs.join("a.log")).expect("opened");
    assert_eq!(follow_in(&folder, "/dev/stdin", input.into()), (Some(0), vec![1, 2], String::new()));
}

#[test]
fn a_log_whose_header_has_a_damaged_length_is_followed_to_its_end() {
    let mut bytes = file(7, 1, 1, None);
    // It seems to end half a mebibyte behind.
    bytes[10] ^= 1 << 3;
    let (values, said) = follow("length", &[("a.log", bytes)]);
    assert_eq!((values, said.contains("offset 0: unreadable header")), (vec![1], true), "{said}");
}

#[test]
fn tallies_that_are_followed_are_increments_with_the_names_of_the_whole_log() {
    let mut program = Program::default();
    let make = program.method("a/A", "make", "()V");
    let site = program.site(make, 0, Some(9));
    let kinds = ["alloc", "entry"].map(|kind| program.kind(kind));
    program.record(Record::Node { id: NodeId(1), parent: NodeId(0), site });
    let tally = |kind, value| {
        let (node, word, class) = (NodeId(1), Word::NONE, None);
        Record::Tally { kind, node, site, word, class, count: 1, value }
    };
    program.record(tally(kinds[0], 24));
    program.next_block();
    program.record(tally(kinds[1], 1));
    program.next_block();
    program.record(tally(kinds[0], 8));
    program.record(tally(kinds[1], 1));
    program.record(Record::End);
    let (bytes, starts) = program.file();
    let named = |log: &Log| -> Vec<(String, i64)> {
        log.events().iter().map(|event| (LoggedEvent::context_name(event.seq), event.value)).collect()
    };
    let whole = Log::read(&bytes, |_| {}).expect("a log");
    assert_eq!(named(&whole), [("t1".into(), 32), ("t1.1".into(), 2)]);
    let mut follow = Follow::new();
    let mut at = 0;
    let mut batches = Vec::new();
    for end in [starts[1], starts[2], bytes.len()] {
        batches.push(named(follow.grow(&bytes[at..end]).expect("a log").expect("its header is whole")));
        at = end;
    }
    let [t1, t2] = ["t1", "t1.1"].map(str::to_owned);
    assert_eq!(batches, [vec![(t1.clone(), 24)], vec![(t2.clone(), 1)], vec![(t1, 8), (t2, 1)]]);
}

/// A block with this payload as it is, which says that it has so many events.
fn block(seq: u64, (first_event, events): (u64, u32), payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_le_bytes();
    let places = [seq.to_le_bytes(), first_event.to_le_bytes()].concat();
    let covered = [&length[..], &length, &places, &events.to_le_bytes(), &0u32.to_le_bytes(), payload].concat();
    [&[0xF7, b'L', b'B', b'2'][..], &crc32fast::hash(&covered).to_le_bytes(), &covered].concat()
}

#[test]
fn what_whole_blocks_do_not_say_ends_with_3_as_for_the_whole_file() {
    const END: u8 = 21;
    let folder = folder("unusable");
    let (begin, _) = program(1).file();
    // No tag is 0, and what is behind it in the block is lost.
    let hidden = [begin, block(1, (1, 2), &[0, 0, 0]), block(2, (3, 0), &[END])].concat();
    let mut unknown = program(1);
    // An edge that was never told.
    unknown.record(Record::Cut { edge: EdgeId(999) });
    unknown.record(Record::End);
    for (bytes, said) in
        [(hidden, "a.log: 1 block unusable behind what is no record"), (unknown.file().0, "a.log: 1 record unusable")]
    {
        std::fs::write(folder.join("a.log"), bytes).expect("written");
        let whole = Command::new(env!("CARGO_BIN_EXE_lucce-decode")).arg("a.log").current_dir(&folder).output();
        let whole = whole.expect("it runs");
        assert_eq!(whole.status.code(), Some(3), "{said}");
        assert!(String::from_utf8_lossy(&whole.stderr).starts_with("lucce-decode: damaged log; "), "{whole:?}");
        let said = format!("lucce-decode: {said}\nlucce-decode: 1 place could not be read\n");
        assert_eq!(follow_in(&folder, "a.log", Stdio::null()), (Some(3), vec![1], said));
    }
}

#[test]
fn sigint_ends_it_while_nobody_writes_into_a_pipe() {
    let folder = folder("pipe");
    let (bytes, _) = program(1).file();
    for (pipe, begun) in [("opened", true), ("unopened", false)] {
        let made = Command::new("mkfifo").arg(pipe).current_dir(&folder).status().expect("it runs");
        assert!(made.success());
        let mut child = Command::new(env!("CARGO_BIN_EXE_lucce-decode"))
            .args(["--follow", pipe])
            .current_dir(&folder)
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let mut writer = None;
        if begun {
            let mut file = std::fs::File::create(folder.join(pipe)).expect("opened");
            file.write_all(&bytes).expect("written");
            writer = Some(file);
            assert!(lines.next().expect("a line").expect("text").starts_with("event 0: mark 1 "));
        }
        wait_until_it_waits(&child);
        // The shell's own: there need not be a program of that name.
        let sent = Command::new("sh").args(["-c", "kill -INT $0", &child.id().to_string()]).status().expect("it runs");
        assert!(sent.success());
        assert_eq!(end(&mut child, pipe), Some(0));
        drop(writer);
    }
}

/// A process that may have written a log, and a header that names it.
fn writer() -> (Child, Header) {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").expect("a name").trim_end().to_owned();
    let writer = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("it starts");
    let pid = writer.id();
    (writer, Header { pid, host, ..header() })
}

const GONE: &str = "lucce-decode: cut log, no end record: the process that wrote it is gone\n";

#[test]
fn a_log_that_is_a_header_alone_ends_with_its_process() {
    let folder = folder("header");
    let (mut writer, header) = writer();
    let bytes = encode_header(&header);
    assert!(Follow::new().grow(&bytes[..bytes.len() - 1]).expect("could be a log").is_none());
    assert!(Follow::new().grow(&bytes).expect("a log").is_some(), "its header is whole");
    std::fs::write(folder.join("a.log"), bytes).expect("written");
    let followed = Followed::start(&folder, "a.log", Stdio::null());
    wait_until_it_waits(&followed.child);
    // Killed, but nobody has asked how it ended.
    writer.kill().expect("killed");
    assert_eq!(followed.end(), (Some(3), Vec::new(), GONE.to_owned()));
    writer.wait().expect("it has ended");
}

#[test]
fn a_log_whose_process_is_gone_ends_with_3_and_one_line() {
    let folder = folder("gone");
    let (mut writer, header) = writer();
    let (bytes, starts) = program(1).file();
    std::fs::write(folder.join("a.log"), [encode_header(&header), bytes[starts[0]..].to_vec()].concat())
        .expect("written");
    let mut follow = Command::new(env!("CARGO_BIN_EXE_lucce-decode"))
        .args(["--follow", "a.log"])
        .current_dir(&folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut lines = BufReader::new(follow.stdout.take().expect("piped")).lines();
    assert!(lines.next().expect("a line").expect("text").starts_with("event 0: mark 1 "));
    assert!(follow.try_wait().expect("it can be asked").is_none(), "the process is still there");
    drop(writer.stdin.take());
    writer.wait().expect("it ends");
    let status = end(&mut follow, "gone");
    let mut said = String::new();
    follow.stderr.take().expect("piped").read_to_string(&mut said).expect("text");
    assert_eq!((status, said.as_str()), (Some(3), GONE));
}
