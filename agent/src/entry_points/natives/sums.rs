//! Sums of counts, and hot contexts, as the Java API gets them.
//!
//! Invariant: `org.lucce.Tally` knows the layout of sums, arrays of one order: four numbers for
//! each sum, its class, and the contexts in which its task was handed over. Of hot contexts
//! `org.lucce.HotContext` does: six numbers for each.

use jvmti_bindings::sys::jni::jobject;
use lucce_profiles::hot::Verdict;

use crate::events::profile::Hot;
use crate::events::tallies::Counted;
use crate::jvm::jni::Jni;
use crate::state::graph::Graph;

/// Numbers of a sum: kind, context, count and value.
const NUMBERS: usize = 4;

/// An Object[] of a long[], a String[], and an Object[] of a long[] for each sum of a task; null
/// without memory.
pub(super) fn arrays(jni: Jni, sums: &[Counted]) -> jobject {
    let classes = [c"java/lang/Object", c"java/lang/String"].map(|name| jni.find_class(name));
    if classes.iter().any(|class| class.is_null()) {
        return std::ptr::null_mut();
    }
    let (all, numbers) = (jni.new_objects(3, classes[0]), jni.new_longs(NUMBERS * sums.len()));
    let (names, handed_over) = (jni.new_objects(sums.len(), classes[1]), jni.new_objects(sums.len(), classes[0]));
    if [all, numbers, names, handed_over].iter().any(|array| array.is_null()) {
        return std::ptr::null_mut();
    }
    for (index, sum) in sums.iter().enumerate() {
        let four = [sum.kind as i64, sum.node.0.into(), sum.count as i64, sum.value as i64];
        jni.write_longs(numbers, NUMBERS * index, &four);
        let name = jni.string(sum.class.as_deref());
        jni.set_element(names, index, name);
        jni.release(name);
        if !sum.handed_over.is_empty() {
            let contexts: Vec<i64> = sum.handed_over.iter().map(|node| node.0.into()).collect();
            let array = jni.new_longs(contexts.len());
            if array.is_null() {
                return array;
            }
            jni.write_longs(array, 0, &contexts);
            jni.set_element(handed_over, index, array);
            jni.release(array);
        }
    }
    for (index, array) in [numbers, names, handed_over].into_iter().enumerate() {
        jni.set_element(all, index, array);
    }
    all
}

/// Numbers of a hot context: context, samples at least and at most, 1 if it is hot for sure, and
/// the bits of its share, at least and at most.
const OF_HOT: usize = 6;

/// A long[]; null without memory.
pub(super) fn hot(graph: &Graph, jni: Jni, all: &[Hot]) -> jobject {
    let numbers = jni.new_longs(OF_HOT * all.len());
    if numbers.is_null() {
        return numbers;
    }
    for (index, (hot, node)) in all.iter().zip(Hot::give_all(graph, all)).enumerate() {
        let share = hot.shares.told();
        let six = [
            node.0.into(),
            hot.samples.low as i64,
            hot.samples.high as i64,
            (hot.verdict == Verdict::Hot).into(),
            share.low.to_bits() as i64,
            share.high.to_bits() as i64,
        ];
        jni.write_longs(numbers, OF_HOT * index, &six);
    }
    numbers
}
