//! One option: what its value may be, and where it goes.

use lucce_log::{long_size, size};

use super::values::{age, duration, limit};
use super::{Control, EncoderKind, HooksKind, OptionError, Options, wrong};

impl Options {
    pub(super) fn set(&mut self, key: &str, value: Option<&str>) -> Result<(), OptionError> {
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
            ("cache", Some(path)) => self.cache = Some(path.into()),
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
                None => return Err(wrong(key, bytes, "a number of bytes below 2g such as 512k, or all")),
            },
            ("exceptions", Some(globs)) => self.exceptions = Some(globs.split(':').map(Into::into).collect()),
            ("cpu", Some(interval)) => match duration(interval) {
                Some(interval) => self.cpu = Some(interval),
                None => return Err(wrong(key, interval, "a time from 100us to 3600s such as 10ms")),
            },
            ("entries", Some(globs)) => self.entries = globs.split(':').map(Into::into).collect(),
            ("leaks", Some(bytes)) => match (size(bytes), self.alloc) {
                (Some(bytes), known) if known.is_none_or(|known| known == bytes) => {
                    (self.leaks, self.alloc) = (true, Some(bytes));
                }
                (Some(_), _) => {
                    return Err(OptionError("options 'alloc' and 'leaks' cannot name different bytes".into()));
                }
                (None, _) => return Err(wrong(key, bytes, "a number of bytes below 2g such as 128k")),
            },
            ("cct-memory", Some(bytes)) => match size(bytes) {
                Some(bytes) => self.cct_memory = bytes,
                None => return Err(wrong(key, bytes, "a number of bytes below 2g such as 512m")),
            },
            ("control", Some("off")) => self.control = Control::Off,
            ("control", Some("on")) => self.control = Control::On,
            ("control", Some(path)) => self.control = Control::At(path.into()),
            ("hooks", Some("all")) => self.hooks = Some(HooksKind::All),
            ("hooks", Some("demand")) => self.hooks = Some(HooksKind::Demand),
            ("hooks", Some(other)) => return Err(wrong(key, other, "all or demand")),
            ("wake", Some(frames)) => match frames.parse() {
                Ok(frames) => self.wake = Some(frames),
                _ => return Err(wrong(key, frames, "a number of frames a second such as 20000")),
            },
            ("awake", Some(globs)) => self.awake = globs.split(':').map(Into::into).collect(),
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

/// Options that are nothing without a value.
const VALUED: &[&str] = &[
    "file",
    "rotate",
    "rotate-every",
    "keep",
    "keyframe",
    "cache",
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
    "hooks",
    "awake",
    "wake",
    "cct-memory",
    "cpu",
];

fn is_fault(name: &str) -> bool {
    crate::faults::OWN.contains(&name) || lucce_classfile::Faults::NAMES.contains(&name)
}
