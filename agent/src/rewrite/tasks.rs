//! `async=on`: what is inserted into the JDK's executors, so that a task knows where it was handed
//! over.
//!
//! Invariant: no object of the program is wrapped, no queue is touched, and nothing is inserted
//! without the option. A place is chosen so that what is stored there cannot be that of a call
//! which fails: before the task can be met by the thread that runs it, and behind what may refuse
//! it or with a call that takes it back.
//! Source: java.util.concurrent and java.util.Timer of JDK 11, 17, 21 and 25;
//! docs/design/origins.md.

use lucce_classfile::{Argument, Inserted, Insertion, InsertionPoint, KeptOrigin, SkipReason, guard_origins, insert};

type Method = (&'static [u8], &'static [u8]);
/// Methods of that name, and what they leave as they found it.
type Guarded = (&'static [u8], KeptOrigin);

/// The field of a task of the JDK's own.
const FIELD: [Method; 1] = [(b"$lucce$origin", b"I")];

const fn call(
    name: &'static [u8],
    desc: &'static [u8],
    at: InsertionPoint<'static>,
    argument: Argument,
    hook: &'static [u8],
) -> Insertion<'static> {
    Insertion { method: Some((name, desc)), at, argument, hook }
}

/// A method whose first argument is the task.
const fn given(name: &'static [u8], desc: &'static [u8], hook: &'static [u8]) -> Insertion<'static> {
    call(name, desc, InsertionPoint::Start, Argument::Local(1), hook)
}

const RUNNABLE: &[u8] = b"(Ljava/lang/Runnable;)V";
const TASK: &[u8] = b"(Ljava/util/concurrent/ForkJoinTask;)V";
const TASK_TO_TASK: &[u8] = b"(Ljava/util/concurrent/ForkJoinTask;)Ljava/util/concurrent/ForkJoinTask;";
const TASK_TO_RESULT: &[u8] = b"(Ljava/util/concurrent/ForkJoinTask;)Ljava/lang/Object;";
const WORKER: &[u8] = b"(Ljava/util/concurrent/ThreadPoolExecutor$Worker;)V";

const EXECUTOR: [Insertion<'_>; 6] = [
    given(b"execute", RUNNABLE, b"submitted"),
    given(b"reject", RUNNABLE, b"dropped"),
    call(b"runWorker", WORKER, InsertionPoint::Start, Argument::None, b"waits"),
    call(b"runWorker", WORKER, InsertionPoint::Call(b"beforeExecute"), Argument::Top, b"began"),
    call(b"runWorker", WORKER, InsertionPoint::Call(b"getTask"), Argument::None, b"ended"),
    call(b"runWorker", WORKER, InsertionPoint::Call(b"processWorkerExit"), Argument::None, b"ended"),
];
/// What asynchronous stages and publishers run by where the machine has few processors (until JDK
/// 24).
const THREAD_FOR_TASK: [Insertion<'_>; 1] =
    [call(b"execute", RUNNABLE, InsertionPoint::Call(b"start"), Argument::Top, b"handsOver")];
const SCHEDULED: [Insertion<'_>; 1] =
    [given(b"delayedExecute", b"(Ljava/util/concurrent/RunnableScheduledFuture;)V", b"submitted")];
const FORK_JOIN_TASK: [Insertion<'_>; 3] = [
    call(b"fork", b"()Ljava/util/concurrent/ForkJoinTask;", InsertionPoint::Start, Argument::Local(0), b"submitted"),
    call(b"<init>", b"()V", InsertionPoint::Return, Argument::Local(0), b"created"),
    call(b"reinitialize", b"()V", InsertionPoint::Start, Argument::Local(0), b"dropped"),
];
const FORK_JOIN_POOL: [Insertion<'_>; 6] = [
    given(b"execute", TASK, b"submitted"),
    given(b"execute", RUNNABLE, b"passed"),
    given(b"submit", TASK_TO_TASK, b"submitted"),
    given(b"externalSubmit", TASK_TO_TASK, b"submitted"),
    given(b"lazySubmit", TASK_TO_TASK, b"submitted"),
    given(b"invoke", TASK_TO_RESULT, b"submitted"),
];
const TIMER: [Insertion<'_>; 1] =
    [call(b"sched", b"(Ljava/util/TimerTask;JJ)V", InsertionPoint::Call(b"add"), Argument::Top, b"submitted")];
const TIMER_THREAD: [Insertion<'_>; 1] =
    [call(b"mainLoop", b"()V", InsertionPoint::Call(b"run"), Argument::Top, b"began")];

/// A class with the field that it was loaded with, and nothing else of ours; `None` if it has none.
pub fn with_field(name: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    let has = ["java/util/concurrent/FutureTask", "java/util/concurrent/ForkJoinTask", "java/util/TimerTask"];
    // That the class takes the field was seen when it was loaded.
    has.contains(&name).then(|| insert(bytes, &FIELD, &[]).ok().flatten()).flatten().map(|class| class.bytes)
}

/// A class of the JDK with what it needs; `None` if nothing is inserted into it.
///
/// # Errors
/// Why the class was left as it is, although something should have been.
pub fn follow(name: &str, bytes: &[u8]) -> Result<Option<Inserted>, String> {
    let (fields, calls, kept): (&[Method], &[Insertion<'_>], &[Guarded]) = match name {
        "java/util/concurrent/FutureTask" | "java/util/TimerTask" => (&FIELD, &[], &[]),
        "java/util/concurrent/ForkJoinTask" => (&FIELD, &FORK_JOIN_TASK, &[(b"doExec", KeptOrigin::InForce)]),
        "java/util/concurrent/CompletableFuture$AsyncRun"
        | "java/util/concurrent/CompletableFuture$AsyncSupply"
        | "java/util/concurrent/CompletableFuture$Completion"
        | "java/util/concurrent/SubmissionPublisher$ConsumerTask" => (&[], &[], &[(b"run", KeptOrigin::InForce)]),
        "java/util/concurrent/CompletableFuture$ThreadPerTaskExecutor"
        | "java/util/concurrent/SubmissionPublisher$ThreadPerTaskExecutor" => (&[], &THREAD_FOR_TASK, &[]),
        "java/util/concurrent/ForkJoinPool" => (&[], &FORK_JOIN_POOL, &[]),
        "java/util/concurrent/ThreadPoolExecutor" => (&[], &EXECUTOR, &[(b"runWorker", KeptOrigin::BetweenTasks)]),
        "java/util/concurrent/ScheduledThreadPoolExecutor" => (&[], &SCHEDULED, &[]),
        "java/util/Timer" => (&[], &TIMER, &[]),
        "java/util/TimerThread" => (&[], &TIMER_THREAD, &[]),
        _ => return Ok(None),
    };
    let reason = |reason: SkipReason| reason.to_string();
    let inserted = insert(bytes, fields, calls).map_err(reason)?;
    let guarded = guard_origins(inserted.as_ref().map_or(bytes, |class| &class.bytes), kept).map_err(reason)?;
    if inserted.is_none() && !calls.is_empty() || guarded.is_none() && !kept.is_empty() {
        return Err("it is not as it is known".into());
    }
    Ok(match (inserted, guarded) {
        (Some(inserted), Some(guarded)) => Some(inserted.then(guarded)),
        (inserted, guarded) => guarded.or(inserted),
    })
}
