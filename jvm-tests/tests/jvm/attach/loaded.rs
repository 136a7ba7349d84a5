//! Programs under load, into which the agent comes twice: H2, Tomcat, and a Spring Boot jar as
//! Spring Boot packs it.
//!
//! Invariant: each event's context equals the JVM's own stack at that moment (`verify=1`), and the
//! program goes on as if nothing had been there. Each program has its turn on one JVM; with
//! `LUCCE_WHOLE=1` on all that it runs on.
//! Source: docs/guide/attach.md.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use lucce_jvm_tests::{Jvm, MATRIX, Run, Scratch, decode, option, place, turn};

use super::running::Running;
use super::whole;
use crate::service;

/// What is recorded.
const OPTIONS: &str = "alloc=64k,leaks=64k,locks,verify=1,quiet";
/// Events of a run at least.
const EVENTS: i64 = 500;

/// The agent comes and leaves, twice. The two logs.
fn twice(running: &Running) -> [PathBuf; 2] {
    ["first.log", "second.log"].map(|name| {
        let log = running.attached(name, OPTIONS);
        running.waits_for(&["alloc.events"], EVENTS);
        running.leaves(&log);
        log
    })
}

/// Each event was compared, and agreed.
fn exact(logs: &[PathBuf], complaints: &str) {
    assert!(!complaints.contains("internal error") && !complaints.contains("MISMATCH"), "{complaints}");
    for log in logs {
        whole(log);
        let counters = decode(log).counters();
        assert!(counters.checks() >= counters.counter("alloc.events"), "{counters}");
        assert_eq!(counters.counter("contexts.lost"), 0, "{counters}");
    }
}

/// `programs.Loaded` with these jars.
fn program(name: &str, jars: &[&str]) {
    for jvm in turn::of(name, &MATRIX) {
        let scratch = Scratch::new(&format!("attach-{name}"), jvm.feature);
        let class_path = [place().set("programs")].into_iter().chain(jars.iter().map(|jar| place().jar(jar))).collect();
        let run = Run::new(&jvm, "programs.Loaded", class_path).within(&scratch).option("-Xmx512m");
        let run = run.argument(name).argument(scratch.file("end"));
        let running = Running::start(&mut run.command(), scratch);
        assert_eq!(running.began, "started");
        let logs = twice(&running);
        let (_, complaints, _scratch) = running.ended();
        exact(&logs, &complaints);
    }
}

#[test]
fn h2() {
    program("h2", &["h2"]);
}

#[test]
fn tomcat() {
    program("tomcat", &["tomcat", "tomcat-annotations"]);
}

/// What Spring Boot 3 runs on.
const OF_SPRING: [u32; 3] = [17, 21, 25];
/// Users at once.
const CLIENTS: usize = 3;

/// The application as Spring Boot packs it: its libraries are jars within the jar.
fn fat_jar(scratch: &Scratch) -> PathBuf {
    let (packed, jar) = (scratch.file("packed"), scratch.file("shop.jar"));
    let inner = packed.join("BOOT-INF/lib");
    fs::create_dir_all(&inner).expect("a folder");
    let run = |command: &mut Command| assert!(command.status().expect("it runs").success(), "{command:?}");
    let tool = || Command::new(place().jdk_program("jar"));
    for name in service::jars() {
        if name.starts_with(service::LOADER) {
            run(tool().current_dir(&packed).arg("-xf").arg(place().jar(&name)).arg("org"));
        } else {
            fs::copy(place().jar(&name), inner.join(format!("{name}.jar"))).expect("copied");
        }
    }
    run(Command::new("cp").arg("-r").arg(place().set("service")).arg(packed.join("BOOT-INF/classes")));
    let manifest = scratch.file("manifest");
    let lines = "Main-Class: org.springframework.boot.loader.launch.JarLauncher\nStart-Class: shop.Shop\n\
                 Spring-Boot-Classes: BOOT-INF/classes/\nSpring-Boot-Lib: BOOT-INF/lib/\n";
    fs::write(&manifest, lines).expect("written");
    // The loader reads jars within the jar only where they are stored.
    run(tool().arg("-c0fm").arg(&jar).arg(&manifest).arg("-C").arg(&packed).arg("."));
    jar
}

/// Ends the clients, also where the test fails.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn spring_boot() {
    for jvm in turn::of("spring", &OF_SPRING) {
        let scratch = Scratch::new("attach-spring", jvm.feature);
        let running = Running::start(&mut shop(&jvm, &scratch, &fat_jar(&scratch)), scratch);
        let port = running.began.strip_prefix("port ").and_then(|port| port.parse().ok());
        let port = port.unwrap_or_else(|| panic!("it said {}", running.began));
        let over = AtomicBool::new(false);
        let logs = thread::scope(|scope| {
            let _over = Over(&over);
            for client in 0..CLIENTS {
                let over = &over;
                scope.spawn(move || visits(port, client, over));
            }
            twice(&running)
        });
        assert!(Command::new("kill").arg(running.program.id().to_string()).status().expect("kill runs").success());
        let (status, printed, complaints) = running.program.end();
        assert_eq!(status.code(), Some(143), "{printed}{complaints}");
        exact(&logs, &complaints);
    }
}

fn shop(jvm: &Jvm, scratch: &Scratch, jar: &Path) -> Command {
    let run = Run::new(jvm, "org.springframework.boot.loader.launch.JarLauncher", vec![jar.into()]).within(scratch);
    let run = run.option("-Xmx256m").argument(option("--spring.config.location=", service::properties()));
    run.command()
}

/// Asks for pages until it is over.
fn visits(port: u16, client: usize, over: &AtomicBool) {
    let pages = [format!("order/c{client}"), "receipt/600".into(), "coupon/none".into(), "count".into()];
    for page in pages.iter().cycle().take_while(|_| !over.load(Ordering::Relaxed)) {
        let (status, text) = service::get(port, page);
        assert_eq!(status, 200, "{page}: {text}");
    }
}
