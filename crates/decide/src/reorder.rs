//! Which accesses a model lets be reordered (thesis §3.4.2).

use crate::answer::{Verdict, admits, stronger};
use crate::context::Refusal;
use crate::properties::{Has, negative, used};
use crate::search::Limits;
use crate::witness::Example;
use selvedge_certify::eval::Judge;
use selvedge_certify::execution::{Event, Relations};
use selvedge_graph::{Kind, Mode};
use selvedge_kat::ast::{DefBody, Pred, Prim, Rel, Set, Theory};

/// One sort of access, for the table of reorderings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    pub kind: Kind,
    pub mode: Mode,
}

impl Access {
    /// The accesses of C.
    pub fn all() -> Vec<Access> {
        let of = |kind, modes: &[Mode]| modes.iter().map(move |mode| Access { kind, mode: *mode }).collect();
        let mut out: Vec<Access> = of(Kind::Read, &[Mode::Na, Mode::Rlx, Mode::Acq, Mode::Sc]);
        let writes: Vec<Access> = of(Kind::Write, &[Mode::Na, Mode::Rlx, Mode::Rel, Mode::Sc]);
        out.extend(writes);
        out
    }

    pub fn name(self) -> String {
        format!("{}[{}]", if self.kind == Kind::Read { "R" } else { "W" }, self.mode)
    }

    /// Accesses of this sort that are no halves of read-modify-writes.
    fn set(self) -> Set {
        let (kind, half) = if self.kind == Kind::Read { (Pred::R, Pred::Ur) } else { (Pred::W, Pred::Uw) };
        let mode = match self.mode {
            Mode::Na => Pred::Na,
            Mode::Rlx => Pred::Rlx,
            Mode::Acq => Pred::ExactAcq,
            Mode::Rel => Pred::ExactRel,
            Mode::AcqRel => Pred::ExactAcqRel,
            Mode::Sc => Pred::Sc,
            // Not among those that are asked about.
            _ => Pred::Never,
        };
        let both = Set::Inter(Box::new(Set::Pred(kind)), Box::new(Set::Pred(mode)));
        Set::Diff(Box::new(both), Box::new(Set::Pred(half)))
    }
}

/// The accesses that a model does not tell from each other, by number: what it says of one it says of
/// the others of its sort.
pub fn sorts(theory: &Theory, accesses: &[Access]) -> Vec<usize> {
    let preds = used(theory).preds;
    let key = |a: &Access| -> (bool, Vec<bool>) {
        let event = Event::new(a.kind, a.mode);
        (a.kind == Kind::Read, preds.iter().map(|p| event.satisfies(*p)).collect())
    };
    let keys: Vec<_> = accesses.iter().map(key).collect();
    keys.iter().map(|k| keys.iter().position(|other| other == k).unwrap_or(0)).collect()
}

/// Whether `first ; second` on different locations, without dependencies, may be executed the other
/// way round. It may if the model is the same without `po` from the one to the other (thesis §3.4.2).
/// It may not if an execution that the model forbids becomes one that it allows.
pub fn may_swap(theory: &Theory, first: Access, second: Access, limits: Limits) -> Result<Has, Refusal> {
    let used = used(theory);
    if used.prims.contains(&Prim::PoImm) {
        return Ok(Has::Unknown("`po-imm` sees every change of the order".into()));
    }
    if negative(theory).prims.contains(&Prim::Po) {
        return Ok(Has::Unknown("`po` is under a complement or a difference".into()));
    }
    let gone = Rel::Diff(Box::new(Rel::Cross(first.set(), second.set())), Box::new(Rel::Prim(Prim::Loc)));
    let po = Rel::Diff(Box::new(Rel::Prim(Prim::Po)), Box::new(gone));
    let less = without(theory, &po);
    let judge = Judge::new(theory).map_err(|e| Refusal::Other(e.to_string()))?;
    let mut result = Has::Yes;
    for a in stronger(&less, theory, &[], limits)? {
        match a.verdict {
            Verdict::Holds => {}
            Verdict::Fails(c) if allowed_when_swapped(&c.example, first, second, &judge) => {
                return Ok(Has::No(c.word));
            }
            Verdict::Fails(c) => {
                result = Has::Unknown(format!(
                    "the order matters in {}, but swapping the accesses there does not help",
                    c.word
                ));
            }
            Verdict::Unknown(why) => result = Has::Unknown(why),
        }
    }
    Ok(result)
}

/// Whether an execution is allowed when such accesses that are next to each other are swapped: one
/// pair of them, or all.
fn allowed_when_swapped(example: &Example, first: Access, second: Access, judge: &Judge) -> bool {
    let events = &example.events;
    let is = |e: &Event, a: Access| e.kind == a.kind && e.mode == a.mode && !e.rmw;
    let pairs: Vec<usize> = (1..events.len().saturating_sub(1))
        .filter(|x| {
            let (a, b) = (&events[*x], &events[x + 1]);
            a.tid == b.tid && a.loc != b.loc && is(a, first) && is(b, second)
        })
        .collect();
    // Of pairs that overlap, each for itself only.
    let apart = pairs.windows(2).all(|w| w[0] + 1 < w[1]);
    let mut choices: Vec<Vec<usize>> = pairs.iter().map(|x| vec![*x]).collect();
    if apart && pairs.len() > 1 {
        choices.push(pairs);
    }
    choices.iter().any(|choice| {
        let mut place: Vec<usize> = (0..events.len()).collect();
        for x in choice {
            place.swap(*x, x + 1);
        }
        let mut swapped: Vec<Event> = place.iter().map(|x| events[*x]).collect();
        for (e, old) in swapped.iter_mut().zip(events) {
            e.idx = old.idx;
        }
        let mut r = Relations::of(&swapped);
        let old = &example.relations;
        for x in 0..events.len() {
            for y in 0..events.len() {
                let pairs = [(&old.rf, &mut r.rf), (&old.co, &mut r.co), (&old.fr, &mut r.fr)];
                for (from, to) in pairs {
                    if from.has(place[x], place[y]) {
                        to.set(x, y);
                    }
                }
            }
        }
        admits(judge, &swapped, &r)
    })
}

/// The theory with less program order. That a thread's events are before it is joined and after it is
/// created does not depend on their order.
fn without(theory: &Theory, po: &Rel) -> Theory {
    let opt = || Box::new(Rel::Opt(Box::new(Rel::Prim(Prim::Po))));
    let prim = |p| Box::new(Rel::Prim(p));
    let tc = Rel::Seq(prim(Prim::Tc), opt());
    let tj = Rel::Seq(opt(), prim(Prim::Tj));
    replaced(theory, &|p| match p {
        Prim::Po => Some(po.clone()),
        Prim::Tc => Some(tc.clone()),
        Prim::Tj => Some(tj.clone()),
        _ => None,
    })
}

/// The theory with something else for built-in relations.
pub(crate) fn replaced(theory: &Theory, by: &dyn Fn(Prim) -> Option<Rel>) -> Theory {
    let mut t = theory.clone();
    for def in &mut t.defs {
        if let DefBody::Rel(r) = &mut def.body {
            replace(r, by);
        }
    }
    for axiom in t.axioms.iter_mut().filter(|axiom| !axiom.constraint.is_error()) {
        axiom.constraint.rels_mut().for_each(|rel| replace(rel, by));
    }
    t
}

fn replace(r: &mut Rel, by: &dyn Fn(Prim) -> Option<Rel>) {
    match r {
        Rel::Prim(prim) => *r = by(*prim).unwrap_or(Rel::Prim(*prim)),
        _ => r.rels_mut().for_each(|part| replace(part, by)),
    }
}
