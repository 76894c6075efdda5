//! A model after parsing and name resolution: definitions in order, and what is asked of them.
//!
//! Nothing is normalised here: terms stand as they were written, so that independent readers (the
//! compiler to automata and the oracle's matrices) can each give them their own meaning.

use crate::property::Declared;
use selvedge_diagnostic::Span;

/// A built-in relation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Prim {
    /// Program order within a thread; the initialising event is before every other one.
    Po,
    /// Neighbours in program order.
    PoImm,
    /// Program order between accesses of the same location.
    PoLoc,
    Rf,
    Rfe,
    Rfi,
    /// Coherence (`mo` or `co`), a total order of the writes of each location.
    Co,
    Coe,
    Coi,
    /// From-read (`fr` or `rb`): `rf^-1 ; co`.
    Fr,
    Fre,
    Fri,
    /// From the read to the write of one read-modify-write.
    Rmw,
    Addr,
    Data,
    Ctrl,
    /// The part of `Ctrl` that ends with the arms of the branch.
    CtrlArm,
    /// From what the value that a compare-and-swap expects was computed from to its read.
    CasDep,
    /// From the writes of a thread to an object to its later writes of references to that object.
    Publishes,
    /// `po` from a write to a read of another's write: `(coe ; rfe) & po`.
    Detour,
    /// From the creation of a thread to its first event.
    Tc,
    /// From the last event of a thread (or its creation, if it has none) to a join with it.
    Tj,
    /// Two different events that access the same location.
    LocOverlap,
    /// Same location, an event with itself included (`loc` of `.cat`).
    Loc,
    /// Events of the same thread, an event with itself included (`int` of `.cat`, `same-thread`).
    Int,
    /// Events of different threads (`ext` of `.cat`). The initialising event is of no thread.
    Ext,
    Alloc,
    Free,
    /// Every pair.
    Any,
    /// Durable events of one file (a directory is one, too); only in what `recovery` says, like the next
    /// ones.
    SameInode,
    /// Durable events of one block of one file.
    SameBlock,
    /// Durable events of one cache line.
    SameLine,
    /// From a write of a byte of a file to the write of its size by which the file grows over that byte.
    Appends,
}

/// A built-in predicate on events. Names that mean an exact ordering in `.cat` and "or stronger" in
/// `.kat` have two entries.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Pred {
    /// Every event.
    All,
    R,
    W,
    F,
    /// The initialising write.
    Init,
    /// `R | W`.
    M,
    /// Release or stronger (writes and fences).
    Rel,
    /// Acquire or stronger (reads and fences).
    Acq,
    Sc,
    /// Exactly relaxed.
    Rlx,
    Na,
    /// Any access or fence that is not `Na`.
    Atomic,
    ExactRel,
    ExactAcq,
    ExactAcqRel,
    /// Halves of read-modify-writes that write.
    Ur,
    Uw,
    Tc,
    Tj,
    /// An acquire load that earlier release stores may be delayed past.
    AcqPc,
    /// Halves of pairs of exclusive instructions.
    Exclusive,
    /// A barrier instruction, by its name.
    Barrier(&'static str),
    /// What is durable, and what makes it so; only in what `recovery` says.
    Persist(Persist),
    /// Known names that nothing satisfies in the programs of today (`FREE`, `ALLOC`).
    Never,
}

/// Predicates of persistency: they hold of no event as far as memory models are concerned.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Persist {
    /// An access of a durable location; the initialising event.
    Durable,
    /// An event of the recovery. There is none before the crash.
    Recovery,
    /// An event before the crash.
    NotRecovery,
    /// An access of persistent memory.
    Memory,
    /// An access of a byte of a file, of its size, of a name in a directory, of its journal.
    Data,
    Metadata,
    Directory,
    Journal,
    /// The write of a size by which a file grows from inside of an old block into a new one.
    Straddles,
    /// `clflush`; `clflushopt` or `clwb`; any of them.
    Clflush,
    ClflushOpt,
    Flush,
    /// `fsync` of a file, `sync`, and `__VERIFIER_pbarrier`.
    Fsync,
    SyncAll,
    Barrier,
    /// `sfence`, which orders nothing that memory models know of.
    StoreFence,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct DefId(pub u32);

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Set {
    Empty,
    Pred(Pred),
    /// A definition whose body is a set.
    Def(DefId),
    /// A predicate that the model declares (`predicate NAME`); nothing satisfies it.
    Declared(String),
    Union(Box<Set>, Box<Set>),
    Inter(Box<Set>, Box<Set>),
    Diff(Box<Set>, Box<Set>),
    Not(Box<Set>),
    Domain(Box<Rel>),
    Range(Box<Rel>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rel {
    /// `0`.
    Empty,
    /// `id`, `[]`.
    Id,
    Prim(Prim),
    /// A definition whose body is a relation.
    Def(DefId),
    /// A relation that the model declares (`relation NAME`); no two events are related by it.
    Declared(String),
    /// `[S]`.
    Test(Set),
    /// `A * B` of `.cat`.
    Cross(Set, Set),
    Union(Box<Rel>, Box<Rel>),
    Seq(Box<Rel>, Box<Rel>),
    Inter(Box<Rel>, Box<Rel>),
    Diff(Box<Rel>, Box<Rel>),
    Star(Box<Rel>),
    Plus(Box<Rel>),
    Opt(Box<Rel>),
    Inverse(Box<Rel>),
    /// `~r` of `.cat`.
    Not(Box<Rel>),
    /// `rel^=` and `rot rel`, which only the decision procedure uses.
    SameEnds(Box<Rel>),
    Rot(Box<Rel>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DefBody {
    Rel(Rel),
    Set(Set),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Def {
    /// As it is referred to from the main file: `hb`, or `file::hb` for included ones.
    pub name: String,
    pub body: DefBody,
    /// Stored per event as a clock, if it can be.
    pub view: bool,
    /// Part of a `let rec` group: the definitions of one group have the same number, and their
    /// meaning is the least fixed point. `None`: the body refers to earlier definitions only.
    pub rec_group: Option<u32>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Inclusion {
    /// `a <= b`.
    Subset(Rel, Rel),
    /// `a = b`.
    Equal(Rel, Rel),
    /// `total r`.
    Total(Rel),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Constraint {
    Acyclic(Rel),
    Irreflexive(Rel),
    Empty(Rel),
    /// `coherence r`: `r ; (rf | co | fr)+` is irreflexive.
    Coherence(Rel),
    Inclusion(Inclusion),
    /// `error NAME unless i`, `flag ~empty r as NAME`: a program error (or a warning) where `i` fails.
    /// A pair that the left side relates in both directions only needs the right side in one of them.
    Error {
        name: String,
        warning: bool,
        unless: Inclusion,
    },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Axiom {
    pub constraint: Constraint,
    /// The name given by `as NAME` or `extra NAME`.
    pub name: Option<String>,
    /// The constraint is asked only where this fails.
    pub unless: Option<Inclusion>,
    /// Not part of the model proper (`export extra`).
    pub extra: bool,
    pub span: Span,
}

/// A whole model file, includes resolved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Theory {
    /// The file's stem, or what a `.cat` file calls itself in its first line.
    pub name: String,
    pub defs: Vec<Def>,
    /// What executions must satisfy (and what is an error), in order.
    pub axioms: Vec<Axiom>,
    /// For the decision procedure.
    pub assumes: Vec<(Inclusion, Span)>,
    pub asserts: Vec<(Inclusion, Span)>,
    /// Properties that the model declares, each once.
    pub properties: Vec<Declared>,
    /// `recovery r`: what persists before what (`pb`, thesis §8.1); several are one union.
    pub recovery: Vec<(Rel, Span)>,
}
