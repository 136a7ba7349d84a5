//! One option: what its value may be, and where it goes.

use std::time::Duration;

use lucce_log::{long_size, size};

use super::labels;
use super::names::{form, needs_value, unknown};
use super::profile::{self, ProfileOption};
use super::values::{age, duration, limit};
use super::{Control, EncoderKind, Globs, HooksKind, OptionError, Options, Source, Verify, Weights, wrong};

impl Options {
    pub(super) fn set(&mut self, key: &str, value: Option<&str>) -> Result<(), OptionError> {
        match (key, value) {
            (_, Some("")) if form(key).is_some() => return Err(needs_value(key)),
            // What has no value of its own is on, and says so if it likes.
            ("quiet", None) => self.quiet = true,
            ("help", None | Some("on")) => self.help = true,
            ("contexts", None) => self.contexts = true,
            ("locks", None) => self.locks = true,
            ("leaks", None | Some("on")) => self.leaks = true,
            ("leaks", Some("off")) => self.leaks = false,
            ("exceptions", None | Some("on")) => self.exceptions = Some(Globs::default()),
            ("exceptions", Some("off")) => self.exceptions = None,
            ("quiet", Some(value)) => self.quiet = on(key, value)?,
            ("contexts", Some(value)) => self.contexts = on(key, value)?,
            ("locks", Some(value)) => self.locks = on(key, value)?,
            ("help", Some(other)) => return Err(wrong(key, other, "no value")),
            (_, None) if form(key).is_some() => return Err(needs_value(key)),
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
            ("window", Some(time)) => {
                let wanted = "a time from 100ms to 3600s such as 10s";
                let window = duration(time).filter(|window| *window >= Duration::from_millis(100));
                self.window = window.ok_or_else(|| wrong(key, time, wanted))?;
            }
            ("labels", Some(pairs)) => self.labels = labels::parse(pairs)?,
            ("dump", Some(path)) => self.dump = Some(path.into()),
            ("include", Some(globs)) => self.include = Globs::read(globs),
            ("exclude", Some(globs)) => self.exclude = Globs::read(globs),
            ("jdk", Some(value)) => self.jdk = on(key, value)?,
            // The last one counts.
            ("alloc", Some("off")) => (self.alloc, self.alloc_all) = (None, false),
            ("alloc", Some("all")) => (self.alloc, self.alloc_all) = (None, true),
            ("alloc", Some(bytes)) => match size(bytes) {
                Some(bytes) if self.leaks && self.alloc.is_some_and(|known| known != bytes) => {
                    return Err(OptionError("options 'alloc' and 'leaks' cannot name different bytes".into()));
                }
                Some(bytes) => (self.alloc, self.alloc_all) = (Some(bytes), false),
                None => return Err(wrong(key, bytes, "a number of bytes below 2g such as 512k, or all")),
            },
            ("exceptions", Some(globs)) => self.exceptions = Some(Globs::read(globs)),
            ("cpu", Some("off")) => self.cpu = None,
            ("cpu", Some(interval)) => match duration(interval) {
                Some(interval) => self.cpu = Some(interval),
                None => return Err(wrong(key, interval, "a time from 100us to 3600s such as 10ms")),
            },
            ("entries", Some("off")) => self.entries = Globs::default(),
            ("entries", Some(globs)) => self.entries = Globs::read(globs),
            ("profile", Some("off")) => self.profile = None,
            ("profile", Some(which)) => self.profile = Some(ProfileOption::read(key, which)?),
            ("hot", Some("off")) => self.hot = None,
            ("hot", Some(share)) => self.hot = Some(profile::share(key, share)?),
            ("leaks", Some(bytes)) => match (size(bytes), self.alloc) {
                (Some(bytes), known) if known.is_none_or(|known| known == bytes) => {
                    (self.leaks, self.alloc) = (true, Some(bytes));
                }
                (Some(_), _) => {
                    return Err(OptionError("options 'alloc' and 'leaks' cannot name different bytes".into()));
                }
                (None, _) => return Err(wrong(key, bytes, "a number of bytes below 2g such as 128k")),
            },
            ("trace", Some(path)) => self.trace = Some(path.into()),
            ("icpp", Some(weights)) => self.icpp = Some(Weights::read(weights)),
            ("walks", Some(value)) => self.walks = on(key, value)?,
            ("cct-memory", Some(bytes)) => match size(bytes) {
                Some(bytes) => self.cct_memory = bytes,
                None => return Err(wrong(key, bytes, "a number of bytes below 2g such as 512m")),
            },
            ("control", Some("off")) => self.control = Control::Off,
            ("control", Some("on")) => self.control = Control::On,
            ("control", Some(path)) => self.control = Control::At(path.into()),
            ("hooks", Some("all")) => self.hooks = Some(HooksKind::All),
            ("hooks", Some("demand")) => self.hooks = Some(HooksKind::Demand),
            ("hooks", Some("off")) => self.hooks = Some(HooksKind::Off),
            ("hooks", Some(other)) => return Err(wrong(key, other, "all, demand or off")),
            ("wake", Some(frames)) => match frames.parse() {
                Ok(frames) => self.wake = Some(frames),
                _ => return Err(wrong(key, frames, "a number of frames a second such as 20000")),
            },
            ("awake", Some(globs)) => self.awake = Globs::read(globs),
            ("start", Some(value)) => self.start = on(key, value)?,
            ("verify", Some("off" | "0")) => self.verify = Verify::Off,
            ("verify", Some(how)) => match (how.parse(), duration(how)) {
                (Ok(n), _) if n <= i32::MAX as u32 => self.verify = Verify::Every(n),
                (_, Some(time)) => self.verify = Verify::Each(time),
                _ => return Err(wrong(key, how, "a number such as 1000, or a time such as 10ms")),
            },
            ("async", Some(value)) => self.follows_tasks = on(key, value)?,
            ("encoder", Some("auto")) => (self.encoder, self.encoder_said) = (EncoderKind::Lucce, false),
            ("encoder", Some(name)) => match EncoderKind::named(name) {
                Some(kind) => (self.encoder, self.encoder_said) = (kind, true),
                None => return Err(wrong(key, name, &encoders())),
            },
            (name, None) if Source::of_option(name).is_some() => self.sources.extend(Source::of_option(name)),
            ("fault", Some(name)) if cfg!(feature = "faults") && is_fault(name) => self.faults.push(name.into()),
            _ => return Err(unknown(key, value)),
        }
        Ok(())
    }
}

/// All encoders, as a message lists them.
fn encoders() -> String {
    let mut names: Vec<&str> = std::iter::once("auto").chain(EncoderKind::ALL.iter().map(|(name, _)| *name)).collect();
    let last = names.pop().unwrap_or_default();
    format!("{} or {last}", names.join(", "))
}

/// A switch.
fn on(key: &str, value: &str) -> Result<bool, OptionError> {
    match value {
        "on" => Ok(true),
        "off" => Ok(false),
        other => Err(wrong(key, other, "on or off")),
    }
}

fn is_fault(name: &str) -> bool {
    crate::support::faults::OWN.contains(&name) || lucce_classfile::Faults::NAMES.contains(&name)
}
