//! The order of contexts by weight, compared.
//!
//! Source: Spearman 1904, with mean ranks for equal weights; ACCT, Figs. 1 to 5 (pairs of the top
//! 40 edges).

use super::Weights;

/// Spearman's rank correlation over all contexts of either; a context that one lacks weighs nothing
/// there. 1 where one has no order at all.
pub fn spearman<K: Ord + Clone>(one: &Weights<K>, other: &Weights<K>) -> f64 {
    let keys: std::collections::BTreeSet<&K> = one.keys().chain(other.keys()).collect();
    let of = |weights: &Weights<K>| keys.iter().map(|key| weights.get(*key).copied().unwrap_or(0)).collect::<Vec<_>>();
    correlation(&ranks(&of(one)), &ranks(&of(other)))
}

/// The rank of each value, from 1; equal ones have the mean of theirs.
fn ranks(values: &[u64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by_key(|&at| values[at]);
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    while first < order.len() {
        let equal = order[first..].iter().take_while(|&&at| values[at] == values[order[first]]).count();
        let rank = first as f64 + (equal as f64 + 1.0) / 2.0;
        order[first..first + equal].iter().for_each(|&at| ranks[at] = rank);
        first += equal;
    }
    ranks
}

fn correlation(one: &[f64], other: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let (m, n) = (mean(one), mean(other));
    let (mut both, mut a, mut b) = (0.0, 0.0, 0.0);
    for (x, y) in one.iter().zip(other) {
        both += (x - m) * (y - n);
        a += (x - m).powi(2);
        b += (y - n).powi(2);
    }
    if a == 0.0 || b == 0.0 { 1.0 } else { both / (a * b).sqrt() }
}

/// The `most` heaviest contexts of the exact profile, with their share there and in the other,
/// heaviest first.
pub fn pairs<K: Ord + Clone>(profile: &Weights<K>, exact: &Weights<K>, most: usize) -> Vec<(K, f64, f64)> {
    let (all, true_all) = (super::total(profile).max(1) as f64, super::total(exact).max(1) as f64);
    let mut heaviest: Vec<_> = exact.iter().collect();
    heaviest.sort_by(|one, other| other.1.cmp(one.1).then_with(|| one.0.cmp(other.0)));
    heaviest.truncate(most);
    let pair = |(context, &weight): (&K, &u64)| {
        let has = profile.get(context).copied().unwrap_or(0) as f64;
        (context.clone(), weight as f64 / true_all, has / all)
    };
    heaviest.into_iter().map(pair).collect()
}
