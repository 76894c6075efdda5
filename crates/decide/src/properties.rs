//! Properties of one model (thesis §3.8).

use crate::answer::{Verdict, admits, stronger};
use crate::context::Refusal;
use crate::reorder::replaced;
use crate::search::Limits;
use crate::used::Used;
use crate::witness::Example;
use selvedge_certify::eval::Judge;
use selvedge_certify::execution::Relations;
use selvedge_kat::ast::{Axiom, Constraint, Pred, Prim, Rel, Set, Theory};
use selvedge_kat::{Sign, Subterm, Walk};

/// What is known of a property.
#[derive(Clone, Debug)]
pub enum Has {
    Yes,
    No(String),
    Unknown(String),
}

/// Everything under a complement or on the right of a difference.
#[derive(Default)]
pub(crate) struct Negative {
    pub prims: Vec<Prim>,
    preds: Vec<Pred>,
}

pub(crate) fn negative(theory: &Theory) -> Negative {
    let mut out = Negative::default();
    let bodies = theory.defs.iter().map(|def| (Subterm::from(&def.body), Sign::Positive));
    let demands = theory.axioms.iter().map(|axiom| &axiom.constraint).filter(|c| !c.is_error());
    let rels = demands.flat_map(Constraint::signed).map(|(rel, sign)| (Subterm::Rel(rel), sign));
    let mut walk = Walk::new(theory);
    for (part, sign) in bodies.chain(rels) {
        walk.visit(part, sign, &mut |part, sign| match part {
            _ if sign == Sign::Positive => {}
            Subterm::Rel(Rel::Prim(prim)) => out.prims.push(*prim),
            Subterm::Set(Set::Pred(pred)) => out.preds.push(*pred),
            _ => {}
        });
    }
    out
}

pub(crate) fn used(theory: &Theory) -> Used {
    let mut used = Used::default();
    used.axioms(theory);
    used
}

/// `acyclic r`, as a model.
fn acyclic(prims: &[Prim], name: &str) -> Theory {
    let union = prims.iter().map(|p| Rel::Prim(*p)).reduce(|a, b| Rel::Union(Box::new(a), Box::new(b)));
    let span = selvedge_kat::Span { file: "".into(), line: 1, col: 1, len: 1 };
    let axiom = Axiom {
        constraint: Constraint::Acyclic(union.unwrap_or(Rel::Empty)),
        name: None,
        unless: None,
        extra: false,
        span,
    };
    Theory {
        name: name.into(),
        defs: vec![],
        axioms: vec![axiom],
        assumes: vec![],
        asserts: vec![],
        properties: vec![],
        recovery: vec![],
    }
}

/// Whether no value comes out of thin air: dependencies and `rf` have no cycle.
pub fn no_thin_air(theory: &Theory, limits: Limits) -> Result<Has, Refusal> {
    let prims: &[(&[Prim], &str)] = &[
        (&[Prim::Po, Prim::Rf], "po | rf"),
        (&[Prim::Addr, Prim::Data, Prim::Ctrl, Prim::Rf], "addr | data | ctrl | rf"),
    ];
    let mut last = Has::Unknown(String::new());
    for (prims, name) in prims {
        match &stronger(theory, &acyclic(prims, name), &[], limits)?[0].verdict {
            Verdict::Holds => return Ok(Has::Yes),
            Verdict::Fails(c) if *name != "po | rf" => last = Has::No(c.word.clone()),
            Verdict::Fails(_) => {}
            Verdict::Unknown(why) => last = Has::Unknown(why.clone()),
        }
    }
    Ok(last)
}

/// Whether taking away events that nothing depends on keeps an execution consistent.
pub fn prefix_closed(theory: &Theory) -> Has {
    let under = negative(theory);
    if let Some(p) =
        under.prims.iter().find(|p| !matches!(p, Prim::Loc | Prim::Int | Prim::Ext | Prim::PoLoc))
    {
        return Has::Unknown(format!("`{}` is under a complement or a difference", p.name()));
    }
    if theory.demands().any(|a| a.unless.is_some()) {
        return Has::Unknown("an axiom has an `unless`".into());
    }
    Has::Yes
}

/// Whether an event can always be added at the end.
pub fn extensible(theory: &Theory) -> Has {
    if theory.demands().any(|a| matches!(a.constraint, Constraint::Empty(_) | Constraint::Inclusion(_))) {
        return Has::Unknown("an axiom asks for emptiness or an inclusion".into());
    }
    let used = used(theory);
    let plain = |p: &&Prim| {
        !matches!(
            p,
            Prim::Po
                | Prim::PoLoc
                | Prim::Rf
                | Prim::Rfe
                | Prim::Rfi
                | Prim::Co
                | Prim::Coe
                | Prim::Coi
                | Prim::Fr
                | Prim::Fre
                | Prim::Fri
                | Prim::Rmw
                | Prim::Tc
                | Prim::Tj
                | Prim::Addr
                | Prim::Data
                | Prim::Ctrl
                | Prim::Loc
        )
    };
    match used.prims.iter().find(plain) {
        Some(p) => Has::Unknown(format!("`{}` may lead out of the last event", p.name())),
        None => prefix_closed(theory),
    }
}

/// Whether stronger orderings of accesses allow no more.
pub fn monotone_in_orderings(theory: &Theory) -> Has {
    let exact =
        |p: &&Pred| matches!(p, Pred::Rlx | Pred::Na | Pred::ExactRel | Pred::ExactAcq | Pred::ExactAcqRel);
    if let Some(p) = used(theory).preds.iter().find(exact) {
        return Has::Unknown(format!("`{}` holds of exactly one ordering", p.name()));
    }
    let ordering = |p: &&Pred| matches!(p, Pred::Sc | Pred::Acq | Pred::Rel | Pred::Atomic);
    match negative(theory).preds.iter().find(ordering) {
        Some(p) => Has::Unknown(format!("`{}` is under a complement or a difference", p.name())),
        None => Has::Yes,
    }
}

/// Whether putting two threads after each other in one allows no more: whether an execution that is
/// consistent stays so if a thread is cut in two.
pub fn monotone_in_threads(theory: &Theory, limits: Limits) -> Result<Has, Refusal> {
    let tells = |p: &Prim| {
        use Prim::{Coe, Coi, Detour, Ext, Fre, Fri, Int, PoImm, Rfe, Rfi};
        matches!(p, Rfe | Rfi | Coe | Coi | Fre | Fri | Int | Ext | Detour | PoImm)
    };
    // Same locations stay the same, so that `po-loc` may be taken away.
    let under = negative(theory).prims;
    if let Some(p) = under.iter().find(|p| tells(p) || matches!(p, Prim::Po | Prim::Tc | Prim::Tj)) {
        return Ok(Has::Unknown(format!("`{}` is under a complement or a difference", p.name())));
    }
    if !used(theory).prims.iter().any(tells) {
        return Ok(Has::Yes);
    }
    // Cutting takes steps away from what is inside of a thread, and adds them to what is between.
    let prim = |p| Box::new(Rel::Prim(p));
    let cut = replaced(theory, &|p| match p {
        Prim::Rfe => Some(Rel::Prim(Prim::Rf)),
        Prim::Coe => Some(Rel::Prim(Prim::Co)),
        Prim::Fre => Some(Rel::Prim(Prim::Fr)),
        Prim::Ext => Some(Rel::Prim(Prim::Any)),
        Prim::Detour => {
            Some(Rel::Inter(prim(Prim::PoLoc), Box::new(Rel::Seq(prim(Prim::Co), prim(Prim::Rf)))))
        }
        _ => None,
    });
    let judge = Judge::new(theory).map_err(|e| Refusal::Other(e.to_string()))?;
    let mut result = Has::Yes;
    for a in stronger(theory, &cut, &[], limits)? {
        match a.verdict {
            Verdict::Holds => {}
            Verdict::Fails(c) if forbidden_when_cut(&c.example, &judge) => return Ok(Has::No(c.word)),
            Verdict::Fails(c) => {
                result = Has::Unknown(format!("{} counts if it is between threads", c.word));
            }
            Verdict::Unknown(why) => result = Has::Unknown(why),
        }
    }
    Ok(result)
}

/// Whether an execution is forbidden when one of its threads is cut in two.
fn forbidden_when_cut(example: &Example, judge: &Judge) -> bool {
    let (events, old) = (&example.events, &example.relations);
    (2..events.len()).any(|x| {
        if events[x].tid != events[x - 1].tid || old.rmw.has(x - 1, x) {
            return false;
        }
        let (mut cut, tid, first) = (events.clone(), events[x].tid, events[x].idx);
        for e in &mut cut[x..] {
            if e.tid == tid {
                e.idx -= first - 1;
            }
            e.tid += 1;
        }
        let mut r = Relations::of(&cut);
        (r.rf, r.co, r.fr) = (old.rf, old.co, old.fr);
        !admits(judge, &cut, &r)
    })
}
