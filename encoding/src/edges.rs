//! The edges of the graph by id, persistent: pages that are shared between versions of the graph, and go when nothing is left in them.
//!
//! Invariant: ids are given in the order of time and never reused. Source: Lucce section 5 (persistent graph).

use std::sync::Arc;

use imbl::Vector;
use lucce_words::EdgeId;

use crate::graph::Edge;

/// Edges of a page.
const PAGE: usize = 64;

type Page = [Option<Edge>; PAGE];

#[derive(Clone, Default)]
pub(crate) struct Edges {
    pages: Vector<Option<Arc<Page>>>,
    /// Behind the highest id known so far.
    end: usize,
}

impl Edges {
    pub(crate) fn get(&self, edge: EdgeId) -> Option<&Edge> {
        self.pages.get(edge.index() / PAGE)?.as_ref()?[edge.index() % PAGE].as_ref()
    }

    pub(crate) fn get_mut(&mut self, edge: EdgeId) -> Option<&mut Edge> {
        // Before anything is copied.
        self.get(edge)?;
        let page = self.pages.get_mut(edge.index() / PAGE)?.as_mut()?;
        Arc::make_mut(page)[edge.index() % PAGE].as_mut()
    }

    pub(crate) fn insert(&mut self, id: EdgeId, edge: Edge) {
        let at = id.index() / PAGE;
        while self.pages.len() <= at {
            self.pages.push_back(None);
        }
        let page = self.pages[at].get_or_insert_with(|| Arc::new([None; PAGE]));
        Arc::make_mut(page)[id.index() % PAGE] = Some(edge);
        self.end = self.end.max(id.index() + 1);
    }

    pub(crate) fn forget(&mut self, edge: EdgeId) {
        let at = edge.index() / PAGE;
        let Some(Some(page)) = self.pages.get_mut(at) else { return };
        let page = Arc::make_mut(page);
        page[edge.index() % PAGE] = None;
        if page.iter().all(Option::is_none) {
            self.pages[at] = None;
        }
    }

    /// Behind the highest id known so far.
    pub(crate) fn end(&self) -> usize {
        self.end
    }

    /// All known edges by ascending id.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (EdgeId, &Edge)> {
        let pages = self.pages.iter().enumerate().filter_map(|(at, page)| Some((at * PAGE, page.as_ref()?)));
        pages.flat_map(|(first, page)| {
            let known = page.iter().enumerate().filter_map(|(at, edge)| Some((at, edge.as_ref()?)));
            known.map(move |(at, edge)| (EdgeId((first + at) as u32), edge))
        })
    }
}
