//! Child processes: their failures as one line, and the system's package manager.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Result, tree};

/// A command that runs in the root of the checkout.
pub fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(tree::root());
    command
}

/// The cargo that runs this xtask.
pub fn cargo() -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs to the end with our own input and output.
///
/// # Errors
/// One line naming the command, when it cannot start or does not succeed.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().map_err(|e| format!("cannot run {}: {e}", line(command)))?;
    if status.success() { Ok(()) } else { Err(format!("failed ({status}): {}", line(command))) }
}

/// Runs to the end and gives what it wrote to its output.
///
/// # Errors
/// As [`run`].
pub fn output(command: &mut Command) -> Result<String> {
    let out = command
        .stderr(std::process::Stdio::inherit())
        .output()
        .map_err(|e| format!("cannot run {}: {e}", line(command)))?;
    if !out.status.success() {
        return Err(format!("failed ({}): {}", out.status, line(command)));
    }
    Ok(String::from_utf8_lossy(&out.stdout).into_owned())
}

fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// The first executable of that name on PATH.
pub fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(program)).find(|file| file.is_file())
}

/// Installs the first of `packages` that the system has, if we are root on Debian or a relative of it.
///
/// # Errors
/// One line saying what to install by hand.
pub fn install(what: &str, packages: &[&str]) -> Result<()> {
    let by_hand = format!("{what} is missing: install it (Debian: apt-get install {})", packages[0]);
    let root = output(command("id").arg("-u")).is_ok_and(|uid| uid.trim() == "0");
    if !root || !Path::new("/usr/bin/apt-get").exists() {
        return Err(by_hand);
    }
    let apt =
        |args: &[&str]| run(command("apt-get").env("DEBIAN_FRONTEND", "noninteractive").args(["-q", "-y"]).args(args));
    println!("{what} is missing: installing {}", packages[0]);
    let install_any = || packages.iter().any(|p| apt(&["install", "--no-install-recommends", p]).is_ok());
    if install_any() || apt(&["update"]).is_ok() && install_any() { Ok(()) } else { Err(by_hand) }
}
