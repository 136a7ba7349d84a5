//! `jdk=on`: hooks in the JDK's own classes, under the same oracle and the same targets.
//!
//! Invariant: the same output and exit status as without the agent, checks above 0, no mismatch, nothing lost; and every frame that
//! `Throwable.getStackTrace` shows is in the trace, but for native methods and the few classes that stay out.
//! Source: JVMTI RetransformClasses; ARCHITECTURE, "The JDK's own classes".

#![forbid(unsafe_code)]

use lucce_jvm_tests::{Hazard, hazards};

/// All first uses of links, and every so many entries: there are some hundred thousand before a program's own first.
const OPTIONS: &str = "jdk=on,verify=200";

fn with_jdk(target: &'static str) -> Hazard {
    Hazard::new(target).agent(OPTIONS)
}

hazards! {
    on [11 on_11, 17 on_17, 21 on_21, 25 on_25] {
        every_frame_is_there: with_jdk("JdkFrames");
        exceptions_through_many_frames: with_jdk("ExceptionUnwind");
        static_initialisers: with_jdk("StaticInit");
        callbacks_out_of_collections_and_streams: with_jdk("Callbacks");
    }
    on [21 on_21, 25 on_25] {
        virtual_threads_that_block_and_move: with_jdk("VirtualThreads");
    }
}
