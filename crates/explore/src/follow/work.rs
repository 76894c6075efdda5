//! Giving work away, and taking it on: from decisions to units and back.

use super::{Alternatives, Follow, Frame, Visit};
use crate::explorer::Pause;
use crate::path::{Path, Step, Unit};
use crate::report::{Config, Execution, ExploreError, Stats};
use crate::team::{Crew, Worker};
use selvedge_machine::Machine;
use selvedge_model::relational::{Local, Relational};
use std::cmp::Reverse;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64};

/// Explores by revisits that follow dependencies.
pub(crate) struct Revisiting<'a> {
    pub model: &'a Relational,
    pub local: Local,
}

impl Crew for Revisiting<'_> {
    type Member<'s, M: Machine + 's>
        = Follow<'s, M>
    where
        Self: 's;

    fn hire<'s, M: Machine>(
        &'s self,
        machine: &'s M,
        config: &'s Config,
        calls: &'s AtomicBool,
        left: Option<&'s AtomicU64>,
    ) -> Result<Follow<'s, M>, ExploreError> {
        Follow::new(machine, self.model, &self.local, config, calls, left)
    }
}

impl Frame {
    /// The decision that it stands for: nothing, a step, or a read that is revisited and a place.
    fn steps(&self) -> [Option<Step>; 2] {
        match &self.kind {
            Alternatives::One => [None, None],
            Alternatives::Choice { next, .. } => [Some(Step::Choice(next - 1)), None],
            Alternatives::Read { next, floor, count } => {
                [Some(Step::Source(Reverse(count + floor - next))), None]
            }
            Alternatives::Place { left, .. } => [Some(Step::Place(Reverse(*left))), None],
            Alternatives::Revisit { reads, cut } => {
                let place = cut.map_or(0, |(_, left, _)| left);
                [Some(Step::Revisit(Reverse(reads.len() as u32))), Some(Step::RevisitPlace(Reverse(place)))]
            }
        }
    }

    /// Whether there may be later alternatives.
    fn is_open(&self) -> bool {
        !self.closed
            && match &self.kind {
                Alternatives::One => false,
                Alternatives::Choice { next, count } => next < count,
                Alternatives::Read { next, count, .. } => next < count,
                // Or it may revisit something.
                Alternatives::Place { .. } => true,
                Alternatives::Revisit { reads, cut } => {
                    reads.len() > 1 || cut.is_some_and(|(_, left, floor)| left > floor)
                }
            }
    }

    /// Whether later alternatives are likely, too.
    fn is_promising(&self) -> bool {
        self.is_open() && !matches!(self.kind, Alternatives::Place { left, floor } if left <= floor)
    }
}

impl<M: Machine> Worker<M> for Follow<'_, M> {
    fn take_on(&mut self, unit: &Unit) -> Result<bool, ExploreError> {
        let before = self.stats.clone();
        let mut steps = unit.path.0.iter().copied();
        while let Some(step) = steps.next() {
            let place = match step {
                Step::Revisit(_) => steps.next(),
                _ => None,
            };
            self.decide([Some(step), place])?;
        }
        self.stats = before;
        let mut open = unit.open.iter().copied();
        for frame in &mut self.frames {
            let steps = frame.steps().iter().flatten().count();
            if steps > 0 {
                frame.seen = u64::MAX;
                frame.closed = !(0..steps).fold(false, |any, _| any | open.next().unwrap_or(false));
            }
        }
        if !unit.skip {
            return Ok(true);
        }
        Ok(self.backtrack())
    }

    fn run(
        &mut self,
        visit: &mut dyn FnMut(&Execution<'_, M>) -> ControlFlow<()>,
    ) -> Result<Pause, ExploreError> {
        self.explore(visit as &mut Visit<'_, M>)
    }

    fn rest(&self) -> Unit {
        self.unit(self.frames.len(), false)
    }

    fn split(&mut self) -> Option<Unit> {
        let oldest = self.frames.iter().position(Frame::is_promising);
        let oldest = oldest.or_else(|| self.frames.iter().rposition(Frame::is_open))?;
        let unit = self.unit(oldest + 1, true);
        self.frames[..oldest].iter_mut().for_each(|frame| frame.seen = u64::MAX);
        self.frames[..=oldest].iter_mut().for_each(|frame| frame.closed = true);
        Some(unit)
    }

    fn path(&self) -> Path {
        path_of(&self.frames)
    }

    fn is_at_the_beginning(&self) -> bool {
        self.frames.is_empty() && self.web.len == 0
    }

    fn stats(&mut self) -> &mut Stats {
        &mut self.stats
    }
}

/// The decisions that led to a graph.
pub(crate) fn path_of(frames: &[Frame]) -> Path {
    Path(frames.iter().flat_map(|frame| frame.steps().into_iter().flatten()).collect())
}

impl<M: Machine> Follow<'_, M> {
    /// The work at the first `frames` decisions.
    fn unit(&self, frames: usize, skip: bool) -> Unit {
        let frames = &self.frames[..frames];
        let flags = |frame: &Frame| {
            let open = frame.is_open();
            frame.steps().into_iter().flatten().map(move |_| open).collect::<Vec<bool>>()
        };
        Unit { path: path_of(frames), open: frames.iter().flat_map(flags).collect(), skip }
    }

    /// Adds events up to the next decision and makes it as these steps say.
    fn decide(&mut self, wanted: [Option<Step>; 2]) -> Result<(), ExploreError> {
        loop {
            let Some(task) = self.next() else { return Err(ExploreError::NoSuchPath) };
            if !self.begin(task)? {
                return Err(ExploreError::NoSuchPath);
            }
            if !matches!(self.frames.last(), Some(Frame { kind: Alternatives::One, .. })) {
                break;
            }
        }
        let Some(mut frame) = self.frames.pop() else { return Err(ExploreError::NoSuchPath) };
        if frame.steps() == wanted {
            self.frames.push(frame);
            return Ok(());
        }
        // The first alternative was entered: go to the one that is meant.
        match (&mut frame.kind, wanted[0], wanted[1]) {
            (Alternatives::Choice { next, count }, Some(Step::Choice(value)), None) if value < *count => {
                *next = value;
            }
            (Alternatives::Read { next, floor, count }, Some(Step::Source(Reverse(place))), None)
                if place >= *floor && place < *count + *floor =>
            {
                *next = *count + *floor - place - 1;
            }
            (Alternatives::Place { left, floor }, Some(Step::Place(Reverse(at))), None)
                if at >= *floor && at < *left =>
            {
                *left = at + 1;
            }
            (
                Alternatives::Place { .. } | Alternatives::Revisit { .. },
                Some(Step::Revisit(Reverse(number))),
                Some(Step::RevisitPlace(Reverse(at))),
            ) => {
                self.undo_to(frame.inner);
                let mut reads = self.revisitable(frame.event);
                reads.truncate(number as usize);
                let r = *reads
                    .last()
                    .filter(|_| reads.len() == number as usize)
                    .ok_or(ExploreError::NoSuchPath)?;
                self.cut(frame.event, r);
                let (left, floor) = self.range_of_places(frame.event);
                if at < floor || at >= left {
                    return Err(ExploreError::NoSuchPath);
                }
                frame.kind = Alternatives::Revisit { reads, cut: Some((self.mark(), at + 1, floor)) };
            }
            _ => return Err(ExploreError::NoSuchPath),
        }
        let entered = self.try_next(frame);
        match self.frames.last() {
            Some(frame) if entered && frame.steps() == wanted => Ok(()),
            _ => Err(ExploreError::NoSuchPath),
        }
    }
}
