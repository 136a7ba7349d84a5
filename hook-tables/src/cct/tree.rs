//! Trees: for each thread a hash table of its nodes by parent and call, and the memory that they
//! come from.
//!
//! ```text
//! offset 0   u64 table   address of 2^bits entries, each the address of a node or 0; the next entries after the hash's are tried in turn
//!        8   u32 shift   64 - bits
//!       56   u64 trace   address of the thread's buffer, with `trace`, or 0
//! ```
//! Invariant: nodes enter a table whole and stay; only the tree's thread writes. Growth, and
//! whoever looks at trees of others, takes the lock. A tree whose thread has ended goes to the next
//! thread, so their number is that of the threads alive at once.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::BTreeMap;
use std::ptr::from_ref;

use lucce_locks::Lock;
use lucce_words::Word;

use super::node::{self, CctNode};
use crate::memory::reserve;
use crate::sizes::TREES;
use crate::sync::{AtomicU32, AtomicU64, Ordering};

/// Nodes of a tree's first piece of memory; each further one is twice as large, up to `PIECE`.
const FIRST_PIECE: u64 = 16;
const PIECE: u64 = 1 << 12;
/// log2 of the entries of a tree's first table.
const FIRST_TABLE: u32 = 5;
/// The multipliers of the hash.
pub(crate) const SPREAD_PARENT: u64 = 0x9E37_79B9_7F4A_7C15;
pub(crate) const SPREAD_KEY: u64 = 0xC2B2_AE3D_27D4_EB4F;

/// The tree of one thread.
#[repr(C, align(64))]
pub struct Tree {
    pub(crate) table: AtomicU64,
    pub(crate) shift: AtomicU32,
    _pad: u32,
    /// Nodes in the table.
    count: AtomicU64,
    /// Where the next node comes to lie.
    free: AtomicU64,
    /// Behind the last node of the piece.
    end: AtomicU64,
    /// Nodes of the next piece.
    piece: AtomicU64,
    root: AtomicU64,
    /// Address of the thread's buffer, with `trace`, or 0.
    pub trace: AtomicU64,
}

/// All trees.
pub struct Trees {
    /// Tree 0 is none.
    heads: &'static [Tree],
    /// The node that fills empty slots: no call leads to it.
    nothing: &'static CctNode,
    inner: Lock<Inner>,
}

/// Memory for nodes.
#[derive(Clone, Copy)]
struct Piece {
    start: u64,
    end: u64,
    /// The id of its first node in a trace; those of the others follow.
    first: u32,
}

struct Inner {
    /// Trees made so far, that of id 0 included.
    made: u32,
    /// Trees whose threads have ended.
    idle: Vec<u32>,
    /// Each piece of nodes by its start.
    pieces: BTreeMap<u64, Piece>,
    bytes: u64,
    limit: u64,
    /// The id of the first node of the next piece.
    next: u32,
}

impl Trees {
    /// None yet, and at most so many bytes for them; `None` if the address space does not allow
    /// their heads.
    pub fn reserve(limit: u64) -> Option<Self> {
        let address = reserve(TREES as usize * size_of::<Tree>())?;
        // SAFETY: zeroed memory of that size, page-aligned and never given back; a zeroed tree is
        // an empty one.
        let heads = unsafe { std::slice::from_raw_parts(address as *const Tree, TREES as usize) };
        let nothing: &'static CctNode = Box::leak(Box::<CctNode>::default());
        nothing.fill(None, 0, 0);
        let inner = Inner { made: 1, idle: Vec::new(), pieces: BTreeMap::new(), bytes: 0, limit, next: 1 };
        Some(Self { heads, nothing, inner: Lock::new(inner) })
    }

    /// Address of the head of tree 0.
    pub fn address(&self) -> i64 {
        self.heads.as_ptr() as i64
    }

    /// The tree with that id.
    pub fn get(&self, id: u32) -> Option<&'static Tree> {
        self.heads.get(id as usize).filter(|tree| tree.root.load(Ordering::Relaxed) != 0)
    }

    /// A tree for a thread that has none: its id.
    pub fn adopt(&self) -> Option<u32> {
        let mut inner = self.inner.lock();
        if let Some(id) = inner.idle.pop() {
            return Some(id);
        }
        let id = inner.made;
        let tree = self.heads.get(id as usize)?;
        tree.piece.store(FIRST_PIECE, Ordering::Relaxed);
        inner.table(tree, FIRST_TABLE)?;
        let root = self.node(&mut inner, tree, None, 0)?;
        tree.root.store(root.address(), Ordering::Relaxed);
        inner.made += 1;
        Some(id)
    }

    /// A tree's thread has ended.
    pub fn release(&self, id: u32) {
        self.inner.lock().idle.push(id);
    }

    /// Makes a child that is not there yet; only by the tree's thread. `None` without memory.
    pub fn add(&self, tree: &Tree, parent: &'static CctNode, key: u64) -> Option<&'static CctNode> {
        let shift = tree.shift.load(Ordering::Relaxed);
        let full = tree.count.load(Ordering::Relaxed) >= (1 << (64 - shift)) / 2;
        let used_up = tree.free.load(Ordering::Relaxed) == tree.end.load(Ordering::Relaxed);
        if full || used_up {
            let mut inner = self.inner.lock();
            if full {
                inner.table(tree, 64 - shift + 1)?;
            }
            let node = self.node(&mut inner, tree, Some(parent), key)?;
            tree.insert(node);
            return Some(node);
        }
        let node = self.place(tree, Some(parent), key);
        tree.insert(node);
        Some(node)
    }

    /// Puts a node into the piece, or into a new one.
    fn node(
        &self,
        inner: &mut Inner,
        tree: &Tree,
        parent: Option<&'static CctNode>,
        key: u64,
    ) -> Option<&'static CctNode> {
        if tree.free.load(Ordering::Relaxed) == tree.end.load(Ordering::Relaxed) {
            let nodes = tree.piece.load(Ordering::Relaxed);
            let bytes = nodes * size_of::<CctNode>() as u64;
            let start = inner.allocate(bytes)?;
            let piece = Piece { start, end: start + bytes, first: inner.next };
            inner.next += nodes as u32;
            inner.pieces.insert(start, piece);
            tree.free.store(start, Ordering::Relaxed);
            tree.end.store(start + bytes, Ordering::Relaxed);
            tree.piece.store((nodes * 2).min(PIECE), Ordering::Relaxed);
        }
        Some(self.place(tree, parent, key))
    }

    fn place(&self, tree: &Tree, parent: Option<&'static CctNode>, key: u64) -> &'static CctNode {
        let address = tree.free.load(Ordering::Relaxed);
        tree.free.store(address + size_of::<CctNode>() as u64, Ordering::Relaxed);
        // SAFETY: `free` is below `end`, so this is zeroed memory of the piece that no node has
        // taken, aligned as pieces are.
        let node = unsafe { node::at(address) };
        node.fill(parent, key, self.nothing.word().0);
        node
    }

    /// The node of a word of unknown descent.
    pub fn find(&self, word: Word) -> Option<&'static CctNode> {
        let address = node::address_of(word);
        let inner = self.inner.lock();
        inner.piece(address).filter(|piece| (address - piece.start).is_multiple_of(size_of::<CctNode>() as u64))?;
        // SAFETY: a place for a node in a piece, which stays. A guess may meet memory that no node
        // has taken yet.
        unsafe { node::of(word) }.filter(|node| node.is_made())
    }

    /// Numbers of nodes, from 1, which have gaps; 0 for what is none.
    pub fn numbers(&self, nodes: &[Option<&'static CctNode>]) -> Vec<u32> {
        let inner = self.inner.lock();
        let mut last: Option<Piece> = None;
        let number = |node: &Option<&'static CctNode>| {
            let address = node.map(CctNode::address)?;
            last = last.filter(|piece| (piece.start..piece.end).contains(&address)).or_else(|| inner.piece(address));
            last.map(|piece| piece.first + ((address - piece.start) / size_of::<CctNode>() as u64) as u32)
        };
        nodes.iter().map(number).map(Option::unwrap_or_default).collect()
    }

    /// All trees.
    pub fn all(&self) -> impl Iterator<Item = &'static Tree> {
        self.heads[1..self.inner.lock().made as usize].iter()
    }

    /// Number of trees, and their bytes.
    pub fn sizes(&self) -> (usize, u64) {
        let inner = self.inner.lock();
        (inner.made as usize - 1, inner.bytes)
    }

    /// Shows all nodes of all trees but the roots; threads that run now and then wait.
    pub fn each(&self, mut show: impl FnMut(&'static CctNode)) {
        let inner = self.inner.lock();
        for tree in &self.heads[1..inner.made as usize] {
            for entry in tree.entries() {
                let address = entry.load(Ordering::Acquire);
                if address != 0 {
                    // SAFETY: tables hold addresses of nodes.
                    show(unsafe { node::at(address) });
                }
            }
        }
    }
}

impl Inner {
    /// The piece that holds the address.
    fn piece(&self, address: u64) -> Option<Piece> {
        let (_, piece) = self.pieces.range(..=address).next_back()?;
        (address < piece.end).then_some(*piece)
    }

    /// Gives the tree a table of 2^bits entries with all that the old one held.
    fn table(&mut self, tree: &Tree, bits: u32) -> Option<()> {
        let address = self.allocate(8 << bits)?;
        let (old, old_shift) = (tree.table.load(Ordering::Relaxed), tree.shift.load(Ordering::Relaxed));
        let entries = tree.entries();
        tree.table.store(address, Ordering::Relaxed);
        tree.shift.store(64 - bits, Ordering::Relaxed);
        tree.count.store(0, Ordering::Relaxed);
        for entry in entries {
            let address = entry.load(Ordering::Relaxed);
            if address != 0 {
                // SAFETY: tables hold addresses of nodes.
                tree.insert(unsafe { node::at(address) });
            }
        }
        if old != 0 {
            let bytes = 8 << (64 - old_shift);
            // SAFETY: allocated below with that layout; its only reader besides the lock's holders
            // is the thread that grows it.
            unsafe { dealloc(old as *mut u8, layout(bytes)?) };
            self.bytes -= bytes;
        }
        Some(())
    }

    fn allocate(&mut self, bytes: u64) -> Option<u64> {
        if self.bytes + bytes > self.limit {
            return None;
        }
        // SAFETY: no layout of ours is of size 0.
        let address = unsafe { alloc_zeroed(layout(bytes)?) } as u64;
        if address == 0 {
            return None;
        }
        self.bytes += bytes;
        Some(address)
    }
}

fn layout(bytes: u64) -> Option<Layout> {
    Layout::from_size_align(bytes as usize, align_of::<CctNode>()).ok()
}

impl Tree {
    /// Its root.
    pub fn root(&self) -> &'static CctNode {
        // SAFETY: `Trees::get` gives trees with a root only.
        unsafe { node::at(self.root.load(Ordering::Relaxed)) }
    }

    /// The child of `parent` by the call `key`.
    pub fn find(&self, parent: &'static CctNode, key: u64) -> Option<&'static CctNode> {
        let entries = self.entries();
        let mut index = self.index(parent.address(), key);
        loop {
            let address = entries[index].load(Ordering::Relaxed);
            if address == 0 {
                return None;
            }
            // SAFETY: tables hold addresses of nodes.
            let node = unsafe { node::at(address) };
            if node.is(parent, key) {
                return Some(node);
            }
            index = (index + 1) & (entries.len() - 1);
        }
    }

    fn insert(&self, node: &'static CctNode) {
        let entries = self.entries();
        let (site, callee) = node.call();
        let mut index = self.index(node.parent().map_or(0, CctNode::address), super::key(site, callee));
        while entries[index].load(Ordering::Relaxed) != 0 {
            index = (index + 1) & (entries.len() - 1);
        }
        entries[index].store(from_ref(node) as u64, Ordering::Release);
        self.count.store(self.count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    fn index(&self, parent: u64, key: u64) -> usize {
        let hash = parent.wrapping_mul(SPREAD_PARENT).wrapping_add(key.wrapping_mul(SPREAD_KEY));
        (hash >> self.shift.load(Ordering::Relaxed)) as usize
    }

    fn entries(&self) -> &'static [AtomicU64] {
        let table = self.table.load(Ordering::Relaxed);
        if table == 0 {
            return &[];
        }
        // SAFETY: a table has that many entries; it is freed only by its thread's own growth, which
        // holds no other slice of it then.
        unsafe { std::slice::from_raw_parts(table as *const AtomicU64, 1 << (64 - self.shift.load(Ordering::Relaxed))) }
    }
}
