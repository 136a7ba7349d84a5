//! The tools that link for other machines and older C libraries: `cargo-zigbuild` and Zig from
//! PyPI, and Rust's own targets and `objcopy`.

use std::path::{Path, PathBuf};

use crate::{Result, process, tree, wheels};

/// Pinned in `xtask/dist-tools.txt`, unpacked in `target`; and what Rust itself has.
pub struct Tools {
    folder: PathBuf,
    objcopy: Objcopy,
}

/// The C library that a binary is linked with.
#[derive(Clone, Copy, Debug)]
pub enum CLibrary {
    /// GNU's of this version, which is on the system.
    Gnu(u32, u32),
    /// musl, which is on the system.
    Musl,
    /// musl, which is in the binary.
    Own,
}

impl CLibrary {
    /// Rust's name for machines of an architecture that have it.
    fn target(self, architecture: &str) -> String {
        let name = if matches!(self, Self::Gnu(..)) { "gnu" } else { "musl" };
        format!("{architecture}-unknown-linux-{name}")
    }

    /// Rust puts musl into all binaries, if it is not told otherwise. Linkers take libraries for
    /// whole that lack functions.
    const fn flags(self) -> &'static [&'static str] {
        match self {
            Self::Musl => &["-Ctarget-feature=-crt-static", "-Clink-arg=-Wl,-z,defs"],
            Self::Gnu(..) | Self::Own => &[],
        }
    }
}

/// The architecture that the tools are pinned for.
const HOST: &str = "x86_64";

/// Has pip fetch the tools, unless they are there. What cannot be fetched is looked for first.
///
/// # Errors
/// One line: this machine or its Rust will not do, or the tools are not to be had, or not the
/// pinned files.
pub fn fetch() -> Result<Tools> {
    let architecture = std::env::consts::ARCH;
    if architecture != HOST {
        return Err(format!(
            "dist packs on {HOST} alone, for which xtask/dist-tools.txt pins its tools; this is {architecture}"
        ));
    }
    let objcopy = Objcopy::find()?;
    let tools = Tools { folder: wheels::pinned("dist-tools", &["bin/cargo-zigbuild", "ziglang/zig"])?, objcopy };
    Ok(tools)
}

impl Tools {
    fn zigbuild(&self) -> PathBuf {
        self.folder.join("bin/cargo-zigbuild")
    }

    fn zig(&self) -> PathBuf {
        self.folder.join("ziglang/zig")
    }

    /// Builds a package for an architecture. The folder with what came out, which names no path of
    /// this machine: panics say where in the project, or in which crate, they happened.
    ///
    /// # Errors
    /// One line when Rust does not have it, or cargo fails.
    pub fn build(&self, package: &str, architecture: &str, linked: CLibrary) -> Result<PathBuf> {
        let target = linked.target(architecture);
        add_target(&target)?;
        let folder = tree::cache().join("dist-build");
        let versioned = match linked {
            CLibrary::Gnu(major, minor) => format!("{target}.{major}.{minor}"),
            CLibrary::Musl | CLibrary::Own => target.clone(),
        };
        let home = std::env::var_os("CARGO_HOME")
            .map(PathBuf::from)
            .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
        let mut remapped = vec![(tree::root(), "lucce")];
        remapped.extend(home.map(|home| (home, "cargo")));
        process::run(
            process::command(self.zigbuild())
                .env("CARGO_ZIGBUILD_ZIG_PATH", self.zig())
                .args(["zigbuild", "--release", "--package", package, "--target", &versioned, "--target-dir"])
                .arg(&folder)
                .args(["--config", &flags(&target, linked, &remapped)]),
        )?;
        Ok(folder.join(target).join("release"))
    }

    /// Copies a binary without its debug information, which is six times as large as the rest; the
    /// names of functions stay, for stack traces of crashes. For any architecture.
    ///
    /// # Errors
    /// One line when the tool fails.
    pub fn without_debug(&self, from: &Path, to: &Path) -> Result<()> {
        let Objcopy { program, libraries } = &self.objcopy;
        process::run(process::command(program).env("LD_LIBRARY_PATH", libraries).arg("--strip-debug").arg(from).arg(to))
    }
}

/// A line for cargo's configuration, by which the compiler calls these folders something else; the
/// flags in `.cargo/config.toml` stay.
fn flags(target: &str, linked: CLibrary, remapped: &[(PathBuf, &str)]) -> String {
    let remapped = remapped.iter().map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display()));
    let flags: Vec<_> = linked.flags().iter().map(ToString::to_string).chain(remapped).collect();
    // What Rust writes for a list of texts is TOML, but for control characters.
    format!("target.{target}.rustflags={flags:?}")
}

/// Rust's own copy of LLVM's tool.
struct Objcopy {
    program: PathBuf,
    libraries: PathBuf,
}

impl Objcopy {
    fn find() -> Result<Self> {
        let sysroot = process::output(process::command("rustc").args(["--print", "sysroot"]))?;
        let host = process::output(process::command("rustc").args(["--print", "host-tuple"]))?;
        let libraries = Path::new(sysroot.trim()).join("lib");
        let program = libraries.join("rustlib").join(host.trim()).join("bin/rust-objcopy");
        if !program.is_file() {
            return Err(format!("{} is missing: dist needs the Rust of rustup (https://rustup.rs)", program.display()));
        }
        Ok(Self { program, libraries })
    }
}

/// Has rustup add Rust's library for the target, unless it is there.
fn add_target(target: &str) -> Result<()> {
    let folder = process::output(process::command("rustc").args(["--print", "target-libdir", "--target", target]))?;
    if PathBuf::from(folder.trim()).is_dir() {
        return Ok(());
    }
    let by_hand = format!("Rust's library for {target} is missing: rustup target add {target}");
    if process::on_path("rustup").is_none() {
        return Err(by_hand);
    }
    process::run(process::command("rustup").args(["target", "add", target])).map_err(|_| by_hand)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_called_something_else_whatever_their_names_hold() {
        let remapped = [("/a b".into(), "lucce"), ("/c\"d".into(), "cargo")];
        let expected = r#"target.x86_64-unknown-linux-musl.rustflags=["--remap-path-prefix=/a b=lucce", "--remap-path-prefix=/c\"d=cargo"]"#;
        assert_eq!(flags("x86_64-unknown-linux-musl", CLibrary::Own, &remapped), expected);
    }
}
