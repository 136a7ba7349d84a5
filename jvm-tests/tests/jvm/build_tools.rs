//! The plugins for Gradle and Maven: the three projects in `examples`, built and run as their
//! READMEs say.
//!
//! Invariant: what is Lucce's comes from the repository that `cargo xtask dist --maven` makes, and
//! from nowhere else. All other jars come from Maven Central, through folders below
//! `target/build-tools`, which later runs find there.
//! Source: docs/guide/build-tools.md; the READMEs of the examples.

use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::{env, process};

use lucce_jvm_tests::manual::commands;
use lucce_jvm_tests::shell::{said, shell};
use lucce_jvm_tests::{Scratch, decode, place};

/// What begins a block of commands.
const BEGINS: [&str; 3] = ["gradle ", "mvn ", "cp "];

/// A line that makes something, and the same with one object more.
const MAKES: [&str; 2] =
    ["StringBuilder text = new StringBuilder();", "StringBuilder text = new StringBuilder(new String(\"\"));"];

/// A build tool starts, works for some seconds, and ends.
const QUICK: &str = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

/// A folder that stays, so that what is fetched is fetched once.
fn kept(name: &str) -> PathBuf {
    place().jars.with_file_name("build-tools").join(name)
}

fn run(command: &mut Command) {
    let (status, out, err) = said(command);
    assert_eq!(status, 0, "{command:?}\n{out}{err}");
}

/// The folder with the repository, as it is in the archive, with the libraries of these tests.
fn archive() -> &'static Path {
    static ARCHIVE: OnceLock<PathBuf> = OnceLock::new();
    ARCHIVE.get_or_init(|| {
        let archive = kept("archive");
        let natives = archive.join(env::consts::ARCH);
        let _ = fs::remove_dir_all(&archive);
        fs::create_dir_all(&natives).expect("a folder");
        for native in [&place().agent, &place().decode] {
            symlink(native, natives.join(native.file_name().expect("a file"))).expect("a link");
        }
        let xtask = env::var_os("LUCCE_XTASK").expect("LUCCE_XTASK is not set: run cargo xtask test");
        run(Command::new(xtask).args(["dist", "--maven"]).arg(&archive));
        archive
    })
}

/// The jar `lucce-agent` of that repository.
pub fn agent_jar() -> PathBuf {
    let version = env!("CARGO_PKG_VERSION");
    archive().join(format!("maven/org/lucce/lucce-agent/{version}/lucce-agent-{version}.jar"))
}

/// An example as it lies in the archive, beside the repository.
struct Example {
    readme: String,
    folder: PathBuf,
    /// Where the build tool puts what it makes.
    made: &'static str,
    environment: Vec<(&'static str, OsString)>,
    /// Folders of programs.
    programs: Vec<PathBuf>,
    _scratch: Scratch,
    /// Maven 3 takes its local repository for its own.
    _alone: Option<MutexGuard<'static, ()>>,
}

impl Example {
    fn new(name: &str, made: &'static str) -> Self {
        let scratch = Scratch::new(name, 0);
        // As in many a home.
        let unpacked = scratch.file("a folder");
        let folder = unpacked.join("examples").join(name);
        fs::create_dir_all(unpacked.join("examples")).expect("a folder");
        symlink(archive().join("maven"), unpacked.join("maven")).expect("a link");
        run(Command::new("cp").arg("-r").arg(archive().join("examples").join(name)).arg(&folder));
        let readme = format!("examples/{name}/README.md");
        Self { readme, folder, made, environment: Vec::new(), programs: Vec::new(), _scratch: scratch, _alone: None }
    }

    fn with_gradle(name: &str) -> Self {
        let jdk = env::var_os("LUCCE_GRADLE_JDK").expect("LUCCE_GRADLE_JDK is not set: run cargo xtask test");
        let mut example = Self::new(name, "build");
        example.environment = vec![
            ("JAVA_HOME", jdk),
            ("GRADLE_USER_HOME", kept("gradle").into()),
            // No daemon outlives the test.
            ("GRADLE_OPTS", format!("-Dorg.gradle.daemon=false {QUICK}").into()),
        ];
        example
    }

    /// With a Maven of `jvm-tests/maven.txt`.
    fn with_maven(name: &str, maven: &str) -> Self {
        static ALONE: Mutex<()> = Mutex::new(());
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut example = Self::new(name, "target");
        let local = kept("m2");
        // One of an earlier repository.
        let _ = fs::remove_dir_all(local.join("org/lucce"));
        example.programs = vec![place().jdk.join("bin"), unpacked(maven).join("bin")];
        example.environment = vec![
            ("JAVA_HOME", place().jdk.clone().into()),
            ("MAVEN_OPTS", format!("-Dmaven.repo.local={} {QUICK}", local.display()).into()),
        ];
        example._alone = Some(alone);
        example
    }

    /// Types something in; whether that succeeds, and what is printed.
    fn type_in(&self, commands: &str) -> (bool, String) {
        let mut shell = shell(commands, &self.folder, &self.programs);
        let (status, out, err) = said(shell.envs(self.environment.iter().map(|(name, value)| (name, value))));
        (status == 0, out + &err)
    }

    /// Types in what the README says; what the last commands print.
    fn follow(&self) -> String {
        let blocks = commands(&self.readme, &BEGINS);
        assert_eq!(blocks.len(), 2, "{}", self.readme);
        let mut last = String::new();
        for block in blocks {
            let (success, text) = self.type_in(&block.commands);
            assert!(success, "{}: {}\n{text}", self.readme, block.commands);
            last = text;
        }
        last
    }

    fn built(&self, path: &str) -> PathBuf {
        self.folder.join(self.made).join(path)
    }

    /// What is in the only file of a folder that ends like this.
    fn only(&self, folder: &str, ending: &str) -> PathBuf {
        let files = fs::read_dir(self.built(folder)).unwrap_or_else(|e| panic!("{folder}: {e}"));
        let files: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
        let mut found = files.iter().filter(|file| file.to_string_lossy().ends_with(ending));
        let file = found.next().unwrap_or_else(|| panic!("no {ending} in {files:?}"));
        assert_eq!(found.next(), None, "{files:?}");
        file.clone()
    }

    /// Both ran under the agent, and are in reports.
    fn check(&self, results: &str, method: &str) {
        let test = fs::read_to_string(self.only(results, ".xml")).expect("a result");
        assert!(test.contains("skipped=\"0\"") && test.contains("failures=\"0\""), "{test}");
        for name in ["test", "run"] {
            let (status, top, said) = decode(&self.only(&format!("lucce/logs/{name}"), ".log"))
                .view_of("top", &["--kind", "alloc", "--include", "shop.*"]);
            assert!(status == 0 && top.contains(&format!("at shop.{method}(")), "{name}: {top}{said}");
            let report = self.built(&format!("reports/lucce/{name}.html"));
            assert!(fs::read_to_string(&report).is_ok_and(|html| html.contains("<html")), "{}", report.display());
        }
    }

    /// Makes one object more in a file; its line, counted from 1.
    fn spoil(&self, source: &str) -> usize {
        let file = self.folder.join("src/main/java/shop").join(source);
        let text = fs::read_to_string(&file).expect("a source");
        let line = 1 + text.lines().position(|line| line.contains(MAKES[0])).expect("the line");
        fs::write(&file, text.replace(MAKES[0], MAKES[1])).expect("written");
        line
    }
}

/// The home of a Maven.
fn unpacked(name: &str) -> PathBuf {
    let home = kept(name);
    if !home.join("bin/mvn").is_file() {
        let part = kept(&format!("{name}-{}", process::id()));
        fs::create_dir_all(&part).expect("a folder");
        let zip = place().jars.join(format!("{name}.zip"));
        run(Command::new(place().jdk_program("jar")).arg("--extract").arg("--file").arg(zip).current_dir(&part));
        let inside = fs::read_dir(&part).expect("a folder").flatten().next().expect("a folder").path();
        fs::set_permissions(inside.join("bin/mvn"), Permissions::from_mode(0o755)).expect("changed");
        fs::rename(&inside, &home).expect("moved");
        fs::remove_dir(part).expect("removed");
    }
    home
}

/// The project is built as its README says, where twice the same gives no difference. With one
/// object more its budget fails, and `command` fails; both name the line.
fn is_built(example: &Example, results: &str, command: &str) {
    let last = example.follow();
    assert!(last.contains("alloc: no difference"), "{last}");
    example.check(results, "Order.receipt");

    let line = example.spoil("Order.java");
    let (success, text) = example.type_in(command);
    assert!(!success, "{text}");
    let failure = fs::read_to_string(example.only(results, ".xml")).expect("a result");
    assert!(failure.contains("failures=\"1\""), "{failure}");
    let frame = format!("at shop.Order.receipt(Order.java:{line})");
    assert!(text.contains(&frame) && failure.contains(&frame), "{frame}\n{text}\n{failure}");
}

#[test]
fn the_gradle_example_is_built_as_its_readme_says() {
    let example = Example::with_gradle("gradle");
    is_built(&example, "test-results/test", "gradle --continue test lucceDiff -PlucceOld=kept.log");
}

#[test]
fn the_maven_example_is_built_as_its_readme_says() {
    for maven in ["maven-3", "maven-4"] {
        let example = Example::with_maven("maven", maven);
        let diff = "lucce:diff -Dlucce.old=kept.log '-Dlucce.failOn=alloc.count>+0'";
        is_built(&example, "surefire-reports", &format!("mvn -Dmaven.test.failure.ignore test {diff}"));
    }
}

#[test]
fn the_spring_boot_example_is_built_as_its_readme_says() {
    let example = Example::with_maven("spring-boot", "maven-3");
    let last = example.follow();
    assert!(last.contains("alloc: "), "{last}");
    example.check("surefire-reports", "Receipts.of");
}
