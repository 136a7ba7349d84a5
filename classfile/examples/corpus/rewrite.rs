//! Identity and hooks over many classes, with counts.
//!
//! Invariant: a class that cannot be read at all is counted and left as it is.

use crate::Arguments;
use crate::sources::Class;
use lucce_classfile::{
    HookOutcome, Policy, RewriteOptions, SequentialIds, guard, identity, instrument, method_id_of, summary,
};
use lucce_words::MethodId;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What came out.
#[derive(Default)]
pub struct Report {
    /// New bytes of each class that changed.
    pub rewritten: Vec<Option<Vec<u8>>>,
    /// Classes whose identity is not the same, and hooked methods whose id was not found again.
    pub changed: usize,
    /// Methods with code, in classes that could be read.
    pub methods: usize,
    /// Of those, the ones left as they are.
    pub skipped: usize,
    classes: usize,
    unreadable: BTreeMap<String, usize>,
    outcomes: BTreeMap<String, usize>,
    named: Vec<String>,
    bytes: usize,
    grown: usize,
    time: Duration,
}

/// Every other name is interposable, four of five methods may be inactive, and nothing is inert:
/// the most code of each kind.
struct Anything {
    /// Count the invocations of every third name.
    count: bool,
}

impl Policy for Anything {
    fn interposable(&self, name: &[u8], _: &[u8]) -> bool {
        name.len().is_multiple_of(2)
    }
    fn inert(&self, _: &[u8]) -> bool {
        false
    }
    fn is_lazy(&self, _: &[u8], name: &[u8]) -> bool {
        !name.len().is_multiple_of(5)
    }
    fn counts_entries(&self, _: &[u8], name: &[u8], _: &[u8]) -> bool {
        self.count && name.len().is_multiple_of(3)
    }
}

/// Rewrites all classes.
pub fn all(classes: &[Class], arguments: &Arguments) -> Report {
    let mut report = Report { classes: classes.len(), ..Report::default() };
    let mut ids = SequentialIds::large();
    for class in classes {
        report.bytes += class.bytes.len();
        match identity(&class.bytes) {
            Ok(bytes) if bytes == class.bytes => {}
            Ok(_) => report.note(&class.path, "identity differs"),
            Err(reason) => {
                *report.unreadable.entry(reason.name().into()).or_default() += 1;
                report.named.push(format!("{}: identity: {reason}", class.path));
            }
        }
        let start = Instant::now();
        let rewritten = if arguments.guard { guarded(class) } else { report.hooked(class, &mut ids, arguments) };
        report.time += start.elapsed();
        report.grown += rewritten.as_ref().map_or(class.bytes.len(), Vec::len);
        report.rewritten.push(rewritten);
    }
    report
}

fn guarded(class: &Class) -> Option<Vec<u8>> {
    let summary = summary(&class.bytes).ok()?;
    let methods: Vec<_> = summary.methods.iter().map(|method| (method.name, method.desc)).collect();
    guard(&class.bytes, &methods).ok()?.map(|guarded| guarded.bytes)
}

impl Report {
    fn note(&mut self, path: &str, what: &str) {
        self.changed += 1;
        self.named.push(format!("{path}: {what}"));
    }

    fn hooked(&mut self, class: &Class, ids: &mut SequentialIds, arguments: &Arguments) -> Option<Vec<u8>> {
        let Arguments { alloc: publish_allocations, count, .. } = *arguments;
        let options = RewriteOptions { publish_allocations, count_allocations: count, ..RewriteOptions::default() };
        let done = match instrument(&class.bytes, ids, &Anything { count }, &options) {
            Ok(done) => done,
            Err(reason) => {
                *self.outcomes.entry(format!("class {}", reason.name())).or_default() += 1;
                // What is no class file at all has no methods, and was named by the identity.
                if let Ok(summary) = summary(&class.bytes) {
                    self.methods += summary.methods.len();
                    self.skipped += summary.methods.len();
                    self.named.push(format!("{}: {reason}", class.path));
                }
                return None;
            }
        };
        for method in &done.methods {
            self.methods += usize::from(method.outcome != HookOutcome::NoCode);
            let outcome = match method.outcome {
                HookOutcome::Hooked(_) => "hooked".to_owned(),
                HookOutcome::HookedHuge(_) => "hooked huge".into(),
                HookOutcome::NoHooks => "no hooks".into(),
                HookOutcome::NoCode => "no code".into(),
                HookOutcome::Skipped(reason) => {
                    let name = String::from_utf8_lossy(method.name).into_owned();
                    self.skipped += 1;
                    self.named.push(format!("{}.{name}: {reason}", class.path));
                    format!("skipped {}", reason.name())
                }
            };
            *self.outcomes.entry(outcome).or_default() += 1;
        }
        let found = found_again(&done.bytes);
        let hooked = done.methods.iter().filter_map(|method| match method.outcome {
            HookOutcome::Hooked(id) | HookOutcome::HookedHuge(id) => Some(id),
            _ => None,
        });
        if !hooked.eq(found) {
            self.note(&class.path, "method ids not found again");
        }
        (done.bytes != class.bytes).then_some(done.bytes)
    }

    /// Prints the counts, and by name whatever was not rewritten.
    pub fn print(&self, name: &str) {
        let rate = self.bytes as f64 / 1e6 / self.time.as_secs_f64().max(1e-9);
        let growth = self.grown as f64 / self.bytes.max(1) as f64;
        println!("{name}: {} classes, {} bytes, {rate:.0} MB/s, grown to {growth:.2}", self.classes, self.bytes);
        println!("  unreadable {:?}, outcomes {:?}", self.unreadable, self.outcomes);
        self.named.iter().for_each(|name| println!("  {name}"));
    }
}

/// The ids that the prologues of a class file name, by a small scan of its own.
fn found_again(bytes: &[u8]) -> Vec<MethodId> {
    let u2 = |at: usize| usize::from(bytes[at]) << 8 | usize::from(bytes[at + 1]);
    let u4 = |at: usize| u2(at) << 16 | u2(at + 2);
    let count = u2(8);
    let (mut at, mut index, mut code_names) = (10, 1, Vec::new());
    while index < count {
        let len = match bytes[at] {
            1 => {
                if &bytes[at + 3..at + 3 + u2(at + 1)] == b"Code" {
                    code_names.push(index);
                }
                3 + u2(at + 1)
            }
            3 | 4 | 9..=12 | 17 | 18 => 5,
            5 | 6 => {
                index += 1;
                9
            }
            15 => 4,
            _ => 3,
        };
        at += len;
        index += 1;
    }
    let legacy = u2(6) == 45 && u2(4) <= 2;
    at += 8 + 2 * u2(at + 6);
    let mut ids = Vec::new();
    for _members in 0..2 {
        let members = u2(at);
        at += 2;
        for _ in 0..members {
            let attributes = u2(at + 6);
            at += 8;
            for _ in 0..attributes {
                if code_names.contains(&u2(at)) {
                    let (start, len) = if legacy { (at + 10, u2(at + 8)) } else { (at + 14, u4(at + 10)) };
                    ids.extend(method_id_of(&bytes[start..start + len]));
                }
                at += 6 + u4(at + 2);
            }
        }
    }
    ids
}
