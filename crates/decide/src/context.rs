//! What a question is asked about: its classes of events, and what it may assume.

use crate::class::{Classes, Test};
use crate::fact::{Facts, Known, MAX_DECLARED, Rule};
use crate::lower::{Lowering, Opaque, Side};
use crate::nfa::{Nfa, TooLarge};
use crate::saturate::{Assumption, Implied, Word, words};
use crate::search::Limits;
use crate::term::Term;
use crate::used::{Used, kept_apart};
use selvedge_kat::Diagnostic;
use selvedge_kat::ast::{Inclusion, Pred, Prim, Rel, Theory};

/// The context of a question.
#[derive(Clone, Debug)]
pub struct Context {
    pub classes: Classes,
    /// Relations that the models declare.
    pub relations: Vec<String>,
    pub opaque: Opaque,
    pub known: Known,
    /// Whether the question speaks of detours.
    pub detours: bool,
    pub assumptions: Vec<Assumption>,
    /// Walks that imply a step, by assumptions of the forms `r ; r <= r`, `r ; s <= r`, `s ; r <= r`.
    pub implied: Implied,
    /// Walks that end where they start.
    pub loops: Vec<Nfa>,
    /// Walks that do not exist.
    pub impossible: Vec<Term>,
    /// The assumptions as terms: walks, and what they are contained in.
    pub claims: Vec<(Term, Term)>,
    /// Relations that order any two different events.
    pub total: Vec<Facts>,
    pub limits: Limits,
    /// Assumptions that could not be used.
    pub unused: Vec<String>,
}

/// Why a question cannot be asked at all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The automaton of this expression is too large.
    TooLarge(String),
    /// The models tell too many kinds of events apart.
    TooManyKinds(String),
    Other(String),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::TooLarge(what) | Refusal::TooManyKinds(what) | Refusal::Other(what) => f.write_str(what),
        }
    }
}

impl Refusal {
    pub fn too_large(what: &str, e: &TooLarge) -> Refusal {
        Refusal::TooLarge(format!("`{what}` is too complex: {e}"))
    }
}

impl From<Refusal> for Diagnostic {
    fn from(r: Refusal) -> Diagnostic {
        Diagnostic::plain(r.to_string())
    }
}

/// The terms that a question is about.
pub struct Scope<'a> {
    /// Whose axioms are asked about or used.
    pub models: Vec<&'a Theory>,
    /// Whose assumptions are used.
    pub assuming: Vec<&'a Theory>,
    /// Other claims, of the theory they belong to.
    pub claims: Vec<(&'a Theory, &'a Inclusion)>,
}

impl Context {
    pub fn new(scope: &Scope<'_>, limits: Limits) -> Result<Context, Refusal> {
        let mut used = Used::default();
        for theory in &scope.models {
            used.axioms(theory);
        }
        for theory in &scope.assuming {
            used.assumes(theory);
        }
        for (theory, claim) in &scope.claims {
            used.inclusion(theory, claim);
        }
        let halves: &[Pred] = if used.prims.contains(&Prim::Rmw) { &[Pred::Ur, Pred::Uw] } else { &[] };
        let threads: &[Pred] = if used.prims.iter().any(|p| matches!(p, Prim::Tc | Prim::Tj)) {
            &[Pred::Tc, Pred::Tj]
        } else {
            &[]
        };
        for pred in halves.iter().chain(threads) {
            if !used.preds.contains(pred) {
                used.preds.push(*pred);
            }
        }
        if used.relations.len() > MAX_DECLARED {
            return Err(Refusal::Other(format!(
                "the question mentions {} declared relations; at most {MAX_DECLARED} are supported",
                used.relations.len()
            )));
        }
        let by_preds: Vec<Test> = used.preds.iter().copied().map(Test::Pred).collect();
        let mut by_sets = used.tests.clone();
        by_sets.extend(halves.iter().chain(threads).copied().map(Test::Pred));
        // Where dependencies begin: at reads, and at the writes of exclusive pairs.
        let both = [Pred::Uw, Pred::Exclusive].map(|pred| Box::new(Test::Pred(pred)));
        let [of_pair, exclusive] = both;
        by_sets.push(Test::And(of_pair, exclusive));
        let disjoint = disjoint(&scope.assuming, &used.predicates);
        let classes = |tests: &[Test]| Classes::new(tests, &used.predicates, &disjoint, limits.c_only);
        let classes = classes(&by_preds).or_else(|| classes(&by_sets)).ok_or_else(|| {
            Refusal::TooManyKinds(format!(
                "the question tells too many kinds of events apart: it mentions {} predicates, {} of them declared",
                used.preds.len() + used.predicates.len(),
                used.predicates.len()
            ))
        })?;
        let mut context = Context {
            classes,
            relations: used.relations,
            opaque: Opaque::default(),
            known: Known { rmw_apart: used.rmw_apart, ..Known::default() },
            detours: used.prims.contains(&Prim::Detour),
            assumptions: Vec::new(),
            implied: Implied::default(),
            loops: Vec::new(),
            impossible: Vec::new(),
            claims: Vec::new(),
            total: Vec::new(),
            limits,
            unused: Vec::new(),
        };
        for theory in &scope.assuming {
            for (claim, _) in &theory.assumes {
                context.assume(theory, claim)?;
            }
        }
        // Thesis §3.4.1: a read reads from one write.
        let all = context.classes.all;
        let back = Term::seq(Term::Edge(Facts::RF), Term::Edge(Facts::RF.inverse()));
        if used.prims.iter().any(|p| matches!(p, Prim::Rf | Prim::Rfe | Prim::Rfi)) && mentions_inverse(scope)
        {
            let walks = Nfa::of(&back, all, context.limits.states);
            context.loops.extend(walks);
        }
        Ok(context)
    }

    pub fn all(&self) -> u128 {
        self.classes.all
    }

    fn assume(&mut self, theory: &Theory, claim: &Inclusion) -> Result<(), Refusal> {
        match claim {
            Inclusion::Subset(a, b) => self.assume_subset(theory, a, b),
            Inclusion::Equal(a, b) => {
                self.assume_subset(theory, a, b)?;
                self.assume_subset(theory, b, a)
            }
            Inclusion::Total(r) => {
                let context = self.clone();
                let term = Lowering::new(theory, &context).rel(r, Side::Below);
                match term {
                    Term::Edge(f) => self.total.push(f),
                    _ => self.unused.push(theory.show(claim).to_string()),
                }
                Ok(())
            }
        }
    }

    /// `a <= b`. The walks of `a` are taken from below, the claim from above.
    fn assume_subset(&mut self, theory: &Theory, a: &Rel, b: &Rel) -> Result<(), Refusal> {
        let context = self.clone();
        let mut lower = Lowering::new(theory, &context);
        let (walks, claim) = (lower.rel(a, Side::Below), lower.rel(b, Side::Above));
        let all = self.classes.all;
        self.claims.push((walks.clone(), claim.clone()));
        let shown = || format!("{} <= {}", theory.show(a), theory.show(b));
        let limit = self.limits.states;
        let nfa = |term: &Term| Nfa::of(term, all, limit).map_err(|e| Refusal::too_large(&shown(), &e));
        match (&walks, &claim) {
            (Term::Empty, _) => {}
            (Term::Test(m), Term::Empty) => self.classes.exclude(*m),
            (Term::Test(m), Term::Test(n)) => self.classes.exclude(m & !n),
            (_, Term::Empty) => self.impossible.push(walks),
            (_, Term::Test(_)) => self.loops.push(nfa(&walks)?),
            _ => {
                let claim = words(&claim, all);
                let single = words(&walks, all);
                match (single, claim) {
                    (_, None) => self.unused.push(shown()),
                    (Some(walks), Some(claim)) if self.as_rules(&walks, &claim) => {}
                    (Some(walks), Some(claim)) if self.as_closure(&walks, &claim) => {}
                    (_, Some(claim)) if claim.iter().any(|w| w.steps.is_empty()) => {
                        self.unused.push(shown());
                    }
                    (words, Some(claim)) => {
                        let words = words.unwrap_or_default();
                        self.assumptions.push(Assumption { walks: nfa(&walks)?, words, claim });
                    }
                }
            }
        }
        Ok(())
    }

    /// Thesis Prop. 2 and 4: `r ; s <= r` makes `r ; s*` imply `r`, and likewise from the left.
    fn as_closure(&mut self, walks: &[Word], claim: &[Word]) -> bool {
        let all = self.classes.all;
        let plain = |w: &Word| w.first == all && w.steps.iter().all(|(_, m)| *m == all);
        let ([walk], [claim]) = (walks, claim) else { return false };
        let ([(a, _), (b, _)], [(r, _)]) = (&walk.steps[..], &claim.steps[..]) else { return false };
        if !plain(walk) || !plain(claim) {
            return false;
        }
        let star = |f: &Facts| Term::star(Term::Edge(*f), all);
        let term = if a == r {
            Term::seq(Term::Edge(*r), star(b))
        } else if b == r {
            Term::seq(star(a), Term::Edge(*r))
        } else {
            return false;
        };
        match Nfa::of(&term, all, self.limits.states) {
            Ok(nfa) => self.implied.add(*r, nfa),
            Err(_) => return false,
        }
        true
    }

    /// An assumption about single steps can be read as more facts about them.
    fn as_rules(&mut self, walks: &[Word], claim: &[Word]) -> bool {
        let [Word { first: dom, steps }] = claim else { return false };
        let [(also, ran)] = steps[..] else { return false };
        let all = self.classes.all;
        let of: Option<Vec<Facts>> = walks
            .iter()
            .map(|w| match w.steps[..] {
                [(of, to)] if w.first == all && to == all => Some(of),
                _ => None,
            })
            .collect();
        let Some(of) = of else { return false };
        self.known.rules.extend(of.into_iter().map(|of| Rule { of, also, dom: *dom, ran }));
        true
    }
}

/// Pairs of declared predicates of which an assumption says that they do not hold of the same event, as bits.
fn disjoint(assuming: &[&Theory], predicates: &[String]) -> Vec<u32> {
    let bit = |name: &str| predicates.iter().position(|known| known == name).map(|at| 1u32 << at);
    let claims = assuming.iter().flat_map(|theory| &theory.assumes);
    let pairs = claims.filter_map(|(claim, _)| kept_apart(claim));
    pairs.filter_map(|(a, b)| Some(bit(a)? | bit(b)?)).collect()
}

fn mentions_inverse(scope: &Scope<'_>) -> bool {
    fn in_rel(rel: &Rel) -> bool {
        matches!(rel, Rel::Inverse(_)) || rel.rels().any(in_rel)
    }
    let of_theory = |theory: &Theory| {
        theory.defs.iter().any(|d| match &d.body {
            selvedge_kat::ast::DefBody::Rel(r) => in_rel(r),
            selvedge_kat::ast::DefBody::Set(_) => false,
        })
    };
    let of_claim = |claim: &Inclusion| match claim {
        Inclusion::Subset(a, b) | Inclusion::Equal(a, b) => in_rel(a) || in_rel(b),
        Inclusion::Total(_) => false,
    };
    scope.models.iter().any(|t| of_theory(t))
        || scope.claims.iter().any(|(t, c)| of_theory(t) || of_claim(c))
        || scope.assuming.iter().any(|t| t.assumes.iter().any(|(c, _)| of_claim(c)))
}
