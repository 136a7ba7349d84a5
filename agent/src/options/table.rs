//! All options: how each is written, an example that is right, and what it means.
//!
//! Invariant: help, the guide's chapter (docs/guide/options.md) and the messages about wrong
//! options are made from this table, and each example is taken by [`super::Options::set`]. Source:
//! docs/guide/options.md, which `BLESS=1 cargo xtask test -p lucce-agent options` renews.

/// Options that belong together, under a heading.
pub(super) struct Section {
    pub title: &'static str,
    pub rows: &'static [Row],
}

/// An option, or one of its forms.
pub(super) struct Row {
    /// How it is written: `name`, `name=<value>`.
    pub forms: &'static [&'static str],
    /// One that is right.
    pub example: &'static str,
    /// What it means, as Markdown with links from the guide's folder.
    pub meaning: &'static str,
}

impl Row {
    /// The option's name.
    pub fn name(&self) -> &'static str {
        name(self.example)
    }
}

/// The name in a form.
pub(super) fn name(form: &'static str) -> &'static str {
    form.split_once('=').map_or(form, |(name, _)| name)
}

const fn row(forms: &'static [&'static str], example: &'static str, meaning: &'static str) -> Row {
    Row { forms, example, meaning }
}

/// All rows.
pub(super) fn rows() -> impl Iterator<Item = &'static Row> {
    SECTIONS.iter().flat_map(|section| section.rows)
}

pub(super) const SECTIONS: &[Section] = &[
    Section {
        title: "What to record",
        rows: &[
            row(
                &["alloc=<bytes>"],
                "alloc=512k",
                "Sample allocations: one every so many bytes on average, below `2g`.",
            ),
            row(
                &["alloc=all"],
                "alloc=all",
                "[Count](counting.md) every allocation of instrumented code, and its bytes, by context and class.",
            ),
            row(
                &["exceptions", "exceptions=<globs>"],
                "exceptions",
                "Log exceptions as they are thrown: all of them, or those whose classes match.",
            ),
            row(
                &["locks"],
                "locks",
                "Log waits for contended monitors and in `LockSupport.park`, with their time. For a share of them, say who held \
                 the lock.",
            ),
            row(
                &["cpu=<interval>"],
                "cpu=10ms",
                "Log the CPU time of running threads, with the context in which each interval of a thread's own ends. From \
                 `100us` to `3600s`, such as `10ms`.",
            ),
            row(
                &["entries=<globs>"],
                "entries=com.acme.*.handle*",
                "[Count](counting.md) the calls of methods (`class.method`) by context.",
            ),
            row(
                &["profile=<n>|all"],
                "profile=10007",
                "Sample each n-th entry of a method, give or take an eighth: which contexts [run most](profiles.md). `all` \
                 samples every entry.",
            ),
            row(
                &["profile=<time>"],
                "profile=10ms",
                "Sample the first entry of a thread behind each tick, such as `10ms`.",
            ),
            row(
                &["profile=<length>/<interval>"],
                "profile=2ms/20ms",
                "Sample all entries of a burst, once in each interval: static bursting, to compare with.",
            ),
            row(
                &["hot=<share>"],
                "hot=1e-4",
                "With `profile`: keep only as many contexts as it takes to find those with this share of the samples, such as \
                 `1e-4`.",
            ),
            row(
                &["leaks", "leaks=<bytes>"],
                "leaks",
                "Find [leaks](leaks.md) among sampled allocations. The default is one sample every 128 KiB.",
            ),
            row(
                &["async=on"],
                "async=on",
                "Follow [tasks](task-origins.md): their events say where they were handed to an executor.",
            ),
        ],
    },
    Section {
        title: "Where to record",
        rows: &[
            row(
                &["file=<path>"],
                "file=app.log",
                "The log. `%p` is the process id, `%t` the time, `%h` the host, `%%` a percent sign. `%n`, in the file's name \
                 alone, is the number of the file. Default `lucce-%p-%t.log`. The agent renames a file that is there already to \
                 `<path>.1`, `.2` and so on; it never deletes it.",
            ),
            row(
                &["rotate=<bytes>|off"],
                "rotate=256m",
                "Go on in another file when this one is so large. Default `1g`.",
            ),
            row(
                &["rotate-every=<time>"],
                "rotate-every=1h",
                "Go on in another file when this one is so old, such as `30m`. Never by default.",
            ),
            row(&["keep=<n>|all"], "keep=8", "Keep so many of the newest files, the current one included. Default 2."),
            row(
                &["keyframe=<bytes>|off"],
                "keyframe=32m",
                "Repeat all definitions after so many bytes of a file, so that damage has an end. Default `32m`.",
            ),
            row(
                &["window=<time>"],
                "window=10s",
                "With `alloc=all`, `entries` and `profile`: write sums for each stretch of time of this length, from `100ms` to \
                 `3600s`. Default `10s`.",
            ),
            row(
                &["labels=<name>:<value>;..."],
                "labels=service:orders",
                "Names of the run for other tools, such as `service:orders;version:1.4`. The agent also reads \
                 `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES`. The log's header carries them.",
            ),
            row(
                &["control=<path>|off"],
                "control=off",
                "The socket at which the running agent takes [commands](production.md#control). Default \
                 `/tmp/lucce-<pid>.sock`.",
            ),
            row(&["quiet"], "quiet", "Print only warnings."),
            row(&["help"], "help", "Print all options."),
        ],
    },
    Section {
        title: "What to instrument",
        rows: &[
            row(&["include=<globs>"], "include=com.acme.*", "Classes to instrument. Default: all but the JDK's own."),
            row(&["exclude=<globs>"], "exclude=com.acme.gen.*", "Classes to leave alone."),
            row(
                &["jdk=on"],
                "jdk=on",
                "Instrument the [JDK's own classes](jdk-frames.md) too. `include` does not apply to them; `exclude` does.",
            ),
            row(
                &["hooks=demand|all"],
                "hooks=all",
                "[Hooks on demand](lazy-hooks.md), or all hooks at work from the start.",
            ),
            row(
                &["hooks=off"],
                "hooks=off",
                "Rewrite no class: contexts come from [stack walks](attach.md#no-hooks), and the JVM keeps its CDS archive. It goes \
                 with `alloc=<bytes>`, `leaks`, `locks`, `exceptions` and `cpu`. It is the default with `alloc=<bytes>` or `leaks`, \
                 unless another source, `verify`, or an option on classes or words is there.",
            ),
            row(
                &["awake=<globs>"],
                "awake=com.acme.Hot.*",
                "With `hooks=demand`: methods (`class.method`) that are always active.",
            ),
            row(
                &["wake=<n>"],
                "wake=200000",
                "With `hooks=demand`: how many walked frames a second activate others. Default 200000.",
            ),
            row(
                &["cache=<file>"],
                "cache=app.lucce",
                "Keep rewritten classes in this file for the [next start](start-up.md). Use one file for each program.",
            ),
            row(
                &["start=off"],
                "start=off",
                "Rewrite nothing until `lucce-decode ctl <pid> start`. Does not go with `jdk=on`, `alloc=all`, `entries`, \
                 `profile`, `async=on` or `encoder=algorithm1`.",
            ),
        ],
    },
    Section {
        title: "To check and to compare",
        rows: &[
            row(
                &["verify=<n>"],
                "verify=1000",
                "Compare contexts with the JVM's own stack walk: [Verification](verification.md).",
            ),
            row(&["verify=<time>"], "verify=10ms", "Compare one entry and one event in that time (`10ms`)."),
            row(&["dump=<dir>"], "dump=classes", "Write classes as they were and as they became."),
            row(
                &["contexts"],
                "contexts",
                "Write each distinct context in which a method was entered as an event of kind `entered`. Needs \
                 `encoder=lucce` with `verify=1`, or `encoder=cct`.",
            ),
            row(
                &["encoder=auto"],
                "encoder=auto",
                "The default: `pcc` with `jdk=on`, `alloc=all` or `entries`, else `lucce`. With `hooks=all` and no `jdk=on` it is \
                 `lucce`. [Encoders](encoders.md) compares all.",
            ),
            row(&["encoder=lucce"], "encoder=lucce", "A versioned numbering of the call graph."),
            row(
                &["encoder=pcc"],
                "encoder=pcc",
                "Hashed words: entries cost least, and no version or table is needed.",
            ),
            row(
                &["encoder=icpp"],
                "encoder=icpp",
                "Words of names or sizes, the same in every run. Walks teach what they mean. A word is probable, not exact. It \
                 goes with every event source but counts.",
            ),
            row(
                &["icpp=<weights>"],
                "icpp=natural",
                "With `encoder=icpp`: `natural` (sizes of frames), `names` (hashes, added up), `mixed` (hashes, the default), \
                 or the file of a trained map.",
            ),
            row(
                &["walks=off"],
                "walks=on",
                "With `encoder=icpp`: write words alone. `lucce-decode --map <map> <log>` says what they mean.",
            ),
            row(&["encoder=algorithm1"], "encoder=algorithm1", "The algorithm of the Lucce paper, with its limits."),
            row(
                &["encoder=cct"],
                "encoder=cct",
                "An exact calling context tree for each thread, as instrumenting profilers keep it. Its nodes have no counts.",
            ),
            row(
                &["cct-memory=<bytes>"],
                "cct-memory=1g",
                "The most bytes for those trees, below `2g`. Default `1g`. When they are used up, new contexts are reported as \
                 lost.",
            ),
            row(
                &["trace=<file>"],
                "trace=app.trace",
                "With `encoder=cct`: write every entry of every method as its node, by thread, with times. Names take `%p`, \
                 `%t` and `%h` as `file` does. Memory is bounded. If the disk takes no more, the trace ends there, says so, and \
                 counts what is missing.",
            ),
            row(
                &["encoder=none|count"],
                "encoder=none",
                "For benchmarks only. `none` keeps the rewritten code with hooks that do nothing. `count` only counts entered \
                 methods by thread.",
            ),
        ],
    },
];
