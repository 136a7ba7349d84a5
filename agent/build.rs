//! Finds the compiled classes that the agent defines in the boot loader, and writes
//! `hook_classes.rs`, which includes them; names the library, so that other agents find it
//! (`lucce_find` in `embed/include/lucce.h`) whatever its file is called; and names the build by
//! what it is made of, so that no other takes the classes that it has rewritten
//! (`src/state/cache.rs`).

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// The sources of the hooks and their classes, from here.
const HOOKS: [&str; 2] =
    ["../java-shim/hooks/src/main/java/java/lang", "../java-shim/hooks/build/classes/java/main/java/lang"];

fn main() {
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,liblucce.so");
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let [sources, classes] = HOOKS.map(|folder| root.join(folder));
    let mut build = DefaultHasher::new();
    for sources in ["src", "../classfile/src", "../hook-tables/src", "../words/src"] {
        println!("cargo::rerun-if-changed={sources}");
        hash(&root.join(sources), &mut build);
    }
    println!("cargo::rerun-if-changed={}", sources.display());
    let mut table = String::new();
    for source in files(&sources) {
        let name = source.file_stem().expect("a file").to_string_lossy().into_owned();
        let class = classes.join(&name).with_extension("class");
        println!("cargo::rerun-if-changed={}", class.display());
        assert!(class.is_file(), "{} is missing: run `cargo xtask build`, which compiles it first", class.display());
        table += &format!("    (c\"java/lang/{name}\", include_bytes!({:?})),\n", class.display().to_string());
        hash(&class, &mut build);
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("set by cargo"));
    let text = format!("const CLASSES: &[(&std::ffi::CStr, &[u8])] = &[\n{table}];\n");
    std::fs::write(out.join("hook_classes.rs"), text).expect("the folder of the build");
    println!("cargo::rustc-env=LUCCE_BUILD={:016x}", build.finish());
}

/// The files of a folder, by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder of the sources");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("one of its files").path()).collect();
    files.sort();
    files
}

/// Hashes a file, or all files of a folder.
fn hash(path: &Path, build: &mut DefaultHasher) {
    if path.is_file() {
        std::fs::read(path).expect("a file of the sources").hash(build);
        return;
    }
    files(path).iter().for_each(|path| hash(path, build));
}
