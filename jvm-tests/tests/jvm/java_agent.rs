//! The jar `lucce-agent`: a Java agent, a program that prints where the library is, and a program
//! that runs the decoder.
//!
//! Invariant: it records what an agent that was attached records, and leaves no file behind. Where
//! another user could have put a file in place of ours, it says so in one line, and the program
//! runs without it.
//! Source: docs/guide/install.md.

use std::fs::{self, DirBuilder, Permissions};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::build_tools::agent_jar;
use lucce_jvm_tests::shell::{said, without_options};
use lucce_jvm_tests::{Jvm, Outcome, Run, Scratch, decode, option, place};

/// The jar as `cargo xtask dist` makes it, with the libraries of these tests, and a folder for
/// temporary files.
struct Packed {
    scratch: Scratch,
    jar: PathBuf,
    temporary: PathBuf,
}

/// The jar, in that folder.
pub fn pack(scratch: &Scratch) -> PathBuf {
    let jar = scratch.file("lucce-agent.jar");
    fs::copy(agent_jar(), &jar).expect("copied");
    jar
}

impl Packed {
    fn new(name: &str) -> Self {
        let scratch = Scratch::new(name, 0);
        let (jar, temporary) = (pack(&scratch), scratch.file("tmp"));
        fs::create_dir(&temporary).expect("a folder");
        Self { scratch, jar, temporary }
    }

    /// Runs a program that allocates under the Java agent, or without.
    fn run(&self, jvm: &Jvm, options: Option<&str>) -> Outcome {
        let run = Run::target(jvm, "leaks.SessionCache").within(&self.scratch).option(self.temporary());
        let agent = options.map(|options| {
            let mut agent = option("-javaagent:", self.jar.clone());
            agent.push(format!("={options}"));
            agent
        });
        agent.into_iter().fold(run, Run::option).go()
    }

    fn temporary(&self) -> std::ffi::OsString {
        option("-Djava.io.tmpdir=", self.temporary.clone())
    }

    /// `java -jar` with these arguments: status, output, complaints.
    fn program(&self, jvm: &Jvm, arguments: &[&str]) -> (i32, String, String) {
        let mut command = Command::new(&jvm.java);
        command.arg(self.temporary()).arg("-jar").arg(&self.jar).args(arguments).current_dir(self.scratch.path());
        said(without_options(&mut command))
    }

    fn leftovers(&self) -> Vec<PathBuf> {
        fs::read_dir(&self.temporary).expect("a folder").map(|entry| entry.expect("an entry").path()).collect()
    }
}

/// The one line of the agent's.
fn line(outcome: &Outcome) -> &str {
    let said = outcome.said();
    assert_eq!(said.len(), 1, "{outcome}");
    said[0]
}

#[test]
fn a_java_agent_records_as_an_attached_one_and_leaves_no_file() {
    let packed = Packed::new("java-agent");
    for jvm in Jvm::all() {
        let plain = packed.run(&jvm, None);
        let log = packed.scratch.file(&format!("{}.log", jvm.feature));
        let options = format!("file={},alloc=64k,leaks=64k,locks,verify=1,quiet", log.display());
        let outcome = packed.run(&jvm, Some(&options));
        assert!(outcome.success() && outcome.stdout == plain.stdout, "on {}:\n{outcome}", jvm.feature);
        let counters = decode(&log).counters();
        assert!(counters.complete() && counters.checks() > 100, "on {}: {counters}", jvm.feature);
        let wrong = (counters.mismatches(), counters.lost(), counters.counter("panics"));
        assert_eq!(wrong, (0, 0, 0), "on {}: {counters}", jvm.feature);
        let events = decode(&log).events();
        let of_main = |frame: &serde_json::Value| frame["class"] == "leaks.SessionCache" && frame["method"] == "main";
        let below_main =
            events.iter().filter(|event| event["frames"].as_array().is_some_and(|all| all.iter().any(of_main)));
        assert!(below_main.count() > 20, "on {}: {counters}", jvm.feature);
        assert_eq!(packed.leftovers(), Vec::<PathBuf>::new());
    }
}

#[test]
fn what_a_java_agent_cannot_do_is_one_line_and_the_program_runs() {
    let packed = Packed::new("java-agent-refused");
    for jvm in [11, 25].into_iter().filter_map(Jvm::of) {
        let plain = packed.run(&jvm, None);
        let refused = |options: &str, why: &str| {
            let outcome = packed.run(&jvm, Some(options));
            assert!(outcome.success() && outcome.stdout == plain.stdout, "{options}: {outcome}");
            assert!(line(&outcome).contains(why), "{options}: {outcome}");
            assert_eq!(packed.leftovers(), Vec::<PathBuf>::new());
        };
        refused("exceptions", "exceptions must be there when the JVM starts");
        refused("alloc=all", "option 'hooks=off' rewrites no class, so it does not go with 'alloc=all'");
        fs::set_permissions(&packed.temporary, Permissions::from_mode(0o777)).expect("changed");
        refused("alloc=64k", "other users can rename what is in ");
        fs::set_permissions(&packed.temporary, Permissions::from_mode(0o755)).expect("changed");

        let mut agent = option("-javaagent:", packed.jar.clone());
        agent.push("=alloc=64k");
        let both = Run::hazard(&jvm, "Thrown").argument("30").within(&packed.scratch).option(packed.temporary());
        let outcome = both.option(agent).agent("exceptions,verify=1,quiet").go();
        assert!(outcome.success(), "{outcome}");
        let refused = |line: &&str| line.contains("another copy of liblucce.so is at work in this JVM");
        assert_eq!(outcome.said().iter().filter(|line| refused(line)).count(), 1, "{outcome}");
        outcome.verified();
    }
}

#[test]
fn the_path_is_of_a_library_that_no_other_user_can_have_put_there() {
    let packed = Packed::new("java-agent-path");
    let Some(jvm) = Jvm::of(17) else { return };
    let user = fs::metadata(&packed.temporary).expect("it is there").uid();
    let own = packed.temporary.join(format!("lucce-{user}"));
    let refused = || {
        let (status, out, said) = packed.program(&jvm, &["path"]);
        assert_eq!((status, &*out, said.lines().count()), (2, "", 1), "{said}");
        assert!(said.starts_with(&format!("lucce: {} is no folder of this user's alone", own.display())), "{said}");
    };
    let elsewhere = packed.scratch.file("elsewhere");
    DirBuilder::new().mode(0o700).create(&elsewhere).expect("a folder");
    symlink(&elsewhere, &own).expect("a link");
    refused();
    assert_eq!(fs::read_dir(&elsewhere).expect("a folder").count(), 0);
    fs::remove_file(&own).expect("removed");
    DirBuilder::new().mode(0o755).create(&own).expect("a folder");
    refused();
    fs::set_permissions(&own, Permissions::from_mode(0o700)).expect("changed");
    if user == 0 {
        chown(&own, Some(65534), None).expect("changed");
        refused();
        chown(&own, Some(0), None).expect("changed");
    }

    let path = || {
        let (status, out, said) = packed.program(&jvm, &["path"]);
        assert_eq!((status, &*said), (0, ""), "{out}");
        PathBuf::from(out.trim_end())
    };
    let library = path();
    let same = |library: &Path| fs::read(library).expect("read") == fs::read(&place().agent).expect("read");
    assert!(library.starts_with(&own) && same(&library), "{}", library.display());
    let inode = fs::metadata(&library).expect("it is there").ino();
    assert_eq!((path(), fs::metadata(&library).expect("it is there").ino()), (library.clone(), inode));
    // One that was cut, and a link to it.
    fs::write(&library, "cut").expect("written");
    assert!(path() == library && same(&library));
    fs::remove_file(&library).and_then(|()| symlink(&place().decode, &library)).expect("a link");
    assert!(path() == library && same(&library));
    assert!(!fs::symlink_metadata(&library).expect("it is there").is_symlink());

    let outcome = Run::hazard(&jvm, "Thrown").argument("30").within(&packed.scratch);
    let outcome = outcome.agent_from(&library, "exceptions,verify=1,quiet").go();
    assert!(outcome.success(), "{outcome}");
    outcome.verified();
}

#[test]
fn its_decoder_ends_as_the_decoder_does_and_leaves_no_file() {
    let packed = Packed::new("java-agent-decoder");
    let Some(jvm) = Jvm::of(21) else { return };
    let (status, version, said) = packed.program(&jvm, &["--version"]);
    assert_eq!((status, version.starts_with("lucce-decode "), &*said), (0, true, ""), "{version}");
    let (status, _, said) = packed.program(&jvm, &["top", "/nowhere"]);
    let own = Command::new(&place().decode).args(["top", "/nowhere"]).output().expect("it runs");
    assert_eq!((status, said), (own.status.code().expect("a code"), String::from_utf8_lossy(&own.stderr).into_owned()));
    let (status, _, said) = packed.program(&jvm, &[]);
    assert_eq!((status, said.starts_with("usage: ")), (2, true), "{said}");
    assert_eq!(packed.leftovers(), Vec::<PathBuf>::new());
}
