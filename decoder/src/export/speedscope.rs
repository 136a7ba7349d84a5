//! speedscope: one file with all kinds, each a profile that weighs the same stacks.
//!
//! Invariant: a class is the innermost frame, so that each class of a context has a weight of its
//! own. speedscope has no negative weights: sums below zero are left out, and their number is given
//! back.
//! Source: www.speedscope.app/file-format-schema.json (sampled profiles).

use std::collections::HashMap;
use std::io::{self, Write};

use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

use super::{FrameId, Profile, Sum, clamp, name_of};
use crate::Unit;

#[derive(Serialize)]
struct File<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    exporter: &'static str,
    name: String,
    shared: SharedFrames<'a>,
    profiles: Vec<Sampled<'a>>,
}

#[derive(Serialize)]
struct SharedFrames<'a> {
    frames: Vec<SpeedscopeFrame<'a>>,
}

#[derive(Serialize)]
struct SpeedscopeFrame<'a> {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Sampled<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    name: &'a str,
    unit: &'static str,
    start_value: i64,
    end_value: i64,
    samples: Samples<'a>,
    weights: Vec<i64>,
}

/// The stacks of the sums, made one after the other as they are written.
struct Samples<'a> {
    profile: &'a Profile,
    sums: Vec<&'a Sum>,
    /// The frame of each class.
    classes: &'a HashMap<usize, u32>,
}

impl Serialize for Samples<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.sums.len()))?;
        for sum in &self.sums {
            let frames = self.profile.stacks().outermost_first(sum.stack);
            let class = sum.class.and_then(|class| self.classes.get(&class).copied());
            let stack: Vec<u32> = frames.into_iter().map(|FrameId(frame)| frame).chain(class).collect();
            list.serialize_element(&stack)?;
        }
        list.end()
    }
}

/// Writes the sums of a kind, or of all kinds. How many had to be left out, since they are
/// negative.
///
/// # Errors
/// Those of `out`.
pub fn write(profile: &Profile, kind: Option<usize>, out: &mut (impl Write + ?Sized)) -> io::Result<u64> {
    let mut frames: Vec<SpeedscopeFrame<'_>> = profile.stacks().frames().iter().map(frame).collect();
    let mut classes = HashMap::new();
    for (at, class) in profile.classes().iter().enumerate() {
        classes.insert(at, frames.len() as u32);
        frames.push(SpeedscopeFrame { name: class.to_string(), file: None, line: None });
    }
    let mut negative = 0;
    let mut profiles = Vec::new();
    for (at, of) in profile.kinds().iter().enumerate().filter(|(at, _)| kind.is_none_or(|kind| kind == *at)) {
        let (mut sums, below): (Vec<&Sum>, Vec<&Sum>) =
            profile.sums().iter().filter(|sum| sum.kind == at).partition(|sum| sum.value >= 0);
        negative += below.len() as u64;
        // Neighbours share frames, so that the view by time has wide boxes, too.
        sums.sort_by_cached_key(|sum| profile.stacks().outermost_first(sum.stack));
        let weights: Vec<i64> = sums.iter().map(|sum| clamp(sum.value)).collect();
        profiles.push(Sampled {
            kind: "sampled",
            name: &of.label,
            unit: match of.unit() {
                Unit::Count => "none",
                unit => name_of(unit),
            },
            start_value: 0,
            end_value: weights.iter().fold(0, |sum, weight| sum.saturating_add(*weight)),
            samples: Samples { profile, sums, classes: &classes },
            weights,
        });
    }
    let file = File {
        schema: "https://www.speedscope.app/file-format-schema.json",
        exporter: concat!("lucce-decode ", env!("CARGO_PKG_VERSION")),
        name: profile.title(),
        shared: SharedFrames { frames },
        profiles,
    };
    serde_json::to_writer(&mut *out, &file)?;
    out.write_all(b"\n")?;
    Ok(negative)
}

fn frame(frame: &super::NamedFrame) -> SpeedscopeFrame<'_> {
    SpeedscopeFrame { name: frame.name(), file: frame.file.as_deref(), line: frame.line }
}
