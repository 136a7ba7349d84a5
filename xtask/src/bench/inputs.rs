//! What measurements are made of: jars, and a JVM.
//!
//! Invariant: a JDK of this machine comes before a runtime of the test matrix.

use std::path::PathBuf;

use crate::{Result, jdk, jvms};

/// The tables of jars that the programs and the micro benchmarks are made of.
pub const JARS: [&str; 1] = ["dacapo-harness/jars.txt"];

/// The `java` of that feature release: of a JDK if there is one, else of the test matrix.
pub fn java(feature: u32) -> Result<PathBuf> {
    if let Some(jdk) = jdk::all().into_iter().find(|jdk| jdk.feature == feature) {
        return Ok(jdk.java());
    }
    let runtime = jvms::matrix().find(|runtime| runtime.feature == feature);
    let runtime =
        runtime.ok_or_else(|| format!("no JDK {feature} on this machine, and no runtime {feature} for it"))?;
    runtime.fetch()?;
    Ok(runtime.java())
}
