//! Questions about facts, and what was answered before.
//!
//! Facts that have no unknown in common do not bear on each other, so a question is taken apart first;
//! parts of it have often been asked before. Numbers of which earlier facts held are tried before anything
//! is solved: most questions are whether something may still happen, and most things may.

use crate::blast::Blaster;
use crate::eval::Model;
use crate::ranges::Ranges;
use crate::sat::{Lit, Outcome};
use crate::term::{Term, Terms};
use std::collections::HashMap;
use std::sync::Arc;

/// How many clauses may be looked at for a question: about a second.
const WORK: u64 = 60_000_000;

/// How many answers are kept.
const ANSWERS: usize = 200_000;

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
    /// By facts, a term, and how many values of it were asked for.
    values: HashMap<Box<[Term]>, Values>,
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

    /// Whether a fact is decided by others that may hold, where that is seen at once.
    pub fn decides(&self, terms: &Terms, facts: &[Term], fact: Term) -> Option<bool> {
        Ranges::of(terms, facts).decides(fact)
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
    pub fn values(&mut self, terms: &Terms, facts: &[Term], term: Term, most: usize) -> Values {
        self.questions += 1;
        let facts = facts_about(terms, facts, term);
        if terms.is_opaque(term) || facts.iter().any(|f| terms.is_opaque(*f)) {
            return Values::NobodyKnows;
        }
        let mut key = facts.clone();
        key.extend([term, Term(most as u32)]);
        if let Some(known) = self.values.get(key.as_slice()) {
            return known.clone();
        }
        let values = self.find_values(terms, &facts, term, most);
        if self.values.len() >= ANSWERS {
            self.values.clear();
        }
        self.values.insert(key.into(), values.clone());
        values
    }

    fn find_values(&mut self, terms: &Terms, facts: &[Term], term: Term, most: usize) -> Values {
        self.solved += 1;
        let mut blaster = Blaster::new(terms);
        facts.iter().for_each(|f| blaster.assert(*f));
        let bits = blaster.bits(term);
        let mut found: Vec<u128> = Vec::new();
        loop {
            match blaster.sat.solve(WORK) {
                Outcome::GaveUp => return Values::NobodyKnows,
                Outcome::Unsatisfiable => {
                    found.sort_unstable();
                    return Values::All(found);
                }
                Outcome::Satisfiable if found.len() == most => return Values::More(found),
                Outcome::Satisfiable => {}
            }
            // Any but this one.
            let is: Vec<bool> = bits.iter().map(|bit| blaster.sat.is_true(*bit)).collect();
            found.push(is.iter().rev().fold(0, |value, is| value << 1 | *is as u128));
            let differ = bits.iter().zip(&is).map(|(bit, is)| if *is { bit.not() } else { *bit });
            let differ: Vec<Lit> = differ.collect();
            blaster.sat.reopen();
            blaster.sat.clause(&differ);
        }
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
        if self.known.len() >= ANSWERS {
            self.known.clear();
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
        match blaster.sat.solve(WORK) {
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
