//! The agents that configurations load: the argument, and whether this agent, JVM and machine take
//! it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::{fs, io};

use super::configurations::{Configuration, Loaded};
use crate::{Result, jars, process, tree};

/// The JVM's argument, if the configuration loads anything.
///
/// # Errors
/// One line: a library that cannot be unpacked.
pub fn argument(configuration: &Configuration, log: &Path) -> Result<Option<String>> {
    let text = |library: &Path, fixed: &str, options: &str| {
        let comma = if options.is_empty() { "" } else { "," };
        format!("-agentpath:{}={fixed},file={}{comma}{options}", library.display(), log.display())
    };
    Ok(match configuration.loaded {
        Loaded::Nothing => None,
        Loaded::Agent(options) => Some(text(&tree::release("liblucce.so"), "quiet", options)),
        Loaded::Profiler(options) => Some(text(&profiler()?, "start", options)),
        Loaded::Recorder => {
            let settings = tree::root().join("dacapo-harness/src/main/jfr/allocations.jfc");
            Some(format!(
                "-XX:StartFlightRecording=settings={},maxsize={RECORDING},filename={}",
                settings.display(),
                log.display()
            ))
        }
        Loaded::Counter => Some(format!("-javaagent:{}=allocations={}", counter().0.display(), log.display())),
    })
}

/// The most that JFR keeps; with its own default, a quarter of a gigabyte, it would forget the
/// first events.
const RECORDING: &str = "16g";

/// The Java agent that counts, and ASM, which must be on the class path beside it.
pub fn counter() -> (PathBuf, PathBuf) {
    (tree::root().join("dacapo-harness/build/libs/harness.jar"), jars::folder().join("asm-9.7.1.jar"))
}

/// What the configuration wants on the program's class path.
pub fn beside(configuration: &Configuration) -> Option<PathBuf> {
    (configuration.loaded == Loaded::Counter).then(|| counter().1)
}

/// The library of async-profiler for this machine, out of its loader's jar.
///
/// # Errors
/// One line: not fetched, or not in it.
pub fn profiler() -> Result<PathBuf> {
    let machine = match std::env::consts::ARCH {
        "x86_64" => "linux-x64",
        "aarch64" => "linux-arm64",
        other => return Err(format!("async-profiler is not made for {other}")),
    };
    let library = tree::cache().join("bench").join(format!("libasyncProfiler-{machine}.so"));
    if !library.is_file() {
        unpack(&jars::folder().join("ap-loader.jar"), &format!("{machine}.so"), &library)
            .map_err(|e| format!("cannot unpack async-profiler: {e}"))?;
    }
    Ok(library)
}

/// Frames of a stack that are asked for.
pub const DEEPEST: u32 = 2048;

/// The JVM's argument for async-profiler by processor time of each thread: collapsed stacks in that
/// file.
///
/// # Errors
/// As [`profiler`].
pub fn ctimer(interval: &str, file: &Path) -> Result<String> {
    let library = profiler()?;
    Ok(format!(
        "-agentpath:{}=start,event=ctimer,interval={interval},jstackdepth={DEEPEST},collapsed,dot,file={}",
        library.display(),
        file.display()
    ))
}

/// The file of the jar whose name ends so.
fn unpack(jar: &Path, end: &str, into: &Path) -> io::Result<()> {
    let mut archive = zip::ZipArchive::new(fs::File::open(jar)?)?;
    let name = archive.file_names().flatten().find(|name| name.ends_with(end)).map(|name| name.into_owned());
    let name = name.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, format!("no {end} in {}", jar.display())))?;
    fs::create_dir_all(into.parent().unwrap_or(into))?;
    let part = into.with_extension("part");
    io::copy(&mut archive.by_name(&name)?, &mut fs::File::create(&part)?)?;
    fs::rename(part, into)
}

/// Leaves out the configurations with which this JVM does not even start, each in a line on the
/// terminal and in `unavailable`.
pub fn available(
    configurations: Vec<&'static Configuration>,
    java: &Path,
    unavailable: &mut BTreeMap<String, String>,
) -> Vec<&'static Configuration> {
    let mut available = Vec::new();
    for configuration in configurations {
        unavailable.remove(configuration.name);
        match refusal(configuration, java) {
            None => available.push(configuration),
            Some(reason) => {
                println!("{}: not available: {reason}", configuration.name);
                unavailable.insert(configuration.name.into(), reason);
            }
        }
    }
    available
}

/// Why the JVM does not start with it.
fn refusal(configuration: &Configuration, java: &Path) -> Option<String> {
    let folder = std::env::temp_dir().join(format!("xtask-probe-{}", std::process::id()));
    let argument = match argument(configuration, &folder.join("events.log")) {
        Ok(argument) => argument,
        Err(reason) => return Some(reason),
    };
    if let Err(error) = fs::create_dir_all(&folder) {
        return Some(format!("cannot make {}: {error}", folder.display()));
    }
    let out = process::command(java)
        .current_dir(&folder)
        .args(argument)
        .args(configuration.flags)
        .args(beside(configuration).map(|jar| format!("-Djava.class.path={}", jar.display())))
        .arg("-version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .output();
    // What is left lies among what is temporary.
    let _ = fs::remove_dir_all(&folder);
    match out {
        Ok(out) if out.status.success() => None,
        Ok(out) => Some(first_reason(&String::from_utf8_lossy(&out.stderr))),
        Err(e) => Some(format!("cannot run java: {e}")),
    }
}

/// The agent's own line, before the JVM's.
fn first_reason(errors: &str) -> String {
    let ours = errors.lines().find(|line| line.starts_with("lucce: "));
    let line = ours.or(errors.lines().find(|line| !line.trim().is_empty())).unwrap_or("it said nothing");
    line.trim_start_matches("lucce: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agent_gets_the_log_and_the_options_of_the_configuration() {
        let with = |loaded| {
            let configuration = Configuration { name: "x", loaded, flags: &[], limit: None, colour: "", what: "" };
            argument(&configuration, Path::new("l")).unwrap()
        };
        assert_eq!(with(Loaded::Nothing), None);
        assert!(with(Loaded::Agent("")).unwrap().ends_with("=quiet,file=l"));
        assert!(with(Loaded::Agent("alloc=1k")).unwrap().ends_with("=quiet,file=l,alloc=1k"));
        assert!(with(Loaded::Recorder).unwrap().ends_with("allocations.jfc,maxsize=16g,filename=l"));
        assert!(with(Loaded::Counter).unwrap().ends_with("harness.jar=allocations=l"));
    }

    #[test]
    fn a_refusal_is_the_agents_own_line() {
        let errors = "Error occurred\nlucce: option 'encoder' cannot be 'x'\n";
        assert_eq!(first_reason(errors), "option 'encoder' cannot be 'x'");
        assert_eq!(first_reason("\nError occurred\n"), "Error occurred");
    }
}
