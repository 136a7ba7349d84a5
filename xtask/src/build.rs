//! `cargo xtask build`: the Java side first, because the agent embeds the hooks class.

use std::path::{Path, PathBuf};

use crate::{Result, gradle, jars, process, tree};

/// Builds the agent, the decoder, the hooks, the API jars and the programs of the tests, which README runs, too.
///
/// # Errors
/// One line for the first step that failed.
pub fn run() -> Result<()> {
    test_programs(&[":api:jar", ":jfr:jar"])?;
    native()?;
    for file in [
        tree::release("liblucce.so"),
        tree::release("lucce-decode"),
        tree::root().join(API_JAR),
        tree::root().join(JFR_JAR),
    ] {
        println!("{}", tree::shown(&file));
    }
    Ok(())
}

/// The jar of the public API, below the root.
pub const API_JAR: &str = "java-shim/api/build/libs/lucce-api.jar";

/// The jar of the JFR event, likewise.
pub const JFR_JAR: &str = "java-shim/jfr/build/libs/lucce-jfr.jar";

/// Compiles the hooks class and runs further Gradle tasks.
///
/// # Errors
/// As [`gradle::run`].
pub fn java(tasks: &[&str]) -> Result<()> {
    gradle::run(&[&[":hooks:classes"], tasks].concat())
}

/// The profile of what only tests need.
pub const TESTS: &str = "tests";

/// What the programs of the tests need to be compiled: an agent beside them is made with it.
const ASM: &str = "asm-9.7.1";

/// Compiles the programs of the tests, with the hooks class, and runs further Gradle tasks.
///
/// # Errors
/// As [`jars::named`] and [`gradle::run`].
pub fn test_programs(tasks: &[&str]) -> Result<()> {
    jars::named(ASM)?;
    java(&[&[":jvm-tests:classes"], tasks].concat())
}

/// Builds the agent and the decoder; needs the hooks class.
///
/// # Errors
/// One line when cargo fails.
pub fn native() -> Result<()> {
    process::run(process::cargo().args(["build", "--release", "-p", "lucce-agent", "-p", "lucce-decoder"]))
}

/// Builds the agent whose mechanisms of exactness can be switched off, for the tests that show what each is for.
///
/// # Errors
/// One line when cargo fails.
pub fn faulty() -> Result<()> {
    with_faults(&["build", "-p", "lucce-agent"])
}

/// Tests that each of those switches takes its mechanism out of the rewritten code, and no other.
///
/// # Errors
/// One line when a test fails.
pub fn test_faults() -> Result<()> {
    with_faults(&["test", "-p", "lucce-classfile", "--test", "faults"])
}

/// Runs cargo with the switches built in, in a target folder of their own.
fn with_faults(command: &[&str]) -> Result<()> {
    let folder = faulty_agent().parent().and_then(Path::parent).map(Path::to_path_buf).unwrap_or_default();
    let options = ["--profile", TESTS, "--features", "faults", "--target-dir"];
    process::run(process::cargo().args(command).args(options).arg(folder))
}

/// Builds the native libraries that tests load into JVMs: the example in Rust, and those of the tests themselves, which `cargo test` builds
/// only if it is asked for nothing in particular.
///
/// # Errors
/// One line when cargo fails.
pub fn agents_of_tests() -> Result<()> {
    process::run(process::cargo().args(["build", "--release", "-p", "lucce-example"]))?;
    process::run(process::cargo().args(["build", "--workspace", "--profile", TESTS, "--examples"]))
}

/// What [`faulty`] builds.
pub fn faulty_agent() -> PathBuf {
    tree::release("").join("../faults").join(TESTS).join("liblucce.so")
}
