//! What events a program can have at all (Kokologiannakis24 §5.2).
//!
//! A model says what orderings mean; most programs use few of them. If it is known which classes of
//! events, kinds with orderings, can occur, then tests on the others fail always, and tests that all events
//! pass that can stand at a place say nothing. What is left of a model after such tests are gone is often
//! a simpler model: if all accesses release or acquire, `hb` is `(po | rf)+`; if none does, it is `po`; and
//! without sequentially consistent events `psc` is empty. It relates the same events of the same graphs, so
//! the executions, their order and the errors found are the same.

use crate::glushkov::Positions;
use crate::guard::Guard;
use crate::letter::{Base, Letter, Pairs};
use selvedge_graph::Attrs;

/// The attributes of the events that can occur. Always among them are the initialising event and events
/// that have none, such as a read that has no source yet.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Classes(Vec<u32>);

impl Classes {
    pub fn new(attrs: impl IntoIterator<Item = Attrs>) -> Classes {
        let init = Attrs::of(selvedge_graph::Kind::Init, selvedge_graph::Mode::Na, false);
        let all = attrs.into_iter().chain([init, Attrs::NONE]);
        // Models do not speak of final writes.
        let mut all: Vec<u32> = all.map(|a| a.minus(Attrs::FINAL).0).collect();
        all.sort_unstable();
        all.dedup();
        Classes(all)
    }

    /// Whether events like this can occur.
    pub fn has(&self, attrs: Attrs) -> bool {
        self.0.binary_search(&attrs.minus(Attrs::FINAL).0).is_ok()
    }

    /// Whether one of them has this attribute.
    pub(crate) fn some_has(&self, attr: Attrs) -> bool {
        self.0.iter().any(|all| Attrs(*all).has(attr))
    }

    fn at(&self, place: impl Fn(Attrs) -> bool) -> Vec<Attrs> {
        let all = self.0.iter().map(|a| Attrs(*a));
        all.filter(|a| !a.has(Attrs::INIT) && place(*a)).collect()
    }

    /// A test of events: the same for those that can occur, and simpler.
    pub(crate) fn anywhere(&self, guard: &Guard) -> Guard {
        guard.among(&self.0.iter().map(|a| Attrs(*a)).collect::<Vec<_>>())
    }

    /// A test of events, the initialising one left out, that come after one step and before another: the
    /// same for them, and simpler.
    pub(crate) fn between(&self, guard: &Guard, before: Option<Letter>, after: Option<Letter>) -> Guard {
        let here = self.at(|a| before.is_none_or(|l| may_end(l, a)) && after.is_none_or(|l| may_start(l, a)));
        // Where no event can be, a test says nothing; left as it is, it is more likely to be like others.
        if here.is_empty() { guard.among(&self.at(|_| true)) } else { guard.among(&here) }
    }

    /// The automaton of the same relation, but for paths from the initialising event: nothing leads there,
    /// so they are on no cycle, and clocks do not count them.
    pub(crate) fn simplify(&self, p: &Positions) -> Positions {
        let letter = |q: usize| Some(p.letters[q]);
        // Without read-modify-writes, no step leads from the read to the write of one.
        let rmws = self.0.iter().any(|a| Attrs(*a).has(Attrs::UR));
        let can_be = |q: usize| rmws || p.letters[q].base != Base::Rmw;
        let first = p.first.iter().filter(|(_, q)| can_be(*q));
        let first = first.map(|(g, q)| (self.between(g, None, letter(*q)), *q));
        let last = p.last.iter().filter(|(q, _)| can_be(*q));
        let last = last.map(|(q, g)| (*q, self.between(g, letter(*q), None)));
        let follow = p.follow.iter().filter(|(a, _, b)| can_be(*a) && can_be(*b));
        let follow = follow.map(|(a, g, b)| (*a, self.between(g, letter(*a), letter(*b)), *b));
        Positions {
            letters: p.letters.clone(),
            first: first.filter(|(g, _)| !g.is_never()).collect(),
            last: last.filter(|(_, g)| !g.is_never()).collect(),
            follow: follow.filter(|(_, g, _)| !g.is_never()).collect(),
            empty: self.between(&p.empty, None, None),
        }
    }
}

/// Whether a step may lead away from an event of this class. Saying yes is always right.
pub(crate) fn may_start(letter: Letter, a: Attrs) -> bool {
    let access = a.meets(Attrs::R | Attrs::W);
    let kind = match letter.base {
        Base::Rf | Base::Co | Base::CoImm => a.has(Attrs::W),
        Base::Fr | Base::FrImm => a.has(Attrs::R),
        Base::Rmw => a.has(Attrs::UR),
        Base::Tc => a.has(Attrs::TC),
        Base::LocOverlap => access,
        Base::AmoDep(_) => a.has(Attrs::UW),
        Base::PoImm | Base::Po | Base::Tj | Base::View(_) | Base::Dep(_) | Base::Strand(_) => true,
    };
    kind && (access || letter.must.0 & Pairs::LOC.0 == 0)
}

/// Whether a step may lead to an event of this class.
pub(crate) fn may_end(letter: Letter, a: Attrs) -> bool {
    let access = a.meets(Attrs::R | Attrs::W);
    let kind = match letter.base {
        Base::Rf => a.has(Attrs::R),
        Base::Co | Base::CoImm | Base::Fr | Base::FrImm => a.has(Attrs::W),
        Base::Rmw => a.has(Attrs::UW),
        Base::Tj => a.has(Attrs::TJ),
        Base::LocOverlap => access,
        Base::PoImm
        | Base::Po
        | Base::Tc
        | Base::View(_)
        | Base::Dep(_)
        | Base::AmoDep(_)
        | Base::Strand(_) => true,
    };
    kind && !a.has(Attrs::INIT) && (access || letter.must.0 & Pairs::LOC.0 == 0)
}
