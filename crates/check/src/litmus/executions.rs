//! Takes in the executions of one litmus test.

use super::{AssertionFailure, Flag};
use crate::recorded::{Recorded, Site};
use crate::witness::{Witness, witness};
use selvedge_explore::{End, Execution, Path, Visitor};
use selvedge_graph::{EventId, ExecutionGraph, Kind, Loc, Tid, Value};
use selvedge_litmus::{Histogram, Observable, Test};
use selvedge_machine::{Program, ThreadState};
use std::ops::ControlFlow;

/// What some executions of a test came to. Of what is shown only once, the first in the order of
/// exploration is kept, whoever found it.
#[derive(Clone, Debug)]
pub struct Collector<'a> {
    test: &'a Test,
    draw: bool,
    /// How many executions to keep as models see them.
    record: usize,
    histogram: Histogram,
    flags: Vec<First<Flag>>,
    failure: Option<First<AssertionFailure>>,
    witness: Option<First<Witness>>,
    recorded: Vec<First<Recorded>>,
}

/// What there is to tell in the end.
type Results = (Histogram, Vec<Flag>, Option<AssertionFailure>, Option<Witness>, Vec<Recorded>);

/// Something, and the first execution that has it.
#[derive(Clone, Debug)]
struct First<T> {
    path: Path,
    what: T,
}

impl<T> First<T> {
    fn earlier(a: Option<First<T>>, b: Option<First<T>>) -> Option<First<T>> {
        match (a, b) {
            (Some(a), Some(b)) => Some(if b.path < a.path { b } else { a }),
            (a, b) => a.or(b),
        }
    }
}

impl<'a> Collector<'a> {
    pub fn new(test: &'a Test, draw: bool, record: usize) -> Collector<'a> {
        Collector {
            test,
            draw,
            record,
            histogram: Histogram::new(),
            flags: Vec::new(),
            failure: None,
            witness: None,
            recorded: Vec::new(),
        }
    }

    pub fn results(self) -> Results {
        let flags = self.flags.into_iter().map(|f| f.what).collect();
        let recorded = self.recorded.into_iter().map(|r| r.what).collect();
        (self.histogram, flags, self.failure.map(|f| f.what), self.witness.map(|d| d.what), recorded)
    }

    fn model_errors(&mut self, execution: &Execution<'_, Program>) {
        let mut counted: Vec<String> = Vec::new();
        for error in execution.model_errors() {
            if counted.contains(&error.name) {
                continue;
            }
            counted.push(error.name.clone());
            match self.flags.iter_mut().find(|flag| flag.what.name == error.name) {
                Some(flag) => flag.what.executions += 1,
                None => {
                    let what = Flag {
                        first: self.access(execution.graph, error.first),
                        second: self.access(execution.graph, error.second),
                        name: error.name,
                        warning: error.warning,
                        executions: 1,
                    };
                    self.flags.push(First { path: execution.path(), what });
                }
            }
        }
    }

    /// `P0: W[na] x=1`.
    fn access(&self, graph: &ExecutionGraph, event: EventId) -> String {
        let program = &self.test.program;
        let text = label(program, graph, event);
        match program.threads.get(graph.event(event).tid.index()) {
            Some(thread) => format!("{}: {text}", thread.name),
            None => text,
        }
    }
}

impl Visitor<Program> for Collector<'_> {
    fn visit(&mut self, execution: &Execution<'_, Program>) -> ControlFlow<()> {
        let decides = execution.end == End::Complete && {
            self.histogram.add(self.test, &|observable| final_value(execution, observable))
        };
        if decides && self.draw && self.witness.is_none() {
            let threads = &self.test.program.threads;
            let name = |t: Tid| threads.get(t.index()).map(|thread| thread.name.clone()).unwrap_or_default();
            let what = witness(execution, &name).witness;
            self.witness = Some(First { path: execution.path(), what });
        }
        let failure = execution.program_error();
        if self.recorded.len() < self.record {
            let is_error = || execution.model_errors().iter().any(|error| !error.warning);
            if decides || failure.is_some() || is_error() {
                let site = |_: &Program, state: &ThreadState| Some(Site::Code(state.instruction()));
                let by_model = !decides && failure.is_none();
                let what = Recorded { by_model, ..Recorded::of(execution, site) };
                self.recorded.push(First { path: execution.path(), what });
            }
        }
        if let Some((thread, error)) = failure
            && self.failure.is_none()
        {
            let thread = self.test.program.threads[thread.index()].name.clone();
            let is_error = self.test.arch == "C";
            let what = AssertionFailure { thread, message: error.message, is_error };
            self.failure = Some(First { path: execution.path(), what });
        }
        self.model_errors(execution);
        ControlFlow::Continue(())
    }

    fn merge(&mut self, other: Self) {
        self.histogram.merge(other.histogram);
        for theirs in other.flags {
            match self.flags.iter_mut().find(|flag| flag.what.name == theirs.what.name) {
                None => self.flags.push(theirs),
                Some(ours) => {
                    let executions = ours.what.executions + theirs.what.executions;
                    if theirs.path < ours.path {
                        *ours = theirs;
                    }
                    ours.what.executions = executions;
                }
            }
        }
        self.flags.sort_by(|a, b| a.path.cmp(&b.path));
        self.recorded.extend(other.recorded);
        self.recorded.sort_by(|a, b| a.path.cmp(&b.path));
        self.recorded.truncate(self.record);
        self.failure = First::earlier(self.failure.take(), other.failure);
        self.witness = First::earlier(self.witness.take(), other.witness);
    }
}

/// The value that an execution leaves in a register or a location.
fn final_value(execution: &Execution<'_, Program>, observable: &Observable) -> Value {
    match observable {
        // A thread that never ran has all its registers at 0.
        Observable::Register { thread, reg, .. } => {
            execution.state(*thread).map_or(0, |state| state.regs[reg.0 as usize])
        }
        Observable::Location { loc, .. } => {
            let last = execution.graph.co(*loc).last().copied().unwrap_or(EventId::INIT);
            execution.graph.value_of(last, *loc)
        }
    }
}

/// `W[rel] x=1`, `R[acq] x → 0`. Only accesses are in errors of a model.
fn label(program: &Program, graph: &ExecutionGraph, e: EventId) -> String {
    let event = graph.event(e);
    let name = |loc: Loc| program.locs.get(loc.index()).map_or("?", |(name, _)| name.as_str());
    let (mode, value) = (event.mode, program.value_text(event.value));
    match event.kind {
        Kind::Read => format!("R[{mode}] {} → {value}", name(event.loc)),
        Kind::Write => format!("W[{mode}] {}={value}", name(event.loc)),
        Kind::Fence => format!("F[{mode}]"),
        _ => String::new(),
    }
}
