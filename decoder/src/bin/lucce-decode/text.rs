//! How frames, numbers and times read.
//!
//! Invariant: a frame reads as the JVM prints it (`pkg.Cls.method(File.java:42)`), but for control
//! characters; what is more stands behind it.
//! Source: java.lang.StackTraceElement.toString.

use lucce_decoder::{Came, Kind, Log, Trace, TraceEnd, TraceFrame, Unit};

use crate::plain::plain;

/// A frame on one line, without what is noted about it.
pub fn frame(frame: &TraceFrame<'_>) -> String {
    if frame.class.is_empty() {
        return plain(&method(frame)).into_owned();
    }
    let place = match (frame.file, frame.line) {
        // The paper's way, "Instrumentation".
        _ if frame.native => "native method".to_owned(),
        (Some(file), Some(line)) => format!("{file}:{line}"),
        (Some(file), None) => file.to_owned(),
        (None, Some(line)) => format!("line {line}"),
        (None, None) => "Unknown Source".to_owned(),
    };
    plain(&format!("{}({place})", method(frame))).into_owned()
}

/// `pkg.Class.method`; a frame of which nothing is known has no class.
pub fn method(frame: &TraceFrame<'_>) -> String {
    if frame.class.is_empty() { frame.method.to_string() } else { format!("{}.{}", frame.class, frame.method) }
}

/// What is noted about a frame, with a blank before it.
pub fn notes(frame: &TraceFrame<'_>) -> String {
    let mut notes = String::new();
    if frame.walked {
        notes += " [walked]";
    }
    if !frame.via.is_empty() {
        notes += &plain(&format!(" via {}", frame.via.join(", ")));
    }
    notes
}

/// The last line of a trace that does not reach the thread's base.
pub fn end(end: TraceEnd) -> Option<String> {
    match end {
        TraceEnd::Root => None,
        TraceEnd::Unknown(reason) => Some(format!("[{reason}]")),
    }
}

/// How a native method ends in a note.
const NATIVE: &str = "(native method)";

/// All lines of a trace, each behind `indent`. Native methods that called back have a line of their
/// own, as other frames do.
pub fn trace(trace: &Trace<'_>, indent: &str, out: &mut impl std::io::Write) -> std::io::Result<()> {
    for each in &trace.frames {
        let (native, others): (Vec<_>, Vec<_>) = each.via.iter().cloned().partition(|name| name.ends_with(NATIVE));
        writeln!(out, "{indent}at {}{}", frame(each), notes(&TraceFrame { via: &others, ..each.clone() }))?;
        for name in native {
            writeln!(out, "{indent}at {}", plain(&name))?;
        }
    }
    match end(trace.end) {
        Some(line) => writeln!(out, "{indent}{line}"),
        None => Ok(()),
    }
}

/// All lines of a stack, each behind `indent`.
pub fn stack<'a>(
    frames: impl Iterator<Item = TraceFrame<'a>>,
    indent: &str,
    out: &mut impl std::io::Write,
) -> std::io::Result<()> {
    for each in frames {
        if each.is_remark() {
            writeln!(out, "{indent}{}", plain(each.method))?;
        } else {
            trace(&Trace { frames: vec![each], end: TraceEnd::Root }, indent, out)?;
        }
    }
    Ok(())
}

/// Where the thread or task came from, each step behind `indent`.
pub fn origins(steps: &[Came<'_>], indent: &str, out: &mut impl std::io::Write) -> std::io::Result<()> {
    for step in steps {
        writeln!(out, "{indent}{}", step.verb())?;
        trace(&step.trace, indent, out)?;
        if step.cut {
            writeln!(out, "{indent}[what came before is not kept]")?;
        }
    }
    Ok(())
}

/// A frame behind something else in at most `width` characters: packages give way first, then the
/// end.
pub fn squeezed(before: &str, frame: &str, width: usize) -> String {
    let room = width.saturating_sub(before.chars().count());
    cut(&format!("{before}{}", shrink(frame, room)), width)
}

/// At most `width` characters of a line.
pub fn cut(line: &str, width: usize) -> String {
    if line.chars().count() <= width {
        return line.to_owned();
    }
    line.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// A frame with its packages shortened to their first letters, outermost first, as far as `width`
/// wants it.
fn shrink(frame: &str, width: usize) -> String {
    let (name, rest) = frame.split_at(frame.find('(').unwrap_or(frame.len()));
    let mut parts: Vec<&str> = name.split('.').collect();
    let mut length = frame.chars().count();
    // The class and the method stay whole.
    for at in 0..parts.len().saturating_sub(2) {
        if length <= width {
            break;
        }
        length -= parts[at].chars().count().saturating_sub(1);
        parts[at] = first(parts[at]);
    }
    parts.join(".") + rest
}

fn first(part: &str) -> &str {
    part.char_indices().nth(1).map_or(part, |(end, _)| &part[..end])
}

/// `1 234 567`.
pub fn count(value: impl Into<i128>) -> String {
    let value = value.into();
    let digits = value.unsigned_abs().to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    if value < 0 { format!("-{text}") } else { text }
}

/// `12.3 MiB`.
pub fn size(bytes: impl Into<i128>) -> String {
    let bytes = bytes.into();
    let units = ["KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = "B";
    for next in units {
        if value.abs() < 1024.0 {
            break;
        }
        value /= 1024.0;
        unit = next;
    }
    if unit == "B" { format!("{bytes} B") } else { format!("{value:.1} {unit}") }
}

/// What the values of a kind are, by its number. Of one whose name is lost nothing is known.
pub fn unit(log: &Log, kind: u32) -> Unit {
    log.kind_of(kind).map_or(Unit::Count, Kind::unit)
}

/// A sum of values in this unit.
pub fn value(unit: Unit, value: i128) -> String {
    match unit {
        Unit::Bytes => size(value),
        Unit::Nanoseconds => duration(value),
        Unit::Count => count(value),
    }
}

/// A value for each second or call in this unit.
pub fn rate(unit: Unit, value: f64) -> String {
    match unit {
        Unit::Bytes if value.abs() < 1024.0 => format!("{value:.1} B"),
        Unit::Bytes => size(value as i128),
        Unit::Nanoseconds if value.abs() < 1e3 => format!("{value:.1} ns"),
        Unit::Nanoseconds => duration(value as i128),
        Unit::Count if value.abs() < 1e3 => format!("{value:.3}"),
        Unit::Count => count(value as i128),
    }
}

/// The value of one event in this unit.
pub fn single(unit: Unit, value: i64) -> String {
    if unit == Unit::Nanoseconds { duration(value.into()) } else { count(value) }
}

/// `123 ns`, `12.3 us`, `4.5 ms`, `67.890 s`.
pub fn duration(ns: i128) -> String {
    let value = ns as f64;
    match ns.unsigned_abs() {
        0..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => format!("{:.1} us", value / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} ms", value / 1e6),
        _ => format!("{:.3} s", value / 1e9),
    }
}

/// `1 event`, `2 events`.
pub fn plural(number: u64, noun: &str) -> String {
    if let (2.. | 0, Some(stem)) = (number, noun.strip_suffix("ry")) {
        return format!("{} {stem}ries", count(number));
    }
    let end = match (number, noun.ends_with("ss") || noun.ends_with("ch")) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{} {noun}{end}", count(number))
}

/// `2026-11-20 21:07:40 UTC`.
pub fn moment(unix_ns: u64) -> String {
    let seconds = unix_ns / 1_000_000_000;
    let (days, clock) = (seconds / 86_400, seconds % 86_400);
    // Days since 0000-03-01, in eras of 400 years (Howard Hinnant, chrono-compatible low-level date
    // algorithms).
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year}-{month:02}-{day:02} {:02}:{:02}:{:02} UTC", clock / 3_600, clock / 60 % 60, clock % 60)
}

/// The number of the run as `lucce-decode ctl` prints it, in 16 hexadecimal digits; `None` where
/// the log does not say.
pub fn run(log: &Log) -> Option<String> {
    log.header().filter(|header| header.run_id != 0).map(|header| format!("{:016x}", header.run_id))
}

/// `12.345 s`.
pub fn seconds(ns: u64) -> String {
    format!("{:.3} s", ns as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!(count(0_u64), "0");
        assert_eq!(count(999_u64), "999");
        assert_eq!(count(1_234_567_u64), "1 234 567");
        assert_eq!(count(-1_000_i64), "-1 000");
    }

    #[test]
    fn sizes_have_a_unit() {
        assert_eq!(size(1023_u64), "1023 B");
        assert_eq!(size(1536_u64), "1.5 KiB");
        assert_eq!(size(5_u64 << 30), "5.0 GiB");
    }

    #[test]
    fn times_have_a_unit() {
        assert_eq!(value(Unit::Nanoseconds, 999), "999 ns");
        assert_eq!(value(Unit::Nanoseconds, 12_345), "12.3 us");
        assert_eq!(single(Unit::Nanoseconds, 4_500_000), "4.5 ms");
        assert_eq!(single(Unit::Nanoseconds, 67_890_000_000), "67.890 s");
        assert_eq!((value(Unit::Count, 1_234), single(Unit::Bytes, 1_234)), ("1 234".into(), "1 234".into()));
    }

    #[test]
    fn moments_are_calendar_dates() {
        assert_eq!(moment(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(moment(951_782_400_000_000_000), "2000-02-29 00:00:00 UTC");
        assert_eq!(moment(1_763_672_861_500_000_000), "2025-11-20 21:07:41 UTC");
    }

    #[test]
    fn long_frames_lose_their_packages_first() {
        let frame = "org.hibernate.engine.Session.query(Session.java:42)";
        assert_eq!(shrink(frame, 80), frame);
        assert_eq!(shrink(frame, 46), "o.h.engine.Session.query(Session.java:42)");
        assert_eq!(shrink(frame, 36), "o.h.e.Session.query(Session.java:42)");
        assert_eq!(shrink(frame, 10), "o.h.e.Session.query(Session.java:42)");
        assert_eq!(cut("o.h.e.Session", 10), "o.h.e.Ses…");
    }

    #[test]
    fn nouns_agree_with_their_numbers() {
        assert_eq!(plural(1, "event"), "1 event");
        assert_eq!(plural(2, "event"), "2 events");
        assert_eq!(plural(2, "class"), "2 classes");
        assert_eq!((plural(0, "entry"), plural(1, "entry")), ("0 entries".into(), "1 entry".into()));
    }
}
