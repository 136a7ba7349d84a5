//! A list of numbers that is filled by writing to places of it, in memory that goes from use to use.
//!
//! Invariant: what the list holds was written since it was opened. What stands behind it is of earlier uses, so that nothing is cleared.

use std::ops::Deref;

/// The list.
#[derive(Default)]
pub(crate) struct Room {
    places: Vec<u32>,
    len: usize,
}

impl Room {
    /// So many places to write to. What they hold means nothing.
    pub(crate) fn open(&mut self, most: usize) -> &mut [u32] {
        if self.places.len() < most {
            self.places.resize(most, 0);
        }
        &mut self.places[..most]
    }

    /// So many of them were written, from the first on.
    pub(crate) fn close(&mut self, len: usize) {
        self.len = len;
    }
}

impl Deref for Room {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        &self.places[..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_ends_where_it_was_closed_whatever_it_was_before() {
        let mut room = Room::default();
        assert!(room.is_empty());
        for list in [&[1, 2, 3][..], &[4], &[]] {
            room.open(3)[..list.len()].copy_from_slice(list);
            room.close(list.len());
            assert_eq!(&*room, list);
        }
    }
}
