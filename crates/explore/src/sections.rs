//! Atomic sections: what a thread does in one is one step of the interleaving that explains an execution.
//!
//! A section is atomic if the execution stays sequentially consistent when its events become one: `po`, `rf`,
//! `co` and `fr` between sections and events outside of them have no cycle. Such graphs are closed under
//! leaving out events at the ends of threads, but not extensible: a section that has read something old may
//! have nothing left to read. A graph that is torn may also be on the way to one that is not, by a revisit.
//! So the exploration knows nothing of sections but the lock that keeps them apart from each other, and what
//! is torn is left out at the end. For the same reason it does not stop where it finds an error: that is
//! looked for at the end, too, and counts if an interleaving leads there in which all other sections are
//! complete.

use crate::explorer::Explorer;
use crate::inspect::inspect_at_end;
use crate::report::{End, Failure};
use crate::threads::Status;
use selvedge_graph::{EventId, ExecutionGraph, Kind, Mode, Tid};
use selvedge_machine::{ErrorKind, Machine};
use smallvec::SmallVec;

/// The execution with sections as single steps.
struct Steps {
    /// By event; the initialising one has none.
    step_of: Vec<usize>,
    /// By step: the steps that come directly before it.
    before: Vec<SmallVec<[usize; 6]>>,
    /// By step: the thread that stands in the middle of it.
    unfinished: Vec<Option<Tid>>,
}

/// What is left of an execution.
pub(crate) enum Outcome {
    /// No interleaving explains it.
    Torn,
    /// It is one, and ends like this: with what was found, or the thread that failed.
    Whole(End, Option<Failure>, Option<Tid>),
}

impl<M: Machine> Explorer<'_, M> {
    /// What becomes of the graph at hand, which cannot be extended.
    #[cold]
    pub(crate) fn judge_sections(&self, end: End) -> Outcome {
        let steps = self.steps(|state| self.machine.in_section(state));
        let found = self
            .config
            .inspect
            .then(|| inspect_at_end(self.machine, self.model, &self.graph, self.config.races));
        for failure in found.into_iter().flatten() {
            if failure.kind == ErrorKind::DataRace && self.is_of_sections(&failure) {
                continue;
            }
            let ends: Vec<EventId> = std::iter::once(failure.event).chain(failure.other).collect();
            if steps.lead_to(&ends, Some(self.graph.event(failure.event).tid)) {
                return Outcome::Whole(End::Error, Some(failure), None);
            }
        }
        for t in (0..self.graph.threads() as u16).map(Tid) {
            if self.threads.status()[t.index()] == Status::Failed
                && steps.lead_to(self.graph.thread(t), Some(t))
            {
                return Outcome::Whole(End::Error, None, Some(t));
            }
        }
        if end == End::Error || !steps.lead_to(&self.graph.order()[1..], None) {
            return Outcome::Torn;
        }
        Outcome::Whole(end, None, None)
    }

    /// Whether an interleaving explains the graph at hand in which each critical section is one step, even of
    /// locks whose sections are not ordered (`reductions/lock_order.rs`).
    #[cold]
    pub(crate) fn has_order_of_sections(&self) -> bool {
        let machine = self.machine;
        let steps = self.steps(|s| machine.in_section(s) || machine.in_unordered_section(s));
        steps.lead_to(&self.graph.order()[1..], None)
    }

    /// Whether sections keep two accesses from racing: one of them does, or, where sections are only as good
    /// as atomic accesses, both have to be in one, or atomic.
    fn is_of_sections(&self, race: &Failure) -> bool {
        let mut both = std::iter::once(race.event).chain(race.other);
        match self.config.sections_race {
            true => both.all(|e| self.in_section(e) || self.graph.event(e).mode != Mode::Na),
            false => both.any(|e| self.in_section(e)),
        }
    }

    fn in_section(&self, e: EventId) -> bool {
        self.threads.state_of(e).is_some_and(|state| self.machine.in_section(state))
    }

    fn steps(&self, in_section: impl Fn(&M::State) -> bool) -> Steps {
        let g = &self.graph;
        let mut step_of = vec![usize::MAX; g.arena_len()];
        let mut unfinished = Vec::new();
        for t in (0..g.threads() as u16).map(Tid) {
            let mut inside = false;
            for &e in g.thread(t) {
                let now = self.threads.state_of(e).is_some_and(&in_section);
                if !(now && inside) {
                    unfinished.push(None);
                }
                inside = now;
                step_of[e.index()] = unfinished.len() - 1;
            }
            let goes_on = self.threads.status()[t.index()] != Status::Ended;
            if inside && goes_on && self.threads.state(t).is_some_and(&in_section) {
                unfinished[step_of[g.thread(t)[g.thread(t).len() - 1].index()]] = Some(t);
            }
        }
        let mut before = vec![SmallVec::new(); unfinished.len()];
        for &e in &g.order()[1..] {
            let this = step_of[e.index()];
            let steps: &mut SmallVec<[usize; 6]> = &mut before[this];
            interleaved_before(g, e, |x| {
                let earlier = if x.is_init() { this } else { step_of[x.index()] };
                if earlier != this && steps.last() != Some(&earlier) {
                    steps.push(earlier);
                }
            });
        }
        Steps { step_of, before, unfinished }
    }
}

/// What comes directly before an event in every interleaving.
fn interleaved_before(g: &ExecutionGraph, e: EventId, mut visit: impl FnMut(EventId)) {
    let ev = g.event(e);
    g.po_pred(e).into_iter().chain(g.rf(e)).for_each(&mut visit);
    match ev.kind {
        Kind::Join => g.thread(ev.peer).last().into_iter().for_each(|x| visit(*x)),
        Kind::Depart => g.round(e).iter().for_each(|x| visit(*x)),
        Kind::Write => {
            if let Some(previous) = g.co_pos(e).and_then(|pos| g.co(ev.loc).get(pos.checked_sub(1)?)).copied()
            {
                visit(previous);
                g.readers(previous, ev.loc).filter(|&r| r != e).for_each(&mut visit);
            }
        }
        _ => {}
    }
    if ev.idx == 1 {
        g.spawn_of(ev.tid).into_iter().for_each(visit);
    }
}

impl Steps {
    /// Whether there is an interleaving of just what has to come before these events and of them. Thread
    /// `own` fails in it, and may do so in the middle of a section; all other sections are complete. Without
    /// one, a section may be unfinished that nothing comes after: it does not happen.
    fn lead_to(&self, ends: &[EventId], own: Option<Tid>) -> bool {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let mut marks = vec![Mark::New; self.before.len()];
        let mut followed = vec![false; self.before.len()];
        // Depth first, with the position among the steps before.
        let mut stack: Vec<(usize, usize)> = Vec::new();
        for &e in ends {
            let first = self.step_of[e.index()];
            if marks[first] != Mark::New {
                continue;
            }
            marks[first] = Mark::Open;
            stack.push((first, 0));
            while let Some((step, at)) = stack.last_mut() {
                let Some(&next) = self.before[*step].get(*at) else {
                    marks[*step] = Mark::Done;
                    stack.pop();
                    continue;
                };
                *at += 1;
                followed[next] = true;
                match marks[next] {
                    Mark::Open => return false,
                    Mark::Done => {}
                    Mark::New => {
                        marks[next] = Mark::Open;
                        stack.push((next, 0));
                    }
                }
            }
        }
        let others = |step: usize| self.unfinished[step].is_some_and(|t| Some(t) != own);
        let cut_short = |step: usize| others(step) && (followed[step] || own.is_some());
        !(0..marks.len()).any(|step| marks[step] == Mark::Done && cut_short(step))
    }
}
