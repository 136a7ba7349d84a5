//! Files that import each other in a circle: none of more than [`LARGEST`] files.
//!
//! A file imports another one if it names something that is defined there: by a `use` or by a path
//! in its code, through re-exports and names of modules. Tests do not count. A re-export counts
//! where its name is used, not where it stands: it only gives a name a second place. Likewise the
//! import of a whole module: what is taken out of it counts.
//! Invariant: files of which each reaches each other by imports are one circle, however many ways
//! lead through it.
//! Source: ARCHITECTURE ("Crates, lowest first").

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path as File;

use super::dependencies::packages;
use super::imports::{Imports, Path, Tests};
use super::tidy;
use crate::{Result, tree};

/// Most files of a circle.
const LARGEST: usize = 3;

/// Longest way through re-exports; a longer one leads in a circle.
const LONGEST: usize = 16;

/// A module's place in its crate.
type Place = Vec<String>;

/// Compares the imports of all crates.
///
/// # Errors
/// One line; each circle is printed.
pub fn run() -> Result<()> {
    let mut findings = Vec::new();
    for package in packages()? {
        let sources = package.folder().join("src");
        // A program beside a library is a crate of its own.
        let programs = fs::read_dir(sources.join("bin")).into_iter().flatten().flatten().map(|program| program.path());
        for folder in [sources].into_iter().chain(programs.filter(|folder| folder.join("main.rs").is_file())) {
            let circles = Files::read(&folder)?.circles(LARGEST);
            findings.extend(circles.iter().map(|circle| format!("{}: {circle}", tree::shown(&folder))));
        }
    }
    super::report("circles of files", findings)
}

/// The files of a crate.
#[derive(Default)]
struct Files(BTreeMap<Place, Imports>);

impl Files {
    /// Those of a folder.
    fn read(folder: &File) -> Result<Self> {
        let mut files = Self::default();
        for file in tidy::sources(folder, "rs") {
            let name = file.strip_prefix(folder).unwrap_or(&file).to_string_lossy().into_owned();
            // It uses the library by its name.
            if name == "main.rs" && folder.join("lib.rs").is_file() || name.starts_with("bin/") {
                continue;
            }
            let text = fs::read_to_string(&file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
            files.add(&name, &text).map_err(|e| format!("{}: {e}", file.display()))?;
        }
        Ok(files)
    }

    fn add(&mut self, name: &str, text: &str) -> Result<()> {
        let imports = Imports::of(text, Tests::LeftOut)?;
        drop(self.0.insert(place(name), imports));
        Ok(())
    }

    /// The circles of more than `may` files.
    fn circles(&self, may: usize) -> Vec<String> {
        let imported: BTreeMap<&Place, BTreeSet<&Place>> =
            self.0.keys().map(|file| (file, self.imported(file))).collect();
        let reached: BTreeMap<&Place, BTreeSet<&Place>> =
            self.0.keys().map(|file| (file, reach(&imported, file))).collect();
        let mut circles = BTreeSet::new();
        for (file, all) in &reached {
            let circle: BTreeSet<&Place> = all.iter().copied().filter(|other| reached[other].contains(file)).collect();
            if circle.len() > may {
                circles.insert(circle);
            }
        }
        circles.iter().map(|circle| shown(circle, &imported)).collect()
    }

    /// The files that a file imports.
    fn imported<'s>(&'s self, file: &Place) -> BTreeSet<&'s Place> {
        let Imports { uses, paths, words } = &self.0[file];
        let used = uses.iter();
        let used = used.filter(|import| !import.is_public || import.alias == "*" || words.contains(&import.alias));
        let used = used.filter_map(|import| {
            let defined = self.definition(&self.whole(file, &import.path, 0)?, 0)?;
            // The paths that begin with a module's name say what is wanted of it.
            (defined.1 || import.alias == "*").then_some(defined.0)
        });
        let spelled = paths.iter().filter_map(|path| Some(self.definition(&self.whole(file, path, 0)?, 0)?.0));
        used.chain(spelled).filter(|other| *other != file).collect()
    }

    /// A path from the crate's root; `None` if it leads to another crate.
    fn whole(&self, file: &Place, Path { inside, names }: &Path, steps: usize) -> Option<Place> {
        let here: Place = file.iter().chain(inside).cloned().collect();
        let (first, rest) = names.split_first()?;
        let child: Place = here.iter().chain([first]).cloned().collect();
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => Some([&here, rest].concat()),
            "super" => {
                let up = names.iter().take_while(|name| *name == "super").count();
                Some([&here[..here.len().checked_sub(up)?], &names[up..]].concat())
            }
            _ if self.0.contains_key(&child) => Some([&child, rest].concat()),
            _ => {
                let import = self.0[file].uses.iter().find(|import| import.alias == *first)?;
                // A crate that is imported under its own name.
                let foreign = import.path.names.first() == Some(first) || steps > LONGEST;
                let base = if foreign { None } else { self.whole(file, &import.path, steps + 1) };
                base.map(|base| [&base, rest].concat())
            }
        }
    }

    /// The file that defines what a path from the root names, and whether that is something in the
    /// file rather than the file itself; `None` if it is another crate's.
    fn definition(&self, path: &[String], steps: usize) -> Option<(&Place, bool)> {
        let length = (0..=path.len()).rev().find(|&length| self.0.contains_key(&path[..length]))?;
        let (file, imports) = self.0.get_key_value(&path[..length])?;
        let Some(name) = path.get(length) else { return Some((file, false)) };
        match imports.uses.iter().find(|import| import.alias == *name) {
            Some(import) if steps < LONGEST => {
                let whole = [&self.whole(file, &import.path, 0)?, &path[length + 1..]].concat();
                if whole == path { Some((file, true)) } else { self.definition(&whole, steps + 1) }
            }
            _ => Some((file, true)),
        }
    }
}

/// The module of a file.
fn place(name: &str) -> Place {
    let mut place: Place = name.trim_end_matches(".rs").split('/').map(Into::into).collect();
    let last = place.last().map_or("", String::as_str);
    if last == "mod" || place.len() == 1 && (last == "lib" || last == "main") {
        place.pop();
    }
    place
}

/// All that a file imports, and what those import.
fn reach<'p>(imported: &BTreeMap<&'p Place, BTreeSet<&'p Place>>, from: &'p Place) -> BTreeSet<&'p Place> {
    let (mut found, mut next) = (BTreeSet::new(), vec![from]);
    while let Some(file) = next.pop() {
        next.extend(imported[file].iter().filter(|other| found.insert(**other)));
    }
    found
}

/// A circle, each file with those of it that it imports.
fn shown(circle: &BTreeSet<&Place>, imported: &BTreeMap<&Place, BTreeSet<&Place>>) -> String {
    let name = |file: &Place| if file.is_empty() { "the root".into() } else { file.join("::") };
    let line = |file: &&Place| {
        let others: Vec<_> = imported[*file].intersection(circle).map(|other| name(other)).collect();
        format!("\n    {} imports {}", name(file), others.join(", "))
    };
    format!("a circle of {} files{}", circle.len(), circle.iter().map(line).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circles(files: &[(&str, &str)], may: usize) -> Vec<String> {
        let mut all = Files::default();
        files.iter().for_each(|(name, text)| all.add(name, text).expect("Rust"));
        all.circles(may)
    }

    #[test]
    fn a_circle_is_found_however_its_files_name_each_other() {
        let files = [
            ("lib.rs", "mod a; mod b; use other_crate as other;"),
            ("a.rs", "mod inner; pub use inner::Inner; use crate::b::{self, B};"),
            ("a/inner.rs", "pub struct Inner; fn f() { crate::other::g(); super::super::c::h() }"),
            ("b.rs", "pub struct B; fn f(_: crate::a::Inner) {}"),
            ("c/mod.rs", "use crate::a as x; use crate::b; fn f() { x::g() }"),
        ];
        // `a` re-exports Inner, which does not make it depend on it.
        let expected =
            "a circle of 4 files\n    a imports b\n    a::inner imports c\n    b imports a::inner\n    c imports a";
        assert_eq!(circles(&files, 3), [expected]);
        assert!(circles(&files, 4).is_empty());
    }

    #[test]
    fn what_only_tests_name_makes_no_circle() {
        let files = [
            ("lib.rs", "mod a;"),
            ("a.rs", "use crate::b::B;"),
            ("b.rs", "#[cfg(test)]\nmod tests { use crate::a::A; }"),
        ];
        assert!(circles(&files, 1).is_empty());
    }

    #[test]
    fn a_reexport_counts_where_its_name_is_used() {
        let with = |text| [("lib.rs", ""), ("a.rs", text), ("a/b.rs", "use super::A;")];
        assert!(circles(&with("pub use b::B; pub struct A;"), 1).is_empty());
        assert_eq!(circles(&with("pub use b::B; pub struct A(B);"), 1).len(), 1);
    }
}
