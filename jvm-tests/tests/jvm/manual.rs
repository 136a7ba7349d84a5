//! The commands of README and guide work as they stand there, one document after the other in one
//! folder.
//!
//! Invariant: no command is left out but those of cargo, which run this test, and those for a
//! service (`service.rs`, `first_hour.rs`). Where a document shows what a command prints, each
//! frame in it is printed.
//! Source: README.md; docs/guide.

use std::fs;
use std::os::unix::fs::symlink;

use lucce_jvm_tests::manual::{commands, frames};
use lucce_jvm_tests::shell::{said, shell};
use lucce_jvm_tests::{Scratch, place};

/// What begins a block of commands.
const BEGINS: [&str; 4] = ["java ", "target/release/", "rm ", "cc "];

/// What commands read of the checkout.
const FOLDERS: [&str; 5] = ["docs", "embed", "examples", "java-shim", "jvm-tests"];

#[test]
fn the_commands_of_readme_and_guide_work() {
    let root = place().source("..");
    let jdk = &place().jdk;
    let scratch = Scratch::new("manual", 0);
    for folder in FOLDERS {
        symlink(root.join(folder), scratch.file(folder)).expect("a link");
    }
    // What `cargo xtask build` would have made, as the tests have it.
    let release = scratch.file("target/release");
    fs::create_dir_all(&release).expect("a folder");
    for built in [&place().agent, &place().decode] {
        symlink(built, release.join(built.file_name().expect("a file"))).expect("a link");
    }
    // Those that others go on with come first.
    let mut documents = vec!["README.md".to_owned(), "docs/guide/getting-started.md".into()];
    let chapters = fs::read_dir(root.join("docs/guide")).expect("the guide").flatten();
    let mut names: Vec<String> = chapters.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    let elsewhere = ["cookbook.md", "first-hour.md", "getting-started.md"];
    names.retain(|name| name.ends_with(".md") && !elsewhere.contains(&&**name));
    documents.extend(names.iter().map(|name| format!("docs/guide/{name}")));
    let mut typed = 0;
    for document in documents {
        for block in commands(&document, &BEGINS) {
            let commands = &block.commands;
            let mut shell = shell(commands, scratch.path(), &[jdk.join("bin")]);
            let (status, out, err) = said(shell.env("JAVA_HOME", jdk));
            assert_eq!(status, 0, "{document}: {commands}\n{out}\n{err}");
            // Two runs of other programs are compared there (`diff.rs`).
            let shown = if commands.contains("old.log") { "" } else { &block.shown };
            let printed = frames(&out, "");
            for frame in frames(shown, "") {
                assert!(printed.contains(&frame), "{document}: {commands} does not print {frame}:\n{out}");
            }
            typed += 1;
        }
        if document.ends_with("getting-started.md") {
            for name in ["old.log", "new.log"] {
                fs::copy(scratch.file("first.log"), scratch.file(name)).expect("a copy");
            }
        }
    }
    assert!(typed > 20, "{typed} blocks of commands");
}
