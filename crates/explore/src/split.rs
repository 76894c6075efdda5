//! Giving work away, and taking it on: from frames to units and back.

use crate::explorer::Explorer;
use crate::frame::Frame;
use crate::path::{Path, Step, Unit};
use crate::report::ExploreError;
use selvedge_machine::Machine;
use std::cmp::Reverse;

impl Frame {
    /// Whether there may be later alternatives.
    fn is_open(&self) -> bool {
        match *self {
            Frame::Plain { .. } | Frame::Lost(_) => false,
            Frame::Choice { next, count, .. } => next < count,
            Frame::Read(frame) => frame.next > frame.floor,
            Frame::Place(frame) => frame.next > frame.floor || frame.revisits,
            Frame::Revisit { scan, first, .. } => scan > first,
            Frame::Revisited(frame) => frame.next > frame.floor,
        }
    }

    /// Whether later alternatives are likely, too.
    fn is_promising(&self) -> bool {
        match *self {
            // Most writes revisit nothing.
            Frame::Place(frame) => frame.next > frame.floor,
            _ => self.is_open(),
        }
    }

    /// Leaves later alternatives to others. The decision itself stays.
    fn close(&mut self) {
        match self {
            Frame::Plain { .. } | Frame::Lost(_) => {}
            Frame::Choice { next, count, .. } => *count = *next,
            Frame::Read(frame) => frame.floor = frame.next,
            Frame::Place(frame) => {
                frame.floor = frame.next;
                frame.revisits = false;
            }
            Frame::Revisit { scan, first, .. } => *first = *scan,
            Frame::Revisited(frame) => frame.floor = frame.next,
        }
    }

    /// An execution after this decision may be found by someone else: it is not known to lead nowhere.
    fn do_not_count_dead_ends(&mut self) {
        match self {
            Frame::Read(frame) => frame.seen = u64::MAX,
            Frame::Revisited(frame) => frame.seen = u64::MAX,
            _ => {}
        }
    }
}

impl<M: Machine> Explorer<'_, M> {
    /// Whether it is at the empty graph, with nothing left to explore.
    pub(crate) fn is_at_the_beginning(&self) -> bool {
        self.frames.is_empty() && self.graph.is_empty() && self.trouble.is_none()
    }

    /// All that is left to explore.
    pub(crate) fn rest(&self) -> Unit {
        self.unit(self.frames.len(), false)
    }

    /// The work at the first `frames` decisions.
    fn unit(&self, frames: usize, skip: bool) -> Unit {
        let frames = &self.frames[..frames];
        let open = frames.iter().filter(|f| Step::of(f).is_some()).map(Frame::is_open).collect();
        Unit { path: Path::of(frames), open, skip }
    }

    /// Gives away the later alternatives of the oldest decision that has any; `None` if none has.
    pub(crate) fn split(&mut self) -> Option<Unit> {
        let oldest = self.frames.iter().position(Frame::is_promising);
        let oldest = oldest.or_else(|| self.frames.iter().rposition(Frame::is_open))?;
        let unit = self.unit(oldest + 1, true);
        for frame in &mut self.frames[..oldest] {
            frame.do_not_count_dead_ends();
        }
        self.frames[..=oldest].iter_mut().for_each(Frame::close);
        Some(unit)
    }

    /// Goes to where a unit of work begins. The explorer must be at the empty graph. Returns whether there
    /// is something to explore.
    pub(crate) fn take_on(&mut self, unit: &Unit) -> Result<bool, ExploreError> {
        let before = self.stats.clone();
        for &step in &unit.path.0 {
            self.follow(step)?;
        }
        self.stats = before;
        // A revisit comes with a place of the write, which is not part of a path that ends there.
        let open = unit.open.iter().chain(std::iter::repeat(&false));
        for (frame, open) in self.frames.iter_mut().filter(|f| Step::of(f).is_some()).zip(open) {
            frame.do_not_count_dead_ends();
            if !open {
                frame.close();
            }
        }
        if !unit.skip {
            return Ok(true);
        }
        self.trouble = None;
        Ok(self.backtrack())
    }

    /// Adds events up to the next decision and makes it as `step` says.
    fn follow(&mut self, step: Step) -> Result<(), ExploreError> {
        // The place of a revisiting write belongs to the revisit, which was followed just before.
        if !matches!(step, Step::RevisitPlace(_)) {
            self.trouble = None;
            loop {
                let next = self.next_thread();
                if !self.extend(next.ok_or(ExploreError::NoSuchPath)?)? {
                    return Err(ExploreError::NoSuchPath);
                }
                if !matches!(self.frames.last(), Some(Frame::Plain { .. })) {
                    break;
                }
            }
        }
        if let Step::Revisit(Reverse(at)) = step {
            return self.follow_revisit(at);
        }
        let Some(mut frame) = self.frames.pop() else { return Err(ExploreError::NoSuchPath) };
        if Step::of(&frame) == Some(step) {
            self.frames.push(frame);
            return Ok(());
        }
        // The first alternative was entered: go to the one that is meant.
        match (&mut frame, step) {
            (Frame::Choice { next, count, .. }, Step::Choice(value)) if value < *count => *next = value,
            (Frame::Read(frame), Step::Source(Reverse(at))) if at < frame.next => frame.next = at + 1,
            (Frame::Place(frame), Step::Place(Reverse(at))) if at <= frame.next => frame.next = at,
            (Frame::Revisited(frame), Step::RevisitPlace(Reverse(at))) if at <= frame.next => frame.next = at,
            _ => return Err(ExploreError::NoSuchPath),
        }
        self.enter(frame)?;
        match self.frames.last().and_then(Step::of) {
            Some(found) if found == step => Ok(()),
            _ => Err(ExploreError::NoSuchPath),
        }
    }

    /// Takes the next alternative of a decision; there must be one.
    fn enter(&mut self, frame: Frame) -> Result<(), ExploreError> {
        self.trouble = None;
        if self.next_alternative(frame) { Ok(()) } else { Err(ExploreError::NoSuchPath) }
    }

    /// The latest event is a write: makes it revisit the read at `at` of the insertion order.
    fn follow_revisit(&mut self, at: u32) -> Result<(), ExploreError> {
        if let Some(Frame::Place(mut frame)) = self.frames.last().copied() {
            self.frames.pop();
            frame.next = frame.floor;
            self.enter(Frame::Place(frame))?;
        }
        let [.., Frame::Revisit { e, scan, first }, mut under_way] = self.frames[..] else {
            return Err(ExploreError::NoSuchPath);
        };
        if scan == at {
            return Ok(());
        }
        if at < first || at > scan {
            return Err(ExploreError::NoSuchPath);
        }
        self.frames.truncate(self.frames.len() - 2);
        under_way.close();
        if self.next_alternative(under_way) {
            return Err(ExploreError::NoSuchPath);
        }
        self.enter(Frame::Revisit { e, scan: at + 1, first })?;
        match self.frames[..] {
            [.., Frame::Revisit { scan, .. }, Frame::Revisited(_) | Frame::Lost(_)] if scan == at => Ok(()),
            _ => Err(ExploreError::NoSuchPath),
        }
    }
}
