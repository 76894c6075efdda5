//! Minimum-cost hitting sets, exactly.
//!
//! The solver is `microlp`: integer programs by branch and bound in Rust alone, which proves that there is no
//! better solution. Others that were looked at: `highs` needs a C++ compiler and CMake; `rustsat` with
//! `batsat` would need an encoding of weighted sums for what is a sum of products here; `splr` has a licence
//! that asks more; `varisat` is not kept any more.

use crate::candidate::Candidate;
use microlp::{ComparisonOp, Error, OptimizationDirection, Problem, Variable};
use std::collections::{BTreeMap, BTreeSet};

/// What every choice of candidates has to satisfy.
#[derive(Clone, Debug, Default)]
pub struct Constraints {
    /// At least one of each.
    clauses: BTreeSet<Vec<usize>>,
    /// Choices that were found already: no other may do all that one of them does.
    blocked: Vec<Vec<usize>>,
}

/// There is no answer from the solver.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the solver for hitting sets gave up: {0}")]
pub struct NoAnswer(String);

impl Constraints {
    /// Adds a clause; whether it says something new.
    pub fn add(&mut self, clause: Vec<usize>) -> bool {
        let within = |small: &[usize], large: &[usize]| small.iter().all(|c| large.binary_search(c).is_ok());
        if self.clauses.iter().any(|old| within(old, &clause)) {
            return false;
        }
        self.clauses.retain(|old| !within(&clause, old));
        self.clauses.insert(clause)
    }

    /// No other choice is to have all of this one.
    pub fn block(&mut self, choice: Vec<usize>) {
        self.blocked.push(choice);
    }

    /// The cheapest choice; `None` if there is none.
    pub fn cheapest(&self, candidates: &[Candidate]) -> Result<Option<Vec<usize>>, NoAnswer> {
        if self.clauses.iter().any(Vec::is_empty) || self.blocked.iter().any(Vec::is_empty) {
            return Ok(None);
        }
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        let mut variables: BTreeMap<usize, Variable> = BTreeMap::new();
        for number in self.clauses.iter().flatten() {
            let cost = candidates[*number].cost as f64;
            variables.entry(*number).or_insert_with(|| problem.add_binary_var(cost));
        }
        for clause in &self.clauses {
            let sum: Vec<(Variable, f64)> = clause.iter().map(|c| (variables[c], 1.0)).collect();
            problem.add_constraint(&sum, ComparisonOp::Ge, 1.0);
        }
        for choice in &self.blocked {
            // One of its parts is done by nothing.
            let mut parts = Vec::new();
            for part in choice {
                let done = problem.add_binary_var(0.0);
                parts.push((done, 1.0));
                let doing = variables.iter().filter(|(c, _)| candidates[**c].covers(&candidates[*part]));
                for (_, variable) in doing {
                    problem.add_constraint([(done, 1.0), (*variable, -1.0)], ComparisonOp::Ge, 0.0);
                }
                // Two orderings of one access may do it together.
                for (a, first) in &variables {
                    for (b, second) in variables.range(a + 1..) {
                        if candidates[*a].covers_with(&candidates[*b], &candidates[*part]) {
                            let sum = [(done, 1.0), (*first, -1.0), (*second, -1.0)];
                            problem.add_constraint(sum, ComparisonOp::Ge, -1.0);
                        }
                    }
                }
            }
            problem.add_constraint(&parts, ComparisonOp::Le, choice.len() as f64 - 1.0);
        }
        if self.clauses.is_empty() {
            return Ok(self.blocked.is_empty().then(Vec::new));
        }
        let solution = match problem.solve() {
            Ok(outcome) if outcome.is_optimal() => {
                outcome.into_solution().map_err(|_| NoAnswer(String::from("interrupted")))?
            }
            Ok(_) => return Err(NoAnswer(String::from("it did not come to an end"))),
            Err(Error::Infeasible) => return Ok(None),
            Err(error) => return Err(NoAnswer(error.to_string())),
        };
        let chosen = variables.iter().filter(|(_, variable)| solution.var_value(**variable) > 0.5);
        let chosen: Vec<usize> = chosen.map(|(number, _)| *number).collect();
        debug_assert!(self.clauses.iter().all(|clause| clause.iter().any(|c| chosen.contains(c))));
        Ok(Some(chosen))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate::Effect;
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};
    use selvedge_graph::Mode;

    #[test]
    fn the_choice_costs_as_little_as_the_best_of_all_subsets() {
        let mut rng = SmallRng::seed_from_u64(7);
        for round in 0..400 {
            let n = rng.random_range(1..10usize);
            let candidates: Vec<Candidate> = (0..n)
                .map(|site| Candidate {
                    site,
                    effect: Effect::Order(Mode::Acq),
                    cost: rng.random_range(1..300),
                })
                .collect();
            let mut constraints = Constraints::default();
            let mut clauses = Vec::new();
            for _ in 0..rng.random_range(1..9) {
                let clause: Vec<usize> = (0..n).filter(|_| rng.random_bool(0.35)).collect();
                if !clause.is_empty() {
                    clauses.push(clause.clone());
                    constraints.add(clause);
                }
            }
            let mut blocked: Vec<Vec<usize>> = Vec::new();
            for _ in 0..2 {
                let hits = |set: u32| clauses.iter().all(|clause| clause.iter().any(|c| set >> c & 1 == 1));
                let free = |set: u32| blocked.iter().all(|b| b.iter().any(|c| set >> c & 1 == 0));
                let cost =
                    |set: u32| (0..n).filter(|c| set >> c & 1 == 1).map(|c| candidates[c].cost).sum::<u64>();
                let best = (0..1u32 << n).filter(|set| hits(*set) && free(*set)).map(cost).min();
                let found = constraints.cheapest(&candidates).expect("it comes to an end");
                let of_found = found.as_ref().map(|f| f.iter().map(|c| candidates[*c].cost).sum::<u64>());
                assert_eq!(of_found, best, "round {round}: {clauses:?} {blocked:?}");
                let Some(found) = found else { break };
                constraints.block(found.clone());
                blocked.push(found);
            }
        }
    }
}
