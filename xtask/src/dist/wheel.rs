//! Wheels for `pip install`: the decoder as a program, the agents in the folder `lib` beside its
//! folder `bin`, for one architecture.
//!
//! Invariant: the tags name the C libraries that there is an agent for, nothing runs at
//! installation, and the same files give the same bytes.
//! Source: packaging.python.org, "Binary distribution format" and "Platform compatibility tags";
//! PEP 639, PEP 656.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::AGENTS;
use crate::{Result, build, jvms, process, tree};

/// What licences and dependencies ask to be carried along.
const LICENCES: [&str; 3] = ["LICENSE-MIT", "LICENSE-APACHE", "NOTICE"];

/// The musl that Rust's own library is made for, as wheels name it.
const MUSL: &str = "1_2";

/// Packs what lies in the folder of an architecture, into the folder above it all. The wheel.
///
/// # Errors
/// One line for what cannot be read or written.
pub fn pack(folder: &Path, architecture: &str, version: &str, (major, minor): (u32, u32)) -> Result<PathBuf> {
    let platforms = [format!("manylinux_{major}_{minor}_{architecture}"), format!("musllinux_{MUSL}_{architecture}")];
    let wheel = tree::cache().join("dist").join(format!("lucce-{version}-py3-none-{}.whl", platforms.join(".")));
    let read = |file: PathBuf| fs::read(&file).map_err(|e| format!("cannot read {}: {e}", file.display()));
    let (data, about) = (format!("lucce-{version}.data"), format!("lucce-{version}.dist-info"));
    let mut files = vec![
        (format!("{data}/scripts/{}", build::DECODER), 0o755, read(folder.join(build::DECODER))?),
        (format!("{about}/METADATA"), 0o644, metadata(version).into_bytes()),
        (format!("{about}/WHEEL"), 0o644, tags(&platforms).into_bytes()),
    ];
    for name in AGENTS {
        files.push((format!("{data}/data/lib/{name}"), 0o644, read(folder.join(name))?));
    }
    for name in LICENCES {
        files.push((format!("{about}/licenses/{name}"), 0o644, read(tree::root().join(name))?));
    }
    let record = format!("{about}/RECORD");
    files.push((record.clone(), 0o644, recorded(&files, &record).into_bytes()));
    write(&wheel, &files).map_err(|e| format!("cannot write {}: {e}", wheel.display()))?;
    Ok(wheel)
}

/// Installs a wheel for this machine in an environment of its own, and has what is installed look
/// at each JVM.
///
/// # Errors
/// One line for the command that fails.
pub fn try_out(wheel: &Path) -> Result<()> {
    let folder = std::env::temp_dir().join(format!("lucce-wheel-{}", std::process::id()));
    let done = install(wheel, &folder);
    let _ = fs::remove_dir_all(&folder);
    done
}

fn install(wheel: &Path, environment: &Path) -> Result<()> {
    let python = process::python()?;
    // pip comes from outside, since Debian's Python has none to give.
    process::run(process::command(python).args(["-m", "venv", "--without-pip"]).arg(environment))?;
    let bin = environment.join("bin");
    let mut pip = process::command(python);
    pip.args(["-m", "pip", "--python"]).arg(bin.join("python"));
    pip.args(["install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps"]);
    process::run(pip.arg(wheel))?;
    let version = process::output(process::command(bin.join(build::DECODER)).arg("--version"))?;
    if !version.contains(env!("CARGO_PKG_VERSION")) {
        return Err(format!("{} installs {version}", tree::shown(wheel)));
    }
    let doctor =
        |java: PathBuf| process::run(process::command(bin.join(build::DECODER)).args(["doctor", "--java"]).arg(java));
    jvms::matrix().try_for_each(|jvm| doctor(jvm.java()))
}

fn metadata(version: &str) -> String {
    format!(
        "Metadata-Version: 2.4\nName: lucce\nVersion: {version}\n\
         Summary: The exact calling context of every event in a JVM: the Lucce agent and its decoder\n\
         License-Expression: MIT OR Apache-2.0\n{}Requires-Python: >=3.7\n",
        LICENCES.map(|name| format!("License-File: {name}\n")).concat()
    )
}

fn tags(platforms: &[String]) -> String {
    let tags: String = platforms.iter().map(|platform| format!("Tag: py3-none-{platform}\n")).collect();
    format!("Wheel-Version: 1.0\nGenerator: xtask\nRoot-Is-Purelib: false\n{tags}")
}

type Entry = (String, u32, Vec<u8>);

/// The list of all files, with their digests but for its own.
fn recorded(files: &[Entry], own: &str) -> String {
    let line = |(name, _, bytes): &Entry| {
        format!("{name},sha256={},{}\n", URL_SAFE_NO_PAD.encode(Sha256::digest(bytes)), bytes.len())
    };
    files.iter().map(line).collect::<String>() + &format!("{own},,\n")
}

fn write(wheel: &Path, files: &[Entry]) -> io::Result<()> {
    let mut zip = ZipWriter::new(File::create(wheel)?);
    for (name, mode, bytes) in files {
        zip.start_file(name, SimpleFileOptions::default().unix_permissions(*mode))?;
        zip.write_all(bytes)?;
    }
    zip.finish().map(drop).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_has_the_digest_of_each_file_but_its_own() {
        let files = [("a/b".to_owned(), 0o644, b"abc".to_vec())];
        let expected = "a/b,sha256=ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0,3\nr,,\n";
        assert_eq!(recorded(&files, "r"), expected);
    }
}
