//! The quick start of a packed archive, as somebody follows it who has unpacked it and has a jar.
//!
//! Invariant: the commands are those of `QUICKSTART.md` in the archive, in one shell, in a folder
//! of its own without anything of the project.
//! Source: docs/QUICKSTART.md.

use std::fs;
use std::path::Path;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use crate::{Result, build, jdk, process, tree};

/// Below the root of the project, and what it is called in the archive.
pub const FILE: (&str, &str) = ("docs/QUICKSTART.md", "QUICKSTART.md");

/// The program of the tests that is the user's.
const MAIN: &str = "leaks.SessionCache";
/// A method of it that allocates most.
const HOT: &str = "leaks.Service.garbage(Service.java:";

/// Unpacks an archive, puts a jar there, and types in what its quick start says.
///
/// # Errors
/// One line: a command failed, or did not print what it should. What was printed stands above it.
pub fn follow(archive: &Path) -> Result<()> {
    let folder = std::env::temp_dir().join(format!("lucce-quick-start-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    let done = follow_in(archive, &folder);
    let _ = fs::remove_dir_all(&folder);
    done
}

fn follow_in(archive: &Path, folder: &Path) -> Result<()> {
    let unpack = ["--extract", "--gzip", "--strip-components=1", "--file"];
    process::run(process::command("tar").args(unpack).arg(archive).arg("--directory").arg(folder))?;
    let bin = jdk::default()?.home.join("bin");
    let classes = tree::root().join("jvm-tests/build/classes/java/main");
    if !classes.join("leaks/SessionCache.class").is_file() {
        build::test_programs(&[])?;
    }
    let mut jar = process::command(bin.join("jar"));
    process::run(jar.arg("-cfe").arg(folder.join("app.jar")).arg(MAIN).arg("-C").arg(&classes).arg("leaks"))?;

    let guide = folder.join(FILE.1);
    let text = fs::read_to_string(&guide).map_err(|e| format!("cannot read {}: {e}", guide.display()))?;
    let script = folder.join("quick-start.sh");
    let written = fs::write(&script, format!("set -eux\n{}", commands(&text).concat()));
    written.map_err(|e| format!("cannot write {}: {e}", script.display()))?;
    // Nothing of this process's: no variable leads back to the project.
    let mut shell = process::command("sh");
    shell.arg(script).current_dir(folder).env_clear();
    shell.env("HOME", folder).env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
    let printed = process::output(&mut shell)?;
    println!("{printed}");
    if !printed.contains(HOT) {
        return Err(format!("the quick start does not name {HOT}"));
    }
    let report = folder.join("app.html");
    if report.is_file() { Ok(()) } else { Err("the quick start has written no report".into()) }
}

/// The blocks of commands, in their order.
fn commands(text: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut within = false;
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => within = true,
            Event::End(TagEnd::CodeBlock) => within = false,
            Event::Text(line) if within => commands.push(line.into_string()),
            _ => {}
        }
    }
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_are_those_of_the_blocks() {
        let text = fs::read_to_string(tree::root().join(FILE.0)).unwrap();
        let commands = commands(&text);
        assert!(commands.len() >= 6 && commands[0] == "LUCCE=$PWD/$(uname -m)\n", "{commands:?}");
        assert!(commands.iter().any(|command| command.ends_with(" -jar app.jar\n")), "{commands:?}");
    }
}
