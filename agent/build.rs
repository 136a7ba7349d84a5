//! Finds the compiled classes that the agent defines in the boot loader, and hands their paths to `include_bytes!`.

use std::path::PathBuf;

fn main() {
    println!("cargo::rerun-if-env-changed=LUCCE_HOOKS_CLASS");
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let built = root.join("../java-shim/hooks/build/classes/java/main/java/lang/LucceHooks.class");
    let hooks = std::env::var_os("LUCCE_HOOKS_CLASS").map_or(built, PathBuf::from);
    let beside = |name: &str| hooks.with_file_name(name);
    let (tree, locks, origins) = (beside("LucceTree.class"), beside("LucceLocks.class"), beside("LucceOrigins.class"));
    let files = [
        (hooks, "LUCCE_HOOKS_CLASS_FILE"),
        (tree, "LUCCE_TREE_CLASS_FILE"),
        (locks, "LUCCE_LOCKS_CLASS_FILE"),
        (origins, "LUCCE_ORIGINS_CLASS_FILE"),
    ];
    for (path, variable) in files {
        println!("cargo::rerun-if-changed={}", path.display());
        assert!(path.is_file(), "{} is missing: run `cargo xtask build`, which compiles it first", path.display());
        println!("cargo::rustc-env={variable}={}", path.display());
    }
}
