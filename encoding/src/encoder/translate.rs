//! From an older version's word to the current version's word of the same path.
//!
//! Invariant: a translation keeps the path, and how each of its activations was entered; only
//! version and number change.
//! Source: docs/design/words-and-numbering.md ("Older words").
//!
//! Edges that were cut since get single segments here: to push the next frame instead is what a
//! constructor cannot.

use std::collections::BTreeMap;

use lucce_words::{EdgeId, MethodId, Word};

use crate::decode::unknown::Unknown;
use crate::encoder::Encoder;
use crate::encoder::advance::Full;
use crate::link::Passage;
use crate::snapshot::{Below, root_word, step};

/// Translated words kept at a time, so that a deep stack that unwinds and calls is translated once,
/// not once a frame.
const KEPT: usize = 1 << 16;

#[derive(Default)]
pub(crate) struct Translations {
    words: BTreeMap<(MethodId, Word), Word>,
    count: u64,
}

impl Translations {
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    pub(crate) fn clear(&mut self) {
        self.words.clear();
    }

    fn insert(&mut self, method: MethodId, old: Word, new: Word) {
        if self.words.len() >= KEPT {
            self.words.clear();
        }
        self.words.insert((method, old), new);
    }
}

impl Encoder {
    /// The current version's word for `word`, an older one of an activation of `method`.
    pub(crate) fn translate(&mut self, method: MethodId, word: Word) -> Result<Result<Word, Full>, Unknown> {
        let mut above: Vec<(EdgeId, Passage, MethodId, Word)> = Vec::new();
        let (mut at, mut old) = (method, word);
        self.translations.count += 1;
        let new = loop {
            if let Some(&new) = self.translations.words.get(&(at, old)) {
                break new;
            }
            match step(&self.graph, at, old)? {
                Below::Root => break root_word(self.version()),
                Below::ShadowStack { edge, .. } => match self.cut_number(edge) {
                    Ok(number) => break Word::new(self.version(), true, number),
                    Err(full) => return Ok(Err(full)),
                },
                Below::Caller { edge, caller, word, restoring, .. } => {
                    above.push((edge, Passage::of(restoring), at, old));
                    (at, old) = (caller, word);
                }
            }
        };
        let mut new = new;
        for (edge, passage, method, old) in above.into_iter().rev() {
            match self.advance(new, edge, passage, true) {
                Ok((word, _)) => new = word,
                Err(full) => return Ok(Err(full)),
            }
            self.translations.insert(method, old, new);
        }
        Ok(Ok(new))
    }
}
