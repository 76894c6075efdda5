//! Terms and formulas: what a system's steps, invariants and properties are made of.

use std::collections::BTreeSet;

/// A bound variable, or a parameter of a step. Numbers are unique in a system.
pub type Var = u32;

/// The thread that takes a step.
pub const SELF: Var = 0;

/// What a term is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Type {
    /// A truth value.
    Bool,
    /// A number, as large as it gets.
    Int,
    /// One of the named values of an enumeration; the locations are the first one.
    Enum(usize),
    /// An element of a sort: a thread, a node of a tree.
    Sort(usize),
}

/// What a variable ranges over.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Domain {
    /// All elements of a sort.
    Sort(usize),
    /// The numbers from the first to the second, both included.
    Range(Box<Expr>, Box<Expr>),
}

/// Relations and functions that every system has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Prim {
    /// The first is a child of the second, in the tree of this sort.
    Child(usize),
    /// The first is the left child of the second.
    Left(usize),
    /// The first is the right child of the second.
    Right(usize),
    /// The first is the second or a descendant of it.
    Below(usize),
    /// The root of the tree.
    Root(usize),
    /// Two to the power of a number that is not negative.
    Pow2,
    /// The bit of a thread's number: `bit(t, i)`.
    Bit(usize),
    /// All bits below `i` are zero: `zero(t, i)`.
    Zero(usize),
    /// All bits from `i` on are the same: `agree(t, u, i)`.
    Agree(usize),
    /// The thread whose bits are those of `t` from `i` on and zero below: `clear(t, i)`.
    Clear(usize),
    /// How many bits the numbers of threads have.
    Length(usize),
}

/// A term; formulas are terms that are true or false.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Expr {
    /// True or false.
    Bool(bool),
    /// A number.
    Int(i64),
    /// A value of an enumeration.
    Lit(usize, usize),
    /// A variable.
    Var(Var, Type),
    /// A variable of the system, at an index.
    App(usize, Vec<Expr>),
    /// Something that every system has.
    Prim(Prim, Vec<Expr>),
    /// How many elements a sort has.
    Size(usize),
    /// Negation.
    Not(Box<Expr>),
    /// Conjunction.
    And(Vec<Expr>),
    /// Disjunction.
    Or(Vec<Expr>),
    /// Equality; of formulas, equivalence.
    Eq(Box<Expr>, Box<Expr>),
    /// At most, of numbers.
    Le(Box<Expr>, Box<Expr>),
    /// Sum.
    Add(Vec<Expr>),
    /// Multiple.
    Mul(i64, Box<Expr>),
    /// The remainder, never negative.
    Mod(Box<Expr>, Box<Expr>),
    /// If, then, else.
    Ite(Box<Expr>, Box<Expr>, Box<Expr>),
    /// For all.
    All(Var, Domain, Box<Expr>),
    /// There is.
    Any(Var, Domain, Box<Expr>),
    /// How many elements of a sort are such that.
    Card(Var, usize, Box<Expr>),
}

impl Expr {
    /// Negation, without two in a row.
    #[allow(clippy::should_implement_trait)]
    pub fn not(self) -> Expr {
        match self {
            Expr::Bool(b) => Expr::Bool(!b),
            Expr::Not(e) => *e,
            e => Expr::Not(Box::new(e)),
        }
    }

    /// Conjunction, flat.
    pub fn and(parts: impl IntoIterator<Item = Expr>) -> Expr {
        let mut all = Vec::new();
        for part in parts {
            match part {
                Expr::Bool(true) => {}
                Expr::Bool(false) => return part,
                Expr::And(more) => all.extend(more),
                e => all.push(e),
            }
        }
        match all.len() {
            0 => Expr::Bool(true),
            1 => all.remove(0),
            _ => Expr::And(all),
        }
    }

    /// Disjunction, flat.
    pub fn or(parts: impl IntoIterator<Item = Expr>) -> Expr {
        let mut all = Vec::new();
        for part in parts {
            match part {
                Expr::Bool(false) => {}
                Expr::Bool(true) => return part,
                Expr::Or(more) => all.extend(more),
                e => all.push(e),
            }
        }
        match all.len() {
            0 => Expr::Bool(false),
            1 => all.remove(0),
            _ => Expr::Or(all),
        }
    }

    /// Implication.
    pub fn implies(self, other: Expr) -> Expr {
        Expr::or([self.not(), other])
    }

    /// Equality.
    pub fn equals(self, other: Expr) -> Expr {
        if self == other {
            return Expr::Bool(true);
        }
        match (&self, &other) {
            (Expr::Lit(..), Expr::Lit(..))
            | (Expr::Int(_), Expr::Int(_))
            | (Expr::Bool(_), Expr::Bool(_)) => Expr::Bool(false),
            _ => Expr::Eq(Box::new(self), Box::new(other)),
        }
    }

    /// At most.
    pub fn at_most(self, other: Expr) -> Expr {
        Expr::Le(Box::new(self), Box::new(other))
    }

    /// Sum.
    pub fn plus(self, other: Expr) -> Expr {
        match (self, other) {
            // What leaves 64 bits stays a sum: solvers know numbers of any size.
            (Expr::Int(a), Expr::Int(b)) => match a.checked_add(b) {
                Some(sum) => Expr::Int(sum),
                None => Expr::Add(vec![Expr::Int(a), Expr::Int(b)]),
            },
            (Expr::Add(mut all), b) => {
                all.push(b);
                Expr::Add(all)
            }
            (a, b) => Expr::Add(vec![a, b]),
        }
    }

    /// Multiple.
    pub fn times(self, factor: i64) -> Expr {
        match self {
            Expr::Int(a) if a.checked_mul(factor).is_some() => Expr::Int(a.wrapping_mul(factor)),
            e => Expr::Mul(factor, Box::new(e)),
        }
    }

    /// If, then, else.
    pub fn ite(cond: Expr, yes: Expr, no: Expr) -> Expr {
        match cond {
            Expr::Bool(true) => yes,
            Expr::Bool(false) => no,
            _ if yes == no => yes,
            cond => Expr::Ite(Box::new(cond), Box::new(yes), Box::new(no)),
        }
    }

    /// The thread that takes a step.
    pub fn this(threads: usize) -> Expr {
        Expr::Var(SELF, Type::Sort(threads))
    }

    /// How much larger its value can be than those of the variables and cardinalities in it.
    pub fn weight(&self) -> f64 {
        match self {
            Expr::Int(n) => n.unsigned_abs() as f64,
            Expr::Add(es) => es.iter().map(Expr::weight).sum(),
            Expr::Mul(k, e) => k.unsigned_abs() as f64 * e.weight(),
            Expr::Ite(_, a, b) => a.weight().max(b.weight()),
            _ => 1.0,
        }
    }

    /// How many terms it is made of.
    pub fn size(&self) -> usize {
        1 + self.children().iter().map(|e| e.size()).sum::<usize>()
    }

    /// Its parts.
    pub fn children(&self) -> Vec<&Expr> {
        match self {
            Expr::Bool(_) | Expr::Int(_) | Expr::Lit(..) | Expr::Var(..) | Expr::Size(_) => Vec::new(),
            Expr::App(_, es) | Expr::Prim(_, es) | Expr::And(es) | Expr::Or(es) | Expr::Add(es) => {
                es.iter().collect()
            }
            Expr::Not(e) | Expr::Mul(_, e) | Expr::Card(_, _, e) => vec![e],
            Expr::Eq(a, b) | Expr::Le(a, b) | Expr::Mod(a, b) => vec![a, b],
            Expr::Ite(a, b, c) => vec![a, b, c],
            Expr::All(_, d, e) | Expr::Any(_, d, e) => match d {
                Domain::Sort(_) => vec![e],
                Domain::Range(lo, hi) => vec![lo, hi, e],
            },
        }
    }

    /// The same with other parts, made of these by `f`.
    pub fn map(&self, f: &mut dyn FnMut(&Expr) -> Expr) -> Expr {
        let mut all = |es: &Vec<Expr>| es.iter().map(&mut *f).collect::<Vec<_>>();
        match self {
            Expr::Bool(_) | Expr::Int(_) | Expr::Lit(..) | Expr::Var(..) | Expr::Size(_) => self.clone(),
            Expr::App(s, es) => Expr::App(*s, all(es)),
            Expr::Prim(p, es) => Expr::Prim(*p, all(es)),
            Expr::And(es) => Expr::and(all(es)),
            Expr::Or(es) => Expr::or(all(es)),
            Expr::Add(es) => Expr::Add(all(es)),
            Expr::Not(e) => f(e).not(),
            Expr::Mul(k, e) => f(e).times(*k),
            Expr::Eq(a, b) => {
                let a = f(a);
                a.equals(f(b))
            }
            Expr::Le(a, b) => {
                let a = f(a);
                a.at_most(f(b))
            }
            Expr::Mod(a, b) => {
                let a = f(a);
                Expr::Mod(Box::new(a), Box::new(f(b)))
            }
            Expr::Ite(a, b, c) => {
                let (a, b) = (f(a), f(b));
                Expr::ite(a, b, f(c))
            }
            Expr::All(v, d, e) => {
                let d = d.map(f);
                Expr::All(*v, d, Box::new(f(e)))
            }
            Expr::Any(v, d, e) => {
                let d = d.map(f);
                Expr::Any(*v, d, Box::new(f(e)))
            }
            Expr::Card(v, s, e) => Expr::Card(*v, *s, Box::new(f(e))),
        }
    }

    /// Whether something in it is such that.
    pub fn mentions(&self, test: &dyn Fn(&Expr) -> bool) -> bool {
        test(self) || self.children().iter().any(|e| e.mentions(test))
    }

    /// The variables that nothing in it binds.
    pub fn free(&self) -> BTreeSet<Var> {
        let mut found: BTreeSet<Var> = self.children().iter().flat_map(|e| e.free()).collect();
        match self {
            Expr::Var(v, _) => _ = found.insert(*v),
            Expr::All(v, ..) | Expr::Any(v, ..) | Expr::Card(v, ..) => _ = found.remove(v),
            _ => {}
        }
        found
    }

    /// The same with a term for a free variable. Bound variables have numbers of their own, so nothing is
    /// captured.
    pub fn with(&self, var: Var, term: &Expr) -> Expr {
        match self {
            Expr::Var(v, _) if *v == var => term.clone(),
            e => e.map(&mut |part| part.with(var, term)),
        }
    }
}

impl Domain {
    /// The same with bounds made by `f`.
    pub fn map(&self, f: &mut dyn FnMut(&Expr) -> Expr) -> Domain {
        match self {
            Domain::Sort(s) => Domain::Sort(*s),
            Domain::Range(lo, hi) => {
                let lo = Box::new(f(lo));
                Domain::Range(lo, Box::new(f(hi)))
            }
        }
    }

    /// What its elements are.
    pub fn of(&self) -> Type {
        match self {
            Domain::Sort(s) => Type::Sort(*s),
            Domain::Range(..) => Type::Int,
        }
    }
}
