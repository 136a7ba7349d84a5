//! Child processes: their failures as one line, and the system's package manager.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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
    let out = command.stderr(Stdio::inherit()).output().map_err(|e| format!("cannot run {}: {e}", line(command)))?;
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

/// Debian's own Python, whatever comes first on PATH.
const DEBIAN_PYTHON: &str = "/usr/bin/python3";

/// Runs pip with these arguments; it is installed if no Python has it.
///
/// # Errors
/// As [`run`] and [`install`].
pub fn pip(arguments: &[&std::ffi::OsStr]) -> Result<()> {
    let (verb, rest) = arguments.split_first().ok_or("pip without arguments")?;
    let options = ["--quiet", "--disable-pip-version-check"];
    run(command(python()?).args(["-m", "pip"]).arg(verb).args(options).args(rest))
}

/// A Python with pip; installed if there is none.
///
/// # Errors
/// As [`install`].
pub fn python() -> Result<&'static str> {
    if let Some(python) = ["python3", DEBIAN_PYTHON].into_iter().find(|python| has_pip(python)) {
        return Ok(python);
    }
    install("pip", &["python3-pip"])?;
    Ok(DEBIAN_PYTHON)
}

/// Is there such a Python, and does it have pip?
fn has_pip(python: &str) -> bool {
    let version = command(python).args(["-m", "pip", "--version"]).output();
    version.is_ok_and(|out| out.status.success())
}

/// Everything that is ever installed, so that whoever does it by hand does it once.
const BY_HAND: &str = "apt-get install default-jdk-headless gradle python3-pip npm chromium";

/// Installs the first of `packages` that the system has, if we are root on Debian or a relative of
/// it. What `apt-get` says goes to a file in `target`.
///
/// # Errors
/// One line saying what to install by hand, and why it was not done here.
pub fn install(what: &str, packages: &[&str]) -> Result<()> {
    let by_hand = |why: &str| format!("{what} is missing: install it (Debian: {BY_HAND}); not done here: {why}");
    if !Path::new("/usr/bin/apt-get").exists() {
        return Err(by_hand("there is no apt-get"));
    }
    if !output(command("id").arg("-u")).is_ok_and(|uid| uid.trim() == "0") {
        return Err(by_hand("not root"));
    }
    let path = tree::cache().join("apt-get.log");
    let log = fs::create_dir_all(tree::cache()).and_then(|()| File::options().create(true).append(true).open(&path));
    let log = log.map_err(|e| format!("cannot write {}: {e}", path.display()))?;
    let apt = |args: &[&str]| -> io::Result<bool> {
        let mut apt = command("apt-get");
        apt.env("DEBIAN_FRONTEND", "noninteractive").args(["-q", "-y"]).args(args);
        Ok(apt.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log.try_clone()?).status()?.success())
    };
    println!("{what} is missing: installing {} (apt-get writes to {})", packages.join(" or "), tree::shown(&path));
    let install_any = || packages.iter().any(|p| apt(&["install", "--no-install-recommends", p]).unwrap_or(false));
    // A list that cannot be had (of a repository that is gone, say) need not be the one that
    // matters.
    let updated = || apt(&["update"]).is_ok();
    if install_any() || updated() && install_any() {
        Ok(())
    } else {
        Err(by_hand(&format!("apt-get failed, see {}", tree::shown(&path))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_python_has_no_pip() {
        assert!(!has_pip("/nowhere/python3") && !has_pip("false") && has_pip("true"));
    }
}
