//! Edges: how the hooks enter a callee from a site, for all trees; and the nodes that took an edge as plain.
//!
//! ```text
//! offset 0   u64 key    site << 32 | callee
//!        8   i32 kind   0 plain, 1 restoring, 3 constructor (restoring, no push)
//!       12   u32 uses   counted only under verify
//!       16   u64 nodes  the first of its plain nodes, linked by their `next`
//!       24   u64 next   the next edge of the same bucket, 0 at the end
//! ```
//! Invariant: a node of a plain edge is in the edge's list before its key says plain, and looks once more behind that; a conversion changes
//! the edge before it goes through the list. So no node stays plain behind a conversion. Edges are made and changed under the core's lock.

use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};

use lucce_words::{MethodId, SiteId};

use super::node::{ASK, Node, at};
use super::{code, key};
use crate::hook_tables::links::RecordKind;
use crate::hook_tables::memory::reserve;

/// log2 of the number of buckets.
const BUCKETS: u32 = 16;
/// The multiplier of the buckets' hash, as in `LucceTree`.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// One edge.
#[repr(C)]
pub(super) struct Edge {
    key: u64,
    kind: AtomicI32,
    /// The hooks' own.
    _uses: AtomicU32,
    nodes: AtomicU64,
    next: u64,
}

/// The table that the hooks read.
pub(super) struct Edges {
    buckets: &'static [AtomicU64],
    count: AtomicUsize,
}

impl Edges {
    pub(super) fn reserve() -> Option<Self> {
        let address = reserve(size_of::<AtomicU64>() << BUCKETS)?;
        // SAFETY: zeroed memory of that size, page-aligned and never given back.
        let buckets = unsafe { std::slice::from_raw_parts(address as *const AtomicU64, 1 << BUCKETS) };
        Some(Self { buckets, count: AtomicUsize::new(0) })
    }

    /// Address of the first bucket.
    pub(super) fn address(&self) -> i64 {
        self.buckets.as_ptr() as i64
    }

    pub(super) fn len(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// The edge, made with that kind if it is not there yet. Under the core's lock.
    pub(super) fn edge(&self, site: SiteId, callee: MethodId, kind: RecordKind) -> &'static Edge {
        let key = key(site, callee);
        if let Some(edge) = self.find(key) {
            return edge;
        }
        let bucket = self.bucket(key);
        let edge: &'static Edge = Box::leak(Box::new(Edge {
            key,
            kind: AtomicI32::new(code(kind)),
            _uses: AtomicU32::new(0),
            nodes: AtomicU64::new(0),
            next: bucket.load(Ordering::Relaxed),
        }));
        bucket.store(std::ptr::from_ref(edge) as u64, Ordering::Release);
        self.count.fetch_add(1, Ordering::Relaxed);
        edge
    }

    /// The edge's nodes are no longer plain. Under the core's lock.
    pub(super) fn convert(&self, site: SiteId, callee: MethodId) {
        let Some(edge) = self.find(key(site, callee)) else { return };
        edge.kind.store(code(RecordKind::Restoring), Ordering::Release);
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
    pub(super) fn has(&self, site: SiteId, callee: MethodId) -> bool {
        self.find(key(site, callee)).is_some()
    }

    fn find(&self, key: u64) -> Option<&'static Edge> {
        let mut address = self.bucket(key).load(Ordering::Acquire);
        while address != 0 {
            // SAFETY: buckets hold addresses of edges only.
            let edge = unsafe { Edge::at(address) };
            if edge.key == key {
                return Some(edge);
            }
            address = edge.next;
        }
        None
    }

    fn bucket(&self, key: u64) -> &AtomicU64 {
        &self.buckets[(key.wrapping_mul(SPREAD) >> (64 - BUCKETS)) as usize]
    }
}

impl Edge {
    /// The edge at an address.
    ///
    /// # Safety
    /// The address is that of an edge.
    pub(super) unsafe fn at(address: u64) -> &'static Self {
        // SAFETY: as this function's own contract; edges are never freed.
        unsafe { &*(address as *const Self) }
    }

    pub(super) fn key(&self) -> u64 {
        self.key
    }

    /// Tells the node that this is its edge. Only by the thread of the node's tree.
    pub(super) fn join(&'static self, node: &'static Node) {
        let own = std::ptr::from_ref(self) as u64;
        if node.edge.load(Ordering::Relaxed) == own {
            return;
        }
        node.edge.store(own, Ordering::Relaxed);
        if self.kind.load(Ordering::Acquire) != code(RecordKind::Plain) {
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
        if self.kind.load(Ordering::Acquire) != code(RecordKind::Plain) {
            node.key.fetch_or(ASK, Ordering::AcqRel);
        }
    }
}
