//! The search: implicit hitting sets.
//!
//! Let an execution of the program with the changes `R` be wrong. Every set of changes under which the same
//! execution is still allowed and wrong repairs nothing, and neither does any part of it: so every repair has
//! something that the set does not have. `R` is grown as far as it goes; what is left is a clause. The
//! cheapest choice that satisfies all clauses is tried next. If the program is right with it, there is no
//! cheaper repair: every repair satisfies every clause. Its cost is a lower bound all the way.
//!
//! That a part of a set repairs no more than the set is the premise ([`crate::premise`]).

use crate::candidate::{Candidate, Change, Chosen, Site, changes};
use crate::hitting::{Constraints, NoAnswer};
use crate::judge::Judge;
use selvedge_check::{InputError, Recorded, Site as Key};
use selvedge_explore::{GaveUp, Watch};
use std::collections::{BTreeSet, HashMap};

/// A program that can be changed and checked.
pub trait Subject {
    /// What is shown of an execution that is wrong.
    type Wrong: Clone;

    /// Checks the program with these changes, by site.
    fn check(&mut self, changes: &[Change]) -> Result<Answer<Self::Wrong>, InputError>;
}

/// What a check came to.
#[derive(Clone, Debug)]
pub enum Answer<W> {
    /// Nothing is wrong; up to bounds of loops, if that is said.
    Right { bounded: bool },
    /// Executions that are wrong. The same in the form that can be judged again, where there is one.
    Wrong(Vec<(W, Option<Recorded>)>),
    /// It is not known, for this reason.
    Unknown(String),
}

/// A repair.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repair {
    pub chosen: Chosen,
    pub cost: u64,
    /// Loops were cut.
    pub bounded: bool,
}

/// How it ended.
#[derive(Clone, Debug)]
pub enum End<W> {
    /// The repairs that were asked for, the cheapest first. If fewer than asked for, there are no more.
    Repaired(Vec<Repair>),
    /// The program is right as it is.
    Right { bounded: bool },
    /// All candidates together do not prevent this.
    Hopeless(W),
    /// There is no answer, for this reason; and the best that was found, which need not be the cheapest.
    Stopped { why: String, best: Option<Repair>, found: Vec<Repair> },
}

/// What was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effort {
    /// Explorations of the program.
    pub checks: u64,
    /// Clauses that were found.
    pub clauses: u64,
    /// Executions that were judged again.
    pub judged: u64,
    /// Nothing costs less.
    pub lower_bound: u64,
    /// The best that is known.
    pub upper_bound: Option<u64>,
}

/// How many repairs are asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// So many.
    Cheapest(usize),
    /// All of which no part can be left out.
    AllMinimal,
}

/// More repairs than this are not listed.
const MOST: usize = 1000;
/// Executions that are kept to be judged again.
const MOST_KEPT: usize = 4000;
/// Orders in which an execution's choice is grown.
const ORDERS: usize = 4;
/// Rounds after which something larger is tried, to have an answer if time is over.
const PATIENCE: u64 = 12;

/// A search.
pub struct Search<'s, S: Subject> {
    pub subject: &'s mut S,
    pub sites: &'s [Site],
    /// Which site made an event, by what made it.
    pub by_key: &'s HashMap<Key, usize>,
    pub candidates: &'s [Candidate],
    /// Judges single executions; none if the model does not allow that.
    pub judge: Option<Judge>,
    pub watch: &'s Watch,
    /// A choice that is known to be right, if there is one.
    pub known: Option<Repair>,
    /// Told of how far it is.
    pub progress: &'s mut dyn FnMut(&Effort),
    pub effort: Effort,
}

/// Why a search ends early.
enum Stop {
    Error(InputError),
    Unknown(String),
}

impl From<InputError> for Stop {
    fn from(error: InputError) -> Stop {
        Stop::Error(error)
    }
}

impl From<NoAnswer> for Stop {
    fn from(error: NoAnswer) -> Stop {
        Stop::Unknown(error.to_string())
    }
}

impl<S: Subject> Search<'_, S> {
    /// Searches. That a limit was reached is an end.
    pub fn run(&mut self, wanted: Wanted) -> Result<End<S::Wrong>, InputError> {
        let mut found = Vec::new();
        match self.go(wanted, &mut found) {
            Ok(end) => Ok(end),
            Err(Stop::Error(error)) => match self.watch.reason() {
                // The limit may show as an error of what was not finished.
                Some(why) => Ok(self.stopped(why.to_string(), found)),
                None => Err(error),
            },
            Err(Stop::Unknown(why)) => {
                let why = self.watch.reason().map_or(why, |why: GaveUp| why.to_string());
                Ok(self.stopped(why, found))
            }
        }
    }

    fn stopped(&mut self, why: String, found: Vec<Repair>) -> End<S::Wrong> {
        let best = self.known.clone();
        End::Stopped { why, best: found.first().cloned().or(best), found }
    }

    fn check(&mut self, chosen: &Chosen) -> Result<Answer<S::Wrong>, Stop> {
        if let Some(why) = self.watch.reason() {
            return Err(Stop::Unknown(why.to_string()));
        }
        self.effort.checks += 1;
        let changes = changes(self.sites.len(), self.candidates, chosen);
        let answer = self.subject.check(&changes)?;
        if let Answer::Right { bounded } = &answer {
            let repair =
                Repair { cost: chosen.cost(self.candidates), chosen: chosen.clone(), bounded: *bounded };
            if self.known.as_ref().is_none_or(|known| repair.cost < known.cost) {
                self.effort.upper_bound = Some(repair.cost);
                self.known = Some(repair);
            }
        }
        (self.progress)(&self.effort);
        match answer {
            Answer::Unknown(why) => Err(Stop::Unknown(why)),
            answer => Ok(answer),
        }
    }

    fn is_still_wrong(&mut self, execution: &Recorded, chosen: &Chosen) -> bool {
        let Some(judge) = &mut self.judge else { return false };
        self.effort.judged += 1;
        let changes = changes(self.sites.len(), self.candidates, chosen);
        judge.is_still_wrong(execution, self.sites, self.by_key, &changes)
    }

    fn go(&mut self, wanted: Wanted, found: &mut Vec<Repair>) -> Result<End<S::Wrong>, Stop> {
        let n = self.candidates.len();
        self.effort.upper_bound = self.known.as_ref().map(|known| known.cost);
        let mut constraints = Constraints::default();
        let mut kept: Vec<Recorded> = Vec::new();
        let most = match wanted {
            Wanted::Cheapest(most) => most.clamp(1, MOST),
            Wanted::AllMinimal => MOST,
        };
        let mut rounds = 0;
        loop {
            let Some(choice) = constraints.cheapest(self.candidates)? else {
                // Whatever is left does all that one of those found does.
                return Ok(End::Repaired(std::mem::take(found)));
            };
            let chosen = Chosen::of(n, choice.iter().copied());
            if found.is_empty() {
                self.effort.lower_bound = chosen.cost(self.candidates);
            }
            (self.progress)(&self.effort);
            let again = (0..kept.len()).find(|&at| {
                let execution = std::mem::take(&mut kept[at]);
                let wrong = self.is_still_wrong(&execution, &chosen);
                kept[at] = execution;
                wrong
            });
            if let Some(at) = again {
                let execution = std::mem::take(&mut kept[at]);
                let new = self.clauses_of(&execution, &chosen, &mut constraints);
                kept[at] = execution;
                if new {
                    continue;
                }
            }
            match self.check(&chosen)? {
                Answer::Unknown(why) => return Err(Stop::Unknown(why)),
                Answer::Right { bounded } if chosen.is_empty() => return Ok(End::Right { bounded }),
                Answer::Right { bounded } => {
                    let cost = chosen.cost(self.candidates);
                    found.push(Repair { chosen, cost, bounded });
                    if found.len() >= most {
                        return Ok(End::Repaired(std::mem::take(found)));
                    }
                    constraints.block(choice);
                }
                Answer::Wrong(executions) => {
                    if let Some(hopeless) = self.learn(executions, &chosen, &mut constraints, &mut kept)? {
                        return Ok(match found.is_empty() {
                            true => End::Hopeless(hopeless),
                            false => End::Repaired(std::mem::take(found)),
                        });
                    }
                }
            }
            rounds += 1;
            if rounds == PATIENCE && self.known.is_none() {
                // Only to have something.
                self.check(&Chosen::all(n))?;
            }
        }
    }

    /// Adds the clauses of executions that are wrong; one that nothing prevents.
    fn learn(
        &mut self,
        executions: Vec<(S::Wrong, Option<Recorded>)>,
        chosen: &Chosen,
        constraints: &mut Constraints,
        kept: &mut Vec<Recorded>,
    ) -> Result<Option<S::Wrong>, Stop> {
        let n = self.candidates.len();
        let mut new = false;
        let first = executions.first().map(|(wrong, _)| wrong.clone());
        for (wrong, recorded) in executions {
            // If the execution as it was found is not judged to be wrong, this judge is no help.
            let Some(recorded) = recorded.filter(|r| self.is_still_wrong(r, chosen)) else { continue };
            if self.is_still_wrong(&recorded, &Chosen::all(n)) {
                return Ok(Some(wrong));
            }
            new |= self.clauses_of(&recorded, chosen, constraints);
            if kept.len() < MOST_KEPT {
                kept.push(recorded);
            }
        }
        if new {
            return Ok(None);
        }
        // By exploring: some set is wrong, and it is grown as long as it stays so.
        let mut wrong = first;
        let mut grown = chosen.clone();
        let all: Vec<usize> = chosen.others().collect();
        let mut chunks = vec![all];
        while let Some(chunk) = chunks.pop() {
            if chunk.is_empty() {
                continue;
            }
            let larger = grown.with(chunk.iter().copied());
            match self.check(&larger)? {
                Answer::Wrong(executions) => {
                    grown = larger;
                    wrong = executions.into_iter().next().map(|(wrong, _)| wrong).or(wrong);
                }
                _ if chunk.len() > 1 => {
                    let (a, b) = chunk.split_at(chunk.len() / 2);
                    chunks.push(b.to_vec());
                    chunks.push(a.to_vec());
                }
                _ => {}
            }
        }
        let clause: Vec<usize> = grown.others().collect();
        if clause.is_empty() {
            return Ok(wrong);
        }
        self.effort.clauses += 1;
        constraints.add(clause);
        Ok(None)
    }

    /// Adds what an execution says; whether that is something new.
    fn clauses_of(&mut self, execution: &Recorded, chosen: &Chosen, constraints: &mut Constraints) -> bool {
        let mut orders: Vec<Vec<usize>> = Vec::new();
        let mut by_cost: Vec<usize> = chosen.others().collect();
        by_cost.sort_by_key(|c| (std::cmp::Reverse(self.candidates[*c].cost), *c));
        orders.push(by_cost.clone());
        let mut turned = by_cost.clone();
        turned.reverse();
        orders.push(turned);
        for part in 1..ORDERS - 1 {
            let mut turned = by_cost.clone();
            turned.rotate_left(by_cost.len() * part / (ORDERS - 1));
            orders.push(turned);
        }
        let mut clauses: BTreeSet<Vec<usize>> = BTreeSet::new();
        for order in orders {
            clauses.insert(self.grown(execution, chosen, order));
        }
        let mut new = false;
        for clause in clauses {
            if constraints.add(clause) {
                self.effort.clauses += 1;
                new = true;
            }
        }
        new
    }

    /// What is left when a choice is grown, in this order, as long as the execution stays wrong.
    fn grown(&mut self, execution: &Recorded, chosen: &Chosen, order: Vec<usize>) -> Vec<usize> {
        let mut grown = chosen.clone();
        let mut chunks = vec![order];
        while let Some(chunk) = chunks.pop() {
            if chunk.is_empty() {
                continue;
            }
            let larger = grown.with(chunk.iter().copied());
            if self.is_still_wrong(execution, &larger) {
                grown = larger;
            } else if chunk.len() > 1 {
                let (a, b) = chunk.split_at(chunk.len() / 2);
                chunks.push(b.to_vec());
                chunks.push(a.to_vec());
            }
        }
        grown.others().collect()
    }
}
