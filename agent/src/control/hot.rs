//! The answer to `ctl <pid> hot`: which contexts run most right now, and how sure that is.
//!
//! Invariant: shares, bounds and verdicts are those of [`Profile::hottest`]; what is left out of a
//! long answer is counted.
//! Source: docs/guide/profiles.md.

use std::fmt::Write;

use lucce_profiles::hot::Interval;
use lucce_words::SiteId;

use crate::events::profile::{Hot, Profile};
use crate::state::agent::Agent;
use crate::state::catalog::ClassEntry;
use crate::state::classes::Classes;

/// Contexts that are told.
const CONTEXTS: usize = 20;
/// Frames of each.
const FRAMES: usize = 40;

/// The hottest contexts, of this share or of that of the options.
///
/// # Errors
/// Nothing is sampled, or that is no share.
pub fn answer(agent: &Agent, share: Option<&str>) -> Result<String, String> {
    let profile = agent.events.profile.as_ref().ok_or("nothing is sampled: start the JVM with profile=10ms")?;
    let share = share.map(|text| text.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share)).ok_or(text));
    let share =
        share.transpose().map_err(|text| format!("'{text}' is no share: write one from 0 to 1, such as 0.01"))?;
    let all = profile.hottest(share);
    let mut lines = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(lines, "samples {}", profile.samples());
    all.iter().take(CONTEXTS).for_each(|hot| write(&agent.classes, profile, hot, &mut lines));
    if all.len() > CONTEXTS {
        let _ = writeln!(lines, "... {} more", all.len() - CONTEXTS);
    }
    Ok(lines)
}

fn write(classes: &Classes, profile: &Profile, hot: &Hot, lines: &mut String) {
    let of = if profile.in_bursts() { "of the samples" } else { "of all entries" };
    let Interval { low, high } = hot.shares.told();
    let (low, high, verdict) = (100.0 * low, 100.0 * high, hot.verdict.name());
    let _ = writeln!(lines, "{verdict}: {low:.3} to {high:.3} % {of}, {} samples", hot.samples.low);
    let shown = hot.sites.iter().take(FRAMES).map(|&site| frame(classes, site));
    let Some(frames) = shown.collect::<Option<Vec<String>>>() else {
        return lines.push_str("    [its classes were unloaded; the log has its trace]\n");
    };
    for frame in frames {
        let _ = writeln!(lines, "    at {frame}");
    }
    if hot.sites.len() > FRAMES {
        let _ = writeln!(lines, "    ... {} more", hot.sites.len() - FRAMES);
    }
}

/// A frame as the JVM prints it.
fn frame(classes: &Classes, site: SiteId) -> Option<String> {
    let entry = classes.catalog.site(site)?;
    let method = classes.catalog.method(entry.method)?;
    let class = classes.catalog.class(method.class);
    let source = class.as_ref().and_then(ClassEntry::source);
    let place = match (source, entry.line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        (Some(file), None) => file.to_owned(),
        (None, _) => "Unknown Source".to_owned(),
    };
    Some(format!("{}.{}({place})", method.member.owner().replace('/', "."), method.member.name()))
}
