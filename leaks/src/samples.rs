//! The live sampled objects, held weakly.
//!
//! Invariant: at most [`MOST`] (and one for each thread that allocates at that moment). What is
//! dropped for want of room is dropped by a random number that each object drew at birth, so the
//! rest is a fair sample, and each knows for how many it stands.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use lucce_embed::Captured;

use crate::jvm::{Jni, Weak};

/// Most objects at a time.
pub const MOST: usize = 1 << 14;

/// The number of a class's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassName(pub u32);

/// The old collections that were completed when an object was born.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Generation(pub u64);

/// A live object.
#[derive(Debug)]
pub struct ObjectSample {
    weak: Weak,
    /// Where it was allocated.
    pub captured: Captured,
    /// Its class.
    pub class: ClassName,
    /// Its size in bytes.
    pub size: u64,
    /// When.
    pub birth: Generation,
    draw: u64,
    /// The lowest threshold that it has passed.
    passed: u64,
}

impl ObjectSample {
    /// It is watched no more.
    pub fn forget(self, jni: Jni) {
        jni.forget(self.weak);
    }

    /// For how many sampled objects it stands.
    pub fn scale(&self) -> f64 {
        u64::MAX as f64 / self.passed as f64
    }
}

/// The table.
pub struct Samples {
    live: Mutex<Vec<ObjectSample>>,
    classes: Mutex<Classes>,
    count: AtomicUsize,
    /// Objects that drew more are not kept.
    threshold: AtomicU64,
    draws: RandomState,
    drawn: AtomicU64,
    full: AtomicBool,
}

#[derive(Default)]
struct Classes {
    numbers: HashMap<String, ClassName>,
    names: Vec<String>,
}

/// Most distinct names of classes; what comes later has the name of the first.
const NAMES: usize = 1 << 16;

impl Samples {
    /// None yet.
    pub fn new() -> Self {
        Self {
            live: Mutex::default(),
            classes: Mutex::default(),
            count: AtomicUsize::new(0),
            threshold: AtomicU64::new(u64::MAX),
            draws: RandomState::new(),
            drawn: AtomicU64::new(0),
            full: AtomicBool::new(false),
        }
    }

    /// An object is born. Is there no room any more, so that a sweep is due?
    pub fn admit(
        &self,
        jni: Jni,
        object: *mut std::ffi::c_void,
        (captured, class, size, birth): (Captured, &str, u64, Generation),
    ) -> bool {
        let draw = self.draw();
        let passed = self.threshold.load(Ordering::Relaxed);
        if draw > passed {
            return false;
        }
        if self.count.load(Ordering::Relaxed) >= MOST {
            return !self.full.swap(true, Ordering::Relaxed);
        }
        let Some(weak) = jni.weak(object) else { return false };
        let class = self.number(class);
        self.count.fetch_add(1, Ordering::Relaxed);
        locked(&self.live).push(ObjectSample { weak, captured, class, size, birth, draw, passed });
        false
    }

    /// Is there little room?
    pub fn is_crowded(&self) -> bool {
        self.count.load(Ordering::Relaxed) > MOST / 2
    }

    /// Takes the objects out, to be looked at without the lock.
    pub fn take(&self) -> Vec<ObjectSample> {
        std::mem::take(&mut *locked(&self.live))
    }

    /// Leaves of those that were taken the ones that live, fewer if they are too many, and gives
    /// them back.
    pub fn sweep(&self, jni: Jni, mut samples: Vec<ObjectSample>) -> Vec<ObjectSample> {
        let before = samples.len();
        let mut kept = Vec::with_capacity(before);
        for sample in samples.drain(..) {
            if jni.is_gone(&sample.weak) { jni.forget(sample.weak) } else { kept.push(sample) }
        }
        let threshold = self.threshold.load(Ordering::Relaxed);
        if kept.len() > MOST / 4 * 3 || self.full.swap(false, Ordering::Relaxed) && kept.len() > MOST / 2 {
            let threshold = threshold / 2;
            self.threshold.store(threshold, Ordering::Relaxed);
            for mut sample in std::mem::take(&mut kept) {
                if sample.draw > threshold {
                    jni.forget(sample.weak);
                } else {
                    sample.passed = sample.passed.min(threshold);
                    kept.push(sample);
                }
            }
        } else if kept.len() < MOST / 8 && threshold < u64::MAX {
            self.threshold.store(threshold.saturating_mul(2), Ordering::Relaxed);
        }
        self.count.fetch_sub(before - kept.len(), Ordering::Relaxed);
        kept
    }

    /// Puts back what [`Self::take`] gave.
    pub fn put_back(&self, mut samples: Vec<ObjectSample>) {
        let mut live = locked(&self.live);
        samples.append(&mut live);
        *live = samples;
    }

    /// The name of a class.
    pub fn name(&self, class: ClassName) -> String {
        locked(&self.classes).names.get(class.0 as usize).cloned().unwrap_or_default()
    }

    /// No name is asked for any more.
    pub fn forget_names(&self) {
        *locked(&self.classes) = Classes::default();
    }

    fn number(&self, name: &str) -> ClassName {
        let mut classes = locked(&self.classes);
        if let Some(&number) = classes.numbers.get(name) {
            return number;
        }
        if classes.names.len() == NAMES {
            return ClassName(0);
        }
        let number = ClassName(classes.names.len() as u32);
        classes.names.push(name.into());
        classes.numbers.insert(name.into(), number);
        number
    }

    fn draw(&self) -> u64 {
        let mut hasher = self.draws.build_hasher();
        hasher.write_u64(self.drawn.fetch_add(1, Ordering::Relaxed));
        hasher.finish()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
