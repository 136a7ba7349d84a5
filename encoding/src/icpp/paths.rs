//! The call paths of a run, as a tree: each is a frame on top of the path that has called it.
//!
//! A *label* is what a frame says of itself: its method, or the instruction in it at which it
//! stands. Two frames of one method differ only where labels say more than the method.
//!
//! Invariant: a path is there once; a parent stands before its children.
//! Source: "Inferred Call Path Profiling", sections 4.2 and 5.1.

use std::collections::HashMap;

/// What a frame says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label(pub u32);

/// Paths, and the sizes that make their heights.
#[derive(Clone, Debug, Default)]
pub struct Paths {
    nodes: Vec<(Option<u32>, Label)>,
    numbers: HashMap<(Option<u32>, Label), u32>,
    /// The method of each label.
    methods: Vec<u32>,
    /// The size of each method's frame.
    sizes: Vec<u64>,
    /// What each label adds.
    wraps: Vec<u64>,
}

impl Paths {
    /// A method whose frame is that large; methods count from 0.
    pub fn method(&mut self, size: u64) -> u32 {
        self.sizes.push(size);
        self.sizes.len() as u32 - 1
    }

    /// A label of a method.
    pub fn label(&mut self, method: u32) -> Label {
        self.methods.push(method);
        self.wraps.push(0);
        Label(self.methods.len() as u32 - 1)
    }

    /// The number of a path; paths count from 0.
    pub fn add(&mut self, parent: Option<u32>, label: Label) -> u32 {
        *self.numbers.entry((parent, label)).or_insert_with(|| {
            self.nodes.push((parent, label));
            self.nodes.len() as u32 - 1
        })
    }

    /// The path of these labels, outermost first.
    pub fn path(&mut self, labels: &[Label]) -> Option<u32> {
        labels.iter().fold(None, |parent, label| Some(self.add(parent, *label)))
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    /// The path that a path was called from, and the label on top of it.
    pub fn parent(&self, path: u32) -> (Option<u32>, Label) {
        self.nodes[path as usize]
    }

    /// The label on top of a path.
    pub fn top(&self, path: u32) -> Label {
        self.nodes[path as usize].1
    }

    /// The labels of a path, outermost first.
    pub fn labels(&self, path: u32) -> Vec<Label> {
        let mut labels = Vec::new();
        let mut at = Some(path);
        while let Some((parent, label)) = at.map(|path| self.nodes[path as usize]) {
            labels.push(label);
            at = parent;
        }
        labels.reverse();
        labels
    }

    /// The method of a label.
    pub fn method_of(&self, label: Label) -> u32 {
        self.methods[label.0 as usize]
    }

    /// Sizes of frames, by method.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// What each label adds.
    pub fn wraps(&self) -> &[u64] {
        &self.wraps
    }

    pub(super) fn resize(&mut self, method: u32, size: u64) {
        self.sizes[method as usize] = size;
    }

    pub(super) fn wrap(&mut self, label: Label, size: u64) {
        self.wraps[label.0 as usize] = size;
    }

    /// The height of each path.
    pub fn heights(&self) -> Vec<u64> {
        let mut heights: Vec<u64> = Vec::with_capacity(self.nodes.len());
        for &(parent, label) in &self.nodes {
            let below = parent.map_or(0, |parent| heights[parent as usize]);
            heights.push(below + self.sizes[self.method_of(label) as usize] + self.wraps[label.0 as usize]);
        }
        heights
    }

    /// The paths by their identifiers: height and top.
    pub fn identified(&self) -> HashMap<(u64, Label), Vec<u32>> {
        let mut all: HashMap<_, Vec<u32>> = HashMap::new();
        for (path, height) in self.heights().into_iter().enumerate() {
            all.entry((height, self.nodes[path].1)).or_default().push(path as u32);
        }
        all
    }
}
