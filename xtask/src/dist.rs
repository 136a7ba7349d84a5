//! `cargo xtask dist`: what people take away, for each architecture, as a folder and a tarball, and
//! a wheel for each beside it.
//!
//! Invariants: the agent is there for GNU's C library, none newer than [`FLOOR`], and for musl; the
//! decoder asks for none at all. Each is for the architecture whose folder holds it, and the first
//! two work in every JVM of the test matrix if they are for this machine; otherwise nothing is
//! packed. What is packed stands with its digest in `SHA256SUMS`, and is all that its quick start
//! needs.

mod elf;
mod java_agent;
mod maven;
mod quick_start;
mod tools;
mod wheel;

use std::fs;
use std::path::{Path, PathBuf};

use crate::check::documents;
use crate::{Result, download, jvms, process, tree};
use elf::{Elf, Machine};
use tools::CLibrary;

/// The newest version of the GNU C library that the agent may need: that of Rust's own floor, and
/// of every distribution since 2014.
const FLOOR: (u32, u32) = (2, 17);

/// Libraries that the agent may name: parts of the GNU C library, which every such system has. Its
/// timers are in librt before version 2.34.
const LIBRARIES: [&str; 6] = ["libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "ld-linux"];

/// The one that an agent for musl may name, which is musl itself (`ldso/dynlink.c`).
const MUSL: &str = "libc.so";

/// The agent, for each C library.
const AGENTS: [&str; 2] = ["liblucce.so", "liblucce-musl.so"];

/// An architecture that is packed.
struct Architecture {
    name: &'static str,
    machine: Machine,
}

const ARCHITECTURES: [Architecture; 2] = [
    Architecture { name: "x86_64", machine: Machine::X86_64 },
    Architecture { name: "aarch64", machine: Machine::Aarch64 },
];

/// What is packed as it is.
const FILES: [&str; 9] = [
    "README.md",
    "CHANGELOG.md",
    "LICENSE-MIT",
    "LICENSE-APACHE",
    "NOTICE",
    "docs/FORMAT.md",
    "examples/c/waits.c",
    "examples/java/Orders.java",
    "examples/rust/allocations.rs",
];

/// Examples that are packed as they are: projects of build tools, which take what they need from
/// the Maven repository beside them.
const EXAMPLES: [&str; 3] = ["examples/gradle", "examples/maven", "examples/spring-boot"];

/// What building them leaves.
const BUILT: [&str; 3] = ["build", "target", ".gradle"];

/// Pictures of the guide, in its folder.
const IMAGES: &str = "images";

/// Builds and packs everything.
///
/// # Errors
/// One line for the first step that failed.
pub fn run() -> Result<()> {
    let tools = tools::fetch()?;
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("lucce-{version}-linux");
    let folder = tree::cache().join("dist").join(&name);
    let _ = fs::remove_dir_all(&folder);
    make(&folder)?;
    for architecture in &ARCHITECTURES {
        pack_native(&tools, architecture, &folder.join(architecture.name))?;
        if architecture.name == std::env::consts::ARCH {
            try_out(&folder.join(architecture.name))?;
        }
    }
    maven::pack(&folder.join("maven"), &folder)?;
    java_agent::try_out(&folder.join(format!("maven/org/lucce/lucce-agent/{version}/lucce-agent-{version}.jar")))?;
    for file in FILES {
        tree::copy(&tree::root().join(file), &folder.join(file))?;
    }
    examples(&folder)?;
    for chapter in documents::chapters(&tree::root().join(documents::GUIDE)) {
        tree::copy(&chapter, &folder.join(tree::shown(&chapter)))?;
    }
    tree::copy_folder(
        &tree::root().join(documents::GUIDE).join(IMAGES),
        &folder.join(documents::GUIDE).join(IMAGES),
        &[],
    )?;
    tree::copy(&tree::root().join(quick_start::FILE.0), &folder.join(quick_start::FILE.1))?;
    tree::copy(&tree::root().join("embed/include/lucce.h"), &folder.join("include/lucce.h"))?;
    pack_crate(&folder.join("embed"), version)?;
    let mut files = Vec::new();
    list(&folder, &mut files)?;
    sums(&folder, files)?;

    let tarball = folder.with_file_name(format!("{name}.tar.gz"));
    // The same bytes whoever packs, and whenever.
    process::run(
        process::command("tar")
            .args(["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner", "--mode=u+w,go-w"])
            .arg("--directory")
            .arg(tree::cache().join("dist"))
            .args(["--use-compress-program=gzip -n", "--create", "--file"])
            .arg(&tarball)
            .arg(&name),
    )?;
    try_archive(&tarball)?;
    println!("{}", tree::shown(&folder));
    let mut files = vec![tarball];
    for Architecture { name, .. } in &ARCHITECTURES {
        let wheel = wheel::pack(&folder.join(name), name, version, FLOOR)?;
        if *name == std::env::consts::ARCH {
            wheel::try_out(&wheel)?;
        }
        files.push(wheel);
    }
    print!("{}", sums(folder.parent().unwrap_or(&folder), files)?);
    Ok(())
}

/// Puts into an archive that has agent and decoder what build tools need of it: the Maven
/// repository, of jars that Gradle has made before, and the examples.
///
/// # Errors
/// One line for what is missing, or cannot be written.
pub fn for_build_tools(archive: &Path) -> Result<()> {
    maven::pack_built(&archive.join("maven"), archive)?;
    examples(archive)
}

/// Copies the projects of build tools.
fn examples(folder: &Path) -> Result<()> {
    EXAMPLES
        .iter()
        .try_for_each(|example| tree::copy_folder(&tree::root().join(example), &folder.join(example), &BUILT))
}

/// Follows the quick start of an archive that is packed.
///
/// # Errors
/// One line for the first command that fails.
pub fn try_archive(archive: &Path) -> Result<()> {
    quick_start::follow(archive)
}

/// Builds agent and decoder for one architecture, looks at what came out, and puts both into
/// `folder`.
fn pack_native(tools: &tools::Tools, architecture: &Architecture, folder: &Path) -> Result<()> {
    let Architecture { name, machine } = architecture;
    make(folder)?;
    let [of_gnu, of_musl] = AGENTS.map(|file| folder.join(file));
    let agent = tools.build("lucce-agent", name, CLibrary::Gnu(FLOOR.0, FLOOR.1))?.join("liblucce.so");
    let elf = Elf::read(&agent)?;
    let needs = check_agent(&elf, *machine).map_err(|what| format!("{}: {what}", tree::shown(&agent)))?;
    println!("{name}: liblucce.so needs GLIBC_{}.{} or later", needs.0, needs.1);
    tools.without_debug(&agent, &of_gnu)?;

    let agent = tools.build("lucce-agent", name, CLibrary::Musl)?.join("liblucce.so");
    let elf = Elf::read(&agent)?;
    check_musl(&elf, *machine).map_err(|what| format!("{}: {what}", tree::shown(&agent)))?;
    println!("{name}: {} needs musl alone", AGENTS[1]);
    tools.without_debug(&agent, &of_musl)?;

    let decoder = tools.build("lucce-decoder", name, CLibrary::Own)?.join("lucce-decode");
    let elf = Elf::read(&decoder)?;
    check_decoder(&elf, *machine).map_err(|what| format!("{}: {what}", tree::shown(&decoder)))?;
    println!("{name}: lucce-decode is static");
    tools.without_debug(&decoder, &folder.join("lucce-decode"))
}

/// Has the packed decoder run the packed agent beside it, every check of `verify=1` at work, in
/// each JVM of the test matrix.
fn try_out(folder: &Path) -> Result<()> {
    for jvm in jvms::matrix() {
        jvm.fetch()?;
        process::run(process::command(folder.join("lucce-decode")).args(["doctor", "--java"]).arg(jvm.java()))?;
    }
    Ok(())
}

/// The version of the C library that the agent needs.
fn check_agent(elf: &Elf, machine: Machine) -> std::result::Result<(u32, u32), String> {
    if elf.machine != Some(machine) {
        return Err("is for another architecture".into());
    }
    if let Some(other) = elf.needed.iter().find(|name| !LIBRARIES.iter().any(|known| name.starts_with(known))) {
        return Err(format!("needs {other}, which not every system has"));
    }
    match elf.glibc {
        Some(needs) if needs <= FLOOR => Ok(needs),
        Some((major, minor)) => Err(format!("needs GLIBC_{major}.{minor}, newer than {}.{}", FLOOR.0, FLOOR.1)),
        None => Err("names no version of the C library".into()),
    }
}

fn check_musl(elf: &Elf, machine: Machine) -> std::result::Result<(), String> {
    if elf.machine != Some(machine) {
        return Err("is for another architecture".into());
    }
    if elf.needed != [MUSL] || elf.glibc.is_some() {
        return Err(format!("needs {:?}, where an agent for musl needs {MUSL} alone", elf.needed));
    }
    Ok(())
}

fn check_decoder(elf: &Elf, machine: Machine) -> std::result::Result<(), String> {
    if elf.machine != Some(machine) {
        return Err("is for another architecture".into());
    }
    if elf.interpreter || !elf.needed.is_empty() {
        return Err("is not static".into());
    }
    Ok(())
}

/// Puts the crate for native agents in Rust into `folder`, as Cargo packs it: it needs nothing else
/// of this repository.
fn pack_crate(folder: &Path, version: &str) -> Result<()> {
    let package = ["package", "--quiet", "--package", "lucce-embed", "--no-verify", "--allow-dirty", "--target-dir"];
    process::run(process::cargo().args(package).arg(tree::cache()))?;
    let packed = tree::cache().join(format!("package/lucce-embed-{version}.crate"));
    make(folder)?;
    process::run(
        process::command("tar")
            .args(["--extract", "--gzip", "--strip-components=1"])
            .args(["--exclude=.cargo_vcs_info.json", "--exclude=Cargo.toml.orig", "--file"])
            .arg(packed)
            .arg("--directory")
            .arg(folder),
    )
}

/// Writes the digests of these files below `folder`, in the manner of `sha256sum`; what is written.
fn sums(folder: &Path, mut files: Vec<PathBuf>) -> Result<String> {
    files.sort();
    let mut text = String::new();
    for file in &files {
        let shown = file.strip_prefix(folder).unwrap_or(file).display();
        text += &format!("{}  {shown}\n", download::digest_of(file)?);
    }
    let sums = folder.join("SHA256SUMS");
    fs::write(&sums, &text).map_err(|e| format!("cannot write {}: {e}", sums.display()))?;
    Ok(text)
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let entries = fs::read_dir(folder).map_err(|e| format!("cannot read {}: {e}", folder.display()))?;
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() { list(&path, files)? } else { files.push(path) }
    }
    Ok(())
}

fn make(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(glibc: (u32, u32)) -> Elf {
        let needed = vec!["libc.so.6".to_string(), "ld-linux-x86-64.so.2".to_string()];
        Elf { machine: Some(Machine::X86_64), interpreter: false, needed, glibc: Some(glibc) }
    }

    #[test]
    fn an_agent_that_needs_a_newer_c_library_is_refused() {
        assert_eq!(check_agent(&agent(FLOOR), Machine::X86_64), Ok(FLOOR));
        assert!(check_agent(&agent((2, 18)), Machine::X86_64).is_err());
        assert!(check_agent(&agent(FLOOR), Machine::Aarch64).is_err());
        let mut other = agent(FLOOR);
        other.needed.push("libgcc_s.so.1".into());
        assert!(check_agent(&other, Machine::X86_64).is_err());
    }

    #[test]
    fn an_agent_for_musl_that_needs_another_library_is_refused() {
        let musl = Elf { needed: vec![MUSL.into()], glibc: None, ..agent(FLOOR) };
        assert_eq!(check_musl(&musl, Machine::X86_64), Ok(()));
        assert!(check_musl(&musl, Machine::Aarch64).is_err());
        assert!(check_musl(&agent(FLOOR), Machine::X86_64).is_err());
        assert!(check_musl(&Elf { needed: Vec::new(), ..musl }, Machine::X86_64).is_err());
    }

    #[test]
    fn a_decoder_with_an_interpreter_is_refused() {
        let fixed = Elf { needed: Vec::new(), glibc: None, ..agent(FLOOR) };
        assert_eq!(check_decoder(&fixed, Machine::X86_64), Ok(()));
        assert!(check_decoder(&Elf { interpreter: true, ..fixed }, Machine::X86_64).is_err());
        assert!(check_decoder(&agent(FLOOR), Machine::X86_64).is_err());
    }
}
