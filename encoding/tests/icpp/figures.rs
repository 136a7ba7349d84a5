//! Figures 1 and 3 to 5 of the paper: which pairs of paths are told apart, and by what.

use lucce_encoding::icpp::{Label, Paths, Search, Searched};
use lucce_words::weights::{Scheme, of_method};

/// Methods of these sizes, and for each call of one from another a label.
struct SizedProgram {
    paths: Paths,
    methods: Vec<char>,
    calls: Vec<(char, char, Label)>,
}

impl SizedProgram {
    fn new(sizes: &[(char, u64)]) -> Self {
        let mut paths = Paths::default();
        let methods = sizes.iter().map(|&(method, size)| (paths.method(size), method).1).collect();
        Self { paths, methods, calls: Vec::new() }
    }

    /// The path of these methods. The last one stands at its own beginning.
    fn add(&mut self, path: &str) -> u32 {
        let methods: Vec<char> = path.chars().collect();
        let callees = methods.iter().skip(1).chain(Some(&' '));
        let labels: Vec<Label> =
            methods.iter().zip(callees).map(|(caller, callee)| self.call(*caller, *callee)).collect();
        self.paths.path(&labels).expect("a path has a frame")
    }

    fn call(&mut self, caller: char, callee: char) -> Label {
        if let Some(known) = self.calls.iter().find(|call| (call.0, call.1) == (caller, callee)) {
            return known.2;
        }
        let method = self.methods.iter().position(|method| *method == caller).expect("it was declared");
        let label = self.paths.label(method as u32);
        self.calls.push((caller, callee, label));
        label
    }

    /// Are the two told apart now?
    fn tells(&self, one: u32, other: u32) -> bool {
        let heights = self.paths.heights();
        heights[one as usize] != heights[other as usize]
    }

    fn search(&mut self, wraps: bool) -> Searched {
        Search { wraps, enough: 100, ..Search::default() }.run(&mut self.paths)
    }
}

#[test]
fn figure_1_a_longer_path_has_another_height() {
    let mut program = SizedProgram::new(&[('A', 32), ('B', 16), ('C', 48)]);
    let (long, short) = (program.add("ABC"), program.add("AC"));
    assert!(program.tells(long, short));
    assert_eq!(program.search(false).rounds, 0);
}

#[test]
fn figure_3_a_larger_frame_tells_two_methods_apart() {
    let mut program = SizedProgram::new(&[('A', 32), ('B', 16), ('D', 48), ('E', 32)]);
    let (one, other) = (program.add("BAD"), program.add("BED"));
    assert!(!program.tells(one, other));
    let searched = program.search(false);
    assert!(program.tells(one, other));
    assert_eq!((searched.before.ambiguous, searched.after.ambiguous), (2, 0));
    let sizes = program.paths.sizes();
    assert!(
        [[48, 16, 48, 32], [32, 16, 48, 48]].iter().any(|one| one == sizes),
        "one of the two grows by a step: {sizes:?}"
    );
}

#[test]
fn figure_4_only_a_wrapped_call_tells_the_order_of_two_methods() {
    let mut program = SizedProgram::new(&[('A', 32), ('B', 16), ('D', 48)]);
    let (one, other) = (program.add("BAD"), program.add("ABD"));
    program.search(false);
    assert!(!program.tells(one, other), "the same methods have the same sum, whatever their sizes");
    let searched = program.search(true);
    assert!(program.tells(one, other));
    assert_eq!(searched.after.ambiguous, 0);
}

#[test]
fn figure_5_the_same_calls_in_another_order_stay_ambiguous_unless_mixed() {
    let mut program = SizedProgram::new(&[('A', 32), ('B', 16), ('D', 48)]);
    let paths = ["ABAAD", "AABAD"];
    let [one, other] = paths.map(|path| program.add(path));
    let searched = program.search(true);
    assert!(!program.tells(one, other));
    assert_eq!(searched.after.ambiguous, 4, "the two, and the two that call D");
    let word = |scheme: Scheme, path: &str| {
        path.bytes().fold(0, |base, method| {
            let weight = of_method(&[method], b"run", b"()V");
            // A method calls each other one at a place of its own, and here at one place twice.
            scheme.kept(base, weight)
        })
    };
    assert_eq!(word(Scheme::Names, paths[0]), word(Scheme::Names, paths[1]));
    assert_ne!(word(Scheme::Mixed, paths[0]), word(Scheme::Mixed, paths[1]));
}

/// The degree of ambiguity counts the paths that share an identifier.
#[test]
fn orders_of_three_methods_are_six_paths_of_one_height() {
    let mut program = SizedProgram::new(&[('A', 16), ('B', 16), ('C', 16), ('D', 16)]);
    for order in ["ABC", "ACB", "BAC", "BCA", "CAB", "CBA"] {
        program.add(&format!("{order}D"));
    }
    let searched = program.search(false);
    assert_eq!(searched.after.degrees.get(&6), Some(&6));
    let wrapped = program.search(true);
    assert_eq!(wrapped.after.within(1), wrapped.after.total(), "{wrapped:?}");
}
