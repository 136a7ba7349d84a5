//! Collapsed stacks: one line a stack, `outermost;...;innermost value`.
//!
//! Invariant: one line for each distinct stack. With several kinds the outermost frame is the kind, so that values of different units are
//! never added up. A class is the innermost frame. No name breaks a stack or its line.
//! Source: Brendan Gregg's FlameGraph, "collapsed stacks".

use std::collections::HashMap;
use std::io::{self, Write};

use super::{Profile, Sum};
use crate::plain::part;

/// Writes the sums of a kind, or of all kinds, the largest first.
///
/// # Errors
/// Those of `out`.
pub fn write(profile: &Profile, kind: Option<usize>, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    let single = kind.is_some() || profile.kinds().len() < 2;
    let mut stacks: HashMap<String, i128> = HashMap::new();
    for sum in profile.sums().iter().filter(|sum| kind.is_none_or(|kind| sum.kind == kind)) {
        *stacks.entry(line(profile, sum, single)).or_default() += sum.value;
    }
    let mut stacks: Vec<(String, i128)> = stacks.into_iter().collect();
    stacks.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    stacks.iter().try_for_each(|(stack, sum)| writeln!(out, "{stack} {sum}"))
}

fn line(profile: &Profile, sum: &Sum, single: bool) -> String {
    let kind = (!single).then(|| format!("[{}]", part(&profile.kinds()[sum.kind].label)));
    let frames = profile.stacks().outermost_first(sum.stack);
    let frames = frames.into_iter().map(|frame| part(&profile.stacks().frame(frame).name()).into_owned());
    let parts: Vec<String> =
        kind.into_iter().chain(frames).chain(profile.class(sum).map(|class| part(class).into_owned())).collect();
    parts.join(";")
}
