//! Values of options as they are written: times, globs. What a reader of logs takes, too, is in
//! `lucce_log`: `size`, `glob_matches`.

use std::time::Duration;

use crate::support::text;

use super::{Globs, OptionError, wrong};

/// A value, or `off`.
pub(super) fn limit<T>(
    key: &str,
    text: &str,
    read: fn(&str) -> Option<T>,
    wanted: &str,
) -> Result<Option<T>, OptionError> {
    if text == "off" {
        return Ok(None);
    }
    read(text).map(Some).ok_or_else(|| wrong(key, text, wanted))
}

/// `90s`, `30m`, `1h`, `7d`; at least one second.
pub(super) fn age(text: &str) -> Option<Duration> {
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

/// `10ms`, `500us`, `1s`; at least 100us and at most 3600s.
pub(super) fn duration(text: &str) -> Option<Duration> {
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

/// Does one of the globs match a method, as `pkg.Class.method`? `class` is its internal name.
pub fn method_matches(globs: &Globs, class: &[u8], name: &[u8]) -> bool {
    if globs.is_empty() {
        return false;
    }
    let method = [text::ours(class).replace('/', "."), text::ours(name).into()].join(".");
    globs.matches(&method)
}
