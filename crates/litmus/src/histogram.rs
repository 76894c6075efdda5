//! Final states, counted, and the verdict on them in herd's words.

use crate::cond::{Observable, Quantifier};
use crate::test::Test;
use selvedge_graph::Value;
use std::collections::BTreeMap;
use std::fmt;

/// Whether the test's quantified condition holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Ok,
    No,
    /// Executions are missing, or there is none, and those that are there do not decide it.
    Undecided,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Ok => "Ok",
            Verdict::No => "No",
            Verdict::Undecided => "Undecided",
        })
    }
}

/// How often the condition, without its quantifier, holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Observation {
    Always,
    Sometimes,
    Never,
    /// Executions are missing, or there is none, and it may be as well Sometimes as not.
    Undecided,
}

impl fmt::Display for Observation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Observation::Always => "Always",
            Observation::Sometimes => "Sometimes",
            Observation::Never => "Never",
            Observation::Undecided => "Undecided",
        })
    }
}

/// One final state: the values of `Test::observed`, in that order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State<'a> {
    pub values: &'a [Value],
    /// Executions that ended in it.
    pub count: u64,
    /// Whether the condition, without its quantifier, holds in it.
    pub holds: bool,
}

#[derive(Clone, Copy, Debug)]
struct Tally {
    count: u64,
    holds: bool,
}

/// The final states of a test's complete executions.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    states: BTreeMap<Vec<Value>, Tally>,
}

impl Histogram {
    pub fn new() -> Histogram {
        Histogram::default()
    }

    /// Counts the final state of one execution, unless the test's filter excludes it. Returns whether
    /// the state decides something: it satisfies an `exists` or `~exists`, or violates a `forall`.
    pub fn add(&mut self, test: &Test, lookup: &dyn Fn(&Observable) -> Value) -> bool {
        if test.filter.as_ref().is_some_and(|filter| !filter.eval(lookup)) {
            return false;
        }
        let values = test.observed.iter().map(lookup).collect();
        let tally = self
            .states
            .entry(values)
            .or_insert_with(|| Tally { count: 0, holds: test.condition.eval(lookup) });
        tally.count += 1;
        decides(test.quantifier, tally.holds)
    }

    /// Adds the states that another histogram of the same test has counted.
    pub fn merge(&mut self, other: Histogram) {
        for (values, tally) in other.states {
            self.states.entry(values).and_modify(|own| own.count += tally.count).or_insert(tally);
        }
    }

    /// The states in the order of their values.
    pub fn states(&self) -> impl Iterator<Item = State<'_>> {
        self.states.iter().map(|(values, tally)| State { values, count: tally.count, holds: tally.holds })
    }

    pub fn len(&self) -> usize {
        self.states.len()
    }

    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Executions in which the condition, without its quantifier, holds.
    pub fn positive(&self) -> u64 {
        self.states().filter(|s| s.holds).map(|s| s.count).sum()
    }

    pub fn negative(&self) -> u64 {
        self.states().filter(|s| !s.holds).map(|s| s.count).sum()
    }

    /// `whole`: no execution is missing. What is missing may be either, so only what was seen of both is
    /// known for certain.
    pub fn observation(&self, whole: bool) -> Observation {
        match (self.positive(), self.negative()) {
            (1.., 1..) => Observation::Sometimes,
            (0, 0) => Observation::Undecided,
            _ if !whole => Observation::Undecided,
            (0, _) => Observation::Never,
            (_, 0) => Observation::Always,
        }
    }

    /// `whole`: no execution is missing. If some are, a state that decides decides all the same (a witness
    /// of an `exists`, a counterexample of the others), and that there is none so far says nothing.
    pub fn verdict(&self, quantifier: Quantifier, whole: bool) -> Verdict {
        let decided = self.states().any(|state| decides(quantifier, state.holds));
        match quantifier {
            Quantifier::Exists if decided => Verdict::Ok,
            Quantifier::NotExists | Quantifier::Forall if decided => Verdict::No,
            _ if !whole || self.is_empty() => Verdict::Undecided,
            Quantifier::Exists => Verdict::No,
            Quantifier::NotExists | Quantifier::Forall => Verdict::Ok,
        }
    }

    /// The result in herd's shape, with litmus' counts before the states and its `*` on those that
    /// decide the verdict. `whole`: no execution is missing. `seconds` is for the last line.
    pub fn report(&self, test: &Test, whole: bool, seconds: f64) -> String {
        let mut lines =
            vec![format!("Test {} {}", test.name, test.quantifier.kind()), format!("States {}", self.len())];
        for state in self.states() {
            let mark = if decides(test.quantifier, state.holds) { '*' } else { ':' };
            let line = format!("{:<6}{mark}>{}", state.count, show(test, state.values));
            lines.push(line.trim_end().to_string());
        }
        let (positive, negative) = (self.positive(), self.negative());
        lines.push(self.verdict(test.quantifier, whole).to_string());
        lines.push(String::from("Witnesses"));
        lines.push(format!("Positive: {positive} Negative: {negative}"));
        lines.push(format!("Condition {}", test.condition_text));
        lines.push(format!("Observation {} {} {positive} {negative}", test.name, self.observation(whole)));
        lines.push(format!("Time {} {seconds:.2}", test.name));
        lines.join("\n") + "\n"
    }
}

/// Whether a state in which the condition `holds` (or not) is what the quantifier asks about.
fn decides(quantifier: Quantifier, holds: bool) -> bool {
    holds != (quantifier == Quantifier::Forall)
}

/// `0:r0=0; [x]=1;`.
fn show(test: &Test, values: &[Value]) -> String {
    let text = |v: &Value| test.program.value_text(*v);
    let parts: Vec<String> =
        test.observed.iter().zip(values).map(|(o, v)| format!("{o}={};", text(v))).collect();
    parts.join(" ")
}
