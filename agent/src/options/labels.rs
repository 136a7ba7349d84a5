//! Labels of a run: `labels=service:orders;version:1.4`, and what OpenTelemetry's variables say.
//! The log's header carries them.
//!
//! Invariant: the option counts before the variables, and `OTEL_SERVICE_NAME` before
//! `OTEL_RESOURCE_ATTRIBUTES`. A variable never keeps a run from starting: what is no pair in it is
//! passed over. All labels together are small enough for a header.
//! Source: OpenTelemetry, "Resource SDK" (environment variables); W3C Baggage, 3.3.

use std::collections::BTreeMap;

use super::{OptionError, wrong};

/// Labels by name.
pub type Labels = BTreeMap<String, String>;

/// Bytes of all labels together.
const MOST: usize = 1 << 16;
const WANTED: &str = "name:value pairs separated by ';', such as service:orders;version:1.4";

/// What the option says.
///
/// # Errors
/// A part that is no pair.
pub(super) fn parse(value: &str) -> Result<Labels, OptionError> {
    let pair = |part: &str| {
        let (name, value) = part.split_once(':').filter(|(name, _)| !name.is_empty())?;
        Some((name.to_owned(), value.to_owned()))
    };
    let labels = value.split(';').filter(|part| !part.is_empty()).map(pair).collect::<Option<Labels>>();
    labels.filter(|labels| size(labels) <= MOST).ok_or_else(|| wrong("labels", value, WANTED))
}

/// The labels of a run: those of the option, and those that the variables add. `variable` reads
/// one.
pub fn of_run(option: &Labels, variable: impl Fn(&str) -> Option<String>) -> Labels {
    let mut labels = Labels::new();
    for pair in variable("OTEL_RESOURCE_ATTRIBUTES").unwrap_or_default().split(',') {
        let Some((name, value)) = pair.split_once('=') else { continue };
        let name = name.trim();
        if !name.is_empty() {
            labels.insert(name.into(), decoded(value.trim()));
        }
    }
    if let Some(service) = variable("OTEL_SERVICE_NAME").filter(|service| !service.is_empty()) {
        labels.insert("service.name".into(), service);
    }
    labels.extend(option.iter().map(|(name, value)| (name.clone(), value.clone())));
    while size(&labels) > MOST {
        let longest = labels.iter().max_by_key(|(_, value)| value.len()).map(|(name, _)| name.clone());
        longest.and_then(|name| labels.remove(&name));
    }
    labels
}

fn size(labels: &Labels) -> usize {
    labels.iter().map(|(name, value)| name.len() + value.len()).sum()
}

/// Without `%XX`. What is no text then stays as it was.
fn decoded(value: &str) -> String {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let [first, after @ ..] = rest {
        let hex = after.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        let hex = hex.filter(|hex| hex.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| value.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(pairs: &[(&str, &str)]) -> Labels {
        pairs.iter().map(|&(name, value)| (name.into(), value.into())).collect()
    }

    #[test]
    fn the_option_is_pairs() {
        assert_eq!(
            parse("service:orders;version:1.4;url:http://x").unwrap(),
            labels(&[("service", "orders"), ("url", "http://x"), ("version", "1.4")])
        );
        assert_eq!(parse("a:").unwrap(), labels(&[("a", "")]));
        let long = format!("a:{}", "x".repeat(MOST));
        for wrong in ["service", ":x", "a:b;c", &long] {
            assert!(parse(wrong).is_err(), "{wrong:.20}");
        }
    }

    #[test]
    fn variables_add_what_the_option_does_not_say() {
        let variables = |name: &str| match name {
            "OTEL_RESOURCE_ATTRIBUTES" => {
                Some("service.name=old, region = eu%2Dwest ,broken,=x,team=caf%C3%A9,bad=%ff,half=50%,sign=%+5".into())
            }
            "OTEL_SERVICE_NAME" => Some("orders".into()),
            _ => None,
        };
        let expected = [
            ("bad", "%ff"),
            ("half", "50%"),
            ("region", "us"),
            ("service.name", "orders"),
            ("sign", "%+5"),
            ("team", "café"),
        ];
        assert_eq!(of_run(&labels(&[("region", "us")]), variables), labels(&expected));
        assert_eq!(of_run(&labels(&[]), |_| None), labels(&[]));
        let huge = |name: &str| (name == "OTEL_RESOURCE_ATTRIBUTES").then(|| format!("a=1,b={}", "x".repeat(MOST)));
        assert_eq!(of_run(&labels(&[]), huge), labels(&[("a", "1")]));
    }
}
