//! What a thread has classes retransformed for, by itself: the answer to the JVM's question for
//! their new code depends on it.
//!
//! Source: JVMTI RetransformClasses, whose ClassFileLoadHook comes on the same thread.

use std::cell::Cell;

/// What classes are retransformed for that were loaded before the start.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Task {
    /// So that they are linked; they stay as they are.
    Link,
    /// To be rewritten.
    Rewrite,
}

thread_local! {
    static TASK: Cell<Option<Task>> = const { Cell::new(None) };
    /// For how many of them the JVM has asked for new code.
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

/// What this thread does.
pub(super) fn current() -> Option<Task> {
    TASK.get()
}

/// The JVM has asked for the new code of one more.
pub(super) fn asked() {
    ASKED.set(ASKED.get() + 1);
}

/// Runs `body`, in which this thread has the JVM link classes.
pub fn linking<T>(body: impl FnOnce() -> T) -> T {
    during(Task::Link, body)
}

/// Runs `body`, in which this thread has classes rewritten. What it gave, and for how many the JVM
/// has asked for new code.
pub fn rewriting<T>(body: impl FnOnce() -> T) -> (T, usize) {
    ASKED.set(0);
    (during(Task::Rewrite, body), ASKED.get())
}

fn during<T>(task: Task, body: impl FnOnce() -> T) -> T {
    TASK.set(Some(task));
    let result = body();
    TASK.set(None);
    result
}
