//! `compare`: how far a profile is from the exact counts of the same work.
//!
//! Invariant: contexts are joined by the names of their methods and instructions, so the two may be
//! of different runs; what has another context in the other run is not made equal. Source:
//! `lucce_profiles::metrics` (HCCT, section 5; ACCT, section 4).

use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;

use lucce_decoder::{Contexts, Profiled};
use lucce_profiles::metrics::{self, Weights};
use lucce_profiles::summary::threshold;
use serde::Serialize;

use crate::args::{Format, ReportFormat};
use crate::failure::Failure;
use crate::replayed::Replayed;
use crate::{json, text};

/// How far a profile is from exact counts.
#[derive(clap::Args, Clone, Debug)]
pub struct CompareArgs {
    /// The log of a run with profile
    #[arg(value_name = "PROFILE")]
    pub profile: PathBuf,
    /// The log of a run with entries=* or profile=all; it may be the same one
    #[arg(value_name = "EXACT")]
    pub exact: PathBuf,
    /// A context is hot that has this share of all entries
    #[arg(long, value_name = "SHARE", default_value = "0.001")]
    pub phi: f64,
    /// text or json (one object)
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    pub format: ReportFormat,
}

/// The measures. Shares are from 0 to 1.
#[derive(Serialize)]
struct Measures {
    samples: u64,
    entries: u64,
    contexts: [usize; 2],
    overlap: f64,
    covered: f64,
    hot: usize,
    hot_edge_coverage: f64,
    missing_hot: usize,
    false_positives: f64,
    mean_error: f64,
    greatest_error: f64,
    uncovered_mean: f64,
    uncovered_greatest: f64,
    rank_correlation: f64,
}

/// Prints them.
pub fn show(profile: &Replayed, exact: &Replayed, args: &CompareArgs, out: &mut impl Write) -> Result<(), Failure> {
    let sampled = weights(profile, &["profile"])?;
    let counted = exact.log().profile().is_some_and(Profiled::is_exact);
    let exact = weights(exact, if counted { &["entry", "profile"] } else { &["entry"] })?;
    let measures = Measures::of(&sampled, &exact, args.phi);
    match Format::from(args.format) {
        Format::Json => json::put(&measures, out)?,
        Format::Text | Format::Collapsed => table(&measures, args.phi, out)?,
    }
    Ok(())
}

/// The number of each context, by its fingerprint, of the first of these kinds that the log has.
fn weights(replayed: &Replayed, kinds: &[&str]) -> Result<Weights<String>, Failure> {
    let log = replayed.log();
    let (mut contexts, mut all) = (Contexts::new(log), Vec::new());
    replayed.events(|event| {
        let kind = log.kind_of(event.kind).filter(|_| event.is_tally());
        if let Some(rank) = kinds.iter().position(|name| kind.is_some_and(|kind| kind.is_agents(name))) {
            let found = contexts.find(&event.place);
            all.push((rank, contexts.fingerprints(found).names.to_string(), event.count));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    let first = all.iter().map(|(rank, ..)| *rank).min().ok_or_else(|| {
        let wanted = if kinds == ["profile"] { "profile=10007" } else { "entries=* or profile=all" };
        Failure::Question(format!("there is nothing to compare: run the program with {wanted}"))
    })?;
    let mut weights = Weights::new();
    for (_, context, count) in all.into_iter().filter(|(rank, ..)| *rank == first) {
        *weights.entry(context).or_default() += count;
    }
    Ok(weights)
}

impl Measures {
    fn of(profile: &Weights<String>, exact: &Weights<String>, phi: f64) -> Self {
        let (samples, entries) = (metrics::total(profile), metrics::total(exact));
        let least = threshold(phi, entries);
        let reported: Weights<String> = profile
            .iter()
            .filter(|(_, count)| **count >= threshold(phi, samples))
            .map(|(k, v)| (k.clone(), *v))
            .collect();
        let scale = entries as f64 / samples.max(1) as f64;
        let (mean_error, greatest_error) = metrics::errors(profile, exact, least, scale);
        let (uncovered_mean, uncovered_greatest) = metrics::uncovered(profile, exact);
        Self {
            samples,
            entries,
            contexts: [profile.len(), exact.len()],
            overlap: metrics::overlap(profile, exact),
            covered: metrics::covered(profile, exact),
            hot: exact.values().filter(|weight| **weight >= least).count(),
            hot_edge_coverage: metrics::hot_edge_coverage(profile, exact, phi),
            missing_hot: metrics::false_negatives(profile, exact, least),
            false_positives: metrics::false_positives(&reported, exact, least),
            mean_error,
            greatest_error,
            uncovered_mean,
            uncovered_greatest,
            rank_correlation: metrics::spearman(profile, exact),
        }
    }
}

fn table(of: &Measures, phi: f64, out: &mut impl Write) -> Result<(), Failure> {
    let [some, all] = of.contexts.map(|contexts| text::count(contexts as u64));
    writeln!(
        out,
        "{} of {some} contexts, {} of {all}",
        text::plural(of.samples, "sample"),
        text::plural(of.entries, "entry")
    )?;
    let share = |share: f64| format!("{:.3} %", share * 100.0);
    for (what, value) in [
        ("overlap: the share that both give to the same contexts", share(of.overlap)),
        ("entries in contexts that the profile has", share(of.covered)),
        ("hot contexts that the profile has, by the hottest one", share(of.hot_edge_coverage)),
        ("contexts it says are hot that are not", share(of.false_positives)),
        ("mean error of hot contexts", share(of.mean_error)),
        ("greatest error of hot contexts", share(of.greatest_error)),
        ("mean weight of what it lacks, by the hottest one", share(of.uncovered_mean)),
        ("greatest weight of what it lacks, by the hottest one", share(of.uncovered_greatest)),
        ("rank correlation", format!("{:.4}", of.rank_correlation)),
    ] {
        writeln!(out, "{value:>12}  {what}")?;
    }
    writeln!(
        out,
        "{:>12}  hot contexts, with {} % or more; {} of them are not in the profile",
        of.hot,
        phi * 100.0,
        of.missing_hot
    )?;
    Ok(())
}
