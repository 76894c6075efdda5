//! Threads that are told apart by finitely many local states: how many are in each, in linear arithmetic.
//!
//! A variable of a quantifier is a *token*: a thread with a known local state, distinct from the other tokens
//! in scope. `forall t. φ` is φ for every token in scope, and for every local state in which there are more
//! threads than tokens, φ for one more token. Cardinalities are sums. Nothing is lost: the translation is
//! exact for every number of threads.

use crate::eval::{Instance, State};
use crate::expr::{Domain, Expr, SELF, Type, Var};
use crate::obligation::Obligation;
use crate::solver::Script;
use crate::system::{Kind, PC, Shape, Step, System};
use crate::value::V;
use std::collections::BTreeSet;

/// Systems with more local states are left to other encodings.
const MOST_STATES: usize = 400;

/// States with more threads are not looked at one by one.
pub(crate) const MOST_THREADS: i64 = 40;

/// The translation of a system.
pub struct Counters<'s> {
    system: &'s System,
    /// The local variables that make up a local state.
    locals: Vec<usize>,
    /// Their values, for each local state.
    states: Vec<Vec<i64>>,
}

/// Tokens in scope, and which variable is which.
#[derive(Clone, Default)]
struct Scope {
    /// The local state of each token, and the variable that it was first: that of the thread that moves is
    /// its.
    tokens: Vec<(usize, Var)>,
    vars: Vec<(Var, usize)>,
    numbers: Vec<(Var, V)>,
}

impl<'s> Counters<'s> {
    /// The translation, if the system is of this kind; otherwise what stands in the way.
    ///
    /// # Errors
    /// Says which variable or sort has no place in it.
    pub fn of(system: &'s System) -> Result<Counters<'s>, String> {
        if system.sorts.len() != 1 || system.sorts[0].shape != Shape::Plain {
            return Err("threads are not all alike, or there is another sort".into());
        }
        let mut locals = Vec::new();
        let mut states: Vec<Vec<i64>> = vec![Vec::new()];
        for (i, s) in system.symbols.iter().enumerate() {
            match s.kind {
                Kind::Const | Kind::Shared if s.args.is_empty() && !matches!(s.ty, Type::Sort(_)) => {}
                Kind::Local if s.opaque && s.args.len() == 1 && s.ty == Type::Int => {}
                Kind::Local if s.args.len() == 1 => {
                    let Some(values) = finite(system, i) else {
                        return Err(format!("`{}` has no finite range", s.name));
                    };
                    locals.push(i);
                    states = states
                        .iter()
                        .flat_map(|state| {
                            values.iter().map(move |v| {
                                let mut more = state.clone();
                                more.push(*v);
                                more
                            })
                        })
                        .collect();
                    if states.len() > MOST_STATES {
                        return Err(format!("there are more than {MOST_STATES} local states"));
                    }
                }
                _ => return Err(format!("`{}` has indices", s.name)),
            }
        }
        Ok(Counters { system, locals, states })
    }

    fn name(&self, state: usize, after: bool) -> String {
        let mut name = String::from(if after { "n'" } else { "n" });
        for (symbol, value) in self.locals.iter().zip(&self.states[state]) {
            name.push('.');
            name.push_str(&self.system.show(self.system.symbols[*symbol].ty, *value).replace('-', "m"));
        }
        if after { format!("|{name}|") } else { name }
    }

    fn shared(&self, symbol: usize, after: bool) -> String {
        let s = &self.system.symbols[symbol];
        if after && s.kind == Kind::Shared { format!("|v'.{}|", s.name) } else { format!("v.{}", s.name) }
    }

    /// The question whether an obligation can fail.
    ///
    /// # Errors
    /// If a formula has no place in this encoding.
    pub fn script(&self, o: &Obligation) -> Result<Script, String> {
        let s = self.system;
        let mut script = Script { comment: o.name(s), finite: false, ..Script::default() };
        let stepping = matches!(o.origin, crate::obligation::Origin::Step(_));
        for after in [false, true] {
            if after && !stepping {
                continue;
            }
            for l in 0..self.states.len() {
                let name = self.name(l, after);
                script.line(format!("(declare-const {name} Int)"));
                script.assert(&format!("(>= {name} 0)"));
            }
            for (i, symbol) in s.symbols.iter().enumerate() {
                if symbol.kind == Kind::Local || (after && symbol.kind == Kind::Const) {
                    continue;
                }
                let name = self.shared(i, after);
                let ty = if symbol.ty == Type::Bool { "Bool" } else { "Int" };
                script.line(format!("(declare-const {name} {ty})"));
                if let Type::Enum(e) = symbol.ty {
                    script.assert(&format!("(<= 0 {name} {})", s.enums[e].values.len() - 1));
                }
            }
        }
        let total: Vec<V> = (0..self.states.len()).map(|l| V::T(self.name(l, false))).collect();
        script.assert(&format!("(>= {} 1)", V::sum(total).number()));
        for axiom in &s.axioms {
            script.assert(&self.term(&axiom.formula, &Scope::default(), false)?.formula());
        }
        if let Some(step) = o.step() {
            // What is known of the thread that moves goes into its case.
            let step = &s.steps[step];
            let closed = |e: &&Expr| e.free().is_empty();
            for e in o.known.iter().filter(closed) {
                script.assert(&self.term(e, &Scope::default(), false)?.formula());
            }
            let about: Vec<&Expr> = o.known.iter().filter(|e| !closed(e)).collect();
            let mut cases = Vec::new();
            let local_range = self.local_range(o.conjunct).is_some();
            if stepping {
                script.line("(declare-const lost Bool)");
            }
            for mover in 0..self.states.len() {
                if self.states[mover][0] != step.from as i64 {
                    continue;
                }
                let scope = Scope { tokens: vec![(mover, SELF)], vars: vec![(SELF, 0)], numbers: Vec::new() };
                let here = V::T(format!("(>= {} 1)", self.name(mover, false)));
                self.cases(
                    step,
                    0,
                    scope,
                    vec![here],
                    &mut |scope, mut parts| {
                        if stepping {
                            let guard = self.term(&step.guard, scope, false)?;
                            if guard == V::K(0) {
                                return Ok(());
                            }
                            parts.push(guard);
                            parts.extend(self.moved(step, scope)?);
                        } else {
                            for e in &about {
                                parts.push(self.term(e, scope, false)?);
                            }
                            parts.push(self.term(&o.goal, scope, false)?.not());
                        }
                        cases.push(V::and(parts));
                        Ok(())
                    },
                    &mut script,
                )?;
            }
            script.assert(&V::or(cases).formula());
            if stepping {
                if local_range {
                    script.assert("lost");
                } else {
                    script.assert("(not lost)");
                    script.assert(&self.term(&o.goal, &Scope::default(), true)?.not().formula());
                }
            }
        } else if let Some(e) = self.initial_range(o) {
            script.assert(&self.term(&e, &Scope::default(), false)?.not().formula());
        } else {
            for e in &o.known {
                script.assert(&self.term(e, &Scope::default(), false)?.formula());
            }
            script.assert(&self.term(&o.goal, &Scope::default(), false)?.not().formula());
        }
        declare_opaque(&mut script);
        Ok(script)
    }

    /// A question with one more thing that can fail: a formula, after the step if the question is about one.
    ///
    /// # Errors
    /// If the formula has no place in this encoding.
    pub fn with_goal(&self, question: &Script, goal: &Expr, after: bool) -> Result<Script, String> {
        let mut script = question.clone();
        script.assert(&self.term(goal, &Scope::default(), after)?.not().formula());
        Ok(script)
    }

    /// A question about so many threads.
    pub fn with_threads(&self, question: &Script, threads: i64) -> Script {
        let mut script = question.clone();
        let total: Vec<V> = (0..self.states.len()).map(|l| V::T(self.name(l, false))).collect();
        script.assert(&format!("(= {} {threads})", V::sum(total).number()));
        script
    }

    /// The counters and the variables that everybody shares, in the words of a question.
    pub fn names(&self, after: bool) -> Vec<String> {
        let states = (0..self.states.len()).map(|l| self.name(l, after));
        let shared = (0..self.system.symbols.len()).filter(|s| self.system.symbols[*s].kind != Kind::Local);
        states.chain(shared.map(|s| self.shared(s, after))).collect()
    }

    /// The state with these values of [`Counters::names`], if it has few threads.
    pub fn state(&self, text: &str) -> Option<(Instance, State)> {
        let values = crate::solver::values(text)?;
        let (counts, shared) = values.split_at_checked(self.states.len())?;
        let threads: i64 = counts.iter().try_fold(0i64, |sum, n| sum.checked_add(*n))?;
        if !(1..=MOST_THREADS).contains(&threads) || counts.iter().any(|n| *n < 0) {
            return None;
        }
        let mut instance = Instance::plain(&[threads as usize]);
        let mut state = State { cells: vec![Vec::new(); self.system.symbols.len()], ..State::default() };
        let mut shared = shared.iter();
        for (i, symbol) in self.system.symbols.iter().enumerate() {
            let value = match symbol.kind {
                Kind::Local => {
                    let Some(at) = self.locals.iter().position(|l| *l == i) else {
                        // Nobody speaks of it.
                        state.cells[i] = vec![0; threads as usize];
                        continue;
                    };
                    for (values, n) in self.states.iter().zip(counts) {
                        state.cells[i].extend((0..*n).map(|_| values[at]));
                    }
                    continue;
                }
                _ => *shared.next()?,
            };
            match symbol.kind {
                Kind::Const => instance = instance.with_constant(i, vec![value]),
                _ => state.cells[i] = vec![value],
            }
        }
        Some((instance, state))
    }

    /// The local variable whose range a conjunct is about: local states have no other values. Only ranges
    /// have a space in their names.
    fn local_range(&self, conjunct: Option<usize>) -> Option<usize> {
        let name = self.system.invariant.get(conjunct?)?.name.strip_prefix("range of ")?;
        let mut locals = self.locals.iter().copied();
        locals.find(|l| self.system.symbols[*l].name == name)
    }

    /// That a local variable is within its range at first. No local state is outside, so the initial states
    /// cannot be asked.
    fn initial_range(&self, o: &Obligation) -> Option<Expr> {
        if o.origin != crate::obligation::Origin::Init {
            return None;
        }
        let symbol = &self.system.symbols[self.local_range(o.conjunct)?];
        let (low, high) = symbol.range?;
        let value = &symbol.init.as_ref()?.1;
        Some(Expr::and([Expr::Int(low).at_most(value.clone()), value.clone().at_most(Expr::Int(high))]))
    }

    /// All ways to choose a step's parameters.
    #[allow(clippy::type_complexity)]
    fn cases(
        &self,
        step: &Step,
        param: usize,
        scope: Scope,
        parts: Vec<V>,
        found: &mut dyn FnMut(&Scope, Vec<V>) -> Result<(), String>,
        script: &mut Script,
    ) -> Result<(), String> {
        let Some((var, domain, _)) = step.params.get(param) else { return found(&scope, parts) };
        match domain {
            Domain::Sort(_) => {
                for token in 0..scope.tokens.len() {
                    let mut scope = scope.clone();
                    scope.vars.push((*var, token));
                    self.cases(step, param + 1, scope, parts.clone(), found, script)?;
                }
                for l in 0..self.states.len() {
                    let mut scope = scope.clone();
                    let here = self.more_than(l, &scope, false);
                    scope.tokens.push((l, *var));
                    scope.vars.push((*var, scope.tokens.len() - 1));
                    let mut parts = parts.clone();
                    parts.push(here);
                    self.cases(step, param + 1, scope, parts, found, script)?;
                }
                Ok(())
            }
            Domain::Range(..) => {
                let name = format!("c{var}");
                let line = format!("(declare-const {name} Int)");
                if !script.lines.contains(&line) {
                    script.line(line);
                }
                let mut scope = scope;
                scope.numbers.push((*var, V::T(name)));
                self.cases(step, param + 1, scope, parts, found, script)
            }
        }
    }

    /// There are more threads in a local state than tokens.
    fn more_than(&self, l: usize, scope: &Scope, after: bool) -> V {
        let tokens = scope.tokens.iter().filter(|t| t.0 == l).count();
        V::T(format!("(> {} {tokens})", self.name(l, after)))
    }

    /// How the counters and the shared variables change.
    fn moved(&self, step: &Step, scope: &Scope) -> Result<Vec<V>, String> {
        let s = self.system;
        let fresh = u32::MAX;
        let t = Expr::Var(fresh, Type::Sort(s.threads));
        let changed: Vec<usize> = (0..self.locals.len())
            .filter(|i| step.updates.iter().any(|u| u.symbol == self.locals[*i]))
            .collect();
        // Where a thread in the local state `from` goes, and under which condition; and when nowhere.
        let goes = |scope: &Scope, from: usize| -> Result<(Vec<(usize, V)>, V), String> {
            let mut values: Vec<Option<V>> = vec![None; self.locals.len()];
            for i in &changed {
                let after = s.after(&step.updates, &Expr::App(self.locals[*i], vec![t.clone()]));
                values[*i] = Some(self.term(&after, scope, false)?);
            }
            let mut found = Vec::new();
            for (l, state) in self.states.iter().enumerate() {
                let same =
                    (0..self.locals.len()).all(|i| values[i].is_some() || state[i] == self.states[from][i]);
                if !same {
                    continue;
                }
                let cond = V::and((0..self.locals.len()).filter_map(|i| {
                    let truth = s.symbols[self.locals[i]].ty == Type::Bool;
                    values[i].as_ref().map(|v| v.equals(&V::K(state[i]), truth))
                }));
                if cond != V::K(0) {
                    found.push((l, cond));
                }
            }
            let lost = V::or(found.iter().map(|f| f.1.clone())).not();
            Ok((found, lost))
        };
        let mut sums: Vec<Vec<V>> = vec![Vec::new(); self.states.len()];
        let mut lost = Vec::new();
        for token in 0..scope.tokens.len() {
            let mut inner = scope.clone();
            inner.vars.push((fresh, token));
            let (ways, nowhere) = goes(&inner, scope.tokens[token].0)?;
            for (l, cond) in ways {
                sums[l].push(V::ite(&cond, &V::K(1), &V::K(0), false));
            }
            lost.push(nowhere);
        }
        for from in 0..self.states.len() {
            let tokens = scope.tokens.iter().filter(|t| t.0 == from).count() as i64;
            let rest = V::sum([V::T(self.name(from, false)), V::K(-tokens)]);
            let mut inner = scope.clone();
            inner.tokens.push((from, fresh));
            inner.vars.push((fresh, inner.tokens.len() - 1));
            let (ways, nowhere) = goes(&inner, from)?;
            for (l, cond) in ways {
                sums[l].push(V::ite(&cond, &rest, &V::K(0), false));
            }
            lost.push(V::and([nowhere, self.more_than(from, scope, false)]));
        }
        let mut parts = Vec::new();
        for (l, sum) in sums.into_iter().enumerate() {
            parts.push(V::T(self.name(l, true)).equals(&V::sum(sum), false));
        }
        parts.push(V::T("lost".into()).equals(&V::or(lost), true));
        for (i, symbol) in s.symbols.iter().enumerate() {
            if symbol.kind == Kind::Shared {
                let after = s.after(&step.updates, &Expr::App(i, Vec::new()));
                let value = self.term(&after, scope, false)?;
                let truth = symbol.ty == Type::Bool;
                parts.push(V::T(self.shared(i, true)).equals(&value, truth));
            }
        }
        Ok(parts)
    }

    /// A term, in the state before or after the step.
    fn term(&self, e: &Expr, scope: &Scope, after: bool) -> Result<V, String> {
        let s = self.system;
        let truth = |e: &Expr| s.type_of(e) == Type::Bool;
        let all =
            |es: &[Expr]| es.iter().map(|e| self.term(e, scope, after)).collect::<Result<Vec<V>, String>>();
        let token = |e: &Expr| match e {
            Expr::Var(v, _) => scope.vars.iter().rev().find(|x| x.0 == *v).map(|x| x.1),
            _ => None,
        };
        let unknown = || "a thread is named by something else than a variable".to_string();
        Ok(match e {
            Expr::Bool(b) => V::bool(*b),
            Expr::Int(n) => V::K(*n),
            Expr::Lit(_, v) => V::K(*v as i64),
            Expr::Var(v, _) => match scope.numbers.iter().rev().find(|x| x.0 == *v) {
                Some((_, value)) => value.clone(),
                None => return Err(unknown()),
            },
            Expr::App(symbol, args) if s.symbols[*symbol].kind != Kind::Local => {
                debug_assert!(args.is_empty());
                V::T(self.shared(*symbol, after))
            }
            Expr::App(symbol, args) => {
                let token = token(&args[0]).ok_or_else(unknown)?;
                let (state, first) = scope.tokens[token];
                match self.locals.iter().position(|l| l == symbol) {
                    Some(i) => V::K(self.states[state][i]),
                    None if after => return Err("an opaque variable is spoken of".into()),
                    // A value for each variable: who is named by two may differ.
                    None => V::T(format!("o{symbol}.{first}.{state}")),
                }
            }
            Expr::Prim(..) => return Err("trees, powers and bits have no place in counters".into()),
            Expr::Size(_) => V::sum((0..self.states.len()).map(|l| V::T(self.name(l, after)))),
            Expr::Not(e) => self.term(e, scope, after)?.not(),
            Expr::And(es) => V::and(all(es)?),
            Expr::Or(es) => V::or(all(es)?),
            Expr::Add(es) => V::sum(all(es)?),
            Expr::Eq(a, b) => {
                if let (Some(x), Some(y)) = (token(a), token(b)) {
                    return Ok(V::bool(x == y));
                }
                self.term(a, scope, after)?.equals(&self.term(b, scope, after)?, truth(a))
            }
            Expr::Le(a, b) => self.term(a, scope, after)?.le(&self.term(b, scope, after)?),
            Expr::Mul(k, e) => self.term(e, scope, after)?.times(*k),
            Expr::Mod(a, b) => self.term(a, scope, after)?.modulo(&self.term(b, scope, after)?),
            Expr::Ite(c, a, b) => {
                let c = self.term(c, scope, after)?;
                V::ite(&c, &self.term(a, scope, after)?, &self.term(b, scope, after)?, truth(a))
            }
            Expr::All(v, d, body) | Expr::Any(v, d, body) => {
                if !matches!(d, Domain::Sort(_)) {
                    return Err("a quantifier is over numbers".into());
                }
                let every = matches!(e, Expr::All(..));
                let mut parts = Vec::new();
                for (cond, inner) in self.tokens(*v, scope, after) {
                    let value = self.term(body, &inner, after)?;
                    parts.push(if every { V::or([cond.not(), value]) } else { V::and([cond, value]) });
                }
                if every { V::and(parts) } else { V::or(parts) }
            }
            Expr::Card(v, _, body) => {
                let mut parts = Vec::new();
                for t in 0..scope.tokens.len() {
                    let mut inner = scope.clone();
                    inner.vars.push((*v, t));
                    parts.push(V::ite(&self.term(body, &inner, after)?, &V::K(1), &V::K(0), false));
                }
                for l in 0..self.states.len() {
                    let tokens = scope.tokens.iter().filter(|t| t.0 == l).count() as i64;
                    let mut inner = scope.clone();
                    inner.tokens.push((l, *v));
                    inner.vars.push((*v, inner.tokens.len() - 1));
                    let rest = V::sum([V::T(self.name(l, after)), V::K(-tokens)]);
                    parts.push(V::ite(&self.term(body, &inner, after)?, &rest, &V::K(0), false));
                }
                V::sum(parts)
            }
        })
    }

    /// What a variable may be: a token in scope, or one more, under a condition.
    fn tokens(&self, v: Var, scope: &Scope, after: bool) -> Vec<(V, Scope)> {
        let mut found = Vec::new();
        for t in 0..scope.tokens.len() {
            let mut inner = scope.clone();
            inner.vars.push((v, t));
            found.push((V::K(1), inner));
        }
        for l in 0..self.states.len() {
            let mut inner = scope.clone();
            inner.tokens.push((l, v));
            inner.vars.push((v, inner.tokens.len() - 1));
            found.push((self.more_than(l, scope, after), inner));
        }
        found
    }
}

/// Declares the values of opaque variables that a question speaks of.
fn declare_opaque(script: &mut Script) {
    let is_one = |w: &&str| w.starts_with('o') && w[1..].starts_with(|c: char| c.is_ascii_digit());
    let words = script.lines.iter().flat_map(|l| l.split(['(', ')', ' '])).filter(is_one);
    let names: BTreeSet<String> = words.map(String::from).collect();
    let mut lines: Vec<String> = names.iter().map(|n| format!("(declare-const {n} Int)")).collect();
    lines.append(&mut script.lines);
    script.lines = lines;
}

/// The values of a variable, if they are few.
fn finite(system: &System, symbol: usize) -> Option<Vec<i64>> {
    let s = &system.symbols[symbol];
    match (s.ty, s.range) {
        (_, Some((lo, hi))) if hi - lo < 64 => Some((lo..=hi).collect()),
        (Type::Bool, _) => Some(vec![0, 1]),
        (Type::Enum(e), _) => Some((0..system.enums[e].values.len() as i64).collect()),
        _ => None,
    }
}

/// That `pc` is the first of the locals is used to find a step's local states.
const _: () = assert!(PC == 0);
