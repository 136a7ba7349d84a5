//! The documents for users: their links lead somewhere, the guide lists its chapters, and the
//! sentences are short.
//!
//! Invariant: in each checked document a sentence has at most [`MOST`] words, and [`MEAN`] on
//! average. Tables, headings and code do not count. README and ARCHITECTURE have at most so many
//! lines and bytes as [`SIZES`] says, and what explains details may have sentences of
//! [`MOST_IN_DETAIL`] words. A term in italics is one of the glossary, which has at most [`TERMS`].
//! Source: CommonMark; mdBook's `SUMMARY.md`.

use std::fs;
use std::path::{Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::{Result, tree};

/// The chapters, one folder.
pub const GUIDE: &str = "docs/guide";

/// Documents beside the guide that are checked as well.
const OTHERS: [&str; 5] = ["README.md", "ARCHITECTURE.md", "docs/QUICKSTART.md", "CONTRIBUTING.md", "SECURITY.md"];

/// What explains the mechanisms, one folder; and the log.
pub const DESIGN: &str = "docs/design";
const FORMAT: &str = "docs/FORMAT.md";

/// Most lines and bytes of the first documents.
const SIZES: [(&str, usize, usize); 2] = [("README.md", 200, 12 * 1024), ("ARCHITECTURE.md", 400, 28 * 1024)];

/// The document with the glossary, and the heading above its table.
const GLOSSARY: (&str, &str) = ("ARCHITECTURE.md", "Terms");

/// Most rows of the glossary.
const TERMS: usize = 25;

/// Most words of a sentence.
const MOST: usize = 25;

/// Most words of a sentence there.
const MOST_IN_DETAIL: usize = 40;

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
    let known = glossary(&read(&root.join(GLOSSARY.0)));
    if known.len() > TERMS {
        findings.push(format!("{}: {} terms, more than {TERMS}", GLOSSARY.0, known.len()));
    }
    let terms: Vec<&str> = known.iter().flat_map(|row| row.split(", ")).collect();
    let mut read_well = |document: &Path, most: usize| {
        let (text, shown) = (read(document), tree::shown(document));
        findings.extend(dead_links(document, &text).map(|link| format!("{shown}: leads nowhere: {link}")));
        findings.extend(long_sentences(&text, most).into_iter().map(|why| format!("{shown}: {why}")));
        let unknown = in_italics(&text).into_iter().filter(|term| most == MOST && !terms.contains(&term.as_str()));
        findings.extend(unknown.map(|term| format!("{shown}: not in the glossary: {term}")));
    };
    OTHERS.map(|name| root.join(name)).iter().chain(&chapters).for_each(|document| read_well(document, MOST));
    let design = self::chapters(&root.join(DESIGN));
    design.iter().chain([&root.join(FORMAT)]).for_each(|document| read_well(document, MOST_IN_DETAIL));
    findings.extend(SIZES.iter().filter_map(|size| too_long(size, &read(&root.join(size.0)))));
    super::report("documents", findings)
}

/// Is a document longer than people read?
fn too_long(&(name, most_lines, most_bytes): &(&str, usize, usize), text: &str) -> Option<String> {
    let (lines, bytes) = (text.lines().count(), text.len());
    (lines > most_lines || bytes > most_bytes).then(|| format!("{name}: {lines} lines and {bytes} bytes"))
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

/// The first column of the table of terms.
fn glossary(text: &str) -> Vec<String> {
    let section = text.split("\n## ").find_map(|section| section.strip_prefix(GLOSSARY.1)).unwrap_or_default();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" |"));
    rows.skip(1).map(|(terms, _)| terms.to_owned()).collect()
}

/// The terms that a document introduces: italics in its running text that are no name, title or
/// sentence.
fn in_italics(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let (mut emphasised, mut in_table) = (false, false);
    for event in parse(text) {
        match event {
            Event::Start(Tag::Emphasis) => emphasised = true,
            Event::End(TagEnd::Emphasis) => emphasised = false,
            Event::Start(Tag::Table(_)) => in_table = true,
            Event::End(TagEnd::Table) => in_table = false,
            Event::Text(piece) if emphasised && !in_table && piece.starts_with(char::is_lowercase) => {
                found.push(piece.into_string());
            }
            _ => {}
        }
    }
    found
}

/// What is wrong with the length of the sentences.
fn long_sentences(text: &str, most: usize) -> Vec<String> {
    let sentences: Vec<_> = paragraphs(text).iter().flat_map(|paragraph| sentences(paragraph)).collect();
    let words: usize = sentences.iter().map(|sentence| sentence.0).sum();
    let mean = words as f64 / sentences.len().max(1) as f64;
    let long = sentences.iter().filter(|sentence| sentence.0 > most);
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
        assert_eq!(long_sentences(&long, MOST).len(), 2, "its length, and the mean");
        assert!(long_sentences("Two words more.", MOST).is_empty());
    }

    #[test]
    fn a_term_in_italics_must_be_in_the_glossary() {
        let terms = "# X\n\n## Terms\n\n| term | meaning |\n|---|---|\n| site, place | here |\n| edge | there |\n\n## Next\n\n| a | b |\n";
        assert_eq!(glossary(terms), ["site, place", "edge"]);
        let text = "A *site* and an *edge*, *Capital Names* and *one more*.\n\n| a *b* |\n|---|\n| c |\n";
        assert_eq!(in_italics(text), ["site", "edge", "one more"]);
    }

    #[test]
    fn a_readme_of_too_many_lines_is_named() {
        for size in &SIZES {
            assert_eq!(too_long(size, &"line\n".repeat(size.1)), None);
            assert!(too_long(size, &"line\n".repeat(size.1 + 1)).is_some());
            assert!(too_long(size, &"x".repeat(size.2 + 1)).is_some());
        }
    }

    #[test]
    fn links_need_their_file_and_heading() {
        let here = tree::root().join("docs/guide/options.md");
        let dead = |text: &str| dead_links(&here, text).collect::<Vec<_>>();
        assert!(dead("[a](production.md#control) [b](../FORMAT.md) [c](https://rustup.rs)").is_empty());
        assert_eq!(dead("[a](production.md#nothing) [b](none.md)"), ["production.md#nothing", "none.md"]);
    }
}
