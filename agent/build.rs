//! Finds the compiled classes that the agent defines in the boot loader, and writes
//! `hook_classes.rs`, which includes them; names the library, so that other agents find it
//! (`lucce_find` in `embed/include/lucce.h`) whatever its file is called; and names the build by
//! what it is made of, so that no other takes the classes that it has rewritten
//! (`src/state/cache.rs`).

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// The sources of the hooks and their classes, from here, and the packages of both.
const HOOKS: [&str; 2] = ["../java-shim/hooks/src/main/java", "../java-shim/hooks/build/classes/java/main"];
const PACKAGES: [&str; 2] = ["java/lang", "org/lucce/walks"];

fn main() {
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,liblucce.so");
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let [sources, classes] = HOOKS.map(|folder| root.join(folder));
    let mut build = DefaultHasher::new();
    for sources in ["src", "../classfile/src", "../hook-tables/src", "../words/src"] {
        println!("cargo::rerun-if-changed={sources}");
        hash(&root.join(sources), &mut build);
    }
    let mut table = String::new();
    for package in PACKAGES {
        println!("cargo::rerun-if-changed={}", sources.join(package).display());
        for source in files(&sources.join(package)) {
            let name = format!("{package}/{}", source.file_stem().expect("a file").to_string_lossy());
            let class = classes.join(&name).with_extension("class");
            println!("cargo::rerun-if-changed={}", class.display());
            let told = class.display().to_string();
            assert!(class.is_file(), "{told} is missing: run `cargo xtask build`, which compiles it first");
            table += &format!("    (c\"{name}\", include_bytes!({told:?})),\n");
            hash(&class, &mut build);
        }
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
