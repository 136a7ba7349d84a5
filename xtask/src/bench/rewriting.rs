//! How fast classes are rewritten, next to ASM that inserts the same: one thread each, both warmed, the same classes.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use super::options::Options;
use super::results::Rewriting;
use super::{native, startup};
use crate::{Result, jars, process, tree};

/// Jars whose classes are rewritten.
const JARS: [&str; 6] = ["h2", "xalan", "ecj", "lucene-core", "pmd-java", "fop-core-2.10"];

/// Seconds of warm-up and of measurement, of a full and of a quick run. ASM's code is all compiled after some twenty passes, not before.
const FULL: (&str, &str) = ("20", "10");
const QUICK: (&str, &str) = ("10", "3");

/// Measures both.
///
/// # Errors
/// One line: a jar that cannot be read, or a tool that failed.
pub fn measure(options: &Options, java: &Path) -> Result<Vec<Rewriting>> {
    let classes = gather().map_err(|e| format!("cannot gather the classes to be rewritten: {e}"))?;
    let (warm, long) = if options.quick { QUICK } else { FULL };
    println!("\nrewriting: lucce, then ASM");
    let ours = process::output(process::command(native::rewriting()).arg(&classes).args([warm, long]))?;
    let mut asm = process::command(java);
    asm.args(super::fork::FLAGS).arg("-cp").arg(startup::class_path()?);
    let theirs = process::output(asm.arg("bench.rewriting.Asm").arg(&classes).args([warm, long]))?;
    [("lucce", ours), ("asm", theirs)].into_iter().map(|(tool, text)| parse(tool, &text)).collect()
}

/// All classes of the jars in one file, each behind its length; the same on each machine.
fn gather() -> std::io::Result<PathBuf> {
    let file = tree::cache().join("bench/classes");
    let mut out = std::io::BufWriter::new(File::create(&file)?);
    for jar in JARS {
        let mut archive = zip::ZipArchive::new(File::open(jars::folder().join(format!("{jar}.jar")))?)?;
        for index in 0..archive.len() {
            let mut entry = archive.by_index(index)?;
            let name = entry.name()?;
            if name.ends_with(".class") && !name.starts_with("META-INF") {
                let mut bytes = Vec::new();
                entry.read_to_end(&mut bytes)?;
                out.write_all(&(bytes.len() as u32).to_be_bytes())?;
                out.write_all(&bytes)?;
            }
        }
    }
    out.flush()?;
    Ok(fs::canonicalize(&file).unwrap_or(file))
}

/// Reads what both print: `classes <number> <bytes> <bytes afterwards> <skipped>`, then `pass <milliseconds>` for each.
fn parse(tool: &str, text: &str) -> Result<Rewriting> {
    let wrong = |line: &str| format!("{tool} said: {line}");
    let (mut head, mut passes) = (None, Vec::new());
    for line in text.lines() {
        match line.split(' ').collect::<Vec<_>>().as_slice() {
            ["classes", numbers @ ..] => {
                let numbers: Option<Vec<u64>> = numbers.iter().map(|number| number.parse().ok()).collect();
                head = Some(numbers.filter(|numbers| numbers.len() == 4).ok_or_else(|| wrong(line))?);
            }
            ["pass", time] => passes.push(time.parse().map_err(|_| wrong(line))?),
            _ => return Err(wrong(line)),
        }
    }
    match head.as_deref() {
        Some(&[classes, bytes, grown, skipped]) if !passes.is_empty() => {
            Ok(Rewriting { tool: tool.into(), classes, bytes, grown, skipped, passes })
        }
        _ => Err(format!("{tool} measured nothing")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_tool_says_is_read() {
        let read = parse("asm", "classes 2 100 150 0\npass 2.000\npass 1.500\n").unwrap();
        assert_eq!((read.classes, read.bytes, read.grown, read.passes), (2, 100, 150, vec![2.0, 1.5]));
        assert!(parse("asm", "classes 2 100 150 0\n").is_err());
        assert!(parse("asm", "Exception\n").is_err());
    }
}
