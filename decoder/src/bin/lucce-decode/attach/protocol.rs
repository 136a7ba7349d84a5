//! HotSpot's attach protocol.
//!
//! A JVM listens at a socket once it finds a file `.attach_pid<N>` at SIGQUIT. A request is texts
//! that end with a zero: the version, the command and its three arguments. The answer is a code,
//! and behind it what the command prints.
//! Invariant: SIGQUIT goes only to a JVM that handles it; any other process would end. The socket
//! is the JVM's user's.
//! Source: HotSpot's `attachListener_linux.cpp` (JDK 11 to 25; `attachListener_posix.cpp` since
//! 25), and its `load_agent`; `Threads::create_vm`, which handles signals before
//! `AttachListener::vm_start`; the JDK's `VirtualMachineImpl`, which signals twice, too.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::Refusal;
use super::target::Target;

/// How long the JVM may take to listen, and to answer.
const LISTENING: Duration = Duration::from_secs(10);
const ANSWERING: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(20);
/// The JVM takes arguments up to this length.
const LONGEST: usize = 1024;

/// Has the JVM load the agent with these options. What it answers, without its code.
pub fn load(target: &Target, library: &Path, options: &str) -> Result<String, Refusal> {
    let library = library.to_str().ok_or((2, "the agent's path is no UTF-8 text".to_owned()))?;
    if let Some(long) = [library, options].iter().find(|text| text.len() > LONGEST) {
        return Err((2, format!("the JVM takes {LONGEST} bytes, these are {}: {long}", long.len())));
    }
    let mut stream = connect(target).map_err(|line| (1, line))?;
    let failed = |error: io::Error| match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => {
            (1, format!("the JVM has not answered for {} s, and may still do it", ANSWERING.as_secs()))
        }
        _ => (1, format!("the JVM does not answer: {error}")),
    };
    let answer = exchange(&mut stream, &["1", "load", library, "true", options]).map_err(failed)?;
    let (code, text) = answer.split_once('\n').unwrap_or((&answer, ""));
    let said = text.lines().map(str::trim).find(|line| !line.is_empty());
    match (code.trim(), said) {
        (_, Some(said)) => Ok(said.to_owned()),
        ("", None) => Err((1, "the JVM has closed the connection without an answer".into())),
        (code, None) => Err((1, format!("the JVM answers with code {code}"))),
    }
}

fn exchange(stream: &mut UnixStream, request: &[&str]) -> io::Result<String> {
    stream.set_read_timeout(Some(ANSWERING))?;
    let bytes: Vec<u8> = request.iter().flat_map(|text| [text.as_bytes(), &[0]].concat()).collect();
    stream.write_all(&bytes)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

/// Connects to the JVM, which is told to listen if it does not yet.
fn connect(target: &Target) -> Result<UnixStream, String> {
    let path = target.temporary()?.join(format!(".java_pid{}", target.inner));
    if let Some(stream) = listening(target, &path)? {
        return Ok(stream);
    }
    if !target.takes_quit {
        return Err(format!("process {} takes no SIGQUIT yet, or never (-Xrs): nothing was sent", target.pid));
    }
    let _trigger = Trigger::set(target)?;
    let number = i32::try_from(target.pid).ok().and_then(Pid::from_raw).ok_or("no number of a process")?;
    let quit = || {
        let sent = kill_process(number, Signal::QUIT);
        sent.map_err(|error| format!("cannot signal process {}: {error}", target.pid))
    };
    quit()?;
    let (began, mut is_last) = (Instant::now(), false);
    while began.elapsed() < LISTENING {
        sleep(PAUSE);
        // A JVM that was just starting has removed its own new socket as one that an earlier
        // process had left; asked again, it makes another.
        if !is_last && began.elapsed() > LISTENING / 2 {
            is_last = true;
            quit()?;
        }
        if let Some(stream) = listening(target, &path)? {
            return Ok(stream);
        }
        if !Path::new("/proc").join(target.pid.to_string()).exists() {
            return Err(format!("process {} has ended", target.pid));
        }
    }
    let seconds = LISTENING.as_secs();
    Err(format!("process {} has not listened for {seconds} s; has it -XX:+DisableAttachMechanism?", target.pid))
}

/// A connection, if the JVM listens.
fn listening(target: &Target, path: &Path) -> Result<Option<UnixStream>, String> {
    let Ok(socket) = fs::symlink_metadata(path) else { return Ok(None) };
    if socket.uid() != target.owner.0 {
        return Err(format!("{} is not the JVM's user's", path.display()));
    }
    Ok(UnixStream::connect(path).ok())
}

/// The file that makes the JVM listen, while it waits.
struct Trigger(PathBuf);

impl Trigger {
    fn set(target: &Target) -> Result<Self, String> {
        let name = format!(".attach_pid{}", target.inner);
        let new = |folder: PathBuf| -> io::Result<Self> {
            let path = folder.join(&name);
            let made: File = OpenOptions::new().write(true).create_new(true).open(&path)?;
            drop(made);
            Ok(Self(path))
        };
        // The working folder may be gone, or not ours to write.
        new(target.folder.clone()).or_else(|_| {
            let folder = target.temporary()?;
            new(folder.clone()).map_err(|error| format!("cannot make {}/{name}: {error}", folder.display()))
        })
    }
}

impl Drop for Trigger {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn a_request_is_texts_that_end_with_a_zero() {
        let (mut ours, mut theirs) = UnixStream::pair().expect("a pair");
        let answers = thread::spawn(move || {
            let mut bytes = [0; 19];
            theirs.read_exact(&mut bytes).expect("a request");
            theirs.write_all(b"0\nreturn code: 0\n").expect("an answer");
            bytes
        });
        let answer = exchange(&mut ours, &["1", "load", "/a", "true", "b=c"]).expect("an answer");
        assert_eq!(answer, "0\nreturn code: 0\n");
        assert_eq!(&answers.join().expect("it answers"), b"1\0load\0/a\0true\0b=c\0");
    }
}
