//! When the log goes on in another file, and how.
//!
//! Invariants: a file begins with every definition of the run so far, and ends, if another follows,
//! with the name of that; where another cannot be begun, everything stays as it is.
//! Source: docs/FORMAT.md, "Files and keyframes"; docs/design/log-files.md ("Files of a run").

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use lucce_log::{Header, Record};

use super::Output;
use crate::counter_delta::CounterDelta;
use crate::target::Target;

/// How long it takes until a file that could not be begun is tried again.
const RETRY: Duration = Duration::from_secs(60);

impl Output {
    pub(super) fn rotation_is_due(&self) -> bool {
        // What a file begins with counts, but leaves room for something else.
        let full = |limit: u64| self.target.len() >= limit && self.target.len() - self.opening >= limit / 2;
        let old = |age: Duration| self.opened.elapsed() >= age && self.target.len() > self.opening;
        let due = self.limits.bytes.is_some_and(full) || self.limits.every.is_some_and(old);
        due && self.stuck.is_none_or(|since| since.elapsed() >= RETRY)
    }

    /// Goes on in the next file. Where that cannot be, everything stays as it is.
    pub(super) fn rotate(&mut self) -> Result<(), String> {
        if let Some(why) = self.alone {
            return Err(format!("the log cannot go on in another file: {why}"));
        }
        if !self.backlog.is_empty() {
            return Err("the disk takes no more".into());
        }
        self.status.busy.store(true, Ordering::Relaxed);
        let result = self.next_file();
        self.status.busy.store(false, Ordering::Relaxed);
        if let (Err(line), None) = (&result, self.stuck) {
            (self.host.say)(format_args!("{line}; the log goes on in {}", self.status.path().display()));
        }
        self.stuck = result.is_err().then(Instant::now);
        result
    }

    fn next_file(&mut self) -> Result<(), String> {
        let (file, path) = self.files.next().map_err(|refused| refused.line)?;
        let header = Header { part: self.files.number(), ..self.header.clone() };
        let next = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.composer.push(&Record::Rotated { next });
        let last = self.composer.finish().concat();
        let begun = Target::begin(file, &header, &CounterDelta::nothing_refused(), &self.status);
        match begun.and_then(|next| self.target.add(&last, &self.status).map(|()| next)) {
            Ok(next) => self.target = next,
            Err(error) => {
                self.files.undo();
                self.composer.take_back();
                return Err(format!("cannot begin the log {}: {error}", path.display()));
            }
        }
        self.torn = false;
        self.composer.next_file();
        self.write_repeated();
        (self.opening, self.opened) = (self.target.len(), Instant::now());
        self.since_keyframe = 0;
        self.counters.forget();
        self.status.set_path(path);
        if let Some(oldest) = self.files.drop_oldest() {
            self.status.dropped(&oldest, self.host);
        }
        Ok(())
    }
}
