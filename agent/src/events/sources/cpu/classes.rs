//! Methods by the ids that a sampled stack names them by.
//!
//! A stack is read some time after it was seen, and a class may be unloaded meanwhile: then the JVM
//! must not be asked about its methods. So each class is noted when it is prepared, with a weak
//! reference, and is held by a strong one while its frames are read.
//! Invariant: the JVM is asked about a method only while its class is held. An id belongs to one
//! class for good: HotSpot gives no id twice. A method of a class that was ever redefined is what
//! two answers in a row say it is, one from before the sample and one from behind it. Obsolete
//! code, of before a redefinition, lives only while its frames stand, and HotSpot does not forget
//! its id with it. So the JVM is asked once for all, right behind the look that has shown the
//! frame.
//! Source: JVMTI ClassPrepare, GetClassMethods; JNI NewWeakGlobalRef; HotSpot's
//! `Method::change_method_associated_with_jmethod_id`.

use jvmti_bindings::sys::jni::{jclass, jmethodID, jobject};
use rustc_hash::FxHashMap;

use crate::jvm::jni::Jni;
use crate::jvm::part::Jvm;
use crate::stack::frames::StackView;
use crate::stack::methods::Identity;
use crate::support::lock::Lock;

/// Classes that are looked at in a round whether they have gone.
const ROUND: usize = 256;

/// Which class each method belongs to.
#[derive(Default)]
pub struct Classes {
    known: Lock<ClassesAndMethods>,
}

#[derive(Default)]
struct ClassesAndMethods {
    methods: FxHashMap<usize, Method>,
    /// A weak reference to each class, and its methods; none for one that has gone.
    classes: Vec<Option<(usize, Box<[usize]>)>>,
    free: Vec<u32>,
    /// The next class to be looked at.
    next: usize,
}

#[derive(Clone, Copy)]
struct Method {
    class: u32,
    answer: Option<Answer>,
    /// Of obsolete code, which stays what it is: the JVM is not asked again.
    obsolete: Option<Identity>,
}

/// What the JVM has said of a method.
#[derive(Clone, Copy)]
struct Answer {
    identity: Identity,
    /// Redefinitions of any class until then.
    redefinitions: u32,
    /// When, on the clock of samples.
    time: u64,
}

/// What a frame of a sample is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundMethod {
    /// The rewriting that it runs, if its code has hooks. Its class is held until the references of
    /// the frame's sample are released.
    Method(Identity),
    /// The JVM has given no id, or one that is not known.
    NoId,
    /// Its class was unloaded since.
    Gone,
    /// Its class was redefined, and what it ran then cannot be told.
    Redefined,
}

impl Classes {
    /// A class can run from now on. Its methods have ids from now on, too, for `AsyncGetCallTrace`
    /// makes none.
    pub fn learn(&self, jvm: &Jvm, jni: Jni, class: jclass) {
        let methods: Box<[usize]> = jvm.jvmti.class_methods(class).iter().map(|&method| method as usize).collect();
        self.note(jni, class, methods, None);
    }

    /// A method was seen that no class had when it was prepared: one that was redefined while it
    /// ran. Its frame is on a stack.
    pub fn meet(&self, view: StackView<'_>, method: jmethodID) {
        let StackView { agent, jni } = view;
        if method.is_null() || self.known.lock().methods.contains_key(&(method as usize)) {
            return;
        }
        let is_obsolete = agent.jvm.jvmti.is_obsolete(method);
        if is_obsolete && !agent.stack.names.keep(view.env(), method) {
            return;
        }
        let obsolete = is_obsolete.then(|| view.identity(method));
        let class = agent.jvm.jvmti.declaring_class(method);
        if !class.is_null() {
            self.note(jni, class, [method as usize].into(), obsolete);
            jni.release(class);
        }
    }

    fn note(&self, jni: Jni, class: jclass, methods: Box<[usize]>, obsolete: Option<Identity>) {
        let is_known = methods.first().is_none_or(|method| self.known.lock().methods.contains_key(method));
        let weak = if is_known { return } else { jni.weak(class) };
        if weak.is_null() {
            return;
        }
        let mut known = self.known.lock();
        let index = known.free.pop().unwrap_or(known.classes.len() as u32);
        known.methods.extend(methods.iter().map(|&method| (method, Method { class: index, answer: None, obsolete })));
        let class = Some((weak as usize, methods));
        match known.classes.get_mut(index as usize) {
            Some(place) => *place = class,
            None => known.classes.push(class),
        }
    }

    /// What a frame of a sample from `time` runs. `now` is a time of the same clock.
    pub fn find(&self, view: StackView<'_>, method: jmethodID, (time, now): (u64, u64)) -> FoundMethod {
        let agent = view.agent;
        let (known, weak) = {
            let known = self.known.lock();
            let Some(method) = known.methods.get(&(method as usize)).copied() else { return FoundMethod::NoId };
            let Some(Some((weak, _))) = known.classes.get(method.class as usize) else { return FoundMethod::Gone };
            (method, *weak)
        };
        // In the local frame of the sample.
        let class = view.jni.local(weak as jobject);
        if class.is_null() {
            return FoundMethod::Gone;
        }
        if let Some(identity) = known.obsolete {
            return FoundMethod::Method(identity);
        }
        let redefinitions = agent.stack.methods.redefinitions();
        if let Some(answer) = known.answer.filter(|answer| answer.redefinitions == redefinitions) {
            return FoundMethod::Method(answer.identity);
        }
        let identity = view.identity(method);
        let may_move = redefinitions > 0 && {
            let signature = agent.jvm.jvmti.class_signature(class);
            signature.is_none_or(|signature| agent.stack.methods.was_redefined(&signature))
        };
        // One that may move is asked about each time.
        let redefinitions = if may_move { u32::MAX } else { redefinitions };
        if let Some(method) = self.known.lock().methods.get_mut(&(method as usize)) {
            method.answer = Some(Answer { identity, redefinitions, time: now });
        }
        let is_sure = |answer: Answer| answer.identity == identity && answer.time < time;
        if !may_move || known.answer.is_some_and(is_sure) || agent.fault("redefined") {
            FoundMethod::Method(identity)
        } else {
            FoundMethod::Redefined
        }
    }

    /// Forgets classes that have gone, some at a time. By the thread that reads samples.
    pub fn forget(&self, jni: Jni) {
        let (first, weaks) = {
            let known = self.known.lock();
            let first = if known.next < known.classes.len() { known.next } else { 0 };
            let weak = |class: &Option<(usize, Box<[usize]>)>| class.as_ref().map(|(weak, _)| *weak);
            (first, known.classes.iter().skip(first).take(ROUND).map(weak).collect::<Vec<_>>())
        };
        let count = weaks.len();
        let is_gone = |weak: &usize| {
            let class = jni.local(*weak as jobject);
            jni.release(class);
            class.is_null()
        };
        let gone: Vec<(usize, usize)> =
            (first..).zip(weaks).filter_map(|(at, weak)| Some((at, weak.filter(is_gone)?))).collect();
        {
            let mut known = self.known.lock();
            known.next = first + count;
            for &(at, _) in &gone {
                let Some((_, methods)) = known.classes.get_mut(at).and_then(Option::take) else { continue };
                for method in methods {
                    if known.methods.get(&method).is_some_and(|method| method.class as usize == at) {
                        known.methods.remove(&method);
                    }
                }
                known.free.push(at as u32);
            }
        }
        gone.into_iter().for_each(|(_, weak)| jni.delete_weak(weak as jobject));
    }
}
