//! Collapsed stacks: one line a stack, `outermost;...;innermost value`.
//!
//! Invariant: one line for each distinct stack. With several kinds the outermost frame is the kind,
//! so that values of different units are never added up. A class is the innermost frame. No name
//! breaks a stack or its line.
//! Source: Brendan Gregg's FlameGraph, "collapsed stacks".

use std::collections::HashMap;
use std::io::{self, Write};

use super::{Profile, Sum};
use crate::plain::part;

/// What is written.
#[derive(Clone, Copy, Debug, Default)]
pub struct CollapsedOptions {
    /// The kind, [`Profile::kinds`]; all of them otherwise.
    pub kind: Option<usize>,
    /// The outermost frame is the kind, also where there is but one.
    pub kinds: bool,
    /// Frames have lines: `shop.Order.price:41`.
    pub lines: bool,
    /// So many lines at most.
    pub top: Option<usize>,
}

/// Writes the sums of a kind, or of all kinds, the largest first.
///
/// # Errors
/// Those of `out`.
pub fn write(profile: &Profile, kind: Option<usize>, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    write_with(profile, CollapsedOptions { kind, ..CollapsedOptions::default() }, out)
}

/// [`write()`], with more to choose.
///
/// # Errors
/// Those of `out`.
pub fn write_with(profile: &Profile, options: CollapsedOptions, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    let CollapsedOptions { kind, top, .. } = options;
    let mut stacks: HashMap<String, i128> = HashMap::new();
    for sum in profile.sums().iter().filter(|sum| kind.is_none_or(|kind| sum.kind == kind)) {
        *stacks.entry(line(profile, sum, options)).or_default() += sum.value;
    }
    let mut stacks: Vec<(String, i128)> = stacks.into_iter().collect();
    stacks.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    stacks.iter().take(top.unwrap_or(usize::MAX)).try_for_each(|(stack, sum)| writeln!(out, "{stack} {sum}"))
}

fn line(profile: &Profile, sum: &Sum, options: CollapsedOptions) -> String {
    let of = &profile.kinds()[sum.kind];
    let named = options.kinds || of.is_unknown() || options.kind.is_none() && profile.kinds().len() > 1;
    let kind = named.then(|| format!("[{}]", part(&of.label)));
    let frames = profile.stacks().outermost_first(sum.stack);
    let name = |frame: &super::NamedFrame| match frame.line.filter(|_| options.lines) {
        Some(line) => format!("{}:{line}", frame.name()),
        None => frame.name(),
    };
    let frames = frames.into_iter().map(|frame| part(&name(profile.stacks().frame(frame))).into_owned());
    let parts: Vec<String> =
        kind.into_iter().chain(frames).chain(profile.class(sum).map(|class| part(class).into_owned())).collect();
    parts.join(";")
}
