//! From the contexts of a run to a map: what they are called, what is resized, and the words that
//! follow from it.
//!
//! Invariant: a map's words are those that its run publishes, or, once it is trained, those that a
//! run with the map publishes.
//! Source: "Inferred Call Path Profiling", sections 4.2, 5.1 and 5.2.

use std::collections::HashMap;

use super::{Label, Map, MapContext, MapMethod, MapSite, Paths, Search, Searched};

/// The contexts of a run, as they are told one by one.
#[derive(Debug, Default)]
pub struct GatheredContexts {
    map: Map,
    methods: HashMap<(String, String, String), u32>,
    sites: HashMap<(u32, u16), u32>,
    contexts: HashMap<(Option<u32>, u32), u32>,
}

impl GatheredContexts {
    /// None yet, of a run with these weights.
    pub fn new(weights: &str) -> Self {
        Self { map: Map { weights: weights.into(), ..Map::default() }, ..Self::default() }
    }

    /// The number of a site of this method (class, name and descriptor).
    pub fn site(&mut self, names: (&str, &str, &str), bci: u16) -> u32 {
        let names = (names.0.to_string(), names.1.to_string(), names.2.to_string());
        let methods = &mut self.map.methods;
        let method = *self.methods.entry(names).or_insert_with_key(|(class, name, desc)| {
            methods.push(MapMethod { resized: 0, class: class.clone(), name: name.clone(), desc: desc.clone() });
            methods.len() as u32 - 1
        });
        let sites = &mut self.map.sites;
        *self.sites.entry((method, bci)).or_insert_with(|| {
            sites.push(MapSite { method, bci, wrapped: 0 });
            sites.len() as u32 - 1
        })
    }

    /// The number of a context, and its word if that is known. Of the same context only the first
    /// one counts.
    pub fn context(&mut self, parent: Option<u32>, site: u32, word: Option<u64>) -> u32 {
        let contexts = &mut self.map.contexts;
        let number = *self.contexts.entry((parent, site)).or_insert_with(|| {
            contexts.push(MapContext { word, parent, site });
            contexts.len() as u32 - 1
        });
        let known = &mut contexts[number as usize].word;
        *known = known.or(word);
        number
    }

    /// The map.
    pub fn finish(self) -> Map {
        self.map
    }
}

impl Map {
    /// The same with one site for each method: paths are sequences of methods, as the paper has
    /// them.
    pub fn by_methods(&self) -> Self {
        let mut gathered = GatheredContexts::new(&self.weights);
        let mut numbers: Vec<u32> = Vec::with_capacity(self.contexts.len());
        for context in &self.contexts {
            let method = &self.methods[self.sites[context.site as usize].method as usize];
            let site = gathered.site((&method.class, &method.name, &method.desc), 0);
            let parent = context.parent.map(|parent| numbers[parent as usize]);
            numbers.push(gathered.context(parent, site, context.word));
        }
        gathered.finish()
    }

    /// Resizes frames, and wraps calls if the search does so; the words are then those of a run
    /// with this map. A context whose word no walk has told has none behind it either, nor has what
    /// was called from it. `None` for a map whose words are no heights, or without any.
    pub fn train(&mut self, search: &Search) -> Option<Searched> {
        let natural = self.natural()?;
        // The order of two methods is one path only where labels tell what they stand at.
        let by_methods = (!search.wraps).then(|| self.by_methods());
        let whole = by_methods.as_ref().unwrap_or(self);
        let sizes: HashMap<_, u64> = self.methods.iter().map(key).zip(natural.iter().copied()).collect();
        let mut paths = Paths::default();
        for method in &whole.methods {
            paths.method(sizes.get(&key(method)).copied()?);
        }
        for site in &whole.sites {
            paths.label(site.method);
        }
        whole.with_words(|parent, context| paths.add(parent, Label(context.site)));
        let done = search.run(&mut paths);
        let resized: HashMap<_, u64> = whole.methods.iter().map(key).zip(paths.sizes().iter().copied()).collect();
        for (method, natural) in self.methods.iter_mut().zip(&natural) {
            // One that is in no context is in no path.
            let size = resized.get(&key(method)).copied().unwrap_or(*natural);
            method.resized = u32::try_from(size - natural).ok()?;
        }
        if search.wraps {
            for (site, wrap) in self.sites.iter_mut().zip(paths.wraps()) {
                site.wrapped = u32::try_from(*wrap).ok()?;
            }
        }
        let words = self.with_words(|below: Option<u64>, context| {
            let site = self.sites[context.site as usize];
            let method = natural[site.method as usize] + u64::from(self.methods[site.method as usize].resized);
            below.unwrap_or(0) + method + u64::from(site.wrapped)
        });
        self.contexts.iter_mut().zip(words).for_each(|(context, word)| context.word = word);
        Some(done)
    }

    /// What comes of each context whose word is known, and of all that it was called from, by what
    /// has come of its caller; `None` for the others.
    fn with_words<T: Copy>(&self, mut come: impl FnMut(Option<T>, &MapContext) -> T) -> Vec<Option<T>> {
        let mut all: Vec<Option<T>> = Vec::with_capacity(self.contexts.len());
        for context in &self.contexts {
            let below = context.parent.map(|parent| all[parent as usize]);
            // Called from the base, or from what is known.
            let known = context.word.is_some() && !matches!(below, Some(None));
            all.push(known.then(|| come(below.flatten(), context)));
        }
        all
    }

    /// The size of each method's frame, from the heights of a run in which nothing was resized; 0
    /// of one that no known context has.
    fn natural(&self) -> Option<Vec<u64>> {
        let is_resized = self.methods.iter().any(|method| method.resized != 0);
        if self.weights != "natural" || is_resized {
            return None;
        }
        let mut sizes = vec![None; self.methods.len()];
        for context in &self.contexts {
            let below = context.parent.map_or(Some(0), |parent| self.contexts[parent as usize].word);
            if let (Some(word), Some(below)) = (context.word, below) {
                let size = &mut sizes[self.sites[context.site as usize].method as usize];
                *size = size.or(word.checked_sub(below));
            }
        }
        let is_known = sizes.iter().any(Option::is_some);
        is_known.then(|| sizes.into_iter().map(Option::unwrap_or_default).collect())
    }
}

fn key(method: &MapMethod) -> (String, String, String) {
    (method.class.clone(), method.name.clone(), method.desc.clone())
}
