//! Position automata (Glushkov): one state per occurrence of a letter in a term, no empty moves, and
//! the tests between two letters gathered into the guard of the move.

use crate::guard::Guard;
use crate::letter::Letter;
use crate::term::Term;

/// What Glushkov's construction computes. Positions are numbered from 0; a state is "just read the
/// letter of this position".
#[derive(Debug)]
pub struct Positions {
    pub letters: Vec<Letter>,
    /// Which positions a word can start with, and the test on the event it starts at.
    pub first: Vec<(Guard, usize)>,
    /// Which positions a word can end with, and the test on the event it ends at.
    pub last: Vec<(usize, Guard)>,
    /// From, test on the event in between, to.
    pub follow: Vec<(usize, Guard, usize)>,
    /// Words without letters: the test that they make.
    pub empty: Guard,
}

struct Part {
    first: Vec<(Guard, usize)>,
    last: Vec<(usize, Guard)>,
    empty: Guard,
}

impl Positions {
    pub fn of(term: &Term) -> Positions {
        let mut p = Positions {
            letters: Vec::new(),
            first: Vec::new(),
            last: Vec::new(),
            follow: Vec::new(),
            empty: Guard::never(),
        };
        let part = p.visit(term);
        p.first = merge(part.first.into_iter().map(|(g, q)| (q, g))).map(|(q, g)| (g, q)).collect();
        p.last = merge(part.last.into_iter()).collect();
        p.empty = part.empty;
        let follow = std::mem::take(&mut p.follow);
        p.follow =
            merge(follow.into_iter().map(|(a, g, b)| ((a, b), g))).map(|((a, b), g)| (a, g, b)).collect();
        p
    }

    fn visit(&mut self, term: &Term) -> Part {
        match term {
            Term::Empty => Part { first: vec![], last: vec![], empty: Guard::never() },
            Term::Test(g) => Part { first: vec![], last: vec![], empty: g.clone() },
            Term::Letter(l) => {
                let p = self.letters.len();
                self.letters.push(*l);
                let always = Guard::always;
                Part { first: vec![(always(), p)], last: vec![(p, always())], empty: Guard::never() }
            }
            Term::Union(a, b) => {
                let (mut a, b) = (self.visit(a), self.visit(b));
                a.first.extend(b.first);
                a.last.extend(b.last);
                a.empty = a.empty.or(&b.empty);
                a
            }
            Term::Seq(a, b) => {
                let (a, b) = (self.visit(a), self.visit(b));
                self.connect(&a, &b);
                let mut first = a.first;
                first.extend(b.first.into_iter().map(|(g, q)| (a.empty.and(&g), q)));
                let mut last = b.last;
                last.extend(a.last.into_iter().map(|(p, g)| (p, g.and(&b.empty))));
                Part { first, last, empty: a.empty.and(&b.empty) }
            }
            Term::Plus(a) => {
                let a = self.visit(a);
                self.connect(&a, &a);
                a
            }
            Term::Opt(a) => {
                let mut a = self.visit(a);
                a.empty = Guard::always();
                a
            }
            Term::Var(_) => unreachable!("recursion was solved"),
        }
    }

    fn connect(&mut self, a: &Part, b: &Part) {
        for (p, g) in &a.last {
            for (h, q) in &b.first {
                self.follow.push((*p, g.and(h), *q));
            }
        }
    }

    /// Whether the term contains this letter by itself, whatever the events at its ends.
    pub fn contains(&self, letter: Letter) -> bool {
        self.letters.iter().enumerate().any(|(p, l)| {
            *l == letter
                && self.first.iter().any(|(g, q)| *q == p && g.is_always())
                && self.last.iter().any(|(q, g)| *q == p && g.is_always())
        })
    }
}

/// Joins entries with equal keys and drops the impossible ones; keeps the order of first appearance.
fn merge<K: PartialEq + Copy>(items: impl Iterator<Item = (K, Guard)>) -> impl Iterator<Item = (K, Guard)> {
    let mut out: Vec<(K, Guard)> = Vec::new();
    for (key, guard) in items {
        if guard.is_never() {
            continue;
        }
        match out.iter_mut().find(|(k, _)| *k == key) {
            Some((_, g)) => *g = g.or(&guard),
            None => out.push((key, guard)),
        }
    }
    out.into_iter()
}
