//! Takes in the executions of a program and keeps the wrong ones.

use crate::crash::{Recovered, recovered};
use crate::order::printed;
use crate::violation::{Suspect, Violation, Wanted};
use crate::witness::{Access, Place};
use selvedge_explore::{Crashes, End, Execution, Path, Visitor};
use selvedge_graph::Tid;
use selvedge_machine::{ErrorKinds, Names};
use selvedge_vm::VmMachine;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Wrong executions, one for each kind of error and line: the first in the order of exploration.
#[derive(Clone, Debug)]
pub struct Finder {
    wanted: Wanted,
    /// In the order of exploration.
    found: Vec<Found>,
    /// What the first complete execution prints.
    printed: Option<Printed>,
    /// What the model warns of, one for each of its names and places.
    warnings: BTreeSet<ModelWarning>,
    /// What was met of errors that are not looked for.
    passed: BTreeSet<Passed>,
    /// How crashes are looked for, if they are.
    persist: Option<Arc<Crashes>>,
    after_crashes: AfterCrashes,
}

/// What there was after crashes.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct AfterCrashes {
    /// How many states recovery found.
    pub states: u64,
    /// A loop of recovery ran into its bound.
    pub cut: bool,
    /// Why not all of them were explored.
    pub stop: Option<String>,
    /// Why the persistency model cannot be used.
    pub refused: Option<String>,
}

/// An error of a kind that is not looked for.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Passed {
    /// What its kind is called.
    pub name: String,
    /// Where in the source.
    pub place: Option<Place>,
    /// What becomes of the execution.
    pub then: Then,
}

/// What becomes of an execution with an error that is not looked for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Then {
    /// It was explored to its end: nothing is missing.
    Whole,
    /// The process ends there. All that other threads do was explored.
    ProcessEnds,
    /// The exploration ends there: other threads may not have come to their errors.
    NotExplored,
}

/// Two accesses that a model warns of.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ModelWarning {
    /// The model's name for it.
    pub name: String,
    /// The first access; none for initial values.
    pub first: Option<Access>,
    /// The second one.
    pub second: Option<Access>,
}

/// What an execution prints.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Printed {
    pub path: Path,
    pub text: String,
}

/// A wrong execution.
#[derive(Clone, Debug)]
pub struct Found {
    pub path: Path,
    pub violation: Violation,
    pub output: Option<String>,
}

/// What a visit came to.
pub struct Results {
    pub violations: Vec<Violation>,
    pub warnings: Vec<ModelWarning>,
    pub passed: Vec<Passed>,
    pub output: Option<String>,
    pub after_crashes: AfterCrashes,
}

impl Finder {
    pub fn new(wanted: Wanted, persist: Option<Arc<Crashes>>) -> Finder {
        Finder {
            wanted,
            found: Vec::new(),
            printed: None,
            warnings: BTreeSet::new(),
            passed: BTreeSet::new(),
            persist,
            after_crashes: AfterCrashes::default(),
        }
    }

    pub fn after_crashes(&self) -> &AfterCrashes {
        &self.after_crashes
    }

    /// Takes note of what another one found after crashes.
    pub fn add_crashes(&mut self, other: AfterCrashes) {
        let AfterCrashes { states, cut, stop, refused } = other;
        self.after_crashes.states += states;
        self.after_crashes.cut |= cut;
        self.after_crashes.stop = self.after_crashes.stop.take().or(stop);
        self.after_crashes.refused = self.after_crashes.refused.take().or(refused);
    }

    /// Runs recovery after an execution. Breaks if there is nothing more to look for.
    fn crash(&mut self, x: &Execution<'_, VmMachine>) -> ControlFlow<()> {
        let Some(persist) = self.persist.clone() else { return ControlFlow::Continue(()) };
        let Recovered { states, cut, stop, refused, found } = recovered(x, &persist, self.wanted);
        let over = stop.is_some() || refused.is_some();
        self.add_crashes(AfterCrashes { states, cut, stop, refused });
        let wrong = !found.is_empty();
        for violation in found {
            let output = self.wanted.output.then(|| printed(x));
            self.add(Found { path: x.path(), violation, output });
        }
        match over || wrong && !self.wanted.all {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    pub fn results(mut self) -> Results {
        // Workers that were stopped by another's error may have found one, too.
        if !self.wanted.all {
            self.found.truncate(1);
        }
        let output = match self.found.first_mut() {
            Some(first) => first.output.take(),
            None => self.printed.map(|printed| printed.text),
        };
        let violations = self.found.into_iter().map(|f| f.violation).collect();
        let (warnings, passed) = (self.warnings.into_iter().collect(), self.passed.into_iter().collect());
        let after_crashes = self.after_crashes;
        Results { violations, warnings, passed, output, after_crashes }
    }

    /// Errors that are not looked for.
    pub fn passed(&self) -> &BTreeSet<Passed> {
        &self.passed
    }

    /// Takes note of errors that are not looked for.
    pub fn pass(&mut self, new: impl IntoIterator<Item = Passed>) {
        self.passed.extend(new);
    }

    pub fn printed(&self) -> Option<&Printed> {
        self.printed.as_ref()
    }

    /// Keeps what an execution prints if it is the first.
    pub fn print(&mut self, new: Printed) {
        if self.printed.as_ref().is_none_or(|old| new.path < old.path) {
            self.printed = Some(new);
        }
    }

    /// Whether the model warns of something.
    pub fn warns(&self) -> bool {
        !self.warnings.is_empty()
    }

    pub fn found(&self) -> &[Found] {
        &self.found
    }

    pub fn add(&mut self, new: Found) {
        let line = |found: &Found| found.violation.place.as_ref().map(|place| place.line);
        let same = |old: &Found| old.violation.name == new.violation.name && line(old) == line(&new);
        if self.found.iter().find(|old| same(old)).is_none_or(|old| new.path < old.path) {
            self.found.retain(|old| !same(old));
            let at = self.found.partition_point(|old| old.path < new.path);
            self.found.insert(at, new);
        }
    }
}

impl Visitor<VmMachine> for Finder {
    fn visit(&mut self, x: &Execution<'_, VmMachine>) -> ControlFlow<()> {
        if x.end != End::Error {
            let warnings = x.unnoticed_errors().into_iter().filter(|error| error.warning);
            self.warnings.extend(warnings.map(|error| ModelWarning {
                first: Access::of(x, error.first),
                second: Access::of(x, error.second),
                name: error.name,
            }));
        }
        if self.wanted.kinds != ErrorKinds::ALL {
            self.passed.extend(processes_ended(x));
        }
        let suspect = Suspect::in_execution(x, self.wanted);
        let suspect = match suspect {
            Some(suspect) if !self.wanted.kinds.has(suspect.kind) => {
                self.passed.insert(suspect.passed());
                None
            }
            suspect => suspect,
        };
        let Some(suspect) = suspect else {
            if self.wanted.output && self.printed.is_none() && x.end == End::Complete {
                self.print(Printed { path: x.path(), text: printed(x) });
            }
            return self.crash(x);
        };
        let path = x.path();
        // Only what is kept is taken down.
        let same = self.found.iter().find(|old| suspect.is_like(&old.violation));
        if same.is_none_or(|old| path < old.path) {
            let output = self.wanted.output.then(|| printed(x));
            self.add(Found { path, violation: suspect.violation(x, self.wanted.record), output });
        }
        // There may have been a crash before that.
        if self.wanted.all { self.crash(x) } else { ControlFlow::Break(()) }
    }

    fn merge(&mut self, other: Finder) {
        self.warnings.extend(other.warnings);
        self.passed.extend(other.passed);
        self.add_crashes(other.after_crashes);
        other.found.into_iter().for_each(|found| self.add(found));
        other.printed.into_iter().for_each(|printed| self.print(printed));
    }
}

/// Errors that are not looked for, by which threads ended the process.
fn processes_ended(x: &Execution<'_, VmMachine>) -> impl Iterator<Item = Passed> {
    let threads = (0..x.graph.threads() as u16).map(Tid);
    let states = threads.filter_map(|t| x.state(t));
    states.filter_map(|state| {
        let name = x.machine().passed_error(state)?.name().to_string();
        Some(Passed { name, place: x.machine().place(state).map(Place::from), then: Then::ProcessEnds })
    })
}
