//! What the graph knows by dense id, persistent: pages that are shared between versions of the
//! graph, and go when nothing is left in them.
//!
//! Invariant: ids are given in the order of time and never reused. They need not come in that
//! order, or all: where none is known there is a pointer for each [`PAGE`], which for all methods
//! that a run can have are 2 MiB. Source: Lucce section 5 (persistent graph).

use std::sync::Arc;

use imbl::Vector;

/// Entries of a page.
const PAGE: usize = 64;

type Page<T> = [Option<T>; PAGE];

#[derive(Clone)]
pub(crate) struct Pages<T> {
    pages: Vector<Option<Arc<Page<T>>>>,
    /// Behind the highest id known so far.
    end: usize,
}

impl<T> Default for Pages<T> {
    fn default() -> Self {
        Self { pages: Vector::new(), end: 0 }
    }
}

impl<T: Copy> Pages<T> {
    pub(crate) fn get(&self, id: usize) -> Option<&T> {
        self.pages.get(id / PAGE)?.as_ref()?[id % PAGE].as_ref()
    }

    pub(crate) fn get_mut(&mut self, id: usize) -> Option<&mut T> {
        // Before anything is copied.
        self.get(id)?;
        let page = self.pages.get_mut(id / PAGE)?.as_mut()?;
        Arc::make_mut(page)[id % PAGE].as_mut()
    }

    pub(crate) fn insert(&mut self, id: usize, value: T) {
        let at = id / PAGE;
        while self.pages.len() <= at {
            self.pages.push_back(None);
        }
        let page = self.pages[at].get_or_insert_with(|| Arc::new([None; PAGE]));
        Arc::make_mut(page)[id % PAGE] = Some(value);
        self.end = self.end.max(id + 1);
    }

    pub(crate) fn forget(&mut self, id: usize) {
        let at = id / PAGE;
        let Some(Some(page)) = self.pages.get_mut(at) else { return };
        let page = Arc::make_mut(page);
        page[id % PAGE] = None;
        if page.iter().all(Option::is_none) {
            self.pages[at] = None;
        }
    }

    /// Behind the highest id known so far.
    pub(crate) fn end(&self) -> usize {
        self.end
    }

    /// All that is known, by ascending id.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        let pages = self.pages.iter().enumerate().filter_map(|(at, page)| Some((at * PAGE, page.as_ref()?)));
        pages.flat_map(|(first, page)| {
            let known = page.iter().enumerate().filter_map(|(at, value)| Some((at, value.as_ref()?)));
            known.map(move |(at, value)| (first + at, value))
        })
    }
}
