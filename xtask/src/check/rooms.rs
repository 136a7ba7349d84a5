//! Which room of the agent may use which: the table of ARCHITECTURE ("The agent, by room"), held against the imports.
//!
//! Invariant: a room uses itself and the rooms above it. `state/agent.rs` is the struct that holds all parts, so it alone names parts of rooms
//! below its own.

use std::collections::BTreeSet;
use std::fs;

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
const JOINTS: [&str; 2] = ["lib.rs", "state/agent.rs"];

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
            findings.extend(forbidden(
                &name,
                &fs::read_to_string(&file).map_err(|e| format!("cannot read {}: {e}", file.display()))?,
            ));
        }
    }
    super::report("the agent's rooms", findings)
}

/// What a file must not use.
fn forbidden(file: &str, text: &str) -> Vec<String> {
    let Some(own) = file.split_once('/').and_then(|(room, _)| place(room)) else {
        return vec![format!("agent/src/{file} is in no room")];
    };
    let below = used(text).into_iter().filter(|room| place(room).is_some_and(|place| place > own));
    below.map(|room| format!("agent/src/{file} must not use the room {room}")).collect()
}

fn place(room: &str) -> Option<usize> {
    ROOMS.iter().position(|known| *known == room)
}

/// The first steps of all paths from the crate's root, groups of imports included. Comments are left out.
fn used(text: &str) -> BTreeSet<&str> {
    let mut used = BTreeSet::new();
    for (at, _) in text.match_indices("crate::") {
        let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
        if !text[line..at].contains("//") {
            match text[at + "crate::".len()..].strip_prefix('{') {
                Some(group) => used.extend(items(group).into_iter().map(first)),
                None => drop(used.insert(first(&text[at + "crate::".len()..]))),
            }
        }
    }
    used
}

/// The items of a group, whose brace is open.
fn items(group: &str) -> Vec<&str> {
    let (mut depth, mut from, mut items) = (0, 0, Vec::new());
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => {
                items.push(&group[from..at]);
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                items.push(&group[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    items
}

/// The first name of a path.
fn first(path: &str) -> &str {
    let path = path.trim_start();
    path.split(|character: char| !character.is_ascii_alphanumeric() && character != '_').next().unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_room_below_is_forbidden_however_it_is_named() {
        let text = "use crate::events::sources::cpu;\nuse crate::{\n    support::lock, control::{report, socket},\n};\n\
                    // crate::lifecycle is only spoken of\nfn f() { crate::verify::oracle::f(); crate::jvm::g() }";
        let rooms = ["control", "events", "verify"];
        let expected: Vec<_> =
            rooms.iter().map(|room| format!("agent/src/stack/via.rs must not use the room {room}")).collect();
        assert_eq!(forbidden("stack/via.rs", text), expected);
    }

    #[test]
    fn a_file_stands_in_a_room() {
        assert_eq!(forbidden("stray.rs", ""), ["agent/src/stray.rs is in no room"]);
        assert_eq!(forbidden("cellar/x.rs", ""), ["agent/src/cellar/x.rs is in no room"]);
    }
}
