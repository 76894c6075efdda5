//! Whoever watches a check.

use selvedge_explore::{Estimate, Progress};
use selvedge_machine::Again;

/// What a check is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Compiling the model.
    Model,
    /// Compiling the program.
    Compiling,
    /// From the compiled program to its first execution.
    Preparing,
    /// Estimating how many executions there are.
    Estimating,
    /// Exploring them.
    Exploring,
}

impl Phase {
    /// What is being done, in words.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Model => "compiling the model",
            Phase::Compiling => "compiling the program",
            Phase::Preparing => "preparing the exploration",
            Phase::Estimating => "estimating",
            Phase::Exploring => "exploring",
        }
    }
}

/// Is told how a check goes. All of it is for show: nothing depends on it.
pub trait Observer {
    /// Something else is being done from now on.
    fn phase(&mut self, _phase: Phase) {}

    /// The compiler is this process, or has ended.
    fn compiler(&mut self, _process: Option<u32>) {}

    /// Whether an estimate is worth its time.
    fn wants_estimate(&self) -> bool {
        false
    }

    /// How many executions there are, about.
    fn estimate(&mut self, _estimate: Estimate) {}

    /// An exploration begins, which has come this far already.
    fn begins(&mut self, _before: Progress) {}

    /// What was explored does not count; it begins anew.
    fn again(&mut self, _why: Again) {}

    /// How far it is: several times a second.
    fn progress(&mut self, _progress: Progress) {}

    /// Something went wrong that does not change the result.
    fn warning(&mut self, _text: &str) {}
}

/// Looks away.
pub struct Nobody;

impl Observer for Nobody {}
