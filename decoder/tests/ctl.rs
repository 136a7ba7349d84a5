//! `ctl` from outside: what it prints, says and ends with, of an agent on paper.
//!
//! Invariant: what could not be done, asked or printed is said in one line, with what to do.
//! Source: docs/guide/production.md; docs/FORMAT.md, "Exit status".

mod common;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;

use common::shell::{BIN, run_alone, text};

/// Where the socket of a test is: short, as its path has to be.
fn socket(test: &str) -> PathBuf {
    std::env::temp_dir().join(format!("lucce-{test}-{}.sock", std::process::id()))
}

/// `ctl SOCKET stats` with this output, of an agent that gives this answer.
fn ask(socket: &Path, answer: &'static str, out: Stdio) -> Output {
    let listener = UnixListener::bind(socket).expect("bound");
    let agent = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("asked");
        let mut command = String::new();
        BufReader::new(&stream).read_line(&mut command).expect("a line");
        stream.write_all(answer.as_bytes()).expect("answered");
        command
    });
    let child = Command::new(BIN).arg("ctl").arg(socket).arg("stats").stdout(out).stderr(Stdio::piped()).spawn();
    let output = child.expect("it starts").wait_with_output().expect("it ends");
    assert_eq!(agent.join().expect("it answers"), "stats\n");
    fs::remove_file(socket).expect("removed");
    output
}

#[test]
fn an_answer_that_cannot_be_printed_is_no_success() {
    let socket = socket("ctl-full");
    let full = File::options().write(true).open("/dev/full").expect("it is there");
    let output = ask(&socket, "events 1\nok\n", full.into());
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.starts_with("lucce-decode: cannot write: ") && said.lines().count() == 1, "{said}");
}

#[test]
fn a_closed_pipe_is_no_error_and_hides_none() {
    let socket = socket("ctl-closed");
    for (answer, status, line) in
        [("events 1\nok\n", 0, ""), ("events 1\nerror: not now\n", 1, "lucce-decode: not now\n")]
    {
        let (read, write) = std::io::pipe().expect("a pipe");
        drop(read);
        let output = ask(&socket, answer, write.into());
        assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(status), line));
    }
}

#[test]
fn where_nobody_listens_it_says_what_may_be_the_reason() {
    let socket = socket("ctl-nobody");
    let _ = fs::remove_file(&socket);
    for left in [false, true] {
        if left {
            // The file stays behind.
            drop(UnixListener::bind(&socket).expect("bound"));
        }
        let output = run_alone(&["ctl", socket.to_str().expect("text"), "status"]);
        let why = "the JVM may have ended, or has control=off or control=<path>; then name the socket";
        let line = format!("lucce-decode: no agent listens at {}: {why}\n", socket.display());
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(2), line), "{left}");
    }
    fs::remove_file(socket).expect("removed");
}
