//! The commands of a document, and what it shows of their output.
//!
//! Invariant: a block without a language that begins with a command is one; a block that follows at
//! once is its output, in which a line `[...]` stands for others. Source: docs/guide.

use std::fs;

use crate::place;

/// Some lines to type in.
#[derive(Debug)]
pub struct Listing {
    /// The heading above them.
    pub heading: String,
    /// The lines.
    pub commands: String,
    /// What they print, as far as the document shows it; empty if it does not.
    pub shown: String,
}

/// The commands of a document of the project, of those that begin like one of these.
///
/// # Panics
/// When there is no such document.
pub fn commands(document: &str, begins: &[&str]) -> Vec<Listing> {
    let file = place().source("..").join(document);
    let text = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let mut blocks: Vec<Listing> = Vec::new();
    let (mut heading, mut open, mut follows) = (String::new(), None::<String>, false);
    // In a block with a language, which is none to type in.
    let mut is_foreign = false;
    for line in text.lines() {
        match (&mut open, line) {
            (None, "```") if is_foreign => is_foreign = false,
            (None, "```") => open = Some(String::new()),
            (None, _) => {
                is_foreign |= line.starts_with("```");
                follows = false;
                heading = line.strip_prefix("## ").filter(|_| !is_foreign).map_or(heading, str::to_owned);
            }
            (Some(text), "```") => {
                let text = std::mem::take(text);
                open = None;
                match blocks.last_mut() {
                    _ if begins.iter().any(|begin| text.starts_with(begin)) => {
                        blocks.push(Listing { heading: heading.clone(), commands: text, shown: String::new() });
                        follows = true;
                    }
                    Some(last) if follows => last.shown = text,
                    _ => {}
                }
            }
            (Some(text), line) => *text += &format!("{line}\n"),
        }
    }
    blocks
}

/// Which of the lines that are shown is not printed, in their order and whatever they count; `None`
/// if all are.
pub fn missing(shown: &str, printed: &str) -> Option<String> {
    let mut lines = shapes(printed).into_iter();
    shapes(shown).into_iter().find(|shape| !lines.any(|line| line == *shape))
}

/// The lines as they are whatever they count: numbers, units, folders, spaces and the notes of
/// frames are left out, and lines that stand for others.
fn shapes(lines: &str) -> Vec<String> {
    let is_number = |word: &str| word.contains(|c: char| c.is_ascii_digit());
    let is_unit = |word: &str| ["B", "KiB", "MiB", "GiB", "s", "ms", "%"].contains(&word.trim_end_matches(','));
    let shape = |line: &str| {
        let line = line.split(" via ").next().unwrap_or_default();
        let words = line.split_whitespace().map(|word| if word.starts_with('/') { "/" } else { word });
        words.filter(|word| !is_number(word) && !is_unit(word)).collect::<Vec<_>>().join(" ")
    };
    lines.lines().filter(|line| *line != "[...]").map(shape).filter(|shape| !shape.is_empty()).collect()
}

/// The frames in some lines whose classes begin like this, as they stand there without what comes
/// behind.
pub fn frames<'a>(lines: &'a str, begin: &str) -> Vec<&'a str> {
    let frame = |line: &'a str| {
        let (_, frame) = line.split_once("at ")?;
        let frame = frame.split_inclusive(')').next().filter(|frame| frame.ends_with(')'))?;
        Some(frame).filter(|frame| frame.starts_with(begin))
    };
    lines.lines().filter_map(frame).collect()
}
