//! That runs end: a rank that every step makes smaller.
//!
//! A rank is a list of numbers that are never negative, or of one number for each element of a sort; the
//! first that changes counts. Elements are finitely many, so a number for each of them is a number: none of
//! them grows, and one falls. No run can go on for ever then, and where nobody is stuck, all come to their
//! ends.
//!
//! With `helpful`, not every step has to make it smaller: those of helpful threads do, no step makes it
//! larger, who is helpful and can go on stays so until the rank falls, and unless all have ended there is
//! one who is. Then every run ends in which whoever can go on for good does so at some time.
//!
//! Steps that begin where there is `progress` are free: the claim is that such steps are taken again and
//! again in every run that does not end.

use crate::expr::{Domain, Expr, SELF, Type, Var};
use crate::lexer::Placed;
use crate::obligation::{Obligation, Origin, known_in, phases};
use crate::parser::Parser;
use crate::rewrite::renamed;
use crate::system::{Helpful, Rank, Step, System};
use selvedge_diagnostic::Diagnostic;

type Result<T> = std::result::Result<T, Diagnostic>;

/// More numbers in one rank are refused: comparing them grows with their square.
const MOST_RANKS: usize = 8;

/// Numbers of variables from here on are used by nobody else.
const FRESH: Var = 3_000_000;

/// What has to be shown about a rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fall {
    /// A number of it is never negative.
    Bound(usize),
    /// A step makes it smaller; with `helpful`, that of a helpful thread.
    Less(usize),
    /// A step does not make it larger.
    NotMore(usize),
    /// After a step of another thread, who was helpful is, and can go on; or the rank is smaller.
    Helped(usize),
    /// Somebody helpful can go on, or all have ended.
    Help,
}

impl Fall {
    /// The step that it is about.
    pub fn step(self) -> Option<usize> {
        match self {
            Fall::Less(s) | Fall::NotMore(s) | Fall::Helped(s) => Some(s),
            Fall::Bound(_) | Fall::Help => None,
        }
    }

    /// Its name, as reports show it.
    pub fn name(self, system: &System) -> String {
        let step = |s: usize| &system.steps[s].name;
        match self {
            Fall::Bound(r) => format!("rank {} is not negative", system.ranks[r].name),
            Fall::Less(s) => format!("{} makes the rank smaller", step(s)),
            Fall::NotMore(s) => format!("{} does not make the rank larger", step(s)),
            Fall::Helped(s) => format!("{} leaves helpful threads helpful", step(s)),
            Fall::Help => "somebody helpful can go on".into(),
        }
    }
}

impl System {
    /// Whether it is claimed that runs end.
    pub fn ends_are_claimed(&self) -> bool {
        !self.ranks.is_empty()
    }

    /// Whether the rank is compared before and after a step.
    pub fn is_ranked(&self, step: &Step) -> bool {
        self.ends_are_claimed() && !self.progress.contains(&step.from)
    }

    /// What is claimed of runs, for readers.
    pub fn claim_of_runs(&self) -> Option<String> {
        if self.ranks.is_empty() {
            return None;
        }
        let runs = if self.helpful.is_some() { "fair run" } else { "run" };
        if self.progress.is_empty() {
            return Some(format!("every {runs} ends"));
        }
        let names: Vec<&str> = self.progress.iter().map(|l| self.enums[0].values[*l].as_str()).collect();
        Some(format!("every {runs} ends, or takes steps of {} again and again", names.join(", ")))
    }

    /// No number of this part of the rank is larger after the step, and (`less`) one is smaller.
    fn falls(&self, step: &Step, rank: &Rank, less: bool) -> Expr {
        let after = self.after(&step.updates, &rank.value);
        let Some((var, sort)) = rank.of else {
            let after = if less { after.plus(Expr::Int(1)) } else { after };
            return after.at_most(rank.value.clone());
        };
        let all = Expr::All(var, Domain::Sort(sort), Box::new(after.clone().at_most(rank.value.clone())));
        if !less {
            return all;
        }
        let smaller = after.plus(Expr::Int(1)).at_most(rank.value.clone());
        let found = self.touched(step, sort).into_iter().map(|e| smaller.with(var, &e));
        Expr::and([all, Expr::or(found)])
    }

    /// The elements of a sort that a step names.
    fn touched(&self, step: &Step, sort: usize) -> Vec<Expr> {
        let mut found = Vec::new();
        let mut add = |e: Expr| {
            if !found.contains(&e) {
                found.push(e);
            }
        };
        if sort == self.threads {
            add(Expr::this(sort));
        }
        for (v, d, _) in &step.params {
            if *d == Domain::Sort(sort) {
                add(Expr::Var(*v, Type::Sort(sort)));
            }
        }
        for update in step.updates.iter().filter(|u| u.binders.is_empty()) {
            for (arg, d) in update.args.iter().zip(&self.symbols[update.symbol].args) {
                if *d == Domain::Sort(sort) {
                    add(arg.clone());
                }
            }
        }
        found
    }

    /// The rank is smaller after a step: the first part that changes is.
    fn less(&self, step: &Step) -> Expr {
        let mut all = Expr::Bool(false);
        for rank in self.ranks.iter().rev() {
            let rest = Expr::and([self.falls(step, rank, false), all]);
            all = Expr::or([self.falls(step, rank, true), rest]);
        }
        all
    }

    /// A thread is helpful and can go on.
    fn helps(&self, helpful: &Helpful) -> Expr {
        let t = Expr::Var(helpful.var, Type::Sort(self.threads));
        // What the thread could choose has names of its own: the one that moves may choose the same.
        let mut fresh = self.fresh + FRESH;
        Expr::and([helpful.formula.clone(), renamed(&self.stuck(&t).not(), &mut fresh)])
    }

    /// What a step has to satisfy, in words of the state before it.
    pub fn falls_of(&self, step: usize) -> Vec<(Fall, Expr)> {
        let s = &self.steps[step];
        if !self.is_ranked(s) {
            return Vec::new();
        }
        let less = self.less(s);
        let Some(helpful) = &self.helpful else { return vec![(Fall::Less(step), less)] };
        let this = Expr::this(self.threads);
        let own = helpful.formula.with(helpful.var, &this).implies(less.clone());
        let same = Expr::and(self.ranks.iter().map(|r| self.falls(s, r, false)));
        let helps = self.helps(helpful);
        let still = self.after(&s.updates, &helps);
        let t = Expr::Var(helpful.var, Type::Sort(self.threads));
        let stays = Expr::or([t.equals(this), helps.not(), less.clone(), still]);
        vec![
            (Fall::Less(step), own),
            (Fall::NotMore(step), Expr::or([less, same])),
            (Fall::Helped(step), Expr::All(helpful.var, Domain::Sort(self.threads), Box::new(stays))),
        ]
    }

    /// What every state has to satisfy.
    pub fn bounds(&self) -> Vec<(Fall, Expr)> {
        let mut found = Vec::new();
        for (r, rank) in self.ranks.iter().enumerate() {
            let bound = Expr::Int(0).at_most(rank.value.clone());
            let all = match rank.of {
                Some((var, sort)) => Expr::All(var, Domain::Sort(sort), Box::new(bound)),
                None => bound,
            };
            found.push((Fall::Bound(r), all));
        }
        if let Some(helpful) = &self.helpful {
            let threads = Domain::Sort(self.threads);
            let ended = self.ended(&Expr::this(self.threads));
            let all_ended = Expr::All(SELF, threads.clone(), Box::new(ended));
            let some = Expr::Any(helpful.var, threads, Box::new(self.helps(helpful)));
            found.push((Fall::Help, Expr::or([all_ended, some])));
        }
        found
    }
}

fn obligation(phase: Option<usize>, fall: Fall, known: Vec<Expr>, goal: Expr) -> Obligation {
    Obligation { origin: Origin::Rank(fall), phase, target: None, conjunct: None, known, goal }
}

/// What has to be shown of the rank in all states.
pub fn bounds(system: &System) -> Vec<Obligation> {
    let mut found = Vec::new();
    for phase in phases(system) {
        let known = known_in(system, phase);
        let all = system.bounds().into_iter();
        found.extend(all.map(|(fall, goal)| obligation(phase, fall, known.clone(), goal)));
    }
    found
}

/// What has to be shown of it where a step is taken in a phase.
pub fn falls(system: &System, origin: &Origin, phase: Option<usize>) -> Vec<Obligation> {
    let Origin::Step(step) = *origin else { return Vec::new() };
    let mut known = known_in(system, phase);
    known.push(system.steps[step].guard.clone());
    let all = system.falls_of(step).into_iter();
    all.map(|(fall, goal)| obligation(phase, fall, known.clone(), goal)).collect()
}

impl Parser<'_> {
    /// `rank name: e;` or `rank name(t: Thread): e;`.
    pub fn rank(&mut self) -> Result<()> {
        let (name, at) = self.word("a name")?;
        if self.system.ranks.iter().any(|r| r.name == name) {
            return self.error_on(&at, format!("there is a rank `{name}` already"));
        }
        if self.system.ranks.len() == MOST_RANKS {
            return self.error_on(&at, format!("a rank has at most {MOST_RANKS} numbers"));
        }
        let of = if self.is("(") { Some(self.parameter()?) } else { None };
        self.expect(":")?;
        let value = self.about(of, |p| p.term_of(Type::Int))?;
        self.expect(";")?;
        let line = self.line(at.at);
        self.system.ranks.push(Rank { name, line, of: of.map(|(v, s, _)| (v, s)), value });
        Ok(())
    }

    /// `helpful(t: Thread): φ;`
    pub fn helpful(&mut self, at: &Placed) -> Result<()> {
        if self.system.helpful.is_some() {
            return self.error_on(at, "it is said already who is helpful");
        }
        let of = self.parameter()?;
        if of.1 != self.system.threads {
            return self.error_on(at, "threads are helpful");
        }
        self.expect(":")?;
        let formula = self.about(Some(of), Parser::formula)?;
        self.expect(";")?;
        self.system.helpful = Some(Helpful { var: of.0, line: self.line(at.at), formula });
        Ok(())
    }

    /// `progress A, B;`
    pub fn progress(&mut self) -> Result<()> {
        loop {
            let (name, place) = self.word("a location")?;
            match self.system.enums[0].values.iter().position(|l| *l == name) {
                Some(l) if !self.system.progress.contains(&l) => self.system.progress.push(l),
                Some(_) => return self.error_on(&place, format!("`{name}` is there already")),
                None => return self.error_on(&place, format!("`{name}` is no location")),
            }
            if !self.eat(",") {
                break;
            }
        }
        self.expect(";")
    }

    /// `(t: Thread)`: its variable and its sort. The name is in scope until [`Parser::about`] has read what
    /// is said of it.
    fn parameter(&mut self) -> Result<(Var, usize, usize)> {
        self.expect("(")?;
        let (name, _) = self.word("a parameter")?;
        self.expect(":")?;
        let (sort, at) = self.word("a sort")?;
        let Some(sort) = self.sort_named(&sort) else { return self.error_on(&at, "this is no sort") };
        self.expect(")")?;
        let (var, depth) = (self.system.fresh(), self.scope.len());
        self.scope.push((name, var, Type::Sort(sort)));
        Ok((var, sort, depth))
    }

    /// What is said of one element: of a thread, its opaque variables are spoken of. No other thread's are
    /// there beside it but those of the thread that moves.
    fn about<T>(
        &mut self,
        of: Option<(Var, usize, usize)>,
        read: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        self.own = of.map(|o| o.0);
        let found = read(self)?;
        self.own = None;
        if let Some((_, _, depth)) = of {
            self.scope.truncate(depth);
        }
        Ok(found)
    }

    /// Ranks are about steps, and steps may be free only if there is one.
    pub fn check_ranks(&self, end: &Placed) -> Result<()> {
        if self.system.ranks.is_empty() && (self.system.helpful.is_some() || !self.system.progress.is_empty())
        {
            return self
                .error_on(end, "`helpful` and `progress` say something of a `rank`, and there is none");
        }
        Ok(())
    }
}
