//! What has to be shown: that formulas follow from others, before or after a step.

use crate::expr::{Domain, Expr, SELF};
use crate::ranks::{self, Fall};
use crate::system::{Claim, System};

/// Where an obligation comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The first states satisfy the invariant.
    Init,
    /// A step keeps the invariant.
    Step(usize),
    /// An assertion of a step holds.
    Assertion(usize, usize),
    /// The invariant implies a property.
    Property(usize),
    /// A lemma follows from the conjuncts of the invariant.
    Lemma(usize),
    /// Somebody can go on, or all have ended.
    Deadlock,
    /// Runs end.
    Rank(Fall),
}

/// What has to be shown: in all states that satisfy `known`, after the step if there is one, `goal`.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// Where it comes from.
    pub origin: Origin,
    /// The phase before.
    pub phase: Option<usize>,
    /// The phase after, if its conjuncts are to be shown.
    pub target: Option<usize>,
    /// The conjunct that is to be shown, if it is one.
    pub conjunct: Option<usize>,
    /// What is known before; the step's guard is not among it.
    pub known: Vec<Expr>,
    /// What is to be shown, in words of the state after the step.
    pub goal: Expr,
}

impl Obligation {
    /// The step, if it is about one.
    pub fn step(&self) -> Option<usize> {
        match self.origin {
            Origin::Step(s) | Origin::Assertion(s, _) => Some(s),
            Origin::Rank(fall) => fall.step(),
            _ => None,
        }
    }

    /// Its name, as reports show it.
    pub fn name(&self, system: &System) -> String {
        let mut name = match &self.origin {
            Origin::Init => "init".to_string(),
            Origin::Step(s) => system.steps[*s].name.clone(),
            Origin::Assertion(s, a) => {
                format!("{} assert at line {}", system.steps[*s].name, system.steps[*s].asserts[*a].line)
            }
            Origin::Property(p) => format!("property {}", system.properties[*p].name),
            Origin::Lemma(l) => format!("lemma {}", system.lemmas[*l].name),
            Origin::Deadlock => "deadlock-freedom".to_string(),
            Origin::Rank(fall) => fall.name(system),
        };
        if let Some(p) = self.phase {
            name.push_str(&format!(" in {}", system.phases[p]));
        }
        if let Some(c) = self.conjunct {
            name.push_str(&format!(" keeps {}", system.invariant[c].name));
        } else if matches!(self.origin, Origin::Step(_)) && self.goal == Expr::Bool(false) {
            name.push_str(" is impossible");
        } else if matches!(self.origin, Origin::Init | Origin::Step(_)) {
            name.push_str(" keeps a phase");
        }
        name
    }
}

/// What the first states satisfy.
pub fn initial(system: &System) -> Vec<Expr> {
    let mut found = Vec::new();
    for (symbol, s) in system.symbols.iter().enumerate() {
        let Some((vars, value)) = &s.init else { continue };
        let args = vars.iter().zip(&s.args).map(|(v, d)| Expr::Var(*v, d.of())).collect();
        let mut e = Expr::App(symbol, args).equals(value.clone());
        // Variables are defined at all indices; those outside a range are never asked about first.
        for (v, d) in vars.iter().zip(&s.args).rev() {
            e = Expr::All(*v, d.clone(), Box::new(e));
        }
        found.push(e);
    }
    found
}

/// The invariant: what always holds, and what holds in a phase; and what was shown to follow from it.
pub fn known_in(system: &System, phase: Option<usize>) -> Vec<Expr> {
    known_before(system, phase, system.lemmas.len())
}

/// The same with the first lemmas only.
fn known_before(system: &System, phase: Option<usize>, lemmas: usize) -> Vec<Expr> {
    let holds = |c: &&Claim| c.phase.is_none() || c.phase == phase;
    let all = system.invariant.iter().chain(&system.lemmas[..lemmas]);
    all.filter(holds).map(|c| c.formula.clone()).collect()
}

/// The phases as they are looked at one by one; one without a name if there are none.
pub fn phases(system: &System) -> Vec<Option<usize>> {
    if system.phases.is_empty() { vec![None] } else { (0..system.phases.len()).map(Some).collect() }
}

/// All conjuncts of a phase.
pub fn conjuncts(system: &System, phase: Option<usize>) -> Vec<usize> {
    (0..system.invariant.len()).filter(|c| system.invariant[*c].phase == phase).collect()
}

/// Some phase holds.
pub fn some_phase(system: &System) -> Expr {
    Expr::or((0..system.phases.len()).map(|p| {
        Expr::and(conjuncts(system, Some(p)).into_iter().map(|c| system.invariant[c].formula.clone()))
    }))
}

/// What follows from the invariant alone: lemmas, assertions, properties, deadlock-freedom.
pub fn consequences(system: &System, deadlock: bool) -> Vec<Obligation> {
    let mut found = Vec::new();
    for phase in phases(system) {
        let known = known_in(system, phase);
        let make = |origin, known: Vec<Expr>, goal| Obligation {
            origin,
            phase,
            target: None,
            conjunct: None,
            known,
            goal,
        };
        for (s, step) in system.steps.iter().enumerate() {
            for (a, assertion) in step.asserts.iter().enumerate() {
                let goal = assertion.formula.clone();
                let mut known = known.clone();
                known.push(assertion.guard.clone());
                found.push(make(Origin::Assertion(s, a), known, goal));
            }
        }
        for (l, lemma) in system.lemmas.iter().enumerate() {
            if lemma.phase.is_none() || lemma.phase == phase {
                // Those before it help to show it, and no others: that would be a circle.
                let known = known_before(system, phase, l);
                found.push(make(Origin::Lemma(l), known, lemma.formula.clone()));
            }
        }
        for (p, property) in system.properties.iter().enumerate() {
            found.push(make(Origin::Property(p), known.clone(), property.formula.clone()));
        }
        if deadlock {
            found.push(make(Origin::Deadlock, known, nobody_stuck(system)));
        }
    }
    found.extend(ranks::bounds(system));
    found
}

/// Somebody can go on, or all have ended.
pub fn nobody_stuck(system: &System) -> Expr {
    let t = Expr::this(system.threads);
    let quantify = |e: Expr, all: bool| {
        let (d, e) = (Domain::Sort(system.threads), Box::new(e));
        if all { Expr::All(SELF, d, e) } else { Expr::Any(SELF, d, e) }
    };
    let stuck = Expr::or([system.ended(&t), system.stuck(&t)]);
    quantify(stuck, true).implies(quantify(system.ended(&t), true))
}
