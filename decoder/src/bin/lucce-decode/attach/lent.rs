//! What is put into the JVM's own file system while it is asked: a file for the agent's answer, and
//! the library where the JVM does not see ours.
//!
//! Invariant: the folder is new and the JVM's user's alone. Files are made before that user owns
//! the folder, and the answer is read by the handle that made it, so that no link is followed. All
//! goes again when this goes; a library that is loaded stays mapped without its name.
//! Source: unlink(2), mount_namespaces(7).

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown, lchown};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::target::Target;

const ANSWER: &str = "answer";
const LIBRARY: &str = "liblucce.so";
/// Longest answer that is read.
const LONGEST: u64 = 4096;

/// The folder, and how the JVM calls what is in it.
pub struct Lent {
    folder: PathBuf,
    within: PathBuf,
    answer: File,
    library: PathBuf,
}

impl Lent {
    /// Makes the folder.
    ///
    /// # Errors
    /// One line that says what cannot be made.
    pub fn to(target: &Target, library: &Path) -> Result<Self, String> {
        let nanos = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let name = format!("lucce-attach-{}-{nanos}", target.inner);
        let folder = target.temporary()?.join(&name);
        let failed = |error: io::Error| format!("cannot make {}: {error}", folder.display());
        DirBuilder::new().mode(0o700).create(&folder).map_err(failed)?;
        let within = Path::new("/tmp").join(name);
        let made = Self::fill(target, library, (&folder, &within));
        let (answer, library) = made.inspect_err(|_| remove(&folder)).map_err(failed)?;
        Ok(Self { folder, within, answer, library })
    }

    fn fill(target: &Target, library: &Path, (folder, within): (&Path, &Path)) -> io::Result<(File, PathBuf)> {
        let owner = target.is_others.then_some(target.owner);
        let give = |file: &File| owner.map_or(Ok(()), |(user, group)| fchown(file, Some(user), Some(group)));
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true).mode(0o600);
        let answer = options.open(folder.join(ANSWER))?;
        give(&answer)?;
        let seen = if is_seen(target, library) {
            library.to_owned()
        } else {
            let mut copy = options.open(folder.join(LIBRARY))?;
            io::copy(&mut File::open(library)?, &mut copy)?;
            copy.set_permissions(fs::Permissions::from_mode(0o755))?;
            give(&copy)?;
            within.join(LIBRARY)
        };
        if let Some((user, group)) = owner {
            lchown(folder, Some(user), Some(group))?;
        }
        Ok((answer, seen))
    }

    /// The library, as the JVM sees it.
    pub fn library(&self) -> &Path {
        &self.library
    }

    /// Where the agent writes its answer.
    pub fn answer_path(&self) -> String {
        self.within.join(ANSWER).display().to_string()
    }

    /// The line that the agent has written.
    pub fn answer(&mut self) -> Option<String> {
        let mut text = String::new();
        self.answer.rewind().ok()?;
        (&self.answer).take(LONGEST).read_to_string(&mut text).ok()?;
        text.lines().next().map(str::to_owned).filter(|line| !line.is_empty())
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        remove(&self.folder);
    }
}

/// Takes the folder away. What cannot be removed is in a folder for temporary files.
fn remove(folder: &Path) {
    for name in [ANSWER, LIBRARY] {
        let _ = fs::remove_file(folder.join(name));
    }
    let _ = fs::remove_dir(folder);
}

/// Has the JVM this very file under this name?
fn is_seen(target: &Target, library: &Path) -> bool {
    let there = library.strip_prefix("/").map(|path| target.root.join(path));
    let of = |path: &Path| fs::metadata(path).map(|file| (file.dev(), file.ino())).ok();
    there.is_ok_and(|there| of(&there).is_some_and(|identity| of(library) == Some(identity)))
}
