//! `cargo xtask corpus`: the class-file rewriter over every class of the JDKs at hand and of
//! well-known jars.
//!
//! The runner (`classfile/examples/corpus`) judges: identity gives the same bytes, each class links
//! under `-Xverify:all` exactly when it did before, and fewer than one method in 10 000 is skipped.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Result, build, jars, jdk, process, tree, whole};

const TABLE: &str = "xtask/corpus.txt";

/// How many classes a whole run has at least.
const CLASSES: &str = "100000";

/// What the tests look at: so many classes of the default JDK, and of each of these jars of theirs;
/// in a whole run more of them.
const SAMPLE: [&str; 2] = ["500", "5000"];
/// And so many with allocations and invocations counted.
const COUNTED: [&str; 2] = ["250", "2500"];
const SAMPLED: [&str; 4] = ["h2", "lucene-core", "groovy", "ecj"];

/// Runs each JDK's own modules on that JDK, then all jars of the table on the default one; `args`
/// go to the runner (`--alloc`, `--count`, `--guard`, `--sample N`).
///
/// # Errors
/// One line; the findings are above it.
pub fn run(args: &[&str]) -> Result<()> {
    let default = jdk::default()?;
    let table = jars::tables(&[TABLE])?;
    jars::fetch(table.values())?;
    let jdks = jdk::all();
    let features: Vec<String> = jdks.iter().map(|jdk| jdk.feature.to_string()).collect();
    println!("the modules of JDK {}, and {} jars on JDK {}", features.join(", "), table.len(), default.feature);
    let homes: Vec<&Path> = jdks.iter().map(|jdk| jdk.home.as_path()).collect();
    let jars: Vec<PathBuf> = table.values().map(jars::Jar::file).collect();
    let whole = !args.contains(&"--sample");
    let at_least: &[&str] = if whole { &["--at-least", CLASSES] } else { &[] };
    let mut cargo = process::cargo();
    cargo.args(["run", "--quiet", "--profile", build::TESTS, "-p", "lucce-classfile", "--example", "corpus", "--"]);
    judge(on(&mut cargo, &default, &homes, &jars).args(at_least).args(args))
}

/// Runs some thousand classes, evenly spread over those of the default JDK and of jars that the
/// tests have anyway, by the runner that was built with the tests ([`build::libraries_of_tests`]).
///
/// # Errors
/// As [`run`].
pub fn sample() -> Result<()> {
    let default = jdk::default()?;
    let jars = SAMPLED.into_iter().map(jars::named).collect::<Result<Vec<_>>>()?;
    println!("the rewriter, by a sample of what `cargo xtask corpus` runs");
    let runner = build::of_tests("examples/corpus");
    let run = |sample: &[&str]| {
        let mut runner = Command::new(&runner);
        judge(on(&mut runner, &default, &[&default.home], &jars).arg("--sample").args(sample))
    };
    let whole = usize::from(whole::is_asked_for());
    run(&[SAMPLE[whole]])?;
    run(&[COUNTED[whole], "--count"])
}

/// What the runner looks at.
fn on<'a>(runner: &'a mut Command, java: &jdk::Jdk, jdks: &[&Path], jars: &[PathBuf]) -> &'a mut Command {
    runner.arg("--work").arg(tree::cache().join("corpus")).arg("--java").arg(&java.home);
    for home in jdks {
        runner.arg("--jdk").arg(home);
    }
    runner.args(jars)
}

fn judge(runner: &mut Command) -> Result<()> {
    // The command line names all jars: not one line for people.
    process::run(runner).map_err(|_| "the rewriter's corpus run found something: see above".into())
}
