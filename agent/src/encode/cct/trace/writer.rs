//! The thread that writes a trace: words become ids, and what an id means is written before its
//! first use.
//!
//! Invariant: a block is in the file whole or not at all; behind one that the disk refuses only the
//! end is written, if that fits. Nodes are never freed, and with trees the catalogue forgets
//! nothing, so what a word means can be found out here.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crossbeam_channel::Receiver;
use lucce_profiles::trace::{TraceComposer, TraceContext, TraceNode};
use lucce_words::{MethodId, SiteId, Word};
use rustc_hash::FxHashSet;

use super::super::Cct;
use super::{Message, Status};
use crate::hook_tables::cct::node::{self, CctNode};
use crate::state::agent::Agent;
use crate::state::classes::Classes;

/// Bytes of a block.
const BLOCK: usize = 1 << 15;

/// The file, and what was written.
pub(super) struct Output {
    file: File,
    status: Arc<Status>,
    composer: TraceComposer,
    /// Bytes that are whole blocks.
    good: u64,
    /// By context id, a bit each.
    contexts: Vec<u64>,
    methods: FxHashSet<MethodId>,
    sites: FxHashSet<SiteId>,
    refused: bool,
}

impl Output {
    pub(super) fn new(file: File, status: Arc<Status>) -> Self {
        Self {
            file,
            status,
            composer: TraceComposer::new(),
            good: 0,
            contexts: Vec::new(),
            methods: FxHashSet::default(),
            sites: FxHashSet::default(),
            refused: false,
        }
    }

    /// Writes the head.
    pub(super) fn begin(&mut self) -> io::Result<()> {
        self.write()
    }

    pub(super) fn run(mut self, messages: &Receiver<Message>) {
        while let Ok(message) = messages.recv() {
            let Some((agent, cct)) = Agent::get().and_then(|agent| Some((agent, agent.encoder_as()?))) else { break };
            match &message {
                Message::Stop => break,
                _ if self.refused => {
                    self.status.leave_out(&message);
                    continue;
                }
                Message::Entries { thread, time, words } => {
                    self.entries(agent, cct, *thread, *time, words);
                    self.status.entries.fetch_add(words.len() as u64, Ordering::Relaxed);
                }
                Message::Ended { thread, time } => self.composer.ended(*thread, *time),
            }
            if (self.composer.pending() >= BLOCK || messages.is_empty())
                && let Err(error) = self.write()
            {
                self.refused = true;
                if let Some(trace) = &cct.trace {
                    trace.end(&agent.run, 0, &format!("the disk takes no more ({error})"));
                }
            }
        }
        self.composer.end(self.status.dropped.load(Ordering::Relaxed));
        // Where the disk takes not even that, the trace reads as cut.
        let _ = self.write();
    }

    fn entries(&mut self, agent: &Agent, cct: &Cct, thread: u32, time: u64, words: &[u64]) {
        // SAFETY: the words of entries, which the hooks or the agent made.
        let nodes: Vec<_> = words.iter().map(|&word| unsafe { node::of(Word(word)) }).collect();
        let contexts = ids(cct, &nodes);
        for (node, &id) in nodes.iter().zip(&contexts) {
            if let Some(node) = node
                && !self.has(id)
            {
                self.define(&agent.classes, cct, node);
            }
        }
        self.composer.entries(thread, time, &contexts);
    }

    /// Writes what a node and those above it are, as far as that was not done.
    fn define(&mut self, classes: &Classes, cct: &Cct, node: &'static CctNode) {
        let path: Vec<_> = std::iter::successors(Some(node), |node| node.parent()).map(Some).collect();
        let ids = ids(cct, &path);
        for (at, node) in path.into_iter().enumerate().rev() {
            let (Some(node), false) = (node, self.has(ids[at])) else { continue };
            let (site, method) = node.call();
            self.name_site(classes, site);
            self.name_method(classes, method);
            let parent = ids.get(at + 1).copied().unwrap_or(TraceContext::UNKNOWN);
            self.composer.context(ids[at], TraceNode { parent, site, method });
            self.contexts[ids[at].index() / 64] |= 1 << (ids[at].0 % 64);
        }
    }

    /// Was the context defined? Makes a place for its bit.
    fn has(&mut self, id: TraceContext) -> bool {
        let at = id.index() / 64;
        if at >= self.contexts.len() {
            self.contexts.resize(at + 1, 0);
        }
        self.contexts[at] >> (id.0 % 64) & 1 != 0
    }

    fn name_site(&mut self, classes: &Classes, id: SiteId) {
        if let Some(site) = classes.catalog.site(id).filter(|_| !self.sites.contains(&id)) {
            self.sites.insert(id);
            self.name_method(classes, site.method);
            self.composer.site(id, site.method, site.bci.0);
        }
    }

    fn name_method(&mut self, classes: &Classes, id: MethodId) {
        if !self.methods.contains(&id)
            && let Some(method) = classes.catalog.method(id)
        {
            self.methods.insert(id);
            let class = classes.catalog.class(method.class);
            let class = class.as_ref().map_or("", |class| class.name());
            self.composer.method(id, class, method.member.name(), method.member.desc());
        }
    }

    /// Writes what is ready as one block. What the disk has taken of one that it refuses is cut off
    /// again.
    fn write(&mut self) -> io::Result<()> {
        let block = self.composer.take();
        if let Err(error) = self.file.write_all(&block) {
            // Where even that fails, the reader finds the cut by the block's length.
            let _ = self.file.set_len(self.good).and_then(|()| self.file.seek(SeekFrom::Start(self.good)));
            return Err(error);
        }
        self.good += block.len() as u64;
        self.status.bytes.store(self.good, Ordering::Relaxed);
        Ok(())
    }
}

/// The ids of nodes in the trace; [`TraceContext::UNKNOWN`] for what is none.
fn ids(cct: &Cct, nodes: &[Option<&'static CctNode>]) -> Vec<TraceContext> {
    cct.trees.numbers(nodes).into_iter().map(TraceContext).collect()
}
