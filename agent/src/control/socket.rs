//! Control of a running agent: a Unix domain socket, and the one thread that answers there.
//!
//! Invariants: only the JVM's own user and root are listened to, by the credentials that the kernel
//! gives; whoever connects can keep the others waiting for [`PATIENCE`] at most; the thread is one
//! of the JVM's only while a command needs that, and no thread of the program ever waits for it.
//! Source: unix(7), SO_PEERCRED; docs/guide/production.md.

mod commands;
mod open;

use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::jvm::attached::Invocation;
use crate::options::Control;
use crate::state::agent::Agent;
use crate::support::boundary::guarded;
use crate::support::identity::Identity;
use open::Open;
pub use open::Socket;

/// How long a command may take to come.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long an answer may take to go.
const GOING: Duration = Duration::from_secs(2);
/// Longest command in bytes.
const LONGEST: usize = 256;
/// After an error of accept(2), say for want of descriptors.
const PAUSE: Duration = Duration::from_millis(200);

impl Socket {
    /// Opens it and starts the thread, unless it is off. A socket that nobody has asked for fails
    /// silently.
    pub fn open(&self, agent: &'static Agent, vm: Invocation) {
        let (path, asked) = match &agent.options.control {
            Control::Off => return,
            Control::On => (default_path(std::process::id()), false),
            Control::At(path) => (PathBuf::from(path), true),
        };
        let listening = listen(&path).and_then(|listener| {
            let listener = Arc::new(listener);
            let open = Open { path: path.clone(), identity: Identity::at(&path), listener: Arc::downgrade(&listener) };
            let thread = std::thread::Builder::new().name("lucce-control".into());
            thread.spawn(move || guarded("control", (), || serve(agent, vm, &listener)))?;
            // Set once: an agent begins once.
            let _ = self.open.set(open);
            Ok(())
        });
        if let Err(error) = listening
            && asked
        {
            say!("cannot listen at {}: {error}; this run cannot be controlled", path.display());
        }
    }
}

/// Where the agent of a process listens unless told otherwise. Always in `/tmp`, so that whoever
/// knows the process finds it.
fn default_path(pid: u32) -> PathBuf {
    PathBuf::from(format!("/tmp/lucce-{pid}.sock"))
}

fn listen(path: &Path) -> io::Result<UnixListener> {
    let listener = match UnixListener::bind(path) {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse && is_stale(path) => {
            std::fs::remove_file(path)?;
            UnixListener::bind(path)?
        }
        other => other?,
    };
    // Who connects before this is told apart by credentials.
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// Is it a socket of our own user at which nobody listens: left by a process that was killed?
fn is_stale(path: &Path) -> bool {
    // SAFETY: no preconditions.
    let user = unsafe { libc::geteuid() };
    let ours = std::fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket() && file.uid() == user);
    ours && UnixStream::connect(path).is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
}

fn serve(agent: &'static Agent, vm: Invocation, listener: &UnixListener) {
    block_signals();
    while !agent.run.is_dead() {
        match listener.accept() {
            // A command that panics must not end the thread; a client that goes away has its own
            // reasons.
            Ok((stream, _)) => guarded("control command", (), || _ = answer(agent, vm, &stream)),
            Err(_) if agent.run.is_dead() => return,
            Err(_) => std::thread::sleep(PAUSE),
        }
    }
}

/// Signals of the process are the business of the JVM's and the program's threads.
fn block_signals() {
    // SAFETY: the set is written by sigfillset before it is read; the mask is this thread's own.
    unsafe {
        let mut all = std::mem::zeroed();
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_BLOCK, &all, std::ptr::null_mut());
    }
}

/// Reads one command and answers it: lines of text, and at the end `ok` or `error: ` and why.
fn answer(agent: &'static Agent, vm: Invocation, stream: &UnixStream) -> io::Result<()> {
    stream.set_write_timeout(Some(GOING))?;
    let mut stream = stream;
    if !is_allowed(stream) {
        return stream.write_all(b"error: only the user of this process and root may\n");
    }
    let text = match read(stream)? {
        Some(command) => match commands::run(agent, vm, &command) {
            Ok(lines) => format!("{lines}ok\n"),
            Err(why) => format!("error: {why}\n"),
        },
        None => format!("error: no command; there is {}\n", commands::NAMES),
    };
    stream.write_all(text.as_bytes())
}

/// One line of at most [`LONGEST`] bytes that comes within [`PATIENCE`].
fn read(mut stream: &UnixStream) -> io::Result<Option<String>> {
    let end = Instant::now() + PATIENCE;
    let (mut line, mut bytes) = (Vec::new(), [0; LONGEST]);
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(None);
        }
        stream.set_read_timeout(Some(left))?;
        let count = match stream.read(&mut bytes) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return Ok(None),
        };
        line.extend_from_slice(&bytes[..count]);
        if let Some(end) = line.iter().position(|&byte| byte == b'\n') {
            line.truncate(end);
            return Ok(String::from_utf8(line).ok());
        }
        if count == 0 || line.len() >= LONGEST {
            return Ok(None);
        }
    }
}

/// Is the other side of our own user, or root?
fn is_allowed(stream: &UnixStream) -> bool {
    let mut peer = libc::ucred { pid: 0, uid: u32::MAX, gid: u32::MAX };
    let mut length = size_of::<libc::ucred>() as libc::socklen_t;
    // SAFETY: the descriptor is open; the buffer is as long as stated.
    let code = unsafe {
        libc::getsockopt(stream.as_raw_fd(), libc::SOL_SOCKET, libc::SO_PEERCRED, (&raw mut peer).cast(), &mut length)
    };
    // SAFETY: no preconditions.
    let user = unsafe { libc::geteuid() };
    code == 0 && (peer.uid == user || peer.uid == 0)
}
