//! `cargo xtask`: set-up, build, test, demo and checks, each a subcommand in a file of its own.
//!
//! Invariant: whatever fails, fails with one line that says what to do; nothing outside `target`
//! and the Gradle `build` folders is written, except by the system's package manager, and that only
//! for root on Debian, by `report` and `pictures`, and the report of a whole run of `bench` in
//! `docs`.

mod bench;
mod book;
mod build;
mod check;
mod corpus;
mod cpu;
mod demo;
mod dist;
mod download;
mod gradle;
mod jars;
mod jdk;
mod jdks;
mod jvms;
mod lanes;
mod leaks;
mod outcome;
mod pictures;
mod process;
mod programs;
mod readers;
mod report;
mod spent;
mod test;
mod tree;
mod wheels;
mod whole;

use std::process::ExitCode;

use outcome::Result;

const USAGE: &str = "\
usage: cargo xtask <command>

  build             set up what is missing, then build the agent, the decoder, the Java side and the programs of the tests
  demo [--jdk N]    run H2 under the agent, decode its log, write a report; N is 11, 17, 21 or 25 (default: the default JDK)
  test [FILTER]     check, build, and run every test (FILTER as for cargo test, without xtask's own)
  check             rustfmt, clippy, dependency directions, tidiness
  jdks              print the JDKs found and the JVMs of the test matrix
  corpus [ARGS]     rewrite the classes of the JDKs and of well-known jars, and link each (ARGS go to the runner)
  cpu [--jdk N]     the cpu source beside async-profiler, in the same run of six programs
  programs [ARGS]   real programs under the agent, each checked; writes docs/design/compatibility.md
  leaks             the leak detector beside JFR's OldObjectSample, on five services that leak and two that do not
  pictures          take the pictures of reports that the documents show
  report            build the page of `lucce-decode report`, which is committed
  book              build the guide as a book of HTML pages, and check its links
  dist [--try FILE] pack agent, decoder and jars for x86-64 and aarch64, with digests, as an archive and as wheels, try them, and follow the
                    quick start of the archive; --try only follows that of one that is packed; --maven FOLDER only puts the Maven
                    repository and the examples there, of jars that are built; FOLDER has a folder with agent and decoder
  bench [ARGS]      measure the overhead and the cost of one event (`bench help` lists ARGS)
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match args.as_slice() {
        ["build"] => build::run(),
        ["demo"] => demo::run(None),
        ["demo", "--jdk", version] => demo::run(Some(version)),
        ["test", filter @ ..] => test::run(filter),
        ["check"] => check::run(),
        ["jdks"] => jdks::run(),
        ["corpus", args @ ..] => corpus::run(args),
        ["programs", args @ ..] => programs::run(args),
        ["bench", args @ ..] => bench::run(args),
        ["pictures"] => pictures::run(),
        ["report"] => report::renew(),
        ["book"] => book::run(),
        ["dist"] => dist::run(),
        ["dist", "--try", archive] => dist::try_archive(archive.as_ref()),
        ["dist", "--maven", archive] => dist::for_build_tools(archive.as_ref()),
        ["leaks"] => leaks::run(),
        ["cpu"] => cpu::run(None),
        ["cpu", "--jdk", version] => cpu::run(Some(version)),
        [] | ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            Ok(())
        }
        _ => Err(format!("no such command: {} (`cargo xtask help` lists them)", args.join(" "))),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(line) => {
            eprintln!("xtask: {line}");
            ExitCode::FAILURE
        }
    }
}
