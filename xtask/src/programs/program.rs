//! What a program is: `program.txt`, lines `key: value`; `#` begins a comment.
//!
//! | key | meaning |
//! |---|---|
//! | `what` | name and version, and what the driver does, for the table |
//! | `main` | the main class: of the driver, or of a jar |
//! | `args` | its arguments |
//! | `jdk` | the feature releases that it runs on |
//! | `verify` | the interval of the checks, in entries or (`1ms`) in time; 10 unless given |
//! | `verify-jdk` | the same with `jdk=on`, where there are many times more; 200 unless given |
//! | `flags` | options of the JVM, agents beside Lucce among them; may stand on several lines |
//! | `jars` | jars of `jvm-tests/jars.txt`, in place of a `jars.txt` of its own |
//! | `source` | the program whose driver this one shares, or a file from there |
//! | `release` | of the driver's code; the lowest of `jdk` unless given |
//! | `processors` | `on`: jars of the class path process annotations |
//! | `jvm` | `jdk`: a JDK of this machine in place of the runtimes of the tests |
//! | `limit` | why its contexts are not exact or not all there; the reason stands in the table |
//!
//! In `flags` and `args` `{NAME}` stands for the jar of that name, `{folder}` for the program's
//! folder, `{classes}` for the driver's classes.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Result;

/// A program.
#[derive(Debug, Default)]
pub struct Program {
    /// The folder's name.
    pub name: String,
    /// For people.
    pub what: String,
    /// The main class.
    pub main: String,
    /// Arguments of the program.
    pub args: Vec<String>,
    /// Feature releases, in the order of the file.
    pub jdks: Vec<u32>,
    /// Entries, or the time, between two checks.
    pub verify: String,
    /// The same with `jdk=on`.
    pub verify_jdk: String,
    /// Options of the JVM.
    pub flags: Vec<String>,
    /// Names of jars that the tests have, too.
    pub jars: Vec<String>,
    /// Where the driver's sources are: a folder or a file.
    pub sources: PathBuf,
    /// The program's own folder.
    pub folder: PathBuf,
    /// `--release` of the driver.
    pub release: u32,
    /// Do jars process annotations?
    pub processors: bool,
    /// Does it need a JDK?
    pub needs_jdk: bool,
    /// A known limit.
    pub limit: Option<String>,
}

impl Program {
    /// The programs of the folders in `folder`, by name.
    ///
    /// # Errors
    /// One line with file and line number for the first that is malformed.
    pub fn all(folder: &Path) -> Result<Vec<Self>> {
        let entries = fs::read_dir(folder).map_err(|e| format!("cannot read {}: {e}", folder.display()))?;
        let mut folders: Vec<PathBuf> =
            entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
        folders.sort();
        folders.iter().map(|folder| Self::read(folder)).collect()
    }

    fn read(folder: &Path) -> Result<Self> {
        let file = folder.join("program.txt");
        let text = fs::read_to_string(&file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut program = Self {
            name,
            sources: folder.into(),
            folder: folder.into(),
            verify: "10".into(),
            verify_jdk: "200".into(),
            ..Self::default()
        };
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') {
                program.set(line).map_err(|what| format!("{}:{}: {what}", file.display(), number + 1))?;
            }
        }
        if program.what.is_empty() || program.main.is_empty() || program.jdks.is_empty() {
            return Err(format!("{}: what, main and jdk must be there", file.display()));
        }
        if program.release == 0 {
            program.release = program.jdks.iter().copied().min().unwrap_or_default();
        }
        Ok(program)
    }

    fn set(&mut self, line: &str) -> Result<()> {
        let (key, value) = line.split_once(':').ok_or("expected: key: value")?;
        let value = value.trim();
        let number = |text: &str| text.parse::<u32>().map_err(|_| format!("not a number: {text}"));
        let words = || value.split_whitespace().map(str::to_string);
        match key {
            "what" => self.what = value.into(),
            "main" => self.main = value.into(),
            "args" => self.args = words().collect(),
            "jdk" => self.jdks = value.split_whitespace().map(number).collect::<Result<_>>()?,
            "verify" => self.verify = value.into(),
            "verify-jdk" => self.verify_jdk = value.into(),
            "flags" => self.flags.extend(words()),
            "jars" => self.jars.extend(words()),
            "source" => self.sources = self.folder.with_file_name(value),
            "release" => self.release = number(value)?,
            "processors" => self.processors = value == "on",
            "jvm" => self.needs_jdk = value == "jdk",
            "limit" => self.limit = Some(value.into()),
            _ => return Err(format!("no such key: {key}")),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(lines: &[&str]) -> Result<Program> {
        let mut program = Program { folder: "/programs/one".into(), ..Program::default() };
        lines.iter().try_for_each(|line| program.set(line))?;
        Ok(program)
    }

    #[test]
    fn lines_set_what_a_program_is() {
        let read =
            program(&["what: Rhino 1: scripts", "jdk: 11 25", "flags: -a -b", "flags: -c", "source: two"]).unwrap();
        assert_eq!((read.what.as_str(), read.jdks, read.flags.len()), ("Rhino 1: scripts", vec![11, 25], 3));
        assert_eq!(read.sources, Path::new("/programs/two"));
    }

    #[test]
    fn a_malformed_line_is_an_error() {
        for line in ["what", "jdk: x", "colour: red"] {
            assert!(program(&[line]).is_err(), "{line}");
        }
    }
}
