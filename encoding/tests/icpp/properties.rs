//! What holds of the search and of maps, whatever the paths.

use lucce_encoding::icpp::{Label, Map, MapContext, MapMethod, MapSite, PathOutcome, Paths, Search, WordFigures};
use proptest::prelude::*;

const METHODS: u32 = 5;

/// Any paths: for each a parent before it, if it has one, and its label.
fn paths() -> impl Strategy<Value = (Vec<u64>, Vec<(Option<u32>, u32)>)> {
    let sizes = prop::collection::vec((0..4u64).prop_map(|size| size * 16), METHODS as usize);
    let nodes = prop::collection::vec((any::<prop::sample::Index>(), any::<bool>(), 0..2 * METHODS), 1..60);
    (sizes, nodes).prop_map(|(sizes, nodes)| {
        let parent = |at: usize, index: prop::sample::Index, is_base| {
            if at == 0 || is_base { None } else { Some(index.index(at) as u32) }
        };
        let nodes = nodes.into_iter().enumerate().map(|(at, (index, base, label))| (parent(at, index, base), label));
        (sizes, nodes.collect())
    })
}

/// Each method has two labels.
fn built(sizes: &[u64], nodes: &[(Option<u32>, u32)]) -> Paths {
    let mut paths = Paths::default();
    let methods: Vec<u32> = sizes.iter().map(|size| paths.method(*size)).collect();
    for label in 0..2 * METHODS {
        paths.label(methods[(label / 2) as usize]);
    }
    let mut numbers: Vec<u32> = Vec::new();
    for &(parent, label) in nodes {
        let parent = parent.map(|parent| numbers[parent as usize]);
        numbers.push(paths.add(parent, Label(label)));
    }
    paths
}

/// The figures of all paths, by the definition.
fn counted(paths: &Paths) -> WordFigures {
    let mut figures = WordFigures::default();
    for all in paths.identified().values() {
        all.iter().for_each(|_| figures.add(PathOutcome::of(all.len() as u32, true), 1));
    }
    figures
}

proptest! {
    #[test]
    fn a_search_never_tells_fewer_and_its_figures_are_those_of_the_paths((sizes, nodes) in paths(), seed: u64, wraps: bool) {
        let mut paths = built(&sizes, &nodes);
        let before = counted(&paths);
        let searched = Search { seed, wraps, enough: 100, patience: 5, limit: 60 }.run(&mut paths);
        prop_assert_eq!(&searched.before, &before);
        prop_assert_eq!(&searched.after, &counted(&paths));
        prop_assert!(searched.after.precise >= before.precise);
        prop_assert!(paths.sizes().iter().zip(&sizes).all(|(now, then)| now >= then));
        prop_assert!(wraps || paths.wraps().iter().all(|wrap| *wrap == 0));
    }

    #[test]
    fn a_seed_gives_one_outcome((sizes, nodes) in paths(), seed: u64) {
        let search = Search { seed, wraps: true, enough: 100, patience: 5, limit: 60 };
        let [one, other] = [(); 2].map(|()| {
            let mut paths = built(&sizes, &nodes);
            search.run(&mut paths);
            (paths.sizes().to_vec(), paths.wraps().to_vec())
        });
        prop_assert_eq!(one, other);
    }

    #[test]
    fn a_height_is_the_sum_of_the_frames_below((sizes, nodes) in paths()) {
        let paths = built(&sizes, &nodes);
        for (path, height) in (0..).zip(paths.heights()) {
            let sum: u64 = paths.labels(path).into_iter().map(|label| sizes[paths.method_of(label) as usize]).sum();
            prop_assert_eq!(height, sum);
        }
    }

    /// As a run with icpp=natural has them, but that no walk has told some words.
    #[test]
    fn training_is_of_what_walks_have_told((sizes, nodes) in paths(), told in prop::collection::vec(prop::bool::weighted(0.9), 60), wraps: bool) {
        let paths = built(&sizes, &nodes);
        let method = |number: u32| MapMethod { resized: 0, class: "A".into(), name: number.to_string(), desc: "()V".into() };
        let contexts = (0..paths.count() as u32).zip(paths.heights()).zip(&told).map(|((path, height), told)| {
            let (parent, site) = paths.parent(path);
            MapContext { word: told.then_some(height), parent, site: site.0 }
        });
        let mut map = Map {
            weights: "natural".into(),
            methods: (0..METHODS).map(method).collect(),
            sites: (0..2 * METHODS).map(|label| MapSite { method: label / 2, bci: label as u16, wrapped: 0 }).collect(),
            contexts: contexts.collect(),
        };
        let before = map.clone();
        let search = Search { seed: 1, wraps, enough: 100, patience: 5, limit: 60 };
        let known = |context: u32| {
            let callers = std::iter::successors(Some(context), |at| before.contexts[*at as usize].parent);
            callers.map(|at| before.contexts[at as usize].word).all(|word| word.is_some())
        };
        let trained = map.train(&search);
        prop_assert!(trained.is_some() || !(0..before.contexts.len() as u32).any(known));
        if trained.is_some() {
            let size = |site: u32| {
                let site = map.sites[site as usize];
                sizes[site.method as usize] + u64::from(map.methods[site.method as usize].resized) + u64::from(site.wrapped)
            };
            for (number, context) in (0u32..).zip(&map.contexts) {
                let height = paths.labels(number).into_iter().map(|label| size(label.0)).sum();
                prop_assert_eq!(context.word, known(number).then_some(height));
            }
        }
    }

    #[test]
    fn any_map_is_read_as_it_was_written(names in prop::collection::vec((any::<String>(), any::<u32>()), 1..5), words in prop::collection::vec(any::<Option<u64>>(), 0..9)) {
        let methods: Vec<_> = names.into_iter().map(|(name, resized)| {
            MapMethod { resized, class: name.clone(), name: format!("{name}\\"), desc: "()V".into() }
        }).collect();
        let sites = vec![MapSite { method: methods.len() as u32 - 1, bci: u16::MAX, wrapped: u32::MAX }];
        let contexts = (0u32..).zip(words).map(|(at, word)| MapContext { word, parent: at.checked_sub(1), site: 0 }).collect();
        let map = Map { weights: "mixed".into(), methods, sites, contexts };
        prop_assert_eq!(Map::read(&map.write()), Ok(map));
    }

    #[test]
    fn no_text_is_more_than_refused(text: String) {
        let _ = Map::read(&text);
        let _ = Map::read(&format!("lucce-icpp-map 1 names\n{text}"));
    }
}
