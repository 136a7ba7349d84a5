//! `cargo xtask test`: everything that must hold before a change lands.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::{env, thread};

use crate::lanes::{Times, step};
use crate::readers::Readers;
use crate::{Result, book, build, check, corpus, gradle, jars, jdk, jvms, process, readers, report, spent, tree};

/// Checks, builds, and runs all tests; `filter` goes to `cargo test`, and skips the checks when it
/// is not empty.
///
/// # Errors
/// One line for the first step that failed.
pub fn run(filter: &[&str]) -> Result<()> {
    spent::begin();
    let times = Times::default();
    let outcome = if filter.is_empty() { all(&times) } else { some(filter) };
    print!("{}", spent::lines());
    println!("{}", times.line());
    outcome
}

/// What the caller asks for.
fn some(filter: &[&str]) -> Result<()> {
    fetch()?;
    gradle::run(&["build"])?;
    build::agent_of_tests()?;
    build::libraries_of_tests()?;
    // What only the decoder's tests need takes a while when it is not there.
    let decoder = filter.iter().any(|word| is_of_decoder(word));
    let readers = decoder.then(readers::fetch).transpose()?;
    if decoder {
        report::check()?;
    }
    let mut test = cargo_test(readers.as_ref())?;
    process::run(test.args(if names_package(filter) { &[][..] } else { &ALL }).args(filter))
}

/// Everything. Few steps keep two processors at work: compilers wait for one crate, the release is
/// linked by one thread, and what fetches waits. So there are two lanes. Cargo locks the folder of
/// each profile, so each profile is built in one lane. JVMs take longest: first comes what they
/// need, and what they do not need runs beside them.
fn all(times: &Times) -> Result<()> {
    times.of("checks", check::without_compiler)?;
    times.of("hooks", check::hooks)?;
    times.beside([
        vec![
            step("libraries", build::libraries_of_tests),
            step("tests", || process::run(cargo_test(None)?.args(ALL).arg("--no-run"))),
        ],
        vec![
            step("fetch", fetch),
            step("gradle", || gradle::run(&["build"])),
            step("readers", || readers::fetch().map(drop)),
            step("agent", build::agent_of_tests),
        ],
    ])?;
    // They are there by now.
    let readers = readers::fetch()?;
    let test = |arguments: &'static [&'static str]| {
        let command = cargo_test(Some(&readers)).map(|mut test| {
            test.args(ALL).args(arguments);
            test
        });
        move || process::run(&mut command?)
    };
    // JVMs wait more than the others, and are the longer lane. The first steps beside them take no
    // lock of their profile, so they begin at once.
    times.beside([
        vec![step("JVMs", test(&JVMS))],
        vec![
            step("book", book_here),
            step("report", report::check),
            step("corpus", corpus::sample),
            step("crates", test(&["--exclude", "lucce-jvm-tests"])),
            // With the profile that it runs with, for which what it depends on is built.
            step("xtask", || process::run(process::cargo().args(["test", "--package", "xtask", "--bin", "xtask"]))),
            step("clippy", check::lints),
        ],
    ])
}

/// `cargo test` with what tests ask the environment for; without `readers` it can only build those
/// of the decoder.
fn cargo_test(readers: Option<&Readers>) -> Result<Command> {
    let place = |of: fn(&Readers) -> &PathBuf| readers.map_or_else(PathBuf::new, |all| of(all).clone());
    let mut test = process::cargo();
    test.args(["test", "--profile", build::TESTS, "--no-fail-fast"])
        .env("RUST_TEST_THREADS", threads())
        .env("LUCCE_AGENT", build::tested_agent())
        .env("LUCCE_FAULTY_AGENT", build::of_tests("liblucce.so"))
        .env("LUCCE_DECODE", build::of_tests(build::DECODER))
        .env("LUCCE_SPENT", spent::file())
        .env("LUCCE_JVMS", jvms::folder())
        .env("LUCCE_JARS", jars::folder())
        .env("LUCCE_JDK", jdk::default()?.home)
        .env("LUCCE_GRADLE_JDK", gradle::jdk()?.home)
        .env("LUCCE_XTASK", env::current_exe().unwrap_or_default())
        .env("LUCCE_READERS", place(|readers| &readers.folder))
        .env("LUCCE_GO", place(|readers| &readers.go))
        .env("LUCCE_NODE", place(|readers| &readers.node))
        .env("LUCCE_CHROMIUM", place(|readers| &readers.chromium))
        .env("LUCCE_API_JAR", tree::root().join(build::API_JAR))
        .env("LUCCE_JFR_JAR", tree::root().join(build::JFR_JAR))
        .env("LUCCE_JUNIT_JAR", tree::root().join(build::JUNIT_JAR))
        .env("LUCCE_TEST_CLASSES", tree::root().join("jvm-tests/build/classes/java"));
    Ok(test)
}

/// The JVMs and jars of the tests.
fn fetch() -> Result<()> {
    jvms::matrix().try_for_each(jvms::Runtime::fetch)?;
    jars::fetch_all()
}

/// The book, where mdBook is pinned for this architecture.
fn book_here() -> Result<()> {
    if cfg!(target_arch = "x86_64") { book::run() } else { Ok(()) }
}

/// Every package but xtask, built as what was built before.
const ALL: [&str; 5] = ["--workspace", "--exclude", "xtask", build::FAULTS[0], build::FAULTS[1]];

/// The tests of the package `lucce-jvm-tests`, chosen so that its dependencies are built as for all
/// packages.
const JVMS: [&str; 4] = ["--test", "jvm", "--test", "programs"];

/// Does the caller say which packages?
fn names_package(filter: &[&str]) -> bool {
    filter.iter().any(|argument| argument.starts_with("-p") || argument.starts_with("--package"))
}

/// Does this part of a filter mean the decoder's tests?
fn is_of_decoder(word: &str) -> bool {
    ["decoder", "readers", "report"].iter().any(|name| word.contains(name))
}

/// How many tests run at once, unless the caller says: two more than there are cores, for much of a
/// test's time is a JVM that waits.
fn threads() -> OsString {
    let usual = || thread::available_parallelism().map_or(2, |cores| cores.get() + 2).to_string().into();
    env::var_os("RUST_TEST_THREADS").unwrap_or_else(usual)
}
