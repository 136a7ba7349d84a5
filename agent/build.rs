//! Finds the compiled classes that the agent defines in the boot loader, and hands their paths to `include_bytes!`; names the library, so that other
//! agents find it (`lucce_find` in `embed/include/lucce.h`) whatever its file is called; and names the build by what it is made of, so that no other
//! takes the classes that it has rewritten (`src/state/cache.rs`).

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,liblucce.so");
    println!("cargo::rerun-if-env-changed=LUCCE_HOOKS_CLASS");
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let built = root.join("../java-shim/hooks/build/classes/java/main/java/lang/LucceHooks.class");
    let hooks = std::env::var_os("LUCCE_HOOKS_CLASS").map_or(built, PathBuf::from);
    let classes = [
        "LucceHooks",
        "LucceChain",
        "LucceAwake",
        "LucceLinks",
        "LucceCaptures",
        "LucceAsked",
        "LucceTree",
        "LucceLocks",
        "LucceOrigins",
        "LucceTallies",
        "LucceClass",
        "LucceTask",
        "LucceTasks",
    ];
    let variables = [
        "HOOKS", "CHAIN", "AWAKE", "LINKS", "CAPTURES", "ASKED", "TREE", "LOCKS", "ORIGINS", "TALLIES", "CLASS",
        "TASK", "TASKS",
    ]
    .map(|name| format!("LUCCE_{name}_CLASS_FILE"));
    let mut build = DefaultHasher::new();
    for sources in ["src", "../classfile/src", "../words/src"] {
        println!("cargo::rerun-if-changed={sources}");
        hash(&root.join(sources), &mut build);
    }
    for (class, variable) in classes.into_iter().zip(variables) {
        let path = if class == "LucceHooks" { hooks.clone() } else { hooks.with_file_name(format!("{class}.class")) };
        println!("cargo::rerun-if-changed={}", path.display());
        assert!(path.is_file(), "{} is missing: run `cargo xtask build`, which compiles it first", path.display());
        println!("cargo::rustc-env={variable}={}", path.display());
        hash(&path, &mut build);
    }
    println!("cargo::rustc-env=LUCCE_BUILD={:016x}", build.finish());
}

/// Hashes a file, or all files of a folder.
fn hash(path: &Path, build: &mut DefaultHasher) {
    if path.is_file() {
        std::fs::read(path).expect("a file of the sources").hash(build);
        return;
    }
    let folder = std::fs::read_dir(path).expect("a folder of the sources");
    let mut paths: Vec<_> = folder.map(|entry| entry.expect("one of its files").path()).collect();
    paths.sort();
    paths.iter().for_each(|path| hash(path, build));
}
