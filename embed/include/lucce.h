/*
 * Lucce for native agents: the exact calling context of the current thread as one number, and back.
 *
 * Finding it. liblucce.so, when the JVM has loaded it (-agentpath:liblucce.so), gives a table of functions:
 *
 *     const struct lucce_api *lucce = lucce_find(LUCCE_VERSION);
 *
 * The JVM opens agents with RTLD_LOCAL, so dlsym(RTLD_DEFAULT, ...) does not see the symbol; lucce_find asks for the library that is
 * loaded by its SONAME. Who links with -llucce may call lucce_get_api directly.
 *
 * Order. Agents are loaded as they stand on the command line. Behind Lucce, lucce_find works from Agent_OnLoad on; before it, it gives NULL
 * there, and works from VMInit on. Without Lucce it gives NULL for ever. JVMTI posts VMDeath in the same order: Lucce closes its log
 * in its own VMDeath, so who has something to log at the end registers a consumer with `closing`, which is called before that.
 *
 * Versions. lucce_get_api(n) gives NULL for an n that the library does not know. Within a version functions are only added, at the end of
 * the table: one is there if it lies within `size`. Structs that the caller fills in begin with their own size, for the same reason.
 *
 * Threads. `env` must be the JNI environment of the current thread: all functions that take one refuse any other with LUCCE_THREAD, so
 * they do nothing in GarbageCollectionStart, GarbageCollectionFinish and ObjectFree, which have none. A pending exception is kept. Functions
 * may be called from JVMTI callbacks of any environment, from native methods, and from consumers. None throws, none calls Java code. Where
 * the log cannot keep up, context, capture and log wait for it, and remove_consumer waits for the consumer, each a second at most; otherwise
 * none blocks for long.
 *
 * Phases. Before Lucce's Agent_OnLoad, and where Lucce stays inert, all functions give LUCCE_NOT_STARTED; until Lucce's VMStart those that take
 * an env do. Contexts begin with VMInit: from VMStart to there nothing is instrumented, which reads LUCCE_OUTSIDE. From the end of Lucce's
 * VMDeath on, and from the kill switch on, these functions and add_consumer give LUCCE_OVER; decode, decode_word, remove_consumer, statistics,
 * hot and run work on. Where no class has hooks, decode knows no number any more. capture and run, which return no code, give 0 for each of these.
 */
#ifndef LUCCE_H
#define LUCCE_H

#include <jni.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LUCCE_VERSION 1u

/* What functions return. */
enum {
    LUCCE_OK = 0,
    LUCCE_NOT_STARTED = 1, /* Lucce is not loaded, not loaded yet, or inert */
    LUCCE_OVER = 2,        /* after VMDeath, or after the kill switch was used */
    LUCCE_ARGUMENT = 3,    /* a null pointer, an empty or overlong name, a struct that is too small */
    LUCCE_THREAD = 4,      /* env is not the current thread's */
    LUCCE_OUTSIDE = 5,     /* no instrumented code on the stack, or nothing published there */
    LUCCE_LOST = 6,        /* the context could not be kept */
    LUCCE_UNKNOWN = 7,     /* no captured number of this run, no such consumer */
    LUCCE_PARTIAL = 8,     /* the frames end above the thread's base */
    LUCCE_DROPPED = 9,     /* the log's queue is full */
    LUCCE_BUSY = 10,       /* the consumer is removed but still running in another thread */
    LUCCE_FULL = 11,       /* too many consumers */
    LUCCE_INTERNAL = 12    /* an error inside Lucce; it is counted */
};

/*
 * A frame of a decoded context. Strings are UTF-8, and live until the callback returns. What UTF-8 cannot hold in a name is written as
 * docs/FORMAT.md says of `text`: a surrogate that stands alone is U+10FFFD and U+E000 plus its place behind U+D800; a zero is U+10FFFD U+E800.
 */
struct lucce_frame {
    uint32_t size;          /* of this struct */
    int32_t line;           /* -1: the class file does not say */
    const char *class_name; /* "com.acme.Cache$Entry" */
    const char *method;
    const char *descriptor; /* "(I)V" */
    const char *file;       /* SourceFile, or NULL */
    uint32_t bci;           /* in the class bytes as Lucce was given them */
    uint32_t pad;
};

/* Called for each frame, innermost first. Anything but 0 ends the decoding, which still returns LUCCE_OK. */
typedef int32_t (*lucce_on_frame)(const struct lucce_frame *frame, void *data);

/*
 * An event of the log, as consumers see it. Strings and references live until the callback returns. The kinds, with the options on Lucce's
 * command line that they need, their values and their types:
 *
 *     alloc       alloc=<bytes>, leaks    bytes of the object                                    of the object
 *     exception   exceptions              1                                                      of the exception
 *     monitor     locks                   nanoseconds waited                                     of the monitor
 *     park        locks                   nanoseconds waited                                     of the blocker, if there is one
 *     cpu         cpu=<interval>          nanoseconds of CPU time since the last of the thread   none
 *     leak, leak.*  leaks                 see docs/FORMAT.md, "Leaks"                            of the objects, or none
 *     any other   -                       the program's or agent's own                           what it names, or none
 *
 * The kinds above are Lucce's own alone: a kind that the program, or an agent, calls by one of these names reads "program:alloc", here as in
 * lucce-decode (docs/FORMAT.md, "Kinds").
 *
 * What alloc=all and entries count, and the contexts that the option contexts writes (kind entered), are no events to consumers.
 */
struct lucce_event {
    uint32_t size;
    int32_t site;           /* where the innermost instrumented activation stands */
    const char *kind;
    int64_t value;
    uint64_t word;          /* the word of that activation; 0 for an event that was given a captured context */
    uint64_t captured;      /* the context, if the consumer wants it and it is not lost; else 0 */
    uint64_t time_ns;       /* since the start of the run */
    jobject thread;         /* a local reference */
    jclass type;            /* for sampled allocations the class of the object, a local reference; else NULL */
    const char *type_name;  /* the type of any kind: "byte[]" reads "[B", others "java/lang/String"; NULL if there is none */
    jobject object;         /* for sampled allocations the object, a local reference; else NULL */
};

/* What a consumer gets. Either function may be NULL. */
struct lucce_consumer {
    uint32_t size;
    uint32_t flags; /* LUCCE_CAPTURED or 0 */
    /* On the thread of the event: inside JVMTI's SampledObjectAlloc, Exception or MonitorContendedEntered, behind a park, on a thread
       of Lucce's own (cpu), or inside the call that made the event; JNI is allowed as in JVMTI callbacks. Events made meanwhile on that
       thread are logged, but not given to consumers. Events outside of instrumented code, and of sources that were stopped, are not in
       the log and not given; those that the log then has no room for are given. It must not throw C++ exceptions. */
    void (*event)(JNIEnv *env, const struct lucce_event *event, void *data);
    /* Once, in Lucce's VMDeath, before the log is closed: the last time that log works, unless the
       kill switch was used before. */
    void (*closing)(JNIEnv *env, void *data);
    void *data;
};

/* A flag of lucce_consumer: events come with their captured context, which takes a lock for each. */
#define LUCCE_CAPTURED 1u

/* An event to be logged. */
struct lucce_new_event {
    uint32_t size;
    uint32_t pad;
    const char *kind;      /* 1 to 255 bytes of UTF-8; never one of Lucce's own kinds, whatever it says */
    int64_t value;
    uint64_t captured;     /* its context; 0: that of the current thread, here and now */
    const char *type_name; /* a class that goes with it, as in lucce_event, or NULL; up to 65535 bytes */
};

/* Called for each count. `name` lives until the callback returns. */
typedef void (*lucce_on_count)(const char *name, uint64_t value, void *data);

/* A context that has a share of all sampled entries, or perhaps has it. */
struct lucce_hot {
    uint32_t size;         /* of this struct */
    int32_t is_hot;        /* 1: it has the share; 0: perhaps */
    uint64_t captured;     /* the context, for decode; 0 where its classes were unloaded */
    uint64_t samples;      /* of it, at least */
    uint64_t most_samples; /* and at most: more where others have taken over counters (hot=<share>) */
    double low;            /* its share of all entries, with a probability of 95 % not less; with profile=<length>/<interval> of the samples */
    double high;           /* and not more */
};

/* Called for each such context, the hottest first. Anything but 0 ends that. */
typedef int32_t (*lucce_on_hot)(const struct lucce_hot *hot, void *data);

struct lucce_api {
    uint32_t size; /* of this table, in bytes */
    uint32_t version;

    /* The id of this run, as the log's header has it; 0 if Lucce is not started. Any thread, any phase. */
    uint64_t (*run)(void);

    /*
     * The word that a thread has published last, and the site it was about to run. thread NULL: the current one.
     * This is what the program's own code keeps up to date, for nothing: it is the innermost activation's at its calls and allocations,
     * and stale elsewhere (behind a return; at an exception that the JVM makes; at a method's entry). Of a thread that is neither the current
     * one nor suspended the two may not belong together. Who needs the exact context asks for capture.
     * Below methods that sleep (hooks=demand, the default) nothing is published: for the current thread the stack is walked; of another one
     * it reads LUCCE_OUTSIDE. Who needs other threads' words asks for hooks=all.
     * With hashed words (encoder=pcc, which jdk=on, alloc=all and entries choose) the current thread's word is learned, by a look
     * at the stack the first time. Another thread's is told if it was learned before, else it is LUCCE_LOST. Who needs those asks for encoder=lucce.
     * LUCCE_OUTSIDE: nothing is published. LUCCE_LOST: the word says that the context could not be kept. Live phase.
     */
    int32_t (*context)(JNIEnv *env, jobject thread, uint64_t *word, int32_t *site);

    /*
     * The exact context of the current thread as one number, equal for equal contexts in this run, at whatever instruction the thread
     * stands. It looks at the innermost frames; where what is published is not theirs it walks the stack, which is counted
     * (slow.event_walks). 0 outside of instrumented code, if the context is lost, and wherever other functions return an error. Live phase.
     */
    uint64_t (*capture)(JNIEnv *env);

    /*
     * The frames of a captured number. Any thread, also one that the JVM does not know, and any time from the capture on,
     * VMDeath and garbage collection callbacks included. LUCCE_UNKNOWN: no such number.
     */
    int32_t (*decode)(uint64_t captured, lucce_on_frame on_frame, void *data);

    /*
     * The frames of a word at its site, as far as the two tell without the thread's chain: LUCCE_PARTIAL where they end above the
     * thread's base. Any thread, any time.
     */
    int32_t (*decode_word)(uint64_t word, int32_t site, lucce_on_frame on_frame, void *data);

    /*
     * Logs an event, and gives it to consumers. LUCCE_OUTSIDE, LUCCE_LOST: without a context there is no event. Live phase, and in
     * `closing`; LUCCE_OVER afterwards.
     */
    int32_t (*log)(JNIEnv *env, const struct lucce_new_event *event);

    /*
     * Registers a consumer of all events; the struct is copied. From Lucce's Agent_OnLoad to its VMDeath, or the kill switch; at most 16.
     * Any thread, also one that the JVM does not know. Which kinds come is for Lucce's command line to say: see lucce_event.
     */
    int32_t (*add_consumer)(const struct lucce_consumer *consumer, uint64_t *id);

    /*
     * Takes it away, and waits for the calls of it that are under way in other threads. When this returns LUCCE_OK, it is not called any
     * more and runs nowhere, but for the caller's own call where it removes itself. After a second of waiting LUCCE_BUSY: not called any more,
     * but not known to have returned. Any thread, also one that the JVM does not know, but none that holds what the consumer waits for; any
     * time from Lucce's Agent_OnLoad on.
     */
    int32_t (*remove_consumer)(uint64_t id);

    /* The agent's counts by name, as lucce-decode --stats prints them. Any thread, any time. */
    int32_t (*statistics)(lucce_on_count on_count, void *data);

    /*
     * With profile: the contexts that run most right now, of all that was sampled so far: those with this share of all entries, from 0 to 1, or
     * perhaps with it. Any other number stands for the share of the option hot, which is 0.01 without it. LUCCE_UNKNOWN: nothing is sampled.
     * Any thread, any time. Takes time and memory for each context that has a counter.
     */
    int32_t (*hot)(double share, lucce_on_hot on_hot, void *data);
};

/* The table, or NULL for a version that this library does not know. Any thread, any time. */
const struct lucce_api *lucce_get_api(uint32_t version);

#ifndef LUCCE_NO_FIND
#include <dlfcn.h>
/*
 * The table of the Lucce that this JVM has loaded; NULL if it has not. GNU's C library finds it by this name. musl finds a library by the path
 * alone that it was loaded by, so define this as the path that -agentpath has.
 */
#ifndef LUCCE_LIBRARY
#define LUCCE_LIBRARY "liblucce.so"
#endif
static inline const struct lucce_api *lucce_find(uint32_t version) {
    void *library = dlopen(LUCCE_LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
    void *symbol = library == NULL ? NULL : dlsym(library, "lucce_get_api");
    const struct lucce_api *(*get)(uint32_t) = NULL;
    if (symbol == NULL) return NULL;
    *(void **)&get = symbol;
    return get(version);
}
#endif

#ifdef __cplusplus
}
#endif
#endif
