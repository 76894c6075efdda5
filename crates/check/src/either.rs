//! Executions, or states: whichever comes to an end.
//!
//! An exploration remembers nothing, so a loop of a thousand steps beside another one has more executions
//! than anybody can wait for, and a thread that goes round for ever is explored up to a bound. Both often
//! have few *states*. So where the exploration is not over soon, or ends at a bound, all states are searched,
//! if there are not too many; and if there are, it goes on as it would have.
//!
//! That is done where both answer the same question: under sequential consistency (a model whose text is a
//! reordering table that reorders nothing), where data races are not looked for, or the program is one of
//! which the search finds all ([`adjacent`](crate::adjacent)), nor leaks, and nobody asks for anything else
//! that only executions have. The search has no bounds of loops, so what it verifies is verified; what it
//! does not support it refuses.
//!
//! Before that come interleavings that are taken at random: an error of a program of many threads may be
//! among the first of them, and far from where exploration and search begin.

use crate::check::{Check, FOUND_AS_RACES, Program, UNSET};
use crate::error::InputError;
use crate::limits::Limits;
use crate::observer::Observer;
use crate::options::Options;
use crate::outcome::{Outcome, Undecided};
use crate::states::{Searched, Searching};
use crate::verdict::Verdict;
use selvedge_explore::{Equivalence, GaveUp};
use selvedge_machine::ErrorKind;
use selvedge_states::Table;
use std::time::Instant;

/// So many executions are explored before anything is searched.
const FEW: u64 = 1_000;

/// And for so long at most, as a part of the time that there is.
const BRIEFLY: f64 = 0.1;

/// The part of what is left then that is for the search.
const SEARCHING: f64 = 0.4;

/// The same where the exploration will end at a bound.
const MOSTLY_SEARCHING: f64 = 0.8;

/// So many states are searched at most.
const STATES: usize = 1_500_000;

/// So many steps are walked at random before.
const STEPS: u64 = 100_000;

/// And for so long at most, as a part of the time that is left.
const WALKING: f64 = 0.1;

/// What a check came to, by one engine or the other.
#[derive(Debug)]
pub enum Answer {
    /// By exploring executions.
    Explored(Box<Outcome>),
    /// By searching states.
    Searched(Box<Searched>),
}

impl Check {
    /// Checks by whichever engine comes to an end. An error means that there is nothing to check.
    pub fn answer(&self, observer: &mut dyn Observer) -> Result<Answer, InputError> {
        let Some(asked) = self.asked_for_unset() else { return self.either(observer) };
        let start = Instant::now();
        let answer = asked.either(observer)?;
        let uses_unset = match &answer {
            Answer::Explored(outcome) => outcome.violations.iter().any(|violation| violation.kind == UNSET),
            Answer::Searched(searched) => searched.violations.iter().any(|violation| violation.kind == UNSET),
        };
        if !uses_unset {
            return Ok(answer);
        }
        // What is not known is not searched.
        let outcome = self.any_values(start, observer)?.run_with(observer)?;
        Ok(Answer::Explored(Box::new(outcome)))
    }

    fn either(&self, observer: &mut dyn Observer) -> Result<Answer, InputError> {
        if !self.may_search() {
            return Ok(Answer::Explored(Box::new(self.run_with(observer)?)));
        }
        let start = Instant::now();
        let options = Options { at_first: Some(FEW), ..self.options.clone() };
        let brief = Check { options, ..self.left_of(start, BRIEFLY) }.run_with(observer)?;
        let is_answer = matches!(brief.verdict, Verdict::Verified | Verdict::Violated);
        if is_answer {
            return Ok(Answer::Explored(Box::new(brief)));
        }
        let is_long =
            matches!(brief.undecided, Some(Undecided::GaveUp(GaveUp::Executions(_) | GaveUp::Time(_))));
        if is_long || brief.verdict == Verdict::Bounded {
            // Names stay as they are: that is for who asks for states.
            let how =
                Searching { most_states: STATES, all_races: true, rename: false, ..Searching::default() };
            // A race that is walked into is one, whatever other races there may be.
            let walks = Searching { walks: Some(STEPS), all_races: false, ..how.clone() };
            let searching = if is_long { SEARCHING } else { MOSTLY_SEARCHING };
            for (how, part) in [(walks, WALKING), (how, searching)] {
                // What the search refuses is no error of the program.
                if let Ok(searched) = self.left_of(start, part).search(&how, observer)
                    && matches!(searched.verdict, Verdict::Verified | Verdict::Violated)
                {
                    let seconds = start.elapsed().as_secs_f64();
                    return Ok(Answer::Searched(Box::new(Searched { seconds, ..searched })));
                }
            }
        }
        let mut outcome = self.left_of(start, 1.0).run_with(observer)?;
        outcome.seconds = start.elapsed().as_secs_f64();
        if let Some(given) = self.limits.seconds {
            outcome.time_was(given);
        }
        Ok(Answer::Explored(Box::new(outcome)))
    }

    /// Whether the search answers the same question.
    fn may_search(&self) -> bool {
        let Options { warn_of_races, leaks, all_errors, output, record, deterministic, .. } = self.options;
        let executions = warn_of_races || leaks || all_errors || output || record || deterministic;
        let options = &self.options;
        let asked = options.checkpoint.is_some()
            || options.resume.is_some()
            || options.persist.is_some()
            || options.most_executions.is_some()
            || options.equivalence == Equivalence::Rf
            || !options.grow;
        // Of what shows as a race, the search knows data races.
        let others = FOUND_AS_RACES.iter().filter(|kind| **kind != ErrorKind::DataRace);
        let as_races = others.into_iter().any(|kind| options.errors.has(*kind));
        // Bytecode may have passes behind it that are not for a search.
        let is_text = matches!(self.program, Program::Sources(_));
        is_text
            && !executions
            && !asked
            && !as_races
            && Table::of(&self.theory).is_ok_and(|table| table.in_order)
    }

    /// The same check with a part of the time that is left.
    fn left_of(&self, start: Instant, part: f64) -> Check {
        let left = |seconds: f64| (seconds - start.elapsed().as_secs_f64()).max(0.0) * part;
        let limits = Limits { seconds: self.limits.seconds.map(left), ..self.limits };
        Check { limits, ..self.clone() }
    }
}
