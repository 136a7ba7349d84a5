//! What a check has found.

use crate::Result;

/// Prints findings; an error if there are any.
pub(super) fn report(check: &str, findings: Vec<String>) -> Result<()> {
    findings.iter().for_each(|finding| println!("{finding}"));
    if findings.is_empty() { Ok(()) } else { Err(format!("{check}: {} findings", findings.len())) }
}
