//! Which events and contexts a view is about, and how their stacks are shown.
//!
//! Invariant: a filter means the same in every view. An event or frame is taken if each list that
//! is not empty has something that fits it.
//! Source: docs/guide/decoder.md, "Filters".

use lucce_log::glob_matches;

use crate::{Log, LoggedEvent, Trace, TraceEnd, TraceFrame};

/// What is taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Kinds, as users write them.
    pub kinds: Vec<String>,
    /// Globs of classes that events are about.
    pub classes: Vec<String>,
    /// Globs of names of threads.
    pub threads: Vec<String>,
    /// Globs of classes or methods: a context has a frame of one of them.
    pub include: Vec<String>,
    /// Likewise: a context has none.
    pub exclude: Vec<String>,
    /// Likewise: a context begins with its outermost frame that fits, and others are left out.
    pub focus: Vec<String>,
    /// Nanoseconds since the start of the run: earlier events are left out, and all without a time.
    pub from_ns: Option<u64>,
    /// Events from then on are left out, and all without a time.
    pub to_ns: Option<u64>,
}

/// How stacks are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Names without the numbers of a run.
    pub norm: bool,
    /// Frames are methods: lines and indices do not tell them apart.
    pub methods: bool,
}

impl Filter {
    /// Is an event taken, as far as its frames do not decide?
    pub fn takes(&self, log: &Log, event: &LoggedEvent) -> bool {
        self.takes_time(event)
            && self.takes_kind(|text| log.kind_of(event.kind).is_some_and(|kind| kind.is_meant_by(text)))
            && fits(&self.classes, log.allocated(event))
            && (self.threads.is_empty() || fits(&self.threads, thread(log, event)))
    }

    fn takes_kind(&self, is_meant: impl Fn(&str) -> bool) -> bool {
        self.kinds.is_empty() || self.kinds.iter().any(|text| is_meant(text))
    }

    pub(crate) fn takes_time(&self, event: &LoggedEvent) -> bool {
        !self.asks_for_time()
            || event.time().is_some_and(|time| {
                self.from_ns.is_none_or(|from| time >= from) && self.to_ns.is_none_or(|to| time < to)
            })
    }

    /// Are events without a time left out? So they are where threads are chosen.
    pub fn asks_for_time(&self) -> bool {
        self.from_ns.is_some() || self.to_ns.is_some()
    }

    /// Do frames decide?
    pub fn asks_for_frames(&self) -> bool {
        !(self.include.is_empty() && self.exclude.is_empty() && self.focus.is_empty())
    }

    /// How many of these frames, innermost first, are shown; `None` for a context that is left out.
    pub fn frames<'a>(&self, frames: impl Iterator<Item = TraceFrame<'a>>) -> Option<usize> {
        let (mut all, mut included, mut focused) = (0, self.include.is_empty(), 0);
        for frame in frames {
            all += 1;
            if is_of(&self.exclude, &frame) {
                return None;
            }
            included = included || is_of(&self.include, &frame);
            if is_of(&self.focus, &frame) {
                focused = all;
            }
        }
        let shown = if self.focus.is_empty() { all } else { focused };
        (included && (shown > 0 || self.focus.is_empty())).then_some(shown)
    }

    /// A trace as it is shown; `None` if it is left out.
    pub fn trace<'a>(&self, mut trace: Trace<'a>) -> Option<Trace<'a>> {
        let shown = self.frames(trace.frames.iter().cloned())?;
        if shown < trace.frames.len() {
            trace.frames.truncate(shown);
            trace.end = TraceEnd::Root;
        }
        Some(trace)
    }
}

fn thread<'a>(log: &'a Log, event: &LoggedEvent) -> Option<&'a str> {
    // A sum is of no thread.
    log.thread(event.thread).filter(|_| !event.is_tally()).map(|thread| thread.name.as_str())
}

fn fits(globs: &[String], name: Option<&str>) -> bool {
    globs.is_empty() || name.is_some_and(|name| globs.iter().any(|glob| glob_matches(glob, name)))
}

/// Is the frame, or its class, one of these?
fn is_of(globs: &[String], frame: &TraceFrame<'_>) -> bool {
    !globs.is_empty() && !frame.is_remark() && {
        let name = format!("{}.{}", frame.class, frame.method);
        globs.iter().any(|glob| glob_matches(glob, &name) || glob_matches(glob, frame.class))
    }
}

/// A time as `--from` and `--to` take it, in nanoseconds: `1.5`, `90s`, `250ms`, `2m`, `1h`.
/// Without a unit it is seconds.
pub fn time(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|each: char| each.is_ascii_alphabetic());
    let unit: u64 = match &text[digits.len()..] {
        "ns" => 1,
        "us" => 1_000,
        "ms" => 1_000_000,
        "" | "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let fits = !whole.is_empty() && part.len() <= 9 && [whole, part].concat().bytes().all(|each| each.is_ascii_digit());
    let whole = whole.parse::<u64>().ok().filter(|_| fits)?.checked_mul(unit)?;
    let part = if part.is_empty() { 0 } else { part.parse::<u64>().ok()? * unit / 10_u64.pow(part.len() as u32) };
    whole.checked_add(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame<'a>(class: &'a str, method: &'a str) -> TraceFrame<'a> {
        TraceFrame {
            class,
            method,
            desc: "()V",
            file: None,
            line: None,
            bci: None,
            via: &[],
            walked: false,
            native: false,
        }
    }

    #[test]
    fn frames_decide_what_is_taken_and_where_it_begins() {
        let stack = || [frame("a.In", "run"), frame("b.Mid", "call"), frame("b.Mid", "go"), frame("c.Out", "main")];
        let filter = |include: &[&str], exclude: &[&str], focus: &[&str]| {
            let [include, exclude, focus] =
                [include, exclude, focus].map(|globs| globs.iter().map(|&glob| glob.to_owned()).collect());
            Filter { include, exclude, focus, ..Filter::default() }.frames(stack().into_iter())
        };
        assert_eq!(filter(&[], &[], &[]), Some(4));
        assert_eq!((filter(&["a.*"], &[], &[]), filter(&["x.*", "b.Mid.go"], &[], &[])), (Some(4), Some(4)));
        assert_eq!((filter(&["x.*"], &[], &[]), filter(&["a.*"], &["c.Out"], &[])), (None, None));
        assert_eq!((filter(&[], &[], &["b.Mid"]), filter(&[], &[], &["b.Mid.call"])), (Some(3), Some(2)));
        assert_eq!((filter(&[], &[], &["x.*"]), filter(&["c.*"], &["d.*"], &["a.In"])), (None, Some(1)));
    }

    #[test]
    fn times_have_units() {
        for (text, ns) in [
            ("1.5", 1_500_000_000),
            ("90s", 90_000_000_000),
            ("250ms", 250_000_000),
            ("2m", 120_000_000_000),
            ("0.5h", 1_800_000_000_000),
            ("3.184s", 3_184_000_000),
        ] {
            assert_eq!(time(text), Some(ns), "{text}");
        }
        for wrong in ["", "s", "-1", "1d", "1.2.3", "99999999999999999999"] {
            assert_eq!(time(wrong), None, "{wrong}");
        }
    }
}
