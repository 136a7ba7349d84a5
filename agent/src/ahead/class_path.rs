//! Where the classes of the class path and the module path are, and their bytes.
//!
//! Invariant: files are read, never mapped: who writes a jar anew while the program runs gets wrong bytes read here, which nobody takes, and no signal.
//! Source: APPNOTE.TXT (zip); the `java` tool's options `--class-path` and `--module-path`.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::hash::BuildHasher;
use std::mem::ManuallyDrop;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rawzip::{FileReader, RECOMMENDED_BUFFER_SIZE, ZipArchive, ZipLocator};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::archived::{Archived, Reading};
use super::manifest::{self, MANIFEST};

/// Most jars that are looked into, and which part of the files that the process may have open they may be.
const JARS: usize = 256;
const PART: usize = 8;
/// Most folders.
const FOLDERS: usize = 16;
/// Most classes that are known.
const CLASSES: usize = 1 << 18;
/// Most names that are known to be none of its classes.
const MISSES: usize = 1 << 16;
/// Most bytes of a class.
pub(super) const SIZE: u64 = 1 << 20;

/// A class of the class path, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct At(pub(super) u32);

enum Place {
    /// In the jar of this number.
    Jar(u16, Archived),
    File(PathBuf),
}

/// See above.
#[derive(Default)]
pub(super) struct ClassPath {
    /// They stay open: were one closed, the program would lose the locks that it may have on that file (fcntl(2), "Advisory record locking").
    jars: Vec<ManuallyDrop<ZipArchive<FileReader>>>,
    /// Files that were opened, jars or not.
    opened: usize,
    folders: Vec<PathBuf>,
    classes: Vec<Place>,
    /// By a hash of the internal name, for two that share one cost a class that nobody takes; `None` where there is none.
    known: FxHashMap<u64, Option<At>>,
    /// How many of these are `None`.
    misses: usize,
    reading: Reading,
}

impl ClassPath {
    /// Reads the lists of the jars on both paths, and of those that their manifests name. What cannot be read is left out.
    pub(super) fn read(classes: &str, modules: &str) -> Self {
        let mut path = Self::default();
        let files = |text: &str| std::env::split_paths(text).collect::<Vec<PathBuf>>();
        let mut next = files(classes);
        for module in files(modules) {
            match fs::read_dir(&module) {
                Ok(entries) if !module.join("module-info.class").exists() => {
                    next.extend(entries.flatten().map(|entry| entry.path()));
                }
                _ => next.push(module),
            }
        }
        let (jars, mut buffer) = (most_jars(), vec![0; RECOMMENDED_BUFFER_SIZE]);
        let mut at = 0;
        while at < next.len() {
            let file = next[at].clone();
            if file.is_dir() && path.folders.len() < FOLDERS {
                path.folders.push(file);
            } else if path.opened < jars {
                for jar in path.add(&file, &mut buffer).unwrap_or_default() {
                    if !next.contains(&jar) {
                        next.push(jar);
                    }
                }
            }
            at += 1;
        }
        path
    }

    /// Is there nothing to look into?
    pub(super) fn is_empty(&self) -> bool {
        self.classes.is_empty() && self.folders.is_empty()
    }

    /// Adds a jar's classes. The further jars that it names.
    fn add(&mut self, jar: &Path, buffer: &mut [u8]) -> Option<Vec<PathBuf>> {
        // Opening a pipe may wait for ever.
        let file = Some(jar).filter(|jar| jar.is_file()).and_then(|jar| File::open(jar).ok())?;
        self.opened += 1;
        // What is no jar stays open likewise.
        let archive =
            ZipLocator::new().locate_in_file(file, buffer).map_err(|(file, _)| std::mem::forget(file)).ok()?;
        let archive = ManuallyDrop::new(archive);
        let number = self.jars.len() as u16;
        let mut manifest = None;
        let mut entries = archive.entries(buffer);
        while let Ok(Some(entry)) = entries.next_entry() {
            let path = entry.file_path();
            let name: &[u8] = path.as_ref();
            let archived = Archived { way: entry.wayfinder(), method: entry.compression_method() };
            if name == MANIFEST.as_bytes() {
                manifest = Some(archived);
            } else if let Some(class) = name.strip_suffix(b".class")
                && self.classes.len() < CLASSES
            {
                // The first one on the path is what is loaded.
                let at = At(self.classes.len() as u32);
                if *self.known.entry(hash(class)).or_insert(Some(at)) == Some(at) {
                    self.classes.push(Place::Jar(number, archived));
                }
            }
        }
        let manifest = manifest.and_then(|manifest| self.reading.bytes(&archive, manifest));
        self.jars.push(archive);
        Some(manifest::class_path(jar, &String::from_utf8_lossy(&manifest?)))
    }

    /// The class with this internal name.
    pub(super) fn find(&mut self, name: &[u8]) -> Option<At> {
        let hash = hash(name);
        if let Some(&known) = self.known.get(&hash) {
            return known;
        }
        let found = self.find_in_folders(name);
        if found.is_none() {
            // Programs may make classes of ever new names. Those that are forgotten are looked for again.
            if self.misses == MISSES {
                self.known.retain(|_, at| at.is_some());
                self.misses = 0;
            }
            self.misses += 1;
        }
        self.known.insert(hash, found);
        found
    }

    fn find_in_folders(&mut self, name: &[u8]) -> Option<At> {
        // A class file may name what would lead out of the folders.
        if !is_binary(name) {
            return None;
        }
        let file = Path::new(OsStr::from_bytes(name)).with_extension("class");
        let found = self.folders.iter().map(|folder| folder.join(&file)).find(|file| file.is_file());
        let found = found.filter(|_| self.classes.len() < CLASSES)?;
        self.classes.push(Place::File(found));
        Some(At(self.classes.len() as u32 - 1))
    }

    /// Takes back what [`Self::bytes`] gave, for the memory.
    pub(super) fn recycle(&mut self, bytes: Vec<u8>) {
        self.reading.recycle(bytes);
    }

    /// Its bytes; `None` if they cannot be read.
    pub(super) fn bytes(&mut self, class: At) -> Option<Vec<u8>> {
        match self.classes.get(class.0 as usize)? {
            Place::Jar(jar, archived) => self.reading.bytes(self.jars.get(usize::from(*jar))?, *archived),
            Place::File(file) => {
                let size = fs::metadata(file).ok().filter(|file| file.len() <= SIZE);
                size.and_then(|_| fs::read(file).ok())
            }
        }
    }
}

fn most_jars() -> usize {
    let mut files = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: writes into the struct, and no more.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut files) } == 0;
    if known { JARS.min(usize::try_from(files.rlim_cur).unwrap_or(JARS) / PART) } else { 0 }
}

/// May a class have this internal name? JVMS 4.2.1 and 4.2.2.
fn is_binary(name: &[u8]) -> bool {
    name.split(|&byte| byte == b'/').all(|part| !part.is_empty() && !part.iter().any(|byte| b".;[".contains(byte)))
}

fn hash(name: &[u8]) -> u64 {
    FxBuildHasher.hash_one(name)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::MetadataExt;

    use flate2::Compression;
    use flate2::write::DeflateEncoder;
    use rawzip::{CompressionMethod, ZipArchiveWriter};

    use super::*;

    fn jar(file: &Path, entries: &[(&str, &[u8], bool)]) {
        let mut out = File::create(file).unwrap();
        let mut archive = ZipArchiveWriter::new(&mut out);
        for (name, bytes, packed) in entries {
            let method = if *packed { CompressionMethod::DEFLATE } else { CompressionMethod::STORE };
            let (mut entry, config) = archive.new_file(name).compression_method(method).start().unwrap();
            let descriptor = if *packed {
                let mut writer = config.wrap(DeflateEncoder::new(&mut entry, Compression::default()));
                writer.write_all(bytes).unwrap();
                let (encoder, descriptor) = writer.finish().unwrap();
                encoder.finish().unwrap();
                descriptor
            } else {
                let mut writer = config.wrap(&mut entry);
                writer.write_all(bytes).unwrap();
                writer.finish().unwrap().1
            };
            entry.finish(descriptor).unwrap();
        }
        archive.finish().unwrap();
    }

    #[test]
    fn the_first_class_of_a_name_on_the_path_is_found_in_jars_and_folders() {
        let folder = std::env::temp_dir().join(format!("lucce-class-path-{}", std::process::id()));
        fs::create_dir_all(folder.join("classes/a")).unwrap();
        fs::write(folder.join("classes/a/D.class"), b"in a folder").unwrap();
        fs::write(folder.join("Outside.class"), b"beside the folder").unwrap();
        let manifest = b"Manifest-Version: 1.0\r\nClass-Path: named.jar\r\n\r\n";
        let long = [b'x'; 4000];
        jar(
            &folder.join("first.jar"),
            &[(MANIFEST, manifest, true), ("a/B.class", b"first", false), ("a/C.class", &long, true)],
        );
        jar(&folder.join("named.jar"), &[("a/B.class", b"second", true), ("a/E.class", b"named", true)]);
        fs::write(folder.join("broken.jar"), b"PK\x03\x04 no archive").unwrap();
        let paths = ["broken.jar", "gone.jar", "first.jar", "classes"].map(|name| folder.join(name));
        let text = std::env::join_paths(paths).unwrap().into_string().unwrap();

        let mut path = ClassPath::read(&text, "");
        let mut bytes = |name: &str| path.find(name.as_bytes()).and_then(|at| path.bytes(at));
        assert_eq!(bytes("a/B").as_deref(), Some(&b"first"[..]));
        assert_eq!(bytes("a/C").as_deref(), Some(&long[..]));
        assert_eq!(bytes("a/D").as_deref(), Some(&b"in a folder"[..]));
        assert_eq!(bytes("a/E").as_deref(), Some(&b"named"[..]));
        assert_eq!((bytes("a/F"), bytes("a/F")), (None, None));
        let absolute = format!("{}/Outside", folder.display());
        assert_eq!((bytes("../Outside"), bytes(&absolute), bytes("a//D")), (None, None, None));
        // Memory that held something else.
        path.recycle(vec![b'y'; 9000]);
        let again = ["a/C", "a/E"].map(|name| path.find(name.as_bytes()).and_then(|at| path.bytes(at)));
        assert_eq!([again[0].as_deref(), again[1].as_deref()], [Some(&long[..]), Some(&b"named"[..])]);
        assert!(ClassPath::read("", "").is_empty());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn names_that_are_not_there_are_bounded_and_classes_kept() {
        let mut path = ClassPath::default();
        path.known.insert(hash(b"a/B"), Some(At(0)));
        for number in 0..2 * MISSES + 1 {
            assert_eq!(path.find(format!("made/Number{number}").as_bytes()), None);
            assert!(path.known.len() <= MISSES + 1);
        }
        assert_eq!(path.find(b"a/B"), Some(At(0)));
    }

    /// The program may have locked its own jar, so that it runs once.
    #[test]
    fn locks_of_the_program_are_kept() {
        let folder = std::env::temp_dir().join(format!("lucce-locks-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let files = ["a.jar", "no.jar"].map(|name| folder.join(name));
        jar(&files[0], &[("a/B.class", b"first", false)]);
        fs::write(&files[1], b"no archive").unwrap();
        let locked = files.each_ref().map(|file| {
            let file = File::options().write(true).open(file).unwrap();
            let whole = libc::flock {
                l_type: libc::F_WRLCK as _,
                l_whence: libc::SEEK_SET as _,
                l_start: 0,
                l_len: 0,
                l_pid: 0,
            };
            // SAFETY: an open descriptor, and what F_SETLK reads.
            assert_eq!(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLK, &whole) }, 0);
            file
        });
        let text = std::env::join_paths(&files).unwrap().into_string().unwrap();
        let path = ClassPath::read(&text, "");
        assert!(!path.is_empty());
        drop(path);
        let locks = fs::read_to_string("/proc/locks").unwrap();
        for file in &locked {
            let inode = format!(":{} ", file.metadata().unwrap().ino());
            assert!(locks.lines().any(|lock| lock.contains("POSIX") && lock.contains(&inode)), "{locks}");
        }
        fs::remove_dir_all(folder).unwrap();
    }
}
