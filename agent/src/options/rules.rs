//! Which options go together.

use super::{Control, EncoderKind, HooksKind, OptionError, Options, ProfileOption, Source, Verify};

/// Looks at all options at once.
///
/// # Errors
/// Names the first two that do not go together.
pub(super) fn check(options: &Options) -> Result<(), OptionError> {
    if let Some(other) = needs_hooks(options).filter(|_| !options.has_hooks()) {
        return Err(OptionError(format!("option 'hooks=off' rewrites no class, so it does not go with '{other}'")));
    }
    if options.leaks && options.alloc_all {
        return Err(OptionError("option 'leaks' samples allocations, so it does not go with alloc=all".into()));
    }
    if !options.encoder.has_contexts() && (options.verify.is_on() || options.alloc.is_some()) {
        let name = options.encoder.name();
        return Err(OptionError(format!("option 'encoder={name}' has no contexts, so neither verify nor alloc")));
    }
    if !options.encoder.has_all_sources() {
        let sources =
            [("exceptions", options.exceptions.is_some()), ("locks", options.locks), ("cpu", options.cpu.is_some())];
        if let Some((source, _)) = sources.iter().find(|(_, on)| *on) {
            return Err(OptionError(format!("option '{source}' needs encoder=lucce, encoder=pcc or encoder=icpp")));
        }
    }
    if options.hot.is_some() && options.profile.is_none() {
        return Err(OptionError("option 'hot' needs profile, e.g. profile=10007".into()));
    }
    if options.profile.is_some() && !options.encoder.has_profiles() {
        return Err(OptionError("option 'profile' needs encoder=lucce, encoder=pcc or encoder=cct".into()));
    }
    if options.counts_by_context() && !options.encoder.has_counts() {
        let name = options.encoder.name();
        return Err(OptionError(format!(
            "option 'encoder={name}' counts nothing by context, so neither alloc=all nor entries"
        )));
    }
    icpp(options)?;
    if !options.encoder.has_contexts() && options.follows_tasks {
        let name = options.encoder.name();
        return Err(OptionError(format!("option 'encoder={name}' has no contexts, so no async either")));
    }
    if options.jdk && options.encoder == EncoderKind::Algorithm1 {
        return Err(OptionError("option 'jdk=on' does not go with encoder=algorithm1".into()));
    }
    if !options.start && options.control == Control::Off {
        return Err(OptionError("option 'start=off' needs control, or nothing could ever start".into()));
    }
    let whole = options.jdk || options.has_tallies() || options.follows_tasks;
    if !options.start && (whole || options.encoder == EncoderKind::Algorithm1) {
        let all = "jdk=on, alloc=all, entries, profile, async=on or encoder=algorithm1";
        return Err(OptionError(format!("option 'start=off' does not go with {all}")));
    }
    let asked = [("awake", !options.awake.is_empty()), ("wake", options.wake.is_some())];
    if let Some((name, _)) = asked.iter().find(|(_, said)| *said && !options.on_demand()) {
        return Err(OptionError(format!("option '{name}' needs hooks=demand")));
    }
    if let Some(other) = needs_all_words(options).filter(|_| options.on_demand()) {
        return Err(OptionError(format!("option 'hooks=demand' does not go with '{other}'")));
    }
    if options.trace.is_some() && options.encoder != EncoderKind::Cct {
        return Err(OptionError("option 'trace' needs encoder=cct".into()));
    }
    let has_entries = options.encoder == EncoderKind::Lucce && options.verify == Verify::Every(1);
    if options.contexts && !has_entries && options.encoder != EncoderKind::Cct {
        return Err(OptionError("option 'contexts' needs encoder=lucce with verify=1, or encoder=cct".into()));
    }
    Ok(())
}

/// What goes with `encoder=icpp`, and what is for it alone.
fn icpp(options: &Options) -> Result<(), OptionError> {
    if options.encoder != EncoderKind::Icpp {
        let own = [("icpp", options.icpp.is_some()), ("walks=off", !options.walks)];
        return match first(&own) {
            Some(own) => Err(OptionError(format!("option '{own}' needs encoder=icpp"))),
            None => Ok(()),
        };
    }
    if options.cache.is_some() {
        return Err(OptionError(
            "option 'cache' does not go with encoder=icpp; leave it out, or use encoder=pcc".into(),
        ));
    }
    let needs_walks = [
        ("verify", options.verify.is_on()),
        ("leaks", options.leaks),
        ("async=on", options.follows_tasks),
        ("exceptions", options.exceptions.is_some()),
        ("cpu", options.cpu.is_some()),
    ];
    match first(&needs_walks).filter(|_| !options.walks) {
        Some(other) => {
            Err(OptionError(format!("option 'walks=off' does not go with '{other}'; leave one of them out")))
        }
        None => Ok(()),
    }
}

/// The first option that says something of rewritten classes.
fn needs_hooks(options: &Options) -> Option<&'static str> {
    needs_all_words(options).or_else(|| {
        first(&[
            ("include", !options.include.is_empty()),
            ("exclude", !options.exclude.is_empty()),
            ("profile", options.profile.is_some()),
            ("async=on", options.follows_tasks),
            ("cache", options.cache.is_some()),
            ("dump", options.dump.is_some()),
            ("contexts", options.contexts),
            ("trace", options.trace.is_some()),
        ])
    })
}

/// The first option that can do nothing without the words of all activations.
fn needs_all_words(options: &Options) -> Option<&'static str> {
    first(&[
        ("jdk=on", options.jdk),
        ("start=off", !options.start),
        ("alloc=all", options.alloc_all),
        ("entries", !options.entries.is_empty()),
        ("profile", options.profile.is_some_and(ProfileOption::needs_words)),
        ("encoder", options.encoder != EncoderKind::Lucce),
    ])
}

/// The first option that makes the agent itself look at words: by the above, or because it checks
/// them.
pub(super) fn looks_at_words(options: &Options) -> Option<&'static str> {
    needs_all_words(options).or_else(|| first(&[("verify", options.verify.is_on())]))
}

/// Does a run that does not say which hooks it has do without? It does where it samples allocations
/// and is told of nothing else that an agent with hooks can do: then walks cost less, and the JVM
/// keeps its archive of classes.
/// Source: docs/BENCHMARKS.md; docs/guide/attach.md ("No hooks").
pub(super) fn suits_walks(options: &Options) -> bool {
    // Events of the program are told by walks, too.
    let is_other = |source: &Source| !matches!(source, Source::Alloc | Source::Leaks | Source::Events);
    let is_alone = !Source::ALL.iter().filter(|source| is_other(source)).any(|source| source.is_on(options));
    // What is verified are hooks.
    let others = options.verify.is_on() || !options.awake.is_empty() || options.wake.is_some();
    options.alloc.is_some() && is_alone && !others && needs_hooks(options).is_none()
}

/// The encoder of a run that names none: the first row that holds says it, and where none does it
/// is `lucce`. Where all activations need their words anyway, hashed words cost least at each call.
/// Where methods may be inactive, most have none.
/// Source: docs/guide/encoders.md.
const SUITABLE: [(Holds, EncoderKind); 5] = [
    // It needs numbers.
    (|options| options.contexts, EncoderKind::Lucce),
    (|options| options.jdk, EncoderKind::Pcc),
    // Without `jdk=on` the cost of profiles is measured with numbers alone.
    (|options| options.profile.is_some(), EncoderKind::Lucce),
    // The words themselves are asked for: numbers decode without a walk, whichever thread has them.
    (|options| options.hooks == Some(HooksKind::All), EncoderKind::Lucce),
    (Options::counts_by_context, EncoderKind::Pcc),
];

/// Does a row hold for a run with these options?
type Holds = fn(&Options) -> bool;

/// As [`SUITABLE`] says.
pub(super) fn suitable_encoder(options: &Options) -> EncoderKind {
    SUITABLE.into_iter().find(|(holds, _)| holds(options)).map_or(EncoderKind::Lucce, |(_, encoder)| encoder)
}

fn first(options: &[(&'static str, bool)]) -> Option<&'static str> {
    options.iter().find(|(_, on)| *on).map(|(name, _)| *name)
}
