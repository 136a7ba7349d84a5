//! Which frames are the program's own, and which waits are idle: what a reader looks for first, and
//! last.
//!
//! Invariant: a guess for the layout of a screen alone. No sum depends on it but that of idle
//! waits, which is printed apart.
//! Source: java.util.concurrent (`ThreadPoolExecutor.getTask`, `ForkJoinPool.awaitWork`),
//! java.util.Timer.

use std::collections::BTreeSet;

use crate::export::{Profile, Sum};
use crate::{Log, TraceFrame};

/// Packages of the program: those of its classes with a `main` that the log knows.
#[derive(Clone, Debug, Default)]
pub struct Own {
    packages: BTreeSet<String>,
}

/// Begins of names of classes that no program calls its own.
const OTHERS: [&str; 9] =
    ["java.", "javax.", "jdk.", "sun.", "com.sun.", "kotlin.", "scala.", "groovy.", "org.springframework.boot.loader."];

/// Parts of a package that make it the program's.
const PARTS: usize = 2;

impl Own {
    /// Of these logs.
    pub fn of<'a>(logs: impl Iterator<Item = &'a Log>) -> Self {
        let mut packages = BTreeSet::new();
        for log in logs {
            let names = log.names();
            let methods = log.methods().into_iter().filter_map(|id| names.method(id));
            let mains = methods.filter(|method| &*method.name == "main" && &*method.desc == "([Ljava/lang/String;)V");
            let classes = mains.filter_map(|method| names.class(method.class)).filter(|class| !is_others(&class.name));
            packages.extend(classes.map(|class| package(&class.name)));
        }
        Self { packages }
    }

    /// Is it a frame of the program's own? Where no `main` is known, all are that are no library's.
    pub fn has(&self, frame: &TraceFrame<'_>) -> bool {
        !frame.walked
            && !frame.is_remark()
            && !is_others(frame.class)
            && (self.packages.is_empty() || self.packages.contains(&package(frame.class)))
    }
}

fn is_others(class: &str) -> bool {
    OTHERS.iter().any(|begin| class.starts_with(begin))
}

/// The first parts of a class's package; empty for a class without.
fn package(class: &str) -> String {
    let (package, _) = class.rsplit_once('.').unwrap_or(("", class));
    package.split('.').take(PARTS).collect::<Vec<_>>().join(".")
}

/// Methods below which a thread waits for work, or for its time.
const IDLE: [(&str, &str); 6] = [
    ("java.util.concurrent.ThreadPoolExecutor", "getTask"),
    ("java.util.concurrent.ForkJoinPool", "awaitWork"),
    ("java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue", "take"),
    ("java.util.TimerThread", "mainLoop"),
    ("java.lang.ref.ReferenceQueue", "remove"),
    ("jdk.internal.ref.CleanerImpl", "run"),
];

/// Is it a wait of a thread that has nothing to do?
pub fn is_idle(profile: &Profile, sum: &Sum) -> bool {
    let kind = &profile.kinds()[sum.kind];
    (kind.is_agents("park") || kind.is_agents("monitor"))
        && profile.stacks().trace(sum.own_stack).any(|frame| IDLE.contains(&(frame.class, frame.method)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame<'a>(class: &'a str, walked: bool) -> TraceFrame<'a> {
        TraceFrame {
            class,
            method: "run",
            desc: "()V",
            file: None,
            line: None,
            bci: None,
            via: &[],
            walked,
            native: false,
        }
    }

    #[test]
    fn what_is_own_shares_a_package_with_a_main() {
        let own = Own { packages: ["com.acme".to_owned(), String::new()].into() };
        for (class, is_own) in [
            ("com.acme.shop.Cart", true),
            ("com.acme.Main", true),
            ("Main", true),
            ("com.other.Cart", false),
            ("java.util.ArrayList", false),
        ] {
            assert_eq!(own.has(&frame(class, false)), is_own, "{class}");
        }
        assert!(!own.has(&frame("com.acme.Main", true)));
        let unknown = Own::default();
        assert!(unknown.has(&frame("com.other.Cart", false)) && !unknown.has(&frame("java.util.ArrayList", false)));
    }
}
