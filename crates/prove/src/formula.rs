//! Terms and formulas of a `.par` text, with their types.

use crate::expr::{Domain, Expr, Prim, SELF, Type, Var};
use crate::lexer::{Placed, Token};
use crate::parser::Parser;
use crate::system::{Kind, Shape};
use selvedge_diagnostic::Diagnostic;

type Result<T> = std::result::Result<T, Diagnostic>;

/// Names that nobody can give.
pub(crate) const RESERVED: [&str; 40] = [
    "self", "pc", "root", "child", "left", "right", "below", "pow2", "bit", "zero", "agree", "clear",
    "length", "forall", "exists", "true", "false", "if", "then", "else", "in", "distinct", "bool", "int",
    "location", "await", "choose", "where", "goto", "assert", "either", "or", "end", "by", "with", "step",
    "phase", "local", "shared", "ghost",
];

/// Deeper terms are refused: nobody writes them, and reading them needs a stack as deep.
const DEEPEST: usize = 200;

/// Larger factors are refused: small instances are evaluated in 64 bits.
pub(crate) const HEAVIEST: f64 = 1e6;

impl Parser<'_> {
    /// A formula.
    pub fn formula(&mut self) -> Result<Expr> {
        self.term_of(Type::Bool)
    }

    /// A term of this type.
    pub fn term_of(&mut self, ty: Type) -> Result<Expr> {
        let at = self.peek().clone();
        let (e, found) = self.term()?;
        self.fits(&at, e, found, ty)
    }

    /// Elements of a ring are numbers.
    fn is_number(&self, ty: Type) -> bool {
        match ty {
            Type::Int => true,
            Type::Sort(s) => self.system.sorts[s].shape == Shape::Ring,
            _ => false,
        }
    }

    fn fits(&self, at: &Placed, e: Expr, found: Type, wanted: Type) -> Result<Expr> {
        if found == wanted || (self.is_number(found) && self.is_number(wanted)) {
            return Ok(e);
        }
        self.error_on(at, format!("{} is expected here, and this is {}", self.name(wanted), self.name(found)))
    }

    fn name(&self, ty: Type) -> String {
        match ty {
            Type::Bool => "a formula".into(),
            Type::Int => "a number".into(),
            Type::Enum(e) => format!("a value of `{}`", self.system.enums[e].name),
            Type::Sort(s) => format!("an element of `{}`", self.system.sorts[s].name),
        }
    }

    pub fn sum_of_ints(&mut self) -> Result<Expr> {
        let at = self.peek().clone();
        let (e, ty) = self.sum()?;
        self.fits(&at, e, ty, Type::Int)
    }

    /// A term of any type.
    pub fn term(&mut self) -> Result<(Expr, Type)> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.error("this term is too deep");
        }
        let result = self.equivalence();
        self.depth -= 1;
        result
    }

    /// `first`, and what follows an operator, all formulas.
    fn formulas(&mut self, op: &str, first: (Expr, Type), at: &Placed) -> Result<Option<(Expr, Placed)>> {
        if !self.is(op) {
            return Ok(None);
        }
        let left = self.fits(at, first.0, first.1, Type::Bool)?;
        self.advance();
        Ok(Some((left, self.peek().clone())))
    }

    fn equivalence(&mut self) -> Result<(Expr, Type)> {
        let at = self.peek().clone();
        let mut left = self.implication()?;
        let mut long = 0;
        while let Some((a, at)) = self.formulas("<=>", left.clone(), &at)? {
            let b = self.implication()?;
            let b = self.fits(&at, b.0, b.1, Type::Bool)?;
            left = (a.equals(b), Type::Bool);
            long += 1;
            if long > DEEPEST {
                return self.error("this term is too long");
            }
        }
        Ok(left)
    }

    fn implication(&mut self) -> Result<(Expr, Type)> {
        let at = self.peek().clone();
        let left = self.disjunction()?;
        let Some((a, at)) = self.formulas("=>", left.clone(), &at)? else { return Ok(left) };
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.error("this term is too deep");
        }
        let b = self.implication()?;
        self.depth -= 1;
        let b = self.fits(&at, b.0, b.1, Type::Bool)?;
        Ok((a.implies(b), Type::Bool))
    }

    fn disjunction(&mut self) -> Result<(Expr, Type)> {
        let at = self.peek().clone();
        let mut left = self.conjunction()?;
        while let Some((a, at)) = self.formulas("||", left.clone(), &at)? {
            let b = self.conjunction()?;
            let b = self.fits(&at, b.0, b.1, Type::Bool)?;
            left = (Expr::or([a, b]), Type::Bool);
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Result<(Expr, Type)> {
        let at = self.peek().clone();
        let mut left = self.comparison()?;
        while let Some((a, at)) = self.formulas("&&", left.clone(), &at)? {
            let b = self.comparison()?;
            let b = self.fits(&at, b.0, b.1, Type::Bool)?;
            left = (Expr::and([a, b]), Type::Bool);
        }
        Ok(left)
    }

    fn comparison(&mut self) -> Result<(Expr, Type)> {
        let at = self.peek().clone();
        let (a, ta) = self.sum()?;
        if self.eat("@") {
            let a = self.fits(&at, a, ta, Type::Sort(self.system.threads))?;
            let pc = self.system.pc(a);
            return Ok((self.one_of(pc, Type::Enum(0))?, Type::Bool));
        }
        if self.eat("in") {
            return Ok((self.one_of(a, ta)?, Type::Bool));
        }
        let ops = ["==", "!=", "<=", ">=", "<", ">"];
        let Some(op) = ops.into_iter().find(|op| self.is(op)) else { return Ok((a, ta)) };
        let sign = self.advance();
        let place = self.peek().clone();
        let (b, tb) = self.sum()?;
        if matches!(op, "==" | "!=") {
            let b = self.fits(&place, b, tb, ta)?;
            let e = a.equals(b);
            return Ok((if op == "==" { e } else { e.not() }, Type::Bool));
        }
        if let (Type::Enum(e), true) = (ta, ta == tb) {
            // The values of an enumeration are in order; one side is a value.
            let holds = |x: usize, y: usize| match op {
                "<=" => x <= y,
                ">=" => x >= y,
                "<" => x < y,
                _ => x > y,
            };
            let values = 0..self.system.enums[e].values.len();
            let one = match (a, b) {
                (a, Expr::Lit(_, y)) => {
                    Expr::or(values.filter(|x| holds(*x, y)).map(|x| a.clone().equals(Expr::Lit(e, x))))
                }
                (Expr::Lit(_, x), b) => {
                    Expr::or(values.filter(|y| holds(x, *y)).map(|y| b.clone().equals(Expr::Lit(e, y))))
                }
                _ => return self.error_on(&sign, "of two variables only `==` and `!=` can be asked"),
            };
            return Ok((one, Type::Bool));
        }
        let a = self.fits(&at, a, ta, Type::Int)?;
        let b = self.fits(&place, b, tb, Type::Int)?;
        let e = match op {
            "<=" => a.at_most(b),
            ">=" => b.at_most(a),
            "<" => b.at_most(a).not(),
            _ => a.at_most(b).not(),
        };
        Ok((e, Type::Bool))
    }

    /// `A`, or `{A, B}`.
    fn one_of(&mut self, e: Expr, ty: Type) -> Result<Expr> {
        if !self.eat("{") {
            let value = {
                let at = self.peek().clone();
                let (v, tv) = self.sum()?;
                self.fits(&at, v, tv, ty)?
            };
            return Ok(e.equals(value));
        }
        let mut parts = Vec::new();
        loop {
            let value = self.term_of(ty)?;
            parts.push(e.clone().equals(value));
            if !self.eat(",") {
                break;
            }
        }
        self.expect("}")?;
        Ok(Expr::or(parts))
    }

    fn sum(&mut self) -> Result<(Expr, Type)> {
        let at = self.peek().clone();
        let mut left = self.product()?;
        loop {
            let minus = self.is("-");
            if !minus && !self.is("+") {
                return Ok(left);
            }
            let a = self.fits(&at, left.0, left.1, Type::Int)?;
            self.advance();
            let at = self.peek().clone();
            let (b, tb) = self.product()?;
            let b = self.fits(&at, b, tb, Type::Int)?;
            left = (a.plus(if minus { b.times(-1) } else { b }), Type::Int);
        }
    }

    fn product(&mut self) -> Result<(Expr, Type)> {
        let at = self.peek().clone();
        let mut left = self.atom()?;
        let mut long = 0;
        loop {
            if self.is("/") {
                return self.error("there is no division: multiply the other side");
            }
            if !self.is("*") && !self.is("%") {
                return Ok(left);
            }
            let a = self.fits(&at, left.0, left.1, Type::Int)?;
            let op = self.advance();
            let at = self.peek().clone();
            let (b, tb) = self.atom()?;
            let b = self.fits(&at, b, tb, Type::Int)?;
            let e = if op.token == Token::Mark("*") {
                match (a, b) {
                    (Expr::Int(k), b) => b.times(k),
                    (a, Expr::Int(k)) => a.times(k),
                    _ => {
                        let message =
                            "products of two variables are not linear, and nothing is decided about them";
                        return self.error_on(&op, message);
                    }
                }
            } else {
                let ring = |s: &usize| self.system.sorts[*s].shape == Shape::Ring;
                let fine = matches!(&b, Expr::Size(s) if ring(s)) || matches!(b, Expr::Int(k) if k > 0);
                if !fine {
                    return self.error_on(&at, "a remainder is taken by a number, or by the size of a ring");
                }
                Expr::Mod(Box::new(a), Box::new(b))
            };
            if e.weight() > HEAVIEST {
                return self.error_on(&op, "the factors of this product are too large: a million in all");
            }
            left = (e, Type::Int);
            long += 1;
            if long > DEEPEST {
                return self.error("this term is too long");
            }
        }
    }

    /// The variables of a quantifier, with their names in scope.
    pub fn binders(&mut self) -> Result<Vec<(Var, Domain)>> {
        let mut found = Vec::new();
        loop {
            let mut names = vec![self.word("the name of a variable")?];
            while self.eat(",") {
                names.push(self.word("the name of a variable")?);
            }
            self.expect(":")?;
            let domain = self.domain()?;
            for (name, at) in names {
                if self.scope.iter().any(|s| s.0 == name) {
                    return self.error_on(&at, format!("`{name}` is bound already"));
                }
                let var = self.system.fresh();
                self.scope.push((name, var, domain.of()));
                found.push((var, domain.clone()));
            }
            if !self.eat(",") {
                return Ok(found);
            }
        }
    }

    fn atom(&mut self) -> Result<(Expr, Type)> {
        let at = self.peek().clone();
        if self.eat("!") {
            self.depth += 1;
            if self.depth > DEEPEST {
                return self.error("this term is too deep");
            }
            let place = self.peek().clone();
            let (e, ty) = self.atom()?;
            self.depth -= 1;
            return Ok((self.fits(&place, e, ty, Type::Bool)?.not(), Type::Bool));
        }
        if self.eat("-") {
            self.depth += 1;
            if self.depth > DEEPEST {
                return self.error("this term is too deep");
            }
            let place = self.peek().clone();
            let (e, ty) = self.atom()?;
            self.depth -= 1;
            return Ok((self.fits(&place, e, ty, Type::Int)?.times(-1), Type::Int));
        }
        if self.eat("(") {
            let e = self.term()?;
            self.expect(")")?;
            return Ok(e);
        }
        if self.eat("#") {
            return self.cardinality();
        }
        if let Token::Number(n) = at.token {
            self.advance();
            return Ok((Expr::Int(n), Type::Int));
        }
        let (word, at) = self.word("a term")?;
        match word.as_str() {
            "true" | "false" => return Ok((Expr::Bool(word == "true"), Type::Bool)),
            "forall" | "exists" => {
                let depth = self.scope.len();
                let vars = self.binders()?;
                self.expect(".")?;
                let mut e = self.formula()?;
                self.scope.truncate(depth);
                for (v, d) in vars.into_iter().rev() {
                    e = if word == "forall" {
                        Expr::All(v, d, Box::new(e))
                    } else {
                        Expr::Any(v, d, Box::new(e))
                    };
                }
                return Ok((e, Type::Bool));
            }
            "if" => {
                let cond = self.formula()?;
                self.expect("then")?;
                let (yes, ty) = self.term()?;
                self.expect("else")?;
                let no = self.term_of(ty)?;
                return Ok((Expr::ite(cond, yes, no), ty));
            }
            "distinct" => {
                self.expect("(")?;
                let (first, ty) = self.term()?;
                let mut all = vec![first];
                while self.eat(",") {
                    all.push(self.term_of(ty)?);
                }
                self.expect(")")?;
                let pairs = (0..all.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
                let e = Expr::and(pairs.map(|(i, j)| all[i].clone().equals(all[j].clone()).not()));
                return Ok((e, Type::Bool));
            }
            _ => {}
        }
        if let Some((_, var, ty)) = self.scope.iter().rev().find(|s| s.0 == word) {
            return Ok((Expr::Var(*var, *ty), *ty));
        }
        if let Some(e) = self.system.enums.iter().position(|e| e.values.contains(&word)) {
            let value = self.system.enums[e].values.iter().position(|v| *v == word).unwrap_or(0);
            return Ok((Expr::Lit(e, value), Type::Enum(e)));
        }
        if let Some(symbol) = self.system.symbols.iter().position(|s| s.name == word) {
            let args = self.indices(symbol, &at)?;
            return Ok((Expr::App(symbol, args), self.system.symbols[symbol].ty));
        }
        if let Some(m) = self.macros.iter().position(|m| m.0 == word) {
            let params = self.macros[m].1.params.clone();
            let mut args = Vec::new();
            if !params.is_empty() {
                self.expect("(")?;
                for (i, (_, ty)) in params.iter().enumerate() {
                    if i > 0 {
                        self.expect(",")?;
                    }
                    args.push(self.term_of(*ty)?);
                }
                self.expect(")")?;
            }
            let body = self.macros[m].1.body.clone();
            let ty = self.macros[m].1.ty;
            let body = crate::rewrite::renamed(&body, &mut self.system.fresh);
            let e = params.iter().zip(&args).fold(body, |body, ((v, _), arg)| body.with(*v, arg));
            return Ok((e, ty));
        }
        self.primitive(&word, &at)
    }

    /// The indices of a variable; a local one without is the own one.
    pub fn indices(&mut self, symbol: usize, at: &Placed) -> Result<Vec<Expr>> {
        let args = self.any_indices(symbol, at)?;
        // Proofs take any value for it: two threads, or one thread twice, cannot be compared by it.
        let own = |e: &Expr| {
            *e == Expr::this(self.system.threads) || matches!(e, Expr::Var(v, _) if Some(*v) == self.own)
        };
        if self.system.symbols[symbol].opaque && !args.first().is_some_and(own) {
            return self.error_on(at, "an opaque variable is spoken of by its own thread only, in steps");
        }
        Ok(args)
    }

    fn any_indices(&mut self, symbol: usize, at: &Placed) -> Result<Vec<Expr>> {
        let domains = self.system.symbols[symbol].args.clone();
        let name = self.system.symbols[symbol].name.clone();
        let local = self.system.symbols[symbol].kind == Kind::Local;
        let own = local && (!self.is("[") || domains.len() > 1 && !self.other_thread());
        let mut args = Vec::new();
        if own {
            if !self.scope.iter().any(|s| s.1 == SELF) {
                let message = format!("whose `{name}`? There is one for each thread: `{name}[t]`");
                return self.error_on(at, message);
            }
            args.push(Expr::this(self.system.threads));
        }
        if args.len() == domains.len() {
            return Ok(args);
        }
        if !self.is("[") {
            return self.error_on(at, format!("`{name}` has {} indices: `{name}[…]`", domains.len()));
        }
        self.expect("[")?;
        for (i, domain) in domains.iter().enumerate().skip(args.len()) {
            if i > usize::from(own) {
                self.expect(",")?;
            }
            args.push(self.term_of(domain.of())?);
        }
        self.expect("]")?;
        Ok(args)
    }

    /// Whether the first index of a local variable with several is a thread: they are written out.
    fn other_thread(&self) -> bool {
        !self.scope.iter().any(|s| s.1 == SELF)
    }

    fn cardinality(&mut self) -> Result<(Expr, Type)> {
        if !self.eat("{") {
            let (word, at) = self.word("a sort")?;
            let Some(sort) = self.sort_named(&word) else {
                return self
                    .error_on(&at, format!("`{word}` is no sort; sets are written `#{{t: Thread | …}}`"));
            };
            return Ok((Expr::Size(sort), Type::Int));
        }
        let depth = self.scope.len();
        let at = self.peek().clone();
        let vars = self.binders()?;
        self.expect("|")?;
        let e = self.formula()?;
        self.expect("}")?;
        self.scope.truncate(depth);
        match vars.as_slice() {
            [(var, Domain::Sort(s))] => Ok((Expr::Card(*var, *s, Box::new(e)), Type::Int)),
            _ => self.error_on(&at, "the elements of one sort are counted, by one variable"),
        }
    }

    fn primitive(&mut self, word: &str, at: &Placed) -> Result<(Expr, Type)> {
        let of = |shape| self.system.sorts.iter().position(|s| s.shape == shape);
        let (tree, bits) = (of(Shape::Tree), of(Shape::Bits));
        let no = |what: &str| format!("`{word}` is about {what}, and no sort is one");
        let tree_of = |p: &Self| match tree {
            Some(s) => Ok(s),
            None => p.error_on(at, no("a tree")),
        };
        let bits_of = |p: &Self| match bits {
            Some(s) => Ok(s),
            None => p.error_on(at, no("a sort of bits")),
        };
        let (prim, args, ty) = match word {
            "root" => (Prim::Root(tree_of(self)?), vec![], Type::Sort(tree_of(self)?)),
            "child" | "left" | "right" | "below" => {
                let s = tree_of(self)?;
                let prim = match word {
                    "child" => Prim::Child(s),
                    "left" => Prim::Left(s),
                    "right" => Prim::Right(s),
                    _ => Prim::Below(s),
                };
                (prim, vec![Type::Sort(s), Type::Sort(s)], Type::Bool)
            }
            "pow2" => (Prim::Pow2, vec![Type::Int], Type::Int),
            "length" => (Prim::Length(bits_of(self)?), vec![], Type::Int),
            "bit" | "zero" => {
                let s = bits_of(self)?;
                let prim = if word == "bit" { Prim::Bit(s) } else { Prim::Zero(s) };
                (prim, vec![Type::Sort(s), Type::Int], Type::Bool)
            }
            "agree" => {
                let s = bits_of(self)?;
                (Prim::Agree(s), vec![Type::Sort(s), Type::Sort(s), Type::Int], Type::Bool)
            }
            "clear" => {
                let s = bits_of(self)?;
                (Prim::Clear(s), vec![Type::Sort(s), Type::Int], Type::Sort(s))
            }
            _ => {
                let mut names: Vec<&str> = self.scope.iter().map(|s| s.0.as_str()).collect();
                names.extend(self.system.symbols.iter().map(|s| s.name.as_str()));
                let near = names.into_iter().find(|n| n.eq_ignore_ascii_case(word) || n.starts_with(word));
                let error: Result<()> = self.error_on(at, format!("`{word}` is not defined"));
                return match near {
                    Some(n) => error.map_err(|e| e.with_help(format!("did you mean `{n}`?"))),
                    None => error,
                }
                .map(|()| (Expr::Bool(false), Type::Bool));
            }
        };
        let mut found = Vec::new();
        if !args.is_empty() {
            self.expect("(")?;
            for (i, ty) in args.iter().enumerate() {
                if i > 0 {
                    self.expect(",")?;
                }
                found.push(self.term_of(*ty)?);
            }
            self.expect(")")?;
        }
        Ok((Expr::Prim(prim, found), ty))
    }
}
