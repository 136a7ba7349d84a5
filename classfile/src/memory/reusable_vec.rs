//! A list of numbers that is filled by writing to places of it, in memory that goes from use to
//! use.
//!
//! Invariant: what the list holds was written since it was opened. What stands behind it is of
//! earlier uses, so that nothing is cleared.

use std::ops::Deref;

/// The list.
#[derive(Default)]
pub(crate) struct ReusableVec<T = u32> {
    places: Vec<T>,
    len: usize,
}

impl<T: Copy + Default> ReusableVec<T> {
    /// So many places to write to. What they hold means nothing.
    pub(crate) fn open(&mut self, most: usize) -> &mut [T] {
        if self.places.len() < most {
            self.places.resize(most, T::default());
        }
        &mut self.places[..most]
    }

    /// So many of them were written, from the first on.
    pub(crate) fn close(&mut self, len: usize) {
        self.len = len;
    }
}

impl<T> Deref for ReusableVec<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.places[..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_ends_where_it_was_closed_whatever_it_was_before() {
        let mut room = ReusableVec::<u32>::default();
        assert!(room.is_empty());
        for list in [&[1, 2, 3][..], &[4], &[]] {
            room.open(3)[..list.len()].copy_from_slice(list);
            room.close(list.len());
            assert_eq!(&*room, list);
        }
    }
}
