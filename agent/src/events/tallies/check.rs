//! The oracle's part: is what a record counts the context that the JVM's own stack walk shows?
//!
//! Invariant: word, site and shadow stack are compared as those of any event, bytecode index
//! included; the record's node, which is what the log gets, must be that of the context which was
//! compared.
//! Source: docs/design/verifier.md.

use std::sync::atomic::Ordering;

use lucce_log::Record;
use lucce_words::NodeId;

use super::published;
use crate::hook_tables::tallies::TallyRecord;
use crate::jvm::thread::JavaThread;
use crate::stack::frames::StackView;
use crate::state::agent::{Agent, count};
use crate::{encode::capture, encode::walk, verify::oracle};

/// Checks a use of `record`: what the thread has published is the place that was counted.
pub fn check(agent: &Agent, thread: JavaThread, record: &TallyRecord) {
    if !agent.oracle.ticks.takes_entry(agent.options.verify) {
        return;
    }
    let Some(context) = published(agent, thread) else { return };
    let view = StackView::of(agent, thread.jni);
    let Some(stack) = walk::instrumented(view) else {
        count(&agent.oracle.unanswered);
        return;
    };
    oracle::check_event(view, &context, &stack);
    let (node, _) = record.nodes();
    if node == NodeId(0) || !context.is_known() {
        return;
    }
    let found = capture::node(agent, thread, &context);
    // A walk may cut elsewhere than the walk that made the record.
    let agrees = match context.published {
        true => found == Some(record.nodes()),
        false => found.is_some_and(|(found, _)| found == node),
    };
    if !agrees {
        agent.oracle.mismatches.fetch_add(1, Ordering::Relaxed);
        let text =
            format!("MISMATCH: a tally counts for the nodes {:?}, and its context has {found:?}\n", record.nodes());
        say!("{}", text.trim_end());
        agent.graph.locked(|graph| graph.record(Record::Mismatch { text }));
    }
}
