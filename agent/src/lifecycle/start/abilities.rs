//! What a run asks of the JVM: capabilities and events, by what the options need.
//!
//! Invariant: without hooks nothing is asked for that makes the JVM leave its CDS archive aside
//! (early class hooks, early VMStart), nor that it tells of each class.
//! Source: JVMTI "Capability"; `JvmtiManageCapabilities` of HotSpot, which has some capabilities
//! only before the JVM runs.

use jvmti_bindings::sys::jvmti::{
    JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, JVMTI_EVENT_CLASS_PREPARE, JVMTI_EVENT_OBJECT_FREE, JVMTI_EVENT_VM_DEATH,
    JVMTI_EVENT_VM_INIT, JVMTI_EVENT_VM_START, jvmtiCapabilities, jvmtiEvent,
};

use crate::events::sources::registered;
use crate::jvm::jvmti::Jvmti;
use crate::options::Options;

/// The capabilities.
pub fn wanted(options: &Options, has_virtual_threads: bool) -> jvmtiCapabilities {
    let mut wanted = jvmtiCapabilities::default();
    let reports_threads = options.encoder.hears_of_thread_ends() || options.exceptions.is_some() || options.locks;
    wanted.set_can_support_virtual_threads(reports_threads && has_virtual_threads);
    if options.has_hooks() {
        wanted.set_can_generate_all_class_hook_events(true);
        wanted.set_can_generate_early_class_hook_events(true);
        wanted.set_can_generate_early_vmstart(true);
        wanted.set_can_retransform_classes(true);
        wanted.set_can_tag_objects(true);
        wanted.set_can_generate_object_free_events(true);
    }
    wanted.set_can_get_bytecodes(true);
    wanted.set_can_get_line_numbers(true);
    wanted.set_can_get_source_file_name(!options.has_hooks());
    registered::on(options).for_each(|source| source.body.capabilities(options, &mut wanted));
    wanted
}

/// The events of every run.
pub fn events(options: &Options) -> &'static [jvmtiEvent] {
    static ALL: [jvmtiEvent; 6] = [
        JVMTI_EVENT_VM_INIT,
        JVMTI_EVENT_VM_DEATH,
        JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
        JVMTI_EVENT_CLASS_PREPARE,
        JVMTI_EVENT_OBJECT_FREE,
        JVMTI_EVENT_VM_START,
    ];
    if options.has_hooks() { &ALL } else { &ALL[..2] }
}

/// What a running JVM does not give, in one line.
///
/// # Errors
/// The first option that needs it, and what to do.
pub fn given_late(jvmti: Jvmti, options: &Options) -> Result<(), String> {
    let potential = jvmti.potential_capabilities();
    let alloc = if options.leaks { "leaks" } else { "alloc" };
    if options.alloc.is_some() && !potential.can_generate_sampled_object_alloc_events() {
        return Err(format!("option '{alloc}' cannot be had now: another agent of this JVM samples allocations"));
    }
    let monitors = potential.can_generate_monitor_events() && potential.can_get_monitor_info();
    let needs = [
        ("exceptions", options.exceptions.is_some() && !potential.can_generate_exception_events()),
        ("locks", options.locks && !monitors),
        // Threads say which they are as they begin.
        ("cpu", options.cpu.is_some()),
    ];
    let needed: Vec<&str> = needs.into_iter().filter_map(|(option, is)| is.then_some(option)).collect();
    if needed.is_empty() {
        return Ok(());
    }
    let needed = needed.join(" and ");
    Err(format!("{needed} must be there when the JVM starts: use -agentpath:<path of liblucce.so>=hooks=off,..."))
}
