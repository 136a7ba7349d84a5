//! How fast classes are rewritten, next to ASM that inserts the same: one thread each, the same
//! classes; in the first pass of a process, as where a program starts, on the clock and by
//! processor time, for the JIT works beside ASM's thread; and with both warmed up, pass by pass in
//! turn, for the machine may change its speed meanwhile.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use super::options::Options;
use super::results::Rewriting;
use super::{native, startup};
use crate::{Result, jars, process, tree};

/// Jars whose classes are rewritten.
const JARS: [&str; 6] = ["h2", "xalan", "ecj", "lucene-core", "pmd-java", "fop-core-2.10"];

/// Seconds of each tool's warm-up and of measurement, of a full and of a quick run. ASM's code is
/// all compiled after some twenty passes, not before.
const FULL: (&str, u64) = ("20", 20);
const QUICK: (&str, u64) = ("10", 6);

/// Processes that do a first pass, of each tool.
const FIRSTS: usize = 31;

/// Measures both.
///
/// # Errors
/// One line: a jar that cannot be read, or a tool that failed.
pub fn measure(options: &Options, java: &Path) -> Result<Vec<Rewriting>> {
    let classes = gather().map_err(|e| format!("cannot gather the classes to be rewritten: {e}"))?;
    let (warm, long) = if options.quick { QUICK } else { FULL };
    println!("\nrewriting: lucce and ASM in turn");
    let class_path = startup::class_path()?;
    let ours = |warm| {
        let mut ours = process::command(native::rewriting());
        ours.arg(&classes).arg(warm);
        Tool::start("lucce", &mut ours)
    };
    let asm = |warm| {
        let mut asm = process::command(java);
        asm.args(super::fork::FLAGS).arg("-cp").arg(&class_path);
        asm.arg("bench.rewriting.Asm").arg(&classes).arg(warm);
        Tool::start("asm", &mut asm)
    };
    let mut firsts = [Vec::new(), Vec::new()];
    for _ in 0..FIRSTS {
        firsts[0].push(ours("0")?.first()?);
        firsts[1].push(asm("0")?.first()?);
    }
    let firsts = firsts.map(|passes: Vec<(f64, f64)>| passes.into_iter().unzip());
    // One after the other, so that neither warms up beside the other.
    let mut ours = ours(warm)?;
    let mut measured = vec![ours.warmed_up()?];
    let mut asm = asm(warm)?;
    measured.push(asm.warmed_up()?);
    same_methods(&measured)?;
    measured.iter_mut().zip(firsts).for_each(|(tool, firsts)| (tool.firsts, tool.firsts_cpu) = firsts);
    let end = Instant::now() + Duration::from_secs(long);
    while Instant::now() < end {
        measured[0].passes.push(ours.pass()?);
        measured[1].passes.push(asm.pass()?);
    }
    Ok(measured)
}

/// They can be compared if they do the same: give hooks to the same methods.
fn same_methods(tools: &[Rewriting]) -> Result<()> {
    match tools {
        [ours, theirs] if ours.methods == theirs.methods => Ok(()),
        _ => {
            let told: Vec<_> = tools.iter().map(|tool| format!("{} by {}", tool.methods, tool.tool)).collect();
            Err(format!("not the same methods get hooks: {}", told.join(", ")))
        }
    }
}

/// A rewriter that waits to be asked for a pass over all classes.
struct Tool {
    name: &'static str,
    child: Child,
    ask: ChildStdin,
    say: BufReader<ChildStdout>,
}

impl Tool {
    fn start(name: &'static str, command: &mut Command) -> Result<Self> {
        let started = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = started.map_err(|e| format!("cannot start {name}: {e}"))?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(ask), Some(say)) => Ok(Self { name, child, ask, say: BufReader::new(say) }),
            _ => Err(format!("cannot talk to {name}")),
        }
    }

    /// The milliseconds of its first pass, on the clock and of processor time; it says
    /// `first <milliseconds> <milliseconds>`.
    fn first(&mut self) -> Result<(f64, f64)> {
        let line = self.line()?;
        let times = line.strip_prefix("first ").and_then(|times| times.split_once(' '));
        let read = times.and_then(|(clock, cpu)| Some((clock.parse().ok()?, cpu.parse().ok()?)));
        read.ok_or_else(|| self.wrong(&line))
    }

    /// Waits until it has warmed up; behind its first pass it says `classes <number> <bytes> <bytes
    /// afterwards> <skipped> <methods> <sites>`.
    fn warmed_up(&mut self) -> Result<Rewriting> {
        self.first()?;
        let line = self.line()?;
        let numbers = line.strip_prefix("classes ").map(|numbers| numbers.split(' ').map(str::parse).collect());
        let Some(Ok::<Vec<u64>, _>(numbers)) = numbers else { return Err(self.wrong(&line)) };
        let [classes, bytes, grown, skipped, methods, sites] = numbers[..] else { return Err(self.wrong(&line)) };
        let (tool, firsts, firsts_cpu, passes) = (self.name.into(), Vec::new(), Vec::new(), Vec::new());
        Ok(Rewriting { tool, classes, bytes, grown, skipped, methods, sites, firsts, firsts_cpu, passes })
    }

    /// Has it rewrite all classes once, and gives the milliseconds; it says `pass <milliseconds>`.
    fn pass(&mut self) -> Result<f64> {
        writeln!(self.ask).map_err(|e| format!("{} is gone: {e}", self.name))?;
        let line = self.line()?;
        line.strip_prefix("pass ").and_then(|time| time.parse().ok()).ok_or_else(|| self.wrong(&line))
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        match self.say.read_line(&mut line) {
            Ok(read) if read > 0 => Ok(line.trim_end().into()),
            _ => Err(format!("{} stopped before it was done", self.name)),
        }
    }

    fn wrong(&self, line: &str) -> String {
        format!("{} said: {line}", self.name)
    }
}

impl Drop for Tool {
    fn drop(&mut self) {
        // It may be gone already, and has nothing to lose.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Result<Rewriting> {
        let mut tool = Tool::start("asm", Command::new("sh").args(["-c", script]))?;
        let mut measured = tool.warmed_up()?;
        for _ in 0..2 {
            measured.passes.push(tool.pass()?);
        }
        Ok(measured)
    }

    #[test]
    fn what_a_tool_says_is_read() {
        let read =
            shell("echo first 7.5 8.5; echo classes 2 100 150 0 7 9; while read -r line; do echo pass 2.5; done")
                .unwrap();
        assert_eq!((read.classes, read.bytes, read.grown, read.skipped), (2, 100, 150, 0));
        assert_eq!((read.methods, read.sites), (7, 9));
        assert_eq!(read.passes, [2.5, 2.5]);
    }

    #[test]
    fn what_a_tool_should_not_say_is_told() {
        for (script, expected) in [
            ("echo first 1 2; echo classes 2 100", "asm said: classes 2 100"),
            ("echo Exception", "asm said: Exception"),
            ("echo first 1", "asm said: first 1"),
            ("echo first 1 2; echo classes 2 100 150 0 7 9; read -r line; echo slow; read -r line", "asm said: slow"),
            ("echo first 1 2; echo classes 2 100 150 0 7 9; read -r line", "asm stopped before it was done"),
        ] {
            assert_eq!(shell(script).unwrap_err(), expected);
        }
    }

    #[test]
    fn tools_that_give_hooks_to_other_methods_are_not_compared() {
        let tool = |name: &str, methods| {
            let (classes, bytes, grown, skipped, sites) = (1, 2, 3, 0, 9);
            let (tool, firsts, firsts_cpu, passes) = (name.into(), Vec::new(), Vec::new(), Vec::new());
            Rewriting { tool, classes, bytes, grown, skipped, methods, sites, firsts, firsts_cpu, passes }
        };
        assert_eq!(same_methods(&[tool("lucce", 5), tool("asm", 5)]), Ok(()));
        let differ = Err("not the same methods get hooks: 5 by lucce, 6 by asm".into());
        assert_eq!(same_methods(&[tool("lucce", 5), tool("asm", 6)]), differ);
    }
}
