//! Which crate may know which: the table of ARCHITECTURE ("Crates, lowest first"), held against
//! `cargo tree`.

use crate::{Result, process};

/// Each crate with the crates of the workspace that it may depend on, however indirectly.
const MAY_KNOW: [(&str, &[&str]); 13] = [
    ("lucce-words", &[]),
    ("lucce-locks", &[]),
    ("lucce-profiles", &["lucce-words"]),
    ("lucce-classfile", &["lucce-words"]),
    ("lucce-encoding", &["lucce-words"]),
    ("lucce-hook-tables", &["lucce-words", "lucce-locks"]),
    ("lucce-log", &["lucce-words"]),
    ("lucce-log-writer", &["lucce-words", "lucce-locks", "lucce-log"]),
    ("lucce-decoder", &["lucce-words", "lucce-encoding", "lucce-profiles", "lucce-log"]),
    ("lucce-embed", &[]),
    ("lucce-leaks", &["lucce-embed"]),
    ("lucce-example", &["lucce-embed"]),
    (
        "lucce-agent",
        &[
            "lucce-words",
            "lucce-locks",
            "lucce-classfile",
            "lucce-encoding",
            "lucce-profiles",
            "lucce-hook-tables",
            "lucce-log",
            "lucce-log-writer",
            "lucce-embed",
            "lucce-leaks",
        ],
    ),
];

/// Crates that know the JVM: the agent, and the leak detector, which might be an agent of its own.
const AGENTS: [&str; 2] = ["lucce-agent", "lucce-leaks"];

/// All others do not.
const JVM: [&str; 2] = ["jni", "jvmti"];

/// Compares the table with what cargo resolves.
///
/// # Errors
/// One line; each forbidden dependency is printed.
pub fn run() -> Result<()> {
    let mut findings = Vec::new();
    for (name, may) in MAY_KNOW {
        let tree = process::output(process::cargo().args([
            "tree",
            "-p",
            name,
            "-e",
            "normal,build",
            "--prefix",
            "none",
            "--format",
            "{p}",
        ]))?;
        findings
            .extend(forbidden(name, may, &tree).map(|dependency| format!("{name} must not depend on {dependency}")));
    }
    super::report("dependency directions", findings)
}

/// What of a crate's tree (a line each, the name first) it must not depend on.
fn forbidden<'t>(name: &str, may: &[&str], tree: &'t str) -> impl Iterator<Item = &'t str> {
    tree.lines().filter_map(|line| line.split(' ').next()).filter(move |&dependency| {
        let ours = dependency.starts_with("lucce-") && dependency != name && !may.contains(&dependency);
        let jvm = !AGENTS.contains(&name)
            && JVM.iter().any(|jvm| dependency == *jvm || dependency.starts_with(&format!("{jvm}-")));
        ours || jvm
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_above_and_a_crate_of_the_jvm_are_forbidden() {
        let tree = "lucce-log v0.1.0 (/x)\nlucce-words v0.1.0\nlucce-encoding v0.1.0\njvmti-bindings v3\nzstd v0.13";
        let found: Vec<_> = forbidden("lucce-log", &["lucce-words"], tree).collect();
        assert_eq!(found, ["lucce-encoding", "jvmti-bindings"]);
    }
}
