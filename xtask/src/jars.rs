//! Jars from Maven Central, pinned in tables of lines `name group:artifact:version[:classifier] sha256`; `#` begins a comment.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use crate::{Result, download, tree};

/// What the demo, the tests and the build of the benchmarks need.
const TABLES: [&str; 3] = ["xtask/jars.txt", "jvm-tests/jars.txt", "dacapo-harness/jars.txt"];

/// A line of a table.
#[derive(Debug, PartialEq, Eq)]
pub struct Jar {
    name: String,
    url: String,
    sha256: String,
}

/// The folder that holds `<name>.jar` for each line.
pub fn folder() -> PathBuf {
    tree::cache().join("jars")
}

impl Jar {
    /// Where it lies once fetched.
    pub fn file(&self) -> PathBuf {
        folder().join(format!("{}.jar", self.name))
    }

    /// Downloads it, unless it is there.
    ///
    /// # Errors
    /// One line naming its address.
    pub fn fetch(&self) -> Result<PathBuf> {
        download::fetch(&self.url, &self.sha256, &self.file())?;
        Ok(self.file())
    }
}

/// Fetches the jar of that name.
///
/// # Errors
/// One line: no table names it, or its download failed.
pub fn named(name: &str) -> Result<PathBuf> {
    let jars = tables(&TABLES)?;
    jars.get(name).ok_or_else(|| format!("no jar is called {name} in {}", TABLES.join(", ")))?.fetch()
}

/// Fetches what the tests need.
///
/// # Errors
/// One line for the first that failed.
pub fn fetch_all() -> Result<()> {
    tables(&TABLES)?.values().try_for_each(|jar| jar.fetch().map(drop))
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
    let parts: Vec<&str> = coordinates.split(':').collect();
    let (group, artifact, version, classifier) = match parts.as_slice() {
        [group, artifact, version] => (group, artifact, version, String::new()),
        [group, artifact, version, classifier] => (group, artifact, version, format!("-{classifier}")),
        _ => return Err(format!("not group:artifact:version[:classifier]: {coordinates}")),
    };
    let folder = group.replace('.', "/");
    let url = format!(
        "maven-central:/{folder}/{artifact}/{version}/{artifact}-{version}{classifier}.jar"
    );
    Ok(Some(Jar { name: (*name).into(), url, sha256: (*sha256).into() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_gives_the_address_in_maven_central() {
        let sha = "0".repeat(64);
        let jar = parse(&format!("lang3-tests org.apache.commons:commons-lang3:3.14.0:tests {sha} # JUnit 5"))
            .unwrap()
            .unwrap();
        let address = "maven-central:/org/apache/commons/commons-lang3/3.14.0/commons-lang3-3.14.0-tests.jar";
        assert_eq!((jar.name.as_str(), jar.url.as_str()), ("lang3-tests", address));
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
