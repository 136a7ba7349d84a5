//! Where a new edge belongs: into the topological order, cut, or unrolled.
//!
//! Invariant: no spilled edge ends in a constructor when it is made; the edges in the order have no
//! cycle.
//! Source: docs/design/words-and-numbering.md ("A new edge"), docs/design/mechanisms.md
//! ("Constructors").

use lucce_words::{EdgeId, MethodId, SiteId};

use crate::change::Change;
use crate::encoder::Encoder;
use crate::numbering::order::Insertion;

/// How many cycles through one constructor are cut elsewhere before its edge is unrolled.
const TRIES: usize = 8;

impl Encoder {
    /// The edge; at first sight it is placed in the order, cut or unrolled.
    pub(crate) fn edge(&mut self, caller: MethodId, site: SiteId, callee: MethodId) -> EdgeId {
        if let Some(&edge) = self.edges.get(&(site, callee)) {
            return edge;
        }
        let edge = self.new_edge(site, callee);
        let constructor = self.graph.is_constructor(callee);
        for _ in 0..TRIES {
            match self.order.insert(caller, callee, edge) {
                Insertion::Kept => return edge,
                Insertion::Cycle(path) if constructor => {
                    // The newest edge is the likeliest to be the one that recurs.
                    let Some(other) = path.into_iter().filter(|&e| !self.graph.is_constructor(self.callee(e))).max()
                    else {
                        break;
                    };
                    self.order.remove(self.caller(other), self.callee(other), other);
                    self.stats.cut_by_cycle += 1;
                    self.change(Change::Cut { edge: other });
                }
                refused if !constructor => {
                    match refused {
                        Insertion::Bound => self.stats.cut_by_bound += 1,
                        _ => self.stats.cut_by_cycle += 1,
                    }
                    self.change(Change::Cut { edge });
                    return edge;
                }
                _ => break,
            }
        }
        self.stats.unrolled += 1;
        self.change(Change::Unrolled { edge });
        edge
    }

    /// Makes a call known to the graph whose callee's words are no numbers: its edge is in no
    /// order. Not where an end of it is unknown.
    pub fn meet(&mut self, site: SiteId, callee: MethodId) {
        let caller = self.graph.site_method(site).filter(|&caller| self.graph.is_method(caller));
        let is_callee = callee != MethodId::ROOT && self.graph.is_method(callee);
        if caller.is_some() && is_callee && !self.has_edge(site, callee) {
            self.new_edge(site, callee);
        }
    }

    fn new_edge(&mut self, site: SiteId, callee: MethodId) -> EdgeId {
        let edge = EdgeId(self.graph.edge_count() as u32);
        self.edges.insert((site, callee), edge);
        self.change(Change::Edge { edge, site, callee });
        edge
    }
}
