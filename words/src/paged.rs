//! A table by dense id that gives its memory back, page by page, where all entries of a page have
//! been forgotten.
//!
//! Invariant: what was never written, or was forgotten, reads as the empty value. Ids are mostly
//! given in the order of time and never reused, so what comes and goes together (the classes of a
//! loader) fills pages of its own.

use std::ops::{Index, IndexMut};

/// Entries of a page: one bit each in [`Page::used`].
const PAGE: usize = 64;

/// The table.
#[derive(Clone, Debug)]
pub struct Paged<T> {
    pages: Vec<Option<Page<T>>>,
    empty: T,
}

#[derive(Clone, Debug)]
struct Page<T> {
    /// Which entries were written and not forgotten.
    used: u64,
    items: Box<[T]>,
}

impl<T: Clone> Paged<T> {
    /// A table in which everything reads as `empty`.
    pub const fn new(empty: T) -> Self {
        Self { pages: Vec::new(), empty }
    }

    /// Makes an entry read as the empty value again.
    pub fn forget(&mut self, index: usize) {
        let Some(slot) = self.pages.get_mut(index / PAGE) else { return };
        if let Some(page) = slot {
            page.items[index % PAGE] = self.empty.clone();
            page.used &= !(1 << (index % PAGE));
            if page.used == 0 {
                *slot = None;
            }
        }
    }

    /// Entries that were written and not forgotten, by ascending index.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        self.pages.iter().enumerate().filter_map(|(at, page)| Some((at * PAGE, page.as_ref()?))).flat_map(
            |(first, page)| {
                let used = page.items.iter().enumerate().filter(|(at, _)| page.used >> at & 1 != 0);
                used.map(move |(at, item)| (first + at, item))
            },
        )
    }

    /// The same, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.pages.iter_mut().flatten().flat_map(|page| page.items.iter_mut())
    }

    /// Is nothing left of the entries `first..end`?
    pub fn is_empty(&self, first: usize, end: usize) -> bool {
        let used = |index: usize| {
            self.pages
                .get(index / PAGE)
                .and_then(Option::as_ref)
                .is_some_and(|page| page.used >> (index % PAGE) & 1 != 0)
        };
        let mut index = first;
        while index < end {
            if index.is_multiple_of(PAGE) && self.pages.get(index / PAGE).is_none_or(Option::is_none) {
                index += PAGE;
            } else if used(index) {
                return false;
            } else {
                index += 1;
            }
        }
        true
    }
}

impl<T: Default> Default for Paged<T> {
    fn default() -> Self {
        Self { pages: Vec::new(), empty: T::default() }
    }
}

impl<T> Index<usize> for Paged<T> {
    type Output = T;

    fn index(&self, index: usize) -> &T {
        match self.pages.get(index / PAGE) {
            Some(Some(page)) => &page.items[index % PAGE],
            _ => &self.empty,
        }
    }
}

impl<T: Clone> IndexMut<usize> for Paged<T> {
    fn index_mut(&mut self, index: usize) -> &mut T {
        let at = index / PAGE;
        if self.pages.len() <= at {
            self.pages.resize_with(at + 1, || None);
        }
        let fresh = || Page { used: 0, items: vec![self.empty.clone(); PAGE].into() };
        let page = self.pages[at].get_or_insert_with(fresh);
        page.used |= 1 << (index % PAGE);
        &mut page.items[index % PAGE]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_forgotten_reads_as_empty_and_its_page_goes_with_the_last() {
        let mut table = Paged::new(0);
        for index in [3, 63, 64, 500] {
            table[index] = index;
        }
        assert_eq!((table[3], table[4], table[63], table[64], table[9999]), (3, 0, 63, 64, 0));
        assert_eq!(table.iter().map(|(index, _)| index).collect::<Vec<_>>(), [3, 63, 64, 500]);
        table.forget(3);
        assert!(table[3] == 0 && table[63] == 63 && table.pages[0].is_some());
        table.forget(63);
        table.forget(63);
        assert!(table.pages[0].is_none() && table.pages[1].is_some());
        assert!(
            table.is_empty(0, 64) && !table.is_empty(0, 65) && table.is_empty(65, 500) && !table.is_empty(499, 501)
        );
    }
}
