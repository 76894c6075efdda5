//! From a `.par` text to a [`System`]: declarations. Steps are read by `steps`, formulas by `formula`.

use crate::expr::{Domain, Expr, SELF, Type, Var};
use crate::lexer::{Placed, Token, error_at, tokens as tokens_of};
use crate::system::{Claim, Enum, Extreme, Hint, Kind, Shape, Sort, Symbol, System};
use selvedge_diagnostic::Diagnostic;

/// A formula with parameters, put in where its name is used.
pub(crate) struct Macro {
    pub params: Vec<(Var, Type)>,
    pub body: Expr,
    pub ty: Type,
}

/// What reads a text, and the system so far.
pub(crate) struct Parser<'t> {
    pub file: &'t str,
    pub text: &'t str,
    /// A text before it, and where it ends: places count from its beginning.
    derived: (&'t str, usize),
    tokens: Vec<Placed>,
    next: usize,
    pub system: System,
    /// Names of variables, the innermost last.
    pub scope: Vec<(String, Var, Type)>,
    pub macros: Vec<(String, Macro)>,
    /// How deep the terms are that are being read.
    pub depth: usize,
    /// The thread whose opaque variables may be spoken of outside of steps.
    pub own: Option<Var>,
    /// Of the step that is being read.
    pub statements: usize,
}

/// Definitions that use each other twice grow fast.
const LARGEST: usize = 20_000;

type Result<T> = std::result::Result<T, Diagnostic>;

/// Reads a system.
///
/// # Errors
/// Says what is wrong with the text, and where.
pub fn parse(file: &str, text: &str) -> Result<System> {
    parse_derived("", file, text)
}

/// Reads a system that was derived from something else, and a text with what is claimed of it.
///
/// # Errors
/// Says what is wrong with one of the texts, and where.
pub fn parse_derived(derived: &str, file: &str, text: &str) -> Result<System> {
    let mut tokens = match derived {
        "" => Vec::new(),
        derived => tokens_of(DERIVED, derived)?,
    };
    tokens.pop();
    tokens.extend(tokens_of(file, text)?.into_iter().map(|t| Placed { at: t.at + derived.len(), ..t }));
    let system = System { file: file.into(), fresh: SELF, ..System::default() };
    let mut parser = Parser {
        file,
        text,
        derived: (derived, derived.len()),
        tokens,
        next: 0,
        system,
        scope: Vec::new(),
        macros: Vec::new(),
        depth: 0,
        own: None,
        statements: 0,
    };
    parser.declarations()?;
    Ok(parser.system)
}

/// The name of a text that nobody wrote.
const DERIVED: &str = "derived";

const DECLARATIONS: &str = "threads, sort, enum, locations, const, shared, local, ghost, axiom, define, step, \
                            phase, invariant, lemma, property, lowest, highest, least, greatest, rank, helpful or \
                            progress";

impl<'t> Parser<'t> {
    pub fn peek(&self) -> &Placed {
        &self.tokens[self.next]
    }

    pub fn advance(&mut self) -> Placed {
        let token = self.tokens[self.next].clone();
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        token
    }

    pub fn line(&self, at: usize) -> u32 {
        let (text, at) = match at.checked_sub(self.derived.1) {
            Some(at) => (self.text, at),
            None => (self.derived.0, at),
        };
        text[..at.min(text.len())].matches('\n').count() as u32 + 1
    }

    pub fn error_on<T>(&self, placed: &Placed, message: impl Into<String>) -> Result<T> {
        Err(match placed.at.checked_sub(self.derived.1) {
            Some(at) => error_at(self.file, self.text, at, placed.len, message),
            None => error_at(DERIVED, self.derived.0, placed.at, placed.len, message),
        })
    }

    pub fn error<T>(&self, message: impl Into<String>) -> Result<T> {
        self.error_on(self.peek(), message)
    }

    pub fn is(&self, mark: &str) -> bool {
        match &self.peek().token {
            Token::Mark(m) => *m == mark,
            Token::Word(w) => w == mark,
            _ => false,
        }
    }

    pub fn eat(&mut self, mark: &str) -> bool {
        let there = self.is(mark);
        if there {
            self.advance();
        }
        there
    }

    pub fn expect(&mut self, mark: &str) -> Result<()> {
        if self.eat(mark) {
            return Ok(());
        }
        self.error(format!("`{mark}` is expected here"))
    }

    pub fn word(&mut self, what: &str) -> Result<(String, Placed)> {
        match &self.peek().token {
            Token::Word(w) => {
                let word = w.clone();
                Ok((word, self.advance()))
            }
            _ => self.error(format!("{what} is expected here")),
        }
    }

    fn number(&mut self) -> Result<i64> {
        let minus = self.eat("-");
        match self.peek().token {
            Token::Number(n) => {
                self.advance();
                Ok(if minus { -n } else { n })
            }
            _ => self.error("a number is expected here"),
        }
    }

    /// A name that nothing else has.
    fn new_name(&mut self, what: &str) -> Result<String> {
        let (name, at) = self.word(what)?;
        let s = &self.system;
        let taken = s.sorts.iter().any(|x| x.name == name)
            || s.symbols.iter().any(|x| x.name == name)
            || s.enums.iter().any(|x| x.name == name || x.values.contains(&name))
            || self.macros.iter().any(|x| x.0 == name)
            || crate::formula::RESERVED.contains(&name.as_str());
        if taken {
            return self.error_on(&at, format!("there is a `{name}` already"));
        }
        Ok(name)
    }

    pub fn sort_named(&self, name: &str) -> Option<usize> {
        self.system.sorts.iter().position(|s| s.name == name)
    }

    fn declarations(&mut self) -> Result<()> {
        let mut started = false;
        loop {
            if self.peek().token == Token::End {
                break;
            }
            let (word, at) = self.word("a declaration")?;
            if !started && !matches!(word.as_str(), "threads" | "sort" | "enum") {
                self.begin(&at)?;
                started = true;
            }
            match word.as_str() {
                "threads" | "sort" if started => {
                    return self.error_on(&at, "sorts come before everything else");
                }
                "threads" => {
                    if self.system.sorts.iter().any(|s| s.name.starts_with('\0')) || self.system.fresh > 0 {
                        return self.error_on(&at, "there is one sort of threads");
                    }
                    self.system.threads = self.sort()?;
                    self.system.fresh = 1;
                }
                "sort" => _ = self.sort()?,
                "enum" => self.enumeration()?,
                "locations" => self.locations(&at)?,
                "const" => self.variable(Kind::Const, false, false)?,
                "shared" => self.variable(Kind::Shared, false, false)?,
                "local" => self.variable(Kind::Local, false, false)?,
                "opaque" => {
                    self.expect("local")?;
                    self.variable(Kind::Local, false, true)?;
                }
                "ghost" => {
                    let kind = if self.eat("local") { Kind::Local } else { Kind::Shared };
                    if kind == Kind::Shared {
                        self.eat("shared");
                    }
                    self.variable(kind, true, false)?;
                }
                "axiom" => {
                    let claim = self.claim(None)?;
                    if claim.formula.mentions(&|e| matches!(e, Expr::App(s, _) if self.system.is_state(*s))) {
                        return self.error_on(&at, "axioms speak of constants only");
                    }
                    self.system.axioms.push(claim);
                }
                "define" => self.define()?,
                "step" => self.step(&at)?,
                "phase" => self.phase()?,
                "invariant" => {
                    let claim = self.claim(None)?;
                    self.system.invariant.push(claim);
                }
                "lemma" => {
                    let claim = self.claim(None)?;
                    self.system.lemmas.push(claim);
                }
                "property" => {
                    let claim = self.claim(None)?;
                    self.system.properties.push(claim);
                }
                "lowest" | "highest" | "least" | "greatest" => self.hint(&word)?,
                "rank" => self.rank()?,
                "helpful" => self.helpful(&at)?,
                "progress" => self.progress()?,
                _ => {
                    let message = format!("`{word}` begins no declaration");
                    let error: Result<()> = self.error_on(&at, message);
                    return error.map_err(|e| e.with_help(format!("declarations begin with {DECLARATIONS}")));
                }
            }
        }
        let end = self.peek().clone();
        if !started {
            return self.error_on(&end, "there is nothing to prove: no locations, no steps");
        }
        if self.system.enums[0].values.is_empty() {
            return self.error_on(&end, "the system has no locations: `locations A, B, end C;`");
        }
        if self.system.steps.is_empty() {
            return self.error_on(&end, "the system has no steps");
        }
        self.check_ranks(&end)
    }

    /// What every system has: locations, and `pc`.
    fn begin(&mut self, at: &Placed) -> Result<()> {
        if self.system.sorts.is_empty() || self.system.fresh == 0 {
            let message = "a system begins with its threads: `threads Thread;`";
            return self.error_on(at, message);
        }
        let user = std::mem::take(&mut self.system.enums);
        self.system.enums = vec![Enum { name: "location".into(), values: Vec::new() }];
        self.system.enums.extend(user);
        self.system.symbols.push(Symbol {
            name: "pc".into(),
            kind: Kind::Local,
            ghost: false,
            opaque: false,
            args: vec![Domain::Sort(self.system.threads)],
            ty: Type::Enum(0),
            range: None,
            init: Some((vec![SELF], Expr::Lit(0, 0))),
        });
        Ok(())
    }

    fn sort(&mut self) -> Result<usize> {
        let name = self.new_name("the name of a sort")?;
        let mut shape = Shape::Plain;
        if self.eat("=") {
            let (word, at) = self.word("a shape")?;
            shape = match word.as_str() {
                "tree" => Shape::Tree,
                "ring" => Shape::Ring,
                "bits" => Shape::Bits,
                _ => {
                    return self
                        .error_on(&at, "a sort is a `tree`, a `ring`, or `bits`; or nothing is said of it");
                }
            };
            if self.system.sorts.iter().any(|s| s.shape == shape) {
                return self.error_on(&at, format!("there is a sort of the shape `{word}` already"));
            }
        }
        self.expect(";")?;
        self.system.sorts.push(Sort { name, shape });
        Ok(self.system.sorts.len() - 1)
    }

    fn enumeration(&mut self) -> Result<()> {
        let name = self.new_name("the name of an enumeration")?;
        self.expect("{")?;
        let mut values = vec![self.new_name("a value")?];
        while self.eat(",") {
            values.push(self.new_name("a value")?);
        }
        self.expect("}")?;
        self.eat(";");
        self.system.enums.push(Enum { name, values });
        Ok(())
    }

    fn locations(&mut self, at: &Placed) -> Result<()> {
        if !self.system.enums[0].values.is_empty() {
            return self.error_on(at, "there are locations already");
        }
        loop {
            let end = self.eat("end");
            let name = self.new_name("the name of a location")?;
            if self.system.enums[0].values.contains(&name) {
                return self.error(format!("there is a location `{name}` already"));
            }
            self.system.enums[0].values.push(name);
            self.system.ends.push(end);
            if !self.eat(",") {
                break;
            }
        }
        self.expect(";")
    }

    /// The type of a variable: `bool`, `int`, `0..3`, an enumeration, a sort.
    fn value_type(&mut self) -> Result<(Type, Option<(i64, i64)>)> {
        if self.is("-") || matches!(self.peek().token, Token::Number(_)) {
            let at = self.peek().clone();
            let low = self.number()?;
            self.expect("..")?;
            let high = self.number()?;
            if low > high {
                return self.error_on(&at, "this range is empty");
            }
            return Ok((Type::Int, Some((low, high))));
        }
        let (word, at) = self.word("a type")?;
        let ty = match word.as_str() {
            "bool" => Type::Bool,
            "int" => Type::Int,
            "location" => Type::Enum(0),
            _ => {
                if let Some(s) = self.sort_named(&word) {
                    Type::Sort(s)
                } else if let Some(e) = self.system.enums.iter().position(|e| e.name == word) {
                    Type::Enum(e)
                } else {
                    return self.error_on(&at, format!("`{word}` is no type"));
                }
            }
        };
        Ok((ty, None))
    }

    fn variable(&mut self, kind: Kind, ghost: bool, opaque: bool) -> Result<()> {
        let name = self.new_name("the name of a variable")?;
        let (mut args, mut vars) = (Vec::new(), Vec::new());
        let depth = self.scope.len();
        if kind == Kind::Local {
            args.push(Domain::Sort(self.system.threads));
            vars.push(SELF);
            self.scope.push(("self".into(), SELF, Type::Sort(self.system.threads)));
        }
        if self.eat("[") {
            loop {
                let mut binder = None;
                let after = self.tokens.get(self.next + 1).map(|t| &t.token);
                if let (Token::Word(w), Some(Token::Mark(":"))) = (&self.peek().token, after) {
                    binder = Some(w.clone());
                    self.next += 2;
                }
                let domain = self.domain()?;
                let var = self.system.fresh();
                if let Some(binder) = binder {
                    self.scope.push((binder, var, domain.of()));
                }
                vars.push(var);
                args.push(domain);
                if !self.eat(",") {
                    break;
                }
            }
            self.expect("]")?;
        }
        self.expect(":")?;
        let (ty, range) = self.value_type()?;
        let mut init = None;
        if self.is("=") {
            let at = self.advance();
            if kind == Kind::Const {
                return self.error_on(&at, "what a constant is, axioms say");
            }
            let value = self.term_of(ty)?;
            if value.mentions(&|e| matches!(e, Expr::App(s, _) if self.system.is_state(*s))) {
                return self.error_on(&at, "what a variable holds at first depends on constants only");
            }
            init = Some((vars, value));
        }
        self.scope.truncate(depth);
        self.expect(";")?;
        self.system.symbols.push(Symbol {
            name: name.clone(),
            kind,
            ghost,
            opaque,
            args: args.clone(),
            ty,
            range,
            init,
        });
        let ring = matches!(ty, Type::Sort(s) if self.system.sorts[s].shape == Shape::Ring);
        if range.is_some() || ring {
            // What a range says is a part of the invariant, and for constants an axiom.
            let symbol = self.system.symbols.len() - 1;
            let vars: Vec<Var> = args.iter().map(|_| self.system.fresh()).collect();
            let here: Vec<Expr> = vars.iter().zip(&args).map(|(v, d)| Expr::Var(*v, d.of())).collect();
            let value = Expr::App(symbol, here);
            let (low, high) = match (range, ty) {
                (Some((low, high)), _) => (low, Expr::Int(high)),
                (None, Type::Sort(s)) => (0, Expr::Size(s).plus(Expr::Int(-1))),
                (None, _) => return Ok(()),
            };
            let mut formula = Expr::and([Expr::Int(low).at_most(value.clone()), value.at_most(high)]);
            for (v, d) in vars.iter().zip(&args).rev() {
                formula = Expr::All(*v, d.clone(), Box::new(formula));
            }
            let line = self.line(self.peek().at.saturating_sub(1));
            let claim = Claim { name: format!("range of {name}"), line, phase: None, formula };
            if kind == Kind::Const { &mut self.system.axioms } else { &mut self.system.invariant }
                .push(claim);
        }
        Ok(())
    }

    pub fn domain(&mut self) -> Result<Domain> {
        if let Token::Word(w) = &self.peek().token
            && let Some(s) = self.sort_named(w)
        {
            self.advance();
            return Ok(Domain::Sort(s));
        }
        if self.is("int") {
            return self.error("say from where to where: `0..L`");
        }
        let low = self.sum_of_ints()?;
        self.expect("..")?;
        let high = self.sum_of_ints()?;
        for bound in [&low, &high] {
            if bound.mentions(&|e| matches!(e, Expr::App(s, _) if self.system.is_state(*s))) {
                return self.error("bounds are made of constants");
            }
        }
        Ok(Domain::Range(Box::new(low), Box::new(high)))
    }

    fn claim(&mut self, phase: Option<usize>) -> Result<Claim> {
        let (name, at) = self.word("a name")?;
        self.expect(":")?;
        let formula = self.formula()?;
        self.expect(";")?;
        let same = |c: &Claim| c.name == name;
        let s = &self.system;
        let all = s.invariant.iter().chain(&s.lemmas).chain(&s.properties).chain(&s.axioms);
        if all.clone().any(same) {
            return self.error_on(&at, format!("there is a claim `{name}` already"));
        }
        Ok(Claim { name, line: self.line(at.at), phase, formula })
    }

    fn phase(&mut self) -> Result<()> {
        let (name, at) = self.word("the name of a phase")?;
        if self.system.phases.contains(&name) || self.system.phases.len() == 60 {
            return self.error_on(&at, "there is a phase of this name already, or there are sixty");
        }
        self.expect("{")?;
        self.system.phases.push(name);
        while !self.eat("}") {
            let lemma = self.eat("lemma");
            if !lemma {
                self.expect("invariant")?;
            }
            let claim = self.claim(Some(self.system.phases.len() - 1))?;
            if lemma { &mut self.system.lemmas } else { &mut self.system.invariant }.push(claim);
        }
        Ok(())
    }

    fn define(&mut self) -> Result<()> {
        let name = self.new_name("a name")?;
        let depth = self.scope.len();
        let mut params = Vec::new();
        if self.eat("(") {
            loop {
                let (name, _) = self.word("a parameter")?;
                self.expect(":")?;
                let (ty, _) = self.value_type()?;
                let var = self.system.fresh();
                self.scope.push((name, var, ty));
                params.push((var, ty));
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(")")?;
        }
        self.expect("=")?;
        let (body, ty) = self.term()?;
        if body.size() > LARGEST {
            return self.error("this definition is too large once others are put in");
        }
        self.expect(";")?;
        self.scope.truncate(depth);
        self.macros.push((name, Macro { params, body, ty }));
        Ok(())
    }

    /// `lowest x: Node where …;`, `least t: Thread by … where … with …, …;`
    fn hint(&mut self, word: &str) -> Result<()> {
        let (name, _) = self.word("a name")?;
        self.expect(":")?;
        let (sort, at) = self.word("a sort")?;
        let Some(sort) = self.sort_named(&sort) else { return self.error_on(&at, "this is no sort") };
        let var = self.system.fresh();
        self.scope.push((name.clone(), var, Type::Sort(sort)));
        let extreme = match word {
            "lowest" | "highest" => {
                if self.system.sorts[sort].shape != Shape::Tree {
                    return self.error_on(&at, "this sort is no tree");
                }
                if word == "lowest" { Extreme::Lowest(sort) } else { Extreme::Highest(sort) }
            }
            _ => {
                self.expect("by")?;
                let measure = self.term_of(Type::Int)?;
                if word == "least" { Extreme::Least(measure) } else { Extreme::Greatest(measure) }
            }
        };
        self.expect("where")?;
        let formula = self.formula()?;
        let mut terms = Vec::new();
        if self.eat("with") {
            loop {
                terms.push(self.term()?.0);
                if !self.eat(",") {
                    break;
                }
            }
        }
        self.scope.pop();
        self.expect(";")?;
        self.system.hints.push(Hint { var, name, sort, formula, extreme, terms });
        Ok(())
    }
}
