//! The detector at work: objects come in, generations end, suspects go to the log.
//!
//! Invariant: generations end on the detector's own thread only. A context is what its frames read,
//! so that the contexts of a class that is loaded again and again are one.

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use lucce_embed::{Captured, Event, Lucce};

use crate::cycles::Cycles;
use crate::growth::{Alive, LeakVerdict, Moment, Series};
use crate::jvm::{Jni, Jvmti, say};
use crate::samples::{ClassName, Generation, ObjectSample, Samples};

/// Most suspects that a report has.
const REPORTED: usize = 20;
/// How long the thread sleeps when nothing is collected; beans tell what its wake-ups have missed.
const NAP: Duration = Duration::from_secs(10);
/// Least time between two reports of which neither tells of a change of mind.
const PAUSE: Duration = Duration::from_millis(200);
/// How long the end waits for the detector's thread.
const PATIENCE: Duration = Duration::from_secs(1);

/// What contexts read, in one number.
type Reading = u64;

/// The detector of this process.
pub struct Detector {
    lucce: Lucce,
    /// An environment of its own.
    pub jvmti: Jvmti,
    interval: f64,
    samples: Samples,
    generation: AtomicU64,
    /// GarbageCollectionFinish so far.
    pauses: AtomicU64,
    start: Instant,
    /// Nanoseconds by which the run's clock is ahead of `start`'s; found out at the first event.
    ahead: OnceLock<u64>,
    thread: OnceLock<Thread>,
    known: Mutex<Readings>,
    over: AtomicBool,
}

/// What is known of contexts.
struct Readings {
    readings: HashMap<Captured, Reading>,
    series: HashMap<Reading, (Captured, ClassName, Series)>,
    hasher: RandomState,
    reported: Option<Instant>,
}

impl Readings {
    fn new() -> Self {
        Self { readings: HashMap::new(), series: HashMap::new(), hasher: RandomState::new(), reported: None }
    }
}

/// The live objects of one reading.
struct Group {
    captured: Captured,
    births: BTreeSet<Generation>,
    objects: f64,
    bytes: f64,
    classes: HashMap<ClassName, f64>,
}

impl Detector {
    /// Idle yet.
    pub fn new(lucce: Lucce, jvmti: Jvmti, interval: u32) -> Self {
        Self {
            lucce,
            jvmti,
            interval: interval.into(),
            samples: Samples::new(),
            generation: AtomicU64::new(0),
            pauses: AtomicU64::new(0),
            start: Instant::now(),
            ahead: OnceLock::new(),
            thread: OnceLock::new(),
            known: Mutex::new(Readings::new()),
            over: AtomicBool::new(false),
        }
    }

    /// A sampled allocation.
    pub fn allocated(&self, jni: Jni, event: &Event<'_>) {
        if self.is_over() {
            return;
        }
        self.ahead.get_or_init(|| event.time_ns.saturating_sub(self.start.elapsed().as_nanos() as u64));
        let Some(captured) = event.captured else { return };
        let birth = Generation(self.generation.load(Ordering::Relaxed));
        let size = u64::try_from(event.value).unwrap_or(0);
        let what = (captured, event.type_name.unwrap_or_default(), size, birth);
        if self.samples.admit(jni, event.object, what) {
            self.wake();
        }
    }

    /// The generation now: old collections so far.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Relaxed)
    }

    /// A collection of any kind is over.
    pub fn collected(&self) {
        self.pauses.fetch_add(1, Ordering::Release);
        self.wake();
    }

    fn wake(&self) {
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }

    /// The detector's thread.
    pub fn watch(&self, jni: Jni) {
        let _ = self.thread.set(thread::current());
        let Some(mut cycles) = Cycles::find(jni) else {
            say("this JVM does not tell of its old collections");
            return;
        };
        while !self.is_over() {
            let pauses = self.pauses.load(Ordering::Acquire);
            let count = cycles.count(jni, pauses);
            if count > self.generation.load(Ordering::Relaxed) {
                self.end(jni, Generation(count));
            } else if self.samples.is_crowded() {
                let kept = self.samples.sweep(jni, self.samples.take());
                self.samples.put_back(kept);
            }
            if self.pauses.load(Ordering::Acquire) == pauses {
                thread::park_timeout(NAP);
            }
        }
        self.let_go(jni);
    }

    /// A generation has ended: who has survived, and is there a suspect?
    fn end(&self, jni: Jni, generation: Generation) {
        // Objects that are born from here on may not have been there when the collection began.
        self.generation.store(generation.0, Ordering::Relaxed);
        let mut known = self.known();
        let at = Moment { generation, time_ns: self.now() };
        let groups = self.groups(jni, &mut known);
        known.series.retain(|reading, (_, _, series)| groups.contains_key(reading) || series.suspicion().is_some());
        let mut changes = Vec::new();
        for (&reading, (_, _, series)) in known.series.iter_mut().filter(|(reading, _)| !groups.contains_key(reading)) {
            if series.end(at, Alive::default()) != LeakVerdict::Same {
                changes.push(reading);
            }
        }
        for (reading, group) in groups {
            let (captured, class, alive) = (group.captured, group.class(), group.alive());
            let entry = known.series.entry(reading).or_insert_with(|| (captured, class, Series::default()));
            (entry.0, entry.1) = (captured, class);
            if entry.2.end(at, alive) != LeakVerdict::Same {
                changes.push(reading);
            }
        }
        if !changes.is_empty() || known.reported.is_none_or(|reported| reported.elapsed() > PAUSE) {
            self.report(jni, &mut known, at, &changes);
        }
    }

    /// VMDeath: the last state.
    pub fn finish(&self, jni: Jni) {
        let began = Instant::now();
        let mut known = loop {
            match self.known.try_lock() {
                Ok(known) => break known,
                Err(std::sync::TryLockError::Poisoned(known)) => break known.into_inner(),
                Err(std::sync::TryLockError::WouldBlock) if began.elapsed() > PATIENCE => return,
                Err(std::sync::TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(1)),
            }
        };
        let generation = Generation(self.generation.load(Ordering::Relaxed));
        let groups = self.groups(jni, &mut known);
        for (reading, (_, _, series)) in &mut known.series {
            series.look(groups.get(reading).map_or_else(Alive::default, Group::alive));
        }
        self.report(jni, &mut known, Moment { generation, time_ns: self.now() }, &[]);
    }

    /// The run ends: the thread goes, the JVM tells nothing more, and no object is watched.
    pub fn leave(&self, jni: Jni) {
        self.over.store(true, Ordering::SeqCst);
        self.jvmti.listen_no_more();
        self.wake();
        self.let_go(jni);
    }

    /// It is over. Whoever is last, the thread or the end of the run, finds what the other one has
    /// put back.
    fn let_go(&self, jni: Jni) {
        self.samples.take().into_iter().for_each(|sample| sample.forget(jni));
        self.samples.forget_names();
        // Else the thread has it, and comes here.
        if let Ok(mut known) = self.known.try_lock() {
            *known = Readings::new();
        }
    }

    /// Has it left?
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }

    /// The live objects by what their contexts read.
    fn groups(&self, jni: Jni, known: &mut Readings) -> HashMap<Reading, Group> {
        let kept = self.samples.sweep(jni, self.samples.take());
        let mut readings = HashMap::new();
        let mut groups: HashMap<Reading, Group> = HashMap::new();
        for sample in &kept {
            let reading = *readings.entry(sample.captured).or_insert_with(|| {
                known.readings.get(&sample.captured).copied().unwrap_or_else(|| self.read(known, sample))
            });
            let new = || Group {
                captured: sample.captured,
                births: BTreeSet::new(),
                objects: 0.0,
                bytes: 0.0,
                classes: HashMap::new(),
            };
            groups.entry(reading).or_insert_with(new).add(sample, self.interval);
        }
        known.readings = readings;
        self.samples.put_back(kept);
        groups
    }

    fn read(&self, known: &Readings, sample: &ObjectSample) -> Reading {
        known.hasher.hash_one(self.lucce.decode(sample.captured).unwrap_or_default())
    }

    /// Logs the suspects, the fastest first, and those that are none any more.
    fn report(&self, jni: Jni, known: &mut Readings, at: Moment, changes: &[Reading]) {
        let mut suspects: Vec<_> =
            known.series.values().filter(|(_, _, series)| series.suspicion().is_some()).collect();
        suspects.sort_by(|one, other| other.2.growth(at).total_cmp(&one.2.growth(at)));
        for (captured, class, series) in suspects.into_iter().take(REPORTED) {
            let Some(suspicion) = series.suspicion() else { continue };
            let alive = series.now();
            let log = |kind: &str, value: f64, class: Option<&str>| {
                // An event that the log has no room for is missing from it, and counted there.
                // SAFETY: the environment of this thread.
                let _ = unsafe { self.lucce.log(jni.env(), kind, value as i64, Some(*captured), class) };
            };
            log("leak", alive.bytes, Some(&self.samples.name(*class)));
            log("leak.objects", alive.objects, None);
            log("leak.generations", alive.generations as f64, None);
            log("leak.growth", series.growth(at), None);
            log("leak.since", suspicion.since.0.time_ns as f64, None);
            log("leak.collections", at.generation.0 as f64, None);
        }
        for (captured, _, series) in changes.iter().filter_map(|reading| known.series.get(reading)) {
            if series.suspicion().is_none() {
                // SAFETY: the environment of this thread.
                let _ = unsafe {
                    self.lucce.log(jni.env(), "leak.withdrawn", series.now().bytes as i64, Some(*captured), None)
                };
            }
        }
        known.reported = Some(Instant::now());
    }

    /// Nanoseconds since the start of the run.
    fn now(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64 + self.ahead.get().copied().unwrap_or(0)
    }

    fn known(&self) -> MutexGuard<'_, Readings> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Group {
    fn add(&mut self, sample: &ObjectSample, interval: f64) {
        // The JVM samples an object with probability 1 - exp(-size/interval): JEP 331.
        let size = sample.size as f64;
        let objects = sample.scale() / -(-size / interval).exp_m1();
        self.births.insert(sample.birth);
        self.objects += objects;
        self.bytes += objects * size;
        *self.classes.entry(sample.class).or_default() += objects * size;
    }

    fn alive(&self) -> Alive {
        Alive { generations: self.births.len(), objects: self.objects, bytes: self.bytes }
    }

    /// The class with the most bytes; of equals the one that was seen first.
    fn class(&self) -> ClassName {
        let larger =
            |one: &(&ClassName, &f64), other: &(&ClassName, &f64)| one.1.total_cmp(other.1).then(other.0.cmp(one.0));
        self.classes.iter().max_by(larger).map_or(ClassName(0), |(&class, _)| class)
    }
}
