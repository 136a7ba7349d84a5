//! What was counted, and how much of it the log knows.
//!
//! Invariant: what a record has counted is in the sums that were written, or was left out while its
//! source was stopped, or is yet to be looked at: each use once. Source: docs/design/tallies.md.

use lucce_words::{NodeId, OriginId, SiteId, Word};
use rustc_hash::FxHashMap;

use crate::hook_tables::tallies::{TallyKind, TallyRecord};

/// All records.
#[derive(Default)]
pub(super) struct Ledger {
    kept: Vec<LedgerRecord>,
    /// What those came to that were closed.
    closed: TallyFigures,
}

/// A record, and how much of it is in the log.
struct LedgerRecord {
    record: &'static TallyRecord,
    what: What,
    /// The origin of the task that counts there, as the hooks' key has it. The log has all of them
    /// as one.
    origin: OriginId,
    /// What was looked at.
    seen: Sum,
    /// How much of that is not in the log, for its source was stopped.
    left_out: Sum,
}

/// Counts with one of these are one sum.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct What {
    pub(super) kind: TallyKind,
    /// 0 for a context that was lost: then the word says why.
    pub(super) node: NodeId,
    pub(super) site: SiteId,
    pub(super) word: Word,
    /// Number of the class; 0 for that of the site.
    pub(super) class: u32,
}

/// A number and its bytes.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) count: u64,
    pub(super) value: u64,
}

/// What is to be written.
pub(super) type Sums = FxHashMap<What, Sum>;

/// What a run has counted, as far as it was written.
#[derive(Clone, Copy, Default)]
pub struct TallyFigures {
    /// Objects and arrays.
    pub allocations: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Objects and arrays in no record.
    pub lost_allocations: u64,
    /// Invocations.
    pub entries: u64,
    /// Invocations in no record.
    pub lost_entries: u64,
    /// Records.
    pub records: u64,
}

impl Ledger {
    /// A new record.
    pub(super) fn open(&mut self, record: &'static TallyRecord, what: What, origin: OriginId) {
        self.kept.push(LedgerRecord { record, what, origin, seen: Sum::default(), left_out: Sum::default() });
    }

    /// What has been counted since the last time, where its source is not `stopped`.
    pub(super) fn sums(&mut self, stopped: [bool; 2]) -> Sums {
        let mut sums = Sums::default();
        self.kept.iter_mut().for_each(|kept| kept.look(&mut sums, stopped));
        sums
    }

    /// What has been counted so far, without what was left out of the log or will be: its source is
    /// `stopped`. Nothing counts as looked at.
    pub(super) fn so_far(&self, stopped: [bool; 2]) -> Sums {
        let mut sums = Sums::default();
        for kept in &self.kept {
            let all = if stopped[kept.what.kind as usize] { kept.seen } else { kept.now() };
            let sum = sums.entry(kept.what).or_default();
            sum.count += all.count - kept.left_out.count;
            sum.value += all.value - kept.left_out.value;
        }
        sums
    }

    /// What each record has counted, in tasks of that origin, whatever of it the log has.
    pub(super) fn counted(&self) -> Vec<(What, OriginId, Sum)> {
        self.kept.iter().map(|kept| (kept.what, kept.origin, kept.now())).collect()
    }

    /// How many records were closed.
    pub(super) fn closed(&self) -> u64 {
        self.closed.records
    }

    /// Closes records in which nobody counts any more: their last sums, and the records.
    pub(super) fn close(
        &mut self,
        stopped: [bool; 2],
        mut which: impl FnMut(&What) -> bool,
    ) -> (Sums, Vec<&'static TallyRecord>) {
        let (mut sums, mut records) = (Sums::default(), Vec::new());
        let closed = &mut self.closed;
        self.kept.retain_mut(|kept| {
            let closes = which(&kept.what);
            if closes {
                kept.look(&mut sums, stopped);
                closed.add(kept);
                records.push(kept.record);
            }
            !closes
        });
        if !records.is_empty() {
            self.kept.shrink_to(2 * self.kept.len());
        }
        (sums, records)
    }

    /// What the records count.
    pub(super) fn all(&self) -> impl Iterator<Item = &What> {
        self.kept.iter().map(|kept| &kept.what)
    }

    /// What the log has been told.
    pub(super) fn figures(&self) -> TallyFigures {
        let mut figures = self.closed;
        self.kept.iter().for_each(|kept| figures.add(kept));
        figures
    }
}

impl LedgerRecord {
    /// Adds what is new to the sums, unless it is left out.
    fn look(&mut self, sums: &mut Sums, stopped: [bool; 2]) {
        let now = self.now();
        if now != self.seen {
            let is_stopped = stopped[self.what.kind as usize];
            let sum = if is_stopped { &mut self.left_out } else { sums.entry(self.what).or_default() };
            sum.count += now.count - self.seen.count;
            sum.value += now.value - self.seen.value;
            self.seen = now;
        }
    }

    fn now(&self) -> Sum {
        let count = self.record.count();
        let value = match self.what.kind {
            TallyKind::Alloc => self.record.bytes(count),
            TallyKind::Entry | TallyKind::Profile => count,
        };
        Sum { count, value }
    }
}

impl TallyFigures {
    fn add(&mut self, kept: &LedgerRecord) {
        let count = kept.seen.count - kept.left_out.count;
        let value = kept.seen.value - kept.left_out.value;
        self.records += 1;
        match kept.what.kind {
            TallyKind::Alloc => {
                self.allocations += count;
                self.bytes += value;
            }
            TallyKind::Entry => self.entries += count,
            // These have a ledger of their own.
            TallyKind::Profile => {}
        }
    }
}
