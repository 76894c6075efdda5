//! Steps of a `.par` text: `step A { await …; x := …; if (…) { goto B; } else { goto C; } }`.
//!
//! A step is atomic: all of its statements happen at once, one after the other. Each way through it becomes a
//! guarded update of its own, with everything in terms of the state before.

use crate::expr::{Domain, Expr, SELF, Type, Var};
use crate::lexer::Placed;
use crate::parser::Parser;
use crate::system::{Assertion, Kind, Step, Update};
use selvedge_diagnostic::Diagnostic;

type Result<T> = std::result::Result<T, Diagnostic>;

/// More ways through one step are refused.
const MOST_WAYS: usize = 64;

/// Longer steps are refused: following them needs a stack as deep.
const MOST_STATEMENTS: usize = 200;

enum Stmt {
    Await(Expr),
    Assign(Update),
    Choose(Var, Domain, String, Expr),
    Assert(Expr, u32),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    Either(Vec<Vec<Stmt>>),
    Goto(usize),
}

/// A way through a step, as far as it was followed.
#[derive(Clone, Default)]
struct Way {
    params: Vec<(Var, Domain, String)>,
    guard: Vec<Expr>,
    updates: Vec<Update>,
    asserts: Vec<Assertion>,
}

impl Parser<'_> {
    pub fn step(&mut self, at: &Placed) -> Result<()> {
        let (name, place) = self.word("a location")?;
        let Some(from) = self.system.enums[0].values.iter().position(|l| *l == name) else {
            return self.error_on(&place, format!("`{name}` is no location"));
        };
        if self.system.ends[from] {
            return self.error_on(&place, format!("`{name}` is an end: no step begins there"));
        }
        self.scope.push(("self".into(), SELF, Type::Sort(self.system.threads)));
        self.statements = 0;
        let body = self.block()?;
        self.scope.clear();
        let mut ways = Vec::new();
        let here = self.system.pc(Expr::this(self.system.threads)).equals(Expr::Lit(0, from));
        let start = Way { guard: vec![here], ..Way::default() };
        self.follow(&body.iter().collect::<Vec<_>>(), start, &mut ways, &place)?;
        for (way, to) in ways {
            let to_name = &self.system.enums[0].values[to];
            let base = format!("{name}->{to_name}");
            let same = self.system.steps.iter().filter(|s| s.name.split('#').next() == Some(&base)).count();
            self.system.steps.push(Step {
                name: if same == 0 { base } else { format!("{base}#{}", same + 1) },
                line: self.line(at.at),
                from,
                params: way.params,
                guard: Expr::and(way.guard),
                updates: way.updates,
                asserts: way.asserts,
            });
        }
        Ok(())
    }

    fn block(&mut self) -> Result<Vec<Stmt>> {
        self.depth += 1;
        if self.depth > 100 {
            return self.error("this step is too deep");
        }
        self.expect("{")?;
        let depth = self.scope.len();
        let mut found = Vec::new();
        while !self.eat("}") {
            if matches!(found.last(), Some(Stmt::Goto(_))) {
                return self.error("this is never done: `goto` ends a step");
            }
            found.push(self.statement()?);
        }
        self.scope.truncate(depth);
        self.depth -= 1;
        Ok(found)
    }

    /// Ghosts are watched by nobody: what the program does must not depend on them.
    fn no_ghost(&self, e: &Expr, at: &Placed) -> Result<()> {
        if e.mentions(&|e| matches!(e, Expr::App(s, _) if self.system.symbols[*s].ghost)) {
            return self.error_on(at, "this depends on a ghost variable, and what the system does must not");
        }
        Ok(())
    }

    fn statement(&mut self) -> Result<Stmt> {
        let (word, at) = self.word("a statement")?;
        self.statements += 1;
        if self.statements > MOST_STATEMENTS {
            return self.error_on(&at, format!("a step has more than {MOST_STATEMENTS} statements"));
        }
        let stmt = match word.as_str() {
            "await" => {
                let e = self.formula()?;
                self.no_ghost(&e, &at)?;
                Stmt::Await(e)
            }
            "assert" => Stmt::Assert(self.formula()?, self.line(at.at)),
            "goto" => {
                let (name, place) = self.word("a location")?;
                match self.system.enums[0].values.iter().position(|l| *l == name) {
                    Some(l) => Stmt::Goto(l),
                    None => return self.error_on(&place, format!("`{name}` is no location")),
                }
            }
            "choose" => {
                let (name, _) = self.word("a name")?;
                self.expect(":")?;
                let domain = self.domain()?;
                let var = self.system.fresh();
                self.scope.push((name.clone(), var, domain.of()));
                let cond = if self.eat("where") { self.formula()? } else { Expr::Bool(true) };
                self.no_ghost(&cond, &at)?;
                Stmt::Choose(var, domain, name, cond)
            }
            "if" => {
                self.expect("(")?;
                let cond = self.formula()?;
                self.no_ghost(&cond, &at)?;
                self.expect(")")?;
                let yes = self.block()?;
                let no = if !self.eat("else") {
                    Vec::new()
                } else if self.is("if") {
                    vec![self.statement()?]
                } else {
                    self.block()?
                };
                return Ok(Stmt::If(cond, yes, no));
            }
            "either" => {
                let mut ways = vec![self.block()?];
                while self.eat("or") {
                    ways.push(self.block()?);
                }
                return Ok(Stmt::Either(ways));
            }
            "forall" => {
                let depth = self.scope.len();
                let binders = self.binders()?;
                self.expect("{")?;
                let (name, place) = self.word("a variable")?;
                let update = self.assignment(&name, &place, binders.iter().map(|b| b.0).collect())?;
                self.eat(";");
                self.expect("}")?;
                self.scope.truncate(depth);
                let vars = binders.iter().map(|(v, d)| Expr::Var(*v, d.of())).collect::<Vec<_>>();
                let domains = &self.system.symbols[update.symbol].args;
                if update.args != vars || binders.iter().map(|b| &b.1).ne(domains) {
                    let message = "`forall` assigns to a variable at all of its indices, in their order";
                    return self.error_on(&place, message);
                }
                return Ok(Stmt::Assign(update));
            }
            _ => Stmt::Assign(self.assignment(&word, &at, Vec::new())?),
        };
        self.expect(";")?;
        Ok(stmt)
    }

    fn assignment(&mut self, name: &str, at: &Placed, binders: Vec<Var>) -> Result<Update> {
        let Some(symbol) = self.system.symbols.iter().position(|s| s.name == name) else {
            return self.error_on(at, format!("`{name}` is neither a variable nor a statement"));
        };
        if symbol == crate::system::PC {
            return self.error_on(at, "`goto` changes the location");
        }
        if self.system.symbols[symbol].kind == Kind::Const {
            return self.error_on(at, format!("`{name}` never changes"));
        }
        let args = self.indices(symbol, at)?;
        self.expect(":=")?;
        let value = self.term_of(self.system.symbols[symbol].ty)?;
        if !self.system.symbols[symbol].ghost {
            for e in args.iter().chain([&value]) {
                self.no_ghost(e, at)?;
            }
        }
        Ok(Update { symbol, binders, args, value })
    }

    fn follow(&self, rest: &[&Stmt], mut way: Way, out: &mut Vec<(Way, usize)>, at: &Placed) -> Result<()> {
        let Some((first, rest)) = rest.split_first() else {
            return self.error_on(at, "a way through this step ends without `goto`");
        };
        let s = &self.system;
        match first {
            Stmt::Await(e) => {
                way.guard.push(s.after(&way.updates, e));
                self.follow(rest, way, out, at)
            }
            Stmt::Assert(e, line) => {
                let guard = Expr::and(way.guard.clone());
                let formula = s.after(&way.updates, e);
                way.asserts.push(Assertion { line: *line, guard, formula });
                self.follow(rest, way, out, at)
            }
            Stmt::Choose(var, domain, name, cond) => {
                way.params.push((*var, domain.clone(), name.clone()));
                if let Domain::Range(lo, hi) = domain {
                    let v = Expr::Var(*var, Type::Int);
                    way.guard.push((**lo).clone().at_most(v.clone()));
                    way.guard.push(v.at_most((**hi).clone()));
                }
                way.guard.push(s.after(&way.updates, cond));
                self.follow(rest, way, out, at)
            }
            Stmt::Assign(update) => {
                let update = Update {
                    symbol: update.symbol,
                    binders: update.binders.clone(),
                    args: update.args.iter().map(|e| s.after(&way.updates, e)).collect(),
                    value: s.after(&way.updates, &update.value),
                };
                if update.value.weight() > crate::formula::HEAVIEST * 1e3 {
                    return self.error_on(at, "a number of this step is too many times as large as another");
                }
                way.updates.push(update);
                self.follow(rest, way, out, at)
            }
            Stmt::If(cond, yes, no) => {
                let cond = s.after(&way.updates, cond);
                for (branch, cond) in [(yes, cond.clone()), (no, cond.not())] {
                    if cond == Expr::Bool(false) {
                        continue;
                    }
                    let mut way = way.clone();
                    way.guard.push(cond);
                    let all: Vec<&Stmt> = branch.iter().chain(rest.iter().copied()).collect();
                    self.follow(&all, way, out, at)?;
                }
                Ok(())
            }
            Stmt::Either(ways) => {
                for branch in ways {
                    let all: Vec<&Stmt> = branch.iter().chain(rest.iter().copied()).collect();
                    self.follow(&all, way.clone(), out, at)?;
                }
                Ok(())
            }
            Stmt::Goto(to) => {
                if out.len() == MOST_WAYS {
                    return self
                        .error_on(at, format!("there are more than {MOST_WAYS} ways through this step"));
                }
                way.updates.push(Update {
                    symbol: crate::system::PC,
                    binders: Vec::new(),
                    args: vec![Expr::this(s.threads)],
                    value: Expr::Lit(0, *to),
                });
                out.push((way, *to));
                Ok(())
            }
        }
    }
}
