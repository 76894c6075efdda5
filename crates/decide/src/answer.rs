//! Answers to questions about whole models.

use crate::class::Classes;
use crate::context::{Context, Refusal, Scope};
use crate::fact::Facts;
use crate::lower::{ByEco, Lowering, Side};
use crate::question::{Constraint, Found, Given, included};
use crate::rotate::spelled_out;
use crate::search::{Limits, Walk};
use crate::term::{Term, closed_eco, eco};
use crate::witness::{Example, example};
use selvedge_certify::eval::{Judge, Stage};
use selvedge_certify::execution::{Event, Relations};
use selvedge_kat::ast::{Axiom, Constraint as Demand, Inclusion, Rel, Theory};
use std::ops::ControlFlow;

#[derive(Clone, Debug)]
pub enum Verdict {
    Holds,
    Fails(Box<Counterexample>),
    Unknown(String),
}

impl Verdict {
    pub fn holds(&self) -> bool {
        matches!(self, Verdict::Holds)
    }

    pub fn fails(&self) -> bool {
        matches!(self, Verdict::Fails(_))
    }
}

/// An execution that shows that a claim fails; the oracle has evaluated it.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The walk, as text.
    pub word: String,
    /// The number of its steps.
    pub length: usize,
    pub example: Example,
}

/// The answer for one axiom or claim.
#[derive(Clone, Debug)]
pub struct Answer {
    pub claim: String,
    pub verdict: Verdict,
    /// Walks that were looked at.
    pub walks: usize,
    /// States of the right side.
    pub states: usize,
}

/// A walk as text: `R[sc] ; po ; W[rel] ; rfe ; …`.
pub fn show_walk(walk: &Walk, classes: &Classes, relations: &[String]) -> String {
    let event = |mask| classes.member(mask).map_or("?".to_string(), |a| a.to_string());
    let mut out = event(walk.events[0]);
    for (i, f) in walk.facts.iter().enumerate() {
        out.push_str(&format!(" -{}-> ", f.named(relations)));
        if walk.closed && i + 1 == walk.facts.len() {
            out.push_str("(start)");
        } else {
            out.push_str(&event(walk.events[i + 1]));
        }
    }
    out
}

/// Whether an execution satisfies all of a judge's axioms.
pub fn admits(judge: &Judge, events: &[Event], r: &Relations) -> bool {
    let mut scratch = judge.scratch();
    Stage::ALL.iter().all(|stage| judge.admits(*stage, events, r, &mut scratch))
}

/// A theory whose axioms are the given claims.
pub(crate) fn claims_as_axioms(theory: &Theory, claims: &[&Inclusion]) -> Theory {
    let mut t = theory.clone();
    t.axioms = claims
        .iter()
        .map(|c| Axiom {
            constraint: Demand::Inclusion((*c).clone()),
            name: None,
            unless: None,
            extra: false,
            span: selvedge_kat::Span { file: "".into(), line: 1, col: 1, len: 1 },
        })
        .collect();
    t
}

pub(crate) fn judge_of(theory: &Theory) -> Result<Judge, Refusal> {
    Judge::new(theory).map_err(|e| Refusal::Other(e.to_string()))
}

/// The assumptions of theories, to be judged.
pub(crate) fn judge_assumptions(theories: &[&Theory]) -> Result<Vec<Judge>, Refusal> {
    theories
        .iter()
        .filter(|t| !t.assumes.is_empty())
        .map(|t| {
            let claims: Vec<&Inclusion> = t.assumes.iter().map(|(c, _)| c).collect();
            judge_of(&claims_as_axioms(t, &claims))
        })
        .collect()
}

/// An axiom as a term without loops or cycles. `None`: it is an inclusion between relations.
pub fn constraint(axiom: &Axiom, lower: &mut Lowering<'_>, side: Side) -> Option<Constraint> {
    let all = lower.classes.all;
    let name = axiom.name.clone().unwrap_or_else(|| lower.theory.show(axiom).to_string());
    let (term, acyclic) = match &axiom.constraint {
        Demand::Acyclic(r) => (lower.rel(r, side), true),
        Demand::Irreflexive(r) => (lower.rel(r, side), false),
        Demand::Coherence(r) => {
            let eco = if side == Side::Above { eco(all) } else { closed_eco(all) };
            (Term::seq(lower.rel(r, side), eco), false)
        }
        Demand::Empty(r) => (none(r, lower, side), false),
        Demand::Inclusion(Inclusion::Subset(r, Rel::Empty) | Inclusion::Equal(r, Rel::Empty)) => {
            (none(r, lower, side), false)
        }
        Demand::Inclusion(_) | Demand::Error { .. } => return None,
    };
    Some(Constraint { term, acyclic, name })
}

/// A term that has a loop exactly if the relation is not empty.
fn none(r: &Rel, lower: &mut Lowering<'_>, side: Side) -> Term {
    if let Rel::Inter(a, b) = r {
        let (a, b) = (lower.rel(a, side), lower.rel(b, side));
        // Back along the shorter of the two.
        let single = |t: &Term| matches!(t, Term::Edge(_));
        return if single(&a) { Term::seq(b, a.inverse()) } else { Term::seq(a, b.inverse()) };
    }
    let any = Term::union(Term::Test(lower.classes.all), Term::Edge(Facts::NONE));
    Term::seq(lower.rel(r, side), any)
}

/// Whether every execution that `strong` allows is one that `weak` allows, axiom by axiom of `weak`.
/// The assumptions of both and of `scheme` are taken for granted.
pub fn stronger(
    strong: &Theory,
    weak: &Theory,
    scheme: &[&Theory],
    limits: Limits,
) -> Result<Vec<Answer>, Refusal> {
    let mut assuming = vec![strong, weak];
    assuming.extend(scheme);
    let scope = Scope { models: vec![strong, weak], assuming: assuming.clone(), claims: vec![] };
    let context = Context::new(&scope, limits)?;
    let judges = (judge_of(strong)?, judge_of(weak)?, judge_assumptions(&assuming)?);
    let mut lower = Lowering::new(strong, &context);
    let given: Vec<Constraint> = strong
        .axioms
        .iter()
        .filter(|a| !a.extra && a.unless.is_none())
        .filter_map(|a| constraint(a, &mut lower, Side::Below))
        .collect();
    let mut prover = Prover {
        strong,
        context: &context,
        basic: Given::new(&context, &given)?,
        given,
        proved: Vec::new(),
        ordered: Vec::new(),
        judge: Box::new(move |events, r| {
            admits(&judges.0, events, r)
                && judges.2.iter().all(|j| admits(j, events, r))
                && !admits(&judges.1, events, r)
        }),
    };
    let mut answers = Vec::new();
    for axiom in weak.axioms.iter().filter(|a| !a.extra && !matches!(a.constraint, Demand::Error { .. })) {
        answers.push(prover.axiom(weak, axiom)?);
    }
    Ok(answers)
}

pub(crate) type Accept<'a> = Box<dyn FnMut(&[Event], &Relations) -> bool + 'a>;

struct Prover<'a> {
    strong: &'a Theory,
    context: &'a Context,
    given: Vec<Constraint>,
    basic: Given<'a>,
    /// Axioms of the weaker model that are known to hold, from below.
    proved: Vec<Constraint>,
    /// Relations that are known to agree with `eco` within a location.
    ordered: Vec<Term>,
    judge: Accept<'a>,
}

impl Prover<'_> {
    fn axiom(&mut self, weak: &Theory, axiom: &Axiom) -> Result<Answer, Refusal> {
        let context = self.context;
        let claim = weak.show(axiom).to_string();
        let mut lower = Lowering::new(weak, context);
        if let Demand::Inclusion(Inclusion::Subset(a, b)) = &axiom.constraint
            && *b != Rel::Empty
        {
            return self.inclusion(weak, a, b, claim);
        }
        let Some(goal) = constraint(axiom, &mut lower, Side::Above) else {
            let verdict = Verdict::Unknown("axioms of this form are not supported".into());
            return Ok(Answer { claim, verdict, walks: 0, states: 0 });
        };
        let located = std::mem::take(&mut lower.located);
        let mut verdict = None;
        let mut walks = 0;
        let mut states = self.basic.states();
        let mut open = Open::default();
        // From what is cheap to what is not.
        for level in 0..context.limits.levels.min(3) {
            let mut fresh;
            let given = match level {
                0 => &mut self.basic,
                1 => {
                    fresh = Given::new(context, &self.given)?;
                    if !fresh.use_threads()? {
                        continue;
                    }
                    &mut fresh
                }
                _ => {
                    let all: Vec<Constraint> = self.given.iter().chain(&self.proved).cloned().collect();
                    fresh = Given::new(context, &all)?;
                    if !fresh.use_totality()? {
                        continue;
                    }
                    &mut fresh
                }
            };
            // Different ways to put the same question; it is enough that one of them succeeds.
            let mut goals = Vec::new();
            if !located.is_empty() {
                let mut ordered = Vec::new();
                for h in &located {
                    let known = self.ordered.contains(h);
                    if known || given.orders_locations(h)? {
                        ordered.push(h.clone());
                    }
                }
                self.ordered.clone_from(&ordered);
                for by_eco in [ByEco::All, ByEco::ToWrites, ByEco::Nothing] {
                    let mut lower = Lowering::new(weak, context);
                    lower.ordered = ordered.clone();
                    lower.by_eco = by_eco;
                    goals.extend(constraint(axiom, &mut lower, Side::Above));
                }
            }
            if goals.is_empty() {
                goals.push(goal.clone());
            }
            let before = given.walks;
            let mut found = Found::Open;
            for goal in &goals {
                open.attempts = context.limits.attempts;
                let judge = &mut self.judge;
                found = given.implies(goal, &mut |walk| open.look_at(walk, context, judge))?;
                if found == Found::Holds || open.counterexample.is_some() {
                    break;
                }
            }
            walks += given.walks - before;
            states = given.states();
            match (found, open.counterexample.take()) {
                (Found::Holds, _) => verdict = Some(Verdict::Holds),
                (_, Some(found)) => verdict = Some(Verdict::Fails(Box::new(found))),
                (Found::Limit, None) => {
                    verdict = Some(Verdict::Unknown(format!(
                        "gave up after {walks} walks; `{claim}` against {} with {states} states",
                        self.strong.name
                    )));
                }
                _ => continue,
            }
            break;
        }
        let verdict = verdict.unwrap_or_else(|| open.undecided(&lower.approximated));
        // `h ; eco?` without loops is what `h & loc` asks of `h`.
        if let (Demand::Irreflexive(Rel::Seq(h, e)), true) = (&axiom.constraint, verdict.holds())
            && let Rel::Opt(e) = &**e
        {
            let mut lower = Lowering::new(weak, context);
            let (h, e) = (lower.rel(h, Side::Above), lower.rel(e, Side::Above));
            if eco(context.all()) == e {
                self.ordered.push(h);
            }
        }
        if verdict.holds() && axiom.unless.is_none() {
            let mut lower = Lowering::new(weak, context);
            self.proved.extend(constraint(axiom, &mut lower, Side::Below));
        }
        Ok(Answer { claim, verdict, walks, states })
    }

    fn inclusion(&mut self, weak: &Theory, a: &Rel, b: &Rel, claim: String) -> Result<Answer, Refusal> {
        let context = self.context;
        let mut lower = Lowering::new(weak, context);
        let (left, right) = (lower.rel(a, Side::Above), lower.rel(b, Side::Below));
        let judge = &mut self.judge;
        let (verdict, walks) = decide(context, &left, &right, false, judge, &lower.approximated)?;
        Ok(Answer { claim, verdict, walks, states: 0 })
    }
}

pub(crate) fn decide(
    context: &Context,
    left: &Term,
    right: &Term,
    closed: bool,
    judge: &mut Accept<'_>,
    approximated: &[String],
) -> Result<(Verdict, usize), Refusal> {
    let mut open = Open { attempts: 4 * context.limits.attempts, ..Open::default() };
    let (found, walks) =
        included(context, left, right, closed, &mut |walk| open.look_at(walk, context, judge))?;
    Ok((open.finish(found, approximated), walks))
}

/// What became of walks that nothing covers.
#[derive(Default)]
struct Open {
    counterexample: Option<Counterexample>,
    /// The first walk, as it is shown.
    first: Option<String>,
    /// How many more may be tried.
    attempts: usize,
}

impl Open {
    /// Tries to make an execution of a walk; breaks if that succeeds, or after enough attempts.
    fn look_at(&mut self, walk: &Walk, context: &Context, judge: &mut Accept<'_>) -> ControlFlow<()> {
        let shown = || show_walk(walk, &context.classes, &context.relations);
        self.first.get_or_insert_with(shown);
        if self.attempts == 0 {
            return ControlFlow::Break(());
        }
        if let Some(found) = example(walk, context, judge) {
            let length = walk.facts.len();
            self.counterexample = Some(Counterexample { word: shown(), length, example: found });
            return ControlFlow::Break(());
        }
        self.attempts = self.attempts.saturating_sub(1);
        if self.attempts == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn finish(self, found: Found, approximated: &[String]) -> Verdict {
        match (found, self.counterexample) {
            (Found::Holds, _) => Verdict::Holds,
            (_, Some(found)) => Verdict::Fails(Box::new(found)),
            (Found::Limit, None) => Verdict::Unknown("gave up: too many walks".into()),
            (_, None) => Open { counterexample: None, ..self }.undecided(approximated),
        }
    }

    fn undecided(self, approximated: &[String]) -> Verdict {
        let mut why = format!(
            "no proof, and no execution that shows the contrary; the shortest walk without a proof is {}",
            self.first.unwrap_or_default()
        );
        if !approximated.is_empty() {
            why.push_str(&format!(" ({} was approximated)", approximated.join(", ")));
        }
        Verdict::Unknown(why)
    }
}

/// Runs the assertions of a file.
pub fn asserts(theory: &Theory, limits: Limits) -> Result<Vec<Answer>, Refusal> {
    let mut answers = Vec::new();
    for (claim, _) in &theory.asserts {
        answers.push(assertion(theory, claim, limits)?);
    }
    Ok(answers)
}

/// One assertion, under the assumptions of its theory.
pub fn assertion(theory: &Theory, claim: &Inclusion, limits: Limits) -> Result<Answer, Refusal> {
    let shown = theory.show(claim).to_string();
    let (theory, claim) = &spelled_out(theory, claim);
    let total;
    let sides: Vec<(&Rel, &Rel)> = match claim {
        Inclusion::Subset(a, b) => vec![(a, b)],
        Inclusion::Equal(a, b) => vec![(a, b), (b, a)],
        Inclusion::Total(r) => {
            let both = Rel::Union(Box::new(r.clone()), Box::new(Rel::Inverse(Box::new(r.clone()))));
            total = (Rel::Prim(selvedge_kat::ast::Prim::Any), Rel::Union(Box::new(both), Box::new(Rel::Id)));
            vec![(&total.0, &total.1)]
        }
    };
    let mut answer = Answer { claim: shown, verdict: Verdict::Holds, walks: 0, states: 0 };
    for (a, b) in sides {
        let one = inclusion(theory, a, b, limits)?;
        answer.walks += one.walks;
        answer.states = answer.states.max(one.states);
        match one.verdict {
            Verdict::Holds => {}
            verdict => {
                answer.verdict = verdict;
                break;
            }
        }
    }
    Ok(answer)
}

/// The relation under `^=` or `& id`.
pub(crate) fn same_ends(r: &Rel) -> Option<&Rel> {
    match r {
        Rel::SameEnds(a) => Some(a),
        Rel::Inter(a, b) if **b == Rel::Id => Some(a),
        Rel::Inter(a, b) if **a == Rel::Id => Some(b),
        _ => None,
    }
}

/// Whether `a <= b` is there to be seen: both are the same, or an assumption says just that.
fn is_said(theory: &Theory, a: &Rel, b: &Rel) -> bool {
    let mut assumed = theory.assumes.iter();
    a == b
        || assumed.any(|(claim, _)| match claim {
            Inclusion::Subset(x, y) => (x, y) == (a, b),
            Inclusion::Equal(x, y) => (x, y) == (a, b) || (y, x) == (a, b),
            Inclusion::Total(_) => false,
        })
}

fn inclusion(theory: &Theory, a: &Rel, b: &Rel, limits: Limits) -> Result<Answer, Refusal> {
    if is_said(theory, a, b) {
        let claim = format!("{} <= {}", theory.show(a), theory.show(b));
        return Ok(Answer { claim, verdict: Verdict::Holds, walks: 0, states: 0 });
    }
    let whole = Inclusion::Subset(a.clone(), b.clone());
    let scope = Scope { models: vec![], assuming: vec![theory], claims: vec![(theory, &whole)] };
    let context = Context::new(&scope, limits)?;
    let mut lower = Lowering::new(theory, &context);
    let closed = same_ends(a);
    let mut left = closed.unwrap_or(a);
    let mut right = if closed.is_some() { same_ends(b).unwrap_or(b) } else { b };
    let rotated = match right {
        Rel::Rot(inner) => {
            right = inner;
            true
        }
        _ => false,
    };
    if let Rel::Rot(inner) = left
        && rotated
    {
        left = inner;
    }
    let (l, r) = (lower.rel(left, Side::Above), lower.rel(right, Side::Below));
    let assumed = judge_assumptions(&[theory])?;
    // What the oracle is asked: of relations with loops only, whether they have some.
    let boxed = |r: &Rel| Box::new(r.clone());
    let claim = match (closed.is_some(), rotated) {
        (false, _) => Inclusion::Subset(left.clone(), right.clone()),
        (true, false) => Inclusion::Subset(Rel::Inter(boxed(left), Box::new(Rel::Id)), right.clone()),
        (true, true) => Inclusion::Subset(Rel::Inter(boxed(left), Box::new(Rel::Id)), Rel::Empty),
    };
    let broken = judge_of(&claims_as_axioms(theory, &[&claim]))?;
    let other = match (closed.is_some(), rotated) {
        (true, true) => {
            let no_loop = Inclusion::Subset(Rel::Inter(boxed(right), Box::new(Rel::Id)), Rel::Empty);
            Some(judge_of(&claims_as_axioms(theory, &[&no_loop]))?)
        }
        _ => None,
    };
    let mut judge: Accept<'_> = Box::new(|events: &[Event], r: &Relations| {
        assumed.iter().all(|j| admits(j, events, r))
            && !admits(&broken, events, r)
            && other.as_ref().is_none_or(|j| admits(j, events, r))
    });
    let shown = format!("{} <= {}", theory.show(a), theory.show(b));
    if !(closed.is_some() && rotated) {
        let (verdict, walks) = decide(&context, &l, &r, closed.is_some(), &mut judge, &lower.approximated)?;
        return Ok(Answer { claim: shown, verdict, walks, states: 0 });
    }
    // An irreflexivity implication (thesis §3.5).
    let goal = Constraint { term: l, acyclic: false, name: theory.show(a).to_string() };
    let side = match right {
        Rel::Plus(inner) => {
            let term = lower.rel(inner, Side::Below);
            Constraint { term, acyclic: true, name: theory.show(b).to_string() }
        }
        _ => Constraint { term: r, acyclic: false, name: theory.show(b).to_string() },
    };
    let mut given = Given::new(&context, &[side])?;
    let mut open = Open::default();
    let mut found = Found::Open;
    for level in 0..2 {
        if level == 1 && !given.use_totality()? {
            break;
        }
        open.attempts = limits.attempts;
        found = given.implies(&goal, &mut |walk| open.look_at(walk, &context, &mut judge))?;
        if found == Found::Holds || open.counterexample.is_some() {
            break;
        }
    }
    let verdict = open.finish(found, &lower.approximated);
    Ok(Answer { claim: shown, verdict, walks: given.walks, states: given.states() })
}
