//! Where the definitions of a run are kept, for the files and keyframes that repeat them: in a file
//! without a name, beside the log.
//!
//! Invariant: what could not be written stays in memory, so nothing is lost by a full disk. The
//! file goes with the process, however that ends. Source: open(2), O_TMPFILE;
//! docs/design/log-files.md ("Files of a run").

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use lucce_log::Keep;

/// The blocks of a run's definitions.
pub(super) struct Spool {
    folder: PathBuf,
    /// Made with the first block.
    file: Option<File>,
    /// Where it ends.
    end: u64,
    blocks: Vec<Spooled>,
}

/// Where a block is.
enum Spooled {
    InFile { at: u64, len: u32 },
    InMemory(Vec<u8>),
}

impl Spool {
    /// Nothing yet, and no file.
    pub(super) fn beside(log: &Path) -> Self {
        let folder = log.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")).into();
        Self { folder, file: None, end: 0, blocks: Vec::new() }
    }

    fn write(&mut self, block: &[u8]) -> io::Result<Spooled> {
        let file = match &mut self.file {
            Some(file) => file,
            file => file.insert(nameless(&self.folder)?),
        };
        file.write_all_at(block, self.end)?;
        let (at, len) = (self.end, block.len() as u32);
        self.end += u64::from(len);
        Ok(Spooled::InFile { at, len })
    }
}

impl Keep for Spool {
    fn put(&mut self, block: Vec<u8>) {
        let place = self.write(&block).unwrap_or(Spooled::InMemory(block));
        self.blocks.push(place);
    }

    fn get(&self, index: u32) -> Option<Vec<u8>> {
        match self.blocks.get(index as usize)? {
            Spooled::InMemory(block) => Some(block.clone()),
            Spooled::InFile { at, len } => {
                let mut block = vec![0; *len as usize];
                self.file.as_ref()?.read_exact_at(&mut block, *at).ok()?;
                Some(block)
            }
        }
    }
}

/// A file that no folder lists, in the file system of this one.
fn nameless(folder: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o600);
    match options.clone().custom_flags(libc::O_TMPFILE | libc::O_CLOEXEC).open(folder) {
        Ok(file) => Ok(file),
        // Not every file system has such files: one that is deleted at once is the same.
        Err(_) => {
            let path = folder.join(format!(".lucce-{}", std::process::id()));
            let file = options.create_new(true).custom_flags(libc::O_NOFOLLOW | libc::O_CLOEXEC).open(&path)?;
            std::fs::remove_file(&path)?;
            Ok(file)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_is_had_again_and_no_folder_lists_it() {
        let folder = std::env::temp_dir().join(format!("lucce-spool-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for folder in [folder.as_path(), Path::new("/nowhere")] {
            let mut spool = Spool::beside(&folder.join("events.log"));
            spool.put(vec![1; 10]);
            spool.put(vec![2; 3]);
            assert_eq!([0, 1, 2].map(|index| spool.get(index)), [Some(vec![1; 10]), Some(vec![2; 3]), None]);
            assert_eq!(spool.file.is_some(), folder.exists());
            assert!(std::fs::read_dir(folder).map_or(0, Iterator::count) == 0);
        }
        std::fs::remove_dir(&folder).unwrap();
    }
}
