//! `cargo xtask build`: the Java side first, because the agent embeds the hooks class.

use std::path::PathBuf;

use crate::{Result, gradle, jars, process, tree, whole};

/// Builds the agent, the decoder, the hooks, the API jars and the programs of the tests, which the
/// guide runs, too.
///
/// # Errors
/// One line for the first step that failed.
pub fn run() -> Result<()> {
    jars::named(JUNIT)?;
    test_programs(&[":api:jar", ":jfr:jar", ":junit:jar"])?;
    native()?;
    for file in [
        tree::release("liblucce.so"),
        tree::release("lucce-decode"),
        tree::root().join(API_JAR),
        tree::root().join(JFR_JAR),
        tree::root().join(JUNIT_JAR),
    ] {
        println!("{}", tree::shown(&file));
    }
    Ok(())
}

/// The jar of the public API, below the root.
pub const API_JAR: &str = "java-shim/api/build/libs/lucce-api.jar";

/// The jar of the JFR event, likewise.
pub const JFR_JAR: &str = "java-shim/jfr/build/libs/lucce-jfr.jar";

/// The jar of budgets in tests, likewise.
pub const JUNIT_JAR: &str = "java-shim/junit/build/libs/lucce-junit.jar";

/// Compiles the hooks class and runs further Gradle tasks.
///
/// # Errors
/// As [`gradle::run`].
pub fn java(tasks: &[&str]) -> Result<()> {
    gradle::run(&[&[":hooks:classes"], tasks].concat())
}

/// The decoder's program.
pub const DECODER: &str = "lucce-decode";

/// The profile of what only tests need.
pub const TESTS: &str = "tests";

/// What budgets in tests are compiled against.
const JUNIT: &str = "junit-console";

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

/// Builds the agent that tests run, and nothing else; needs the hooks class.
///
/// # Errors
/// One line when cargo fails.
pub fn agent_of_tests() -> Result<()> {
    process::run(process::cargo().args(["build", "--profile", profile_of_agent(), "-p", "lucce-agent"]))
}

/// What that builds.
pub fn tested_agent() -> PathBuf {
    tree::target(profile_of_agent()).join("liblucce.so")
}

/// As it is shipped where the whole is tested, else in parts: linking it as one piece takes longer
/// than what can differ is worth each time.
fn profile_of_agent() -> &'static str {
    if whole::is_asked_for() { "release" } else { "parted" }
}

/// The agent's mechanisms of exactness can be switched off in what is built with this, for the
/// tests that show what each is for.
pub const FAULTS: [&str; 2] = ["--features", "lucce-agent/faults"];

/// Builds what tests take beside the agent as it is shipped, in one piece with the tests that are
/// built next: their own libraries, the example in Rust, the agent with [`FAULTS`], and the
/// decoder, which then looks at what it takes for granted.
///
/// # Errors
/// One line when cargo fails.
pub fn libraries_of_tests() -> Result<()> {
    let build = ["build", "--workspace", "--exclude", "xtask", "--profile", TESTS];
    process::run(process::cargo().args(build).args(["--lib", "--examples", "--bin", DECODER]).args(FAULTS))
}

/// An output of the tests' build; `liblucce.so` is the agent with [`FAULTS`].
pub fn of_tests(file: &str) -> PathBuf {
    tree::target(TESTS).join(file)
}
