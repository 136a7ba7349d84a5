//! How far a profile is from the exact one.
//!
//! Weights are by context (a context is the edge that leads to it). Shares are from 0 to 1.
//! Invariant: a profile that equals the exact one has overlap and coverage 1, no uncovered weight,
//! no error, and rank correlation 1.
//! Source: Arnold, Ryder 2001 and Zhuang et al. 2006 (overlap, hot edge coverage), as HCCT, section
//! 5, uses them; ACCT, section 4 (the top 40).

mod ranks;

pub use ranks::{pairs, spearman};

use std::collections::BTreeMap;

/// Weights by context.
pub type Weights<K> = BTreeMap<K, u64>;

/// The sum of all weights.
pub fn total<K>(weights: &Weights<K>) -> u64 {
    weights.values().sum()
}

/// Degree of overlap: the share that both give to the same contexts.
pub fn overlap<K: Ord>(profile: &Weights<K>, exact: &Weights<K>) -> f64 {
    let (all, true_all) = (total(profile).max(1) as f64, total(exact).max(1) as f64);
    let shared = profile
        .iter()
        .filter_map(|(context, &weight)| exact.get(context).map(|&of| (weight as f64 / all).min(of as f64 / true_all)));
    shared.sum()
}

/// The share of all weight that the contexts of a profile have in the exact one.
pub fn covered<K: Ord>(profile: &Weights<K>, exact: &Weights<K>) -> f64 {
    let weight: u64 = exact.iter().filter(|(context, _)| profile.contains_key(context)).map(|(_, weight)| weight).sum();
    weight as f64 / total(exact).max(1) as f64
}

/// Hot edge coverage: of the contexts with at least `tau` of the hottest one's weight, the share
/// that the profile has.
pub fn hot_edge_coverage<K: Ord>(profile: &Weights<K>, exact: &Weights<K>, tau: f64) -> f64 {
    let hottest = exact.values().copied().max().unwrap_or(0) as f64;
    let hot: Vec<_> = exact.iter().filter(|(_, weight)| **weight as f64 >= tau * hottest).collect();
    let found = hot.iter().filter(|(context, _)| profile.contains_key(context)).count();
    if hot.is_empty() { 1.0 } else { found as f64 / hot.len() as f64 }
}

/// The least tau above which all hot contexts are in the profile: the weight of the heaviest that
/// is not, by that of the hottest.
pub fn least_tau<K: Ord>(profile: &Weights<K>, exact: &Weights<K>) -> f64 {
    uncovered(profile, exact).1
}

/// The mean and the greatest weight of contexts that the profile lacks, by that of the hottest
/// context.
pub fn uncovered<K: Ord>(profile: &Weights<K>, exact: &Weights<K>) -> (f64, f64) {
    let hottest = exact.values().copied().max().unwrap_or(0).max(1) as f64;
    let missing: Vec<_> = exact.iter().filter(|(context, _)| !profile.contains_key(context)).map(|(_, &w)| w).collect();
    let mean = missing.iter().sum::<u64>() as f64 / missing.len().max(1) as f64;
    (mean / hottest, missing.iter().copied().max().unwrap_or(0) as f64 / hottest)
}

/// The share of reported contexts that have less than `least` in truth.
pub fn false_positives<K: Ord>(reported: &Weights<K>, exact: &Weights<K>, least: u64) -> f64 {
    let wrong = reported.keys().filter(|context| exact.get(context).copied().unwrap_or(0) < least).count();
    wrong as f64 / reported.len().max(1) as f64
}

/// Contexts that have `least` or more in truth and are not reported.
pub fn false_negatives<K: Ord>(reported: &Weights<K>, exact: &Weights<K>, least: u64) -> usize {
    exact.iter().filter(|(context, weight)| **weight >= least && !reported.contains_key(context)).count()
}

/// The mean and the greatest error of reported weights, by the true ones, of contexts with `least`
/// or more in truth. A profile of samples is to be scaled by `scale` first.
pub fn errors<K: Ord>(reported: &Weights<K>, exact: &Weights<K>, least: u64, scale: f64) -> (f64, f64) {
    let hot = exact.iter().filter(|(_, weight)| **weight >= least.max(1));
    let errors: Vec<f64> = hot
        .filter_map(|(context, &of)| {
            reported.get(context).map(|&has| (has as f64 * scale - of as f64).abs() / of as f64)
        })
        .collect();
    (errors.iter().sum::<f64>() / errors.len().max(1) as f64, errors.iter().copied().fold(0.0, f64::max))
}
