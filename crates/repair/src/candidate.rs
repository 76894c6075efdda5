//! What can be changed in a program: places, and what could be there.

use crate::cost::Costs;
use crate::language::Language;
use crate::strength::{is_within, join};
use selvedge_graph::{Barrier, Mode};

/// What an instruction is, as far as its ordering goes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Access {
    Load,
    Store,
    /// A read-modify-write that always writes.
    Rmw,
    /// A compare-and-exchange: its ordering is that of its success.
    CompareExchange,
    /// The halves of a pair of exclusive instructions.
    Linked,
    Conditional,
    Fence,
}

impl Access {
    /// As messages and tables of costs call it.
    pub fn name(self) -> &'static str {
        match self {
            Access::Load | Access::Linked => "load",
            Access::Store | Access::Conditional => "store",
            Access::Rmw | Access::CompareExchange => "rmw",
            Access::Fence => "fence",
        }
    }
}

/// A place in a text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TextPlace {
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
}

/// An instruction of the program that can be changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    pub place: TextPlace,
    /// The function, or the thread of a litmus test.
    pub function: String,
    pub access: Access,
    /// The ordering that it has to begin with.
    pub mode: Mode,
    /// That of a failed compare-and-exchange.
    pub failure: Option<Mode>,
    /// The ordering in the program as it was given, if the search does not begin with that one.
    pub given: Option<(Mode, Option<Mode>)>,
    /// Loops around it.
    pub depth: u32,
    /// Whether a fence may come right before it, and right after it.
    pub fences: (bool, bool),
    /// The site that comes next in any case: a fence right before it is the same as one right after this.
    pub next: Option<usize>,
    /// The line is not to be touched.
    pub kept: bool,
    /// No fence can be written beside it as the text is.
    pub by_hand: bool,
}

/// The words of a program for what can be added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    C,
    /// The Linux kernel's.
    Kernel,
    X86,
    AArch64,
    Power,
    RiscV,
    DotNet,
}

impl Dialect {
    /// The kinds of fences, the weakest first.
    pub fn fences(self) -> Vec<Mode> {
        use Barrier::*;
        let barriers = |all: &[Barrier]| all.iter().map(|b| Mode::Barrier(*b)).collect();
        match self {
            Dialect::C => vec![Mode::Acq, Mode::Rel, Mode::AcqRel, Mode::Sc],
            Dialect::Kernel => vec![Mode::Acq, Mode::Rel, Mode::Sc],
            Dialect::X86 | Dialect::DotNet => vec![Mode::Sc],
            Dialect::AArch64 => barriers(&[Isb, DmbLd, DmbSt, DmbSy]),
            Dialect::Power => barriers(&[Isync, Eieio, Lwsync, Sync]),
            Dialect::RiscV => barriers(&[
                FenceRR, FenceRW, FenceWR, FenceWW, FenceRRw, FenceWRw, FenceRwR, FenceRwW, FenceTso,
                FenceRwRw,
            ]),
        }
    }

    /// The orderings above the one that an access has, the weakest first.
    pub fn orderings(self, access: Access, mode: Mode) -> Vec<Mode> {
        use Access::*;
        use Mode::*;
        let all: &[Mode] = match (self, access) {
            (_, Fence) => &[],
            // `Volatile.Read` and `Volatile.Write`.
            (Dialect::DotNet, Load) => &[Acq],
            (Dialect::DotNet, Store) => &[Rel],
            // What is plain would need another type.
            _ if mode == Na => &[],
            (Dialect::C, Load) => &[Acq, Sc],
            (Dialect::C, Store) => &[Rel, Sc],
            (Dialect::C, Rmw | CompareExchange) => &[Acq, Rel, AcqRel, Sc],
            (Dialect::Kernel, Load) => &[Acq],
            (Dialect::Kernel, Store) => &[Rel],
            (Dialect::AArch64, Load) => &[AcqPc, Acq],
            (Dialect::AArch64, Store) => &[Rel],
            (Dialect::AArch64 | Dialect::RiscV, Rmw) => &[Acq, Rel, AcqRel],
            (Dialect::AArch64, Linked) => &[AcqEx],
            (Dialect::AArch64, Conditional) => &[RelEx],
            (Dialect::RiscV, Linked) => &[AcqEx, AcqRelEx],
            (Dialect::RiscV, Conditional) => &[RelEx, AcqRelEx],
            _ => &[],
        };
        all.iter().copied().filter(|m| *m != mode && is_within(mode, *m)).collect()
    }

    /// How a fence is written in a source.
    pub fn fence_in(self, file: &str, mode: Mode) -> String {
        match (self, Language::of(file)) {
            (Dialect::C, Some(language)) => language.fence(mode),
            _ => self.fence_text(mode),
        }
    }

    /// What an ordering is called.
    pub fn order_name(self, mode: Mode) -> String {
        match (self, mode) {
            (Dialect::DotNet, Mode::Acq) => String::from("Volatile.Read"),
            (Dialect::DotNet, Mode::Rel) => String::from("Volatile.Write"),
            (_, Mode::Na) => String::from("plain"),
            _ => mode.c_name().to_string(),
        }
    }

    /// How a fence is written.
    pub fn fence_text(self, mode: Mode) -> String {
        match (self, mode) {
            (Dialect::Kernel, Mode::Acq) => String::from("smp_rmb()"),
            (Dialect::Kernel, Mode::Rel) => String::from("smp_wmb()"),
            (Dialect::Kernel, _) => String::from("smp_mb()"),
            (Dialect::C, mode) => Language::C.fence(mode),
            (Dialect::X86, _) => String::from("MFENCE"),
            (Dialect::DotNet, _) => String::from("Thread.MemoryBarrier()"),
            (_, Mode::Barrier(barrier)) => barrier_text(barrier),
            (_, mode) => mode.to_string(),
        }
    }
}

fn barrier_text(barrier: Barrier) -> String {
    match barrier {
        Barrier::DmbSy => String::from("DMB SY"),
        Barrier::DmbLd => String::from("DMB LD"),
        Barrier::DmbSt => String::from("DMB ST"),
        Barrier::Isb => String::from("ISB"),
        Barrier::Sync => String::from("sync"),
        Barrier::Lwsync => String::from("lwsync"),
        Barrier::Isync => String::from("isync"),
        Barrier::Eieio => String::from("eieio"),
        Barrier::FenceTso => String::from("fence.tso"),
        other => match other.name().strip_prefix("Fence.").and_then(|sets| sets.split_once('.')) {
            Some((before, after)) => format!("fence {before},{after}"),
            None => other.name().to_string(),
        },
    }
}

/// What a candidate does at its site.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Effect {
    /// A fence of this kind right before it.
    Before(Mode),
    /// A fence of this kind right after it.
    After(Mode),
    /// It has this ordering, or a stronger one.
    Order(Mode),
    /// So has its failure.
    Failure(Mode),
}

/// One thing that can be changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// By number.
    pub site: usize,
    pub effect: Effect,
    pub cost: u64,
}

impl Candidate {
    /// Whether all that the other one does is done by this one.
    pub fn covers(&self, other: &Candidate) -> bool {
        use Effect::*;
        self.site == other.site
            && match (self.effect, other.effect) {
                (Order(a), Order(b)) | (Failure(a), Failure(b)) => is_within(b, a),
                (a, b) => a == b,
            }
    }

    /// Whether all that a third one does is done by this one and another, which are orderings of one access.
    pub fn covers_with(&self, other: &Candidate, third: &Candidate) -> bool {
        use Effect::*;
        self.site == third.site
            && other.site == third.site
            && match (self.effect, other.effect, third.effect) {
                (Order(a), Order(b), Order(c)) | (Failure(a), Failure(b), Failure(c)) => {
                    is_within(c, join(a, b))
                }
                _ => false,
            }
    }
}

/// What may be changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum With {
    Fences,
    Orderings,
    Both,
}

/// All candidates of some sites.
pub fn candidates(sites: &[Site], dialect: Dialect, with: With, costs: &Costs) -> Vec<Candidate> {
    let mut all = Vec::new();
    let is_before_next = |site: &Site| {
        site.next.and_then(|next| sites.get(next)).is_some_and(|next| !next.kept && next.fences.0)
    };
    for (number, site) in sites.iter().enumerate().filter(|(_, site)| !site.kept) {
        let mut add = |effect: Effect| {
            // Of two places that do, one that can be written is better.
            let by_hand = u64::from(site.by_hand && matches!(effect, Effect::Before(_) | Effect::After(_)));
            let cost = costs.of(site, effect) + by_hand;
            all.push(Candidate { site: number, effect, cost });
        };
        if with != With::Orderings {
            for kind in dialect.fences() {
                if site.fences.0 {
                    add(Effect::Before(kind));
                }
                if site.fences.1 && !is_before_next(site) {
                    add(Effect::After(kind));
                }
            }
        }
        if with != With::Fences {
            dialect.orderings(site.access, site.mode).into_iter().for_each(|mode| add(Effect::Order(mode)));
            if let Some(failure) = site.failure {
                let above = dialect.orderings(Access::Load, failure).into_iter();
                above.for_each(|mode| add(Effect::Failure(mode)));
            }
        }
    }
    all
}

/// What becomes of one site.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Change {
    pub before: Vec<Mode>,
    pub after: Vec<Mode>,
    /// At least this ordering.
    pub order: Option<Mode>,
    pub failure: Option<Mode>,
}

impl Change {
    pub fn is_empty(&self) -> bool {
        *self == Change::default()
    }
}

/// What becomes of each site if these candidates are chosen.
pub fn changes(sites: usize, candidates: &[Candidate], chosen: &Chosen) -> Vec<Change> {
    let mut changes = vec![Change::default(); sites];
    for candidate in chosen.iter().map(|number| &candidates[number]) {
        let change = &mut changes[candidate.site];
        let raise = |to: &mut Option<Mode>, mode: Mode| *to = Some(to.map_or(mode, |old| join(old, mode)));
        match candidate.effect {
            Effect::Before(mode) => change.before.push(mode),
            Effect::After(mode) => change.after.push(mode),
            Effect::Order(mode) => raise(&mut change.order, mode),
            Effect::Failure(mode) => raise(&mut change.failure, mode),
        }
    }
    changes
}

/// A set of candidates, by number.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Chosen(Vec<bool>);

impl Chosen {
    pub fn none(candidates: usize) -> Chosen {
        Chosen(vec![false; candidates])
    }

    pub fn all(candidates: usize) -> Chosen {
        Chosen(vec![true; candidates])
    }

    pub fn of(candidates: usize, numbers: impl IntoIterator<Item = usize>) -> Chosen {
        let mut chosen = Chosen::none(candidates);
        numbers.into_iter().for_each(|number| chosen.0[number] = true);
        chosen
    }

    pub fn has(&self, number: usize) -> bool {
        self.0[number]
    }

    pub fn with(&self, numbers: impl IntoIterator<Item = usize>) -> Chosen {
        let mut more = self.clone();
        numbers.into_iter().for_each(|number| more.0[number] = true);
        more
    }

    pub fn without(&self, number: usize) -> Chosen {
        let mut less = self.clone();
        less.0[number] = false;
        less
    }

    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().filter(|(_, is)| **is).map(|(number, _)| number)
    }

    /// Those that are not in it.
    pub fn others(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().filter(|(_, is)| !**is).map(|(number, _)| number)
    }

    pub fn len(&self) -> usize {
        self.iter().count()
    }

    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    pub fn cost(&self, candidates: &[Candidate]) -> u64 {
        self.iter().map(|number| candidates[number].cost).sum()
    }
}
