//! Rules that a new run must keep: `alloc.count>+5%`, `alloc.value>+5m`, `new:exception`.
//!
//! Invariant: a rule about a kind that was not compared is broken, never passed over.
//! Source: docs/guide/decoder.md, "What changed".

use std::fmt;
use std::str::FromStr;

use lucce_log::long_size;

use super::{ContextChange, Difference, KindChanges, growth};

/// A rule, and how it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    text: String,
    forbids: Forbids,
}

/// What a rule forbids.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Forbids {
    /// The sums of a kind have grown by more than this.
    Growth {
        /// As it is printed.
        kind: String,
        /// Which of the two sums.
        measure: Measure,
        /// Digits of the limit, without a point.
        limit: i128,
        /// What those are divided by: a power of ten.
        scale: i128,
        /// In percent of the old sum; otherwise as it is.
        percent: bool,
    },
    /// A kind has a context that the old run does not have.
    New {
        /// As it is printed.
        kind: String,
    },
}

/// One of two sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measure {
    /// The number of events.
    Count,
    /// Their values.
    Value,
}

/// A rule that was not kept.
#[derive(Clone, Debug)]
pub struct Broken<'a> {
    /// Its kind; `None` where the logs have none of that name.
    pub kind: Option<&'a KindChanges>,
    /// The contexts that broke it, the worst first. None where the runs cannot be compared.
    pub contexts: Vec<&'a ContextChange>,
}

impl FromStr for Rule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("no rule {text}: write alloc.count>+5%, alloc.value>+5m or new:exception");
        if let Some(kind) = text.strip_prefix("new:").filter(|kind| !kind.is_empty()) {
            return Ok(Self { text: text.into(), forbids: Forbids::New { kind: kind.into() } });
        }
        let (sum, limit) = text.rsplit_once('>').ok_or_else(wrong)?;
        let (kind, measure) = sum.trim().rsplit_once('.').ok_or_else(wrong)?;
        let measure = match measure {
            "count" => Measure::Count,
            "value" => Measure::Value,
            _ => return Err(wrong()),
        };
        let limit = limit.trim();
        let limit = limit.strip_prefix('+').unwrap_or(limit);
        let (limit, percent) = limit.strip_suffix('%').map_or((limit, false), |limit| (limit, true));
        let (limit, scale) = decimal(limit)
            .or_else(|| long_size(limit).filter(|_| !percent).map(|size| (i128::from(size), 1)))
            .ok_or_else(wrong)?;
        let forbids = Forbids::Growth { kind: kind.into(), measure, limit, scale, percent };
        Ok(Self { text: text.into(), forbids })
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

/// `5` and `2.5`, as digits and a power of ten.
fn decimal(text: &str) -> Option<(i128, i128)> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = [whole, part].concat();
    let fits = !whole.is_empty() && digits.len() <= 18 && digits.bytes().all(|each| each.is_ascii_digit());
    fits.then(|| Some((digits.parse().ok()?, 10_i128.pow(part.len() as u32))))?
}

impl Rule {
    /// What breaks it; `None` if it is kept.
    pub fn check<'a>(&self, difference: &'a Difference) -> Option<Broken<'a>> {
        let (Forbids::Growth { kind: name, .. } | Forbids::New { kind: name }) = &self.forbids;
        let found = difference.kinds.iter().find(|kind| kind.kind.is_meant_by(name));
        let Some(kind) = found.filter(|kind| kind.is_comparable()) else {
            return Some(Broken { kind: found, contexts: Vec::new() });
        };
        let broken = |is_meant: &dyn Fn(&&ContextChange) -> bool| {
            Some(Broken { kind: Some(kind), contexts: kind.changes.iter().filter(is_meant).collect() })
        };
        match &self.forbids {
            Forbids::New { .. } => broken(&|change| change.is_new()).filter(|broken| !broken.contexts.is_empty()),
            &Forbids::Growth { measure, limit, scale, percent, .. } => {
                let of = |sums: [super::Sums; 2]| {
                    sums.map(|sums| if measure == Measure::Count { i128::from(sums.count) } else { sums.value })
                };
                let [old_units, new_units] = difference.units;
                let grown = growth(of(kind.sums), difference.units).saturating_mul(scale);
                let exceeded = if percent {
                    let old = of(kind.sums)[0].saturating_mul(new_units);
                    grown.saturating_mul(100) > old.saturating_mul(limit)
                } else {
                    grown > limit.saturating_mul(old_units).saturating_mul(new_units)
                };
                let has_grown = |change: &&ContextChange| growth(of(change.sums), difference.units) > 0;
                if exceeded { broken(&has_grown) } else { None }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_as_they_are_written() {
        let growth = |kind: &str, measure, limit, scale, percent| {
            Ok(Forbids::Growth { kind: kind.into(), measure, limit, scale, percent })
        };
        for (text, rule) in [
            ("alloc.count>+5%", growth("alloc", Measure::Count, 5, 1, true)),
            ("alloc.value > 2.5%", growth("alloc", Measure::Value, 25, 10, true)),
            ("leak.objects.value>+5m", growth("leak.objects", Measure::Value, 5 << 20, 1, false)),
            ("a.b.count>0", growth("a.b", Measure::Count, 0, 1, false)),
            ("new:exception", Ok(Forbids::New { kind: "exception".into() })),
        ] {
            assert_eq!(text.parse().map(|rule: Rule| rule.forbids), rule, "{text}");
        }
        for wrong in
            ["", "alloc", "alloc>5%", "alloc.bytes>5%", "alloc.count>", "alloc.count>5m%", "new:", "alloc.count>-5%"]
        {
            assert!(wrong.parse::<Rule>().is_err_and(|line| line.starts_with("no rule ")), "{wrong}");
        }
    }
}
