//! The report as sections, each with the line that says how it was made: a run replaces those that
//! it has made, and keeps the others.
//!
//! So what costs minutes (replays) and what costs hours (runs in a row on a quiet machine) are
//! renewed apart.
//! Invariant: sections stand in the order of [`ORDER`], each once; nothing else is in the file but
//! the head.

use std::collections::BTreeMap;

/// The titles.
pub const ORDER: [&str; 8] = [
    "All encoders",
    "The traces of the encoders",
    "Lucce",
    "DACCE",
    "The traces of the profiles",
    "ACCT",
    "HCCT",
    super::profilers::TITLE,
];

const HEAD: &str = "# Published systems, beside ours\n\n\
    A trace of each program is recorded once with `encoder=cct,trace=<file>` and replayed through all that is compared.\n\
    So all see the same calls. Counts and paths are exact at any load of the machine; times are not.\n\
    The paper's values stand beside ours. Each section says how it was made.\n";

/// Sections by title; each body begins below its heading.
pub type Sections = BTreeMap<&'static str, String>;

/// The document that `before` becomes with these sections.
pub fn merged(before: &str, mut new: Sections) -> String {
    let mut text = HEAD.to_owned();
    for title in ORDER {
        let body = new.remove(title).or_else(|| section(before, title));
        if let Some(body) = body {
            text += &format!("\n## {title}\n\n{}\n", body.trim());
        }
    }
    text
}

/// The body of a section that is there.
fn section(text: &str, title: &str) -> Option<String> {
    let heading = format!("\n## {title}\n");
    let start = text.find(&heading)? + heading.len();
    let end = text[start..].find("\n## ").map_or(text.len(), |end| start + end);
    Some(text[start..end].into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_replaces_its_own_sections_and_keeps_the_others() {
        let first =
            merged("", Sections::from([("HCCT", "one\n".into()), ("All encoders", "two\n\n### Part\n\nx".into())]));
        assert!(
            first.starts_with(HEAD) && first.ends_with("\n## All encoders\n\ntwo\n\n### Part\n\nx\n\n## HCCT\n\none\n")
        );
        let second = merged(&first, Sections::from([("HCCT", "three".into()), ("ACCT", "four".into())]));
        assert_eq!(second, first.replace("## HCCT\n\none\n", "## ACCT\n\nfour\n\n## HCCT\n\nthree\n"));
        assert_eq!(merged(&second, Sections::new()), second);
    }
}
