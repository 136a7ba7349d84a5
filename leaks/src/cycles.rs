//! How many collections of the old objects the running collector has completed.
//!
//! Invariant: the count never goes back, and a cycle counts only once its weak references are
//! cleared.
//! Source: GarbageCollectorMXBean names of HotSpot 11 to 25; JDK-8297247 (a bean for G1's
//! concurrent cycles, since 20); JVMTI GarbageCollectionFinish, which is posted for G1's two
//! concurrent pauses too, as they are no collections of either of its older beans.

use crate::jvm::{Jni, LongGetter};

/// Beans whose count is that of collections of the old objects.
const OLD: [&str; 8] = [
    "PS MarkSweep",
    "MarkSweepCompact",
    "ConcurrentMarkSweep",
    "G1 Old Generation",
    "ZGC",
    "ZGC Cycles",
    "ZGC Major Cycles",
    "Shenandoah Cycles",
];
/// G1's bean of concurrent pauses, Remark and Cleanup: two a cycle.
const CONCURRENT: &str = "G1 Concurrent GC";
/// G1's bean of evacuation pauses.
const YOUNG: &str = "G1 Young Generation";

/// The beans of the running collector.
pub struct Cycles {
    old: Vec<LongGetter>,
    concurrent: Option<LongGetter>,
    young: Option<LongGetter>,
    counted: u64,
}

impl Cycles {
    /// Finds them; `None` where the runtime has no management or the collector has no old
    /// collections that are known.
    pub fn find(jni: Jni) -> Option<Self> {
        let mut cycles = Self { old: Vec::new(), concurrent: None, young: None, counted: 0 };
        let factory = c"java/lang/management/ManagementFactory";
        for (name, getter) in jni.listed(factory, c"getGarbageCollectorMXBeans", c"getName", c"getCollectionCount") {
            match name.as_str() {
                CONCURRENT => cycles.concurrent = Some(getter),
                YOUNG => cycles.young = Some(getter),
                name if OLD.contains(&name) => cycles.old.push(getter),
                _ => {}
            }
        }
        (!cycles.old.is_empty()).then_some(cycles)
    }

    /// The count now. `pauses`: of GarbageCollectionFinish, read before.
    pub fn count(&mut self, jni: Jni, pauses: u64) -> u64 {
        let old = self.old.iter().map(|bean| jni.long(bean).max(0) as u64).sum::<u64>();
        let concurrent = match (&self.concurrent, &self.young) {
            (Some(bean), _) => jni.long(bean).max(0) as u64 / 2,
            // A pause is in its bean before it is in `pauses`, so what is left over is never too
            // much.
            (None, Some(young)) => pauses.saturating_sub(old + jni.long(young).max(0) as u64) / 2,
            (None, None) => 0,
        };
        self.counted = self.counted.max(old + concurrent);
        self.counted
    }
}
