//! Steps that run beside each other, in lanes: those of one lane one after the other.
//!
//! Invariant: a failure lets steps that run come to their end, and no other begins. The error is
//! that of the first lane that has one.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::Result;

/// A step: its name, and what it does.
pub type Step<'a> = (&'static str, Box<dyn FnOnce() -> Result<()> + Send + 'a>);

/// One.
pub fn step<'a>(name: &'static str, step: impl FnOnce() -> Result<()> + Send + 'a) -> Step<'a> {
    (name, Box::new(step))
}

/// How long the steps of a run took, by name, in the order in which they ended.
#[derive(Default)]
pub struct Times(Mutex<Vec<(&'static str, Duration)>>);

impl Times {
    /// Runs one step.
    ///
    /// # Errors
    /// That of the step.
    pub fn of(&self, name: &'static str, step: impl FnOnce() -> Result<()>) -> Result<()> {
        let begin = Instant::now();
        let outcome = step();
        self.0.lock().expect("no step panics here").push((name, begin.elapsed()));
        outcome
    }

    /// Runs the lanes beside each other.
    ///
    /// # Errors
    /// That of the first lane in which a step failed.
    pub fn beside<const N: usize>(&self, lanes: [Vec<Step>; N]) -> Result<()> {
        let failed = AtomicBool::new(false);
        let lane = |steps: Vec<Step>| -> Result<()> {
            for (name, step) in steps {
                if failed.load(Ordering::Relaxed) {
                    break;
                }
                let outcome = self.of(name, step);
                if outcome.is_err() {
                    failed.store(true, Ordering::Relaxed);
                    return outcome;
                }
            }
            Ok(())
        };
        let lane = &lane;
        thread::scope(|scope| {
            let lanes = lanes.map(|steps| scope.spawn(move || lane(steps)));
            lanes.into_iter().try_for_each(|lane| lane.join().unwrap_or_else(|_| Err("a step panicked".into())))
        })
    }

    /// A line of all steps, for people.
    pub fn line(&self) -> String {
        let times = self.0.lock().expect("no step panics here");
        times.iter().map(|(name, time)| format!("{name} {} s", time.as_secs())).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// After which a lane waits in vain.
    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn lanes_run_beside_each_other() {
        let (send, receive) = mpsc::channel();
        let (back, answer) = mpsc::channel();
        let times = Times::default();
        // Each waits for the other.
        let one = step("one", move || {
            send.send(1).expect("the other is there");
            answer.recv_timeout(LONG).map_err(|e| e.to_string())
        });
        let other = step("other", move || {
            receive.recv_timeout(LONG).map_err(|e| e.to_string())?;
            back.send(()).map_err(|e| e.to_string())
        });
        assert_eq!(times.beside([vec![one], vec![other]]), Ok(()));
        assert!(times.line().contains("one 0 s") && times.line().contains("other 0 s"), "{}", times.line());
    }

    #[test]
    fn a_failure_ends_its_lane_and_is_told() {
        let times = Times::default();
        let wrong = step("wrong", || Err("it failed".into()));
        let never = step("never", || panic!("the lane has failed"));
        assert_eq!(times.beside([vec![step("fine", || Ok(()))], vec![wrong, never]]), Err("it failed".into()));
        assert!(!times.line().contains("never"), "{}", times.line());
    }
}
