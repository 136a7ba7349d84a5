//! What is said of a class, its methods and sites.
//!
//! Invariant: what is read back equals what was written, but for [`Instrumented::bytes`], which the
//! record has by itself, and methods that have code and no hooks.

use std::borrow::Cow;

use lucce_words::{Bci, ClassId, MethodId, SiteId};

use super::names::{self, NameWriter};
use crate::bci_map::maps::{BciMap, LineTable};
use crate::format::reader::Reader;
use crate::instrument::{HookOutcome, Instrumented, MethodOutcome, PublishedSite, SiteKind};
use crate::skip::SkipReason;

/// By their number in a record.
const KINDS: [SiteKind; 11] = [
    SiteKind::Static,
    SiteKind::Special,
    SiteKind::Virtual,
    SiteKind::Interface,
    SiteKind::Dynamic,
    SiteKind::Polymorphic,
    SiteKind::WeakInit,
    SiteKind::Allocation,
    SiteKind::Throw,
    SiteKind::Monitor,
    SiteKind::Entry,
];

/// `None`: something of it stands for no other run.
pub(super) fn write(class: &Instrumented<'_>, out: &mut NameWriter<'_>) -> Option<()> {
    out.out.extend(class.id.0.to_be_bytes());
    out.add(class.name)?;
    out.add_if_any(class.super_name)?;
    out.add_if_any(class.source_file)?;
    out.count(class.leaf_methods.len())?;
    for (name, desc) in &class.leaf_methods {
        out.add(name)?;
        out.add(desc)?;
    }
    out.count(class.leaf_constructors.len())?;
    class.leaf_constructors.iter().try_for_each(|desc| out.add(desc))?;
    // What has code and no hooks nobody asks about.
    let told = || class.methods.iter().filter(|method| method.outcome != HookOutcome::NoHooks);
    out.count(told().count())?;
    told().try_for_each(|one| method(one, out))?;
    out.count(class.sites.len())?;
    class.sites.iter().try_for_each(|one| site(one, out))
}

pub(super) fn read<'a>(original: &'a [u8], reader: &mut Reader<'a>) -> Result<Instrumented<'a>, SkipReason> {
    let name = |reader: &mut Reader<'a>| names::name(original, reader);
    let class = Instrumented {
        bytes: Vec::new(),
        id: ClassId(reader.u4()?),
        name: name(reader)?,
        super_name: names::if_any(original, reader)?,
        source_file: names::if_any(original, reader)?,
        leaf_methods: names::list(reader, |reader| Ok((name(reader)?, name(reader)?)))?,
        leaf_constructors: names::list(reader, name)?,
        methods: names::list(reader, |reader| read_method(original, reader))?,
        sites: names::list(reader, |reader| read_site(original, reader))?,
    };
    let within = |method: &MethodOutcome<'_>| class.sites.get(method.sites.clone()).is_some();
    if class.methods.iter().all(within) { Ok(class) } else { Err(reader.error("the sites of a method")) }
}

fn method(method: &MethodOutcome<'_>, out: &mut NameWriter<'_>) -> Option<()> {
    out.add(method.name)?;
    out.add(method.desc)?;
    out.out.extend(method.access.to_be_bytes());
    out.out.push(u8::from(method.is_lazy) | u8::from(method.interposable_exit) << 1);
    let (outcome, id) = match method.outcome {
        HookOutcome::Hooked(id) => (0, id),
        HookOutcome::HookedHuge(id) => (1, id),
        HookOutcome::NoCode => (2, MethodId::ROOT),
        HookOutcome::NoHooks | HookOutcome::Skipped(_) => return None,
    };
    out.out.push(outcome);
    if outcome < 2 {
        out.out.extend(id.0.to_be_bytes());
        out.count(method.sites.start)?;
        out.count(method.sites.end)?;
        out.out.extend(method.opcode_hash.to_be_bytes());
        out.out.extend(method.word_local.to_be_bytes());
        method.map.write(out.out)?;
        method.lines.write(out.out)?;
    }
    Some(())
}

fn read_method<'a>(original: &'a [u8], reader: &mut Reader<'a>) -> Result<MethodOutcome<'a>, SkipReason> {
    let (name, desc) = (names::name(original, reader)?, names::name(original, reader)?);
    let (access, flags, outcome) = (reader.u2()?, reader.u1()?, reader.u1()?);
    let mut method = MethodOutcome {
        name,
        desc,
        access,
        outcome: HookOutcome::NoCode,
        is_lazy: flags & 1 != 0,
        interposable_exit: flags & 2 != 0,
        sites: 0..0,
        map: BciMap::default(),
        opcode_hash: 0,
        word_local: 0,
        // Classes with weights of their own are not kept.
        weight: 0,
        lines: LineTable::default(),
    };
    if outcome < 2 {
        let id = MethodId(reader.u4()?);
        method.outcome = if outcome == 0 { HookOutcome::Hooked(id) } else { HookOutcome::HookedHuge(id) };
        method.sites = reader.u4()? as usize..reader.u4()? as usize;
        method.opcode_hash = u64::from(reader.u4()?) << 32 | u64::from(reader.u4()?);
        method.word_local = reader.u2()?;
        method.map = BciMap::read(reader)?;
        method.lines = LineTable::read_back(reader)?;
    }
    Ok(method)
}

fn site(site: &PublishedSite<'_>, out: &mut NameWriter<'_>) -> Option<()> {
    out.out.extend(site.id.0.to_be_bytes());
    out.out.extend(site.bci.0.to_be_bytes());
    out.out.push(u8::from(site.line.is_some()));
    out.out.extend(site.line.unwrap_or(0).to_be_bytes());
    out.out.push(KINDS.iter().position(|kind| *kind == site.kind)? as u8);
    out.add(&site.owner)?;
    out.add(site.name)?;
    out.add(site.desc)
}

fn read_site<'a>(original: &'a [u8], reader: &mut Reader<'a>) -> Result<PublishedSite<'a>, SkipReason> {
    let (id, bci) = (SiteId(reader.u4()?), Bci(reader.u2()?));
    let (has_line, line) = (reader.u1()? != 0, reader.u2()?);
    let kind = KINDS.get(usize::from(reader.u1()?)).ok_or_else(|| reader.error("the kind of a site"))?;
    let mut name = || names::name(original, reader);
    let owner = Cow::Borrowed(name()?);
    Ok(PublishedSite { id, bci, line: has_line.then_some(line), kind: *kind, owner, name: name()?, desc: name()? })
}
