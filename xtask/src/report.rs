//! The page of `lucce-decode report`: built by Vite from `decoder/report` into one file, which is
//! committed, so that `cargo build` needs no Node.
//!
//! Invariant: the committed page is what its sources give, byte by byte. What builds it is pinned
//! by `package-lock.json`.

use std::fs;

use crate::{Result, process, readers, tree};

/// The committed page.
const PAGE: &str = "decoder/src/report/template.html";
/// What Vite builds from.
const SOURCES: &str = "decoder/report";

/// Builds the page and puts it in its place.
///
/// # Errors
/// One line for the first step that failed.
pub fn renew() -> Result<()> {
    let page = build()?;
    let place = tree::root().join(PAGE);
    fs::write(&place, page).map_err(|e| format!("cannot write {}: {e}", place.display()))?;
    println!("{PAGE}");
    Ok(())
}

/// Builds the page and compares it with the one that is committed.
///
/// # Errors
/// They differ, or it cannot be built.
pub fn check() -> Result<()> {
    let committed = fs::read(tree::root().join(PAGE)).unwrap_or_default();
    if build()? == committed {
        Ok(())
    } else {
        Err(format!("{PAGE} is not what {SOURCES} gives: run `cargo xtask report`"))
    }
}

/// The bytes of the page, from a copy of the sources: nothing is written beside them.
fn build() -> Result<Vec<u8>> {
    let node = readers::node()?;
    let (sources, folder) = (tree::root().join(SOURCES), tree::cache().join("report"));
    for old in ["src", "dist"] {
        let _ = fs::remove_dir_all(folder.join(old));
    }
    readers::install(&sources, &folder, "Vite and TypeScript")?;
    // What an editor or a run of npm has left there is no source.
    tree::copy_folder(&sources, &folder, &["node_modules", "dist"])?;
    for (program, args) in [("typescript/bin/tsc", &[][..]), ("vite/bin/vite.js", &["build"])] {
        let mut command = process::command(&node);
        process::run(command.arg(folder.join("node_modules").join(program)).args(args).current_dir(&folder))?;
    }
    let page = folder.join("dist/index.html");
    fs::read(&page).map_err(|e| format!("cannot read {}: {e}", page.display()))
}
