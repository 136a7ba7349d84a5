//! The Maven repository of an archive: jars, their POMs, and the marker by which Gradle finds its
//! plugin.
//!
//! Invariant: all of it has this version, with the digest that Maven looks for beside each file,
//! and asks for nothing but Maven Central beside it.
//! Source: maven.apache.org, "Repository Layout"; docs.gradle.org, "Plugin Marker Artifacts".

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::{AGENTS, make};
use crate::{Result, build, process, tree};

/// The project whose jar holds agent and decoder.
const AGENT: &str = "agent";

/// What Gradle makes jars of.
const PROJECTS: [&str; 6] = ["api", "jfr", "junit", AGENT, "gradle-plugin", "maven-plugin"];

/// The jars of a project, by what is behind its name; the tasks that make them.
const JARS: [(&str, &str); 3] = [("", "jar"), ("-sources", "sourcesJar"), ("-javadoc", "javadocJar")];

/// Has Gradle make all jars, and lays them out with the libraries and programs of `natives`, a
/// folder with one for each architecture.
///
/// # Errors
/// One line for the first step that failed.
pub fn pack(folder: &Path, natives: &Path) -> Result<()> {
    let tasks: Vec<String> =
        PROJECTS.iter().flat_map(|project| JARS.map(|(_, task)| format!(":{project}:{task}"))).collect();
    build::java(&tasks.iter().map(String::as_str).collect::<Vec<_>>())?;
    lay_out(folder, natives, &JARS, CompressionMethod::Deflated)
}

/// The same of the jars that Gradle has made before, without those of sources and documentation,
/// and without compressing what is added.
///
/// # Errors
/// As [`pack`].
pub fn pack_built(folder: &Path, natives: &Path) -> Result<()> {
    lay_out(folder, natives, &JARS[..1], CompressionMethod::Stored)
}

fn lay_out(folder: &Path, natives: &Path, jars: &[(&str, &str)], method: CompressionMethod) -> Result<()> {
    let group = folder.join("org/lucce");
    let version = env!("CARGO_PKG_VERSION");
    for project in PROJECTS {
        let source = tree::root().join("java-shim").join(project);
        let name = format!("lucce-{project}");
        let to = group.join(format!("{name}/{version}"));
        for (suffix, _) in jars {
            let jar = to.join(format!("{name}-{version}{suffix}.jar"));
            tree::copy(&source.join(format!("build/libs/{name}{suffix}.jar")), &jar)?;
            if project == AGENT && suffix.is_empty() {
                add(&jar, natives, method).map_err(|e| format!("cannot add to {}: {e}", jar.display()))?;
            }
            digest(&jar)?;
        }
        let pom = source.join("pom.xml");
        let text = fs::read_to_string(&pom).map_err(|e| format!("cannot read {}: {e}", pom.display()))?;
        if !text.contains(&format!("<version>{version}</version>")) {
            return Err(format!("{}: its version is not {version}", tree::shown(&pom)));
        }
        write(&to.join(format!("{name}-{version}.pom")), &text)?;
    }
    let name = "org.lucce.gradle.plugin";
    write(&group.join(format!("{name}/{version}/{name}-{version}.pom")), &marker(version))
}

/// What Gradle looks for when a build names the plugin `org.lucce`.
fn marker(version: &str) -> String {
    let project = |artifact: &str| {
        format!("<groupId>org.lucce</groupId><artifactId>{artifact}</artifactId><version>{version}</version>")
    };
    let (own, plugin) = (project("org.lucce.gradle.plugin"), project("lucce-gradle-plugin"));
    format!(
        "<project xmlns=\"http://maven.apache.org/POM/4.0.0\">\n  <modelVersion>4.0.0</modelVersion>\n  {own}\n  \
         <packaging>pom</packaging>\n  <dependencies><dependency>{plugin}</dependency></dependencies>\n</project>\n"
    )
}

/// Adds agents and decoder of each architecture to the jar that unpacks them.
fn add(jar: &Path, natives: &Path, method: CompressionMethod) -> io::Result<()> {
    let mut files = Vec::new();
    for architecture in fs::read_dir(natives)?.flatten().filter(|entry| entry.path().is_dir()) {
        for name in AGENTS.into_iter().chain([build::DECODER]) {
            let file = architecture.path().join(name);
            if file.is_file() {
                files.push((format!("org/lucce/agent/{}/{name}", architecture.file_name().to_string_lossy()), file));
            }
        }
    }
    files.sort();
    let mut zip = ZipWriter::new_append(OpenOptions::new().read(true).write(true).open(jar)?)?;
    for (name, file) in files {
        zip.start_file(name, SimpleFileOptions::default().compression_method(method))?;
        io::copy(&mut File::open(file)?, &mut zip)?;
    }
    zip.finish()?.flush()
}

fn write(file: &Path, text: &str) -> Result<()> {
    make(file.parent().unwrap_or(file))?;
    fs::write(file, text).map_err(|e| format!("cannot write {}: {e}", file.display()))?;
    digest(file)
}

/// Puts the digest of a file beside it.
fn digest(file: &Path) -> Result<()> {
    let line = process::output(process::command("sha1sum").arg(file))?;
    let sum = file.with_added_extension("sha1");
    let digest = line.split(' ').next().unwrap_or_default();
    fs::write(&sum, digest).map_err(|e| format!("cannot write {}: {e}", sum.display()))
}
