//! The fixed list of programs, with the class path and the number of iterations of each.
//!
//! Iterations are chosen so that a fork without the agent takes some six seconds on a quiet core,
//! and its second half is warm: after two seconds the JIT has not yet compiled what FOP and Jython
//! spend their time in, with hooks less than without.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};

use super::fork::{Command, FLAGS, Job, Times};
use super::options::Options;
use super::section::Section;
use crate::{Result, jars, tree};

/// A program of the list.
#[derive(Debug)]
pub struct BenchProgram {
    /// DaCapo's name.
    pub name: &'static str,
    /// The class in `bench.programs`.
    pub class: &'static str,
    /// Iterations of a full run, of a quick one.
    pub iterations: (u32, u32),
    /// Names in the table of jars.
    jars: &'static [&'static str],
    /// What does the work.
    pub what: &'static str,
}

const LUCENE: &[&str] = &["lucene-core", "lucene-analysis", "lucene-queryparser"];

const BATIK: &[&str] = &["batik-all-1.18", "xmlgraphics-commons", "xml-apis-ext", "commons-io", "commons-logging"];
const FOP: &[&str] = &[
    "fop-core-2.10",
    "fop-events",
    "fop-util",
    "fontbox",
    "pdfbox-io",
    "batik-all-1.18",
    "xmlgraphics-commons",
    "xml-apis-ext",
    "commons-io",
    "commons-logging",
];
const PMD: &[&str] = &[
    "pmd-core",
    "pmd-java",
    "saxon",
    "saxon-dom",
    "jaxen",
    "asm",
    "antlr4-runtime",
    "gson",
    "jcommander",
    "commons-io",
    "commons-lang3",
];

/// The list, in the order of tables and charts.
pub const ALL: [BenchProgram; 12] = [
    BenchProgram {
        name: "batik",
        class: "Batik",
        iterations: (11, 5),
        jars: BATIK,
        what: "Batik 1.18, six generated pictures to PNG",
    },
    BenchProgram {
        name: "eclipse",
        class: "Eclipse",
        iterations: (8, 4),
        jars: &["ecj"],
        what: "ecj 3.33.0 compiles commons-lang3 (the IDE itself is not on Maven Central)",
    },
    BenchProgram {
        name: "fop",
        class: "Fop",
        iterations: (60, 7),
        jars: FOP,
        what: "FOP 2.10, a generated document to PDF",
    },
    BenchProgram {
        name: "h2",
        class: "H2",
        iterations: (26, 7),
        jars: &["h2"],
        what: "H2 2.2.224, an order-entry mix in memory",
    },
    BenchProgram {
        name: "jython",
        class: "Jython",
        iterations: (140, 14),
        jars: &["jython-standalone-2.7.4"],
        what: "Jython 2.7.4, seven small algorithms",
    },
    BenchProgram {
        name: "luindex",
        class: "Luindex",
        iterations: (15, 6),
        jars: LUCENE,
        what: "Lucene 9.12.1 indexes commons-lang3",
    },
    BenchProgram {
        name: "lusearch",
        class: "Lusearch",
        iterations: (18, 6),
        jars: LUCENE,
        what: "Lucene 9.12.1, 700 queries of eight kinds",
    },
    BenchProgram {
        name: "pmd",
        class: "Pmd",
        iterations: (9, 4),
        jars: PMD,
        what: "PMD 6.55.0, five categories of rules on three packages of commons-lang3",
    },
    BenchProgram {
        name: "sunflow",
        class: "RayTracer",
        iterations: (80, 20),
        jars: &[],
        what: "a small ray tracer of our own: sunflow is not on Maven Central",
    },
    BenchProgram {
        name: "tomcat",
        class: "Tomcat",
        iterations: (48, 11),
        jars: &["tomcat", "tomcat-annotations"],
        what: "Tomcat 9.0.98 embedded, 2500 requests over one connection",
    },
    BenchProgram {
        name: "xalan",
        class: "Xalan",
        iterations: (110, 18),
        jars: &["xalan", "xalan-serializer", "xerces", "xml-apis"],
        what: "Xalan 2.7.3, 24 generated documents to HTML",
    },
    BenchProgram {
        name: "zxing",
        class: "Zxing",
        iterations: (64, 14),
        jars: &["zxing"],
        what: "ZXing 3.5.3 reads 40 generated pictures of ten formats",
    },
];

/// The programs of these names.
///
/// # Errors
/// One line naming what is not in the list.
pub fn named(names: &[String]) -> Result<Vec<&'static BenchProgram>> {
    let known = || ALL.iter().map(|program| program.name).collect::<Vec<_>>().join(", ");
    let find = |name: &String| {
        ALL.iter().find(|p| p.name == name).ok_or_else(|| format!("no program {name}: there are {}", known()))
    };
    names.iter().map(find).collect()
}

/// A job for each program asked for.
pub fn jobs(options: &Options, section: Section, java: &Path) -> Vec<Job> {
    options.programs.iter().map(|program| program.job(options, section, java, program.iterations)).collect()
}

/// More iterations than any run comes to.
pub const ENDLESS: &str = "1000000000";

impl BenchProgram {
    /// Where its classes are.
    pub fn class_path(&self) -> Vec<PathBuf> {
        class_path(self.jars)
    }

    /// A JVM that runs it for so many iterations, in a heap of one size, with these further
    /// options.
    ///
    /// # Errors
    /// One line: a folder whose name cannot stand in a class path.
    pub fn java(&self, java: &Path, folder: &Path, options: &[String], iterations: &str) -> Result<process::Command> {
        let class_path = std::env::join_paths(self.class_path()).map_err(|e| format!("class path: {e}"))?;
        let mut java = crate::process::command(java);
        java.current_dir(folder).args(FLAGS).args(options).arg("-cp").arg(class_path);
        java.args(["bench.Main", self.class, iterations]).arg(folder.join("work")).arg(jars::folder());
        java.stdin(Stdio::null());
        Ok(java)
    }

    /// Runs that to its end; what it complained of.
    ///
    /// # Errors
    /// One line: also that of a program that fails.
    pub fn finish(&self, java: &Path, folder: &Path, options: &[String], iterations: u32) -> Result<String> {
        let out = self.java(java, folder, options, &iterations.to_string())?.output();
        let out = out.map_err(|e| format!("cannot run java: {e}"))?;
        let _ = fs::remove_dir_all(folder.join("work"));
        let errors = String::from_utf8_lossy(&out.stderr).into_owned();
        if out.status.success() {
            return Ok(errors);
        }
        Err(format!("{} fails: {}", self.name, errors.lines().last().unwrap_or("it said nothing")))
    }

    /// A job of it, with the iterations of a full and of a quick run.
    pub fn job(&self, options: &Options, section: Section, java: &Path, iterations: (u32, u32)) -> Job {
        own(options, section, java, self.name, self.class, self.jars, iterations)
    }
}

/// A job of a class of `bench.programs`, with the iterations of a full and of a quick run.
pub fn own(
    options: &Options,
    section: Section,
    java: &Path,
    name: &str,
    class: &str,
    jars: &[&str],
    (full, quick): (u32, u32),
) -> Job {
    let command = Command::Own {
        class: class.into(),
        class_path: class_path(jars),
        times: Times::Iterations(options.iterations.unwrap_or(if options.quick { quick } else { full })),
        few: options.iterations.unwrap_or(quick),
    };
    Job { section, name: name.into(), turns: Vec::new(), java: java.into(), command }
}

fn class_path(jars: &[&str]) -> Vec<PathBuf> {
    let classes = tree::root().join("dacapo-harness/build/classes/java/main");
    let jars = jars.iter().map(|jar| jars::folder().join(format!("{jar}.jar")));
    std::iter::once(classes).chain(jars).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_jar_of_a_program_is_in_the_table() {
        let table = jars::tables(&super::super::inputs::JARS).unwrap();
        for program in &ALL {
            for jar in program.jars {
                assert!(table.contains_key(*jar), "{}: {jar}", program.name);
            }
        }
    }
}
