//! What changed from one run to another, by kind, class and context.
//!
//! Invariant: sums are compared exactly, also where they are per second or per call. Kinds are
//! never added up. A kind that one of the runs did not record is not compared.
//! Source: docs/guide/decoder.md, "What changed"; docs/FORMAT.md, "Fingerprints".

mod rule;

use std::collections::{BTreeMap, HashMap};

use lucce_log::{Owner, glob_matches};

use crate::export::{Profile, StackId, Sum};
use crate::sampling::option;
use crate::{Fingerprint, Kind, normal_class};

pub use rule::{Broken, Rule};

/// By which fingerprint contexts of two runs are the same one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Join {
    /// That of names: also in another build.
    #[default]
    Names,
    /// The exact one.
    Exact,
}

/// What sums are divided by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Per {
    /// Nothing.
    #[default]
    Run,
    /// Seconds from the start of a run to its last event.
    Second,
    /// Counted calls of the methods (`class.method`) that match this glob.
    Method(String),
}

/// Number of events and their summed value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// Number.
    pub count: u64,
    /// Value.
    pub value: i128,
}

/// One of the two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The earlier one.
    Old,
    /// The later one.
    New,
}

/// A context in which a kind differs.
#[derive(Clone, Debug)]
pub struct ContextChange {
    /// The class of the events.
    pub class: Option<String>,
    /// What joins the runs.
    pub fingerprint: Fingerprint,
    /// In both runs; no events where the context is not.
    pub sums: [Sums; 2],
    /// The exact context that changed most.
    pub shown: Option<Shown>,
}

/// An exact context.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The run that has it.
    pub side: Side,
    /// Its frames there.
    pub stack: StackId,
    /// What it is called there.
    pub context: String,
}

/// What a kind does.
#[derive(Clone, Debug)]
pub struct KindChanges {
    /// The kind.
    pub kind: Kind,
    /// In both runs.
    pub sums: [Sums; 2],
    /// Did the runs record it?
    pub recorded: [bool; 2],
    /// Are the values estimates from samples?
    pub estimated: [bool; 2],
    /// Those that grew most first, then those that shrank, the most last.
    pub changes: Vec<ContextChange>,
    /// Contexts in which nothing differs.
    pub same: usize,
}

/// All that differs.
#[derive(Clone, Debug)]
pub struct Difference {
    /// By kind; those in which something differs come first.
    pub kinds: Vec<KindChanges>,
    /// What each run's sums are divided by: seconds are in nanoseconds.
    pub units: [i128; 2],
}

/// Kinds of the agent's that a run has recorded also where nothing of the kind has happened.
const AGENTS: [&str; 7] = ["alloc", "exception", "monitor", "park", "cpu", "entry", "profile"];

/// Compares two runs.
///
/// # Errors
/// One line where there is nothing to divide by.
pub fn diff(old: &Profile, new: &Profile, join: Join, per: &Per) -> Result<Difference, String> {
    let profiles = [old, new];
    let units = [unit(old, per, "old")?, unit(new, per, "new")?];
    let mut kinds: BTreeMap<usize, KindChanges> = BTreeMap::new();
    let mut labels: HashMap<&str, usize> = HashMap::new();
    let silent: Vec<Kind> = AGENTS.map(|name| Kind::new(Owner::Agent, name.into())).to_vec();
    let silent = silent.iter().filter(|kind| profiles.iter().any(|profile| profile.has_recorded(kind)));
    // The order of the new run, then what only the old one has, then what could have happened and
    // did not.
    for kind in new.kinds().iter().chain(old.kinds()).chain(silent) {
        let next = labels.len();
        let at = *labels.entry(&kind.label).or_insert(next);
        kinds.entry(at).or_insert_with(|| KindChanges {
            kind: kind.clone(),
            sums: Default::default(),
            recorded: profiles.map(|profile| profile.has_recorded(kind)),
            estimated: profiles.map(|profile| profile.is_estimated(kind)),
            changes: Vec::new(),
            same: 0,
        });
    }
    let mut groups: HashMap<Key, Group> = HashMap::new();
    for (side, profile) in profiles.into_iter().enumerate() {
        for sum in profile.sums() {
            let kind = labels[profile.kinds()[sum.kind].label.as_str()];
            if let Some(changes) = kinds.get_mut(&kind) {
                changes.sums[side].add(sum);
            }
            let prints = profile.fingerprints(sum);
            let class = profile.class(sum).map(|class| match join {
                Join::Names => normal_class(class).into_owned(),
                Join::Exact => class.to_owned(),
            });
            let fingerprint = if join == Join::Names { prints.names } else { prints.exact };
            groups.entry((kind, class, fingerprint)).or_default().add(side, prints.exact, sum, profile);
        }
    }
    for ((kind, class, fingerprint), group) in groups {
        let Some(of) = kinds.get_mut(&kind) else { continue };
        if order(group.sums, units) == (0, 0) {
            of.same += 1;
            continue;
        }
        let shown = group.shown(units);
        of.changes.push(ContextChange { class, fingerprint, sums: group.sums, shown });
    }
    for of in kinds.values_mut() {
        of.changes.sort_by(|a, b| {
            let most = order(b.sums, units).cmp(&order(a.sums, units));
            most.then_with(|| (a.fingerprint, &a.class).cmp(&(b.fingerprint, &b.class)))
        });
    }
    let mut kinds: Vec<KindChanges> = kinds.into_values().collect();
    kinds.sort_by_key(|kind| !kind.is_comparable() || kind.changes.is_empty());
    Ok(Difference { kinds, units })
}

/// Kind, class and fingerprint.
type Key = (usize, Option<String>, Fingerprint);

/// What has one key, and the exact contexts in it.
#[derive(Default)]
struct Group {
    sums: [Sums; 2],
    exact: BTreeMap<Fingerprint, Exact>,
}

#[derive(Default)]
struct Exact {
    sums: [Sums; 2],
    /// Where each run has it.
    stacks: [Option<(StackId, String)>; 2],
}

impl Group {
    fn add(&mut self, side: usize, fingerprint: Fingerprint, sum: &Sum, profile: &Profile) {
        self.sums[side].add(sum);
        let exact = self.exact.entry(fingerprint).or_default();
        exact.sums[side].add(sum);
        exact.stacks[side].get_or_insert_with(|| (sum.own_stack, profile.context(sum).to_owned()));
    }

    /// The exact context that did most of what the group did.
    fn shown(&self, units: [i128; 2]) -> Option<Shown> {
        let (value, count) = order(self.sums, units);
        let most = |exact: &&Exact| {
            let (of_value, of_count) = order(exact.sums, units);
            (of_value.saturating_mul(value.signum()), of_count.saturating_mul(count.signum()))
        };
        let exact = self.exact.values().max_by_key(most)?;
        let of = |side: Side| {
            let (stack, context) = exact.stacks[side as usize].clone()?;
            Some(Shown { side, stack, context })
        };
        of(Side::New).or_else(|| of(Side::Old))
    }
}

impl Sums {
    fn add(&mut self, sum: &Sum) {
        self.count = self.count.saturating_add(sum.count);
        self.value = self.value.saturating_add(sum.value);
    }
}

/// By how much something grew, times both units: exact, with a sign.
pub(crate) fn growth([old, new]: [i128; 2], [old_units, new_units]: [i128; 2]) -> i128 {
    new.saturating_mul(old_units).saturating_sub(old.saturating_mul(new_units))
}

/// By how much values grew, then numbers.
fn order(sums: [Sums; 2], units: [i128; 2]) -> (i128, i128) {
    (growth(sums.map(|sums| sums.value), units), growth(sums.map(|sums| i128::from(sums.count)), units))
}

impl ContextChange {
    /// Has only the new run the context?
    pub fn is_new(&self) -> bool {
        self.sums[0].count == 0
    }

    /// Has only the old run the context?
    pub fn is_gone(&self) -> bool {
        self.sums[1].count == 0
    }

    /// Did it grow? Otherwise it shrank.
    pub fn has_grown(&self, units: [i128; 2]) -> bool {
        order(self.sums, units) > (0, 0)
    }
}

impl KindChanges {
    /// Can the runs be compared?
    pub fn is_comparable(&self) -> bool {
        self.recorded == [true; 2]
    }
}

impl Difference {
    /// Does nothing differ?
    pub fn is_nothing(&self) -> bool {
        self.kinds.iter().all(|kind| kind.changes.is_empty())
    }
}

/// What the sums of a run are divided by.
pub(crate) fn unit(profile: &Profile, per: &Per, which: &str) -> Result<i128, String> {
    match per {
        Per::Run => Ok(1),
        Per::Second => {
            let nanoseconds = profile.runs().iter().map(|run| i128::from(run.end_ns - run.begin_ns)).sum();
            if nanoseconds > 0 {
                Ok(nanoseconds)
            } else {
                Err(format!("the {which} run has no event with a time: its length is unknown"))
            }
        }
        Per::Method(glob) => {
            let calls = profile.calls(glob);
            if calls > 0 {
                Ok(calls)
            } else {
                Err(format!("the {which} run counted no call of {glob}: give the agent entries={glob}"))
            }
        }
    }
}

/// What a run says of its kinds.
impl Profile {
    /// The counted calls of the methods (`class.method`) that match a glob.
    pub(crate) fn calls(&self, glob: &str) -> i128 {
        let meant = self.calls.iter().filter(|(frame, _)| glob_matches(glob, &self.stacks().frame(**frame).name()));
        meant.map(|(_, calls)| calls).sum()
    }

    /// Was every log recorded with a source of this kind, or has events of it?
    pub(crate) fn has_recorded(&self, kind: &Kind) -> bool {
        let asked = |name: &&str| {
            self.runs().iter().all(|run| run.header.as_ref().is_some_and(|header| option(header, name).is_some()))
        };
        kind.owner == Owner::Program
            || kind.sources().iter().any(asked)
            || self.kinds().iter().any(|known| known.label == kind.label)
    }

    /// Are the values of this kind estimates?
    fn is_estimated(&self, kind: &Kind) -> bool {
        kind.is_agents("profile") || self.sampling_interval(kind).is_some()
    }
}
