//! The JSON of an event: one object a line, innermost frame first.
//!
//! Invariant: keys are only ever added, at the end. What is not known is null.
//! Source: docs/guide/decoder.md.

use std::io::{self, Write};

use lucce_decoder::export::{StackId, Stacks};
use lucce_decoder::{Came, ContextId, Contexts, Filter, Fingerprints, Log, LoggedEvent, Trace, TraceEnd, TraceFrame};
use lucce_words::NodeId;
use serde::Serialize;

/// A frame.
#[derive(Serialize)]
pub struct JsonFrame<'a> {
    class: &'a str,
    method: &'a str,
    desc: &'a str,
    file: Option<&'a str>,
    line: Option<u32>,
    bci: Option<u16>,
    via: Vec<&'a str>,
    walked: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    native: bool,
}

impl<'a> JsonFrame<'a> {
    /// The frames of a trace.
    pub fn all(trace: &Trace<'a>) -> Vec<Self> {
        trace.frames.iter().map(Self::new).collect()
    }

    /// A frame.
    pub fn new(frame: &TraceFrame<'a>) -> Self {
        let &TraceFrame { class, method, desc, file, line, bci, via, walked, native } = frame;
        let via = via.iter().map(|name| &**name).collect();
        Self { class, method, desc, file, line, bci: bci.map(|bci| bci.0), via, walked, native }
    }
}

impl<'a> JsonFrame<'a> {
    /// The frames of a stack, and why they end early.
    pub fn of_stack(stacks: &'a Stacks, stack: StackId) -> (Vec<Self>, Option<String>) {
        let (remarks, frames): (Vec<_>, Vec<_>) = stacks.trace(stack).partition(|frame| frame.is_remark());
        let unknown = remarks.last().map(|remark| remark.method.trim_matches(['[', ']']).to_owned());
        (frames.iter().map(Self::new).collect(), unknown)
    }
}

/// Why a trace ends early; `None` if it reaches the thread's base.
pub fn unknown(trace: &Trace<'_>) -> Option<String> {
    match trace.end {
        TraceEnd::Root => None,
        TraceEnd::Unknown(reason) => Some(reason.to_string()),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EventLine<'a> {
    /// Null, as the time, for a tally.
    seq: Option<u64>,
    #[serde(rename = "time_ns")]
    time_ns: Option<u64>,
    thread: Option<&'a str>,
    kind: Option<&'a str>,
    value: i64,
    /// Null, as `callId`, for a captured context: it belongs to no version.
    version: Option<u32>,
    call_id: Option<u64>,
    frames: Vec<JsonFrame<'a>>,
    unknown: Option<String>,
    class: Option<&'a str>,
    #[serde(rename = "thread_id")]
    thread_id: Option<u64>,
    origins: Vec<JsonStep<'a>>,
    count: u64,
    /// As text: readers that keep numbers as doubles have no more than 53 bits of a callId.
    word: Option<String>,
    owner: Option<&'a str>,
    #[serde(flatten)]
    fingerprints: Both,
    /// Who held what was waited for, where that was looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    holder: Option<Holder<'a>>,
}

/// Who held a lock.
#[derive(Serialize)]
struct Holder<'a> {
    thread: Option<&'a str>,
    thread_id: Option<u64>,
    frames: Vec<JsonFrame<'a>>,
    unknown: Option<String>,
}

/// The fingerprints of a context.
#[derive(Serialize)]
pub struct Both {
    fingerprint: String,
    #[serde(rename = "fingerprint_of_names")]
    names: String,
}

impl From<Fingerprints> for Both {
    fn from(Fingerprints { exact, names }: Fingerprints) -> Self {
        Self { fingerprint: exact.to_string(), names: names.to_string() }
    }
}

/// A step of where the thread or task came from.
#[derive(Serialize)]
struct JsonStep<'a> {
    /// `started at`, `submitted at`.
    kind: &'a str,
    frames: Vec<JsonFrame<'a>>,
    unknown: Option<String>,
    cut: bool,
}

impl<'a> JsonStep<'a> {
    fn new(step: &Came<'a>) -> Self {
        let (kind, frames, unknown) = (step.verb(), JsonFrame::all(&step.trace), unknown(&step.trace));
        Self { kind, frames, unknown, cut: step.cut }
    }
}

/// Whose a kind is: `agent` or `program`; `None` where its name is lost.
pub fn owner(log: &Log, kind: u32) -> Option<&'static str> {
    log.kind_of(kind).map(|kind| kind.owner.name())
}

/// Prints one event, with who held what it waited for, if the filter takes its context.
pub fn event(
    log: &Log,
    contexts: &mut Contexts<'_>,
    filter: &Filter,
    (event, holder): (&LoggedEvent, Option<&LoggedEvent>),
    out: &mut impl Write,
) -> io::Result<()> {
    let context = contexts.find(&event.place);
    let Some(trace) = filter.trace(contexts.show(context)) else { return Ok(()) };
    let origins = contexts.origins(event);
    let word = (event.place.node == NodeId(0)).then_some(event.place.word);
    let thread = log.thread(event.thread);
    let holder = holder.map(|holder| {
        let (trace, thread) = (contexts.trace(&holder.place), log.thread(holder.thread));
        Holder {
            thread: thread.map(|thread| thread.name.as_str()),
            thread_id: thread.map(|thread| thread.java_id),
            frames: JsonFrame::all(&trace),
            unknown: unknown(&trace),
        }
    });
    let line = EventLine {
        seq: (!event.is_tally()).then_some(event.seq),
        time_ns: (!event.is_tally()).then_some(event.time_ns),
        thread: thread.map(|thread| thread.name.as_str()),
        kind: log.kind(event.kind),
        value: event.value,
        version: word.map(|word| word.version().0),
        call_id: word.map(|word| word.call_id()),
        frames: JsonFrame::all(&trace),
        unknown: unknown(&trace),
        class: log.allocated(event),
        thread_id: thread.map(|thread| thread.java_id),
        origins: origins.iter().map(JsonStep::new).collect(),
        count: event.count,
        word: word.map(|word| format!("{:#018x}", word.0)),
        owner: owner(log, event.kind),
        fingerprints: contexts.fingerprints(context).into(),
        holder,
    };
    put(&line, out)
}

/// Prints the trace of a captured number.
pub fn trace(captured: u32, contexts: &mut Contexts<'_>, context: ContextId, out: &mut impl Write) -> io::Result<()> {
    let trace = contexts.show(context);
    let fingerprints = contexts.fingerprints(context).into();
    put(&Captured { captured, frames: JsonFrame::all(&trace), unknown: unknown(&trace), fingerprints }, out)
}

#[derive(Serialize)]
struct Captured<'a> {
    captured: u32,
    frames: Vec<JsonFrame<'a>>,
    unknown: Option<String>,
    #[serde(flatten)]
    fingerprints: Both,
}

/// Prints an object on a line of its own.
pub fn put(line: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")
}
