//! Which room of the agent may use which: the table of ARCHITECTURE ("The agent, by room"), held
//! against the imports.
//!
//! Invariant: a room uses itself and the rooms above it. `state/agent.rs` is the struct that holds
//! all parts, so it names parts of rooms below its own, and so does the registry of encoders and
//! event sources.

use std::collections::BTreeSet;
use std::fs;

use super::imports::{Imports, Path, Tests};
use crate::{Result, tree};

/// The rooms, the one that uses none first.
const ROOMS: [&str; 12] = [
    "support",
    "options",
    "jvm",
    "state",
    "stack",
    "rewrite",
    "encode",
    "verify",
    "events",
    "control",
    "lifecycle",
    "entry_points",
];

/// What joins the rooms: it may use all.
const JOINTS: [&str; 3] = ["lib.rs", "registry.rs", "state/agent.rs"];

/// Compares the table with the agent's imports.
///
/// # Errors
/// One line; each forbidden import is printed, and each file that is in no room.
pub fn run() -> Result<()> {
    let root = tree::root().join("agent/src");
    let mut findings = Vec::new();
    for file in super::tidy::sources(&root, "rs") {
        let name = file.strip_prefix(&root).unwrap_or(&file).to_string_lossy().into_owned();
        if !JOINTS.contains(&name.as_str()) {
            let text = fs::read_to_string(&file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
            findings.extend(forbidden(&name, &text).map_err(|e| format!("{}: {e}", file.display()))?);
        }
    }
    super::report("the agent's rooms", findings)
}

/// What a file must not use.
fn forbidden(file: &str, text: &str) -> Result<Vec<String>> {
    let Some(own) = file.split_once('/').and_then(|(room, _)| place(room)) else {
        return Ok(vec![format!("agent/src/{file} is in no room")]);
    };
    let imports = Imports::of(text, Tests::Count)?;
    let used: BTreeSet<&str> = imports.all().filter_map(room).collect();
    let below = used.into_iter().filter(|room| place(room).is_some_and(|place| place > own));
    Ok(below.map(|room| format!("agent/src/{file} must not use the room {room}")).collect())
}

/// The room into which a path leads from the root.
fn room(path: &Path) -> Option<&str> {
    match path.names.as_slice() {
        [root, room, ..] if root == "crate" => Some(room),
        _ => None,
    }
}

fn place(room: &str) -> Option<usize> {
    ROOMS.iter().position(|known| *known == room)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_room_below_is_forbidden_however_it_is_named() {
        let text = "use crate::events::sources::cpu;\n\
                    use crate::{\n    support::lock, control::{report, socket},\n};\n\
                    fn f() { crate::verify::oracle::f(); crate::jvm::g() } // crate::lifecycle is only spoken of";
        let rooms = ["control", "events", "verify"];
        let expected: Vec<_> = rooms
            .iter()
            .map(|room| format!("agent/src/stack/skipped_frames.rs must not use the room {room}"))
            .collect();
        assert_eq!(forbidden("stack/skipped_frames.rs", text), Ok(expected));
    }

    #[test]
    fn a_file_stands_in_a_room() {
        assert_eq!(forbidden("stray.rs", ""), Ok(vec!["agent/src/stray.rs is in no room".into()]));
        assert_eq!(forbidden("cellar/x.rs", ""), Ok(vec!["agent/src/cellar/x.rs is in no room".into()]));
    }
}
