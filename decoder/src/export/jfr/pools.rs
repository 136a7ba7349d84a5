//! The constants that events name by number: strings, names, classes, methods, stacks, threads.
//!
//! Invariant: number 0 is none, and no constant has it. What an event names stands in the one
//! checkpoint of the chunk.
//! Source: JDK 25, `jdk.jfr.internal.consumer.ChunkParser` (`fillConstantPools`).

use std::collections::HashMap;

use super::bytes::Bytes;
use super::types;
use crate::export::{FrameKind, NamedFrame, Profile, StackId};

/// Async-profiler's converter goes by these numbers.
const COMPILED: u64 = 1;
const NATIVE: u64 = 3;
/// The only state of a thread that there is.
pub(super) const RUNNABLE: u64 = 1;
/// The class of what has none: marks, which are no methods.
const LUCCE: &str = "lucce";

/// Constants of one type.
#[derive(Default)]
struct Pool {
    count: u64,
    written: Bytes,
}

impl Pool {
    /// The number of the next constant, written before it.
    fn next(&mut self) -> u64 {
        self.count += 1;
        self.written.number(self.count);
        self.count
    }
}

/// All of them.
pub(super) struct Pools<'a> {
    profile: &'a Profile,
    string_ids: HashMap<String, u64>,
    symbol_ids: HashMap<String, u64>,
    class_ids: HashMap<String, u64>,
    method_ids: HashMap<(u64, u64, u64), u64>,
    stack_ids: HashMap<StackId, u64>,
    thread_ids: HashMap<usize, u64>,
    strings: Pool,
    symbols: Pool,
    classes: Pool,
    methods: Pool,
    stacks: Pool,
    threads: Pool,
}

impl<'a> Pools<'a> {
    pub(super) fn new(profile: &'a Profile) -> Self {
        Self {
            profile,
            string_ids: HashMap::new(),
            symbol_ids: HashMap::new(),
            class_ids: HashMap::new(),
            method_ids: HashMap::new(),
            stack_ids: HashMap::new(),
            thread_ids: HashMap::new(),
            strings: Pool::default(),
            symbols: Pool::default(),
            classes: Pool::default(),
            methods: Pool::default(),
            stacks: Pool::default(),
            threads: Pool::default(),
        }
    }

    pub(super) fn string(&mut self, text: &str) -> u64 {
        text_in(&mut self.strings, &mut self.string_ids, text)
    }

    fn symbol(&mut self, text: &str) -> u64 {
        text_in(&mut self.symbols, &mut self.symbol_ids, text)
    }

    /// A class by its name as people write it.
    pub(super) fn class(&mut self, name: &str) -> u64 {
        if let Some(&known) = self.class_ids.get(name) {
            return known;
        }
        let symbol = self.symbol(&internal(name));
        let id = self.classes.next();
        let written = &mut self.classes.written;
        // Its loader, package and modifiers are not known.
        [0, symbol, 0, 0].into_iter().for_each(|number| written.number(number));
        written.flag(false);
        self.class_ids.insert(name.into(), id);
        id
    }

    fn method(&mut self, frame: &NamedFrame) -> u64 {
        let class = self.class(if frame.class.is_empty() { LUCCE } else { &frame.class });
        let (name, desc) = (self.symbol(&frame.method), self.symbol(&frame.desc));
        let (pool, ids) = (&mut self.methods, &mut self.method_ids);
        *ids.entry((class, name, desc)).or_insert_with(|| {
            let id = pool.next();
            [class, name, desc, 0].into_iter().for_each(|number| pool.written.number(number));
            pool.written.flag(false);
            id
        })
    }

    /// 0 for no frames.
    pub(super) fn stack(&mut self, stack: StackId) -> u64 {
        if stack == StackId::EMPTY {
            return 0;
        }
        if let Some(&known) = self.stack_ids.get(&stack) {
            return known;
        }
        let stacks = self.profile.stacks();
        let mut frames = Bytes::default();
        let mut depth = 0;
        for frame in stacks.innermost_first(stack).map(|frame| stacks.frame(frame)) {
            let kind = if frame.kind == FrameKind::Native { NATIVE } else { COMPILED };
            frames.number(self.method(frame));
            frames.number(frame.line.unwrap_or(0).into());
            frames.number(frame.bci.unwrap_or(0).into());
            frames.number(kind);
            depth += 1;
        }
        let id = self.stacks.next();
        let written = &mut self.stacks.written;
        // Not truncated.
        written.flag(false);
        written.number(depth);
        written.extend(&frames);
        self.stack_ids.insert(stack, id);
        id
    }

    /// 0 for none.
    pub(super) fn thread(&mut self, thread: Option<usize>) -> u64 {
        let Some(thread) = thread else { return 0 };
        let (pool, known) = (&mut self.threads, &self.profile.threads()[thread]);
        *self.thread_ids.entry(thread).or_insert_with(|| {
            let id = pool.next();
            pool.written.text(&known.name);
            // The number that the system gave it is not known.
            pool.written.number(0);
            pool.written.text(&known.name);
            pool.written.number(known.java_id);
            id
        })
    }

    /// Writes the checkpoint behind the head of its record.
    pub(super) fn finish(self, out: &mut Bytes) {
        // Its time and duration, the distance to another checkpoint, and its kind.
        [0, 0, 0, 0].into_iter().for_each(|number| out.number(number));
        let [frame_types, states] =
            [&[(COMPILED, "JIT compiled"), (NATIVE, "Native")][..], &[(RUNNABLE, "STATE_RUNNABLE")]].map(fixed);
        let pools = [
            (types::FRAME_TYPE, frame_types),
            (types::THREAD_STATE, states),
            (types::STRING, self.strings),
            (types::SYMBOL, self.symbols),
            (types::CLASS, self.classes),
            (types::METHOD, self.methods),
            (types::STACK_TRACE, self.stacks),
            (types::THREAD, self.threads),
        ];
        out.number(pools.len() as u64);
        for (of, Pool { count, written }) in &pools {
            out.number(*of);
            out.number(*count);
            out.extend(written);
        }
    }
}

fn text_in(pool: &mut Pool, ids: &mut HashMap<String, u64>, text: &str) -> u64 {
    if let Some(&known) = ids.get(text) {
        return known;
    }
    let id = pool.next();
    pool.written.text(text);
    ids.insert(text.into(), id);
    id
}

fn fixed(values: &[(u64, &str)]) -> Pool {
    let mut pool = Pool::default();
    for &(id, text) in values {
        pool.count += 1;
        pool.written.number(id);
        pool.written.text(text);
    }
    pool
}

/// The JVM's own name of a class: `java/util/Map$Entry`, `[B`, `[Ljava/lang/String;`.
fn internal(name: &str) -> String {
    let element = name.trim_end_matches("[]");
    let depth = (name.len() - element.len()) / 2;
    let slashed = element.replace('.', "/");
    let primitive = match element {
        "byte" => "B",
        "char" => "C",
        "double" => "D",
        "float" => "F",
        "int" => "I",
        "long" => "J",
        "short" => "S",
        "boolean" => "Z",
        _ => "",
    };
    match (depth, primitive) {
        (0, _) => slashed,
        (_, "") => format!("{}L{slashed};", "[".repeat(depth)),
        (_, primitive) => "[".repeat(depth) + primitive,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::type_name;

    #[test]
    fn a_class_has_its_internal_name_again() {
        for name in ["java/lang/String", "[B", "[[J", "[Ljava/util/Map$Entry;", "[[Lbyte;"] {
            // A class of the program's may be called as a primitive type is.
            let expected = if name == "[[Lbyte;" { "[[B" } else { name };
            assert_eq!(internal(&type_name(name)), expected);
        }
    }
}
