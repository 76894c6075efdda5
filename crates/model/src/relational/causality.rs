//! What is known of the causes that a model which follows dependencies tells.
//!
//! It is found out about the model as such, by whoever has the means to decide it (the crate `decide`), and
//! written down here. Nothing is the default: then nothing may be relied on.

/// Properties of the order that a model keeps within each thread (`lo`), and of its cycles.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Causality {
    /// The model asks for coherence and for one acyclic relation, of `lo` and of what other threads observe,
    /// and for nothing else.
    pub is_local: bool,
    /// `(addr | data | ctrl) ; rfi ; lo* ; [W] <= lo+`.
    pub forwards: bool,
    /// `(addr ; po | ctrl) ; [W] <= lo+`.
    pub skeleton: bool,
    /// `po-loc ; [W] <= lo+`.
    pub successors: bool,
    /// `lo ; [R] ; po-loc ; [R] ; lo+ ; [W]` is in causal order, where the thread does not write in between.
    pub rereads: bool,
    /// What a write comes after by anything that the model says of one thread, by dependencies and by program
    /// order of one location, if that is a read, it comes after in `lo`.
    pub closed: bool,
    /// Coherence agrees with `(po | tc | tj | [W & REL] ; rf ; [R & ACQ])+`.
    pub synchronises: bool,
    /// Whether values may depend on themselves.
    pub thin_air: ThinAir,
    /// All of this is known of programs in C only: not of ones with barriers and exclusive accesses of
    /// architectures.
    pub c_only: bool,
}

/// Which cycles of dependencies and `rf` a model allows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ThinAir {
    /// Nobody knows: programs have to be looked at.
    #[default]
    Open,
    /// Those that lead from the read of a read-modify-write to its write and to a read of that in the same
    /// thread, or from what a compare-and-swap expects to its read.
    ByRmws,
    /// None.
    Forbidden,
}
