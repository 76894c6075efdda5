//! Tests on one event: what stands between the letters of a word.

use selvedge_graph::{Attrs, Barrier};
use selvedge_kat::Pred;
use smallvec::{SmallVec, smallvec};

/// Kinds of events exclude each other, and so do orderings.
const KINDS: u32 = Attrs::R.0
    | Attrs::W.0
    | Attrs::F.0
    | Attrs::TC.0
    | Attrs::TJ.0
    | Attrs::CHOICE.0
    | Attrs::ALLOC.0
    | Attrs::FREE.0;
const MODES: u32 = Attrs::NA.0
    | Attrs::RLX.0
    | Attrs::EXACT_ACQ.0
    | Attrs::EXACT_REL.0
    | Attrs::EXACT_ACQREL.0
    | Attrs::SC.0;

/// A conjunction: all of `must`, none of `mustnot`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Cube {
    pub must: u32,
    pub mustnot: u32,
}

/// A disjunction of cubes, none of which implies another; sorted, so that equal guards are equal.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Guard(Cubes);

/// Most guards are one cube: those take no memory of their own.
type Cubes = SmallVec<[Cube; 2]>;

/// A guard made for being asked often: its first cube is at hand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Test {
    first: Cube,
    rest: Box<[Cube]>,
}

impl Test {
    pub fn of(guard: &Guard) -> Test {
        match guard.0.split_first() {
            Some((first, rest)) => Test { first: *first, rest: rest.into() },
            // Asks for an attribute and its absence.
            None => Test { first: Cube { must: 1, mustnot: 1 }, rest: Box::new([]) },
        }
    }

    /// Whether it holds of every event.
    pub fn is_always(&self) -> bool {
        self.first == Cube { must: 0, mustnot: 0 }
    }

    /// Attributes of which every event that passes has at least one.
    pub fn hints(&self) -> Attrs {
        let all = std::iter::once(&self.first).chain(&self.rest);
        if all.clone().any(|c| c.must == 0) {
            return Attrs(u32::MAX);
        }
        Attrs(all.fold(0, |bits, c| bits | c.must))
    }

    #[inline]
    pub fn holds(&self, attrs: Attrs) -> bool {
        self.first.holds(attrs) || self.rest.iter().any(|c| c.holds(attrs))
    }

    /// Whether it may hold of an event that has no attributes but these.
    #[inline]
    pub fn may_hold(&self, among: Attrs) -> bool {
        let may = |c: &Cube| among.has(Attrs(c.must));
        may(&self.first) || self.rest.iter().any(may)
    }
}

impl Cube {
    #[inline]
    fn holds(self, attrs: Attrs) -> bool {
        attrs.0 & self.must == self.must && attrs.0 & self.mustnot == 0
    }

    fn contradictory(self) -> bool {
        self.must & self.mustnot != 0
            || (self.must & KINDS).count_ones() > 1
            || (self.must & MODES).count_ones() > 1
    }

    fn implies(self, other: Cube) -> bool {
        other.must & !self.must == 0 && other.mustnot & !self.mustnot == 0
    }
}

impl Guard {
    pub fn always() -> Guard {
        Guard(smallvec![Cube { must: 0, mustnot: 0 }])
    }

    pub fn never() -> Guard {
        Guard(Cubes::new())
    }

    pub fn attr(attr: Attrs) -> Guard {
        Guard(smallvec![Cube { must: attr.0, mustnot: 0 }])
    }

    pub fn is_never(&self) -> bool {
        self.0.is_empty()
    }

    pub fn is_always(&self) -> bool {
        matches!(self.0.as_slice(), [Cube { must: 0, mustnot: 0 }])
    }

    pub fn or(&self, other: &Guard) -> Guard {
        if self == other {
            return self.clone();
        }
        Guard::normal(self.0.iter().chain(&other.0).copied().collect())
    }

    pub fn and(&self, other: &Guard) -> Guard {
        let mut cubes = Cubes::new();
        for a in &self.0 {
            for b in &other.0 {
                cubes.push(Cube { must: a.must | b.must, mustnot: a.mustnot | b.mustnot });
            }
        }
        Guard::normal(cubes)
    }

    pub fn not(&self) -> Guard {
        let mut all = Guard::always();
        for cube in &self.0 {
            let mut some = Cubes::new();
            for bit in (0..32).map(|i| 1u32 << i) {
                if cube.must & bit != 0 {
                    some.push(Cube { must: 0, mustnot: bit });
                }
                if cube.mustnot & bit != 0 {
                    some.push(Cube { must: bit, mustnot: 0 });
                }
            }
            all = all.and(&Guard(some));
        }
        all
    }

    fn normal(mut cubes: Cubes) -> Guard {
        cubes.retain(|c| !c.contradictory());
        if cubes.len() < 2 {
            return Guard(cubes);
        }
        cubes.sort();
        cubes.dedup();
        let kept = cubes
            .iter()
            .enumerate()
            .filter(|&(i, c)| !cubes.iter().enumerate().any(|(j, d)| j != i && c.implies(*d)))
            .map(|(_, c)| *c)
            .collect();
        Guard(kept)
    }

    #[inline]
    pub fn holds(&self, attrs: Attrs) -> bool {
        self.0.iter().any(|c| c.holds(attrs))
    }

    /// A simpler guard that holds of the same of these events.
    pub fn among(&self, here: &[Attrs]) -> Guard {
        if self.is_never() || self.is_always() || here.iter().all(|a| self.holds(*a)) {
            return if self.is_never() { Guard::never() } else { Guard::always() };
        }
        let passing = |c: Cube| here.iter().map(|a| c.holds(*a)).collect::<Vec<bool>>();
        let mut cubes: Vec<(Cube, Vec<bool>)> = Vec::new();
        for &cube in &self.0 {
            let wanted = passing(cube);
            let Cube { must: asked, mustnot: refused } = cube;
            let mut cube = cube;
            // What kind of event it asks for is the last to go.
            for bit in (0..32).map(|i| 1u32 << i).filter(|bit| refused & bit != 0) {
                let less = Cube { mustnot: cube.mustnot & !bit, ..cube };
                cube = if passing(less) == wanted { less } else { cube };
            }
            for bit in (0..32).rev().map(|i| 1u32 << i).filter(|bit| asked & bit != 0) {
                let less = Cube { must: cube.must & !bit, ..cube };
                cube = if passing(less) == wanted { less } else { cube };
            }
            if wanted.contains(&true) {
                cubes.push((cube, wanted));
            }
        }
        let within = |a: &[bool], b: &[bool]| a.iter().zip(b).all(|(a, b)| !a || *b);
        let mut kept: Vec<(Cube, Vec<bool>)> = Vec::new();
        for (cube, passes) in cubes {
            if !kept.iter().any(|(_, other)| within(&passes, other)) {
                kept.retain(|(_, other)| !within(other, &passes));
                kept.push((cube, passes));
            }
        }
        Guard::normal(kept.into_iter().map(|(cube, _)| cube).collect())
    }

    /// Whether every event that satisfies the guard has this attribute.
    pub fn requires(&self, attr: Attrs) -> bool {
        self.0.iter().all(|c| c.must & attr.0 == attr.0)
    }

    /// Attributes that some cube asks for.
    pub fn mentions(&self) -> Attrs {
        Attrs(self.0.iter().fold(0, |all, c| all | c.must))
    }

    pub fn of(pred: Pred) -> Guard {
        let any = |attrs: &[Attrs]| attrs.iter().fold(Guard::never(), |g, a| g.or(&Guard::attr(*a)));
        match pred {
            Pred::All => Guard::always(),
            Pred::R => Guard::attr(Attrs::R),
            Pred::W => Guard::attr(Attrs::W),
            Pred::F => Guard::attr(Attrs::F),
            Pred::Init => Guard::attr(Attrs::INIT),
            Pred::M => any(&[Attrs::R, Attrs::W]),
            Pred::Rel => Guard::attr(Attrs::REL),
            Pred::Acq => Guard::attr(Attrs::ACQ),
            Pred::Sc => Guard::attr(Attrs::SC),
            Pred::Rlx => Guard::attr(Attrs::RLX),
            Pred::Na => Guard::attr(Attrs::NA),
            Pred::Atomic => {
                any(&[Attrs::RLX, Attrs::EXACT_ACQ, Attrs::EXACT_REL, Attrs::EXACT_ACQREL, Attrs::SC])
            }
            Pred::ExactRel => Guard::attr(Attrs::EXACT_REL),
            Pred::ExactAcq => Guard::attr(Attrs::EXACT_ACQ),
            Pred::ExactAcqRel => Guard::attr(Attrs::EXACT_ACQREL),
            Pred::Ur => Guard::attr(Attrs::UR),
            Pred::Uw => Guard::attr(Attrs::UW),
            Pred::Tc => Guard::attr(Attrs::TC),
            Pred::Tj => Guard::attr(Attrs::TJ),
            Pred::AcqPc => Guard::attr(Attrs::ACQ_PC),
            Pred::Exclusive => Guard::attr(Attrs::EXCLUSIVE),
            Pred::Barrier(name) => match Barrier::by_name(name) {
                Some(barrier) => {
                    let own = Attrs::barrier(barrier);
                    Guard(smallvec![Cube { must: (Attrs::F | own).0, mustnot: Attrs::BARRIERS.minus(own).0 }])
                }
                None => Guard::never(),
            },
            Pred::Persist(_) | Pred::Never => Guard::never(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_exclude_each_other() {
        let both = Guard::attr(Attrs::R).and(&Guard::attr(Attrs::W));
        assert!(both.is_never());
    }

    #[test]
    fn barriers_are_told_apart() {
        use selvedge_graph::{Kind, Mode};
        for a in Barrier::ALL {
            let guard = Guard::of(Pred::Barrier(a.name()));
            assert!(!guard.is_never());
            for b in Barrier::ALL {
                let attrs = Attrs::of(Kind::Fence, Mode::Barrier(b), false);
                assert_eq!(guard.holds(attrs), a == b);
                assert_eq!(guard.not().holds(attrs), a != b);
            }
            assert!(!guard.holds(Attrs::of(Kind::Fence, Mode::Sc, false)));
            // The name is one that models can use.
            let read = Pred::by_name(a.name(), selvedge_kat::Dialect::Kat);
            assert_eq!(read, Some(Pred::Barrier(a.name())));
        }
    }

    #[test]
    fn simpler_guards_hold_of_the_same_events() {
        use selvedge_graph::{Kind, Mode};
        let (read, write) = (Kind::Read, Kind::Write);
        let here =
            [Attrs::of(read, Mode::Acq, false), Attrs::of(write, Mode::Rel, false), Attrs::NONE, Attrs::TC];
        let acquire = Guard::of(Pred::Acq).and(&Guard::of(Pred::R));
        assert_eq!(acquire.among(&here), Guard::attr(Attrs::R));
        assert!(Guard::of(Pred::Sc).among(&here).is_never());
        assert!(Guard::of(Pred::Sc).not().among(&here).is_always());
        assert!(Guard::of(Pred::Rel).or(&Guard::of(Pred::F)).among(&here[1..2]).is_always());
        let some = acquire.or(&Guard::of(Pred::W)).or(&Guard::of(Pred::F)).and(&Guard::of(Pred::Na).not());
        for a in here {
            assert_eq!(some.among(&here).holds(a), some.holds(a));
        }
    }

    #[test]
    fn negation_is_pointwise() {
        let g = Guard::attr(Attrs::R).and(&Guard::attr(Attrs::SC)).or(&Guard::attr(Attrs::F));
        for bits in 0..1u32 << 15 {
            let attrs = Attrs(bits);
            // Only attribute sets that events can have.
            if (bits & KINDS).count_ones() == 1 && (bits & MODES).count_ones() <= 1 {
                assert_eq!(g.not().holds(attrs), !g.holds(attrs), "{bits:b}");
            }
        }
    }
}
