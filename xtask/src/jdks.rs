//! `cargo xtask jdks`: the JDKs found and the JVMs of the test matrix.

use crate::{Result, jdk, jvms, tree};

/// Prints both; downloads nothing.
///
/// # Errors
/// None.
pub fn run() -> Result<()> {
    println!("JDKs with javac, the default one first:");
    for jdk in jdk::all() {
        println!("  {:3}  {}", jdk.feature, jdk.home.display());
    }
    println!("JVMs of the test matrix:");
    for runtime in jvms::matrix() {
        let java = runtime.java();
        let note = if java.is_file() { "" } else { " (not fetched yet)" };
        println!("  {:3}  {}{note}", runtime.feature, tree::shown(&java));
    }
    Ok(())
}
