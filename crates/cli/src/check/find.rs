//! Takes in the executions of a C program and keeps the wrong ones.

use super::explain::{Finding, finding, printed, warnings};
use crate::dot;
use selvedge_explore::{End, Execution, Path, Visitor};
use selvedge_vm::VmMachine;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// What is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// Objects that are never freed count.
    pub leaks: bool,
    /// All errors, not only one.
    pub all: bool,
    /// A drawing of the first one.
    pub drawing: bool,
    /// What the program prints in the first one, or else in the first complete execution.
    pub output: bool,
    /// Errors of the model count.
    pub races: bool,
}

/// Wrong executions, one for each kind of error and line: the first in the order of exploration.
#[derive(Clone, Debug)]
pub struct Finder {
    wanted: Wanted,
    /// In the order of exploration.
    found: Vec<Found>,
    /// What the first complete execution prints.
    printed: Option<Printed>,
    /// What the model warns of, one for each of its names and places.
    warnings: BTreeSet<String>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Printed {
    pub path: Path,
    pub text: String,
}

#[derive(Clone, Debug)]
pub struct Found {
    pub path: Path,
    pub finding: Finding,
    pub drawing: Option<String>,
    pub output: Option<String>,
}

/// What a visit came to.
pub struct Results {
    pub findings: Vec<Finding>,
    pub warnings: Vec<String>,
    pub drawing: Option<String>,
    pub output: Option<String>,
}

impl Finder {
    pub fn new(wanted: Wanted) -> Finder {
        Finder { wanted, found: Vec::new(), printed: None, warnings: BTreeSet::new() }
    }

    pub fn results(mut self) -> Results {
        // Workers that were stopped by another's error may have found one, too.
        if !self.wanted.all {
            self.found.truncate(1);
        }
        let (drawing, output) = match self.found.first_mut() {
            Some(first) => (first.drawing.take(), first.output.take()),
            None => (None, self.printed.map(|printed| printed.text)),
        };
        let findings = self.found.into_iter().map(|f| f.finding).collect();
        Results { findings, warnings: self.warnings.into_iter().collect(), drawing, output }
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

    pub fn found(&self) -> &[Found] {
        &self.found
    }

    /// Whether an execution would be kept.
    fn is_news(&self, finding: &Finding, path: &Path) -> bool {
        let same = |old: &&Found| old.finding.kind == finding.kind && old.finding.line == finding.line;
        self.found.iter().find(same).is_none_or(|old| *path < old.path)
    }

    pub fn add(&mut self, new: Found) {
        if self.is_news(&new.finding, &new.path) {
            let (kind, line) = (&new.finding.kind, new.finding.line);
            self.found.retain(|old| old.finding.kind != *kind || old.finding.line != line);
            let at = self.found.partition_point(|old| old.path < new.path);
            self.found.insert(at, new);
        }
    }
}

impl Visitor<VmMachine> for Finder {
    fn visit(&mut self, x: &Execution<'_, VmMachine>) -> ControlFlow<()> {
        let machine = x.machine();
        if x.end != End::Error {
            self.warnings.extend(warnings(machine, x));
        }
        let Some(finding) = finding(machine, x, self.wanted) else {
            if self.wanted.output && self.printed.is_none() && x.end == End::Complete {
                self.print(Printed { path: x.path(), text: printed(x) });
            }
            return ControlFlow::Continue(());
        };
        let path = x.path();
        if self.is_news(&finding, &path) {
            let drawing = self.wanted.drawing.then(|| dot::draw_execution(machine, x));
            let output = self.wanted.output.then(|| printed(x));
            self.add(Found { path, finding, drawing, output });
        }
        if self.wanted.all { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn merge(&mut self, other: Finder) {
        self.warnings.extend(other.warnings);
        other.found.into_iter().for_each(|found| self.add(found));
        other.printed.into_iter().for_each(|printed| self.print(printed));
    }
}
