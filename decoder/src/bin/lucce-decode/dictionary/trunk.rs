//! Which part of a stack was defined before: stacks that share their outermost frames are written
//! on top of each other.
//!
//! Invariant: the frames of a definition and those of the stack below it are the stack. No
//! definition has more than [`MOST`] frames of its own, so that stacks of any depth are short,
//! whatever the order in which they come.
//! Source: docs/FORMAT.md, "JSON".

use std::collections::HashMap;

/// Most frames of a definition.
const MOST: usize = 32;

/// The defined stacks, as a tree of frames from the outermost on.
#[derive(Default)]
pub struct Trunk {
    /// The node of a frame on top of another node. Nodes are numbered from 0.
    nodes: HashMap<(usize, usize), usize>,
    /// The nodes without frames, by why the frames end.
    ends: HashMap<Option<String>, usize>,
    /// The stack that a node is, if it is defined; of each node.
    stacks: Vec<Option<usize>>,
}

/// A stack that is to be defined: so many of the frames, innermost first, on top of another stack.
#[derive(Debug, PartialEq, Eq)]
pub struct TrunkPiece {
    /// Its number.
    pub id: usize,
    /// Which of the frames are its own.
    pub frames: std::ops::Range<usize>,
    /// The stack below them.
    pub below: Option<usize>,
}

impl Trunk {
    /// What has to be defined, in that order, so that the last one is the stack of these frames,
    /// innermost first, which end for that reason. Numbers are given from `next` on.
    pub fn pieces(&mut self, frames: &[usize], unknown: Option<&str>, next: usize) -> Vec<TrunkPiece> {
        let end = unknown.map(str::to_owned);
        let new = self.ends.len() + self.nodes.len();
        let mut node = *self.ends.entry(end).or_insert(new);
        self.know(node);
        let (mut pieces, mut below, mut from) = (Vec::new(), self.stacks[node], frames.len());
        for at in (0..frames.len()).rev() {
            let new = self.ends.len() + self.nodes.len();
            node = *self.nodes.entry((node, frames[at])).or_insert(new);
            self.know(node);
            if let Some(known) = self.stacks[node] {
                (below, from) = (Some(known), at);
                // What was to be defined below it is not needed.
                pieces.clear();
            } else if from - at == MOST && at > 0 {
                let id = next + pieces.len();
                pieces.push((node, TrunkPiece { id, frames: at..from, below }));
                (below, from) = (Some(id), at);
            }
        }
        // Whole stacks have fingerprints, which pieces of others lack: each is defined for itself.
        let id = next + pieces.len();
        pieces.push((node, TrunkPiece { id, frames: 0..from, below }));
        pieces
            .into_iter()
            .map(|(node, piece)| {
                self.stacks[node] = Some(piece.id);
                piece
            })
            .collect()
    }

    fn know(&mut self, node: usize) {
        if self.stacks.len() <= node {
            self.stacks.resize(node + 1, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(id: usize, frames: std::ops::Range<usize>, below: Option<usize>) -> TrunkPiece {
        TrunkPiece { id, frames, below }
    }

    #[test]
    fn stacks_stand_on_those_that_were_defined() {
        let mut trunk = Trunk::default();
        assert_eq!(trunk.pieces(&[3, 2, 1], None, 0), [piece(0, 0..3, None)]);
        assert_eq!(trunk.pieces(&[4, 3, 2, 1], None, 1), [piece(1, 0..1, Some(0))]);
        assert_eq!(trunk.pieces(&[5, 4, 3, 2, 1], None, 2), [piece(2, 0..1, Some(1))]);
        // Its outer part was never a stack, and the last one ends elsewhere.
        assert_eq!(trunk.pieces(&[2, 1], None, 3), [piece(3, 0..2, None)]);
        assert_eq!(trunk.pieces(&[3, 2, 1], Some("lost"), 4), [piece(4, 0..3, None)]);
        assert_eq!(trunk.pieces(&[], None, 5), [piece(5, 0..0, None)]);
    }

    #[test]
    fn no_definition_is_long_also_where_the_deepest_comes_first() {
        let mut trunk = Trunk::default();
        let (mut next, mut written) = (0, 0);
        for depth in (1..=1_000).rev() {
            let pieces = trunk.pieces(&vec![7; depth], None, next);
            assert!(pieces.iter().all(|piece| piece.frames.len() <= MOST), "{pieces:?}");
            written += pieces.iter().map(|piece| piece.frames.len()).sum::<usize>();
            next += pieces.len();
        }
        assert!(written <= 1_000 * (MOST + 1), "{written}");
    }
}
