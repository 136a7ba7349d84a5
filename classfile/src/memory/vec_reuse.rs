//! The memory of one list for the next, whose elements live as long as another class file.
//!
//! Invariant: nothing of the old list is left. Source: `Vec`'s `FromIterator`, which collects in
//! place what is of the same size; where it did not, the list would allocate, and be as empty.

/// An empty list in the memory of another.
pub(crate) fn emptied<A, B>(mut list: Vec<A>) -> Vec<B> {
    list.clear();
    list.into_iter().filter_map(|_| None).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_other_references_has_the_memory_of_the_last() {
        let text = String::from("text");
        let list: Vec<&str> = Vec::with_capacity(100);
        let (at, mut list) = (list.as_ptr().addr(), {
            let mut list = list;
            list.push(&text);
            emptied::<&str, &[u8]>(list)
        });
        list.push(b"other");
        assert_eq!((list.as_ptr().addr(), list.capacity(), list), (at, 100, vec![&b"other"[..]]));
    }
}
