//! Contexts as paths of methods, from what profilers write.
//!
//! Invariant: a path has the methods that the exact calls have, outermost first, and no others: one
//! rule for all. So what is compared is what all of them can tell.
//! Source: Brendan Gregg's FlameGraph, "collapsed stacks"; `jfr print --json`.

use std::collections::HashSet;

use lucce_profiles::metrics::Weights;
use serde::Deserialize;

use super::super::super::recorded::is_jdks;
use crate::Result;

/// The methods of the exact calls.
#[derive(Default)]
pub struct Paths {
    methods: HashSet<String>,
}

/// What `jfr print --json` writes, as far as it is needed.
#[derive(Deserialize)]
struct Printed {
    recording: Recording,
}

#[derive(Deserialize)]
struct Recording {
    events: Vec<JfrEvent>,
}

#[derive(Deserialize)]
struct JfrEvent {
    values: Values,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Values {
    stack_trace: Option<StackTrace>,
}

#[derive(Deserialize)]
struct StackTrace {
    frames: Vec<JfrFrame>,
}

#[derive(Deserialize)]
struct JfrFrame {
    method: Option<JfrMethod>,
}

#[derive(Deserialize)]
struct JfrMethod {
    r#type: JfrClass,
    name: String,
}

#[derive(Deserialize)]
struct JfrClass {
    name: String,
}

impl Paths {
    /// The exact calls, of which this is the text: their methods are those that paths have from now
    /// on.
    pub fn exact(&mut self, text: &str) -> Weights<String> {
        let stacks = || text.lines().filter_map(line);
        let methods = stacks().flat_map(|(stack, _)| stack.split(';')).filter(|method| !is_jdks(method));
        self.methods = methods.map(str::to_owned).collect();
        self.collapsed(text)
    }

    /// The same of samples, `outermost;...;innermost number`.
    pub fn collapsed(&self, text: &str) -> Weights<String> {
        let mut weights = Weights::new();
        for (stack, weight) in text.lines().filter_map(line) {
            self.add(&mut weights, stack.split(';'), weight);
        }
        weights
    }

    /// The same of a recording, printed as JSON.
    ///
    /// # Errors
    /// One line: it is no such text.
    pub fn recorded(&self, json: &str) -> Result<Weights<String>> {
        let printed: Printed = serde_json::from_str(json).map_err(|e| format!("cannot read the recording: {e}"))?;
        let mut weights = Weights::new();
        for stack in printed.recording.events.into_iter().filter_map(|event| event.values.stack_trace) {
            let methods = stack.frames.iter().rev().filter_map(|frame| frame.method.as_ref());
            let names: Vec<String> =
                methods.map(|method| format!("{}.{}", method.r#type.name.replace('/', "."), method.name)).collect();
            self.add(&mut weights, names.iter().map(String::as_str), 1);
        }
        Ok(weights)
    }

    fn add<'t>(&self, weights: &mut Weights<String>, stack: impl Iterator<Item = &'t str>, weight: u64) {
        let path: Vec<&str> = stack.filter(|method| self.methods.contains(*method)).collect();
        // What has none is work of the JVM itself.
        if !path.is_empty() {
            *weights.entry(path.join(";")).or_default() += weight;
        }
    }
}

fn line(text: &str) -> Option<(&str, u64)> {
    let (stack, weight) = text.rsplit_once(' ')?;
    Some((stack, weight.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_the_methods_of_the_exact_calls() {
        let mut paths = Paths::default();
        let exact = paths.exact("p.A.main 1\np.A.main;java.util.List.forEach;p.A.run 7\n");
        let expected = [("p.A.main", 1), ("p.A.main;p.A.run", 7)].map(|(path, of)| (path.to_owned(), of));
        assert_eq!(exact, Weights::from(expected));
        let sampled = paths.collapsed("java.lang.Thread.run;p.A.main;p.A.run;java.util.List.get 3\nGC_active 9\n");
        assert_eq!(sampled, Weights::from([("p.A.main;p.A.run".to_owned(), 3)]));
    }

    #[test]
    fn a_recording_is_read() {
        let mut paths = Paths::default();
        paths.exact("p.A.main;p.A.run 7\n");
        let frame = |class: &str, name: &str| {
            format!(r#"{{"method":{{"type":{{"name":"{class}"}},"name":"{name}"}},"lineNumber":3}}"#)
        };
        let frames = [frame("java/util/List", "get"), frame("p/A", "run"), frame("p/A", "main")].join(",");
        let json = format!(
            r#"{{"recording":{{"events":[{{"type":"jdk.ExecutionSample","values":{{"stackTrace":{{"truncated":false,"frames":[{frames}]}}}}}},
            {{"values":{{"stackTrace":null}}}}]}}}}"#
        );
        let sampled = paths.recorded(&json).expect("a recording");
        assert_eq!(sampled, Weights::from([("p.A.main;p.A.run".to_owned(), 1)]));
        assert!(paths.recorded("{}").is_err());
    }
}
