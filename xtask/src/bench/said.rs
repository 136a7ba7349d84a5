//! What a fork said: times, processor time, memory, and a digest of its output.
//!
//! Invariant: output that was not validated is an error.

use super::results::Memory;
use crate::Result;

/// What a fork said.
#[derive(Debug, Default, PartialEq)]
pub struct Said {
    /// Milliseconds of each iteration.
    pub iterations: Vec<f64>,
    /// Milliseconds of CPU of each.
    pub cpu: Vec<f64>,
    /// Of that, of the threads that compile.
    pub compiling: Vec<f64>,
    /// And of those that collect garbage.
    pub collecting: Vec<f64>,
    /// Iterations before those that count; 0: the second half counts.
    pub before: usize,
    /// Of its output; empty where the program validates by itself.
    pub digest: String,
    /// What it held at its end.
    pub memory: Memory,
    /// Calls in the last iteration, where they were counted.
    pub calls: Option<u64>,
}

/// Reads DaCapo's lines: `===== DaCapo 9.12 h2 completed warmup 1 in 5000 msec =====`, and
/// `PASSED in` for the last iteration.
///
/// # Errors
/// One line when it did not validate its output.
pub fn of_dacapo(text: &str) -> Result<Said> {
    let mut said = Said::default();
    let mut passed = false;
    for line in text.lines().filter(|line| line.starts_with("===== DaCapo")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.contains(&"FAILED") {
            return Err(line.into());
        }
        passed |= words.contains(&"PASSED");
        let time = words.windows(3).find(|window| window[0] == "in" && window[2] == "msec").map(|window| window[1]);
        if let Some(time) = time {
            said.iterations.push(time.parse().map_err(|_| format!("not a time: {line}"))?);
        }
    }
    if passed { Ok(said) } else { Err("DaCapo did not say PASSED".into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_times_of_warm_ups_and_of_the_last_iteration_are_read() {
        let text = "Using scaled threading model.\n===== DaCapo 9.12-MR1 h2 starting warmup 1 =====\n\
            ===== DaCapo 9.12-MR1 h2 completed warmup 1 in 5000 msec =====\n===== DaCapo 9.12-MR1 h2 PASSED in 4000 msec =====\n";
        assert_eq!(of_dacapo(text).unwrap().iterations, [5000.0, 4000.0]);
    }

    #[test]
    fn output_that_did_not_validate_is_a_failure() {
        assert!(of_dacapo("===== DaCapo 9.12 h2 FAILED =====\n").is_err());
        assert!(of_dacapo("===== DaCapo 9.12 h2 completed warmup 1 in 5000 msec =====\n").is_err());
    }
}
