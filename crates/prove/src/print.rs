//! Terms in the words of SMT-LIB.

use crate::expr::{Expr, Prim, Type, Var};
use crate::first_order::within;
use crate::solver::Script;
use crate::system::{Shape, System};
use crate::value::number;

pub(crate) struct Printer<'s> {
    pub system: &'s System,
}

impl Printer<'_> {
    pub fn var(&self, v: Var) -> String {
        format!("x{v}")
    }

    pub fn sort(&self, ty: Type) -> String {
        match ty {
            Type::Bool => "Bool".into(),
            Type::Int => "Int".into(),
            Type::Enum(e) => format!("E.{}", self.system.enums[e].name),
            Type::Sort(s) if self.system.sorts[s].shape == Shape::Ring => "Int".into(),
            Type::Sort(s) => format!("S.{}", self.system.sorts[s].name),
        }
    }

    fn symbol(&self, s: usize) -> String {
        format!("v.{}", self.system.symbols[s].name)
    }

    fn size(&self, s: usize) -> String {
        format!("size.{}", self.system.sorts[s].name)
    }

    #[allow(clippy::type_complexity)]
    pub fn declarations(&self, script: &mut Script, uses: &dyn Fn(&dyn Fn(&Expr) -> bool) -> bool) {
        let s = self.system;
        for e in s.enums.iter().filter(|e| !e.values.is_empty()) {
            let values: Vec<String> = e.values.iter().map(|v| format!("(e.{}.{v})", e.name)).collect();
            script.line(format!("(declare-datatypes ((E.{} 0)) (({})))", e.name, values.join(" ")));
        }
        for (i, sort) in s.sorts.iter().enumerate() {
            if sort.shape != Shape::Ring {
                script.line(format!("(declare-sort S.{} 0)", sort.name));
            }
            script.line(format!("(declare-const {} Int)", self.size(i)));
            script.assert(&format!("(>= {} 1)", self.size(i)));
            let name = format!("S.{}", sort.name);
            match sort.shape {
                Shape::Tree => {
                    script.line(format!("(declare-const root {name})"));
                    for r in ["child", "left", "right", "below"] {
                        script.line(format!("(declare-fun {r} ({name} {name}) Bool)"));
                    }
                }
                Shape::Bits => {
                    script.line("(declare-const length Int)".to_string());
                    script.line(format!("(declare-fun bit ({name} Int) Bool)"));
                    script.line(format!("(declare-fun zero ({name} Int) Bool)"));
                    script.line(format!("(declare-fun agree ({name} {name} Int) Bool)"));
                    script.line(format!("(declare-fun clear ({name} Int) {name})"));
                }
                Shape::Ring => {
                    // Exact where numbers are at most two rounds away; of others, only that they are in the
                    // ring.
                    let n = self.size(i);
                    script.line("(declare-fun far (Int) Int)".to_string());
                    script.line(format!(
                        "(define-fun remainder ((a Int)) Int (ite (and (<= (- (* 2 {n})) a) (< a (- {n}))) (+ a {n} {n}) \
                         (ite (and (<= (- {n}) a) (< a 0)) (+ a {n}) (ite (and (<= 0 a) (< a {n})) a \
                         (ite (and (<= {n} a) (< a (* 2 {n}))) (- a {n}) \
                         (ite (and (<= (* 2 {n}) a) (< a (* 3 {n}))) (- a {n} {n}) \
                         (ite (and (<= 0 (far a)) (< (far a) {n})) (far a) 0)))))))"
                    ));
                }
                Shape::Plain => {}
            }
        }
        if uses(&|e| matches!(e, Expr::Prim(Prim::Pow2, _))) {
            script.line("(declare-fun pow2 (Int) Int)".to_string());
        }
        for (i, symbol) in s.symbols.iter().enumerate() {
            let args: Vec<String> = symbol.args.iter().map(|d| self.sort(d.of())).collect();
            script.line(format!(
                "(declare-fun {} ({}) {})",
                self.symbol(i),
                args.join(" "),
                self.sort(symbol.ty)
            ));
        }
    }

    pub fn term(&self, e: &Expr) -> String {
        let all = |es: &[Expr]| es.iter().map(|e| self.term(e)).collect::<Vec<_>>().join(" ");
        let call = |name: &str, es: &[Expr]| {
            if es.is_empty() { name.to_string() } else { format!("({name} {})", all(es)) }
        };
        match e {
            Expr::Bool(b) => b.to_string(),
            Expr::Int(n) => number(*n),
            Expr::Lit(e, v) => {
                let e = &self.system.enums[*e];
                format!("e.{}.{}", e.name, e.values[*v])
            }
            Expr::Var(v, _) => self.var(*v),
            Expr::App(s, args) => call(&self.symbol(*s), args),
            Expr::Prim(p, args) => {
                let name = match p {
                    Prim::Child(_) => "child",
                    Prim::Left(_) => "left",
                    Prim::Right(_) => "right",
                    Prim::Below(_) => "below",
                    Prim::Root(_) => "root",
                    Prim::Pow2 => "pow2",
                    Prim::Bit(_) => "bit",
                    Prim::Zero(_) => "zero",
                    Prim::Agree(_) => "agree",
                    Prim::Clear(_) => "clear",
                    Prim::Length(_) => "length",
                };
                call(name, args)
            }
            Expr::Size(s) => self.size(*s),
            Expr::Not(e) => format!("(not {})", self.term(e)),
            Expr::And(es) => call("and", es),
            Expr::Or(es) => call("or", es),
            Expr::Eq(a, b) => format!("(= {} {})", self.term(a), self.term(b)),
            Expr::Le(a, b) => format!("(<= {} {})", self.term(a), self.term(b)),
            Expr::Add(es) if es.len() == 1 => self.term(&es[0]),
            Expr::Add(es) => call("+", es),
            Expr::Mul(k, e) => format!("(* {} {})", number(*k), self.term(e)),
            Expr::Mod(a, b) => match &**b {
                Expr::Size(_) => format!("(remainder {})", self.term(a)),
                b => format!("(mod {} {})", self.term(a), self.term(b)),
            },
            Expr::Ite(c, a, b) => format!("(ite {} {} {})", self.term(c), self.term(a), self.term(b)),
            Expr::All(..) | Expr::Any(..) => {
                // One quantifier for all variables in a row: solvers find instances of it at once.
                let every = matches!(e, Expr::All(..));
                let (mut vars, mut here, mut inner) = (Vec::new(), Vec::new(), e);
                while let Expr::All(v, d, body) | Expr::Any(v, d, body) = inner {
                    if matches!(inner, Expr::All(..)) != every {
                        break;
                    }
                    vars.push(format!("({} {})", self.var(*v), self.sort(d.of())));
                    here.push(within(self.system, d, &Expr::Var(*v, d.of())));
                    inner = body;
                }
                let (word, body) = if every {
                    ("forall", Expr::and(here).implies(inner.clone()))
                } else {
                    here.push(inner.clone());
                    ("exists", Expr::and(here))
                };
                format!("({word} ({}) {})", vars.join(" "), self.term(&body))
            }
            // Cardinalities have names by now.
            Expr::Card(..) => "0".into(),
        }
    }
}
