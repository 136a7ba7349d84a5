//! Whether this JVM was started to record an archive of classes, for others to start from:
//! rewritten classes do not belong there.
//!
//! Invariant: where an option asks for that, the agent changes nothing. JDK 11 would write the
//! hooks into the archive, and later JVMs without the agent fail; from 24 on HotSpot leaves out
//! what came through the load hook, and ends by a signal once it misses `java.lang.Thread`. JDKs
//! between them refuse by themselves. The options of a JVM that another program has made with JNI
//! are not known.
//! Source: JEP 310, 483, 514; the `java` command's description of its arguments, files of arguments
//! and environment.

use std::{env, fs};

/// What the launcher and the JVM read options from, beside the command line.
const VARIABLES: [&str; 3] = ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"];

/// Options of the launcher whose value is a word of its own.
const WITH_VALUE: [&str; 12] = [
    "-cp",
    "-classpath",
    "--class-path",
    "-p",
    "--module-path",
    "--upgrade-module-path",
    "--add-modules",
    "--add-reads",
    "--add-exports",
    "--add-opens",
    "--limit-modules",
    "--patch-module",
];

/// The option by which this JVM records an archive.
pub fn recorded_by() -> Option<String> {
    let environment = VARIABLES.iter().filter_map(|name| env::var(name).ok());
    let environment: Vec<String> = environment.flat_map(|text| split(&text)).collect();
    let line = fs::read("/proc/self/cmdline").unwrap_or_default();
    let line = line.split(|byte| *byte == 0).skip(1).map(|word| String::from_utf8_lossy(word).into_owned());
    let line = options(line.collect());
    let words = environment.into_iter().chain(line).flat_map(|word| match file_of(&word) {
        Some(file) => split(&fs::read_to_string(file).unwrap_or_default()),
        None => vec![word],
    });
    recording(&words.collect::<Vec<_>>())
}

/// The words of a command line in front of the main class: those that are options, and files of
/// such.
fn options(line: Vec<String>) -> Vec<String> {
    let mut words = line.into_iter();
    let mut options = Vec::new();
    while let Some(word) = words.next().filter(|word| word.starts_with(['-', '@'])) {
        if WITH_VALUE.contains(&word.as_str()) {
            words.next();
        }
        options.push(word);
    }
    options
}

fn split(text: &str) -> Vec<String> {
    text.split_whitespace().map(|word| word.trim_matches(['"', '\'']).into()).collect()
}

fn file_of(word: &str) -> Option<&str> {
    word.strip_prefix('@').or_else(|| word.strip_prefix("-XX:VMOptionsFile="))
}

/// The one among these options; of modes the last holds.
fn recording(words: &[String]) -> Option<String> {
    let mode = words.iter().rfind(|word| word.starts_with("-XX:AOTMode="));
    let records = |word: &&String| match word.as_str() {
        "-Xshare:dump" | "-XX:+DumpSharedSpaces" => true,
        "-XX:AOTMode=record" => mode == Some(word),
        output if output.starts_with("-XX:AOTCacheOutput=") => {
            mode.is_none_or(|mode| mode == "-XX:AOTMode=auto" || mode == "-XX:AOTMode=record")
        }
        _ => false,
    };
    words.iter().find(records).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str) -> Option<String> {
        recording(&options(split(line)))
    }

    #[test]
    fn options_that_record_are_found_in_front_of_the_main_class() {
        for (line, option) in [
            ("-Xshare:dump", "-Xshare:dump"),
            ("-Xmx1g -cp a.jar -XX:AOTMode=record -XX:AOTConfiguration=c Main", "-XX:AOTMode=record"),
            (
                "--add-opens java.base/java.lang=ALL-UNNAMED -XX:AOTCacheOutput=a.aot -jar a.jar",
                "-XX:AOTCacheOutput=a.aot",
            ),
            ("-XX:AOTMode=off -XX:AOTMode=record Main", "-XX:AOTMode=record"),
        ] {
            assert_eq!(found(line).as_deref(), Some(option), "{line}");
        }
    }

    #[test]
    fn others_are_none() {
        for line in [
            "-Xshare:auto -XX:SharedArchiveFile=a.jsa Main",
            "-cp a.jar Main -Xshare:dump",
            "-cp -Xshare:dump Main",
            "-XX:AOTMode=record -XX:AOTMode=off Main",
            "-XX:AOTMode=create -XX:AOTConfiguration=c -XX:AOTCacheOutput=a.aot",
            "-XX:AOTCache=a.aot -jar a.jar",
            "",
        ] {
            assert_eq!(found(line), None, "{line}");
        }
    }

    #[test]
    fn files_of_options_are_named_in_two_ways() {
        assert_eq!(["@a", "-XX:VMOptionsFile=b", "-cp"].map(file_of), [Some("a"), Some("b"), None]);
    }
}
