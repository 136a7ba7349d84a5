//! The toy encoder and the toy event source of `examples/`: an agent with both is the agent's own
//! sources, two folders, and what these say of themselves: a line of the registry, and Rust's line
//! for the module.
//!
//! Invariant: no other file of the agent is changed for them, and what they tell is what the JVM
//! says. The nightly run builds that agent (`LUCCE_WHOLE=1`), into the folder of the tests' build,
//! which has all that the agent depends on.
//! Source: CONTRIBUTING ("Add an encoder", "Add an event source").

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, os::unix::fs::symlink};

use lucce_jvm_tests::{Jvm, Run, Scratch, decode, place, turn};

/// A toy: its folder in `examples`, where it goes, and what is said of it.
struct Toy {
    example: &'static str,
    folder: &'static str,
    /// The file that names the module, how, and the line before.
    module: (&'static str, &'static str, &'static str),
    /// The line of the registry, and the one before.
    line: (&'static str, &'static str),
}

const TOYS: [Toy; 2] = [
    Toy {
        example: "toy-encoder",
        folder: "encode/toy",
        module: ("encode/mod.rs", "pub mod toy;", "pub mod pcc;"),
        line: ("Toy \"toy\" Asking [contexts] crate::encode::toy::Toy;", "Count \"count\" Counting"),
    },
    Toy {
        example: "toy-source",
        folder: "events/sources/waits",
        module: ("events/sources.rs", "mod waits;", "mod place;"),
        line: ("Waits \"waits\" [\"wait\"] by crate::events::sources::waits::Waits;", "Leaks \"leaks\""),
    },
];

/// What the checkout has of its own; all else beside the agent is a link.
const OWN: [&str; 4] = ["agent", "Cargo.toml", "Cargo.lock", "target"];

/// A checkout of the agent alone, with the toys.
struct Checkout {
    root: PathBuf,
    written: BTreeSet<PathBuf>,
}

impl Checkout {
    /// Writes a file that is not there as such; what is has not changed for cargo.
    fn write(&mut self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("the folder can be made");
        if fs::read_to_string(&path).ok().as_deref() != Some(text) {
            fs::write(&path, text).expect("the file can be written");
        }
        self.written.insert(path);
    }

    /// Copies a file, or a folder.
    fn copy(&mut self, from: &Path, to: &str) {
        if from.is_dir() {
            for entry in fs::read_dir(from).expect("a folder of the sources") {
                let entry = entry.expect("one of its files");
                self.copy(&entry.path(), &format!("{to}/{}", entry.file_name().to_string_lossy()));
            }
        } else {
            self.write(to, &read(from));
        }
    }

    /// Puts a line behind the one that begins or goes on like this.
    fn add(&mut self, path: &str, line: &str, behind: &str) {
        let text = read(&self.root.join(path));
        let lines = text.lines().flat_map(|known| {
            let added = known.trim_start().starts_with(behind).then_some(line);
            [Some(known), added].into_iter().flatten()
        });
        let text: String = lines.map(|line| format!("{line}\n")).collect();
        assert_eq!(text.matches(line).count(), 1, "{path} has no place for {line}");
        self.write(path, &text);
    }

    /// Takes away what an earlier run has left.
    fn tidy(&self, folder: &Path) {
        for entry in fs::read_dir(folder).expect("a folder of the sources") {
            let path = entry.expect("one of its files").path();
            if path.is_dir() {
                self.tidy(&path);
            } else if !self.written.contains(&path) {
                fs::remove_file(&path).expect("a file of our own");
            }
        }
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()))
}

/// Builds the agent with the toys; where it is.
fn build() -> PathBuf {
    let root = place().source("..").canonicalize().expect("the checkout");
    let profile = place().faulty_agent.parent().expect("a file of a build").to_path_buf();
    let target = profile.parent().expect("the folder of all builds").to_path_buf();
    let mut checkout = Checkout { root: target.join("toys"), written: BTreeSet::new() };
    fs::create_dir_all(&checkout.root).expect("the folder can be made");
    let beside = fs::read_dir(&root).expect("it is listed").filter_map(Result::ok).map(|entry| entry.file_name());
    for name in beside.filter(|name| OWN.iter().all(|own| name != own) && !name.as_encoded_bytes().starts_with(b".")) {
        let link = checkout.root.join(&name);
        let _ = fs::remove_file(&link);
        symlink(root.join(&name), link).expect("a link");
    }
    // One package, whose library has a name of its own, for the folder of the build has the agent's
    // as well. It runs too shortly to be optimised.
    let manifest = read(&root.join("Cargo.toml"));
    let members = |line: &&str| !line.starts_with("members") && !line.starts_with("default-members");
    let manifest: Vec<&str> = manifest.lines().filter(members).collect();
    let manifest = manifest.join("\n").replace("[workspace]\n", "[workspace]\nmembers = [\"agent\"]\n");
    let name = profile.file_name().expect("a profile").to_string_lossy();
    let manifest = format!("{manifest}\n[profile.{name}.package.lucce-toys]\nopt-level = 0\n");
    checkout.write("Cargo.toml", &manifest);
    let named = |text: String| {
        text.replace("\"lucce-agent\"", "\"lucce-toys\"").replace("name = \"lucce\"", "name = \"lucce_toys\"")
    };
    if !checkout.root.join("Cargo.lock").exists() {
        fs::write(checkout.root.join("Cargo.lock"), named(read(&root.join("Cargo.lock")))).expect("a lock file");
    }
    checkout.write("agent/Cargo.toml", &named(read(&root.join("agent/Cargo.toml"))));
    checkout.copy(&root.join("agent/build.rs"), "agent/build.rs");
    let mut sources = Checkout { root: checkout.root.join("fresh"), written: BTreeSet::new() };
    sources.copy(&root.join("agent/src"), "src");
    for Toy { example, folder, module: (file, module, behind), line: (line, before) } in TOYS {
        sources.copy(&root.join("examples").join(example), &format!("src/{folder}"));
        sources.add(&format!("src/{file}"), module, behind);
        sources.add("src/registry.rs", &format!("            {line}"), before);
    }
    checkout.copy(&sources.root.join("src"), "agent/src");
    fs::remove_dir_all(&sources.root).expect("a folder of our own");
    checkout.tidy(&checkout.root.join("agent"));
    let mut cargo = Command::new(env::var_os("CARGO").expect("cargo runs the tests"));
    cargo.args(["build", "--offline", "--quiet", "--profile", &name]);
    cargo.args(["--package", "lucce-toys", "--features", "faults", "--target-dir"]).arg(&target);
    let status = cargo.current_dir(&checkout.root).status().expect("cargo starts");
    assert!(status.success(), "{cargo:?} fails");
    profile.join("liblucce_toys.so")
}

/// The frames of each wait that the log has.
fn waits(log: &Path) -> Vec<(u64, String, Vec<String>)> {
    let events = decode(log).events();
    let waits = events.iter().filter(|event| event["kind"] == "wait");
    let frame = |frame: &serde_json::Value| {
        format!(
            "{}.{}:{}",
            frame["class"].as_str().unwrap_or(""),
            frame["method"].as_str().unwrap_or(""),
            frame["line"]
        )
    };
    let wait = |event: &serde_json::Value| {
        let frames = event["frames"].as_array().expect("a list").iter().filter(|frame| frame["walked"] != true);
        let class = event["class"].as_str().unwrap_or("").to_owned();
        (event["value"].as_u64().unwrap_or(0), class, frames.map(frame).collect())
    };
    waits.map(wait).collect()
}

#[test]
fn a_toy_encoder_and_a_toy_source_are_a_folder_and_a_line_each() {
    if !turn::is_whole() {
        return;
    }
    let Some(jvm) = Jvm::of(21) else { return };
    let (agent, scratch) = (build(), Scratch::new("toys", 21));
    let program = place().source("../examples/java/Waiting.java");
    let mut javac = Command::new(place().jdk_program("javac"));
    javac.args(["--release", "11", "-d"]).arg(scratch.path()).arg(program);
    assert!(javac.status().is_ok_and(|status| status.success()), "{javac:?} fails");
    let expected = |value: u64, callers: &[&str]| {
        let frames = [&["Waiting.pause:7"], callers].concat();
        (value, "java.lang.Object".to_owned(), frames.into_iter().map(str::to_owned).collect::<Vec<_>>())
    };
    let expected = [
        expected(1, &["Waiting.main:18"]),
        expected(2, &["Waiting.deep:12", "Waiting.deep:13", "Waiting.deep:13", "Waiting.main:19"]),
        expected(2, &["Waiting.deep:12", "Waiting.main:20"]),
    ];
    for encoder in ["toy", "lucce"] {
        let options = format!("encoder={encoder},waits,verify=1");
        let run = Run::new(&jvm, "Waiting", vec![scratch.path().into()]).within(&scratch);
        let outcome = run.agent_from(&agent, &options).go();
        assert!(outcome.success() && outcome.stdout == "waited\n", "{outcome}");
        let counters = outcome.verified();
        assert_eq!((counters.counter("waits.events"), counters.counter("panics")), (3, 0), "{counters}");
        assert_eq!(waits(outcome.log()), expected, "{encoder}: {outcome}");
    }
}
