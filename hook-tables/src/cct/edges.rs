//! Edges: how the hooks enter a callee from a site, for all trees; and the nodes that took an edge
//! as plain.
//!
//! ```text
//! offset 0   u64 key    site << 32 | callee
//!        8   i32 kind   0 plain, 1 restoring, 3 constructor (restoring, no push)
//!       12   u32 uses   counted only under verify
//!       16   u64 nodes  the first of its plain nodes, linked by their `next`
//!       24   u64 next   the next edge of the same bucket, 0 at the end
//! ```
//! Invariant: a node of a plain edge is in the edge's list before its key says plain, and looks
//! once more behind that; a demotion changes the edge before it goes through the list. So no node
//! stays plain behind a demotion. Edges are made and changed under the core's lock.

use lucce_words::{MethodId, SiteId};

use super::key;
use super::node::{ASK, CctNode, at};
use crate::links::RecordKind;
use crate::memory::reserve;
use crate::sizes::EDGE_BITS as BITS;
use crate::sync::{AtomicI32, AtomicU32, AtomicU64, Ordering, fence};

/// The multiplier of the buckets' hash.
pub(crate) const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// One edge.
#[repr(C)]
pub struct CctEdge {
    pub(crate) key: u64,
    pub(crate) kind: AtomicI32,
    /// The hooks' own.
    pub(crate) uses: AtomicU32,
    nodes: AtomicU64,
    pub(crate) next: u64,
}

/// The table that the hooks read.
pub struct Edges {
    buckets: &'static [AtomicU64],
    count: AtomicU64,
}

impl Edges {
    /// None yet; `None` if the address space does not allow the table.
    pub fn reserve() -> Option<Self> {
        let address = reserve(size_of::<AtomicU64>() << BITS)?;
        // SAFETY: zeroed memory of that size, page-aligned and never given back.
        let buckets = unsafe { std::slice::from_raw_parts(address as *const AtomicU64, 1 << BITS) };
        Some(Self { buckets, count: AtomicU64::new(0) })
    }

    /// Address of the first bucket.
    pub fn address(&self) -> i64 {
        self.buckets.as_ptr() as i64
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed) as usize
    }

    /// The edge, made with that kind if it is not there yet. Under the core's lock.
    pub fn edge(&self, site: SiteId, callee: MethodId, kind: RecordKind) -> &'static CctEdge {
        let key = key(site, callee);
        if let Some(edge) = self.find(key) {
            return edge;
        }
        let bucket = self.bucket(key);
        let edge: &'static CctEdge = Box::leak(Box::new(CctEdge {
            key,
            kind: AtomicI32::new(kind as i32),
            uses: AtomicU32::new(0),
            nodes: AtomicU64::new(0),
            next: bucket.load(Ordering::Relaxed),
        }));
        bucket.store(std::ptr::from_ref(edge) as u64, Ordering::Release);
        self.count.store(self.count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        edge
    }

    /// The edge's nodes are no longer plain. Under the core's lock.
    pub fn demote(&self, site: SiteId, callee: MethodId) {
        let Some(edge) = self.find(key(site, callee)) else { return };
        edge.kind.store(RecordKind::Restoring as i32, Ordering::Release);
        fence(Ordering::SeqCst);
        let mut address = edge.nodes.load(Ordering::Acquire);
        while address != 0 {
            // SAFETY: the list holds addresses of nodes.
            let node = unsafe { at(address) };
            node.key.fetch_or(ASK, Ordering::AcqRel);
            address = node.next.load(Ordering::Relaxed);
        }
    }

    /// Is it there?
    pub fn has(&self, site: SiteId, callee: MethodId) -> bool {
        self.find(key(site, callee)).is_some()
    }

    fn find(&self, key: u64) -> Option<&'static CctEdge> {
        let mut address = self.bucket(key).load(Ordering::Acquire);
        while address != 0 {
            // SAFETY: buckets hold addresses of edges only.
            let edge = unsafe { CctEdge::at(address) };
            if edge.key == key {
                return Some(edge);
            }
            address = edge.next;
        }
        None
    }

    fn bucket(&self, key: u64) -> &AtomicU64 {
        &self.buckets[(key.wrapping_mul(SPREAD) >> (64 - BITS)) as usize]
    }
}

impl CctEdge {
    /// The edge at an address.
    ///
    /// # Safety
    /// The address is that of an edge.
    pub unsafe fn at(address: u64) -> &'static Self {
        // SAFETY: as this function's own contract; edges are never freed.
        unsafe { &*(address as *const Self) }
    }

    /// Its call.
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Tells the node that this is its edge. Only by the thread of the node's tree.
    pub fn join(&'static self, node: &'static CctNode) {
        let own = std::ptr::from_ref(self) as u64;
        if node.edge.load(Ordering::Relaxed) == own {
            return;
        }
        node.edge.store(own, Ordering::Relaxed);
        if self.kind.load(Ordering::Acquire) != RecordKind::Plain as i32 {
            return;
        }
        let mut first = self.nodes.load(Ordering::Relaxed);
        loop {
            node.next.store(first, Ordering::Relaxed);
            match self.nodes.compare_exchange_weak(first, node.address(), Ordering::SeqCst, Ordering::Relaxed) {
                Ok(_) => break,
                Err(other) => first = other,
            }
        }
        node.key.store(self.key, Ordering::Release);
        fence(Ordering::SeqCst);
        if self.kind.load(Ordering::Acquire) != RecordKind::Plain as i32 {
            node.key.fetch_or(ASK, Ordering::AcqRel);
        }
    }
}
