//! Dense ids. Each is given once in a run and never reused, so a record in the log needs no
//! lifetime.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index into a dense table.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(out)
            }
        }
    };
}

id! {
    /// One definition of a class as handed to Lucce; a retransformation gives a new one.
    ClassId
}
id! {
    /// A node of the call graph. [`MethodId::ROOT`] is the thread base; real methods start at 1 and
    /// stay below [`MethodId::LIMIT`].
    MethodId
}
id! {
    /// One instruction of one method, for a call site or another place an event or walk met.
    /// 0 is [`SiteId::UNKNOWN`], 1 is [`SiteId::ROOT`], real sites start at 2.
    SiteId
}
id! {
    /// An edge `(site, callee)` of the call graph.
    EdgeId
}
id! {
    /// A numbering of the graph (8 bits in a word, [`Version::LAST`]). 0 is reserved for words that
    /// carry no number; numberings start at 1.
    Version
}
id! {
    /// A node of the tree of captured contexts. 0 is the empty context.
    NodeId
}
id! {
    /// Where a thread or task came from, and where that came from in turn. 0: nothing is known, or
    /// it began with the JVM.
    OriginId
}

impl MethodId {
    /// The thread base: what stands below the first instrumented frame of every thread.
    pub const ROOT: Self = Self(0);
    /// Methods of a run have ids below this. They need not come in order: an id is given when a
    /// class is loaded, and told to the graph when the method first has a part in something, which
    /// may be much later or never.
    pub const LIMIT: u32 = 1 << 24;
}

impl SiteId {
    /// "Who called is not known": the next entry walks the stack.
    pub const UNKNOWN: Self = Self(0);
    /// The only site of [`MethodId::ROOT`]: entry from native or uninstrumented code at the base of
    /// a thread.
    pub const ROOT: Self = Self(1);
    /// The first id given to a real instruction.
    pub const FIRST: Self = Self(2);
}

impl Version {
    /// The first numbering of a run.
    pub const FIRST: Self = Self(1);
    /// The last numbering a word can carry; after it, fragments stay.
    pub const LAST: Self = Self((1 << 8) - 1);
}

/// A bytecode index in the class bytes *as handed to Lucce*, 0 to 65534.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bci(pub u16);
