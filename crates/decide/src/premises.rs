//! What an exploration that follows dependencies relies on, decided for a model.
//!
//! Models that follow dependencies order accesses of different threads by one acyclic relation: what others
//! observe (`rfe`, `coe`, `fre`), and a *local order* `lo` of each thread. [`LocalOrder`] finds it in a
//! model's text. An exploration that keeps the causal prefix of a write and leaves holes in the rest of the
//! threads needs to know that `lo` has no surprises there: that values and addresses that are forwarded
//! within a thread take their dependencies along ([`Premise::Forwards`]), that what a kept write depends on
//! decides which accesses there are ([`Premise::Skeleton`]), and that holes can be filled
//! ([`Premise::Successors`], [`Premise::Rereads`]). And where a model has no cycles of dependencies and `rf`,
//! nobody has to look for them in programs ([`ThinAir`]).
//!
//! Each premise is an inclusion of relations or an implication between cycles, decided by automata. What is
//! known of dependencies is that a branch counts for all that follows (`ctrl ; po <= ctrl`). *No* comes with
//! an execution that the model admits.

use crate::acquired::synchronises;
use crate::answer::{
    Accept, Verdict, admits, claims_as_axioms, decide, judge_assumptions, judge_of, stronger,
};
use crate::context::{Context, Refusal, Scope};
use crate::known;
use crate::lower::{Lowering, Side};
pub use crate::properties::Has;
use crate::search::Limits;
use crate::within::{parts_within, without_sources};
use selvedge_kat::ast::{Axiom, Constraint, DefBody, Inclusion, Pred, Prim, Rel, Set, Theory};
use selvedge_kat::{Sign, Span, Subterm, Walk};
use selvedge_model::relational::{self, Causality};

/// A property of the local order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Premise {
    /// `(addr | data | ctrl) ; rfi ; lo* ; [W] <= lo+`: dependencies survive forwarding.
    Forwards,
    /// `(addr ; po | ctrl) ; [W] <= lo+`: which accesses come before a write, and where, is decided before
    /// it.
    Skeleton,
    /// `po-loc ; [W] <= lo+`: accesses of a location are ordered before later writes of it.
    Successors,
    /// `lo ; [R \\ (UR \\ X)] ; po-loc ; [R] ; lo+ ; [W] <= (lo | lo' ; po-loc ; [R])+`, where `lo'` is
    /// whatever of `lo` ends with `rfi`, as `data ; rfi`, and is in `lo+` up to there: what is ordered before
    /// a read is ordered before what comes after a later read of the same location, with no write of the
    /// thread between them.
    Rereads,
    /// `[R] ; (lo | addr | data | ctrl | addr ; po | casdep ; rmw | po-loc | …)+ ; [W] <= lo+`, where the
    /// rest is whatever other axioms say of one thread: what a write comes after by any of it, it comes after
    /// by `lo`.
    Closed,
}

impl Premise {
    /// In the order of their numbers P1 to P5.
    pub const ALL: [Premise; 5] =
        [Premise::Forwards, Premise::Skeleton, Premise::Successors, Premise::Rereads, Premise::Closed];

    /// For tables.
    pub fn name(self) -> &'static str {
        match self {
            Premise::Forwards => "forwards-dependencies",
            Premise::Skeleton => "fixed-skeleton",
            Premise::Successors => "local-write-successors",
            Premise::Rereads => "rereads",
            Premise::Closed => "closed",
        }
    }

    /// What it says, with `lo` for the local order.
    pub fn definition(self) -> &'static str {
        match self {
            Premise::Forwards => "(addr | data | ctrl) ; rfi ; lo* ; [W] <= lo+",
            Premise::Skeleton => "(addr ; po | ctrl) ; [W] <= lo+",
            Premise::Successors => "po-loc ; [W] <= lo+",
            Premise::Rereads => {
                "lo ; [R] ; po-loc ; [R] ; lo+ ; [W] <= (lo | (data | …) ; rfi ; po-loc ; [R])+"
            }
            Premise::Closed => "[R] ; (lo | addr | data | ctrl | addr ; po | po-loc | …)+ ; [W] <= lo+",
        }
    }

    /// The two sides of each inclusion that has to hold.
    pub fn sides(self, order: &LocalOrder) -> Vec<(Rel, Rel)> {
        let lo = &order.lo;
        let (po, po_loc) = (prim(Prim::Po), prim(Prim::PoLoc));
        let (addr, data, ctrl) = (prim(Prim::Addr), prim(Prim::Data), prim(Prim::Ctrl));
        let (reads, writes) = (test(Pred::R), test(Pred::W));
        let some = Rel::Plus(Box::new(lo.clone()));
        match self {
            Premise::Forwards => {
                let any = Rel::Star(Box::new(lo.clone()));
                vec![(seq([union([addr, data, ctrl]), prim(Prim::Rfi), any, writes]), some)]
            }
            Premise::Skeleton => vec![(seq([union([seq([addr, po]), ctrl]), writes]), some)],
            Premise::Successors => {
                let accesses = Set::Diff(Box::new(Set::Pred(Pred::M)), Box::new(Set::Pred(Pred::Init)));
                vec![(seq([Rel::Test(accesses), po_loc, writes]), some)]
            }
            Premise::Rereads => {
                // A write that is forwarded to the first read comes before the second one, too: it is
                // forwarded to that one as well, or has to be seen by others first.
                let again = order
                    .forwarding
                    .iter()
                    .map(|part| seq([part.before.clone(), prim(Prim::Rfi), po_loc.clone(), reads.clone()]));
                let right = Rel::Plus(Box::new(union([lo.clone()].into_iter().chain(again))));
                // The write of an instruction that reads and writes comes right after its read.
                let pred = |pred| Box::new(Set::Pred(pred));
                let both = Set::Diff(pred(Pred::Ur), pred(Pred::Exclusive));
                let first = Rel::Test(Set::Diff(pred(Pred::R), Box::new(both)));
                let left = seq([lo.clone(), first, po_loc.clone(), reads.clone(), some.clone(), writes]);
                let before = order.forwarding.iter().map(|part| part.before.clone());
                let before = before.filter(|rel| !matches!(rel, Rel::Test(_)));
                before.map(|rel| (rel, some.clone())).chain([(left, right)]).collect()
            }
            Premise::Closed => {
                let accesses =
                    || Rel::Test(Set::Diff(Box::new(Set::Pred(Pred::M)), Box::new(Set::Pred(Pred::Init))));
                let by_location = seq([accesses(), po_loc, accesses()]);
                let expected = seq([prim(Prim::CasDep), prim(Prim::Rmw)]);
                let rest = [lo.clone(), addr.clone(), data, ctrl, seq([addr, po]), expected, by_location];
                let any = union(rest.into_iter().chain(order.elsewhere.iter().flatten().cloned()));
                vec![(seq([reads, Rel::Plus(Box::new(any)), writes]), some)]
            }
        }
    }
}

/// Whether values may come out of thin air: whether dependencies, the steps inside of read-modify-writes, and
/// `rf` may have a cycle. Such a step leads from the read to the write, and from what the value that a
/// compare-and-swap expects was computed from to its read.
#[derive(Clone, Debug)]
pub enum ThinAir {
    /// In no execution.
    Forbidden,
    /// Only through a read-modify-write whose own thread reads what it wrote, or a compare-and-swap that
    /// expects what comes out of it, as in this word.
    ByRmws(String),
    /// Possible, as in this word.
    Allowed(String),
    /// Not decided, and why.
    Unknown(String),
}

/// What is known of a model.
#[derive(Clone, Debug)]
pub struct Premises {
    /// Whether the model asks for nothing but coherence and one acyclic relation, of the local order and of
    /// what others observe.
    pub form: Has,
    /// In the order of [`Premise::ALL`].
    pub answers: Vec<(Premise, Has)>,
    /// About values.
    pub thin_air: ThinAir,
    /// Whether coherence agrees with what threads know of each other by creating and joining them, and by
    /// releases that are acquired (`acquired.rs`).
    pub synchronises: Has,
    /// Parts of the local order that are left out of `lo`, since it is told by the sources of reads whether
    /// they hold: they are checked, and cause nothing.
    pub by_sources: Vec<String>,
    /// Whether the answers are about programs in C only: the model tells too many kinds of events apart.
    pub c_only: bool,
}

impl Premises {
    /// What is known of thin air, as that of the others.
    pub fn no_thin_air(&self) -> Has {
        match &self.thin_air {
            ThinAir::Forbidden => Has::Yes,
            ThinAir::ByRmws(word) => Has::No(format!("but only by read-modify-writes: {word}")),
            ThinAir::Allowed(word) => Has::No(word.clone()),
            ThinAir::Unknown(why) => Has::Unknown(why.clone()),
        }
    }

    /// What an exploration may rely on.
    pub fn causality(&self) -> Causality {
        let holds = |premise| matches!(self.of(premise), Has::Yes);
        Causality {
            is_local: matches!(self.form, Has::Yes),
            forwards: holds(Premise::Forwards),
            skeleton: holds(Premise::Skeleton),
            successors: holds(Premise::Successors),
            rereads: holds(Premise::Rereads),
            closed: holds(Premise::Closed),
            synchronises: matches!(self.synchronises, Has::Yes),
            thin_air: match self.thin_air {
                ThinAir::Forbidden => relational::ThinAir::Forbidden,
                ThinAir::ByRmws(_) => relational::ThinAir::ByRmws,
                ThinAir::Allowed(_) | ThinAir::Unknown(_) => relational::ThinAir::Open,
            },
            c_only: self.c_only,
        }
    }

    /// What is known of one of them.
    pub fn of(&self, premise: Premise) -> &Has {
        &self.answers[premise as usize].1
    }
}

/// A part of the local order that ends with `rfi`, to whatever read.
#[derive(Clone, Debug)]
pub struct Forwarding {
    /// What leads to the write.
    pub before: Rel,
}

/// The local order of a model, by the shape of its text.
#[derive(Clone, Debug)]
pub struct LocalOrder {
    /// The part that dependencies, program order and what a thread reads of its own decide.
    pub lo: Rel,
    /// Those parts of it that lead from writes to what reads them in their own thread.
    pub forwarding: Vec<Forwarding>,
    /// Parts within a thread of which it depends on other threads whether they hold.
    pub by_sources: Vec<String>,
    /// Parts that lead through several threads.
    pub mixed: Vec<String>,
    /// Other axioms than this one and coherence.
    pub others: Vec<String>,
    /// What those say of threads by themselves, and what is said of them in `mixed`; `None` if that cannot be
    /// told apart.
    pub elsewhere: Option<Vec<Rel>>,
}

impl LocalOrder {
    /// `None` if no axiom orders what threads read from each other.
    pub fn of(theory: &Theory) -> Option<LocalOrder> {
        let observed =
            |parts: &[Rel]| parts.iter().any(|part| matches!(bare(part), Rel::Prim(Prim::Rf | Prim::Rfe)));
        let mut found: Option<LocalOrder> = None;
        let (mut others, mut elsewhere) = (Vec::new(), Some(Vec::new()));
        for axiom in theory.demands() {
            let parts = match &axiom.constraint {
                Constraint::Acyclic(rel) if axiom.unless.is_none() => members(theory, rel),
                _ => Vec::new(),
            };
            if found.is_none() && observed(&parts) {
                found = Some(LocalOrder::from_parts(theory, &parts));
            } else if !is_plain(theory, &axiom.constraint) {
                others.push(theory.show(axiom).to_string());
                axiom.constraint.rels().for_each(|rel| parts_within(theory, rel, &mut elsewhere));
            }
        }
        found.map(|order| {
            let elsewhere = order.elsewhere.zip(elsewhere).map(|(a, b)| [a, b].concat());
            LocalOrder { others, elsewhere, ..order }
        })
    }

    fn from_parts(theory: &Theory, parts: &[Rel]) -> LocalOrder {
        let (mut local, mut by_sources, mut mixed) = (Vec::new(), Vec::new(), Vec::new());
        let mut elsewhere = Some(Vec::new());
        for part in parts {
            let shown = || theory.show(part).to_string();
            let part = match without_sources(theory, part) {
                Some(less) => {
                    by_sources.push(shown());
                    &less.clone()
                }
                None => part,
            };
            match sort(theory, part) {
                Sort::Local => local.push(part.clone()),
                Sort::BySources => {
                    by_sources.push(shown());
                    elsewhere = None;
                }
                Sort::Observed(within) => {
                    local.extend(within.map(|prim| replace_bare(part, prim)));
                }
                Sort::Threads => {}
                Sort::Mixed => {
                    mixed.push(shown());
                    parts_within(theory, part, &mut elsewhere);
                }
            }
        }
        let forwarding = local.iter().filter_map(forwarding).map(|before| Forwarding { before }).collect();
        LocalOrder { lo: union(local), forwarding, by_sources, mixed, others: Vec::new(), elsewhere }
    }

    fn form(&self) -> Has {
        let also: Vec<&str> = self.mixed.iter().chain(&self.others).map(String::as_str).collect();
        if also.is_empty() { Has::Yes } else { Has::No(format!("there is also {}", also.join(", "))) }
    }
}

/// What the premises say of executions, as models whose axioms say it: for whoever wants to try them on
/// executions. Nothing if there is no local order; that no value comes out of thin air, without and with
/// read-modify-writes, is always there.
pub fn claims(theory: &Theory) -> (Vec<(Premise, Theory)>, [Theory; 2]) {
    let subset = |(a, b)| Inclusion::Subset(a, b);
    let said = |order: &LocalOrder, premise: Premise| {
        let claims: Vec<Inclusion> = premise.sides(order).into_iter().map(subset).collect();
        (premise, claims_as_axioms(theory, &claims.iter().collect::<Vec<_>>()))
    };
    let local = LocalOrder::of(theory);
    let local = local.iter().flat_map(|order| Premise::ALL.map(|premise| said(order, premise))).collect();
    let own = union([prim(Prim::Rmw), prim(Prim::CasDep)]);
    let others = seq([prim(Prim::Rmw), prim(Prim::Rfe)]);
    (local, [without_cycles(theory, others), without_cycles(theory, own)])
}

/// The premises of a model, as far as they hold. Those of models that come with Selvedge are known; of others
/// they are decided.
pub fn of_model(theory: &Theory, limits: Limits) -> Premises {
    known::premises(theory).unwrap_or_else(|| premises(theory, limits))
}

/// Decides the premises of a model.
pub fn premises(theory: &Theory, limits: Limits) -> Premises {
    let local = LocalOrder::of(theory);
    let theory = &with_branches(theory);
    let none = "no axiom orders what threads read from each other";
    let unknown = |why: &str| Premise::ALL.map(|premise| (premise, Has::Unknown(why.into()))).to_vec();
    // Each group with as few kinds of events as it needs.
    let (first, last) = Premise::ALL.split_at(Premise::ALL.len() - 1);
    let answer = |order: &LocalOrder, asked: &[Premise]| {
        let unknown = |why: &str| asked.iter().map(|premise| (*premise, Has::Unknown(why.into()))).collect();
        if asked == [Premise::Closed] && order.elsewhere.is_none() {
            return (unknown("what is said of threads by themselves cannot be told apart"), false);
        }
        match in_c_if_need_be(limits, |limits| inclusions(theory, order, asked, limits)) {
            (Ok(answers), c_only) => (answers, c_only),
            (Err(refusal), c_only) => (unknown(&refusal.to_string()), c_only),
        }
    };
    let (answers, local_c) = match &local {
        None => (unknown(none), false),
        Some(order) => {
            let ((mut answers, mut c_only), (closed, closed_c)) = (answer(order, first), answer(order, last));
            c_only |= closed_c && closed.iter().any(|(_, has)| matches!(has, Has::Yes));
            answers.extend(closed);
            (answers, c_only)
        }
    };
    let (air, values_c) = in_c_if_need_be(limits, |limits| thin_air(theory, limits));
    Premises {
        form: local.as_ref().map_or_else(|| Has::No(none.into()), LocalOrder::form),
        answers,
        thin_air: air.unwrap_or_else(|refusal| ThinAir::Unknown(refusal.to_string())),
        synchronises: synchronises(theory, limits)
            .unwrap_or_else(|refusal| Has::Unknown(refusal.to_string())),
        by_sources: local.map_or_else(Vec::new, |order| order.by_sources),
        c_only: local_c || values_c,
    }
}

/// Asks about all programs; about those in C if there are too many kinds of events otherwise. Says which.
fn in_c_if_need_be<T>(
    limits: Limits,
    ask: impl Fn(Limits) -> Result<T, Refusal>,
) -> (Result<T, Refusal>, bool) {
    match ask(limits) {
        Err(Refusal::TooManyKinds(_)) => (ask(Limits { c_only: true, ..limits }), true),
        answer => (answer, limits.c_only),
    }
}

/// The theory with what is known of branches.
fn with_branches(theory: &Theory) -> Theory {
    let mut theory = theory.clone();
    let claim = Inclusion::Subset(seq([prim(Prim::Ctrl), prim(Prim::Po)]), prim(Prim::Ctrl));
    theory.assumes.push((claim, nowhere()));
    theory
}

/// Decides some premises, with the kinds of events that they and the model tell apart.
fn inclusions(
    theory: &Theory,
    order: &LocalOrder,
    asked: &[Premise],
    limits: Limits,
) -> Result<Vec<(Premise, Has)>, Refusal> {
    let subset = |(a, b)| Inclusion::Subset(a, b);
    let sides = |premise: &Premise| premise.sides(order).into_iter().map(subset).collect::<Vec<_>>();
    let claims: Vec<Vec<Inclusion>> = asked.iter().map(sides).collect();
    let claimed = claims.iter().flatten().map(|claim| (theory, claim)).collect();
    let scope = Scope { models: vec![], assuming: vec![theory], claims: claimed };
    let mut context = Context::new(&scope, limits)?;
    // Within a thread, communication follows program order, then.
    context.known.coherent = theory.demands().any(|axiom| {
        matches!(&axiom.constraint, Constraint::Coherence(rel) if axiom.unless.is_none() && has_po(theory, rel))
    });
    let model = judge_of(theory)?;
    let assumed = judge_assumptions(&[theory])?;
    let one = |claim: &Inclusion| -> Result<Has, Refusal> {
        let Inclusion::Subset(a, b) = claim else { return Ok(Has::Yes) };
        let mut lower = Lowering::new(theory, &context);
        let (left, right) = (lower.rel(a, Side::Above), lower.rel(b, Side::Below));
        let broken = judge_of(&claims_as_axioms(theory, &[claim]))?;
        let mut accept: Accept<'_> = Box::new(|events, r| {
            admits(&model, events, r)
                && assumed.iter().all(|judge| admits(judge, events, r))
                && !admits(&broken, events, r)
        });
        let (verdict, _) = decide(&context, &left, &right, false, &mut accept, &lower.approximated)?;
        Ok(has(verdict))
    };
    let all = |claims: &Vec<Inclusion>| {
        for claim in claims {
            match one(claim)? {
                Has::Yes => {}
                other => return Ok(other),
            }
        }
        Ok(Has::Yes)
    };
    asked.iter().zip(&claims).map(|(premise, claims)| Ok((*premise, all(claims)?))).collect()
}

pub(crate) fn has(verdict: Verdict) -> Has {
    match verdict {
        Verdict::Holds => Has::Yes,
        Verdict::Fails(found) => Has::No(found.word),
        Verdict::Unknown(why) => Has::Unknown(why),
    }
}

/// Whether a cycle of dependencies and `rf` is possible. Whether a thread is to come to a write at all
/// depends on branches, and on the addresses of earlier accesses: they may turn out to be none.
fn thin_air(theory: &Theory, limits: Limits) -> Result<ThinAir, Refusal> {
    let with = match asked(theory, union([prim(Prim::Rmw), prim(Prim::CasDep)]), limits)? {
        Verdict::Holds => return Ok(ThinAir::Forbidden),
        Verdict::Fails(found) => found.word,
        Verdict::Unknown(why) => why,
    };
    Ok(match asked(theory, seq([prim(Prim::Rmw), prim(Prim::Rfe)]), limits)? {
        Verdict::Holds => ThinAir::ByRmws(with),
        Verdict::Fails(found) => ThinAir::Allowed(found.word),
        Verdict::Unknown(why) => ThinAir::Unknown(why),
    })
}

/// Whether the model forbids cycles of dependencies, `rf`, and what is said of read-modify-writes.
fn asked(theory: &Theory, rmws: Rel, limits: Limits) -> Result<Verdict, Refusal> {
    let mut answers = stronger(theory, &without_cycles(theory, rmws), &[], limits)?;
    Ok(answers.pop().map_or(Verdict::Holds, |answer| answer.verdict))
}

/// A model that forbids such cycles, and nothing else.
fn without_cycles(theory: &Theory, rmws: Rel) -> Theory {
    let writes = || test(Pred::W);
    let cycle = union([
        prim(Prim::Addr),
        seq([prim(Prim::Addr), prim(Prim::Po), writes()]),
        prim(Prim::Data),
        seq([prim(Prim::Ctrl), writes()]),
        rmws,
        prim(Prim::Rf),
    ]);
    let constraint = Constraint::Acyclic(cycle);
    let axiom = Axiom { constraint, name: None, unless: None, extra: false, span: nowhere() };
    Theory { defs: vec![], axioms: vec![axiom], assumes: vec![], asserts: vec![], ..theory.clone() }
}

/// What a part of an acyclic relation is about.
pub(crate) enum Sort {
    Local,
    BySources,
    /// Communication; and what of it is within a thread, if it is not only of different ones.
    Observed(Option<Prim>),
    Threads,
    Mixed,
}

pub(crate) fn sort(theory: &Theory, part: &Rel) -> Sort {
    match bare(part) {
        Rel::Prim(Prim::Rfe | Prim::Coe | Prim::Fre) => return Sort::Observed(None),
        Rel::Prim(Prim::Rf) => return Sort::Observed(Some(Prim::Rfi)),
        Rel::Prim(Prim::Co) => return Sort::Observed(Some(Prim::Coi)),
        Rel::Prim(Prim::Fr) => return Sort::Observed(Some(Prim::Fri)),
        _ => {}
    }
    let (mut far, mut threads, mut by_sources, mut recursive) = (false, false, false, false);
    Walk::new(theory).visit(Subterm::Rel(part), Sign::Positive, &mut |part, sign| match part {
        Subterm::Rel(Rel::Prim(prim)) => match (prim, sign) {
            (Prim::Tc | Prim::Tj, _) => threads = true,
            (Prim::Detour, _) => by_sources = true,
            (Prim::Po | Prim::PoLoc | Prim::Rmw | Prim::Loc | Prim::Int, _) => {}
            (_, Sign::Negative) => by_sources = true,
            (Prim::PoImm | Prim::Rfi | Prim::Coi | Prim::Fri, _) => {}
            (Prim::Addr | Prim::Data | Prim::Ctrl | Prim::CtrlArm | Prim::CasDep | Prim::Publishes, _) => {}
            _ => far = true,
        },
        // What thread creation and joins are ordered with is no concern of accesses.
        Subterm::Set(Set::Pred(Pred::Tc | Pred::Tj)) => threads = true,
        Subterm::Rel(Rel::Declared(_) | Rel::Cross(..)) => far = true,
        Subterm::Rel(Rel::Def(id)) => recursive |= theory.defs[id.0 as usize].rec_group.is_some(),
        _ => {}
    });
    match () {
        () if far => Sort::Mixed,
        () if threads => Sort::Threads,
        () if by_sources || recursive => Sort::BySources,
        () => Sort::Local,
    }
}

/// The parts of a union, as far as definitions and tests around it let see them.
fn members(theory: &Theory, rel: &Rel) -> Vec<Rel> {
    let is_test = |rel: &Rel| match rel {
        Rel::Test(_) => true,
        Rel::Def(id) => matches!(theory.defs[id.0 as usize].body, DefBody::Set(_)),
        _ => false,
    };
    match rel {
        Rel::Union(a, b) => [members(theory, a), members(theory, b)].concat(),
        Rel::Def(id) => match &theory.defs[id.0 as usize] {
            def if def.rec_group.is_some() => vec![rel.clone()],
            def => match &def.body {
                DefBody::Rel(body) => members(theory, body),
                DefBody::Set(_) => vec![rel.clone()],
            },
        },
        Rel::Seq(a, b) if is_test(a) => {
            members(theory, b).into_iter().map(|part| Rel::Seq(a.clone(), Box::new(part))).collect()
        }
        Rel::Seq(a, b) if is_test(b) => {
            members(theory, a).into_iter().map(|part| Rel::Seq(Box::new(part), b.clone())).collect()
        }
        _ => vec![rel.clone()],
    }
}

/// A part without tests at its ends.
fn bare(part: &Rel) -> &Rel {
    match part {
        Rel::Seq(a, b) if matches!(**a, Rel::Test(_)) => bare(b),
        Rel::Seq(a, b) if matches!(**b, Rel::Test(_)) => bare(a),
        _ => part,
    }
}

/// What leads to the write in a part that ends with `rfi`, to whatever read.
fn forwarding(part: &Rel) -> Option<Rel> {
    match part {
        Rel::Prim(Prim::Rfi) => Some(test(Pred::W)),
        Rel::Seq(a, b) if matches!(**b, Rel::Test(_)) => forwarding(a).filter(|_| **b == test(Pred::R)),
        Rel::Seq(a, b) => forwarding(b).map(|before| match (&**a, before) {
            (a, before) if before == test(Pred::W) => a.clone(),
            (a, before) => seq([a.clone(), before]),
        }),
        _ => None,
    }
}

/// The same with another relation between the tests.
fn replace_bare(part: &Rel, by: Prim) -> Rel {
    match part {
        Rel::Seq(a, b) if matches!(**a, Rel::Test(_)) => Rel::Seq(a.clone(), Box::new(replace_bare(b, by))),
        Rel::Seq(a, b) if matches!(**b, Rel::Test(_)) => Rel::Seq(Box::new(replace_bare(a, by)), b.clone()),
        _ => prim(by),
    }
}

/// Whether a relation contains program order, by its shape.
fn has_po(theory: &Theory, rel: &Rel) -> bool {
    members(theory, rel).iter().any(|part| match part {
        Rel::Prim(Prim::Po) => true,
        Rel::Plus(a) | Rel::Star(a) => has_po(theory, a),
        _ => false,
    })
}

/// Coherence of program order, or that threads come to their ends.
fn is_plain(theory: &Theory, constraint: &Constraint) -> bool {
    match constraint {
        Constraint::Coherence(rel) => *rel == Rel::Prim(Prim::Po),
        Constraint::Acyclic(rel) => members(theory, rel)
            .iter()
            .all(|part| matches!(part, Rel::Prim(Prim::Po | Prim::PoLoc | Prim::Tc | Prim::Tj))),
        Constraint::Error { .. } => true,
        _ => false,
    }
}

fn prim(prim: Prim) -> Rel {
    Rel::Prim(prim)
}

fn test(pred: Pred) -> Rel {
    Rel::Test(Set::Pred(pred))
}

fn seq<const N: usize>(parts: [Rel; N]) -> Rel {
    parts.into_iter().reduce(|a, b| Rel::Seq(Box::new(a), Box::new(b))).unwrap_or(Rel::Id)
}

fn union(parts: impl IntoIterator<Item = Rel>) -> Rel {
    parts.into_iter().reduce(|a, b| Rel::Union(Box::new(a), Box::new(b))).unwrap_or(Rel::Empty)
}

fn nowhere() -> Span {
    Span { file: "".into(), line: 1, col: 1, len: 1 }
}
