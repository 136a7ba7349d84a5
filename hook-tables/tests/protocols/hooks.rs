//! The hooks as readers: how `LucceHooks.enter`, `miss` and `LucceLinks.found` come from a call to
//! a word, load by load.
//!
//! Invariant: what is a plain load in Java is a relaxed one here, but for addresses: the processor
//! keeps what is loaded through an address behind the load of the address itself, and the least
//! that says so here is an acquire load. `Unsafe.loadFence` is a fence of that order.
//! Source: `java-shim/hooks`.

use lucce_words::{MethodId, SiteId, Value, WAYS, Word};

use crate::links::{LinkRecord, Links, RecordKind};
use crate::sizes::WAY;
use crate::sync::{AtomicU64, Ordering, fence};
use crate::values::{ADDRESS, ALWAYS};

/// Do the hooks look once more whether a record is one, behind what they have read of it?
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Care {
    LookAgain,
    LookOnce,
}

/// What stands at the place of a call in the values.
fn value(links: &Links, site: SiteId, callee: MethodId) -> u64 {
    let place = links.values.address() as usize + (callee.0 % WAYS) as usize * WAY + 8 * site.index();
    word(place).load(Ordering::Acquire)
}

/// The word of a cut link that holds for every word of the caller, where the value leads to it;
/// site and callee are all that is compared.
pub(crate) fn always(links: &Links, site: SiteId, callee: MethodId, care: Care) -> Option<u64> {
    let value = value(links, site, callee);
    if value >> 63 == 0 || value & ALWAYS == 0 {
        return None;
    }
    let link = record(value & ADDRESS);
    let is_it = || link.ends() == (site, callee);
    if care == Care::LookOnce && !is_it() {
        return None;
    }
    let av = link.av.load(Ordering::Relaxed);
    fence(Ordering::Acquire);
    (care == Care::LookOnce || is_it()).then_some(av)
}

/// An entry of `callee` from `ctx` at `site`: its word, or `None` where the agent is asked.
pub(crate) fn enter(links: &Links, site: SiteId, callee: MethodId, ctx: u64, care: Care) -> Option<u64> {
    let value = value(links, site, callee);
    if let Some(answer) = Value(value as i64).answer(Word(ctx), callee) {
        return Some(answer.0);
    }
    if let Some(word) = always(links, site, callee, care) {
        return Some(word);
    }
    if let Some(link) = pointed(value).filter(|link| link.holds(site, callee, ctx)) {
        return said(link, ctx, care);
    }
    let mut at = word(links.buckets().0 as usize).load(Ordering::Acquire);
    while at != 0 && !record(at).holds(site, callee, ctx) {
        at = record(at).next.load(Ordering::Acquire);
    }
    if at == 0 { None } else { said(record(at), ctx, care) }
}

/// The part of [`enter`] that needs no search: the word by the record to which the value leads.
pub(crate) fn predicted(links: &Links, site: SiteId, callee: MethodId, ctx: u64, care: Care) -> Option<u64> {
    let link = pointed(value(links, site, callee)).filter(|link| link.holds(site, callee, ctx))?;
    said(link, ctx, care)
}

/// The record to which a value leads.
fn pointed(value: u64) -> Option<&'static LinkRecord> {
    (value >> 63 != 0).then(|| record(value & ADDRESS))
}

/// The word that a link's record says.
fn said(link: &LinkRecord, ctx: u64, care: Care) -> Option<u64> {
    let (kind, av) = match care {
        Care::LookAgain => link.read()?,
        Care::LookOnce => (link.kind.load(Ordering::Relaxed), link.av.load(Ordering::Relaxed)),
    };
    Some(if kind == RecordKind::Cut as i32 { av } else { ctx.wrapping_add(av) })
}

fn word(address: usize) -> &'static AtomicU64 {
    // SAFETY: an entry of one of the tables, which stay.
    unsafe { &*(address as *const AtomicU64) }
}

fn record(address: u64) -> &'static LinkRecord {
    // SAFETY: tables hold addresses of records, which stay.
    unsafe { &*(address as *const LinkRecord) }
}
