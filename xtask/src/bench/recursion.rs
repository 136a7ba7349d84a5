//! Programs that are recursion and little else.

use std::path::Path;

use super::configurations::{self, ALL_HOOKS, BASE, Configuration, LUCCE};
use super::fork::Job;
use super::options::Options;
use super::programs::own;
use super::section::Section;
use crate::Result;

/// Name, class, iterations of a full and of a quick run.
const LINES: [(&str, &str, (u32, u32)); 3] =
    [("fib", "Fib", (20, 6)), ("parser", "Parser", (20, 6)), ("tree walk", "TreeWalk", (20, 6))];

/// What they are run under.
///
/// # Errors
/// None but a list that lacks one.
pub fn configurations() -> Result<Vec<&'static Configuration>> {
    configurations::named(&[BASE, "encoder=none", LUCCE, ALL_HOOKS, "encoder=pcc", "encoder=cct"])
}

/// The jobs.
pub fn jobs(options: &Options, java: &Path) -> Vec<Job> {
    LINES.iter().map(|(name, class, few)| own(options, Section::Recursion, java, name, class, &[], *few)).collect()
}
