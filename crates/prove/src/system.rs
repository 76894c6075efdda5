//! A parameterised system: sorts, variables, steps, what is claimed of it.

use crate::expr::{Domain, Expr, SELF, Type, Var};

/// What the elements of a sort look like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Nothing tells them apart.
    Plain,
    /// The nodes of a tree in which each has at most a left and a right child.
    Tree,
    /// The numbers from 0 on.
    Ring,
    /// Bit strings of one length; with a string, all that clearing its lowest bits gives.
    Bits,
}

/// A sort: finite, not empty, as large as one likes.
#[derive(Clone, Debug)]
pub struct Sort {
    /// Its name.
    pub name: String,
    /// Its shape.
    pub shape: Shape,
}

/// An enumeration.
#[derive(Clone, Debug)]
pub struct Enum {
    /// Its name.
    pub name: String,
    /// The names of its values.
    pub values: Vec<String>,
}

/// Who owns a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// It never changes; the system is right for every value that the axioms allow.
    Const,
    /// Everybody.
    Shared,
    /// Each thread has one.
    Local,
}

/// A variable of the system, perhaps with indices.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// Who owns it.
    pub kind: Kind,
    /// It is there for the proof only.
    pub ghost: bool,
    /// The invariant does not speak of it; proofs take any value for it.
    pub opaque: bool,
    /// What its indices range over.
    pub args: Vec<Domain>,
    /// What it holds.
    pub ty: Type,
    /// Numbers that it may hold.
    pub range: Option<(i64, i64)>,
    /// What it holds at first, for each index; anything if not given.
    pub init: Option<(Vec<Var>, Expr)>,
}

/// A formula with a name.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Its name.
    pub name: String,
    /// The line where it is.
    pub line: u32,
    /// The phase that it belongs to; a claim without one holds in all.
    pub phase: Option<usize>,
    /// What is claimed.
    pub formula: Expr,
}

/// One assignment: for all values of the binders, the variable at these indices.
#[derive(Clone, Debug)]
pub struct Update {
    /// What is assigned to.
    pub symbol: usize,
    /// Not empty: all indices at once, and `args` are these variables.
    pub binders: Vec<Var>,
    /// Where.
    pub args: Vec<Expr>,
    /// What, in terms of the state before the step.
    pub value: Expr,
}

/// What must hold while a step is taken.
#[derive(Clone, Debug)]
pub struct Assertion {
    /// The line where it is.
    pub line: u32,
    /// What was decided before it.
    pub guard: Expr,
    /// What must hold then.
    pub formula: Expr,
}

/// A step of one thread: if the guard holds, all updates at once.
#[derive(Clone, Debug)]
pub struct Step {
    /// `A->B`, with a number if there are several.
    pub name: String,
    /// The line of its location.
    pub line: u32,
    /// The location where it begins.
    pub from: usize,
    /// What is chosen on the way.
    pub params: Vec<(Var, Domain, String)>,
    /// When it is possible: the location, and what is awaited and decided.
    pub guard: Expr,
    /// What it does, in this order.
    pub updates: Vec<Update>,
    /// What it asserts.
    pub asserts: Vec<Assertion>,
}

/// Which element of those that satisfy a formula is meant. All sorts are finite, so there is one if any does.
#[derive(Clone, PartialEq, Debug)]
pub enum Extreme {
    /// None of the others is below it in the tree.
    Lowest(usize),
    /// It is below none of the others.
    Highest(usize),
    /// The number is least.
    Least(Expr),
    /// The number is greatest.
    Greatest(Expr),
}

/// An instance of induction that proofs may use, and terms at which to use what is known.
#[derive(Clone, Debug)]
pub struct Hint {
    /// The element.
    pub var: Var,
    /// Its name.
    pub name: String,
    /// Its sort.
    pub sort: usize,
    /// What it satisfies.
    pub formula: Expr,
    /// Which of those that do.
    pub extreme: Extreme,
    /// Terms that speak of it.
    pub terms: Vec<Expr>,
}

/// A number that falls: a part of the rank.
#[derive(Clone, Debug)]
pub struct Rank {
    /// Its name.
    pub name: String,
    /// The line where it is.
    pub line: u32,
    /// One for each element of this sort, by this variable; or one for all.
    pub of: Option<(Var, usize)>,
    /// The number.
    pub value: Expr,
}

/// The threads whose steps make the rank smaller.
#[derive(Clone, Debug)]
pub struct Helpful {
    /// The thread.
    pub var: Var,
    /// The line where it is.
    pub line: u32,
    /// Whether it is one.
    pub formula: Expr,
}

/// A system with everything that is said about it.
#[derive(Clone, Debug, Default)]
pub struct System {
    /// The name of the file.
    pub file: String,
    /// The sorts.
    pub sorts: Vec<Sort>,
    /// The one whose elements are the threads.
    pub threads: usize,
    /// The enumerations; the first is that of the locations.
    pub enums: Vec<Enum>,
    /// Which locations are ends.
    pub ends: Vec<bool>,
    /// Variables; the first is `pc`.
    pub symbols: Vec<Symbol>,
    /// What is known of constants.
    pub axioms: Vec<Claim>,
    /// The steps.
    pub steps: Vec<Step>,
    /// The names of the phases.
    pub phases: Vec<String>,
    /// The parts of the invariant.
    pub invariant: Vec<Claim>,
    /// What follows from the invariant, and is known where it is.
    pub lemmas: Vec<Claim>,
    /// What is to be shown.
    pub properties: Vec<Claim>,
    /// Instances of induction.
    pub hints: Vec<Hint>,
    /// Why runs end: numbers of which the first that changes falls.
    pub ranks: Vec<Rank>,
    /// Whose steps make it fall, if not everybody's.
    pub helpful: Option<Helpful>,
    /// Locations whose steps need not make it fall.
    pub progress: Vec<usize>,
    /// The next number of a variable.
    pub fresh: Var,
}

/// The variable that holds a thread's location.
pub const PC: usize = 0;

impl System {
    /// A variable with a number of its own.
    pub fn fresh(&mut self) -> Var {
        self.fresh += 1;
        self.fresh
    }

    /// What a term is.
    pub fn type_of(&self, e: &Expr) -> Type {
        use crate::expr::Prim::*;
        match e {
            Expr::Int(_) | Expr::Size(_) | Expr::Add(_) | Expr::Mul(..) | Expr::Mod(..) | Expr::Card(..) => {
                Type::Int
            }
            Expr::Lit(e, _) => Type::Enum(*e),
            Expr::Var(_, t) => *t,
            Expr::App(s, _) => self.symbols[*s].ty,
            Expr::Prim(p, _) => match p {
                Root(s) | Clear(s) => Type::Sort(*s),
                Pow2 | Length(_) => Type::Int,
                _ => Type::Bool,
            },
            Expr::Ite(_, a, _) => self.type_of(a),
            _ => Type::Bool,
        }
    }

    /// Where a thread is.
    pub fn pc(&self, thread: Expr) -> Expr {
        Expr::App(PC, vec![thread])
    }

    /// The thread `t` has ended.
    pub fn ended(&self, t: &Expr) -> Expr {
        let at = |l: usize| self.pc(t.clone()).equals(Expr::Lit(0, l));
        Expr::or((0..self.ends.len()).filter(|l| self.ends[*l]).map(at))
    }

    /// No step of the thread `t` is possible.
    pub fn stuck(&self, t: &Expr) -> Expr {
        Expr::and(self.steps.iter().map(|step| {
            let mut guard = step.guard.with(SELF, t);
            for (v, d, _) in step.params.iter().rev() {
                guard = Expr::Any(*v, d.map(&mut |e| e.with(SELF, t)), Box::new(guard));
            }
            guard.not()
        }))
    }

    /// The value of a term after a step, in terms of the state before it.
    pub fn after(&self, updates: &[Update], e: &Expr) -> Expr {
        // What is left of a term once its parts have changed may be a variable: that has changed already.
        let Expr::App(symbol, args) = e else { return e.map(&mut |part| self.after(updates, part)) };
        let args: Vec<Expr> = args.iter().map(|part| self.after(updates, part)).collect();
        let mut value = Expr::App(*symbol, args.clone());
        for update in updates.iter().filter(|u| u.symbol == *symbol) {
            if update.binders.is_empty() {
                let here = Expr::and(update.args.iter().zip(&args).map(|(a, b)| b.clone().equals(a.clone())));
                value = Expr::ite(here, update.value.clone(), value);
            } else {
                let all = update.binders.iter().zip(&args);
                value = all.fold(update.value.clone(), |value, (v, arg)| value.with(*v, arg));
            }
        }
        value
    }

    /// Whether a symbol changes.
    pub fn is_state(&self, symbol: usize) -> bool {
        self.symbols[symbol].kind != Kind::Const
    }

    /// The name of a value of a type, as messages show it.
    pub fn show(&self, ty: Type, value: i64) -> String {
        match ty {
            Type::Bool => if value != 0 { "true" } else { "false" }.into(),
            Type::Enum(e) => {
                self.enums[e].values.get(value as usize).cloned().unwrap_or_else(|| value.to_string())
            }
            _ => value.to_string(),
        }
    }
}
