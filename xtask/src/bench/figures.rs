//! What the decoder says of a fork's log, as figures by name.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::configurations::{Configuration, Loaded};
use crate::{process, tree};

/// The figures of `lucce-decode --stats`; none where there is no log of ours, or it cannot be read.
pub fn of(configuration: &Configuration, log: &Path) -> BTreeMap<String, u64> {
    if !matches!(configuration.loaded, Loaded::Agent(_)) || !log.is_file() {
        return BTreeMap::new();
    }
    let mut decode = process::command(tree::release("lucce-decode"));
    let out = decode.args(["--stats", "--format", "json"]).arg(log).stderr(std::process::Stdio::null()).output();
    out.map_or_else(|_| BTreeMap::new(), |out| parse(&String::from_utf8_lossy(&out.stdout)))
}

/// Its numbers, and those of the objects in it, each behind the object's name; counters and kinds
/// of records by their own.
fn parse(text: &str) -> BTreeMap<String, u64> {
    let mut figures = BTreeMap::new();
    let Ok(Value::Object(all)) = serde_json::from_str(text) else { return figures };
    for (name, value) in &all {
        match value {
            Value::Number(number) => figures.extend(number.as_u64().map(|number| (name.clone(), number))),
            Value::Object(inner) if name != "header" => {
                let prefix = if name == "counters" { String::new() } else { format!("{name}.") };
                let numbers = inner.iter().filter_map(|(key, value)| Some((format!("{prefix}{key}"), value.as_u64()?)));
                figures.extend(numbers);
            }
            _ => {}
        }
    }
    figures
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_counters_are_read_and_the_header_is_not() {
        let figures =
            parse(r#"{"edges": 7, "header": {"pid": 1}, "counters": {"slow.looks": 3}, "record_bytes": {"class": 5}}"#);
        let expected = [("edges", 7), ("record_bytes.class", 5), ("slow.looks", 3)];
        assert_eq!(figures.into_iter().collect::<Vec<_>>(), expected.map(|(name, n)| (name.to_owned(), n)));
        assert!(parse("no json").is_empty());
    }
}
