//! Terms and answers against plain arithmetic on all numbers of a few bits.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use selvedge_symbolic::{Model, Solver, Term, Terms, Values};

/// What a term is, for numbers that are taken from a table: by assignment.
type Meaning = Vec<u128>;

const WIDTH: u8 = 4;

fn mask(width: u8) -> u128 {
    (1 << width) - 1
}

fn signed(value: u128, width: u8) -> i128 {
    let unused = 128 - width as u32;
    ((value << unused) as i128) >> unused
}

struct Generator {
    random: SmallRng,
    terms: Terms,
    unknowns: [Term; 2],
}

impl Generator {
    fn new(seed: u64) -> Generator {
        let mut terms = Terms::default();
        let unknowns = [terms.unknown(0, 0, WIDTH), terms.unknown(1, 0, WIDTH)];
        Generator { random: SmallRng::seed_from_u64(seed), terms, unknowns }
    }

    fn all(of: impl Fn(u128, u128) -> u128) -> Meaning {
        (0..256u128).map(|m| of(m & 15, m >> 4)).collect()
    }

    fn zip(a: &Meaning, b: &Meaning, of: impl Fn(u128, u128) -> u128) -> Meaning {
        a.iter().zip(b).map(|(a, b)| of(*a, *b)).collect()
    }

    fn map(a: &Meaning, of: impl Fn(u128) -> u128) -> Meaning {
        a.iter().map(|a| of(*a)).collect()
    }

    /// A term of this width with its meaning.
    fn term(&mut self, width: u8, depth: u32) -> (Term, Meaning) {
        let m = mask(width);
        if depth == 0 || self.random.random_range(0..8) == 0 {
            return if width == WIDTH && self.random.random_range(0..4) > 0 {
                let which = self.random.random_range(0..2);
                (self.unknowns[which], Self::all(|x, y| if which == 0 { x } else { y }))
            } else {
                let value = self.random.random_range(0..=m);
                (self.terms.constant(width, value), Self::all(|_, _| value))
            };
        }
        if width == 1 && self.random.random_range(0..3) > 0 {
            let inner = self.random.random_range(2..=7);
            let ((a, x), (b, y)) = (self.term(inner, depth - 1), self.term(inner, depth - 1));
            return match self.random.random_range(0..3) {
                0 => (self.terms.eq(a, b), Self::zip(&x, &y, |x, y| (x == y) as u128)),
                1 => (self.terms.ult(a, b), Self::zip(&x, &y, |x, y| (x < y) as u128)),
                _ => {
                    let less = |x, y| (signed(x, inner) < signed(y, inner)) as u128;
                    (self.terms.slt(a, b), Self::zip(&x, &y, less))
                }
            };
        }
        let two = |g: &mut Generator| (g.term(width, depth - 1), g.term(width, depth - 1));
        match self.random.random_range(0..17) {
            0 | 1 => {
                let ((a, x), (b, y)) = two(self);
                (self.terms.add(a, b), Self::zip(&x, &y, |x, y| (x + y) & m))
            }
            2 => {
                let ((a, x), (b, y)) = two(self);
                (self.terms.sub(a, b), Self::zip(&x, &y, |x, y| x.wrapping_sub(y) & m))
            }
            3 => {
                let ((a, x), (b, y)) = two(self);
                (self.terms.mul(a, b), Self::zip(&x, &y, |x, y| (x * y) & m))
            }
            4 => {
                let ((a, x), (b, y)) = two(self);
                (self.terms.and(a, b), Self::zip(&x, &y, |x, y| x & y))
            }
            5 => {
                let ((a, x), (b, y)) = two(self);
                (self.terms.or(a, b), Self::zip(&x, &y, |x, y| x | y))
            }
            6 => {
                let ((a, x), (b, y)) = two(self);
                (self.terms.xor(a, b), Self::zip(&x, &y, |x, y| x ^ y))
            }
            7 => {
                let ((a, x), (b, y)) = two(self);
                let far = width as u128;
                let shifted = move |x: u128, y: u128| if y >= far { 0 } else { x << y & m };
                (self.terms.shl(a, b), Self::zip(&x, &y, shifted))
            }
            8 => {
                let ((a, x), (b, y)) = two(self);
                let far = width as u128;
                (self.terms.lshr(a, b), Self::zip(&x, &y, |x, y| if y >= far { 0 } else { x >> y }))
            }
            9 => {
                let ((a, x), (b, y)) = two(self);
                let most = width as u128 - 1;
                let shifted = |x, y: u128| (signed(x, width) >> y.min(most)) as u128 & m;
                (self.terms.ashr(a, b), Self::zip(&x, &y, shifted))
            }
            10 => {
                // Where the divisor is 0, whoever divides sees to it that it is not.
                let ((a, x), (b, y)) = two(self);
                match self.random.random_range(0..4) {
                    0 => (self.terms.udiv(a, b), Self::zip(&x, &y, |x, y| x.checked_div(y).unwrap_or(0))),
                    1 => (self.terms.urem(a, b), Self::zip(&x, &y, |x, y| x.checked_rem(y).unwrap_or(0))),
                    2 => {
                        let of = |x, y| match y {
                            0 => 0,
                            _ => signed(x, width).wrapping_div(signed(y, width)) as u128 & m,
                        };
                        (self.terms.sdiv(a, b), Self::zip(&x, &y, of))
                    }
                    _ => {
                        let of = |x, y| match y {
                            0 => 0,
                            _ => signed(x, width).wrapping_rem(signed(y, width)) as u128 & m,
                        };
                        (self.terms.srem(a, b), Self::zip(&x, &y, of))
                    }
                }
            }
            11 | 12 => {
                let whole = self.random.random_range(width..=8);
                let low = self.random.random_range(0..=whole - width);
                let (a, x) = self.term(whole, depth - 1);
                (self.terms.extract(a, low, width), Self::map(&x, |x| x >> low & m))
            }
            13 if width > 1 => {
                let low = self.random.random_range(1..width);
                let ((a, x), (b, y)) = (self.term(width - low, depth - 1), self.term(low, depth - 1));
                (self.terms.concat(a, b), Self::zip(&x, &y, |x, y| x << low | y))
            }
            14 => {
                let own = self.random.random_range(1..=width);
                let (a, x) = self.term(own, depth - 1);
                (self.terms.zext(a, width), x)
            }
            15 => {
                let own = self.random.random_range(1..=width);
                let (a, x) = self.term(own, depth - 1);
                (self.terms.sext(a, width), Self::map(&x, |x| signed(x, own) as u128 & m))
            }
            _ => {
                let (c, z) = self.term(1, depth - 1);
                let ((a, x), (b, y)) = two(self);
                let meaning = (0..256).map(|i| if z[i] == 1 { x[i] } else { y[i] }).collect();
                (self.terms.ite(c, a, b), meaning)
            }
        }
    }

    fn model(&self, m: u128) -> Model {
        let mut model = Model::default();
        model.set(self.unknowns[0], m & 15);
        model.set(self.unknowns[1], m >> 4);
        model
    }
}

#[test]
fn terms_mean_what_they_were_made_of() {
    for seed in 0..6000 {
        let mut g = Generator::new(seed);
        let width = g.random.random_range(1..=8);
        let (term, meaning) = g.term(width, 5);
        assert_eq!(g.terms.width(term), width);
        for m in 0..256 {
            let found = g.terms.eval(term, &g.model(m));
            assert_eq!(found, meaning[m as usize], "seed {seed}: {m}");
        }
    }
}

#[test]
fn facts_may_hold_just_if_they_hold_of_some_numbers() {
    let (mut yes, mut no, mut sure) = (0, 0, 0);
    for seed in 0..3000 {
        let mut g = Generator::new(seed);
        let mut solver = Solver::default();
        let mut facts = Vec::new();
        let mut holding = vec![true; 256];
        for _ in 0..g.random.random_range(1..5) {
            let (fact, meaning) = g.term(1, 4);
            let before = facts.clone();
            let holding_before = holding.clone();
            (0..256).for_each(|m| holding[m] &= meaning[m] == 1);
            facts.push(fact);
            let answer = solver.check(&g.terms, &facts);
            assert_eq!(answer.is_yes(), holding.contains(&true), "seed {seed}");
            assert_eq!(answer.is_no(), !holding.contains(&true), "seed {seed}");
            if let Some(decided) = solver.decides(&g.terms, &before, fact) {
                sure += 1;
                let before = &holding_before;
                assert!((0..256).all(|m| !before[m] || (meaning[m] == 1) == decided), "seed {seed}");
            }
            let again = solver.may_hold(&g.terms, &before, fact);
            assert_eq!(again.is_yes(), holding.contains(&true), "seed {seed}");
            if !holding.contains(&true) {
                no += 1;
                facts.clear();
                break;
            }
            yes += 1;
        }
        if facts.is_empty() {
            continue;
        }
        let width = g.random.random_range(1..=5);
        let (term, meaning) = g.term(width, 3);
        let mut expected: Vec<u128> = (0..256).filter(|&m| holding[m]).map(|m| meaning[m]).collect();
        expected.sort_unstable();
        expected.dedup();
        match solver.values(&g.terms, &facts, term, 9) {
            Values::All(found) => assert_eq!(found, expected, "seed {seed}"),
            Values::More(some) => {
                assert!(expected.len() > 9 && some.iter().all(|v| expected.contains(v)), "seed {seed}");
            }
            Values::NobodyKnows => panic!("seed {seed}"),
        }
    }
    assert!(yes > 1000 && no > 300 && sure > 300, "{yes} {no} {sure}");
}

#[test]
fn wide_arithmetic_is_decided() {
    let mut terms = Terms::default();
    let mut solver = Solver::default();
    let (x, y) = (terms.unknown(0, 0, 32), terms.unknown(0, 1, 32));
    // x * 3 == y + 7, y == 5 * x - 107: 2x = 100 modulo a power of 2.
    let (three, five) = (terms.constant(32, 3), terms.constant(32, 5));
    let (seven, less) = (terms.constant(32, 7), terms.constant(32, 107));
    let (a, b) = (terms.mul(x, three), terms.add(y, seven));
    let (c, d) = (terms.mul(x, five), y);
    let c = terms.sub(c, less);
    let facts = [terms.eq(a, b), terms.eq(c, d)];
    match solver.values(&terms, &facts, x, 5) {
        Values::All(values) => assert_eq!(values, [50, 50 + (1 << 31)]),
        other => panic!("{other:?}"),
    }
    // The product of two numbers of 16 bits that is a prime.
    let (p, q) = (terms.unknown(1, 0, 16), terms.unknown(1, 1, 16));
    let (p, q) = (terms.zext(p, 32), terms.zext(q, 32));
    let product = terms.mul(p, q);
    let prime = terms.constant(32, 65521 * 3);
    let is = terms.eq(product, prime);
    match solver.values(&terms, &[is], p, 9) {
        Values::All(values) => assert_eq!(values, [3, 65521]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_went_through_memory_byte_by_byte_is_as_it_was() {
    let mut terms = Terms::default();
    let (x, y) = (terms.unknown(0, 0, 32), terms.unknown(0, 1, 8));
    let wide = terms.sext(y, 32);
    let two = terms.constant(32, 2);
    let double = terms.mul(x, two);
    let sum = terms.add(double, wide);
    for whole in [x, wide, sum] {
        let bytes: Vec<Term> = (0..4).map(|i| terms.extract(whole, 8 * i, 8)).collect();
        let joined = bytes[1..].iter().fold(bytes[0], |low, high| terms.concat(*high, low));
        assert_eq!(joined, whole);
    }
}

#[test]
fn tables_are_restored_as_they_were() {
    let mut g = Generator::new(3);
    (0..20).for_each(|_| _ = g.term(8, 5));
    let nodes = g.terms.nodes().to_vec();
    let restored = Terms::restore(nodes.clone());
    assert_eq!(restored.map(|r| r.nodes().to_vec()), Some(nodes.clone()));
    let mut broken = nodes;
    broken.rotate_left(1);
    assert!(Terms::restore(broken).is_none());
}
