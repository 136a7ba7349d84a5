//! The agent's options: comma-separated `key=value`.
//!
//! Invariant: a wrong option is found before anything is started, and its error is one line that lists what is valid.

use std::fmt;
use std::time::Duration;

use crate::writer::Limits;

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
    pub include: Vec<String>,
    /// Globs of class names to leave alone.
    pub exclude: Vec<String>,
    /// Instrument the JDK's own classes, too.
    pub jdk: bool,
    /// Mean bytes between two sampled allocations.
    pub alloc: Option<u32>,
    /// Log exceptions of the classes that these globs name, or all if there are none.
    pub exceptions: Option<Vec<String>>,
    /// Log waits for monitors and in parks.
    pub locks: bool,
    /// Log CPU time, by ticks of this length.
    pub cpu: Option<Duration>,
    /// Count all allocations of instrumented code.
    pub alloc_all: bool,
    /// Globs of methods (`class.method`) whose invocations are counted.
    pub entries: Vec<String>,
    /// Watch the sampled allocations for leaks.
    pub leaks: bool,
    /// Check every n-th entry against the JVM's own walk; 0 is off.
    pub verify: u32,
    /// Folder for the classes before and after.
    pub dump: Option<String>,
    /// Which encoder runs.
    pub encoder: EncoderKind,
    /// Most bytes for the trees of `encoder=cct`.
    pub cct_memory: u32,
    /// Write each distinct context that a method was entered in as an event.
    pub contexts: bool,
    /// Follow tasks from where they are handed over.
    pub follows_tasks: bool,
    /// Where the agent can be controlled.
    pub control: Control,
    /// Rewrite classes from the beginning, and not only when it is said.
    pub start: bool,
    /// No lines on standard error but for warnings.
    pub quiet: bool,
    /// Print the options and leave.
    pub help: bool,
    /// Mechanisms to switch off (test builds).
    pub faults: Vec<String>,
    /// The text as given, for the log's header.
    pub text: String,
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

/// The encoder of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncoderKind {
    /// Versioned numbering with segments (DESIGN section 4).
    Lucce,
    /// The paper's Algorithm 1 (DESIGN section 7).
    Algorithm1,
    /// The calling context tree of each thread.
    Cct,
    /// No contexts at all: what the rewritten code costs by itself.
    None,
    /// As `None`, and each thread counts the methods it enters.
    Count,
}

impl EncoderKind {
    /// All, with their names in options and in the log's header.
    pub const ALL: [(&str, Self); 5] = [
        ("lucce", Self::Lucce),
        ("algorithm1", Self::Algorithm1),
        ("cct", Self::Cct),
        ("none", Self::None),
        ("count", Self::Count),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }

    /// Its code in `LucceHooks`.
    pub fn code(self) -> i32 {
        match self {
            Self::Lucce => 0,
            Self::Algorithm1 => 1,
            Self::None => 2,
            Self::Count => 3,
            Self::Cct => 4,
        }
    }

    /// Do words say nothing outside the process, so that captured nodes stand for them in the log?
    pub fn has_private_words(self) -> bool {
        matches!(self, Self::Algorithm1 | Self::Cct)
    }

    /// Do activations get contexts?
    pub fn has_contexts(self) -> bool {
        !matches!(self, Self::None | Self::Count)
    }
}

/// A wrong option: one line.
#[derive(Debug, PartialEq, Eq)]
pub struct OptionError(String);

impl fmt::Display for OptionError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}; valid options: {VALID}", self.0)
    }
}

const VALID: &str = "file=<path>, rotate=<bytes>|off, rotate-every=<time>, keep=<n>|all, keyframe=<bytes>|off, include=<globs>, \
exclude=<globs>, jdk=on|off, alloc=<bytes>|all, leaks[=<bytes>], entries=<globs>, exceptions[=<globs>], locks, cpu=<interval>, verify=<n>, dump=<dir>, \
encoder=lucce|algorithm1|cct|none|count, cct-memory=<bytes>, contexts, async=on|off, control=on|off|<path>, \
start=on|off, quiet, help";

/// The text of `help`.
pub const HELP: &str = "\
lucce: exact calling contexts as one number. Options, separated by commas:
  file=<path>       the log (default lucce-%p-%t.log; %p pid, %t time, %h host, %n number of the file)
  rotate=<bytes>    go on in another file when one is this large (default 1g), or off; each can be decoded alone
  rotate-every=<time>  or when it is this old: 30m, 1h, 1d (default: never)
  keep=<n>          how many files to keep, the current one included, or all (default 2)
  keyframe=<bytes>  repeat all definitions after this many bytes, so that damage has an end (default 32m), or off
  include=<globs>   classes to instrument, separated by ':' (default: all but the JDK's), e.g. com.acme.*
  exclude=<globs>   classes to leave alone, separated by ':'
  jdk=on            instrument the JDK's classes, too (default off)
  alloc=<bytes>     sample allocations, on average one every <bytes>; k, m, g are understood
  alloc=all         count every allocation of instrumented code, and its bytes, by context
  entries=<globs>   count the invocations of methods by context; globs of class.method separated by ':', e.g. com.acme.*.handle*
  exceptions[=<globs>]  log exceptions as they are thrown, all or those whose classes match
  locks             log waits for contended monitors and in LockSupport.park, with their time
  cpu=<interval>    log the CPU time of running threads, at the next entry of a method after each interval, e.g. 10ms
  leaks[=<bytes>]   find leaks among the sampled allocations; the bytes are as for alloc, 128k by default
  verify=<n>        compare every n-th entry with the JVM's own stack walk
  dump=<dir>        write classes before and after rewriting
  encoder=<which>   lucce (default) or algorithm1; cct, a calling context tree for each thread; for benchmarks only, without
                    contexts: none (the same rewritten code with hooks that do nothing) and count (says at exit how many
                    methods were entered)
  cct-memory=<bytes>  most bytes for the trees of encoder=cct (default 1g); contexts without a node are unknown then
  contexts          log each distinct context that a method was entered in, as an event of kind entered; needs verify=1
                    or encoder=cct
  async=on          follow tasks: events of tasks say where they were handed over to an executor
  control=<path>    the socket for lucce-decode ctl (default on: /tmp/lucce-<pid>.sock), or off
  start=off         rewrite nothing until `lucce-decode ctl <pid> start`
  quiet             print only warnings
  help              print this";

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
            include: Vec::new(),
            exclude: Vec::new(),
            jdk: false,
            alloc: None,
            exceptions: None,
            locks: false,
            cpu: None,
            alloc_all: false,
            entries: Vec::new(),
            leaks: false,
            verify: 0,
            dump: None,
            encoder: EncoderKind::Lucce,
            cct_memory: 1 << 30,
            contexts: false,
            follows_tasks: false,
            control: Control::On,
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
        if options.leaks && options.alloc_all {
            return Err(OptionError("option 'leaks' samples allocations, so it does not go with alloc=all".into()));
        }
        if options.leaks && options.alloc.is_none() {
            options.alloc = Some(LEAKS_INTERVAL);
        }
        if !options.encoder.has_contexts() && (options.verify > 0 || options.alloc.is_some()) {
            let name = options.encoder.name();
            return Err(OptionError(format!("option 'encoder={name}' has no contexts, so neither verify nor alloc")));
        }
        if options.encoder == EncoderKind::Algorithm1 {
            // Its graph changes at every other call: it is for comparison, and not worth keeping twice.
            options.limits = Limits { bytes: None, every: None, keyframe: None };
        }
        if options.encoder != EncoderKind::Lucce {
            let sources = [
                ("exceptions", options.exceptions.is_some()),
                ("locks", options.locks),
                ("cpu", options.cpu.is_some()),
            ];
            if let Some((source, _)) = sources.iter().find(|(_, on)| *on) {
                return Err(OptionError(format!("option '{source}' needs encoder=lucce")));
            }
        }
        if options.has_tallies() && options.encoder != EncoderKind::Lucce {
            let name = options.encoder.name();
            return Err(OptionError(format!(
                "option 'encoder={name}' counts nothing by context, so neither alloc=all nor entries"
            )));
        }
        if !options.encoder.has_contexts() && options.follows_tasks {
            let name = options.encoder.name();
            return Err(OptionError(format!("option 'encoder={name}' has no contexts, so no async either")));
        }
        if options.jdk && (options.has_tallies() || options.follows_tasks) {
            return Err(OptionError("option 'jdk=on' does not go with alloc=all, entries or async=on".into()));
        }
        if options.jdk && options.encoder == EncoderKind::Algorithm1 {
            return Err(OptionError("option 'jdk=on' does not go with encoder=algorithm1".into()));
        }
        if !options.start && options.control == Control::Off {
            return Err(OptionError("option 'start=off' needs control, or nothing could ever start".into()));
        }
        let whole = options.jdk || options.has_tallies() || options.follows_tasks;
        if !options.start && (whole || options.encoder == EncoderKind::Algorithm1) {
            let all = "jdk=on, alloc=all, entries, async=on or encoder=algorithm1";
            return Err(OptionError(format!("option 'start=off' does not go with {all}")));
        }
        if options.contexts && options.verify != 1 && options.encoder != EncoderKind::Cct {
            return Err(OptionError("option 'contexts' needs verify=1 or encoder=cct".into()));
        }
        Ok(options)
    }

    /// May the words in frames' locals be asked for?
    pub fn reads_locals(&self) -> bool {
        self.exceptions.is_some()
    }

    /// Is anything counted by context?
    pub fn has_tallies(&self) -> bool {
        self.alloc_all || !self.entries.is_empty()
    }

    fn set(&mut self, key: &str, value: Option<&str>) -> Result<(), OptionError> {
        match (key, value) {
            ("quiet", None) => self.quiet = true,
            ("leaks", None) => self.leaks = true,
            ("contexts", None) => self.contexts = true,
            ("help", None) => self.help = true,
            ("locks", None) => self.locks = true,
            ("exceptions", None) => self.exceptions = Some(Vec::new()),
            ("quiet" | "help" | "contexts" | "locks", Some(_)) => {
                return Err(OptionError(format!("option '{key}' takes no value")));
            }
            (_, None) if VALUED.contains(&key) => return Err(OptionError(format!("option '{key}' needs a value"))),
            (_, Some("")) if VALUED.contains(&key) || key == "exceptions" || key == "leaks" => {
                return Err(OptionError(format!("option '{key}' needs a value")));
            }
            ("file", Some(path)) => self.file = path.into(),
            ("rotate", Some(bytes)) => {
                self.limits.bytes = limit(key, bytes, long_size, "a number of bytes such as 256m, or off")?
            }
            ("rotate-every", Some(time)) => {
                self.limits.every = limit(key, time, age, "a time such as 30m or 1h, or off")?
            }
            ("keyframe", Some(bytes)) => {
                self.limits.keyframe = limit(key, bytes, long_size, "a number of bytes such as 32m, or off")?;
            }
            ("keep", Some("all")) => self.keep = u32::MAX,
            ("keep", Some(files)) => match files.parse() {
                Ok(files) if files > 0 => self.keep = files,
                _ => return Err(wrong(key, files, "a number of files such as 8, or all")),
            },
            ("dump", Some(path)) => self.dump = Some(path.into()),
            ("include", Some(globs)) => self.include = globs.split(':').map(Into::into).collect(),
            ("exclude", Some(globs)) => self.exclude = globs.split(':').map(Into::into).collect(),
            ("jdk", Some("on")) => self.jdk = true,
            ("jdk", Some("off")) => self.jdk = false,
            ("jdk", Some(other)) => return Err(wrong(key, other, "on or off")),
            // The last one counts.
            ("alloc", Some("all")) => (self.alloc, self.alloc_all) = (None, true),
            ("alloc", Some(bytes)) => match size(bytes) {
                Some(bytes) if self.leaks && self.alloc.is_some_and(|known| known != bytes) => {
                    return Err(OptionError("options 'alloc' and 'leaks' cannot name different bytes".into()));
                }
                Some(bytes) => (self.alloc, self.alloc_all) = (Some(bytes), false),
                None => return Err(wrong(key, bytes, "a number of bytes such as 512k, or all")),
            },
            ("exceptions", Some(globs)) => self.exceptions = Some(globs.split(':').map(Into::into).collect()),
            ("cpu", Some(interval)) => match duration(interval) {
                Some(interval) => self.cpu = Some(interval),
                None => return Err(wrong(key, interval, "a time such as 10ms")),
            },
            ("entries", Some(globs)) => self.entries = globs.split(':').map(Into::into).collect(),
            ("leaks", Some(bytes)) => match (size(bytes), self.alloc) {
                (Some(bytes), known) if known.is_none_or(|known| known == bytes) => {
                    (self.leaks, self.alloc) = (true, Some(bytes));
                }
                (Some(_), _) => {
                    return Err(OptionError("options 'alloc' and 'leaks' cannot name different bytes".into()));
                }
                (None, _) => return Err(wrong(key, bytes, "a number of bytes such as 128k")),
            },
            ("cct-memory", Some(bytes)) => match size(bytes) {
                Some(bytes) => self.cct_memory = bytes,
                None => return Err(wrong(key, bytes, "a number of bytes such as 512m")),
            },
            ("control", Some("off")) => self.control = Control::Off,
            ("control", Some("on")) => self.control = Control::On,
            ("control", Some(path)) => self.control = Control::At(path.into()),
            ("start", Some("off")) => self.start = false,
            ("start", Some("on")) => self.start = true,
            ("start", Some(other)) => return Err(wrong(key, other, "on or off")),
            ("verify", Some(n)) => match n.parse() {
                Ok(n) if n <= i32::MAX as u32 => self.verify = n,
                _ => return Err(wrong(key, n, "a number such as 1000")),
            },
            ("async", Some("on")) => self.follows_tasks = true,
            ("async", Some("off")) => self.follows_tasks = false,
            ("async", Some(other)) => return Err(wrong(key, other, "on or off")),
            ("encoder", Some(name)) => match EncoderKind::ALL.iter().find(|(known, _)| *known == name) {
                Some((_, kind)) => self.encoder = *kind,
                None => return Err(wrong(key, name, "lucce, algorithm1, cct, none or count")),
            },
            ("fault", Some(name)) if cfg!(feature = "faults") && is_fault(name) => self.faults.push(name.into()),
            _ => return Err(OptionError(format!("unknown option '{key}'"))),
        }
        Ok(())
    }
}

/// Bytes between two samples with `leaks` alone.
const LEAKS_INTERVAL: u32 = 128 << 10;

fn is_fault(name: &str) -> bool {
    crate::faults::OWN.contains(&name) || lucce_classfile::Faults::NAMES.contains(&name)
}

const VALUED: &[&str] = &[
    "file",
    "rotate",
    "rotate-every",
    "keep",
    "keyframe",
    "dump",
    "include",
    "exclude",
    "jdk",
    "alloc",
    "entries",
    "verify",
    "encoder",
    "async",
    "control",
    "start",
    "cct-memory",
    "cpu",
];

fn wrong(key: &str, value: &str, wanted: &str) -> OptionError {
    OptionError(format!("option '{key}' cannot be '{value}', it wants {wanted}"))
}

/// A value, or `off`.
fn limit<T>(key: &str, text: &str, read: fn(&str) -> Option<T>, wanted: &str) -> Result<Option<T>, OptionError> {
    if text == "off" {
        return Ok(None);
    }
    read(text).map(Some).ok_or_else(|| wrong(key, text, wanted))
}

/// `90s`, `30m`, `1h`, `7d`; at least one second.
fn age(text: &str) -> Option<Duration> {
    let (unit, digits) = text.chars().next_back().map(|unit| (unit, &text[..text.len() - unit.len_utf8()]))?;
    let unit = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 86_400,
        _ => return None,
    };
    let seconds = digits.parse::<u32>().ok().filter(|&seconds| seconds > 0)?;
    Some(Duration::from_secs(u64::from(seconds) * unit))
}

/// `512`, `512k`, `2m`, `1g`; at least 1 and below 2^31.
fn size(text: &str) -> Option<u32> {
    long_size(text).and_then(|bytes| i32::try_from(bytes).ok()).map(|bytes| bytes as u32)
}

/// The same without that limit.
fn long_size(text: &str) -> Option<u64> {
    let (digits, unit) = match text.as_bytes().last()?.to_ascii_lowercase() {
        b'k' => (&text[..text.len() - 1], 1 << 10),
        b'm' => (&text[..text.len() - 1], 1 << 20),
        b'g' => (&text[..text.len() - 1], 1 << 30),
        _ => (text, 1),
    };
    digits.parse::<u64>().ok()?.checked_mul(unit).filter(|&bytes| bytes > 0)
}

/// `10ms`, `500us`, `1s`; at least 100us and at most an hour.
fn duration(text: &str) -> Option<Duration> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "us" => 1,
        "ms" => 1_000,
        "s" => 1_000_000,
        _ => return None,
    };
    let micros = digits.parse::<u64>().ok()?.checked_mul(unit)?;
    (100..=3_600_000_000).contains(&micros).then(|| Duration::from_micros(micros))
}

/// Does `glob` (`*` any run, `?` one character) match `name`? Iterative: the last star is the only place to go back to.
pub fn glob_matches(glob: &str, name: &str) -> bool {
    let (glob, name) = (glob.as_bytes(), name.as_bytes());
    let (mut g, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        if g < glob.len() && glob[g] == b'*' {
            star = Some((g, n));
            g += 1;
        } else if g < glob.len() && (glob[g] == b'?' || glob[g] == name[n]) {
            g += 1;
            n += 1;
        } else if let Some((at, from)) = star {
            star = Some((at, from + 1));
            g = at + 1;
            n = from + 1;
        } else {
            return false;
        }
    }
    glob[g..].iter().all(|&byte| byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_with_their_units() {
        let options = Options::parse("file=a.log,alloc=512k,verify=7,quiet,exclude=a.*:b.C").unwrap();
        assert_eq!((options.file.as_str(), options.alloc, options.verify), ("a.log", Some(512 << 10), 7));
        assert!(options.quiet);
        assert_eq!(options.exclude, ["a.*", "b.C"]);
    }

    #[test]
    fn the_log_is_limited_unless_told_otherwise() {
        let limits = |text: &str| {
            let options = Options::parse(text).unwrap();
            (options.limits.bytes, options.limits.every.map(|every| every.as_secs()), options.keep)
        };
        assert_eq!(limits(""), (Some(1 << 30), None, 2));
        assert_eq!(limits("rotate=3g,keep=8,rotate-every=2h"), (Some(3 << 30), Some(7200), 8));
        assert_eq!(limits("rotate=off,keep=all"), (None, None, u32::MAX));
        for wrong in ["rotate=0", "keep=0", "rotate-every=1", "rotate-every=0s", "rotate-every=\u{e9}", "keyframe=x"] {
            assert!(Options::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_wrong_option_is_named_and_the_valid_ones_listed() {
        for (text, named) in [
            ("colour=red", "'colour'"),
            ("jdk=yes", "'jdk'"),
            ("alloc=lots", "'alloc'"),
            ("verify", "'verify'"),
            ("quiet=1", "'quiet'"),
        ] {
            let line = Options::parse(text).unwrap_err().to_string();
            assert!(line.contains(named) && line.contains("alloc=<bytes>") && !line.contains('\n'), "{line}");
        }
    }

    #[test]
    fn leaks_turn_sampling_on_and_agree_with_it() {
        let options = |text: &str| Options::parse(text).map(|options| (options.leaks, options.alloc));
        assert_eq!(options("leaks"), Ok((true, Some(128 << 10))));
        assert_eq!(options("leaks=4k"), Ok((true, Some(4 << 10))));
        assert_eq!(
            [options("alloc=1k,leaks"), options("leaks,alloc=1k")],
            [Ok((true, Some(1 << 10))), Ok((true, Some(1 << 10)))]
        );
        for text in [
            "alloc=1k,leaks=2k",
            "leaks=2k,alloc=1k",
            "leaks=",
            "leaks=few",
            "leaks,encoder=none",
            "leaks,alloc=all",
            "alloc=all,leaks=2k",
        ] {
            assert!(options(text).is_err(), "{text}");
        }
    }

    #[test]
    fn encoders_without_contexts_have_no_events_and_nothing_to_verify() {
        for name in ["none", "count"] {
            let encoder = Options::parse(&format!("encoder={name}")).unwrap().encoder;
            assert_eq!((encoder.name(), encoder.has_contexts()), (name, false));
            for other in ["verify=1", "alloc=512k"] {
                let line = Options::parse(&format!("encoder={name},{other}")).unwrap_err().to_string();
                assert!(line.contains(name) && line.contains("no contexts"), "{line}");
            }
        }
    }

    #[test]
    fn sources_are_off_unless_asked_for_and_need_lucces_words() {
        let none = Options::parse("quiet").unwrap();
        assert!(none.exceptions.is_none() && !none.locks && none.cpu.is_none() && none.alloc.is_none());
        let all = Options::parse("exceptions=java.lang.*:a.B,locks,cpu=10ms").unwrap();
        assert_eq!(all.exceptions.unwrap(), ["java.lang.*", "a.B"]);
        assert_eq!((all.locks, all.cpu), (true, Some(Duration::from_millis(10))));
        assert_eq!(Options::parse("exceptions").unwrap().exceptions, Some(Vec::new()));
        for wrong in ["exceptions=", "locks=1", "cpu", "cpu=10", "cpu=1us", "encoder=cct,locks", "encoder=none,cpu=1ms"]
        {
            assert!(Options::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_counted_by_context_needs_the_words_of_the_encoder() {
        let options = Options::parse("alloc=all,entries=com.acme.*.handle*:a.B.<init>").unwrap();
        assert_eq!((options.alloc, options.alloc_all, options.entries.len()), (None, true, 2));
        assert_eq!(Options::parse("alloc=all,alloc=1m").unwrap().alloc, Some(1 << 20));
        for encoder in ["cct", "algorithm1", "none"] {
            for counted in ["alloc=all", "entries=*.run"] {
                let line = Options::parse(&format!("encoder={encoder},{counted}")).unwrap_err().to_string();
                assert!(line.contains(encoder) && line.contains("counts nothing"), "{line}");
            }
        }
    }

    #[test]
    fn tasks_are_followed_if_they_are_asked_for() {
        assert!(!Options::parse("quiet").unwrap().follows_tasks);
        assert!(Options::parse("async=on").unwrap().follows_tasks);
        assert!(!Options::parse("async=off").unwrap().follows_tasks);
        assert!(Options::parse("async=maybe").unwrap_err().to_string().contains("on or off"));
        assert!(Options::parse("async=on,encoder=none").unwrap_err().to_string().contains("no contexts"));
    }

    #[test]
    fn a_late_start_needs_control_and_refuses_what_counts_from_the_beginning() {
        assert!(Options::parse("").unwrap().start);
        let late = Options::parse("start=off,control=/tmp/a").unwrap();
        assert_eq!((late.start, late.control), (false, Control::At("/tmp/a".into())));
        for other in ["control=off", "jdk=on", "alloc=all", "entries=*.run", "async=on", "encoder=algorithm1"] {
            let line = Options::parse(&format!("start=off,{other}")).unwrap_err().to_string();
            assert!(line.contains("start=off") && !line.contains('\n'), "{line}");
        }
    }

    #[test]
    fn globs_match_class_names() {
        assert!(glob_matches("com.acme.*", "com.acme.shop.Cart"));
        assert!(glob_matches("*Test?", "a.b.FooTest1"));
        assert!(glob_matches("*a*b*", "xxaxxbxx"));
        assert!(!glob_matches("com.acme.*", "com.acmes.Cart"));
        assert!(!glob_matches("a", ""));
    }
}
