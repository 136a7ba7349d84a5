//! The agent's options: comma-separated `key=value`.
//!
//! Invariant: a wrong option is found before anything is started, and its error is one short line
//! that shows what is right.

mod encoder;
mod error;
mod globs;
mod help;
pub mod labels;
mod names;
mod profile;
mod rules;
mod set;
mod source;
mod table;
#[cfg(test)]
mod tests;
mod values;

use std::time::Duration;

use lucce_words::weights::Scheme;

pub use encoder::{EncoderKind, Weights};
pub use error::OptionError;
use error::wrong;
pub use globs::{Glob, Globs};
pub use help::help;
pub use names::closest;
pub use profile::ProfileOption;
pub use source::Source;
pub use values::method_matches;

pub use crate::writer::Limits;

use labels::Labels;

/// Which contexts are compared with the JVM's own walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verify {
    /// None.
    Off,
    /// Every n-th entry and count, first uses, and every event; n is at least 1.
    Every(u32),
    /// One entry or count, and one event, in that time.
    Each(Duration),
}

impl Verify {
    /// Is anything compared?
    pub fn is_on(self) -> bool {
        self != Self::Off
    }
}

/// What `-agentpath:liblucce.so=...` asked for.
#[derive(Clone, Debug)]
pub struct Options {
    /// Path of the log; `%p` pid, `%t` time, `%h` host, `%n` number of the file.
    pub file: String,
    /// When a file of the log is followed by the next, and when definitions are repeated.
    pub limits: Limits,
    /// How many files of the log are kept.
    pub keep: u32,
    /// Globs of class names to instrument; empty: all but the JDK's.
    pub include: Globs,
    /// Globs of class names to leave alone.
    pub exclude: Globs,
    /// Instrument the JDK's own classes, too.
    pub jdk: bool,
    /// Mean bytes between two sampled allocations.
    pub alloc: Option<u32>,
    /// Log exceptions of the classes that these globs name, or all if there are none.
    pub exceptions: Option<Globs>,
    /// Log waits for monitors and in parks.
    pub locks: bool,
    /// Log CPU time, by ticks of this length.
    pub cpu: Option<Duration>,
    /// Count all allocations of instrumented code.
    pub alloc_all: bool,
    /// Globs of methods (`class.method`) whose invocations are counted.
    pub entries: Globs,
    /// Which entries are sampled for the profile.
    pub profile: Option<ProfileOption>,
    /// The share of samples that makes a context hot: then there are only so many counters as this
    /// needs.
    pub hot: Option<f64>,
    /// Watch the sampled allocations for leaks.
    pub leaks: bool,
    /// Sources that are turned on by their names alone.
    pub sources: Vec<Source>,
    /// Which contexts are compared with the JVM's own walk.
    pub verify: Verify,
    /// File in which rewritten classes are kept from run to run.
    pub cache: Option<String>,
    /// Folder for the classes before and after.
    pub dump: Option<String>,
    /// The time for which sums are added up before they are written.
    pub window: Duration,
    /// Labels of the run.
    pub labels: Labels,
    /// Which encoder runs.
    pub encoder: EncoderKind,
    /// Was it named? If not, it is what suits the other options ([`rules::suitable_encoder`]).
    encoder_said: bool,
    /// What words are made of with `encoder=icpp`, if it was said.
    pub icpp: Option<Weights>,
    /// With `encoder=icpp`: walk what a word does not tell.
    pub walks: bool,
    /// Most bytes for the trees of `encoder=cct`.
    pub cct_memory: u32,
    /// Where all entries are written, with `encoder=cct`.
    pub trace: Option<String>,
    /// Write each distinct context that a method was entered in as an event.
    pub contexts: bool,
    /// Follow tasks from where they are handed over.
    pub follows_tasks: bool,
    /// Where the agent can be controlled.
    pub control: Control,
    /// Which methods have hooks that are always at work; `None`: what suits the other options
    /// ([`Self::on_demand`]; if walks do, that is said here).
    pub hooks: Option<HooksKind>,
    /// Frames walked in a second that are few enough to let methods be inactive.
    pub wake: Option<u32>,
    /// Globs of methods (`class.method`) that are never inactive.
    pub awake: Globs,
    /// Rewrite classes from the beginning, and not only when it is said.
    pub start: bool,
    /// No lines on standard error but for warnings.
    pub quiet: bool,
    /// Print the options and leave.
    pub help: bool,
    /// Mechanisms to switch off (test builds).
    pub faults: Vec<String>,
    /// The text as given, for the log's header; and `hooks=off` where that suits it.
    pub text: String,
}

/// Which hooks are always at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HooksKind {
    /// All.
    All,
    /// Those of methods below which contexts are asked for often.
    Demand,
    /// None: no class is rewritten, and each context is walked.
    Off,
}

/// Where a running agent listens to commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Control {
    /// Nowhere.
    Off,
    /// At a socket named after the process.
    On,
    /// At this one.
    At(String),
}

impl Options {
    /// Parses the text behind `=`.
    ///
    /// # Errors
    /// Names the first wrong option.
    pub fn parse(text: &str) -> Result<Self, OptionError> {
        let mut options = Self {
            file: "lucce-%p-%t.log".into(),
            limits: Limits { bytes: Some(1 << 30), every: None, keyframe: Some(32 << 20) },
            keep: 2,
            include: Globs::default(),
            exclude: Globs::default(),
            jdk: false,
            alloc: None,
            exceptions: None,
            locks: false,
            cpu: None,
            alloc_all: false,
            entries: Globs::default(),
            profile: None,
            hot: None,
            leaks: false,
            sources: Vec::new(),
            verify: Verify::Off,
            cache: None,
            labels: Labels::new(),
            window: Duration::from_secs(10),
            dump: None,
            encoder: EncoderKind::Lucce,
            encoder_said: false,
            icpp: None,
            walks: true,
            cct_memory: 1 << 30,
            trace: None,
            contexts: false,
            follows_tasks: false,
            control: Control::On,
            hooks: None,
            wake: None,
            awake: Globs::default(),
            start: true,
            quiet: false,
            help: false,
            faults: Vec::new(),
            text: text.into(),
        };
        for option in text.split(',').filter(|option| !option.is_empty()) {
            let (key, value) = option.split_once('=').map_or((option, None), |(key, value)| (key, Some(value)));
            options.set(key, value)?;
        }
        if options.leaks && options.alloc.is_none() {
            options.alloc = Some(LEAKS_INTERVAL);
        }
        if !options.encoder_said {
            options.encoder = rules::suitable_encoder(&options);
        }
        if options.hooks.is_none() && rules::suits_walks(&options) {
            options.hooks = Some(HooksKind::Off);
            // Those who read the log see it as where it was said.
            options.text += ",hooks=off";
        }
        if options.encoder == EncoderKind::Algorithm1 {
            // Its graph changes at every other call: it is for comparison, and not worth keeping
            // twice.
            options.limits = Limits { bytes: None, every: None, keyframe: None };
        }
        rules::check(&options)?;
        Ok(options)
    }

    /// The same for an agent that is attached to a running JVM: without hooks.
    ///
    /// # Errors
    /// As above.
    pub fn parse_attached(text: &str) -> Result<Self, OptionError> {
        let options = Self::parse(&["hooks=off", text].join(","))?;
        if options.has_hooks() || options.help {
            let wrong = if options.help { "help" } else { "hooks" };
            return Err(OptionError(format!("option '{wrong}' is for an agent that starts with the JVM")));
        }
        Ok(options)
    }

    /// Is a mechanism switched off by `fault=<name>`? Always false in an ordinary build.
    pub fn fault(&self, name: &str) -> bool {
        cfg!(feature = "faults") && self.faults.iter().any(|fault| fault == name)
    }

    /// May methods be inactive until contexts are asked for often below them? Unless it was said,
    /// they may where no other option looks at words by itself.
    pub fn on_demand(&self) -> bool {
        match self.hooks {
            Some(hooks) => hooks == HooksKind::Demand,
            None => rules::looks_at_words(self).is_none(),
        }
    }

    /// Is any class rewritten?
    pub fn has_hooks(&self) -> bool {
        self.hooks != Some(HooksKind::Off)
    }

    /// Frames walked in a second that are few enough to let methods be inactive.
    pub fn few_frames(&self) -> usize {
        // Fewer cost less as walks than what would be activated for them
        // (docs/design/performance-log.md).
        self.wake.unwrap_or(200_000) as usize
    }

    /// May the words in frames' locals be asked for?
    pub fn reads_locals(&self) -> bool {
        self.exceptions.is_some() && self.has_hooks()
    }

    /// All globs, each with the option that it belongs to. Those of methods are left out with
    /// `cache`: of a class that is kept they are not looked at.
    pub fn globs(&self) -> Vec<(&'static str, &Glob)> {
        let globs = [("include", &self.include), ("exclude", &self.exclude)].into_iter();
        let exceptions = self.exceptions.iter().map(|globs| ("exceptions", globs));
        let methods = [("entries", &self.entries), ("awake", &self.awake)];
        let methods = methods.into_iter().filter(|_| self.cache.is_none());
        let all = globs.chain(exceptions).chain(methods);
        all.flat_map(|(name, globs)| globs.iter().map(move |glob| (name, glob))).collect()
    }

    /// Are allocations or entries counted by context, each of them?
    pub fn counts_by_context(&self) -> bool {
        self.alloc_all || !self.entries.is_empty()
    }

    /// Contexts that are counted at once.
    pub fn counters(&self) -> usize {
        profile::counters(self.hot)
    }

    /// How words are computed, in a run where they are.
    pub fn scheme(&self) -> Option<Scheme> {
        encoder::scheme(self.encoder, self.icpp.as_ref())
    }

    /// Are there sums by context?
    pub fn has_tallies(&self) -> bool {
        self.counts_by_context() || self.profile.is_some()
    }
}

/// Bytes between two samples with `leaks` alone.
const LEAKS_INTERVAL: u32 = 128 << 10;
