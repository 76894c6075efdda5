//! Events by what predicates say of them: the symbolic alphabet of tests.
//!
//! Two kinds of events that no predicate of the question tells apart are one *class*; a test is a set
//! of classes, one bit each, so that conjunction, disjunction and complement are machine instructions
//! and no alphabet is ever expanded.
//!
//! A class has two more bits, which say how an event relates to the *anchor*, the first event of the
//! walk that is looked at: whether it accesses the same location, and whether it is of the same
//! thread. They carry what thesis §3.6.1 knows about same locations along a walk, however long.

use selvedge_certify::execution::Event;
use selvedge_graph::{Barrier, Kind, Mode};
use selvedge_kat::ast::Pred;

/// A set of classes.
pub type Mask = u128;

/// The most classes before the anchor bits.
const MAX_BASE: usize = 32;
/// The most predicates of a model's own.
const MAX_DECLARED: usize = 8;
const SAME_LOC: u32 = 2;
const SAME_THREAD: u32 = 1;

/// A set of events, by built-in predicates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Test {
    Pred(Pred),
    Or(Box<Test>, Box<Test>),
    And(Box<Test>, Box<Test>),
    Not(Box<Test>),
}

impl Test {
    fn holds(&self, of: &impl Fn(Pred) -> bool) -> bool {
        match self {
            Test::Pred(pred) => of(*pred),
            Test::Or(a, b) => a.holds(of) || b.holds(of),
            Test::And(a, b) => a.holds(of) && b.holds(of),
            Test::Not(a) => !a.holds(of),
        }
    }
}

/// One sort of event: what the oracle needs to know to make one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Atom {
    pub kind: Kind,
    pub mode: Mode,
    pub rmw: bool,
    /// Which of the model's own predicates hold.
    pub declared: u32,
}

impl Atom {
    fn satisfies(&self, pred: Pred) -> bool {
        Event { rmw: self.rmw, ..Event::new(self.kind, self.mode) }.satisfies(pred)
    }
}

impl std::fmt::Display for Atom {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = match self.kind {
            Kind::Init => return f.write_str("init"),
            Kind::Read => "R",
            Kind::Write => "W",
            Kind::Fence => "F",
            _ => return f.write_str("other"),
        };
        write!(f, "{kind}[{}]", self.mode)?;
        if self.rmw { f.write_str("u") } else { Ok(()) }
    }
}

/// Every sort of event that programs can have, those first that show best in a counterexample.
fn atoms(c_only: bool) -> Vec<Atom> {
    let mut atoms = Vec::new();
    let mut add = |kind, mode, rmw| atoms.push(Atom { kind, mode, rmw, declared: 0 });
    use Mode::{Acq, AcqRel, Na, Rel, Rlx, Sc};
    for mode in [Rlx, Acq, Sc, Na] {
        add(Kind::Read, mode, false);
    }
    for mode in [Rlx, Rel, Sc, Na] {
        add(Kind::Write, mode, false);
    }
    for mode in [Sc, AcqRel, Acq, Rel, Rlx] {
        add(Kind::Fence, mode, false);
    }
    for kind in [Kind::Read, Kind::Write] {
        for mode in [Rlx, Acq, Rel, AcqRel, Sc] {
            add(kind, mode, true);
        }
    }
    for kind in [Kind::Init, Kind::Choice, Kind::Spawn, Kind::Join] {
        add(kind, Na, false);
    }
    if c_only {
        return atoms;
    }
    // What architectures have beyond C11.
    let mut add = |kind, mode, rmw| atoms.push(Atom { kind, mode, rmw, declared: 0 });
    add(Kind::Read, Mode::AcqPc, false);
    for kind in [Kind::Read, Kind::Write] {
        for mode in [Mode::RlxEx, Mode::AcqEx, Mode::RelEx, Mode::AcqRelEx] {
            add(kind, mode, false);
            add(kind, mode, true);
        }
    }
    for barrier in Barrier::ALL {
        add(Kind::Fence, Mode::Barrier(barrier), false);
    }
    atoms
}

/// The classes of one question.
#[derive(Clone, Debug)]
pub struct Classes {
    /// A member of each class.
    members: Vec<Atom>,
    /// The sets that tell classes apart.
    keys: Vec<Test>,
    /// The model's own predicates.
    declared: Vec<String>,
    pub all: Mask,
    pub reads: Mask,
    pub writes: Mask,
    pub init: Mask,
    pub accesses: Mask,
    /// Of the anchor's location.
    pub same_loc: Mask,
    /// Of the anchor's thread.
    pub same_thread: Mask,
    /// The halves of read-modify-writes: reads, and writes that go with them. Those of one instruction
    /// have the same ordering, those of exclusive pairs need not.
    pub rmw: Vec<(Mask, Mask)>,
}

impl Classes {
    /// The coarsest classes that `tests` and the model's own predicates can tell apart. `disjoint`
    /// lists groups of the latter of which no two hold of the same event; `c_only` leaves out events
    /// that programs in C do not have. `None` if there are too many.
    pub fn new(tests: &[Test], declared: &[String], disjoint: &[u32], c_only: bool) -> Option<Classes> {
        if declared.len() > MAX_DECLARED {
            return None;
        }
        let always = [Pred::R, Pred::W, Pred::Init, Pred::F].map(Test::Pred);
        let keys: Vec<Test> = tests.iter().chain(&always).cloned().collect();
        if keys.len() + MAX_DECLARED > 64 {
            return None;
        }
        let key = |atom: &Atom| -> u64 {
            let holds = |test: &Test| test.holds(&|pred| atom.satisfies(pred));
            keys.iter().enumerate().fold(0, |key, (at, test)| key | u64::from(holds(test)) << at)
        };
        let mut members: Vec<(u64, Atom)> = Vec::new();
        for atom in atoms(c_only) {
            for own in 0..1u32 << declared.len() {
                if disjoint.iter().any(|group| (own & group).count_ones() > 1) {
                    continue;
                }
                let atom = Atom { declared: own, ..atom };
                let key = key(&atom) << MAX_DECLARED | u64::from(own);
                if !members.iter().any(|(k, _)| *k == key) {
                    members.push((key, atom));
                }
            }
        }
        if members.len() > MAX_BASE {
            return None;
        }
        let members: Vec<Atom> = members.into_iter().map(|(_, atom)| atom).collect();
        let mut c = Classes {
            members,
            keys,
            declared: declared.to_vec(),
            all: 0,
            reads: 0,
            writes: 0,
            init: 0,
            accesses: 0,
            same_loc: 0,
            same_thread: 0,
            rmw: Vec::new(),
        };
        for at in 0..c.members.len() {
            let kind = c.members[at].kind;
            let access = matches!(kind, Kind::Read | Kind::Write);
            for bits in 0..4u32 {
                let bit: Mask = 1 << (4 * at as u32 + bits);
                // The initialising event is of no thread, and of every location: it is said to be of
                // the anchor's neither, which claims nothing.
                if (bits & SAME_LOC != 0 && !access) || (bits != 0 && kind == Kind::Init) {
                    continue;
                }
                c.all |= bit;
                if bits & SAME_LOC != 0 {
                    c.same_loc |= bit;
                }
                if bits & SAME_THREAD != 0 {
                    c.same_thread |= bit;
                }
                match kind {
                    Kind::Read => c.reads |= bit,
                    Kind::Write => c.writes |= bit,
                    Kind::Init => {
                        c.writes |= bit;
                        c.init |= bit;
                    }
                    _ => {}
                }
            }
        }
        c.accesses = c.reads | c.writes;
        c.rmw = c.halves(&atoms(c_only));
        Some(c)
    }

    fn halves(&self, atoms: &[Atom]) -> Vec<(Mask, Mask)> {
        let mut out: Vec<(Mask, Mask)> = Vec::new();
        for read in atoms.iter().filter(|a| a.rmw && a.kind == Kind::Read) {
            let from = self.like(read);
            let fits = |w: &&Atom| {
                let both = read.mode.is_exclusive() && w.mode.is_exclusive();
                w.rmw && w.kind == Kind::Write && (w.mode == read.mode || both)
            };
            let to = atoms.iter().filter(fits).fold(0, |m, w| m | self.like(w));
            match out.iter_mut().find(|(known, _)| *known == from) {
                Some((_, more)) => *more |= to,
                None => out.push((from, to)),
            }
        }
        // Reads with the same writes need not be told apart.
        out.sort_by_key(|(_, to)| *to);
        out.dedup_by(|a, b| {
            let same = a.1 == b.1;
            if same {
                b.0 |= a.0;
            }
            same
        });
        out
    }

    /// The classes that an atom is in, whatever the model's own predicates say of it.
    fn like(&self, atom: &Atom) -> Mask {
        let holds = |atom: &Atom, test: &Test| test.holds(&|pred| atom.satisfies(pred));
        self.of_atoms(|a| self.keys.iter().all(|test| holds(a, test) == holds(atom, test)))
    }

    /// The events that a predicate holds of. It is one that the classes were made for, or part of a set that
    /// they were made for; of such a set, the same operations on these give the events of the whole.
    pub fn of(&self, pred: Pred) -> Mask {
        self.of_atoms(|atom| atom.satisfies(pred))
    }

    /// The same for a predicate of the model's own.
    pub fn of_declared(&self, name: &str) -> Mask {
        match self.declared.iter().position(|known| known == name) {
            Some(at) => self.of_atoms(|atom| atom.declared >> at & 1 == 1),
            None => 0,
        }
    }

    fn of_atoms(&self, holds: impl Fn(&Atom) -> bool) -> Mask {
        let with = self.members.iter().enumerate().filter(|(_, atom)| holds(atom));
        with.fold(0, |mask, (at, _)| mask | 0b1111 << (4 * at)) & self.all
    }

    /// The classes that an anchor can have, each by itself.
    pub fn anchors(&self, among: Mask) -> Vec<Mask> {
        let mut anchors = Vec::new();
        for (at, atom) in self.members.iter().enumerate() {
            let bits = match atom.kind {
                Kind::Read | Kind::Write => SAME_LOC | SAME_THREAD,
                Kind::Init => 0,
                _ => SAME_THREAD,
            };
            let bit: Mask = 1 << (4 * at as u32 + bits);
            if among & bit != 0 {
                anchors.push(bit);
            }
        }
        anchors
    }

    /// Every class that an anchor can have.
    pub fn anchor_mask(&self) -> Mask {
        self.anchors(self.all).into_iter().fold(0, |a, b| a | b)
    }

    /// The same classes, without the claim to be of the anchor's thread.
    pub fn forget_thread(&self, mask: Mask) -> Mask {
        // The bit before says the same otherwise.
        (mask & self.same_thread) >> SAME_THREAD | mask & !self.same_thread
    }

    /// A member of the first class of a set.
    pub fn member(&self, mask: Mask) -> Option<Atom> {
        self.members.get(mask.trailing_zeros() as usize / 4).copied()
    }

    /// A member that asks for no more ordering than it has to: not a sequentially consistent one, if
    /// there is another.
    pub fn modest_member(&self, mask: Mask) -> Option<Atom> {
        let there = |at: &usize| mask >> (4 * at) & 0b1111 != 0;
        let mut members = (0..self.members.len()).filter(there).map(|at| self.members[at]);
        members.clone().find(|a| a.mode == Mode::AcqRel).or_else(|| members.next())
    }

    /// Whether an event is of one of the classes, whatever the anchor. Declared predicates are not
    /// looked at.
    pub fn contains(&self, mask: Mask, event: &Event) -> bool {
        let same = |atom: &Atom| {
            let both = |test: &Test| {
                test.holds(&|pred| atom.satisfies(pred)) == test.holds(&|pred| event.satisfies(pred))
            };
            self.keys.iter().all(both)
        };
        self.members.iter().enumerate().any(|(at, atom)| mask >> (4 * at) & 0b1111 != 0 && same(atom))
    }

    /// Leaves out classes that an assumption says are empty.
    pub fn exclude(&mut self, mask: Mask) {
        for set in [
            &mut self.all,
            &mut self.reads,
            &mut self.writes,
            &mut self.init,
            &mut self.accesses,
            &mut self.same_loc,
            &mut self.same_thread,
        ] {
            *set &= !mask;
        }
    }

    /// A member of each class that there is.
    pub fn sorts(&self) -> Vec<Atom> {
        let there = |at: &usize| self.all >> (4 * at) & 0b1111 != 0;
        (0..self.members.len()).filter(there).map(|at| self.members[at]).collect()
    }

    /// The members of a set of classes; nothing if it is all of them.
    pub fn describe(&self, mask: Mask) -> String {
        if mask == self.all {
            return String::new();
        }
        let with = self.members.iter().enumerate().filter(|(at, _)| mask >> (4 * at) & 0b1111 != 0);
        with.map(|(_, atom)| atom.to_string()).collect::<Vec<_>>().join(",")
    }

    pub fn declared_names(&self) -> &[String] {
        &self.declared
    }

    pub fn len(&self) -> usize {
        self.members.len()
    }

    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }
}
