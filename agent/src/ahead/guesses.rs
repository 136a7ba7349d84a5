//! Which class is rewritten next.
//!
//! Invariant: none is named twice. First what the class that was loaded last names, in its order; then what the ones before it name; then what
//! was rewritten and is not loaded yet names.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;

use super::class_path::At;

/// Most lists of names that are kept.
const LISTS: usize = 256;

/// See above.
#[derive(Default)]
pub(super) struct Guesses {
    /// Of classes that were loaded, the latest last.
    near: VecDeque<std::vec::IntoIter<At>>,
    /// Of classes that were not.
    far: VecDeque<std::vec::IntoIter<At>>,
    named: FxHashSet<At>,
}

/// How sure it is that the class will be loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chance {
    /// A class names it that was loaded.
    Near,
    /// A class names it that may be loaded.
    Far,
}

impl Guesses {
    /// A class was loaded that names these.
    pub(super) fn loaded(&mut self, names: Vec<At>) {
        push(&mut self.near, names);
    }

    /// A class was rewritten that names these.
    pub(super) fn made(&mut self, names: Vec<At>) {
        push(&mut self.far, names);
    }

    /// It need not be named any more. Was it not named before?
    pub(super) fn done(&mut self, class: At) -> bool {
        self.named.insert(class)
    }

    /// The next one.
    pub(super) fn next(&mut self) -> Option<(At, Chance)> {
        let Self { near, far, named } = self;
        for (lists, latest, chance) in [(near, true, Chance::Near), (far, false, Chance::Far)] {
            while let Some(list) = if latest { lists.back_mut() } else { lists.front_mut() } {
                if let Some(class) = list.find(|class| named.insert(*class)) {
                    return Some((class, chance));
                }
                if latest {
                    lists.pop_back()
                } else {
                    lists.pop_front()
                };
            }
        }
        None
    }
}

fn push(lists: &mut VecDeque<std::vec::IntoIter<At>>, names: Vec<At>) {
    lists.push_back(names.into_iter());
    if lists.len() > LISTS {
        lists.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_loaded_last_is_followed_first_and_none_twice() {
        let mut guesses = Guesses::default();
        let at = |numbers: &[u32]| numbers.iter().map(|&number| At(number)).collect::<Vec<_>>();
        guesses.made(at(&[7, 1]));
        guesses.loaded(at(&[1, 2, 3]));
        assert_eq!(guesses.next(), Some((At(1), Chance::Near)));
        guesses.loaded(at(&[4, 2]));
        assert!(guesses.done(At(3)) && !guesses.done(At(3)));
        let rest: Vec<_> = std::iter::from_fn(|| guesses.next()).collect();
        assert_eq!(rest, [(At(4), Chance::Near), (At(2), Chance::Near), (At(7), Chance::Far)]);
    }
}
