//! What decodes the contexts of one timestamp: numCC of each method, the encoding of each edge, and
//! maxID (DACCE, Fig. 6).
//!
//! Invariants: edges with an encoding form no cycle; at a method their intervals
//! `[En(e), En(e) + numCC(caller))` are disjoint and fill `[0, numCC(method))`. A method whose
//! incoming edges have none still has one context: that of a sub-path that begins there.
//! Source: DACCE, section 2.1 (the numbering), 3 (Algorithm 1), 4 (hottest edge first).

use std::collections::{BTreeMap, BTreeSet};

use lucce_words::{MethodId, SiteId};

use super::{DacceContext, StackEntry};
use crate::decode::unknown::Unknown;
use crate::decode::{Decoded, DecodedFrame, End};

/// The most contexts of a method: 2*maxID+1 has to fit into an id.
const MOST: u64 = 1 << 63;
/// Most frames of a trace: what damaged repeat counts may cost.
const LONGEST: usize = 1 << 22;

type Call = (SiteId, MethodId);

/// The dictionary of one timestamp.
pub struct Dictionary {
    entry: MethodId,
    max_id: u64,
    /// numCC; methods that are not here have one context.
    contexts: BTreeMap<MethodId, u64>,
    /// Of each method the calls that have an encoding, hottest first, with caller and encoding.
    incoming: BTreeMap<MethodId, Vec<(SiteId, MethodId, u64)>>,
    encodings: BTreeMap<Call, u64>,
    back: BTreeSet<Call>,
    /// Calls whose numbers would pass 64 bits.
    spilled: BTreeSet<Call>,
}

impl Dictionary {
    /// Encodes the graph that is reachable from `entry`.
    pub(super) fn new(entry: MethodId, outgoing: &BTreeMap<MethodId, Vec<Call>>, calls: &BTreeMap<Call, u64>) -> Self {
        let (order, back) = topological(entry, outgoing);
        let mut new = Self {
            entry,
            max_id: 0,
            contexts: BTreeMap::new(),
            incoming: BTreeMap::new(),
            encodings: BTreeMap::new(),
            back,
            spilled: BTreeSet::new(),
        };
        let mut found: BTreeMap<MethodId, Vec<(SiteId, MethodId)>> = BTreeMap::new();
        for (&caller, out) in outgoing {
            for &(site, target) in out.iter().filter(|call| !new.back.contains(call)) {
                found.entry(target).or_default().push((site, caller));
            }
        }
        for method in order {
            let mut incoming = found.remove(&method).unwrap_or_default();
            incoming.sort_by_key(|&(site, _)| (std::cmp::Reverse(calls.get(&(site, method))), site));
            new.number(method, incoming);
        }
        new
    }

    /// Gives a method's edges their encodings; its callers have theirs.
    fn number(&mut self, method: MethodId, incoming: Vec<(SiteId, MethodId)>) {
        let mut sum = 0;
        for (site, caller) in incoming {
            let next = self.contexts(caller).checked_add(sum).filter(|&next| next <= MOST);
            let Some(next) = next else {
                self.spilled.insert((site, method));
                continue;
            };
            self.encodings.insert((site, method), sum);
            self.incoming.entry(method).or_default().push((site, caller, sum));
            sum = next;
        }
        let contexts = sum.max(1);
        self.max_id = self.max_id.max(contexts - 1);
        self.contexts.insert(method, contexts);
    }

    /// maxID: the largest id without ccStack.
    pub fn max_id(&self) -> u64 {
        self.max_id
    }

    /// numCC of a method.
    pub fn contexts(&self, method: MethodId) -> u64 {
        self.contexts.get(&method).copied().unwrap_or(1)
    }

    /// En of a call; `None` if it goes over the ccStack.
    pub fn encoding(&self, site: SiteId, target: MethodId) -> Option<u64> {
        self.encodings.get(&(site, target)).copied()
    }

    /// Does the call close a cycle?
    pub fn is_back(&self, site: SiteId, target: MethodId) -> bool {
        self.back.contains(&(site, target))
    }

    /// Is the call so new that this dictionary does not know it?
    pub(super) fn is_new(&self, call: Call) -> bool {
        !self.encodings.contains_key(&call) && !self.back.contains(&call) && !self.spilled.contains(&call)
    }

    /// The call into a method that has encoding 0.
    pub(super) fn hottest(&self, method: MethodId) -> Option<Call> {
        self.incoming.get(&method)?.first().map(|&(site, ..)| (site, method))
    }

    /// Algorithm 1: the frames, innermost first.
    pub(super) fn decode(&self, sites: &BTreeMap<SiteId, MethodId>, context: &DacceContext) -> Decoded {
        let mut frames = vec![DecodedFrame { method: context.method, site: None }];
        let end = self.unwind(sites, context, &mut frames).map_or_else(End::Unknown, |()| End::Root);
        Decoded { frames, end }
    }

    fn unwind(
        &self,
        sites: &BTreeMap<SiteId, MethodId>,
        context: &DacceContext,
        frames: &mut Vec<DecodedFrame>,
    ) -> Result<(), Unknown> {
        let mut method = context.method;
        let mut stack = Entries { below: &context.stack, taken: 0 };
        let (mut id, mut on_stack) = self.adjust(context.id);
        loop {
            // Lines 9 to 25: the sub-path's first method is the target of the entry on top.
            while id == 0
                && on_stack
                && let Some(top) = stack.top().filter(|top| top.target == method)
            {
                method = *sites.get(&top.site).ok_or(Unknown::Edge)?;
                push(frames, method, top.site)?;
                (id, on_stack) = self.adjust(top.id);
                stack.pop();
            }
            // Lines 26 to 33: one edge of an acyclic sub-path.
            let edges = self.incoming.get(&method).map_or(&[][..], Vec::as_slice);
            match edges.iter().find(|&&(_, caller, value)| id >= value && id - value < self.contexts(caller)) {
                Some(&(site, caller, value)) => {
                    push(frames, caller, site)?;
                    (method, id) = (caller, id - value);
                }
                None if id != 0 => return Err(Unknown::Number),
                None if on_stack || stack.top().is_some() || method != self.entry => return Err(Unknown::Chain),
                None => return Ok(()),
            }
        }
    }

    /// `AdjustID`: the id within its sub-path, and whether that begins behind an entry of the
    /// ccStack.
    fn adjust(&self, id: u64) -> (u64, bool) {
        if id > self.max_id { (id - self.max_id - 1, true) } else { (id, false) }
    }
}

fn push(frames: &mut Vec<DecodedFrame>, method: MethodId, site: SiteId) -> Result<(), Unknown> {
    if frames.len() >= LONGEST {
        return Err(Unknown::Depth);
    }
    frames.push(DecodedFrame { method, site: Some(site) });
    Ok(())
}

/// A ccStack that is taken apart from the top, an entry as often as it was pushed.
struct Entries<'a> {
    below: &'a [StackEntry],
    taken: u64,
}

impl Entries<'_> {
    fn top(&self) -> Option<&StackEntry> {
        self.below.last()
    }

    fn pop(&mut self) {
        self.taken += 1;
        if let Some((top, below)) = self.below.split_last()
            && self.taken >= top.count
        {
            *self = Self { below, taken: 0 };
        }
    }
}

/// The methods that `entry` reaches, callers first, and the calls that close a cycle: those into a
/// method that the search is still in.
fn topological(entry: MethodId, outgoing: &BTreeMap<MethodId, Vec<Call>>) -> (Vec<MethodId>, BTreeSet<Call>) {
    let calls = |method| outgoing.get(&method).map_or(&[][..], Vec::as_slice);
    let (mut order, mut back) = (Vec::new(), BTreeSet::new());
    // By method: is the search still in it?
    let mut seen = BTreeMap::from([(entry, true)]);
    let mut path = vec![(entry, calls(entry).iter())];
    while let Some((method, rest)) = path.last_mut() {
        match rest.next() {
            Some(&(site, target)) => match seen.get(&target) {
                Some(true) => {
                    back.insert((site, target));
                }
                Some(false) => {}
                None => {
                    seen.insert(target, true);
                    path.push((target, calls(target).iter()));
                }
            },
            None => {
                seen.insert(*method, false);
                order.push(*method);
                path.pop();
            }
        }
    }
    order.reverse();
    (order, back)
}
