//! The process to attach to: whose it is, how it is called in its own spaces, and whether it is a
//! JVM that can be asked.
//!
//! Invariant: nothing is changed here. Source: proc(5), namespaces(7).

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::agent::CLibrary;
use crate::ctl;

/// A JVM.
pub struct Target {
    /// Its number here.
    pub pid: u32,
    /// Its number in its own space.
    pub inner: u32,
    /// Its user and group.
    pub owner: (u32, u32),
    /// Is that another user than ours, which only root may ask?
    pub is_others: bool,
    /// Its own root folder, as it is seen here.
    pub root: PathBuf,
    /// Its working folder, likewise.
    pub folder: PathBuf,
    /// What the agent in it must be built for.
    pub c_library: CLibrary,
    /// Does it handle SIGQUIT? A process that does not ends by it.
    pub takes_quit: bool,
}

impl Target {
    /// The process of that number.
    ///
    /// # Errors
    /// One line: there is none, it is no JVM, or it is another user's.
    pub fn find(pid: u32) -> Result<Self, String> {
        let process = Path::new("/proc").join(pid.to_string());
        let status = fs::read_to_string(process.join("status")).map_err(|_| format!("there is no process {pid}"))?;
        let own = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let (owner, ours) = (effective(&status), effective(&own));
        let (Some(owner), Some(ours)) = (owner, ours) else {
            return Err(format!("process {pid}: whose it is is not known"));
        };
        if ours.0 != 0 && owner != ours {
            let (user, group) = owner;
            return Err(format!(
                "process {pid} is of user {user} and group {group}, and the JVM obeys only these and root: attach as that user"
            ));
        }
        let maps = fs::read_to_string(process.join("maps"))
            .map_err(|error| format!("process {pid} cannot be looked at: {error}"))?;
        if !maps.contains("/libjvm.so") {
            return Err(format!("process {pid} is no HotSpot JVM"));
        }
        let c_library = CLibrary::of(&process.join("exe"));
        let inner = ctl::number_within(&status).unwrap_or(pid);
        let root = process.join("root");
        // Its root may not be ours to look into, and ours the same.
        let root = match fs::metadata(root.join("tmp")) {
            Err(error) if error.kind() == ErrorKind::PermissionDenied && inner == pid => PathBuf::from("/"),
            _ => root,
        };
        let (is_others, takes_quit) = (owner != ours, catches(&status, SIGQUIT));
        Ok(Self { pid, inner, owner, is_others, root, folder: process.join("cwd"), c_library, takes_quit })
    }

    /// Its folder for temporary files, as it is seen here. HotSpot's is always this one.
    ///
    /// # Errors
    /// One line: there is none, or a link stands there, which would lead elsewhere from here.
    pub fn temporary(&self) -> Result<PathBuf, String> {
        let path = self.root.join("tmp");
        match fs::symlink_metadata(&path) {
            Ok(folder) if folder.is_dir() => Ok(path),
            Ok(_) => Err(format!("{} is no folder", path.display())),
            Err(error) => Err(format!("{}: {error}", path.display())),
        }
    }
}

const SIGQUIT: u32 = 3;

/// Effective user and group.
fn effective(status: &str) -> Option<(u32, u32)> {
    let second = |name: &str| {
        let numbers = status.lines().find_map(|line| line.strip_prefix(name))?;
        numbers.split_whitespace().nth(1)?.parse().ok()
    };
    Some((second("Uid:")?, second("Gid:")?))
}

/// Has the process a handler for a signal?
fn catches(status: &str, signal: u32) -> bool {
    let caught = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigCgt:")?.trim(), 16).ok());
    caught.is_some_and(|caught| caught >> (signal - 1) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_says_is_read() {
        let status = "Name:\tjava\nUid:\t1000\t1001\t1000\t1000\nGid:\t7\t8\t9\t9\nSigCgt:\t0000000000000004\n";
        assert_eq!(effective(status), Some((1001, 8)));
        assert!(catches(status, SIGQUIT) && !catches(status, 2) && !catches("", SIGQUIT));
        assert_eq!(effective("Name:\tjava\n"), None);
    }

    #[test]
    fn a_process_that_is_no_jvm_is_refused() {
        let refused = Target::find(std::process::id()).err().unwrap_or_default();
        assert!(refused.ends_with("is no HotSpot JVM"), "{refused}");
        let refused = Target::find(u32::MAX).err().unwrap_or_default();
        assert!(refused.starts_with("there is no process"), "{refused}");
    }
}
