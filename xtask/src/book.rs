//! `cargo xtask book`: the guide as a book of HTML pages, built by mdBook.
//!
//! Invariant: every link of every page leads to a page, heading or file of the book. What the guide
//! links to outside itself is in the book as text. mdBook (MPL-2.0) is run, never linked; it is
//! pinned in `xtask/book-tools.txt`.
//! Source: mdBook's guide, "Configuration".

use std::fs;
use std::path::{Path, PathBuf};

use crate::check::documents;
use crate::{Result, process, tree, wheels};

/// Builds the book and looks at its links.
///
/// # Errors
/// One line: mdBook is not to be had or fails, or a link leads nowhere, which is printed.
pub fn run() -> Result<()> {
    let mdbook = fetch()?;
    let (source, book) = (tree::cache().join("book"), tree::cache().join("guide"));
    for folder in [&source, &book] {
        let _ = fs::remove_dir_all(folder);
    }
    gather(&source)?;
    process::run(process::command(mdbook).arg("build").arg(&source).arg("--dest-dir").arg(&book))?;
    let findings = dead_links(&book);
    findings.iter().for_each(|finding| println!("{finding}"));
    match findings.len() {
        0 => println!("{}", tree::shown(&book.join("index.html"))),
        dead => return Err(format!("{dead} links of the book lead nowhere")),
    }
    Ok(())
}

/// mdBook, the pinned one.
fn fetch() -> Result<PathBuf> {
    Ok(wheels::pinned("book-tools", &["bin/mdbook"])?.join("bin/mdbook"))
}

/// Copies the guide, with whatever else of the project it links to.
fn gather(to: &Path) -> Result<()> {
    let guide = tree::root().join(documents::GUIDE);
    tree::copy_folder(&guide, to, &[])?;
    for chapter in documents::chapters(&guide) {
        let mut text = fs::read_to_string(&chapter).map_err(|e| format!("cannot read {}: {e}", chapter.display()))?;
        for link in documents::links(&text).into_iter().filter(|link| link.starts_with("../")) {
            let file = link.split('#').next().unwrap_or_default();
            // As text, which every browser shows; mdBook takes any `.md` in a link for a chapter.
            let name = file.trim_start_matches("../").trim_end_matches(".md").replace('/', "-");
            let name = format!("files/{name}.txt");
            tree::copy(&guide.join(file), &to.join(&name))?;
            text = text.replace(&format!("]({link})"), &format!("]({name})"));
        }
        let copy = to.join(chapter.file_name().unwrap_or_default());
        fs::write(&copy, text).map_err(|e| format!("cannot write {}: {e}", copy.display()))?;
    }
    Ok(())
}

/// The links of the pages to what is not there.
fn dead_links(book: &Path) -> Vec<String> {
    let mut findings = Vec::new();
    let entries = fs::read_dir(book).into_iter().flatten().flatten().map(|entry| entry.path());
    for page in entries.filter(|path| path.extension().is_some_and(|ending| ending == "html")) {
        let text = fs::read_to_string(&page).unwrap_or_default();
        for link in ["href", "src"].iter().flat_map(|name| values(&text, name)) {
            if !leads_somewhere(&page, link) {
                findings.push(format!("{}: leads nowhere: {link}", tree::shown(&page)));
            }
        }
    }
    findings
}

fn leads_somewhere(page: &Path, link: &str) -> bool {
    let (file, heading) = link.split_once('#').unwrap_or((link, ""));
    if link.contains("://") || link.starts_with("data:") || file.starts_with('/') {
        return true;
    }
    let target = if file.is_empty() { page.to_path_buf() } else { page.with_file_name(file) };
    let has = |heading| fs::read_to_string(&target).is_ok_and(|text| values(&text, "id").any(|id| id == heading));
    target.exists() && (heading.is_empty() || has(heading))
}

/// The values of an attribute.
fn values<'a>(html: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
    let begin = format!(" {name}=\"");
    let values: Vec<&str> = html.split(begin.as_str()).skip(1).filter_map(|rest| rest.split('"').next()).collect();
    values.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_needs_its_page_and_heading() {
        let folder = std::env::temp_dir().join(format!("lucce-book-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("a.html"), r##"<a href="b.html#two"> <a href="#x"> <img src="none.png">"##).unwrap();
        fs::write(folder.join("b.html"), r##"<h2 id="two"> <a href="a.html"> <a href="https://rustup.rs">"##).unwrap();
        let dead = dead_links(&folder);
        let ends: Vec<_> = dead.iter().filter_map(|line| line.rsplit(' ').next()).collect();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(ends, ["#x", "none.png"]);
    }
}
