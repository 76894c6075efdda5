//! Terms evaluated in a state of an instance: the meaning that everything else is tested against.

use crate::expr::{Domain, Expr, Prim, SELF, Type, Var};
use crate::structure::Tree;
use crate::system::{Kind, Step, System};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// The values of all variables. Truth values are 0 and 1; elements and values of enumerations are numbers
/// from 0.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct State {
    /// By symbol: the cells, in the order of their indices.
    pub cells: Vec<Vec<i64>>,
    /// Cells whose numbers are outside the declared ranges: variables are defined everywhere.
    pub beyond: BTreeMap<(usize, Vec<i64>), i64>,
}

/// Sorts of fixed sizes, a fixed tree, fixed constants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// How many elements the sorts have.
    pub sizes: Vec<usize>,
    /// The tree, if a sort is one.
    pub tree: Option<Tree>,
    /// The length and the bit strings, if a sort is made of them.
    pub bits: Option<(u32, Vec<u32>)>,
    /// Cells of constants.
    pub constants: BTreeMap<usize, Vec<i64>>,
}

/// Values of variables, the innermost last.
pub type Env = Vec<(Var, i64)>;

impl Instance {
    /// An instance in which nothing is known but sizes.
    pub fn plain(sizes: &[usize]) -> Instance {
        Instance { sizes: sizes.to_vec(), tree: None, bits: None, constants: BTreeMap::new() }
    }

    /// The same with a tree.
    pub fn with_tree(&self, tree: Tree) -> Instance {
        Instance { tree: Some(tree), ..self.clone() }
    }

    /// The same with bit strings.
    pub fn with_bits(&self, length: u32, set: Vec<u32>) -> Instance {
        Instance { bits: Some((length, set)), ..self.clone() }
    }

    /// The same with the cells of a constant.
    pub fn with_constant(&self, symbol: usize, cells: Vec<i64>) -> Instance {
        let mut new = self.clone();
        new.constants.insert(symbol, cells);
        new
    }

    /// The elements of a domain.
    pub fn elements(
        &self,
        system: &System,
        state: &State,
        env: &mut Env,
        domain: &Domain,
    ) -> RangeInclusive<i64> {
        match domain {
            Domain::Sort(s) => 0..=self.sizes[*s] as i64 - 1,
            Domain::Range(lo, hi) => {
                let lo = self.eval(system, state, env, lo);
                let hi = self.eval(system, state, env, hi);
                lo..=hi
            }
        }
    }

    /// The values of arguments, to something that is done with them. Mostly there are few: they take no
    /// memory of their own.
    fn with_values(
        &self,
        (system, state, env): (&System, &State, &mut Env),
        args: &[Expr],
        then: impl FnOnce(&[i64]) -> i64,
    ) -> i64 {
        let mut few = [0; 4];
        let Some(here) = few.get_mut(..args.len()) else {
            let many: Vec<i64> = args.iter().map(|a| self.eval(system, state, env, a)).collect();
            return then(&many);
        };
        for (value, a) in here.iter_mut().zip(args) {
            *value = self.eval(system, state, env, a);
        }
        then(here)
    }

    /// The indices of a symbol, in their order.
    pub fn cells(&self, system: &System, symbol: usize) -> Vec<Vec<i64>> {
        let none = State::default();
        let mut found = vec![Vec::new()];
        for domain in &system.symbols[symbol].args {
            let values = self.elements(system, &none, &mut Vec::new(), domain);
            found = found
                .iter()
                .flat_map(|index: &Vec<i64>| {
                    values.clone().map(move |v| {
                        let mut more = index.clone();
                        more.push(v);
                        more
                    })
                })
                .collect();
        }
        found
    }

    /// Where a cell is in the table, if it is within the declared ranges.
    fn place(&self, system: &System, symbol: usize, index: &[i64]) -> Option<usize> {
        let none = State::default();
        let mut place = 0;
        for (domain, i) in system.symbols[symbol].args.iter().zip(index) {
            let (lo, len) = match domain {
                Domain::Sort(s) => (0, self.sizes[*s] as i64),
                Domain::Range(lo, hi) => {
                    let lo = self.eval(system, &none, &mut Vec::new(), lo);
                    (lo, self.eval(system, &none, &mut Vec::new(), hi) - lo + 1)
                }
            };
            if *i < lo || *i >= lo + len {
                return None;
            }
            place = place * len.max(0) as usize + (i - lo) as usize;
        }
        Some(place)
    }

    fn initial(&self, system: &System, symbol: usize, index: &[i64]) -> i64 {
        let Some((vars, value)) = &system.symbols[symbol].init else { return 0 };
        let mut env: Env = vars.iter().copied().zip(index.iter().copied()).collect();
        self.eval(system, &State::default(), &mut env, value)
    }

    fn get(&self, system: &System, state: &State, symbol: usize, index: &[i64]) -> i64 {
        match self.place(system, symbol, index) {
            Some(place) if system.symbols[symbol].kind == Kind::Const => {
                self.constants.get(&symbol).and_then(|c| c.get(place)).copied().unwrap_or(0)
            }
            Some(place) => state.cells.get(symbol).and_then(|c| c.get(place)).copied().unwrap_or(0),
            None => match state.beyond.get(&(symbol, index.to_vec())) {
                Some(v) => *v,
                None => self.initial(system, symbol, index),
            },
        }
    }

    /// The first states; several where a variable may hold anything. None if there are too many.
    pub fn initial_states(&self, system: &System) -> Option<Vec<State>> {
        let mut states = vec![State::default()];
        for (symbol, s) in system.symbols.iter().enumerate() {
            let cells = self.cells(system, symbol);
            if s.kind == Kind::Const {
                states.iter_mut().for_each(|state| state.cells.push(Vec::new()));
                continue;
            }
            if s.init.is_some() {
                let table: Vec<i64> = cells.iter().map(|i| self.initial(system, symbol, i)).collect();
                states.iter_mut().for_each(|state| state.cells.push(table.clone()));
                continue;
            }
            let values: Vec<i64> = match (s.ty, s.range) {
                (_, Some((lo, hi))) => (lo..=hi).collect(),
                (Type::Bool, _) => vec![0, 1],
                (Type::Enum(e), _) => (0..system.enums[e].values.len() as i64).collect(),
                (Type::Sort(t), _) => (0..self.sizes[t] as i64).collect(),
                (Type::Int, None) => vec![0],
            };
            states.iter_mut().for_each(|state| state.cells.push(Vec::new()));
            for _ in &cells {
                states = states
                    .iter()
                    .flat_map(|state| {
                        values.iter().map(move |v| {
                            let mut more = state.clone();
                            more.cells[symbol].push(*v);
                            more
                        })
                    })
                    .collect();
                if states.len() > 10_000 {
                    return None;
                }
            }
        }
        Some(states)
    }

    /// Whether a formula holds.
    pub fn holds(&self, system: &System, state: &State, e: &Expr) -> bool {
        self.eval(system, state, &mut Vec::new(), e) != 0
    }

    /// The value of a term.
    pub fn eval(&self, system: &System, state: &State, env: &mut Env, e: &Expr) -> i64 {
        let value = |e: &Expr, env: &mut Env| self.eval(system, state, env, e);
        match e {
            Expr::Bool(b) => *b as i64,
            Expr::Int(n) => *n,
            Expr::Lit(_, v) => *v as i64,
            Expr::Var(v, _) => env.iter().rev().find(|x| x.0 == *v).map_or(0, |x| x.1),
            Expr::App(s, args) => {
                self.with_values((system, state, env), args, |index| self.get(system, state, *s, index))
            }
            Expr::Prim(p, args) => {
                self.with_values((system, state, env), args, |args| self.primitive(*p, args))
            }
            Expr::Size(s) => self.sizes[*s] as i64,
            Expr::Not(e) => (value(e, env) == 0) as i64,
            Expr::And(es) => es.iter().all(|e| value(e, env) != 0) as i64,
            Expr::Or(es) => es.iter().any(|e| value(e, env) != 0) as i64,
            Expr::Eq(a, b) => (value(a, env) == value(b, env)) as i64,
            Expr::Le(a, b) => (value(a, env) <= value(b, env)) as i64,
            Expr::Add(es) => es.iter().map(|e| value(e, env)).fold(0, i64::saturating_add),
            Expr::Mul(k, e) => k.saturating_mul(value(e, env)),
            Expr::Mod(a, b) => value(a, env).checked_rem_euclid(value(b, env)).unwrap_or(0),
            Expr::Ite(c, a, b) => {
                if value(c, env) != 0 {
                    value(a, env)
                } else {
                    value(b, env)
                }
            }
            Expr::All(v, d, body) | Expr::Any(v, d, body) => {
                let all = matches!(e, Expr::All(..));
                let found = self.elements(system, state, env, d).any(|x| {
                    env.push((*v, x));
                    let holds = self.eval(system, state, env, body) != 0;
                    env.pop();
                    holds != all
                });
                (found != all) as i64
            }
            Expr::Card(v, s, body) => (0..self.sizes[*s] as i64)
                .filter(|x| {
                    env.push((*v, *x));
                    let holds = self.eval(system, state, env, body) != 0;
                    env.pop();
                    holds
                })
                .count() as i64,
        }
    }

    /// The value of something that every system has.
    pub fn primitive(&self, p: Prim, args: &[i64]) -> i64 {
        let node = |i: usize| args[i] as usize;
        if let Some(tree) = &self.tree {
            let size = tree.left.len();
            if matches!(p, Prim::Left(_) | Prim::Right(_) | Prim::Child(_) | Prim::Below(_))
                && args.iter().any(|a| *a < 0 || *a as usize >= size)
            {
                return 0;
            }
            let left = || tree.left[node(1)] == Some(node(0));
            let right = || tree.right[node(1)] == Some(node(0));
            match p {
                Prim::Left(_) => return left() as i64,
                Prim::Right(_) => return right() as i64,
                Prim::Child(_) => return (left() || right()) as i64,
                Prim::Below(_) => return tree.below(node(0), node(1)) as i64,
                Prim::Root(_) => return 0,
                _ => {}
            }
        }
        if let Some((length, set)) = &self.bits {
            let string = |i: usize| set.get(args[i] as usize).copied().unwrap_or(0) as u64;
            let shift = |i: i64| i.clamp(0, 40) as u32;
            let low = |t: u64, i: i64| t & ((1u64 << shift(i)) - 1);
            match p {
                Prim::Bit(_) => return (args[1] >= 0 && string(0) >> shift(args[1]) & 1 == 1) as i64,
                Prim::Zero(_) => return (low(string(0), args[1]) == 0) as i64,
                Prim::Agree(_) => {
                    let i = shift(args[2]);
                    return (string(0) >> i == string(1) >> i) as i64;
                }
                Prim::Clear(_) => {
                    let wanted = string(0) - low(string(0), args[1]);
                    return set.iter().position(|t| *t as u64 == wanted).unwrap_or(0) as i64;
                }
                Prim::Length(_) => return *length as i64,
                _ => {}
            }
        }
        match p {
            Prim::Pow2 if (0..62).contains(&args[0]) => 1 << args[0],
            Prim::Pow2 if args[0] >= 62 => i64::MAX,
            _ => 0,
        }
    }

    /// All ways to take a step from a state: the thread, what is chosen.
    pub fn ways(&self, system: &System, state: &State, step: &Step) -> Vec<Env> {
        let mut found: Vec<Env> = (0..self.sizes[system.threads] as i64).map(|t| vec![(SELF, t)]).collect();
        found.retain(|env| self.get(system, state, 0, &[env[0].1]) == step.from as i64);
        for (v, d, _) in &step.params {
            found = found
                .into_iter()
                .flat_map(|mut env| {
                    let elements = self.elements(system, state, &mut env, d);
                    elements.map(move |x| {
                        let mut more = env.clone();
                        more.push((*v, x));
                        more
                    })
                })
                .collect();
        }
        found.retain_mut(|env| self.eval(system, state, env, &step.guard) != 0);
        found
    }

    /// The state after a step.
    pub fn apply(&self, system: &System, state: &State, step: &Step, env: &Env) -> State {
        let mut new = state.clone();
        for update in &step.updates {
            if update.binders.is_empty() {
                let mut env = env.clone();
                let index: Vec<i64> =
                    update.args.iter().map(|a| self.eval(system, state, &mut env, a)).collect();
                let value = self.eval(system, state, &mut env, &update.value);
                self.put(system, &mut new, update.symbol, &index, value);
            } else {
                for index in self.cells(system, update.symbol) {
                    let mut env = env.clone();
                    env.extend(update.binders.iter().copied().zip(index.iter().copied()));
                    let value = self.eval(system, state, &mut env, &update.value);
                    self.put(system, &mut new, update.symbol, &index, value);
                }
            }
        }
        new
    }

    fn put(&self, system: &System, state: &mut State, symbol: usize, index: &[i64], value: i64) {
        match self.place(system, symbol, index) {
            Some(place) => state.cells[symbol][place] = value,
            None => _ = state.beyond.insert((symbol, index.to_vec()), value),
        }
    }
}
