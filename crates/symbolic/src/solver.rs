//! Questions about facts, and what was answered before.
//!
//! Facts that have no unknown in common do not bear on each other, so a question is taken apart first; parts
//! of it have often been asked before. Numbers of which earlier facts held are tried before anything is
//! solved: most questions are whether something may still happen, and most things may.

use crate::blast::Blaster;
use crate::eval::Model;
use crate::sat::Outcome;
use crate::term::{Term, Terms};
use std::collections::HashMap;
use std::sync::Arc;

/// How many conflicts a question may take: a few seconds at worst.
const CONFLICTS: u64 = 40_000;

/// How many solutions are kept to be tried again.
const MODELS: usize = 12;

/// Whether numbers exist of which facts hold.
#[derive(Clone, Debug)]
pub enum Answer {
    /// They do: these.
    Yes(Arc<Model>),
    No,
    /// It would take too long to find out, or something is among the facts that nobody can tell.
    NobodyKnows,
}

impl Answer {
    pub fn is_no(&self) -> bool {
        matches!(self, Answer::No)
    }

    pub fn is_yes(&self) -> bool {
        matches!(self, Answer::Yes(_))
    }
}

/// The values that a term may have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Values {
    /// All of them, in order.
    All(Vec<u128>),
    /// There are more than were asked for. These are some.
    More(Vec<u128>),
    NobodyKnows,
}

#[derive(Debug, Default)]
pub struct Solver {
    /// By facts, in order, that hang together.
    known: HashMap<Box<[Term]>, Answer>,
    /// Solutions, the latest first.
    models: Vec<Arc<Model>>,
    pub questions: u64,
    pub solved: u64,
}

impl Solver {
    /// Whether all facts may hold at once.
    pub fn check(&mut self, terms: &Terms, facts: &[Term]) -> Answer {
        self.questions += 1;
        let mut facts: Vec<Term> = facts.iter().copied().filter(|f| terms.as_const(*f) != Some(1)).collect();
        if facts.iter().any(|f| terms.as_const(*f) == Some(0)) {
            return Answer::No;
        }
        facts.sort_unstable();
        facts.dedup();
        let parts = apart(terms, &facts);
        let mut whole = Model::default();
        let mut unsure = false;
        for part in parts {
            match self.check_part(terms, part) {
                Answer::Yes(model) => whole.values.extend(model.values.iter().map(|(t, v)| (*t, *v))),
                Answer::No => return Answer::No,
                Answer::NobodyKnows => unsure = true,
            }
        }
        if unsure { Answer::NobodyKnows } else { Answer::Yes(Arc::new(whole)) }
    }

    /// Whether a fact may hold besides others that may hold without it.
    pub fn may_hold(&mut self, terms: &Terms, facts: &[Term], fact: Term) -> Answer {
        // What has nothing to do with it makes no difference.
        let mut reached: Vec<Term> = terms.unknowns(fact).to_vec();
        let mut open: Vec<Term> = facts.to_vec();
        let mut about = vec![fact];
        loop {
            let before = about.len();
            open.retain(|f| {
                let of = terms.unknowns(*f);
                if of.iter().all(|u| reached.binary_search(u).is_err()) {
                    return true;
                }
                about.push(*f);
                for u in of {
                    if let Err(at) = reached.binary_search(u) {
                        reached.insert(at, *u);
                    }
                }
                false
            });
            if about.len() == before {
                break;
            }
        }
        self.check(terms, &about)
    }

    /// The values that a term may have where facts hold, up to `most` of them.
    pub fn values(&mut self, terms: &mut Terms, facts: &[Term], term: Term, most: usize) -> Values {
        let width = terms.width(term);
        let mut asked = facts.to_vec();
        let mut found: Vec<u128> = Vec::new();
        loop {
            let answer = match asked.last() {
                Some(other) if !found.is_empty() => self.may_hold(terms, facts, *other),
                _ => self.about(terms, facts, term),
            };
            match answer {
                Answer::NobodyKnows => return Values::NobodyKnows,
                Answer::No => {
                    found.sort_unstable();
                    return Values::All(found);
                }
                Answer::Yes(model) => {
                    let value = terms.eval(term, &model);
                    if found.len() == most {
                        return Values::More(found);
                    }
                    found.push(value);
                    // One fact says of all that were found that it is none of them.
                    let value = terms.constant(width, value);
                    let other = terms.eq(term, value);
                    let mut other = terms.not(other);
                    if found.len() > 1
                        && let Some(before) = asked.pop()
                    {
                        other = terms.and(before, other);
                    }
                    asked.push(other);
                }
            }
        }
    }

    /// A solution of the facts that bear on a term.
    fn about(&mut self, terms: &Terms, facts: &[Term], term: Term) -> Answer {
        if terms.is_opaque(term) {
            return Answer::NobodyKnows;
        }
        self.check(terms, facts_about(terms, facts, term).as_slice())
    }

    fn check_part(&mut self, terms: &Terms, part: Vec<Term>) -> Answer {
        let key: Box<[Term]> = part.into();
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let answer = self.find(terms, &key);
        if let Answer::Yes(model) = &answer {
            self.models.insert(0, Arc::clone(model));
            self.models.truncate(MODELS);
        }
        self.known.insert(key, answer.clone());
        answer
    }

    fn find(&mut self, terms: &Terms, facts: &[Term]) -> Answer {
        if facts.iter().any(|f| terms.is_opaque(*f)) {
            return Answer::NobodyKnows;
        }
        let fits = |model: &Arc<Model>| {
            let mut known = HashMap::new();
            facts.iter().rev().all(|f| terms.eval_with(*f, model, &mut known) == 1)
        };
        if let Some(model) = self.models.iter().find(|m| fits(m)) {
            return Answer::Yes(Arc::new(only(terms, facts, model)));
        }
        self.solved += 1;
        let mut blaster = Blaster::new(terms);
        facts.iter().for_each(|f| blaster.assert(*f));
        match blaster.sat.solve(CONFLICTS) {
            Outcome::Unsatisfiable => Answer::No,
            Outcome::GaveUp => Answer::NobodyKnows,
            Outcome::Satisfiable => {
                let mut model = Model::default();
                for f in facts {
                    for u in terms.unknowns(*f) {
                        model.set(*u, blaster.value(*u));
                    }
                }
                debug_assert!(facts.iter().all(|f| terms.eval(*f, &model) == 1));
                Answer::Yes(Arc::new(model))
            }
        }
    }
}

/// What a solution says of the unknowns of some facts.
fn only(terms: &Terms, facts: &[Term], model: &Model) -> Model {
    let mut of = Model::default();
    facts.iter().flat_map(|f| terms.unknowns(*f)).for_each(|u| of.set(*u, model.get(*u)));
    of
}

/// The facts that bear on a term.
fn facts_about(terms: &Terms, facts: &[Term], term: Term) -> Vec<Term> {
    let parts = apart(terms, facts);
    let of = terms.unknowns(term);
    let touches = |part: &Vec<Term>| part.iter().any(|f| terms.unknowns(*f).iter().any(|u| of.contains(u)));
    parts.into_iter().filter(touches).flatten().collect()
}

/// Facts that have unknowns in common, directly or through others, stay together; each part is in order.
fn apart(terms: &Terms, facts: &[Term]) -> Vec<Vec<Term>> {
    if let [only] = facts {
        return vec![vec![*only]];
    }
    let mut part_of: HashMap<Term, usize> = HashMap::new();
    let mut parts: Vec<Vec<Term>> = Vec::new();
    for &fact in facts {
        let mut into = None;
        for u in terms.unknowns(fact) {
            let Some(&at) = part_of.get(u) else { continue };
            match into {
                None => into = Some(at),
                Some(first) if first != at => {
                    let moved = std::mem::take(&mut parts[at]);
                    parts[first].extend(moved);
                    part_of.values_mut().filter(|p| **p == at).for_each(|p| *p = first);
                }
                Some(_) => {}
            }
        }
        let at = into.unwrap_or_else(|| {
            parts.push(Vec::new());
            parts.len() - 1
        });
        parts[at].push(fact);
        terms.unknowns(fact).iter().for_each(|u| _ = part_of.insert(*u, at));
    }
    parts.retain(|part| !part.is_empty());
    parts.iter_mut().for_each(|part| part.sort_unstable());
    parts
}
