//! The socket itself: who may use it, what it does with garbage, and when it goes.
//!
//! Invariant: no connection harms the program. Source: docs/guide/production.md ("Control").

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::SystemTime;

use lucce_jvm_tests::{Jvm, Run, Scratch, place};

use super::{Running, start};

#[test]
fn garbage_and_many_connections_do_no_harm() {
    let Some(running) = Running::new("garbage", 21, "quiet") else { return };
    let mut idle = Vec::new();
    for garbage in [&b"\0\xff\xfe\n"[..], b"", &[b'x'; 5000], b"status status status\n", b"\n\n\n"] {
        let mut stream = UnixStream::connect(running.socket()).expect("connects");
        let _ = stream.write_all(garbage);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        assert!(answer.is_empty() || answer.starts_with("error: "), "{answer}");
    }
    // Some say nothing, some go away at once.
    for number in 0..40 {
        let stream = UnixStream::connect(running.socket());
        if number < 2 {
            idle.extend(stream);
        }
    }
    running.more_events();
    let (out, _) = running.end(false);
    assert_eq!(out, "hooked true");
}

#[test]
fn the_socket_is_the_users_own() {
    let Some(running) = Running::new("user", 17, "quiet") else { return };
    let socket = fs::metadata(running.socket()).expect("it is there");
    assert_eq!(socket.permissions().mode() & 0o777, 0o600);
    if socket.uid() == 0 {
        // Even if somebody opens it to all, the agent asks the kernel who is there. The folder
        // above is that of other tests, too.
        let folder = running.scratch.path();
        for (path, mode) in [(folder, 0o755), (folder.parent().expect("a folder"), 0o755), (&running.socket(), 0o777)] {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("set");
        }
        let script = "use IO::Socket::UNIX; $SIG{PIPE} = 'IGNORE'; my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die $!; print $s \"kill\\n\"; $s->flush; print <$s>;";
        let output = Command::new("perl").args(["-e", script]).arg(running.socket()).uid(65534).gid(65534).output();
        let output = output.expect("perl runs");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(said.starts_with("error: only the user"), "{said}{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(running.status("state"), "on");
    running.end(false);
}

/// Somebody has removed the socket, and another run has taken its name.
#[test]
fn an_agent_that_ends_takes_away_no_socket_but_its_own() {
    let running = Running::new("taken", 17, "quiet").expect("there is a JVM");
    fs::remove_file(running.socket()).expect("it is there");
    let _another = UnixListener::bind(running.socket()).expect("the name is free");
    let Running { program, scratch } = running;
    fs::write(scratch.file("end"), "").expect("written");
    let (status, _, stderr) = program.end();
    assert!(status.success(), "{status}\n{stderr}");
    UnixStream::connect(scratch.file("socket")).expect("the other is there");
}

#[test]
fn an_agent_is_found_by_its_process_id_unless_it_is_told_to_be_silent() {
    let Some(jvm) = Jvm::of(25) else { return };
    for (options, expected) in [("quiet", 0), ("quiet,control=off", 2)] {
        let scratch = Scratch::new("pid", jvm.feature);
        let run = Run::hazard(&jvm, "Steady").within(&scratch).agent(options);
        let run = run.argument("1").argument("20").argument(scratch.file("end"));
        let begun = SystemTime::now();
        let mut program = start(&run);
        let id = program.id();
        let mut first = [0; 8];
        program.stdout.as_mut().expect("piped").read_exact(&mut first).expect("started");
        let output = Command::new(&place().decode).arg("ctl").arg(id.to_string()).arg("status").output();
        assert_eq!(output.expect("it runs").status.code(), Some(expected), "{options}");
        fs::write(scratch.file("end"), "").expect("written");
        let (status, _, stderr) = program.end();
        assert!(status.success(), "{status}\n{stderr}");
        // A JVM of the same number that was killed may have left its own.
        let socket = fs::metadata(format!("/tmp/lucce-{id}.sock")).and_then(|socket| socket.modified());
        assert!(!socket.is_ok_and(|made| made >= begun), "{options}");
    }
}
