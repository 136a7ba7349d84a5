//! `cargo xtask test`: everything that must hold before a change lands.

use std::ffi::OsString;
use std::path::PathBuf;
use std::{env, thread};

use crate::{Result, book, build, check, corpus, gradle, jars, jdk, jvms, process, readers, report, tree};

/// Checks, builds, and runs all tests; `filter` goes to `cargo test`, and skips the checks when it is not empty.
///
/// # Errors
/// One line for the first step that failed.
pub fn run(filter: &[&str]) -> Result<()> {
    if filter.is_empty() {
        check::run()?;
        // mdBook is pinned for this architecture alone.
        if cfg!(target_arch = "x86_64") {
            book::run()?;
        }
    }
    jvms::matrix().try_for_each(jvms::Runtime::fetch)?;
    jars::fetch_all()?;
    gradle::run(&["build"])?;
    build::native()?;
    build::agents_of_tests()?;
    if filter.is_empty() {
        corpus::sample()?;
    }
    // What only the decoder's tests need takes a while when it is not there.
    let decoder = filter.is_empty() || filter.iter().any(|word| is_of_decoder(word));
    let readers = decoder.then(readers::fetch).transpose()?;
    if decoder {
        report::check()?;
    }
    let place =
        |of: fn(&readers::Readers) -> &PathBuf| readers.as_ref().map_or_else(PathBuf::new, |all| of(all).clone());
    process::run(
        process::cargo()
            .args(["test", "--profile", build::TESTS, "--no-fail-fast"])
            .args(if names_package(filter) { &[][..] } else { &ALL })
            .args(filter)
            .env("RUST_TEST_THREADS", threads())
            .env("LUCCE_AGENT", tree::release("liblucce.so"))
            .env("LUCCE_FAULTY_AGENT", build::of_tests("liblucce.so"))
            .env("LUCCE_DECODE", tree::release("lucce-decode"))
            .env("LUCCE_JVMS", jvms::folder())
            .env("LUCCE_JARS", jars::folder())
            .env("LUCCE_JDK", jdk::default()?.home)
            .env("LUCCE_READERS", place(|readers| &readers.folder))
            .env("LUCCE_GO", place(|readers| &readers.go))
            .env("LUCCE_NODE", place(|readers| &readers.node))
            .env("LUCCE_CHROMIUM", place(|readers| &readers.chromium))
            .env("LUCCE_API_JAR", tree::root().join(build::API_JAR))
            .env("LUCCE_JFR_JAR", tree::root().join(build::JFR_JAR))
            .env("LUCCE_TEST_CLASSES", tree::root().join("jvm-tests/build/classes/java")),
    )
}

/// Every package, built as what was built before.
const ALL: [&str; 3] = ["--workspace", build::FAULTS[0], build::FAULTS[1]];

/// Does the caller say which packages?
fn names_package(filter: &[&str]) -> bool {
    filter.iter().any(|argument| argument.starts_with("-p") || argument.starts_with("--package"))
}

/// Does this part of a filter mean the decoder's tests?
fn is_of_decoder(word: &str) -> bool {
    ["decoder", "readers", "report"].iter().any(|name| word.contains(name))
}

/// How many tests run at once, unless the caller says: one more than there are cores, for much of a test's time is a JVM that waits.
fn threads() -> OsString {
    let usual = || thread::available_parallelism().map_or(2, |cores| cores.get() + 1).to_string().into();
    env::var_os("RUST_TEST_THREADS").unwrap_or_else(usual)
}
