//! The files of a run: how they are named, opened, followed by the next and deleted.
//!
//! Invariants: a log is readable by its owner alone, no symbolic link is followed, and nothing that
//! this run has not written is deleted or overwritten: not even the log of another run that has
//! moved one of this run's aside and taken its name.
//! Source: docs/guide/production.md.

use std::collections::VecDeque;
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::identity::Identity;
use super::{Host, existing};

/// What the names of a run's files are made of.
#[derive(Clone, Debug)]
pub struct Naming {
    /// With `%p`, `%t`, `%h`, `%n` and `%%`.
    pub pattern: String,
    /// `%p`.
    pub pid: u32,
    /// `%t`, in seconds since 1970.
    pub time: u64,
    /// `%h`.
    pub host: String,
}

/// The files of a run that are still there.
#[derive(Debug)]
pub struct Files {
    naming: Naming,
    /// In place of the working directory, if that cannot be written.
    folder: Option<PathBuf>,
    /// How many files have been begun.
    begun: u32,
    /// How many are kept.
    keep: usize,
    kept: VecDeque<Own>,
}

/// A file that this run has created, or a pipe or device that was there.
#[derive(Debug)]
struct Own {
    path: PathBuf,
    /// None if it was there.
    identity: Option<Identity>,
}

/// Why a log cannot be created.
#[derive(Debug)]
pub(crate) struct Refused {
    kind: io::ErrorKind,
    /// One line that says what is in the way.
    pub(crate) line: String,
}

impl Files {
    /// None yet; `keep` counts the one that is being written.
    pub fn new(naming: Naming, keep: u32) -> Self {
        Self { naming, folder: None, begun: 0, keep: keep.max(1) as usize, kept: VecDeque::new() }
    }

    /// Opens the first file; where the working directory cannot be written, in `temporary`.
    ///
    /// # Errors
    /// One line that says what is in the way.
    pub(crate) fn first(&mut self, temporary: &Path, host: Host) -> Result<(File, PathBuf), String> {
        self.naming.check()?;
        let refused = match self.next() {
            Ok(opened) => return Ok(opened),
            Err(refused) => refused,
        };
        let unwritable = matches!(refused.kind, io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem);
        if !unwritable || Path::new(&self.naming.pattern).is_absolute() {
            return Err(refused.line);
        }
        self.folder = Some(temporary.into());
        let opened = self.next().map_err(|_| refused.line)?;
        (host.say)(format_args!("the working directory cannot be written; the log is {}", opened.1.display()));
        Ok(opened)
    }

    /// Opens the next file.
    ///
    /// # Errors
    /// What is in the way. The file may be tried again.
    pub(crate) fn next(&mut self) -> Result<(File, PathBuf), Refused> {
        let path = self.path(self.begun + 1);
        let file = open(&path)?;
        self.begun += 1;
        let identity = file.metadata().ok().filter(Metadata::is_file).as_ref().map(Identity::of);
        self.kept.push_back(Own { path: path.clone(), identity });
        Ok((file, path))
    }

    /// The file that was opened last could not be begun: it is no file of this run.
    pub(crate) fn undo(&mut self) {
        if let Some(file) = self.kept.pop_back() {
            self.begun -= 1;
            // Empty, and so no harm if it stays.
            file.delete();
        }
    }

    /// Deletes the oldest file if more are there than are kept, and names it. One that somebody has
    /// moved away stays there.
    pub(crate) fn drop_oldest(&mut self) -> Option<PathBuf> {
        let oldest = if self.kept.len() > self.keep { self.kept.pop_front() } else { None }?;
        oldest.delete().then_some(oldest.path)
    }

    /// Number of the file that was opened last, from 1.
    pub(crate) fn number(&self) -> u32 {
        self.begun
    }

    fn path(&self, number: u32) -> PathBuf {
        let path = self.naming.path(number);
        match (&self.folder, path.file_name()) {
            (Some(folder), Some(name)) => folder.join(name),
            _ => path,
        }
    }
}

impl Own {
    /// Deletes it, unless its name is another file's by now. Is it gone?
    fn delete(&self) -> bool {
        self.identity.as_ref().is_some_and(|identity| identity.remove(&self.path))
    }
}

impl Naming {
    /// Creates a file of this name, as a log is created; on failure its path, and why.
    pub fn create(&self) -> Result<(File, PathBuf), (PathBuf, io::ErrorKind)> {
        let path = self.path(1);
        match open(&path) {
            Ok(file) => Ok((file, path)),
            Err(refused) => Err((path, refused.kind)),
        }
    }

    /// All files of a run are in one folder, where a reader looks for the next.
    fn check(&self) -> Result<(), String> {
        if self.path(1).parent() == self.path(2).parent() {
            return Ok(());
        }
        Err(format!("file={} has %n in the name of a folder; use it behind the last / only", self.pattern))
    }

    /// The name of the file with this number. A pattern without `%n` gives its own name to the
    /// first, and puts `-2`, `-3` and so on before the extension of the others.
    fn path(&self, number: u32) -> PathBuf {
        let (path, numbered) = self.expand(number);
        if numbered || number == 1 {
            return path.into();
        }
        let path = PathBuf::from(path);
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let name = match path.extension() {
            Some(extension) => format!("{stem}-{number}.{}", extension.to_string_lossy()),
            None => format!("{stem}-{number}"),
        };
        path.with_file_name(name)
    }

    /// The pattern with everything in its place; was `%n` in it?
    fn expand(&self, number: u32) -> (String, bool) {
        let (mut path, mut numbered) = (String::new(), false);
        let mut rest = self.pattern.chars();
        while let Some(c) = rest.next() {
            match (c, c == '%').1.then(|| rest.next()) {
                None => path.push(c),
                Some(Some('p')) => path += &self.pid.to_string(),
                Some(Some('t')) => path += &self.time.to_string(),
                Some(Some('h')) => path += &self.host,
                Some(Some('n')) => {
                    numbered = true;
                    path += &number.to_string();
                }
                Some(Some('%')) | Some(None) => path.push('%'),
                Some(Some(other)) => {
                    path.push('%');
                    path.push(other);
                }
            }
        }
        (path, numbered)
    }
}

/// Opens a log: owner-only, no symbolic link followed, an existing file moved aside.
fn open(path: &Path) -> Result<File, Refused> {
    let open = || {
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .custom_flags(libc::O_NOFOLLOW | libc::O_CLOEXEC)
            .open(path)
    };
    let result = match open() {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match std::fs::symlink_metadata(path) {
            Ok(existing) if existing.file_type().is_symlink() => {
                let line =
                    format!("the log {} is a symbolic link, which is not followed; name another file", path.display());
                return Err(Refused { kind: io::ErrorKind::AlreadyExists, line });
            }
            Ok(there) if !there.is_file() => existing::open(path),
            _ => aside(path).and_then(|()| open()),
        },
        other => other,
    };
    result.map_err(|error| Refused {
        kind: error.kind(),
        line: format!("cannot create the log {}: {error}; name another with file=<path>", path.display()),
    })
}

/// Renames an existing log to `name.1`, `name.2`, ...: the first that is free.
fn aside(path: &Path) -> io::Result<()> {
    for number in 1..10_000 {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{number}"));
        if std::fs::symlink_metadata(&name).is_err() {
            return std::fs::rename(path, name);
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "too many earlier logs of this name"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naming(pattern: &str) -> Naming {
        Naming { pattern: pattern.into(), pid: 7, time: 9, host: "box".into() }
    }

    #[test]
    fn the_pattern_is_expanded() {
        assert_eq!(naming("a-%p-%t-%h%%.log").path(1), PathBuf::from("a-7-9-box%.log"));
        assert_eq!(naming("100%").path(1), PathBuf::from("100%"));
    }

    #[test]
    fn only_what_was_created_is_deleted() {
        let folder = std::env::temp_dir().join(format!("lucce-files-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("a.log");
        let mut files = Files::new(naming(&path.display().to_string()), 1);
        files.next().unwrap();
        std::fs::rename(&path, folder.join("a.log.1")).unwrap();
        std::fs::write(&path, "another run's").unwrap();
        files.next().unwrap();
        assert_eq!(files.drop_oldest(), None);
        assert_eq!(std::fs::read(&path).unwrap(), b"another run's");
        files.next().unwrap();
        assert_eq!(files.drop_oldest(), Some(folder.join("a-2.log")));
        files.undo();
        let mut left: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["a.log", "a.log.1"]);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn later_files_are_numbered_where_the_pattern_says_or_before_the_extension() {
        let two = |pattern: &str| [1, 2].map(|number| naming(pattern).path(number).display().to_string());
        assert_eq!(two("logs/a-%n.log"), ["logs/a-1.log", "logs/a-2.log"]);
        assert_eq!(two("logs.d/a.log"), ["logs.d/a.log", "logs.d/a-2.log"]);
        assert_eq!(two("logs.d/a"), ["logs.d/a", "logs.d/a-2"]);
    }

    #[test]
    fn a_number_in_the_name_of_a_folder_is_refused() {
        for pattern in ["logs-%n/a.log", "/%n/a-%n.log", "a/%n/%h/a"] {
            let mut files = Files::new(naming(pattern), 2);
            let line = files.first(Path::new("/nowhere"), crate::tests::HOST).expect_err("refused");
            assert_eq!(line, format!("file={pattern} has %n in the name of a folder; use it behind the last / only"));
        }
        for pattern in ["logs-%%n/a.log", "%n", "./%p/a-%n.log", "/dev/null"] {
            assert_eq!(naming(pattern).check(), Ok(()), "{pattern}");
        }
    }
}
