//! Records that carry their length.
//!
//! Invariant: what stands behind the known fields of a record belongs to later writers, and a
//! record that is not known is passed over.
//! Source: docs/FORMAT.md, "Records".

use lucce_words::{MethodId, NodeId, OriginId, SiteId, Version, Word};

use super::Item;
use crate::record::{Cause, Ground, OriginKind};
use crate::tag;
use crate::{Owner, Record, Tables};
use lucce_words::varint::Get;

/// The item with this tag and body; `None` if it cannot be read, or needs a definition that is
/// lost.
pub(super) fn record(tag: u8, mut body: Get<'_>, tables: &Tables) -> Option<Item> {
    let record = match tag {
        tag::PAPER_EDGE => Record::PaperEdge {
            version: Version(body.var32()?),
            site: SiteId(body.var32()?),
            callee: MethodId(body.var32()?),
        },
        tag::PAPER_CONTEXTS => Record::PaperContexts {
            version: Version(body.var32()?),
            method: MethodId(body.var32()?),
            contexts: body.var()?,
        },
        tag::PAPER_LAST_VERSION => Record::PaperLastVersion {
            version: Version(body.var32()?),
            method: MethodId(body.var32()?),
            last: Version(body.var32()?),
        },
        tag::TALLY => tally(body, tables)?,
        tag::PROFILE => Record::Profile {
            period: body.var()?,
            counters: body.var()?,
            entries: body.var()?,
            samples: body.var()?,
            dropped: body.var()?,
            lost: body.var()?,
            replaced: body.var()?,
            unseen: body.var()?,
        },
        tag::PROFILE_CONTEXT => {
            Record::ProfileContext { node: NodeId(body.var32()?), count: body.var()?, error: body.var()? }
        }
        tag::PROGRAM_KIND => Record::Kind { id: body.var32()?, owner: Owner::Program, name: body.string()?.into() },
        tag::THREAD_OF => Record::ThreadOf {
            id: body.var32()?,
            name: body.string()?.into(),
            java_id: body.var()?,
            origin: OriginId(body.var32()?),
        },
        tag::ORIGIN => origin(body)?,
        tag::NUMBERING => numbering(body)?,
        tag::LEARNED => learned(body)?,
        tag::ROTATED => Record::Rotated { next: body.string()?.into() },
        tag::KEYFRAME => Record::Keyframe { blocks: body.var32()? },
        tag::REFUSED => refused(body)?,
        tag::SUMS_UNTIL => Record::SumsUntil { time_ns: body.var()? },
        _ => return Some(Item::Passed),
    };
    Some(Item::Record(record))
}

/// What the disk did not take.
fn refused(mut body: Get<'_>) -> Option<Record> {
    let ended = body.byte()? != 0;
    let count = body.count()?;
    let mut value = || Some((body.string()?.into(), body.fixed()?));
    Some(Record::Refused { ended, dropped: (0..count).map(|_| value()).collect::<Option<Vec<_>>>()? })
}

/// What making a version came to.
fn numbering(mut body: Get<'_>) -> Option<Record> {
    let (version, time_ns) = (Version(body.var32()?), body.var()?);
    let cause = *Cause::ALL.get(usize::from(body.byte()?))?;
    let (nanos, methods, edges, largest, cut) = (body.var()?, body.var()?, body.var()?, body.var()?, body.var()?);
    Some(Record::Numbering { version, time_ns, cause, nanos, methods, edges, largest, cut })
}

/// What a walk has found a word to mean.
fn learned(mut body: Get<'_>) -> Option<Record> {
    let (word, method, node) = (body.fixed()?, MethodId(body.var32()?), NodeId(body.var32()?));
    let ambiguous = match body.byte()? {
        0 => false,
        1 => true,
        _ => return None,
    };
    Some(Record::Learned { word, method, node, ambiguous })
}

/// Where a thread or a task came from.
fn origin(mut body: Get<'_>) -> Option<Record> {
    let id = OriginId(body.var32()?);
    let (node, parent) = (NodeId(body.var32()?), OriginId(body.var32()?));
    let kind = match body.byte()? {
        0 => OriginKind::Started,
        1 => OriginKind::Submitted,
        _ => return None,
    };
    let ground = *Ground::ALL.get(usize::from(body.byte()?))?;
    Some(Record::Origin { id, node, kind, ground, parent, cut: body.byte()? != 0 })
}

/// What a context has come to.
fn tally(mut body: Get<'_>, tables: &Tables) -> Option<Record> {
    let (kind, node, site) = (body.var32()?, NodeId(body.var32()?), SiteId(body.var32()?));
    let word = Word(body.var()?);
    let class = match body.option()? {
        None => None,
        Some(id) => Some(tables.string(id)?),
    };
    let (count, value) = (body.var()?, body.var()?);
    Some(Record::Tally { kind, node, site, word, class, count, value })
}
