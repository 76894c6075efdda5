//! What becomes of a graph to which nothing can be added.

use crate::deferred::lifetimes;
use crate::explorer::Explorer;
use crate::process_end::{only_background, process_over};
use crate::reductions::{Hooks, Reducers};
use crate::report::{Decisions, End, Execution, Failure, GaveUp};
use crate::sections::Outcome;
use crate::threads::Status;
use selvedge_graph::Tid;
use selvedge_machine::{Again, Agreement, Block, Machine, Op};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

/// Why nothing is known of an execution.
pub(crate) const TOO_HARD: &str = "whether decisions of threads by unknown inputs go together takes too \
                                   long to find out; `--nondet-range LOW..HIGH` tries the numbers of a range";

/// What ends an execution where it is.
#[derive(Clone, Debug)]
pub(crate) enum Trouble {
    /// Inspection found something.
    Failure(Failure),
    /// The exploration is not as it should be.
    Again(Again),
}

/// What a final graph is.
pub(crate) enum Conclusion {
    /// No execution of its own.
    Nothing,
    /// Nothing more is to be explored.
    GaveUp(GaveUp),
    /// An execution, how it ends, and what is wrong: what inspection found, or of several threads that failed
    /// the one that counts.
    Execution(End, Option<Failure>, Option<Tid>),
}

impl<M: Machine> Explorer<'_, M> {
    /// Shows a final graph to the visitor.
    pub(crate) fn finish(
        &mut self,
        visit: &mut dyn FnMut(&Execution<'_, M>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (end, failure, culprit) = match self.conclude() {
            Conclusion::Nothing => return ControlFlow::Continue(()),
            Conclusion::GaveUp(why) => {
                self.stats.gave_up = Some(why);
                return ControlFlow::Break(());
            }
            Conclusion::Execution(end, failure, culprit) => (end, failure, culprit),
        };
        let before = self.graph.mark();
        self.make_stuck(end);
        let flow = visit(&self.execution(end, failure.as_ref(), culprit));
        self.graph.undo_to(before);
        if flow.is_break() {
            self.stats.gave_up = Some(GaveUp::AtExecution);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    /// The graph at hand as an execution that ends like this.
    pub(crate) fn execution<'x>(
        &'x self,
        end: End,
        failure: Option<&'x Failure>,
        culprit: Option<Tid>,
    ) -> Execution<'x, M> {
        Execution {
            graph: &self.graph,
            end,
            machine: self.machine,
            model: self.model,
            threads: &self.threads,
            failure,
            culprit,
            decisions: Decisions::Clocks(&self.frames),
        }
    }

    /// What the final graph at hand is; counts it.
    #[inline(always)] // into `finish`
    pub(crate) fn conclude(&mut self) -> Conclusion {
        let conclusion = self.conclusion();
        // It was trouble of this graph alone, also where nothing comes of that.
        self.trouble = None;
        conclusion
    }

    #[inline(always)] // into `conclude`
    fn conclusion(&mut self) -> Conclusion {
        if let Some(conclusion) = Reducers::at_end(self) {
            return conclusion;
        }
        if self.machine.has_unknowns() {
            match self.agreement() {
                Agreement::Yes => {}
                Agreement::No => return Conclusion::Nothing,
                Agreement::NobodyKnows => return Conclusion::GaveUp(GaveUp::TooLarge(TOO_HARD.to_string())),
            }
        }
        if let Some(left) = self.left
            && left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1)).is_err()
        {
            return Conclusion::GaveUp(GaveUp::Executions(self.config.max_executions.unwrap_or_default()));
        }
        if let Some(again) = Reducers::is_broken(self) {
            return Conclusion::GaveUp(GaveUp::Again(again));
        }
        let mut end = self.end();
        let mut failure = match self.trouble.take() {
            Some(Trouble::Again(again)) => return Conclusion::GaveUp(GaveUp::Again(again)),
            Some(Trouble::Failure(failure)) => Some(failure),
            None => None,
        };
        if let Some(again) = self.machine.again() {
            return Conclusion::GaveUp(GaveUp::Again(again));
        }
        if let Some(again) = Reducers::is_noticed(self, end) {
            return Conclusion::GaveUp(GaveUp::Again(again));
        }
        let mut culprit = None;
        if self.machine.has_sections() && failure.is_none() {
            match self.judge_sections(end) {
                Outcome::Torn => {
                    self.stats.torn += 1;
                    return Conclusion::Nothing;
                }
                Outcome::Whole(now, found, by) => (end, failure, culprit) = (now, found, by),
            }
        }
        if failure.is_none() && self.config.inspect && self.model.buffering().is_some() {
            failure = lifetimes::inspect(self.machine, &self.graph);
            end = if failure.is_some() { End::Error } else { end };
        }
        if let Some(again) = Reducers::is_doubtful(self, end, failure.as_ref()) {
            return Conclusion::GaveUp(GaveUp::Again(again));
        }
        self.stats.count(end);
        Conclusion::Execution(end, failure, culprit)
    }

    /// How the execution at hand ends.
    #[inline(always)] // into `conclude`
    pub(crate) fn end(&self) -> End {
        let mut end = if self.trouble.is_some() { End::Error } else { End::Complete };
        if self.threads.have_ended() {
            return end;
        }
        let over = process_over(self.machine, &self.threads);
        let background = only_background(self.machine, &self.threads);
        let assumes = |t: Tid| self.threads.op(t) == Some(Op::Block(Block::Assume));
        for (t, status) in (0..).map(Tid).zip(self.threads.status()) {
            let this = match status {
                Status::Absent | Status::Ended => End::Complete,
                Status::Cut => End::Cut,
                Status::Failed => End::Error,
                _ if over.spares(&self.graph, t, self.threads.op(t)) => End::Complete,
                _ if background && !assumes(t) => End::Complete,
                _ => End::Blocked,
            };
            end = end.max(this);
        }
        end
    }
}
