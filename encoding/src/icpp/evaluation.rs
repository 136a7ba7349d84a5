//! What a map says of words: the contexts that have one at a site, and how that compares with what
//! really was.
//!
//! Invariant: a word is looked up at the instruction at which it was published, by names; so a map
//! of one run decodes words of another.
//! Source: "Inferred Call Path Profiling", sections 7 and 8.4.

use std::collections::{HashMap, HashSet};

use super::{Map, PathOutcome, WordFigures};

/// A map that is asked.
#[derive(Debug)]
pub struct Decoder<'m> {
    map: &'m Map,
    /// Sites by class, name, descriptor and bytecode index.
    sites: HashMap<(&'m str, &'m str, &'m str, u16), u32>,
    words: HashMap<(u64, u32), Vec<u32>>,
    contexts: HashMap<(Option<u32>, u32), u32>,
}

impl<'m> Decoder<'m> {
    /// Asks this map.
    pub fn new(map: &'m Map) -> Self {
        let mut words: HashMap<_, Vec<u32>> = HashMap::new();
        let (mut sites, mut contexts) = (HashMap::new(), HashMap::new());
        for (number, site) in (0..).zip(&map.sites) {
            let method = &map.methods[site.method as usize];
            sites.insert((&*method.class, &*method.name, &*method.desc, site.bci), number);
        }
        for (number, context) in (0..).zip(&map.contexts) {
            contexts.insert((context.parent, context.site), number);
            if let Some(word) = context.word {
                words.entry((word, context.site)).or_default().push(number);
            }
        }
        Self { map, sites, words, contexts }
    }

    /// The contexts that have a word at this instruction of a method (class, name and descriptor).
    pub fn contexts(&self, word: u64, (class, name, desc): (&str, &str, &str), bci: u16) -> &[u32] {
        let site = self.sites.get(&(class, name, desc, bci));
        site.and_then(|site| self.words.get(&(word, *site))).map_or(&[], Vec::as_slice)
    }

    /// Does the map name any of these methods (class, name and descriptor)?
    pub fn knows_any(&self, methods: &[(&str, &str, &str)]) -> bool {
        let own: HashSet<_> = self.map.names().collect();
        methods.iter().any(|method| own.contains(method))
    }

    /// The sites of a context, innermost first.
    pub fn sites(&self, context: u32) -> Vec<u32> {
        let mut sites = Vec::new();
        let mut at = self.map.contexts.get(context as usize);
        while let Some(context) = at {
            sites.push(context.site);
            at = context.parent.and_then(|parent| self.map.contexts.get(parent as usize));
        }
        sites
    }

    /// What the map says of each context of a run whose word is known.
    pub fn outcomes(&self, run: &Map) -> Vec<Option<PathOutcome>> {
        let sites: Vec<Option<u32>> = run
            .sites
            .iter()
            .map(|site| {
                let method = &run.methods[site.method as usize];
                self.sites.get(&(&*method.class, &*method.name, &*method.desc, site.bci)).copied()
            })
            .collect();
        let mut same: Vec<Option<u32>> = Vec::with_capacity(run.contexts.len());
        run.contexts
            .iter()
            .map(|context| {
                let site = sites[context.site as usize];
                // What was called from an unknown context is unknown, and what was called from the
                // base is not.
                let parent = context.parent.map(|parent| same[parent as usize]);
                let known = match parent {
                    Some(None) => None,
                    parent => site.and_then(|site| self.contexts.get(&(parent.flatten(), site)).copied()),
                };
                same.push(known);
                let all = context
                    .word
                    .map(|word| site.and_then(|site| self.words.get(&(word, site))).map_or(&[][..], Vec::as_slice))?;
                Some(PathOutcome::of(all.len() as u32, known.is_some_and(|known| all.contains(&known))))
            })
            .collect()
    }

    /// The same, counted.
    pub fn figures(&self, run: &Map) -> WordFigures {
        let mut figures = WordFigures::default();
        self.outcomes(run).into_iter().flatten().for_each(|outcome| figures.add(outcome, 1));
        figures
    }
}
