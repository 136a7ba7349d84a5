//! From record to bytes.
//!
//! Invariant: [`encode`](Encoding::record) and `decode::Records` are each other's inverse; a tag,
//! once used, keeps its meaning.
//! Source: docs/FORMAT.md, "Records".

use crate::kind::Owner;
use crate::record::{Ground, OriginKind, Record};
use crate::tables::Interner;
use crate::tag;
use lucce_words::varint::Put;

/// A payload that grows.
#[derive(Debug, Default)]
pub(crate) struct Encoding {
    pub(crate) out: Vec<u8>,
    pub(crate) interner: Interner,
    /// Events so far in this payload, and the time of the last of them.
    pub(crate) events: u32,
    pub(crate) time_ns: u64,
}

impl Encoding {
    /// Appends one record, after the definitions that it needs.
    pub(crate) fn record(&mut self, record: &Record) {
        let Self { out, interner, events, time_ns } = self;
        match record {
            Record::Class { id, name, source, loader } => {
                let name = interner.string(name, out);
                let source = source.as_ref().map(|source| interner.string(source, out));
                out.byte(tag::CLASS);
                out.var32(id.0);
                out.var32(name);
                out.option(source);
                out.var32(*loader);
            }
            Record::Method { id, class, name, desc, access, huge } => {
                let name = interner.string(name, out);
                let desc = interner.string(desc, out);
                out.byte(tag::METHOD);
                out.var32(id.0);
                out.var32(class.0);
                out.var32(name);
                out.var32(desc);
                out.var32((*access).into());
                out.byte((*huge).into());
            }
            Record::Site { id, method, bci, line, kind, owner, name, desc } => {
                let owner = interner.string(owner, out);
                let name = interner.string(name, out);
                let desc = interner.string(desc, out);
                out.byte(tag::SITE);
                out.var32(id.0);
                out.var32(method.0);
                out.var32(bci.0.into());
                out.option(line.map(u32::from));
                out.byte(*kind);
                out.var32(owner);
                out.var32(name);
                out.var32(desc);
            }
            Record::Edge { id, site, callee } => {
                out.byte(tag::EDGE);
                out.var32(id.0);
                out.var32(site.0);
                out.var32(callee.0);
            }
            Record::Cut { edge } => {
                out.byte(tag::CUT);
                out.var32(edge.0);
            }
            Record::Unloaded { method } => {
                out.byte(tag::UNLOADED);
                out.var32(method.0);
            }
            Record::Unrolled { edge } => {
                out.byte(tag::UNROLLED);
                out.var32(edge.0);
            }
            Record::Segment { edge, version, lo, len, restoring, base } => {
                out.byte(tag::SEGMENT);
                out.var32(edge.0);
                out.var32(version.0);
                out.byte(u8::from(*restoring));
                out.var(fold(*lo));
                out.var(*len);
                out.var(fold(*base));
            }
            Record::CutNumber { edge, version, number } => {
                out.byte(tag::CUT_NUMBER);
                out.var32(edge.0);
                out.var32(version.0);
                out.var(fold(*number));
            }
            Record::NewVersion { version, digest } => {
                out.byte(tag::NEW_VERSION);
                out.var32(version.0);
                out.fixed(*digest);
            }
            Record::Skip { class, method, reason } => {
                let class = interner.string(class, out);
                let method = method.as_ref().map(|method| interner.string(method, out));
                let reason = interner.string(reason, out);
                out.byte(tag::SKIP);
                out.var32(class);
                out.option(method);
                out.var32(reason);
            }
            Record::Thread { id, name, java_id } => {
                out.byte(tag::THREAD);
                out.var32(*id);
                out.string(name);
                out.var(*java_id);
            }
            Record::Node { id, parent, site } => {
                out.byte(tag::NODE);
                out.var32(id.0);
                out.var32(parent.0);
                out.var32(site.0);
            }
            Record::Kind { id, owner, name } => {
                if *owner == Owner::Program {
                    let mut body = Vec::with_capacity(8 + name.len());
                    body.var32(*id);
                    body.string(name);
                    with_length(out, tag::PROGRAM_KIND, &body);
                }
                // Of the program's kinds it is there for readers that know no other record of
                // kinds.
                out.byte(tag::KIND);
                out.var32(*id);
                out.string(&owner.label(name));
            }
            Record::Event { time_ns: time, thread, kind, value, word, site, chain, class, walked, node } => {
                let class = class.as_ref().map(|class| interner.string(class, out));
                let walked = interner.walk(walked, out);
                out.byte(tag::EVENT);
                out.zigzag(time.wrapping_sub(*time_ns) as i64);
                out.var32(*thread);
                out.var32(*kind);
                out.zigzag(*value);
                out.fixed(word.0);
                out.var32(site.0);
                out.var32(chain.0);
                out.option(class);
                out.var32(walked);
                out.var32(node.0);
                *time_ns = *time;
                *events += 1;
            }
            Record::Tally { kind, node, site, word, class, count, value } => {
                let class = class.as_ref().map(|class| interner.string(class, out));
                let mut body = Vec::with_capacity(24);
                body.var32(*kind);
                body.var32(node.0);
                body.var32(site.0);
                body.var(word.0);
                body.option(class);
                body.var(*count);
                body.var(*value);
                with_length(out, tag::TALLY, &body);
            }
            Record::Profile { period, counters, entries, samples, dropped, lost, replaced, unseen } => {
                let fields = [period, counters, entries, samples, dropped, lost, replaced, unseen];
                sized(out, tag::PROFILE, fields.map(|field| *field));
            }
            Record::ProfileContext { node, count, error } => {
                sized(out, tag::PROFILE_CONTEXT, [node.0.into(), *count, *error]);
            }
            Record::Via { edge, frames } => {
                let frames: Vec<u32> = frames.iter().map(|frame| interner.string(frame, out)).collect();
                out.byte(tag::VIA);
                out.var32(edge.0);
                out.var(frames.len() as u64);
                frames.into_iter().for_each(|frame| out.var32(frame));
            }
            Record::PaperEdge { version, site, callee } => {
                sized(out, tag::PAPER_EDGE, [version.0.into(), site.0.into(), callee.0.into()]);
            }
            Record::PaperContexts { version, method, contexts } => {
                sized(out, tag::PAPER_CONTEXTS, [version.0.into(), method.0.into(), *contexts]);
            }
            Record::PaperLastVersion { version, method, last } => {
                sized(out, tag::PAPER_LAST_VERSION, [version.0.into(), method.0.into(), last.0.into()]);
            }
            Record::ThreadOf { id, name, java_id, origin } => {
                let mut body = Vec::with_capacity(20 + name.len());
                body.var32(*id);
                body.string(name);
                body.var(*java_id);
                body.var32(origin.0);
                with_length(out, tag::THREAD_OF, &body);
            }
            Record::Origin { id, node, kind, ground, parent, cut } => {
                let mut body = Vec::with_capacity(20);
                [id.0, node.0, parent.0].into_iter().for_each(|field| body.var32(field));
                let ground = Ground::ALL.iter().position(|known| known == ground).unwrap_or_default();
                body.byte(u8::from(*kind == OriginKind::Submitted));
                body.byte(ground as u8);
                body.byte(u8::from(*cut));
                with_length(out, tag::ORIGIN, &body);
            }
            Record::Counters { values } => {
                out.byte(tag::COUNTERS);
                out.var(values.len() as u64);
                for (name, value) in values {
                    out.string(name);
                    out.var(*value);
                }
            }
            Record::Mismatch { text } => {
                out.byte(tag::MISMATCH);
                out.string(text);
            }
            Record::Note { text } => {
                out.byte(tag::NOTE);
                out.string(text);
            }
            Record::End => out.byte(tag::END),
            Record::Rotated { next } => {
                let mut body = Vec::with_capacity(next.len() + 2);
                body.string(next);
                with_length(out, tag::ROTATED, &body);
            }
            Record::Keyframe { blocks } => sized(out, tag::KEYFRAME, [(*blocks).into()]),
            Record::Refused { ended, dropped } => {
                let mut body = Vec::with_capacity(200);
                body.byte(u8::from(*ended));
                body.var(dropped.len() as u64);
                for (name, events) in dropped {
                    body.string(name);
                    // As long for each number: the block is overwritten by one of its length.
                    body.fixed(*events);
                }
                with_length(out, tag::REFUSED, &body);
            }
            Record::Numbering { version, time_ns, cause, nanos, methods, edges, largest, cut } => {
                let mut body = Vec::with_capacity(40);
                body.var32(version.0);
                body.var(*time_ns);
                body.byte(*cause as u8);
                [nanos, methods, edges, largest, cut].into_iter().for_each(|field| body.var(*field));
                with_length(out, tag::NUMBERING, &body);
            }
            Record::Learned { word, method, node, ambiguous } => {
                let mut body = Vec::with_capacity(20);
                body.fixed(*word);
                body.var32(method.0);
                body.var32(node.0);
                body.byte(u8::from(*ambiguous));
                with_length(out, tag::LEARNED, &body);
            }
            Record::SumsUntil { time_ns } => sized(out, tag::SUMS_UNTIL, [*time_ns]),
        }
    }
}

/// A record that carries its length.
fn sized<const N: usize>(out: &mut Vec<u8>, tag: u8, fields: [u64; N]) {
    let mut body = Vec::with_capacity(8 * N);
    fields.into_iter().for_each(|field| body.var(field));
    with_length(out, tag, &body);
}

fn with_length(out: &mut Vec<u8>, tag: u8, body: &[u8]) {
    out.byte(tag);
    out.var(body.len() as u64);
    out.extend_from_slice(body);
}

/// The two bits of a number that say which part of a method's numbers it is from.
const PART: u32 = lucce_words::NUMBER_BITS - 2;

/// A number with the bits that say its part last, so that small ones of each part are short. Every
/// `u64` has its own.
pub(crate) const fn fold(number: u64) -> u64 {
    let within = number & ((1 << PART) - 1);
    (number >> (PART + 2) << PART | within) << 2 | number >> PART & 3
}

/// The number of which [`fold`] gives this.
pub(crate) const fn unfold(folded: u64) -> u64 {
    let within = folded >> 2 & ((1 << PART) - 1);
    folded >> (PART + 2) << (PART + 2) | (folded & 3) << PART | within
}
