//! Obligations in one small instance, everything spelt out: states that satisfy the invariant and leave it by
//! a step. It shares nothing with the encodings but the meaning of terms, and what it finds is evaluated
//! again.

use crate::eval::{Env, Instance, State};
use crate::expr::{Domain, Expr, Prim, SELF, Type, Var};
use crate::obligation::{Obligation, Origin};
use crate::solver::{Answer, Script, Solver, SolverError, Solvers, values};
use crate::system::{Kind, System};
use crate::value::V;

/// A state of an instance in which an obligation fails.
#[derive(Clone, Debug)]
pub struct Found {
    /// The instance.
    pub instance: Instance,
    /// The state before.
    pub before: State,
    /// Who moves and what is chosen, if it is about a step.
    pub env: Env,
    /// The state after.
    pub after: Option<State>,
}

struct Expansion<'s> {
    system: &'s System,
    instance: &'s Instance,
}

/// Looks for a state in which an obligation fails. All of `known` is required, the axioms, and the guard.
///
/// # Errors
/// If the solver cannot be asked.
pub fn counterexample(
    system: &System,
    instance: &Instance,
    o: &Obligation,
    (solvers, solver): (&mut Solvers, Solver),
    work: u64,
) -> Result<Option<Found>, SolverError> {
    let x = Expansion { system, instance };
    let (script, cells) = x.script(o);
    let Answer::Sat(text) = solvers.ask(solver, &script, work)? else { return Ok(None) };
    let Some(values) = values(&text) else { return Ok(None) };
    let mut values = values.into_iter();
    let mut state = State { cells: vec![Vec::new(); system.symbols.len()], ..State::default() };
    for (symbol, count) in cells {
        state.cells[symbol] = values.by_ref().take(count).collect();
    }
    let mut env: Env = Vec::new();
    if let Some(step) = o.step() {
        env.push((SELF, values.next().unwrap_or(0)));
        for (v, ..) in &system.steps[step].params {
            env.push((*v, values.next().unwrap_or(0)));
        }
    }
    // What a solver says is not believed but looked at.
    let known = o.known.iter().all(|e| instance.eval(system, &state, &mut env.clone(), e) != 0);
    let (after, goal) = match o.origin {
        Origin::Step(s) => {
            let step = &system.steps[s];
            if instance.eval(system, &state, &mut env.clone(), &step.guard) == 0 {
                return Ok(None);
            }
            let after = instance.apply(system, &state, step, &env);
            let goal = instance.holds(system, &after, &o.goal);
            (Some(after), goal)
        }
        Origin::Rank(fall) => {
            let after = fall.step().map(|s| instance.apply(system, &state, &system.steps[s], &env));
            (after, instance.eval(system, &state, &mut env.clone(), &o.goal) != 0)
        }
        _ => (None, instance.eval(system, &state, &mut env.clone(), &o.goal) != 0),
    };
    if !known || goal {
        return Ok(None);
    }
    Ok(Some(Found { instance: instance.clone(), before: state, env, after }))
}

impl Expansion<'_> {
    fn script(&self, o: &Obligation) -> (Script, Vec<(usize, usize)>) {
        let s = self.system;
        let mut script =
            Script { comment: format!("{}, in a small instance", o.name(s)), ..Script::default() };
        let mut cells = Vec::new();
        for (i, symbol) in s.symbols.iter().enumerate() {
            if symbol.kind == Kind::Const {
                continue;
            }
            let ty = if symbol.ty == Type::Bool { "Bool" } else { "Int" };
            let ints = symbol.args.iter().filter(|d| matches!(d, Domain::Range(..))).count();
            let mut declared = Vec::new();
            let all = self.instance.cells(s, i);
            for cell in self.bases(i) {
                script.line(format!("(declare-fun {} ({}) {ty})", name(i, &cell), "Int ".repeat(ints)));
            }
            for cell in &all {
                let term = self.cell(i, cell);
                let bound = match symbol.ty {
                    Type::Enum(e) => Some(s.enums[e].values.len()),
                    Type::Sort(t) => Some(self.instance.sizes[t]),
                    _ => None,
                };
                if let Some(bound) = bound {
                    script.assert(&format!("(<= 0 {term} {})", bound - 1));
                }
                declared.push(term);
            }
            cells.push((i, declared.len()));
            script.values.extend(declared);
        }
        let mut env: Vec<(Var, V)> = Vec::new();
        if let Some(step) = o.step() {
            let step = &s.steps[step];
            let mut declare = |v: Var, domain: &Domain, script: &mut Script| {
                let name = format!("p{v}");
                script.line(format!("(declare-const {name} Int)"));
                if let Domain::Sort(t) = domain {
                    script.assert(&format!("(<= 0 {name} {})", self.instance.sizes[*t] - 1));
                }
                script.values.push(name.clone());
                env.push((v, V::T(name)));
            };
            declare(SELF, &Domain::Sort(s.threads), &mut script);
            for (v, d, _) in &step.params {
                declare(*v, d, &mut script);
            }
        }
        for e in &o.known {
            script.assert(&self.term(e, &mut env).formula());
        }
        let goal = match o.origin {
            Origin::Step(step) => {
                let step = &s.steps[step];
                script.assert(&self.term(&step.guard, &mut env).formula());
                s.after(&step.updates, &o.goal)
            }
            _ => o.goal.clone(),
        };
        script.assert(&self.term(&goal, &mut env).not().formula());
        if script.values.is_empty() {
            script.values.push("true".into());
        }
        (script, cells)
    }

    /// The indices of a symbol as far as they are elements; numbers stay arguments.
    fn bases(&self, symbol: usize) -> Vec<Vec<i64>> {
        let mut found = vec![Vec::new()];
        for domain in &self.system.symbols[symbol].args {
            if let Domain::Sort(t) = domain {
                found = found
                    .iter()
                    .flat_map(|c: &Vec<i64>| {
                        (0..self.instance.sizes[*t] as i64).map(move |x| {
                            let mut more = c.clone();
                            more.push(x);
                            more
                        })
                    })
                    .collect();
            }
        }
        found
    }

    fn cell(&self, symbol: usize, index: &[i64]) -> String {
        let index: Vec<V> = index.iter().map(|i| V::K(*i)).collect();
        self.app(symbol, &index).number()
    }

    /// A variable at indices of which some are not known.
    fn app(&self, symbol: usize, index: &[V]) -> V {
        let s = &self.system.symbols[symbol];
        let truth = s.ty == Type::Bool;
        let sorts: Vec<usize> = (0..s.args.len()).filter(|i| matches!(s.args[*i], Domain::Sort(_))).collect();
        let numbers: Vec<String> =
            (0..s.args.len()).filter(|i| !sorts.contains(i)).map(|i| index[i].number()).collect();
        if s.kind == Kind::Const {
            // Constants are known: a table, and which row it is.
            let all = self.instance.cells(self.system, symbol);
            let table = self.instance.constants.get(&symbol).cloned().unwrap_or_default();
            return self.pick(all.into_iter().zip(table.into_iter().map(V::K)).collect(), index, truth);
        }
        let all = self.bases(symbol).into_iter().map(|base| {
            let name = name(symbol, &base);
            let term = if numbers.is_empty() { name } else { format!("({name} {})", numbers.join(" ")) };
            (base, V::T(term))
        });
        let index: Vec<V> = sorts.iter().map(|i| index[*i].clone()).collect();
        self.pick(all.collect(), &index, truth)
    }

    /// The row of a table with this index; the last one if it has none.
    fn pick(&self, table: Vec<(Vec<i64>, V)>, index: &[V], truth: bool) -> V {
        let mut result: Option<V> = None;
        for (row, value) in table.into_iter().rev() {
            let here = V::and(row.iter().zip(index).map(|(r, i)| i.equals(&V::K(*r), false)));
            result = match (result, here) {
                (_, V::K(1)) => return value,
                (None, _) => Some(value),
                (Some(rest), V::K(_)) => Some(rest),
                (Some(rest), here) => Some(V::ite(&here, &value, &rest, truth)),
            };
        }
        result.unwrap_or(V::K(0))
    }

    fn term(&self, e: &Expr, env: &mut Vec<(Var, V)>) -> V {
        let s = self.system;
        let truth = |e: &Expr| s.type_of(e) == Type::Bool;
        match e {
            Expr::Bool(b) => V::bool(*b),
            Expr::Int(n) => V::K(*n),
            Expr::Lit(_, v) => V::K(*v as i64),
            Expr::Var(v, _) => env.iter().rev().find(|x| x.0 == *v).map_or(V::K(0), |x| x.1.clone()),
            Expr::App(symbol, args) => {
                let index: Vec<V> = args.iter().map(|a| self.term(a, env)).collect();
                self.app(*symbol, &index)
            }
            Expr::Prim(p, args) => {
                let args: Vec<V> = args.iter().map(|a| self.term(a, env)).collect();
                self.primitive(*p, args, truth(e))
            }
            Expr::Size(t) => V::K(self.instance.sizes[*t] as i64),
            Expr::Not(e) => self.term(e, env).not(),
            Expr::And(es) => V::and(es.iter().map(|e| self.term(e, env)).collect::<Vec<_>>()),
            Expr::Or(es) => V::or(es.iter().map(|e| self.term(e, env)).collect::<Vec<_>>()),
            Expr::Add(es) => V::sum(es.iter().map(|e| self.term(e, env)).collect::<Vec<_>>()),
            Expr::Eq(a, b) => self.term(a, env).equals(&self.term(b, env), truth(a)),
            Expr::Le(a, b) => self.term(a, env).le(&self.term(b, env)),
            Expr::Mul(k, e) => self.term(e, env).times(*k),
            Expr::Mod(a, b) => self.term(a, env).modulo(&self.term(b, env)),
            Expr::Ite(c, a, b) => {
                let c = self.term(c, env);
                V::ite(&c, &self.term(a, env), &self.term(b, env), truth(a))
            }
            Expr::All(v, d, body) | Expr::Any(v, d, body) => {
                let mut none = Vec::new();
                let elements = self.instance.elements(s, &State::default(), &mut none, d);
                let parts: Vec<V> = elements.into_iter().map(|x| self.at(*v, x, body, env)).collect();
                if matches!(e, Expr::All(..)) { V::and(parts) } else { V::or(parts) }
            }
            Expr::Card(v, t, body) => {
                let parts: Vec<V> = (0..self.instance.sizes[*t] as i64)
                    .map(|x| V::ite(&self.at(*v, x, body, env), &V::K(1), &V::K(0), false))
                    .collect();
                V::sum(parts)
            }
        }
    }

    fn at(&self, v: Var, x: i64, body: &Expr, env: &mut Vec<(Var, V)>) -> V {
        env.push((v, V::K(x)));
        let value = self.term(body, env);
        env.pop();
        value
    }

    /// Arguments that are not known are split: elements by all of them, numbers by those that matter.
    fn primitive(&self, p: Prim, args: Vec<V>, truth: bool) -> V {
        let Some(open) = args.iter().position(|a| matches!(a, V::T(_))) else {
            let known: Vec<i64> = args.iter().map(|a| if let V::K(n) = a { *n } else { 0 }).collect();
            return V::K(self.instance.primitive(p, &known));
        };
        let sort = match p {
            Prim::Child(t) | Prim::Left(t) | Prim::Right(t) | Prim::Below(t) => Some(t),
            Prim::Bit(t) | Prim::Zero(t) | Prim::Clear(t) if open == 0 => Some(t),
            Prim::Agree(t) if open < 2 => Some(t),
            _ => None,
        };
        let most = match sort {
            Some(t) => self.instance.sizes[t] as i64 - 1,
            // Beyond it nothing changes but powers of two, which no small instance reaches.
            None => 8,
        };
        let at = |x: i64| {
            let mut more = args.clone();
            more[open] = V::K(x);
            self.primitive(p, more, truth)
        };
        let mut result = at(if sort.is_none() { most + 1 } else { most });
        for x in (0..=most).rev() {
            let here = args[open].equals(&V::K(x), false);
            result = V::ite(&here, &at(x), &result, truth);
        }
        if sort.is_none() {
            let negative = args[open].le(&V::K(-1));
            result = V::ite(&negative, &at(-1), &result, truth);
        }
        result
    }
}

fn name(symbol: usize, base: &[i64]) -> String {
    let mut name = format!("s{symbol}");
    base.iter().for_each(|i| name.push_str(&format!("_{i}")));
    name
}
