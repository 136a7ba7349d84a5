//! What there is to choose, as `help` prints it.

/// The text of `help`.
pub const HELP: &str = "\
lucce: exact calling contexts as one number. Options, separated by commas:
  file=<path>       the log (default lucce-%p-%t.log; %p pid, %t time, %h host, %n number of the file, %% a %); a file of that name is kept as
                    <path>.1, <path>.2, ...
  rotate=<bytes>    go on in another file when one is this large (default 1g), or off; each can be decoded alone
  rotate-every=<time>  or when it is this old: 30m, 1h, 1d (default: never)
  keep=<n>          how many files to keep, the current one included, or all (default 2)
  keyframe=<bytes>  repeat all definitions after this many bytes, so that damage has an end (default 32m), or off
  window=<time>     with alloc=all, entries and profile: write sums for each stretch of time of this length, from 100ms to 3600s (default 10s)
  labels=<pairs>    names of the run for other tools, e.g. service:orders;version:1.4; OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES are read, too
  include=<globs>   classes to instrument, separated by ':' (default: all but the JDK's), e.g. com.acme.*
  exclude=<globs>   classes to leave alone, separated by ':'
  jdk=on            instrument the JDK's classes, too (default off)
  alloc=<bytes>     sample allocations, on average one every <bytes>, below 2g; k, m, g are understood
  alloc=all         count every allocation of instrumented code, and its bytes, by context
  entries=<globs>   count the invocations of methods by context; globs of class.method separated by ':', e.g. com.acme.*.handle*
  profile=<n>       sample each n-th entry of a method, more or less: which contexts run most; all: every entry
  profile=<time>    sample a thread's first entry after each such time, e.g. 10ms; goes with hooks=demand
  hot=<share>       with profile: keep only so many contexts as it takes to find those with this share of the samples, e.g. 1e-4
  exceptions[=<globs>|on]  log exceptions as they are thrown, all or those whose classes match
  locks[=on]        log waits for contended monitors and in LockSupport.park, with their time
  cpu=<interval>    log the CPU time of running threads, each time at the instruction where an interval from 100us to 3600s has ended,
                    e.g. 10ms
  leaks[=<bytes>]   find leaks among the sampled allocations; the bytes are as for alloc, 128k by default
  verify=<n>        compare every n-th entry with the JVM's own stack walk
  verify=<time>     compare one entry and one event in that time
  dump=<dir>        write classes before and after rewriting
  encoder=<which>   auto (default): pcc, hashed words, with jdk=on, else lucce, numbered words; icpp, words
                    that are the same in every run and learned by walks; to compare: algorithm1, and cct, a calling context tree for
                    each thread; for benchmarks only, without contexts: none (the same rewritten code with hooks that do nothing) and
                    count (says at exit how many methods were entered)
  icpp=<weights>    with encoder=icpp: what words are made of: natural (sizes of frames), names (hashes, added), mixed (hashes, the
                    default), or the file of a trained map
  walks=off         with encoder=icpp: write words alone, to be decoded by a map: lucce-decode --map <map> <log>
  cct-memory=<bytes>  most bytes for the trees of encoder=cct (default 1g, below 2g); contexts without a node are unknown then
  trace=<file>      with encoder=cct: write every entry of a method as its node, by thread, for comparisons of algorithms
  contexts          log each distinct context that a method was entered in, as an event of kind entered; needs verify=1
                    or encoder=cct
  async=on          follow tasks: events of tasks say where they were handed over to an executor
  hooks=demand      methods sleep, at little cost, until contexts are asked for often below them; the default unless jdk=on, start=off,
                    verify, another encoder, or an event source but alloc=<bytes> and leaks is asked for
  hooks=all         none sleeps
  awake=<globs>     with hooks=demand: methods that never sleep; globs of class.method separated by ':'
  wake=<n>          with hooks=demand: methods wake when walks pass more than <n> frames a second (default 200000)
  control=<path>    the socket for lucce-decode ctl (default on: /tmp/lucce-<pid>.sock), or off
  cache=<file>      keep rewritten classes in this file, so that the next start with the same options need not rewrite them
  start=off         rewrite nothing until `lucce-decode ctl <pid> start`
  quiet             print only warnings
  help              print this";
