//! `icpp train`, and `--map`: a map of one run, and what it says of the words of another.
//!
//! Invariant: a count that the log does not allow is unknown, and never a guess: without walks no
//! word is known to be incorrect.
//! Source: docs/design/icpp.md; "Inferred Call Path Profiling", section 8.4.

use std::collections::BTreeMap;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use lucce_decoder::{Learned, Log, dotted};
use lucce_encoding::icpp::{Decoder, Map, PathOutcome, Search, Searched, WordFigures};
use serde::Serialize;

use crate::args::{Format, ReportFormat};
use crate::failure::Failure;
use crate::plain::plain;
use crate::replayed::Replayed;
use crate::{json, text};

/// Contexts that are shown.
const SHOWN: usize = 10;
/// Contexts of an ambiguous word that are shown.
const CANDIDATES: usize = 5;

/// Maps for encoder=icpp, which tell contexts by words that were learned in another run.
#[derive(clap::Args, Clone, Debug)]
pub struct IcppArgs {
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

/// What there is to do with maps.
#[derive(clap::Subcommand, Clone, Debug)]
pub enum Command {
    /// Makes a map of what a run has learned; with icpp=natural it resizes frames until their
    /// heights tell more contexts apart
    Train(Train),
}

/// How to train.
#[derive(clap::Args, Clone, Debug)]
pub struct Train {
    /// The log of a run with encoder=icpp
    #[arg(value_name = "LOG")]
    pub log: PathBuf,
    /// Where the map goes
    #[arg(short = 'o', long = "output", value_name = "MAP")]
    pub output: PathBuf,
    /// Of the pseudo-random search
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,
    /// Wraps call sites, too, where frames alone cannot help
    #[arg(long)]
    wrap: bool,
    /// So many percent of the contexts are enough
    #[arg(long, value_name = "PERCENT", default_value = "97")]
    enough: u64,
    /// text or json (one object)
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    format: ReportFormat,
}

/// Trains a map, and says how well it tells contexts apart.
pub fn train(log: &Log, args: &Train, out: &mut impl Write) -> Result<(), Failure> {
    let Learned { mut map, is_resized, .. } = learned(log)?;
    if is_resized {
        let why = "the log is of a run with a trained map; train one of a run with icpp=natural";
        return Err(Failure::Question(why.into()));
    }
    if map.contexts.iter().all(|context| context.word.is_none()) {
        let why = "no walk has taught a word: run without walks=off, with an event source such as alloc=64k";
        return Err(Failure::Question(why.into()));
    }
    let search = Search { seed: args.seed, wraps: args.wrap, enough: args.enough, ..Search::default() };
    let before = MapReport::figures(&map);
    let searched = map.train(&search);
    if searched.is_none() && map.weights == "natural" {
        return Err(Failure::Question("the log lacks the heights of all contexts; was it damaged?".into()));
    }
    let report = MapReport::new(&map, before, searched);
    let path = &args.output;
    std::fs::write(path, map.write())
        .map_err(|error| Failure::Question(format!("cannot write {}: {error}", path.display())))?;
    match args.format.into() {
        Format::Json => json::put(&report, out)?,
        Format::Text | Format::Collapsed => report.print(path, out)?,
    }
    Ok(())
}

fn learned(log: &Log) -> Result<Learned, Failure> {
    log.learned().ok_or_else(|| Failure::Question("the log is of another encoder; run with encoder=icpp".into()))
}

/// How well a map tells the contexts of its own run apart.
#[derive(Serialize)]
struct MapReport {
    weights: String,
    contexts: usize,
    methods: usize,
    /// Paths of methods, and of methods with call sites.
    by_methods: Change,
    by_sites: Change,
    resized: usize,
    wrapped: usize,
    /// Pairs of paths that the search has chosen, and the greatest heights; null where nothing was
    /// searched.
    rounds: Option<u64>,
    heights: Option<(u64, u64)>,
}

#[derive(Serialize)]
struct Change {
    before: Counts,
    after: Counts,
}

/// What [`WordFigures`] says.
#[derive(Serialize)]
struct Counts {
    precise: u64,
    ambiguous: u64,
    /// Null where the log does not say what really was.
    incorrect: Option<u64>,
    missing: u64,
    /// Of how many paths share an identifier, how many there are.
    degrees: BTreeMap<u32, u64>,
}

impl Counts {
    fn of(figures: &WordFigures) -> Self {
        let WordFigures { precise, ambiguous, incorrect, missing, ref degrees } = *figures;
        Self { precise, ambiguous, incorrect: Some(incorrect), missing, degrees: degrees.clone() }
    }
}

impl MapReport {
    /// By methods, and by sites.
    fn figures(map: &Map) -> [WordFigures; 2] {
        let by_methods = map.by_methods();
        [&by_methods, map].map(|map| Decoder::new(map).figures(map))
    }

    fn new(map: &Map, before: [WordFigures; 2], searched: Option<Searched>) -> Self {
        let [by_methods, by_sites] = before;
        let after = Self::figures(map);
        let change =
            |before: &WordFigures, after: &WordFigures| Change { before: Counts::of(before), after: Counts::of(after) };
        Self {
            weights: map.weights.clone(),
            contexts: map.contexts.len(),
            methods: map.methods.len(),
            by_methods: change(&by_methods, &after[0]),
            by_sites: change(&by_sites, &after[1]),
            resized: map.methods.iter().filter(|method| method.resized != 0).count(),
            wrapped: map.sites.iter().filter(|site| site.wrapped != 0).count(),
            rounds: searched.as_ref().map(|searched| searched.rounds),
            heights: searched.as_ref().map(|searched| searched.heights),
        }
    }

    fn print(&self, path: &Path, out: &mut impl Write) -> Result<(), Failure> {
        let contexts = text::plural(self.contexts as u64, "context");
        writeln!(out, "{contexts} of {}, icpp={}", text::plural(self.methods as u64, "method"), self.weights)?;
        writeln!(out, "{:<24}  {:>9}  {:>9}  {:>9}  {:>8}", "", "precise", "ambiguous", "degree<=5", "largest")?;
        let changes = [("paths of methods", &self.by_methods), ("paths with call sites", &self.by_sites)];
        for (name, Change { before, after }) in changes {
            line(name, before, out)?;
            if self.rounds.is_some() {
                line("  trained", after, out)?;
            }
        }
        if let (Some(rounds), Some((before, after))) = (self.rounds, self.heights) {
            writeln!(
                out,
                "{} of {} resized, {} wrapped, in {}; greatest height {}, before {}",
                text::count(self.resized as u64),
                text::plural(self.methods as u64, "method"),
                text::plural(self.wrapped as u64, "call"),
                text::plural(rounds, "round"),
                text::count(after),
                text::count(before)
            )?;
        }
        let path = path.display().to_string();
        let used = if self.weights == "natural" { plain(&path) } else { plain(&self.weights) };
        writeln!(out, "use it with icpp={used}, and decode with lucce-decode --map {} LOG", plain(&path))?;
        Ok(())
    }
}

fn line(name: &str, counts: &Counts, out: &mut impl Write) -> std::io::Result<()> {
    let total = counts.degrees.values().sum::<u64>();
    let within: u64 = counts.degrees.range(..=5).map(|(_, count)| count).sum();
    let [precise, ambiguous, within] = [counts.precise, counts.ambiguous, within].map(|part| percent(part, total));
    let largest = counts.degrees.keys().next_back().copied().unwrap_or(0);
    writeln!(out, "{name:<24}  {precise:>9}  {ambiguous:>9}  {within:>9}  {largest:>8}")
}

fn percent(part: u64, total: u64) -> String {
    format!("{:.1} %", part as f64 * 100.0 / total.max(1) as f64)
}

/// A word at an instruction.
type At = (u64, [String; 3], u16);

/// What a map says of a log.
#[derive(Serialize)]
struct Decoded {
    weights: String,
    /// Of events; by walks, of contexts, too.
    events: Counts,
    contexts: Option<Counts>,
    words: Vec<Word>,
}

/// A word of a log without walks.
#[derive(Serialize)]
struct Word {
    word: String,
    class: String,
    method: String,
    desc: String,
    bci: u16,
    events: u64,
    /// How many contexts of the map have it.
    degree: usize,
    /// Those, innermost frames first.
    contexts: Vec<Vec<IcppFrame>>,
}

#[derive(Clone, Serialize)]
struct IcppFrame {
    class: String,
    method: String,
    desc: String,
    bci: u16,
}

/// Prints what a map says of the words of a log.
pub fn decode(replayed: &Replayed, path: &Path, format: Format, out: &mut impl Write) -> Result<(), Failure> {
    let log = replayed.log();
    let map = std::fs::read_to_string(path).map_err(|error| error.to_string());
    let map = map.and_then(|text| Map::read(&text).map_err(|error| error.to_string()));
    let map = map.map_err(|error| Failure::Question(format!("cannot use the map {}: {error}", path.display())))?;
    let run = learned(log)?;
    let is_trained = !map.sizes().is_empty();
    // A map that resizes nothing has natural sizes, and so has a run with it.
    if map.weights != run.map.weights || is_trained && !run.is_resized {
        let of = |weights: &str, trained| if trained { "a trained map".to_string() } else { format!("icpp={weights}") };
        let (maps, runs) = (of(&map.weights, is_trained), of(&run.map.weights, run.is_resized));
        return Err(Failure::Question(format!("the map is for runs with {maps}, the log of one with {runs}")));
    }
    let decoder = Decoder::new(&map);
    let outcomes = decoder.outcomes(&run.map);
    let (mut figures, mut walked, mut words) = (WordFigures::default(), 0, BTreeMap::<At, u64>::new());
    replayed.events(|event| {
        if let Some(&context) = run.contexts.get(&event.place.node) {
            if let Some(outcome) = outcomes[context as usize] {
                walked += event.count;
                figures.add(outcome, event.count);
            }
        } else if let Some(at) = log.bare_word(event) {
            *words.entry(at).or_default() += event.count;
        }
        Ok(ControlFlow::Continue(()))
    })?;
    let of_words = words.keys().map(|(_, [class, method, desc], _)| (&**class, &**method, &**desc));
    let methods: Vec<_> = run.map.names().chain(of_words).collect();
    if !methods.is_empty() && !decoder.knows_any(&methods) {
        return Err(Failure::Question("the map names no method of the log: it is of another program".into()));
    }
    let mut all = Vec::with_capacity(words.len());
    for ((word, names, bci), events) in words {
        let [class, method, desc] = &names;
        let contexts = decoder.contexts(word, (class, method, desc), bci);
        figures.add(PathOutcome::of(contexts.len() as u32, true), events);
        let frames = |context: &u32| decoder.sites(*context).into_iter().map(|site| frame(&map, site)).collect();
        let (degree, contexts) = (contexts.len(), contexts.iter().take(CANDIDATES).map(frames).collect());
        let [class, method, desc] = names;
        let class = dotted(&class);
        all.push(Word { word: format!("{word:#018x}"), class, method, desc, bci, events, degree, contexts });
    }
    all.sort_by(|one, other| other.events.cmp(&one.events).then_with(|| one.word.cmp(&other.word)));
    let mut events = Counts::of(&figures);
    if !all.is_empty() {
        // What a word told that was never walked may have been wrong.
        events.incorrect = None;
    }
    let contexts = (walked > 0).then(|| Counts::of(&decoder.figures(&run.map)));
    let decoded = Decoded { weights: map.weights.clone(), events, contexts, words: all };
    match format {
        Format::Json => json::put(&decoded, out)?,
        Format::Text | Format::Collapsed => decoded.print(out)?,
    }
    Ok(())
}

fn frame(map: &Map, site: u32) -> IcppFrame {
    let site = map.sites[site as usize];
    let method = &map.methods[site.method as usize];
    IcppFrame { class: dotted(&method.class), method: method.name.clone(), desc: method.desc.clone(), bci: site.bci }
}

impl Decoded {
    fn print(&self, out: &mut impl Write) -> Result<(), Failure> {
        outcomes("events", &self.events, out)?;
        if let Some(contexts) = &self.contexts {
            outcomes("contexts", contexts, out)?;
        }
        for (rank, word) in self.words.iter().take(SHOWN).enumerate() {
            let said = match word.degree {
                0 => "missing".into(),
                1 => "precise".into(),
                degree => format!("ambiguous: one of {degree} contexts"),
            };
            writeln!(out, "\n{:>2}. {}, {said}", rank + 1, text::plural(word.events, "event"))?;
            let own = IcppFrame {
                class: word.class.clone(),
                method: word.method.clone(),
                desc: word.desc.clone(),
                bci: word.bci,
            };
            let own = [vec![own]];
            let contexts = if word.contexts.is_empty() { &own[..] } else { &word.contexts };
            for (number, frames) in contexts.iter().enumerate() {
                if number > 0 {
                    writeln!(out, "    or")?;
                }
                frames.iter().try_for_each(|frame| writeln!(out, "    at {}", frame.shown()))?;
            }
            if word.contexts.is_empty() {
                writeln!(out, "    [unknown here: the map has no such word]")?;
            }
        }
        Ok(())
    }
}

fn outcomes(of: &str, counts: &Counts, out: &mut impl Write) -> std::io::Result<()> {
    let Counts { precise, ambiguous, incorrect, missing, .. } = *counts;
    let total = precise + ambiguous + incorrect.unwrap_or(0) + missing;
    writeln!(out, "{} {of}", text::count(total))?;
    let lines = [
        ("precise", Some(precise)),
        ("ambiguous", Some(ambiguous)),
        ("incorrect", incorrect),
        ("missing", Some(missing)),
    ];
    for (name, part) in lines {
        match part {
            Some(part) => writeln!(out, "  {name:<9}  {:>12}  {:>7}", text::count(part), percent(part, total))?,
            None => writeln!(out, "  {name:<9}  unknown here: nothing was walked, so precise ones may be wrong, too")?,
        }
    }
    Ok(())
}

impl IcppFrame {
    /// A map has no lines.
    fn shown(&self) -> String {
        plain(&format!("{}.{}(bci {})", self.class, self.method, self.bci)).into_owned()
    }
}
