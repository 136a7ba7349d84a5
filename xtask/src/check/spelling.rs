//! Spelling of documents, comments and names, by typos (MIT or Apache-2.0), which is run and never
//! linked.
//!
//! Invariant: the list is of known mistakes, so a word of the field is none. What is right all the
//! same stands in `typos.toml`, with its reason.
//! Source: `xtask/spelling-tools.txt`, which pins the program.

use std::env;

use crate::{Result, process, tree, wheels};

/// Looks at every file of the checkout.
///
/// # Errors
/// One line: the program is not to be had, or it has printed mistakes.
pub fn run() -> Result<()> {
    if env::consts::ARCH != "x86_64" {
        // No wheel is pinned.
        return Ok(());
    }
    let typos = wheels::pinned("spelling-tools", &["bin/typos"])?.join("bin/typos");
    process::run(process::command(typos).arg("--format").arg("brief").current_dir(tree::root()))
}
