//! pprof: the sums of one kind, compressed (`.pb.gz`).
//!
//! Invariant: each sum is one sample with two values, the number of events and what they add up to,
//! and with the labels `class`, `thread`, `origin`, `context` and `fingerprint`, where they are
//! known. Each frame is a location of its own.
//! Source: github.com/google/pprof, `proto/profile.proto`; the numbers of fields below are its own.

use std::collections::HashMap;
use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use prost::Message;

use super::{Profile, Sum, clamp, name_of};
use crate::Unit;

#[derive(Clone, PartialEq, Message)]
struct Proto {
    #[prost(message, repeated, tag = "1")]
    sample_type: Vec<ValueType>,
    #[prost(message, repeated, tag = "2")]
    sample: Vec<Sample>,
    #[prost(message, repeated, tag = "4")]
    location: Vec<Location>,
    #[prost(message, repeated, tag = "5")]
    function: Vec<Function>,
    #[prost(string, repeated, tag = "6")]
    string_table: Vec<String>,
    #[prost(int64, tag = "9")]
    time_nanos: i64,
    #[prost(int64, tag = "10")]
    duration_nanos: i64,
    #[prost(message, optional, tag = "11")]
    period_type: Option<ValueType>,
    #[prost(int64, tag = "12")]
    period: i64,
    #[prost(int64, repeated, tag = "13")]
    comment: Vec<i64>,
    #[prost(int64, tag = "14")]
    default_sample_type: i64,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct ValueType {
    #[prost(int64, tag = "1")]
    kind: i64,
    #[prost(int64, tag = "2")]
    unit: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Sample {
    #[prost(uint64, repeated, tag = "1")]
    location_id: Vec<u64>,
    #[prost(int64, repeated, tag = "2")]
    value: Vec<i64>,
    #[prost(message, repeated, tag = "3")]
    label: Vec<Label>,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct Label {
    #[prost(int64, tag = "1")]
    key: i64,
    #[prost(int64, tag = "2")]
    text: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Location {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(message, repeated, tag = "4")]
    line: Vec<Line>,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct Line {
    #[prost(uint64, tag = "1")]
    function_id: u64,
    #[prost(int64, tag = "2")]
    line: i64,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct Function {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(int64, tag = "2")]
    name: i64,
    #[prost(int64, tag = "3")]
    system_name: i64,
    #[prost(int64, tag = "4")]
    filename: i64,
}

/// Writes the sums of a kind, [`Profile::kinds`].
///
/// # Errors
/// Those of `out`.
pub fn write(profile: &Profile, kind: usize, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    let mut out = GzEncoder::new(out, Compression::default());
    out.write_all(&Building::new(profile, kind).finish().encode_to_vec())?;
    out.finish()?.flush()
}

struct Building<'a> {
    profile: &'a Profile,
    proto: Proto,
    strings: HashMap<String, i64>,
    functions: HashMap<(i64, i64, i64), u64>,
    /// By the number of the frame.
    locations: Vec<Option<u64>>,
}

impl<'a> Building<'a> {
    fn new(profile: &'a Profile, kind: usize) -> Self {
        let locations = vec![None; profile.stacks().frames().len()];
        let (strings, functions) = (HashMap::new(), HashMap::new());
        let mut building = Self { profile, proto: Proto::default(), strings, functions, locations };
        // The first string is empty, for 0 means none.
        building.string("");
        building.head(kind);
        let sums = profile.sums().iter().filter(|sum| sum.kind == kind);
        sums.for_each(|sum| building.sample(sum));
        building
    }

    /// What the values are, and of what run.
    fn head(&mut self, kind: usize) {
        let kind = &self.profile.kinds()[kind];
        let value = match kind.unit() {
            Unit::Bytes => "space",
            Unit::Nanoseconds => "time",
            Unit::Count => "value",
        };
        let value = format!("{}_{value}", kind.label);
        let [events, count, value, unit] =
            ["events", "count", &value, name_of(kind.unit())].map(|text| self.string(text));
        self.proto.sample_type = vec![ValueType { kind: events, unit: count }, ValueType { kind: value, unit }];
        self.proto.default_sample_type = value;
        let (begin, end) = self.profile.span();
        self.proto.time_nanos = begin as i64;
        self.proto.duration_nanos = (end - begin) as i64;
        for comment in self.profile.comments(kind) {
            let comment = self.string(&comment);
            self.proto.comment.push(comment);
        }
    }

    fn sample(&mut self, sum: &Sum) {
        let frames = self.profile.stacks().innermost_first(sum.stack);
        let location_id = frames.map(|frame| self.location(frame)).collect();
        let (profile, origin) = (self.profile, self.profile.origin_line(sum));
        let fingerprint = profile.fingerprints(sum).exact.to_string();
        let labels = [
            ("class", profile.class(sum)),
            ("thread", profile.thread(sum).map(|thread| thread.name.as_str())),
            ("origin", origin.as_deref()),
            ("context", Some(profile.context(sum))),
            ("fingerprint", Some(fingerprint.as_str())),
        ];
        let known = labels.into_iter().filter_map(|(key, text)| Some((key, text?)));
        let label = known.map(|(key, text)| Label { key: self.string(key), text: self.string(text) }).collect();
        let value = vec![i64::try_from(sum.count).unwrap_or(i64::MAX), clamp(sum.value)];
        self.proto.sample.push(Sample { location_id, value, label });
    }

    fn location(&mut self, id: super::FrameId) -> u64 {
        if let Some(known) = self.locations[id.0 as usize] {
            return known;
        }
        let frame = self.profile.stacks().frame(id);
        let name = frame.name();
        let system_name = format!("{name}{}", frame.desc);
        let [name, system_name, filename] =
            [&name, &system_name, frame.file.as_deref().unwrap_or("")].map(|text| self.string(text));
        let next = self.functions.len() as u64 + 1;
        let function = *self.functions.entry((name, system_name, filename)).or_insert(next);
        if function == next {
            self.proto.function.push(Function { id: function, name, system_name, filename });
        }
        let location = self.proto.location.len() as u64 + 1;
        let line = vec![Line { function_id: function, line: frame.line.map_or(0, i64::from) }];
        self.proto.location.push(Location { id: location, line });
        self.locations[id.0 as usize] = Some(location);
        location
    }

    fn string(&mut self, text: &str) -> i64 {
        if let Some(&known) = self.strings.get(text) {
            return known;
        }
        let next = self.proto.string_table.len() as i64;
        self.proto.string_table.push(text.into());
        self.strings.insert(text.into(), next);
        next
    }

    fn finish(self) -> Proto {
        self.proto
    }
}
