//! One named test for each hazard and JVM: the Java target checks itself with `StackWalker`, the
//! agent with `verify`. On which JVMs a usual run has it says CONTRIBUTING.
//!
//! Invariant: the same output and exit status as without the agent, checks above 0, no mismatch,
//! nothing lost.
//! Source: docs/guide/verification.md.

use lucce_jvm_tests::{Hazard, hazards, option, place};

hazards! {
    on [11 on_11, 17 on_17, 21 on_21, 25 on_25] {
        self_and_mutual_recursion: Hazard::new("Recursion");
        recursion_to_depth_100_000: Hazard::new("DeepRecursion");
        fib_with_two_call_sites: Hazard::new("Fib");
        exceptions_through_many_frames: Hazard::new("ExceptionUnwind");
        exceptions_out_of_constructors: Hazard::new("ConstructorThrows");
        exceptions_out_of_calls_of_super: Hazard::new("FailingSupers");
        stack_overflow_at_every_depth: Hazard::new("StackOverflow").elsewhere("verify=50");
        constructors_called_by_the_jdk: Hazard::new("ConstructorReferences");
        early_returns_and_calls_that_lead_nowhere: Hazard::new("EarlyReturns");
        static_initialisers: Hazard::new("StaticInit");
        class_loaders_written_in_java: Hazard::new("Loaders");
        a_class_loader_too_large_for_hooks: Hazard::new("LargeLoader");
        condy_bootstraps_and_service_providers: Hazard::new("Condy");
        callbacks_out_of_collections_and_streams: Hazard::new("Callbacks");
        parallel_streams: Hazard::new("ParallelStreams");
        system_properties_of_its_own_below_calls_of_string: Hazard::new("OwnProperties");
        messages_of_errors_that_ask_system_properties_of_its_own: Hazard::new("OutOfRange");
        messages_of_errors_that_ask_system_properties_without_hooks: Hazard::new("OutOfRange").option("-Dplain=true");
        reflection_and_proxies: Hazard::new("Reflection");
        method_handles_lambdas_and_string_concatenation: Hazard::new("Handles");
        delegation_between_methods_of_one_name: Hazard::new("Delegation");
        interface_methods_bridges_and_nested_classes: Hazard::new("Members");
        jni_upcalls: Hazard::new("JniUpcalls").option(option("-Dupcalls=", place().upcalls()));
        finalizers_and_cleaners: Hazard::new("Cleaning");
        shutdown_hooks: Hazard::new("ShutdownHooks");
        threads_racing_through_new_edges: Hazard::new("Races");
        thread_pools: Hazard::new("ThreadPools");
        thread_bases_and_monitors: Hazard::new("ThreadBases");
        one_name_in_two_loaders_and_unloading: Hazard::new("TwoLoaders");
        retransformation_by_another_agent: Hazard::new("Retransform").option(place().other_agent(""));
        large_methods_and_many_locals: Hazard::new("LargeMethods");
        old_class_files: Hazard::new("OldClasses");
        locals_that_a_method_does_not_have: Hazard::new("FarLocals");
        classes_with_bytes_changed_at_random: Hazard::new("Mutants");
        line_tables_with_one_index_twice: Hazard::new("LineTables");
        line_tables_with_one_index_twice_where_hooks_stand: Hazard::new("LineTables").agent("verify=1,alloc=all,entries=lines.*,encoder=lucce");
        serialization_and_parsers: Hazard::new("Serialization");
        captured_contexts: Hazard::new("Captures");
        classes_that_come_and_go: Hazard::new("Unloading");
        initialisers_between_a_static_site_and_its_method: Hazard::new("StaticInterposer");
        names_beyond_the_bmp: Hazard::new("WideNames");
        anonymous_and_hidden_classes: Hazard::new("AnonymousClasses");
    }
    // Only these generate accessors.
    on [11 on_11, 17 on_17] {
        generated_reflection_accessors: Hazard::new("Reflection").option("-Dsun.reflect.noInflation=true");
    }
    on [17 on_17, 25 on_25] {
        early_returns_interpreted: Hazard::new("EarlyReturns").compiled(&["-Xint"]);
        early_returns_timed: Hazard::new("EarlyReturns").agent("verify=100,cpu=100us");
        callbacks_compiled_at_once: Hazard::new("Callbacks").compiled(&["-Xcomp", "-XX:TieredStopAtLevel=1"]);
        delegation_interpreted: Hazard::new("Delegation").compiled(&["-Xint"]);
    }
    on [25 on_25] {
        early_returns_compiled_at_once: Hazard::new("EarlyReturns").compiled(&["-Xcomp"]);
    }
    on [17 on_17, 21 on_21, 25 on_25] {
        records_and_sealed_types: Hazard::new("Records");
    }
    on [21 on_21, 25 on_25] {
        virtual_threads_that_block_and_move: Hazard::new("VirtualThreads");
    }
}
