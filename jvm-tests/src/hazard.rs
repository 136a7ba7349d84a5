//! One hazard: a Java target that checks itself, and how it is run.
//!
//! Invariant: it prints the same and ends the same with the agent as without; under it, checks are
//! made and every one holds.

use std::ffi::OsString;

use crate::{Jvm, Run, Scratch, turn};

/// A target of the package `hazards`.
pub struct Hazard {
    target: &'static str,
    options: Vec<OsString>,
    compiled: &'static [&'static str],
    agent: String,
    elsewhere: Option<&'static str>,
    everywhere: bool,
}

impl Hazard {
    /// The class of that simple name, every entry verified.
    pub fn new(target: &'static str) -> Self {
        Self {
            target,
            options: Vec::new(),
            compiled: &[],
            agent: "verify=1".into(),
            elsewhere: None,
            everywhere: false,
        }
    }

    /// An option of the JVM.
    pub fn option(mut self, option: impl Into<OsString>) -> Self {
        self.options.push(option.into());
        self
    }

    /// How the JVM compiles what it runs under the agent.
    pub fn compiled(self, compiled: &'static [&'static str]) -> Self {
        Self { compiled, ..self }
    }

    /// The agent's options, in place of `verify=1`.
    pub fn agent(mut self, options: &str) -> Self {
        self.agent = options.into();
        self
    }

    /// The agent's options on JVMs whose turn it is not, in place of those on the one whose turn it
    /// is: for a target that takes long.
    pub fn elsewhere(self, options: &'static str) -> Self {
        Self { elsewhere: Some(options), ..self }
    }

    /// On every JVM, rather than on one of each pair of those that are much alike
    /// ([`turn::PAIRS`]).
    pub fn everywhere(self) -> Self {
        Self { everywhere: true, ..self }
    }

    /// Runs it both ways on the runtime of that feature release, which is one of those that it runs
    /// on: on the one whose turn it is with C2.
    ///
    /// # Panics
    /// When anything differs or a check failed, with both outputs.
    pub fn on(self, feature: u32, among: &[u32]) {
        let Some(jvm) = Jvm::of(feature) else { return };
        let target = self.target;
        let turns = if self.everywhere { among.to_vec() } else { turn::of_pairs(target, among) };
        if !turns.contains(&feature) {
            println!("{target} does not run on {feature}: LUCCE_WHOLE=1 runs it");
            return;
        }
        let scratch = Scratch::new(target, feature);
        let run = |run: Run| self.options.iter().fold(run.within(&scratch), |run, option| run.option(option));
        let plain = run(Run::target(&jvm, &format!("hazards.{target}")).plain()).go();
        assert!(plain.success(), "{target} fails without the agent on {feature}:\n{plain}");
        let agent = run(Run::hazard(&jvm, target));
        let its_turn = turn::is(target, &turns, feature);
        let agent = if its_turn || !self.compiled.is_empty() { agent } else { agent.plain() };
        let options = self.elsewhere.filter(|_| !its_turn).unwrap_or(&self.agent);
        let agent = self.compiled.iter().fold(agent, |run, option| run.option(*option));
        let agent = agent.agent(&format!("{options},exclude=hazards.plain.*")).go();
        assert!(agent.success(), "{target} fails under the agent on {feature}:\n{agent}");
        assert_eq!(plain.stdout, agent.stdout, "{target} prints something else under the agent on {feature}:\n{agent}");
        agent.verified();
    }
}

/// A module for each hazard, with a test for each runtime: `hazards! { on [17 on_17, 25 on_25] {
/// name: Hazard::new("Target"); } }`.
#[macro_export]
macro_rules! hazards {
    ($(on $jvms:tt { $($name:ident: $hazard:expr;)* })*) => { $($(
        mod $name {
            use super::*;
            const AMONG: &[u32] = $crate::hazards!(@features $jvms);
            $crate::hazards!(@tests $hazard; $jvms);
        }
    )*)* };
    (@tests $hazard:expr; [$($feature:literal $test:ident),*]) => { $(
        #[test]
        fn $test() {
            $hazard.on($feature, AMONG);
        }
    )* };
    (@features [$($feature:literal $test:ident),*]) => { &[$($feature),*] };
}
