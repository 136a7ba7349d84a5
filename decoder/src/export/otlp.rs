//! OTLP profiles: one file with all kinds, each a profile, in the encoding of OpenTelemetry's
//! collector.
//!
//! Invariant: each sum is one sample. What it adds up to is its value, and the number of its events
//! the attribute `lucce.events`, for a profile has one type of values. Entry 0 of each table of the
//! dictionary is empty.
//! Source: opentelemetry-proto, `profiles/v1development/profiles.proto`.

use std::collections::HashMap;
use std::io::{self, Write};

use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, InstrumentationScope, KeyValue};
use opentelemetry_proto::tonic::profiles::v1development::{
    Function, KeyValueAndUnit, Line, Link, Location, Mapping, Profile as Profiled, ProfilesData, ProfilesDictionary,
    ResourceProfiles, Sample, ScopeProfiles, Stack, ValueType,
};
use opentelemetry_proto::tonic::resource::v1::Resource;
use prost::Message;

use super::{FrameId, FrameKind, Profile, StackId, Sum, clamp, name_of};

/// Writes the sums of a kind, or of all kinds.
///
/// # Errors
/// Those of `out`.
pub fn write(profile: &Profile, kind: Option<usize>, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    let mut dictionary = Dictionary::new(profile);
    let kinds = (0..profile.kinds().len()).filter(|at| kind.is_none_or(|kind| kind == *at));
    let profiles = kinds.map(|kind| dictionary.profile(kind)).collect();
    let scope = InstrumentationScope {
        name: "lucce-decode".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        ..InstrumentationScope::default()
    };
    let scopes = ScopeProfiles { scope: Some(scope), profiles, schema_url: String::new() };
    let resource = Resource { attributes: resource(profile), ..Resource::default() };
    let data = ProfilesData {
        resource_profiles: vec![ResourceProfiles {
            resource: Some(resource),
            scope_profiles: vec![scopes],
            schema_url: String::new(),
        }],
        dictionary: Some(dictionary.tables),
    };
    out.write_all(&data.encode_to_vec())
}

/// Whose profile it is, by OpenTelemetry's names for that. What differs among the logs is left out.
fn resource(profile: &Profile) -> Vec<KeyValue> {
    let headers = || profile.runs().iter().filter_map(|run| run.header.as_ref());
    let same = |value: fn(&lucce_log::Header) -> Value| {
        let mut values = headers().map(value);
        let first = values.next()?;
        values.all(|other| other == first).then_some(first)
    };
    let known = [
        ("host.name", same(|header| Value::StringValue(header.host.clone()))),
        ("process.pid", same(|header| Value::IntValue(header.pid.into()))),
        ("process.runtime.description", same(|header| Value::StringValue(header.jvm.clone()))),
    ];
    let known = known.into_iter().filter_map(|(key, value)| Some((key, value?)));
    let attribute = |(key, value): (&str, Value)| {
        let value = Some(AnyValue { value: Some(value) });
        KeyValue { key: key.into(), value, ..KeyValue::default() }
    };
    let labels = headers().next().map(|first| &first.labels).into_iter().flatten();
    let shared = labels.filter(|(name, value)| headers().all(|header| header.labels.get(*name) == Some(value)));
    let labels = shared.map(|(name, value)| (semantic(name), Value::StringValue(value.clone())));
    known.chain(labels).map(attribute).collect()
}

/// OpenTelemetry's name for a label.
fn semantic(label: &str) -> &str {
    match label {
        "service" => "service.name",
        "version" => "service.version",
        other => other,
    }
}

struct Dictionary<'a> {
    profile: &'a Profile,
    tables: ProfilesDictionary,
    strings: HashMap<String, i32>,
    functions: HashMap<(i32, i32, i32), i32>,
    locations: HashMap<FrameId, i32>,
    stacks: HashMap<StackId, i32>,
    texts: HashMap<(i32, String), i32>,
}

impl<'a> Dictionary<'a> {
    fn new(profile: &'a Profile) -> Self {
        let tables = ProfilesDictionary {
            mapping_table: vec![Mapping::default()],
            location_table: vec![Location::default()],
            function_table: vec![Function::default()],
            link_table: vec![Link::default()],
            string_table: vec![String::new()],
            attribute_table: vec![KeyValueAndUnit::default()],
            stack_table: vec![Stack::default()],
        };
        let strings = HashMap::from([(String::new(), 0)]);
        let (functions, locations) = (HashMap::new(), HashMap::new());
        let (stacks, texts) = (HashMap::new(), HashMap::new());
        Self { profile, tables, strings, functions, locations, stacks, texts }
    }

    fn profile(&mut self, kind: usize) -> Profiled {
        let profile = self.profile;
        let of = &profile.kinds()[kind];
        let value_type =
            ValueType { type_strindex: self.string(&of.label), unit_strindex: self.string(name_of(of.unit())) };
        let (begin, end) = profile.span();
        let samples = profile.sums().iter().filter(|sum| sum.kind == kind).map(|sum| self.sample(sum)).collect();
        Profiled {
            sample_type: Some(value_type),
            samples,
            time_unix_nano: begin,
            duration_nano: end - begin,
            profile_id: profile.id(kind).to_vec(),
            ..Profiled::default()
        }
    }

    fn sample(&mut self, sum: &Sum) -> Sample {
        let (profile, origin) = (self.profile, self.profile.origin_line(sum));
        let fingerprint = profile.fingerprints(sum).exact.to_string();
        let texts = [
            ("lucce.class", profile.class(sum)),
            ("thread.name", profile.thread(sum).map(|thread| thread.name.as_str())),
            ("lucce.origin", origin.as_deref()),
            ("lucce.context", Some(profile.context(sum))),
            ("lucce.fingerprint", Some(fingerprint.as_str())),
        ];
        let known = texts.into_iter().filter_map(|(key, text)| Some((key, text?)));
        let mut attribute_indices: Vec<i32> = known.map(|(key, text)| self.attribute(key, text)).collect();
        attribute_indices.push(self.events(sum.count));
        let (stack_index, values) = (self.stack(sum.stack), vec![clamp(sum.value)]);
        Sample { stack_index, attribute_indices, values, ..Sample::default() }
    }

    fn stack(&mut self, stack: StackId) -> i32 {
        if stack == StackId::EMPTY {
            return 0;
        }
        if let Some(&known) = self.stacks.get(&stack) {
            return known;
        }
        let frames = self.profile.stacks().innermost_first(stack);
        let location_indices = frames.map(|frame| self.location(frame)).collect();
        let index = put(&mut self.tables.stack_table, Stack { location_indices });
        self.stacks.insert(stack, index);
        index
    }

    fn location(&mut self, id: FrameId) -> i32 {
        if let Some(&known) = self.locations.get(&id) {
            return known;
        }
        let frame = self.profile.stacks().frame(id);
        let name = frame.name();
        let (system, file) = (format!("{name}{}", frame.desc), frame.file.as_deref().unwrap_or(""));
        let key = (self.string(&name), self.string(&system), self.string(file));
        let table = &mut self.tables.function_table;
        let function_index = *self.functions.entry(key).or_insert_with(|| {
            let (name_strindex, system_name_strindex, filename_strindex) = key;
            put(table, Function { name_strindex, system_name_strindex, filename_strindex, start_line: 0 })
        });
        let line = Line { function_index, line: frame.line.map_or(0, i64::from), column: 0 };
        let attribute_indices = match frame.kind {
            FrameKind::Mark | FrameKind::Unknown => Vec::new(),
            FrameKind::Native => vec![self.attribute("profile.frame.type", "native")],
            FrameKind::Instrumented | FrameKind::Walked => vec![self.attribute("profile.frame.type", "jvm")],
        };
        let location = Location { lines: vec![line], attribute_indices, ..Location::default() };
        let index = put(&mut self.tables.location_table, location);
        self.locations.insert(id, index);
        index
    }

    fn attribute(&mut self, key: &str, text: &str) -> i32 {
        let key_strindex = self.string(key);
        let table = &mut self.tables.attribute_table;
        *self.texts.entry((key_strindex, text.into())).or_insert_with(|| {
            let value = Some(AnyValue { value: Some(Value::StringValue(text.into())) });
            put(table, KeyValueAndUnit { key_strindex, value, unit_strindex: 0 })
        })
    }

    fn events(&mut self, count: u64) -> i32 {
        let key_strindex = self.string("lucce.events");
        let unit_strindex = self.string("count");
        let value = i64::try_from(count).unwrap_or(i64::MAX);
        let table = &mut self.tables.attribute_table;
        // Apart from the texts of that key, of which there are none.
        *self.texts.entry((key_strindex, count.to_string())).or_insert_with(|| {
            let value = Some(AnyValue { value: Some(Value::IntValue(value)) });
            put(table, KeyValueAndUnit { key_strindex, value, unit_strindex })
        })
    }

    fn string(&mut self, text: &str) -> i32 {
        if let Some(&known) = self.strings.get(text) {
            return known;
        }
        let index = put(&mut self.tables.string_table, text.into());
        self.strings.insert(text.into(), index);
        index
    }
}

/// Adds an entry to a table; where it stands.
fn put<T>(table: &mut Vec<T>, entry: T) -> i32 {
    table.push(entry);
    i32::try_from(table.len() - 1).unwrap_or(i32::MAX)
}
