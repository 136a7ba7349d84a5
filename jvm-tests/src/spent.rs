//! What tests spend: the processor time of each child that they start, for `cargo xtask test` to
//! name the dearest tests.
//!
//! Invariant: a child counts once, with all its threads and the children that it has waited for,
//! when its test waits for its end; no test fails for this record. The record is a file that the
//! environment names. A line of it has the test's name, the program, and milliseconds.
//! Source: proc(5), `/proc/pid/stat`, fields 3 and 14 to 17: a child that has ended keeps its times
//! until its parent has waited for it.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::Duration;
use std::{env, thread};

use crate::wait;

/// The kernel's unit of these times, in milliseconds: a hundredth of a second on every architecture
/// of the matrix.
const TICK: u64 = 10;

/// After which a child counts as hung that uses no processor by itself: longer than a shell takes.
const LIMIT: Duration = Duration::from_secs(330);

/// A child that its parent has not waited for: has it ended, and what has it spent so far, in
/// milliseconds?
pub(crate) fn look(child: &Child) -> (bool, u64) {
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
    // Before the state stands the program's name, in parentheses, which may have spaces.
    let Some((_, fields)) = stat.rsplit_once(')') else { return (true, 0) };
    let mut fields = fields.split_whitespace();
    let ended = fields.next() == Some("Z");
    let ticks = fields.skip(10).take(4).filter_map(|field| field.parse::<u64>().ok()).sum::<u64>();
    (ended, ticks * TICK)
}

/// What a child has spent that has ended; none while it runs.
pub(crate) fn of_ended(child: &Child) -> Option<u64> {
    let (ended, spent) = look(child);
    ended.then_some(spent)
}

/// Keeps what a child of this test has spent, if a file for it is named.
pub(crate) fn keep(program: &Path, spent: u64) {
    static FILE: OnceLock<Option<File>> = OnceLock::new();
    let open = || File::options().create(true).append(true).open(env::var_os("LUCCE_SPENT")?).ok();
    let Some(mut file) = FILE.get_or_init(open).as_ref() else { return };
    let (test, program) = (thread::current(), program.file_name().unwrap_or_default().to_string_lossy());
    // One write a line, since other tests write between.
    let _ = file.write_all(format!("{}\t{program}\t{spent}\n", test.name().unwrap_or("?")).as_bytes());
}

/// [`Command::output`], which keeps what the child has spent.
///
/// # Errors
/// When the program cannot be started, read or waited for.
pub(crate) fn output(command: &mut Command) -> io::Result<Output> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (mut out, mut err) = (child.stdout.take().expect("piped"), child.stderr.take().expect("piped"));
    let complaints = thread::spawn(move || {
        let mut stderr = Vec::new();
        err.read_to_end(&mut stderr).map(|_| stderr)
    });
    let mut stdout = Vec::new();
    out.read_to_end(&mut stdout)?;
    let stderr = complaints.join().expect("a reader does not panic")?;
    let status = wait::end(&mut child, Path::new(command.get_program()), LIMIT);
    status.map(|status| Output { status, stdout, stderr }).ok_or_else(|| io::ErrorKind::TimedOut.into())
}
