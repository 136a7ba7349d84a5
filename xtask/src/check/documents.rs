//! The documents for users: their links lead somewhere, the guide lists its chapters, and the sentences are short.
//!
//! Invariant: in each checked document a sentence has at most [`MOST`] words, and [`MEAN`] on average. Tables, headings and
//! code do not count. The README has at most [`LINES`] lines and [`BYTES`] bytes. Source: CommonMark; mdBook's `SUMMARY.md`.

use std::fs;
use std::path::{Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::{Result, tree};

/// The chapters, one folder.
pub const GUIDE: &str = "docs/guide";

/// Documents beside the guide that are checked as well.
const OTHERS: [&str; 4] = ["README.md", "docs/QUICKSTART.md", "CONTRIBUTING.md", "SECURITY.md"];

/// Most lines and bytes of the README.
const LINES: usize = 200;
const BYTES: usize = 12 * 1024;

/// Most words of a sentence.
const MOST: usize = 25;

/// Most words of a document's sentences, on average.
const MEAN: f64 = 18.0;

/// Runs the checks over the checkout.
///
/// # Errors
/// One line; the findings are printed.
pub fn run() -> Result<()> {
    let root = tree::root();
    let chapters = chapters(&root.join(GUIDE));
    let mut findings = Vec::new();
    let summary = read(&root.join(GUIDE).join("SUMMARY.md"));
    for chapter in &chapters {
        let name = chapter.file_name().unwrap_or_default().to_string_lossy();
        if name != "SUMMARY.md" && !summary.contains(&format!("({name})")) {
            findings.push(format!("{}: SUMMARY.md does not list it", tree::shown(chapter)));
        }
    }
    for document in OTHERS.map(|name| root.join(name)).iter().chain(&chapters) {
        let text = read(document);
        let shown = tree::shown(document);
        findings.extend(dead_links(document, &text).map(|link| format!("{shown}: leads nowhere: {link}")));
        findings.extend(long_sentences(&text).into_iter().map(|why| format!("{shown}: {why}")));
    }
    findings.extend(too_long(&read(&root.join(OTHERS[0]))));
    super::report("documents", findings)
}

/// Is the first document that people see longer than they read?
fn too_long(readme: &str) -> Option<String> {
    let (lines, bytes) = (readme.lines().count(), readme.len());
    (lines > LINES || bytes > BYTES).then(|| format!("{}: {lines} lines and {bytes} bytes", OTHERS[0]))
}

/// The files of the guide in `folder`, its summary included, by name.
pub fn chapters(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut chapters: Vec<_> = entries.filter(|path| path.extension().is_some_and(|ending| ending == "md")).collect();
    chapters.sort();
    chapters
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_default()
}

fn parse(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES)
}

/// Where the links and pictures of a document lead.
pub fn links(text: &str) -> Vec<String> {
    let links = parse(text).filter_map(|event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => Some(dest_url.into_string()),
        _ => None,
    });
    links.collect()
}

/// Links to files or headings that are not there. Links to the web are not followed.
fn dead_links<'a>(document: &'a Path, text: &str) -> impl Iterator<Item = String> + 'a {
    links(text).into_iter().filter(|link| !link.contains("://")).filter(move |link| {
        let (file, heading) = link.split_once('#').unwrap_or((link, ""));
        let target = match file {
            "" => document.to_path_buf(),
            file => document.parent().unwrap_or(document).join(file),
        };
        !target.exists() || !heading.is_empty() && !headings(&read(&target)).iter().any(|known| known == heading)
    })
}

/// The headings of a document, as links name them.
fn headings(text: &str) -> Vec<String> {
    let mut headings = Vec::new();
    let mut current: Option<String> = None;
    for event in parse(text) {
        match event {
            Event::Start(Tag::Heading { .. }) => current = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => headings.extend(current.take()),
            Event::Text(piece) | Event::Code(piece) => {
                if let Some(heading) = &mut current {
                    heading.push_str(&piece);
                }
            }
            _ => {}
        }
    }
    let name = |heading: &String| {
        let kept = heading.to_lowercase();
        let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.iter().map(name).collect()
}

/// What is wrong with the length of the sentences.
fn long_sentences(text: &str) -> Vec<String> {
    let sentences: Vec<_> = paragraphs(text).iter().flat_map(|paragraph| sentences(paragraph)).collect();
    let words: usize = sentences.iter().map(|sentence| sentence.0).sum();
    let mean = words as f64 / sentences.len().max(1) as f64;
    let long = sentences.iter().filter(|sentence| sentence.0 > MOST);
    let mut findings: Vec<_> = long.map(|(words, sentence)| format!("{words} words: {sentence}")).collect();
    if mean > MEAN {
        findings.push(format!("{mean:.1} words a sentence, more than {MEAN}"));
    }
    findings
}

/// The running text: paragraphs and items of lists, with one word for each piece of code.
fn paragraphs(text: &str) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    let mut left_out = 0;
    for event in parse(text) {
        match event {
            Event::Start(Tag::Heading { .. } | Tag::CodeBlock(_) | Tag::Table(_)) => left_out += 1,
            Event::End(TagEnd::Heading(_) | TagEnd::CodeBlock | TagEnd::Table) => left_out -= 1,
            Event::Start(Tag::Paragraph | Tag::Item) => paragraphs.push(String::new()),
            _ if left_out > 0 => {}
            Event::Text(piece) => paragraphs.last_mut().expect("there is one").push_str(&piece),
            Event::Code(_) => paragraphs.last_mut().expect("there is one").push_str("code"),
            Event::SoftBreak | Event::HardBreak => paragraphs.last_mut().expect("there is one").push(' '),
            _ => {}
        }
    }
    paragraphs
}

/// The sentences of a paragraph, each with its number of words.
fn sentences(paragraph: &str) -> Vec<(usize, String)> {
    let mut sentences = vec![(0, String::new())];
    for word in paragraph.split_whitespace() {
        let (words, sentence) = sentences.last_mut().expect("there is one");
        *words += usize::from(word.chars().any(char::is_alphanumeric));
        sentence.push_str(word);
        sentence.push(' ');
        if word.trim_end_matches([')', '"', '*']).ends_with(['.', '!', '?']) {
            sentences.push((0, String::new()));
        }
    }
    sentences.retain(|sentence| sentence.0 > 2);
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_counted_without_code_and_tables() {
        let text = "# A heading of many words\n\nOne `a b c` two. Three four\nfive!\n\n| a | b |\n|---|---|\n| x | y |\n\n```\ncode\n```\n";
        let found: Vec<_> = paragraphs(text).iter().flat_map(|one| sentences(one)).map(|one| one.0).collect();
        assert_eq!(found, [3, 3]);
    }

    #[test]
    fn a_long_sentence_is_named() {
        let long = format!("{}end.", "word ".repeat(MOST));
        assert_eq!(long_sentences(&long).len(), 2, "its length, and the mean");
        assert!(long_sentences("Two words more.").is_empty());
    }

    #[test]
    fn a_readme_of_too_many_lines_is_named() {
        assert_eq!(too_long(&"line\n".repeat(LINES)), None);
        assert!(too_long(&"line\n".repeat(LINES + 1)).is_some() && too_long(&"x".repeat(BYTES + 1)).is_some());
    }

    #[test]
    fn links_need_their_file_and_heading() {
        let here = tree::root().join("docs/guide/options.md");
        let dead = |text: &str| dead_links(&here, text).collect::<Vec<_>>();
        assert!(dead("[a](production.md#control) [b](../FORMAT.md) [c](https://rustup.rs)").is_empty());
        assert_eq!(dead("[a](production.md#nothing) [b](none.md)"), ["production.md#nothing", "none.md"]);
    }
}
