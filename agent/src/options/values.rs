//! Values of options as they are written: times, globs. Sizes are read where headers are, too: `lucce_log::size`.

use std::time::Duration;

use crate::jvm::text;

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

/// Does `glob` (`*` any run, `?` one character) match `name`? Iterative: the last star is the only place to go back to.
pub fn glob_matches(glob: &str, name: &str) -> bool {
    let (glob, name) = (glob.as_bytes(), name.as_bytes());
    let (mut g, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        if g < glob.len() && glob[g] == b'*' {
            star = Some((g, n));
            g += 1;
        } else if g < glob.len() && (glob[g] == b'?' || glob[g] == name[n]) {
            g += 1;
            n += 1;
        } else if let Some((at, from)) = star {
            star = Some((at, from + 1));
            g = at + 1;
            n = from + 1;
        } else {
            return false;
        }
    }
    glob[g..].iter().all(|&byte| byte == b'*')
}
