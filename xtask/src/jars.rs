//! Jars from Maven Central, pinned in tables of lines
//! `name group:artifact:version[:classifier][@zip] sha256`; `#` begins a comment.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use crate::{Result, download, gradle, tree};

/// What the demo, the tests and the build of the benchmarks need.
const TABLES: [&str; 7] = [
    "xtask/jars.txt",
    "jvm-tests/jars.txt",
    "jvm-tests/maven.txt",
    "java-shim/jars.txt",
    "dacapo-harness/jars.txt",
    "dacapo-harness/spring/jars.txt",
    "decoder/tests/readers/jars.txt",
];

/// A line of a table.
#[derive(Debug, PartialEq, Eq)]
pub struct Jar {
    name: String,
    coordinates: String,
    sha256: String,
}

/// The folder that holds `<name>.jar` for each line.
pub fn folder() -> PathBuf {
    tree::cache().join("jars")
}

impl Jar {
    /// Where it lies once fetched.
    pub fn file(&self) -> PathBuf {
        folder().join(self.file_name())
    }

    fn file_name(&self) -> String {
        let ending = self.coordinates.split_once('@').map_or("jar", |(_, ending)| ending);
        format!("{}.{ending}", self.name)
    }

    /// Fetches it alone, unless it is there.
    ///
    /// # Errors
    /// As the function [`fetch`].
    pub fn fetch(&self) -> Result<PathBuf> {
        fetch([self])?;
        Ok(self.file())
    }

    fn is_there(&self) -> bool {
        download::is_pinned(&self.file(), &self.sha256)
    }
}

/// Has Gradle fetch those that are not there, all in one run.
///
/// # Errors
/// One line naming the first that cannot be had, or is not the pinned file.
pub fn fetch<'a>(jars: impl IntoIterator<Item = &'a Jar>) -> Result<()> {
    let missing: Vec<&Jar> = jars.into_iter().filter(|jar| !jar.is_there()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    println!("fetching {} jars from Maven Central", missing.len());
    fs::create_dir_all(folder()).map_err(|e| format!("cannot make {}: {e}", folder().display()))?;
    let list = folder().join(format!("list-{}.txt", std::process::id()));
    let lines: Vec<String> = missing.iter().map(|jar| format!("{} {}\n", jar.file_name(), jar.coordinates)).collect();
    fs::write(&list, lines.concat()).map_err(|e| format!("cannot write {}: {e}", list.display()))?;
    let (list_is, to) = (format!("-Plist={}", list.display()), format!("-Pto={}", folder().display()));
    let fetched = gradle::run(&["-p", "gradle/fetch", &list_is, &to, "fetch"]);
    let _ = fs::remove_file(&list);
    fetched?;
    match missing.iter().find(|jar| !jar.is_there()) {
        Some(jar) => Err(format!("{} ({}) is not the pinned file: its SHA-256 differs", jar.name, jar.coordinates)),
        None => Ok(()),
    }
}

/// Fetches the jar of that name.
///
/// # Errors
/// One line: no table names it, or its download failed.
pub fn named(name: &str) -> Result<PathBuf> {
    let jars = tables(&TABLES)?;
    let jar = jars.get(name).ok_or_else(|| format!("no jar is called {name} in {}", TABLES.join(", ")))?;
    jar.fetch()
}

/// Fetches what the tests need.
///
/// # Errors
/// One line for the first that failed.
pub fn fetch_all() -> Result<()> {
    fetch(tables(&TABLES)?.values())
}

/// The jars of these tables, by name. Folders of other parts, and so their tables, may be absent.
///
/// # Errors
/// One line with file and line number: malformed, or one name for two files.
pub fn tables(files: &[&str]) -> Result<BTreeMap<String, Jar>> {
    let mut jars = BTreeMap::new();
    for file in files {
        let Ok(text) = fs::read_to_string(tree::root().join(file)) else { continue };
        for (number, line) in text.lines().enumerate() {
            let at = |what: &str| format!("{file}:{}: {what}", number + 1);
            let Some(jar) = parse(line).map_err(|what| at(&what))? else { continue };
            match jars.get(&jar.name) {
                Some(known) if *known != jar => return Err(at(&format!("{} is already another file", jar.name))),
                _ => drop(jars.insert(jar.name.clone(), jar)),
            }
        }
    }
    Ok(jars)
}

fn parse(line: &str) -> Result<Option<Jar>> {
    let line = line.split('#').next().unwrap_or_default();
    let words: Vec<&str> = line.split_whitespace().collect();
    let [name, coordinates, sha256] = match words.as_slice() {
        [] => return Ok(None),
        [name, coordinates, sha256] => [name, coordinates, sha256],
        _ => return Err("expected: name coordinates sha256".into()),
    };
    if sha256.len() != 64 || !sha256.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)) {
        return Err(format!("not a SHA-256 in lower-case hexadecimal: {sha256}"));
    }
    if !(3..=4).contains(&coordinates.split(':').count()) {
        return Err(format!("not group:artifact:version[:classifier]: {coordinates}"));
    }
    Ok(Some(Jar { name: (*name).into(), coordinates: (*coordinates).into(), sha256: (*sha256).into() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_gives_name_and_coordinates() {
        let sha = "0".repeat(64);
        let line = format!("lang3-tests org.apache.commons:commons-lang3:3.14.0:tests {sha} # JUnit 5");
        let jar = parse(&line).unwrap().unwrap();
        let coordinates = "org.apache.commons:commons-lang3:3.14.0:tests";
        assert_eq!((jar.name.as_str(), jar.coordinates.as_str()), ("lang3-tests", coordinates));
        assert_eq!(parse("  # only a comment"), Ok(None));
    }

    #[test]
    fn a_malformed_line_is_an_error() {
        for line in ["h2", "h2 a:b:c ABC", "h2 a:b 0", "h2 a:b:c 0 0"] {
            assert!(parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn the_tables_of_this_checkout_are_well_formed() {
        assert!(tables(&TABLES).unwrap().contains_key("h2"));
        assert!(tables(&["xtask/corpus.txt"]).unwrap().len() >= 40);
    }
}
