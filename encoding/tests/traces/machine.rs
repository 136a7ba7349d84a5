//! A machine of three threads that calls as instrumented code does, and keeps plain stacks beside.
//!
//! Invariant: it knows of the encoder's links only what the hooks would: range, addition value,
//! kind; and the values, which the hooks ask first.

use std::collections::BTreeMap;

use lucce_encoding::*;
use lucce_words::*;

/// What happens next.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    /// The top activation calls.
    Call {
        thread: u8,
        site: u8,
        callee: u8,
        restoring: bool,
    },
    /// Uninstrumented code calls back: the entry walks and encodes the path anew from the
    /// activation `from` says.
    Callback {
        thread: u8,
        site: u8,
        callee: u8,
        from: u8,
        mark: bool,
    },
    Return {
        thread: u8,
    },
    Throw {
        thread: u8,
        frames: u8,
    },
    Renumber,
}

const SITES: u32 = 4;

#[derive(Clone, Copy)]
struct MachineActivation {
    method: MethodId,
    word: Word,
    /// Its caller's site.
    site: SiteId,
    /// The shadow stack's length to restore, if it pushed.
    slot: Option<usize>,
}

struct MachineThread {
    base: Word,
    stack: Vec<MachineActivation>,
    shadow_stack: Vec<ShadowEntry>,
}

/// A decoded moment to be asked about again.
struct Check {
    method: MethodId,
    word: Word,
    shadow_stack: Vec<ShadowEntry>,
    frames: Vec<DecodedFrame>,
}

pub struct Machine {
    pub encoder: Encoder,
    pub changes: Vec<Change>,
    methods: u32,
    constructors: u8,
    threads: Vec<MachineThread>,
    cache: BTreeMap<(SiteId, MethodId, bool), Vec<Link>>,
    /// Addition values, in numbers, of the links that have a value, by site, version and callee.
    values: BTreeMap<(SiteId, Version, MethodId), u64>,
    pub entered_by_value: usize,
    checks: Vec<Check>,
}

impl Machine {
    pub fn new(methods: u8, constructors: u8) -> Self {
        let mut encoder = Encoder::new();
        let methods = u32::from(methods);
        let constructor = |method: u32| constructors >> (method % 8) & 1 == 1;
        for method in 1..=methods {
            encoder.add_method(MethodId(method), constructor(method));
            (0..SITES).for_each(|nth| encoder.add_site(SiteId(2 + method * SITES + nth), MethodId(method)));
        }
        let thread = || MachineThread { base: encoder.root_word(), stack: Vec::new(), shadow_stack: Vec::new() };
        let threads = vec![thread(), thread(), thread()];
        Self {
            encoder,
            changes: Vec::new(),
            methods,
            constructors,
            threads,
            cache: BTreeMap::new(),
            values: BTreeMap::new(),
            entered_by_value: 0,
            checks: Vec::new(),
        }
    }

    fn constructor(&self, method: MethodId) -> bool {
        self.constructors >> (method.0 % 8) & 1 == 1
    }

    pub fn run(&mut self, op: Op) {
        match op {
            Op::Call { thread, site, callee, restoring } => self.call(thread, site, callee, restoring),
            Op::Callback { thread, site, callee, from, mark } => self.callback(thread, site, callee, from, mark),
            Op::Return { thread } => self.leave(thread, 1),
            Op::Throw { thread, frames } => self.leave(thread, frames),
            Op::Renumber => drop(self.encoder.renumber()),
        }
        if self.encoder.wants_renumbering() {
            self.encoder.renumber();
        }
        let changes = self.encoder.take_changes();
        self.changes.extend(changes);
    }

    fn site(&self, thread: u8, site: u8) -> SiteId {
        match self.threads[usize::from(thread)].stack.last() {
            Some(top) => SiteId(2 + top.method.0 * SITES + u32::from(site) % SITES),
            None => SiteId::ROOT,
        }
    }

    fn callee(&self, callee: u8) -> MethodId {
        MethodId(1 + u32::from(callee) % self.methods)
    }

    fn link(&mut self, ctx: Word, site: SiteId, callee: MethodId, restoring: bool) -> Link {
        let link = self.searched(ctx, site, callee, restoring);
        if link.value.is_some() {
            let addition = link.av >> 1;
            assert_eq!(link.value, Value::new(ctx.version(), callee, addition));
            self.values.insert((site, ctx.version(), callee), addition);
        }
        // Whatever version the word is of, and whatever callee the value is for: what it answers is
        // the callee's word.
        let values = self.values.range((site, Version(0), MethodId(0))..=(site, Version::LAST, MethodId(u32::MAX)));
        for (&(_, version, meant), &addition) in values {
            // All of them have one place here, as methods whose ids differ by so many have in the
            // hooks.
            let spread = |method: MethodId| MethodId(method.0 * WAYS);
            let value = Value::new(version, spread(meant), addition).unwrap();
            if let Some(word) = value.answer(ctx, spread(callee)).filter(|_| !restoring) {
                assert_eq!((meant, version, word, link.kind), (callee, ctx.version(), link.word, LinkKind::Plain));
                self.entered_by_value += 1;
            }
        }
        link
    }

    fn searched(&mut self, ctx: Word, site: SiteId, callee: MethodId, restoring: bool) -> Link {
        let cached = self.cache.entry((site, callee, restoring)).or_default();
        if let Some(link) = cached.iter().find(|link| link.covers(ctx)) {
            return Link { word: link.apply(ctx), ..*link };
        }
        let link = self.encoder.enter(ctx, site, callee, Passage::of(restoring)).unwrap();
        assert!(link.covers(ctx));
        assert_eq!(link.apply(ctx), link.word);
        // Most recent first or last: which one answers must not matter.
        let at = if ctx.0.is_multiple_of(2) { 0 } else { cached.len() };
        cached.insert(at, link);
        link
    }

    fn call(&mut self, thread: u8, site: u8, callee: u8, restoring: bool) {
        let (site, callee) = (self.site(thread, site), self.callee(callee));
        let state = &self.threads[usize::from(thread)];
        let slot = state.shadow_stack.len();
        let ctx = state.stack.last().map_or(state.base, |top| top.word);
        self.enter(thread, ctx, site, callee, restoring, slot);
    }

    fn enter(&mut self, thread: u8, ctx: Word, site: SiteId, callee: MethodId, restoring: bool, slot: usize) {
        let link = self.link(ctx, site, callee, restoring);
        let pushes = link.kind != LinkKind::Plain && !self.constructor(callee);
        assert!(link.kind != LinkKind::Cut || pushes, "no constructor is entered through a cut");
        let state = &mut self.threads[usize::from(thread)];
        if pushes {
            let cut = link.kind == LinkKind::Cut;
            state.shadow_stack.push(ShadowEntry { ctx, site, cut, method: callee, barrier: false });
        }
        let slot = pushes.then_some(slot);
        state.stack.push(MachineActivation { method: callee, word: link.word, site, slot });
        self.check(thread);
    }

    fn callback(&mut self, thread: u8, site: u8, callee: u8, from: u8, mark: bool) {
        let (site, callee) = (self.site(thread, site), self.callee(callee));
        let constructor = self.constructor(callee);
        let state = &mut self.threads[usize::from(thread)];
        let slot = state.shadow_stack.len();
        if mark && !constructor {
            let (ctx, site, method) = (Word::NONE, SiteId::UNKNOWN, MethodId::ROOT);
            state.shadow_stack.push(ShadowEntry { ctx, site, cut: false, method, barrier: true });
        }
        // Any activation from the topmost pushed one on will do as a start.
        let lowest = state.stack.iter().rposition(|activation| activation.slot.is_some()).map_or(0, |at| at + 1);
        let first = lowest + usize::from(from) % (state.stack.len() - lowest + 1);
        let start = first.checked_sub(1).map_or(state.base, |at| state.stack[at].word);
        let steps: Vec<_> =
            state.stack[first..].iter().map(|activation| (activation.site, activation.method)).collect();
        let path = match constructor {
            true => self.encoder.encode_whole_path(start, &steps),
            false => self.encoder.encode_path(start, &steps),
        };
        let mut ctx = start;
        for step in path.unwrap() {
            if step.cut {
                assert!(!constructor);
                let EncodedStep { site, callee: method, .. } = step;
                state.shadow_stack.push(ShadowEntry { ctx, site, cut: true, method, barrier: false });
            }
            ctx = step.word;
        }
        self.enter(thread, ctx, site, callee, true, slot);
    }

    fn leave(&mut self, thread: u8, frames: u8) {
        let state = &mut self.threads[usize::from(thread)];
        for _ in 0..frames {
            if let Some(MachineActivation { slot: Some(slot), .. }) = state.stack.pop() {
                state.shadow_stack.truncate(slot);
            }
        }
        if !state.stack.is_empty() {
            self.check(thread);
        }
    }

    /// Decodes the top activation now, and keeps it for later.
    fn check(&mut self, thread: u8) {
        let state = &self.threads[usize::from(thread)];
        let Some(top) = state.stack.last() else { return };
        let above = state.stack[1..].iter().map(|activation| Some(activation.site)).chain([None]);
        let mut frames: Vec<_> = state
            .stack
            .iter()
            .zip(above)
            .map(|(activation, site)| DecodedFrame { method: activation.method, site })
            .collect();
        frames.reverse();
        let check = Check { method: top.method, word: top.word, shadow_stack: state.shadow_stack.clone(), frames };
        assert!(check.holds(&self.encoder.snapshot()), "{}", check.show(&self.encoder.snapshot()));
        self.checks.push(check);
    }

    fn replay(&self, changes: impl Iterator<Item = Change>) -> (Snapshot, usize) {
        let mut replay = Replay::new();
        for method in (1..=self.methods).map(MethodId) {
            replay.add_method(method, self.constructor(method)).unwrap();
            (0..SITES).for_each(|nth| replay.add_site(SiteId(2 + method.0 * SITES + nth), method));
        }
        let errors = changes.filter(|change| replay.apply(change).is_err()).count();
        (replay.snapshot(), errors)
    }

    /// Every moment decodes with the final graph and with its replay.
    pub fn verify(&self) {
        let (replayed, errors) = self.replay(self.changes.iter().copied());
        assert_eq!(errors, 0);
        for snapshot in [self.encoder.snapshot(), replayed] {
            for check in &self.checks {
                assert!(check.holds(&snapshot), "{}", check.show(&snapshot));
            }
        }
    }

    /// With changes missing, each trace is right as far as it goes, and says so where it stops.
    pub fn verify_damaged(&self, changes: impl Iterator<Item = Change>) {
        let (snapshot, _) = self.replay(changes);
        for check in &self.checks {
            let decoded = snapshot.decode(check.method, check.word, &check.shadow_stack);
            let right = match decoded.end {
                End::Root => check.frames == decoded.frames,
                End::Unknown(_) => check.frames.starts_with(&decoded.frames),
            };
            assert!(right, "{}", check.show(&snapshot));
        }
    }

    /// After these changes, what is of the current version alone is right, and everything else
    /// right or unknown.
    pub fn verify_current(&self, changes: impl Iterator<Item = Change> + Clone) {
        self.verify_damaged(changes.clone());
        let (snapshot, _) = self.replay(changes);
        let current = |word: Word| word.version() == self.encoder.version();
        for check in &self.checks {
            if current(check.word) && check.shadow_stack.iter().all(|entry| entry.barrier || current(entry.ctx)) {
                assert!(check.holds(&snapshot), "{}", check.show(&snapshot));
            }
        }
    }

    /// How many moments decode wrongly after these changes.
    pub fn mismatches(&self, changes: impl Iterator<Item = Change>) -> usize {
        let (snapshot, _) = self.replay(changes);
        self.checks.iter().filter(|check| !check.holds(&snapshot)).count()
    }

    /// Another edge into the same method from another one.
    pub fn twin(&self, edge: EdgeId) -> Option<EdgeId> {
        let snapshot = self.encoder.snapshot();
        let known = *snapshot.edge(edge)?;
        let twin = snapshot.edges().find(|(_, other)| other.callee == known.callee && other.caller != known.caller);
        twin.map(|(edge, _)| edge).filter(|&twin| twin < edge)
    }
}

impl Check {
    fn holds(&self, snapshot: &Snapshot) -> bool {
        let decoded = snapshot.decode(self.method, self.word, &self.shadow_stack);
        decoded.end == End::Root && decoded.frames == self.frames
    }

    fn show(&self, snapshot: &Snapshot) -> String {
        let decoded = snapshot.decode(self.method, self.word, &self.shadow_stack);
        format!(
            "method {} {:?}\nstack   {:?}\ndecoded {decoded:?}\nchain {:?}",
            self.method, self.word, self.frames, self.shadow_stack
        )
    }
}
