//! What must hold whatever was measured: the command fails otherwise.
//!
//! Invariant: each relation is exact, so no load of the machine breaks it.

use super::replay::Compared;
use super::{Measured, SystemsOptions, hcct};

/// The relations that do not hold, each as a line.
pub fn broken(options: &SystemsOptions, measured: &[Measured]) -> Vec<String> {
    let of = |one: &Measured| {
        let mut broken = if options.has_encoders() { encoders(one) } else { Vec::new() };
        let acct = one.acct.as_ref().map(|acct| acct.broken());
        let hcct = one.hcct.as_ref().map(|hcct| hcct.broken());
        let profiles = acct.into_iter().chain(hcct).flatten();
        broken.extend(profiles.map(|what| format!("{}: {what}", one.program.name)));
        broken
    };
    let most = hcct::most_errors(measured.iter().filter_map(|one| one.hcct.as_ref()));
    measured.iter().flat_map(of).chain(most).collect()
}

fn encoders(measured: &Measured) -> Vec<String> {
    let name = measured.program.name;
    let characteristics = measured.dacce.characteristics();
    let [versioned, dacce, paper, ..] = compared(measured);
    let made = measured.replayed.checks();
    let relations = [
        (made > 0, "no path was compared"),
        (versioned.wrong == 0, "a path of the versioned encoder is wrong"),
        (versioned.unknown == 0 && measured.versioned.lost == 0, "the versioned encoder does not know a path"),
        (dacce.wrong + dacce.unknown == 0 && measured.dacce.refused == 0, "a path of DACCE's encoder is wrong"),
        (paper.wrong == 0, "a path of Algorithm 1 is wrong"),
        (measured.paper.ended.is_some() || paper.unknown == 0, "Algorithm 1 does not know a path before its end"),
        (characteristics.calls >= measured.replayed.entries - measured.replayed.lost, "an entry was not replayed"),
        // Each of the two counts the edges that were called.
        (characteristics.edges == measured.versioned.stats().edges, "the encoders saw different graphs"),
    ];
    relations.into_iter().filter(|(holds, _)| !holds).map(|(_, what)| format!("{name}: {what}")).collect()
}

/// In the order in which the trace was replayed through them: versioned, DACCE, Algorithm 1, hashed
/// by ids, by names mixed, by names added up.
pub fn compared(measured: &Measured) -> [Compared; 6] {
    std::array::from_fn(|at| measured.replayed.compared.get(at).copied().unwrap_or_default())
}
